"""`heuristic`: every box has its price."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import LookaheadStrategy
from yahtzee_sim.cards import Cards

from ._hands import USUAL


class Heuristic(LookaheadStrategy):
    """Maximise the points of this turn, less what the box that is used up usually brings.

    Idea: `greedy` burns good boxes on poor rolls; a fixed price for each box, about its average
    in good play, is the least that a plan can be.
    Origin: the fourth of the players in Glenn, "An Optimal Strategy for Yahtzee" (2006), after
    its name; his has 240.7.
    Mean under `official`: 235.624652.
    """

    sees = frozenset({"open"})

    def worth(self, cards: Cards) -> NDArray[np.float64]:
        return cards.open @ np.array(USUAL, float)
