"""`random`: a coin for every die, a uniform choice among the boxes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import Strategy, Turn


class Random(Strategy):
    """Keep each die with chance 1/2, then choose uniformly among the allowed categories.

    Idea: what a game is worth without any thought.
    Origin: the baseline of every study of game-playing programs.
    Mean under `official`: 46.005, se 0.0058, of 10 M games.
    """

    sees = frozenset({"open", "luck"})

    def keep(self, turn: Turn) -> NDArray[np.bool_]:
        coins = (turn.random() * 32).astype(np.int32)  # five of them in one number
        return (coins[:, None] >> np.arange(5) & 1).astype(bool)

    def category(self, turn: Turn) -> NDArray[np.integer]:
        allowed = turn.points >= 0
        nth = (turn.random() * allowed.sum(axis=1)).astype(np.int32)
        return (allowed.cumsum(axis=1) > nth[:, None]).argmax(axis=1)
