"""`roll-once`: no decisions at all, the zero point of every comparison."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import Strategy, Turn


class RollOnce(Strategy):
    """Never reroll; score in the first open category from the top.

    Idea: the player who does nothing, whose mean can be worked out by hand: 59545/1296 under
    `plain` without the upper bonus.
    Origin: the baseline of every program that checks its scoring.
    Mean under `official`: 45.945315.
    """

    sees = frozenset({"open"})

    def keep(self, turn: Turn) -> NDArray[np.bool_]:
        return np.ones(turn.dice.shape, bool)

    def category(self, turn: Turn) -> NDArray[np.integer]:
        return (turn.points >= 0).argmax(axis=1)
