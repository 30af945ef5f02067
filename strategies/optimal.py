"""`optimal`: nobody plays better on average."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import LookaheadStrategy
from yahtzee_sim.cards import Cards
from yahtzee_sim.solutions import solve


class Optimal(LookaheadStrategy):
    """Maximise the expected final total, under any rules.

    Idea: every card is worth what the solver says that optimal play will still bring.
    Origin: Verhoeff, "Optimal Solitaire Yahtzee" (1999); Glenn, "An Optimal Strategy for
    Yahtzee" (2006).
    Mean under `official`: 254.587729.
    """

    def worth(self, cards: Cards) -> NDArray[np.float64]:
        return solve(cards.rules).worth_of(cards)
