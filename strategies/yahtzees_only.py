"""`yahtzees-only`: rolls for five of a kind, and scores with sense."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import Strategy, Turn

from ._hands import USUAL


class YahtzeesOnly(Strategy):
    """Keep nothing but the largest group, of a face whose box is open if there is a choice; score
    where the roll pays most compared with what the box usually brings.

    Idea: unlike `yahtzee-chaser`, it takes the straights and full houses that fall by chance, and
    knows that a zero in the ones is cheaper than one in the large straight.
    Origin: the first of the players in Glenn, "An Optimal Strategy for Yahtzee" (2006), after its
    name; his has 171.5.
    Mean under `official`: 174.512097.
    """

    sees = frozenset({"open"})

    def keep(self, turn: Turn) -> NDArray[np.bool_]:
        # by size, then an open box, then the higher face
        wanted = turn.counts * 100 + turn.open[:, :6] * 10 + np.arange(6)
        return turn.dice == wanted.argmax(axis=1)[:, None] + 1

    def category(self, turn: Turn) -> NDArray[np.integer]:
        return np.where(turn.points < 0, -100, turn.points - np.array(USUAL)).argmax(axis=1)
