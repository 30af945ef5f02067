"""`upper-first`: the bonus before anything else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import Strategy, Turn


class UpperFirst(Strategy):
    """While an upper box is open, collect the open face that shows most and score it there; only
    then play the lower section.

    Idea: the upper bonus is the one thing that beginners hear of, so fill the upper section
    first. In the lower section it keeps the largest group and takes what pays most.
    Origin: folklore.
    Mean under `official`: 143.864131.
    """

    sees = frozenset({"open"})

    def keep(self, turn: Turn) -> NDArray[np.bool_]:
        open_upper = turn.open[:, :6]
        counts = np.where(open_upper | ~open_upper.any(axis=1, keepdims=True), turn.counts, -1)
        face = 6 - counts[:, ::-1].argmax(axis=1)  # the higher face if two show as often
        return turn.dice == face[:, None]

    def category(self, turn: Turn) -> NDArray[np.integer]:
        upper = turn.points[:, :6]
        # by how many dice, then by face; -1 where the roll may not go
        worth = np.where(upper >= 0, turn.counts * 7 + np.arange(1, 7), -1)
        return np.where(
            (upper >= 0).any(axis=1), worth.argmax(axis=1), turn.points[:, 6:].argmax(axis=1) + 6
        )
