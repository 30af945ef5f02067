"""`potential`: what an open box is worth, and what the bonuses are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import LookaheadStrategy
from yahtzee_sim.cards import Cards
from yahtzee_sim.categories import COLUMNS


@dataclass(frozen=True)
class Potential(LookaheadStrategy):
    """A price for every open box, the upper bonus at its chance, and the hundreds to come.

    Idea: the value of a card, as a sum of terms that can be named. Made to be tuned: the defaults
    are seventeen numbers searched on the expected loss, and `ys.tune` comes near them from flat
    prices.
    Origin: linear value functions, as in Sutton and Barto, "Reinforcement Learning" (2018),
    chapter 9.
    Mean under `official`: 253.410862.

    Parameters
    ----------
    ones, ..., chance : float
        What each box is worth while it is open.
    bonus : float
        What the chance of the upper bonus is multiplied with, besides the bonus itself.
    dice, spread : float
        Mean and standard deviation of the number of dice in an upper box; what they bring
        together is taken as normal.
    hundreds : float
        Yahtzee bonuses to come for each open box, once the Yahtzee box holds 50.
    """

    ones: float = 1.429
    twos: float = 2.402
    threes: float = 4.299
    fours: float = 6.063
    fives: float = 8.607
    sixes: float = 10.954
    three_of_a_kind: float = 17.251
    four_of_a_kind: float = 9.198
    full_house: float = 11.851
    small_straight: float = 24.053
    large_straight: float = 16.461
    yahtzee: float = 6.595
    chance: float = 22.891
    bonus: float = 1.026
    dice: float = 2.812
    spread: float = 0.906
    hundreds: float = 0.073

    def worth(self, cards: Cards) -> NDArray[np.float64]:
        from scipy.special import ndtr  # naming a strategy needs no scipy

        prices = np.array([getattr(self, box) for box in COLUMNS])
        is_open, face = cards.open.astype(float), np.arange(1, 7)
        upper = is_open[:, :6]
        deviation = self.spread * np.sqrt(upper @ face**2.0)
        missing = cards.to_bonus - upper @ (self.dice * face)
        chance = np.where(cards.to_bonus > 0, ndtr(-missing / np.maximum(deviation, 1e-9)), 0.0)
        hundreds = self.hundreds * cards.fifty * is_open.sum(axis=1)
        return (
            is_open @ prices
            + self.bonus * cards.rules.upper_bonus * chance
            + cards.rules.yahtzee_bonus * hundreds
        )
