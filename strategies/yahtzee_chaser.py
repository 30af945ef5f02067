"""`yahtzee-chaser`: five of a kind, or nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import Category, Strategy, Turn


class YahtzeeChaser(Strategy):
    """Always keep the largest group; score a five of a kind as Yahtzee, anything else in the
    upper box of its largest group, or where it pays most once that is filled, and cross out the
    Yahtzee box last.

    Idea: how far do the 50, and a hundred for each one after it, carry a player?
    Origin: folklore; Glenn, "An Optimal Strategy for Yahtzee" (2006), has a player who goes for
    Yahtzees only among his.
    Mean under `official`: 167.192108.
    """

    sees = frozenset({"open"})

    def keep(self, turn: Turn) -> NDArray[np.bool_]:
        return turn.dice == _largest_group(turn)[:, None]

    def category(self, turn: Turn) -> NDArray[np.integer]:
        points = turn.points.copy()
        is_last = (points >= 0).sum(axis=1) == 1
        matching = _largest_group(turn) - 1
        games = np.arange(len(turn))
        points[games, matching] = np.where(points[games, matching] >= 0, 500, -1)
        yahtzee = points[:, Category.YAHTZEE]
        points[:, Category.YAHTZEE] = np.where(yahtzee == 50, 1000, np.where(is_last, 0, -1))
        return points.argmax(axis=1)


def _largest_group(turn: Turn) -> NDArray[np.integer]:
    """The face that shows most, the higher one if two show as often."""
    return 6 - turn.counts[:, ::-1].argmax(axis=1)
