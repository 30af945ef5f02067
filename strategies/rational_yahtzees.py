"""`rational-yahtzees`: groups, straights and full houses, while there is a box for them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import Category, Strategy, Turn

from . import _hands as hands
from .yahtzees_only import YahtzeesOnly


class RationalYahtzees(Strategy):
    """Like `yahtzees-and-straights`, but nothing is rolled for that has no open box.

    Idea: a group is worth keeping while its own box or a box for kinds is open; if none is, the
    best other face is collected. A full house is kept, two pairs go for one, and when chance or
    three of a kind alone are left, low dice are rolled again.
    Origin: the third of the players in Glenn, "An Optimal Strategy for Yahtzee" (2006), after its
    name; his has 219.9.
    Mean under `official`: 220.649862.
    """

    sees = frozenset({"open"})

    def keep(self, turn: Turn) -> NDArray[np.bool_]:
        roll, is_open = turn.roll, turn.open
        house = is_open[:, Category.FULL_HOUSE]
        straights = is_open[:, Category.SMALL_STRAIGHT] | is_open[:, Category.LARGE_STRAIGHT]
        size, run = hands.SIZE[roll], hands.RUN[roll]
        nothing_to_collect = turn.open_mask & (63 | hands.KINDS) == 0
        rules = [
            (house & hands.IS_FULL_HOUSE[roll], hands.ALL),
            (straights & ((run >= 4) | (run == 3) & (size <= 2)), hands.RUN_DICE),
            (house & (hands.PAIRED[roll] == 4) & (size == 2), hands.PAIRS),
            (
                nothing_to_collect & is_open[:, Category.CHANCE],
                hands.HIGH_5 if turn.rolls_left == 2 else hands.HIGH_4,
            ),
        ]
        aim = np.select(
            *zip(*rules, strict=True), hands.FACES + hands.best_face(turn.open_mask, roll)
        )
        return hands.KEEP[aim, roll]

    def category(self, turn: Turn) -> NDArray[np.integer]:
        return YahtzeesOnly().category(turn)
