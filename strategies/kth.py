"""`kth`: a list of rules, the first that fits is played."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import Category, Strategy, Turn

from . import _hands as hands

_CROSS_OUT = (0, 1, 11, 7, 2, 10, 3, 8, 4, 6, 9, 5, 12)
"""What is given up first if nothing fits."""


class Kth(Strategy):
    """Keep the best pattern that shows, score by the first rule in a fixed list that fits.

    Idea: no points are weighed. To keep: what is made; three or four of a kind; four in a row; two
    pairs; a pair; three in a row; the highest die; each only if its box is open. To score:
    Yahtzee, large straight, full house, small straight, an upper box with three of its face, four
    and three of a kind, chance; and then a fixed order of boxes to give up.
    Origin: the rule-based players of student theses at KTH Stockholm, of whom about 211 points
    are told; the rules here are our own.
    Mean under `official`: 220.154186.
    """

    sees = frozenset({"open"})

    def keep(self, turn: Turn) -> NDArray[np.bool_]:
        roll, is_open = turn.roll, turn.open
        run, size = hands.RUN[roll], hands.SIZE[roll]
        large, small = is_open[:, Category.LARGE_STRAIGHT], is_open[:, Category.SMALL_STRAIGHT]
        house = is_open[:, Category.FULL_HOUSE]
        face = hands.best_face(turn.open_mask, roll)
        useful = turn.open_mask & (1 << face | hands.KINDS) > 0
        group = np.where(useful, turn.counts[np.arange(len(turn)), face], 0)
        rules = [
            ((run == 5) & large | house & hands.IS_FULL_HOUSE[roll], hands.ALL),
            ((run >= 4) & small & ~large, hands.RUN_DICE),
            (group >= 3, hands.FACES + face),
            ((run >= 4) & large, hands.RUN_DICE),
            ((hands.PAIRED[roll] == 4) & (size == 2) & house, hands.PAIRS),
            (group == 2, hands.FACES + face),
            ((run == 3) & (small | large), hands.RUN_DICE),
        ]
        highest = hands.FACES + turn.dice[:, 4] - 1
        return hands.KEEP[np.select(*zip(*rules, strict=True), highest), roll]

    def category(self, turn: Turn) -> NDArray[np.integer]:
        points, n = turn.points, len(turn)
        rank = np.zeros((n, 13), np.int32)
        rank[:, _CROSS_OUT] = np.arange(13)[::-1]  # the last to give up is the most wanted
        three = (turn.counts >= 3) & (points[:, :6] > 0)
        rank[:, :6] += three * (100 + np.arange(6))
        for box, wanted in ((11, 900), (10, 800), (8, 700), (9, 600)):
            rank[:, box] += (points[:, box] > 0) * wanted
        rank[:, 7] += (points[:, 7] >= 15) * 90
        rank[:, 6] += (points[:, 6] >= 18) * 80
        rank[:, 12] += 12 + (points[:, 12] >= 20) * 70  # before any box is given up
        return np.where(points >= 0, rank, -1).argmax(axis=1)
