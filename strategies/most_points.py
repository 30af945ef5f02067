"""`most-points`: collect the largest group, take what pays most now."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import Strategy, Turn


class MostPoints(Strategy):
    """Keep the largest group of equal dice (the higher face if two are as large), and score in
    the box that pays most now.

    Idea: what most programs try first; it never plans, and never keeps a run.
    Origin: folklore.
    Mean under `official`: 162.246925.
    """

    sees = frozenset({"open"})

    def keep(self, turn: Turn) -> NDArray[np.bool_]:
        # the last of the largest: reversed, so that argmax finds the highest face first
        face = 6 - turn.counts[:, ::-1].argmax(axis=1)
        return turn.dice == face[:, None]

    def category(self, turn: Turn) -> NDArray[np.integer]:
        return turn.points.argmax(axis=1)
