"""`careful-human`: the advice that players give each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import Category, Strategy, Turn
from yahtzee_sim.dice import ROLL_COUNTS

from . import _hands as hands

_LARGE_SMALL_HOUSE = Category.LARGE_STRAIGHT, Category.SMALL_STRAIGHT, Category.FULL_HOUSE
_FACE = np.arange(1, 7)
_FOUR_OF_EACH = (np.arange(64)[:, None] >> np.arange(6) & 1) @ (4 * _FACE)
"""(64,): what four of each face bring, by the open upper boxes."""

# What is added to the points of a box, (2, 252, 13), while the bonus cannot or can be had: in the
# upper section, from points to points above three of the face, which count double while it can.
_CORRECTION = np.zeros((2, 252, 13), np.int32)
_CORRECTION[:] = -np.array(hands.USUAL)
for _times in (1, 2):
    _wanted = (ROLL_COUNTS - 3) * _FACE * _times + 2 * (ROLL_COUNTS >= 3)
    _CORRECTION[_times - 1, :, :6] = _wanted - ROLL_COUNTS * _FACE
_CORRECTION[:, :, Category.ONES] += 2


class CarefulHuman(Strategy):
    """Pairs before runs, the upper bonus before all, ones and chance for what goes wrong.

    Idea: rules as players state them. Three or more equal dice whose upper box is open go on to
    that box; four in a row, and a full house, are kept while they can be scored; a pair beats three
    in a row, the higher pair the lower one. In the upper section three of a face is par: less is
    scored there only with points to spare. What fits nowhere goes to chance, to ones, or costs the
    Yahtzee box late in the game.
    Origin: folklore, as found in players' guides.
    Mean under `official`: 234.599911.
    """

    def keep(self, turn: Turn) -> NDArray[np.bool_]:
        roll, is_open = turn.roll, turn.open_mask
        run, size = hands.RUN[roll], hands.SIZE[roll]
        large, small, house = (is_open & 1 << box > 0 for box in _LARGE_SMALL_HOUSE)
        face = hands.best_face(is_open, roll)
        useful = is_open & (1 << face | hands.KINDS) > 0
        many = np.where(useful, ROLL_COUNTS[roll, face], 0)
        rules = [
            ((run == 5) & (large | small), hands.ALL),
            (house & hands.IS_FULL_HOUSE[roll], hands.ALL),
            ((run == 4) & small & ~large, hands.ALL),
            ((many < 3) & (run == 4) & (large | small), hands.RUN_DICE),
            (
                (hands.PAIRED[roll] == 4) & (size == 2) & house & (is_open & hands.KINDS == 0),
                hands.PAIRS,
            ),
            (many >= 2, hands.FACES + face),
            ((run == 3) & (large | small), hands.RUN_DICE),
            (is_open & (63 | hands.KINDS) > 0, hands.FACES + face),
            (
                is_open & 1 << Category.CHANCE > 0,
                hands.HIGH_5 if turn.rolls_left == 2 else hands.HIGH_4,
            ),
        ]
        return hands.KEEP[np.select(*zip(*rules, strict=True), hands.GROUP), roll]

    def category(self, turn: Turn) -> NDArray[np.integer]:
        alive = (turn.to_bonus > 0) & (turn.to_bonus <= _FOUR_OF_EACH[turn.open_mask & 63])
        worth = turn.points + _CORRECTION[alive.astype(np.intp), turn.roll]
        worth[:, Category.YAHTZEE] += np.where(turn.round >= 8, turn.round, 0)
        return np.where(turn.points >= 0, worth, -1000).argmax(axis=1)
