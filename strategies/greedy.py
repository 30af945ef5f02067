"""`greedy`: the perfect player who never thinks beyond the turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import LookaheadStrategy
from yahtzee_sim.cards import Cards


class Greedy(LookaheadStrategy):
    """Maximise the expected points of this turn alone.

    Idea: keeps and box are exactly those with the highest expected points of the turn (the box,
    the 100 if paid, the 35 in the turn that reaches the threshold), as if the game ended with it.
    Origin: Glenn, "An Optimal Strategy for Yahtzee" (2006), compares such a player with the
    optimal one.
    Mean under `official`: 217.380439.
    """

    sees = frozenset({"open", "upper", "fifty"})

    def worth(self, cards: Cards) -> NDArray[np.float64]:
        return np.zeros(len(cards))
