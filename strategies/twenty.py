"""`twenty`: twenty numbers that play within a point of the best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import LookaheadStrategy
from yahtzee_sim.cards import Cards


@dataclass(frozen=True)
class Twenty(LookaheadStrategy):
    """The value of a card from twenty numbers.

    Idea: prices of boxes and the chance of the upper bonus, as in `potential`, and what prices
    cannot say: a box is worth more while others are open beside it, a Yahtzee more the more turns
    are left to roll it, the second straight more than the first.
    Origin: our own, fitted to the solver's values and then tuned on the expected loss.
    Mean under `official`: 253.655039.

    Parameters
    ----------
    face, face1, face2 : float
        An open upper box of face f is worth face + face1 f + face2 f^2.
    three_of_a_kind, four_of_a_kind, full_house, small_straight, large_straight, yahtzee, chance :
        float
        What each lower box is worth while it is open.
    bonus, dice, spread : float
        The upper bonus in points, times its chance: upper boxes bring `dice` of their face, with a
        standard deviation of `spread`, together about normal.
    turns2 : float
        Times the number of open boxes squared.
    fifty : float
        Times the number of open boxes, once the Yahtzee box holds 50.
    yahtzee1, yahtzee2 : float
        Times the number of open boxes, and its square, while the Yahtzee box is open.
    large1 : float
        Times the number of open boxes, while the large straight is open.
    straights : float
        If both straights are open.
    jokers : float
        Times the number of open boxes among full house and straights, once the Yahtzee box holds
        50.
    """

    face: float = 0.564
    face1: float = 0.794
    face2: float = 0.169
    three_of_a_kind: float = 17.685
    four_of_a_kind: float = 9.005
    full_house: float = 12.705
    small_straight: float = 23.403
    large_straight: float = 15.815
    yahtzee: float = -0.096
    chance: float = 23.369
    bonus: float = 35.729
    dice: float = 2.816
    spread: float = 0.891
    fifty: float = 5.84
    yahtzee1: float = 1.568
    turns2: float = 0.469
    straights: float = 1.587
    large1: float = 0.142
    jokers: float = -0.405
    yahtzee2: float = -0.058

    def worth(self, cards: Cards) -> NDArray[np.float64]:
        from scipy.special import ndtr  # naming a strategy needs no scipy

        f, upper, lower = np.arange(1.0, 7.0), cards.open[:, :6], cards.open[:, 6:]
        small, large, yahtzee = lower[:, 3], lower[:, 4], lower[:, 5]
        turns = cards.open.sum(axis=1).astype(float)
        prices = (self.three_of_a_kind, self.four_of_a_kind, self.full_house)
        prices += (self.small_straight, self.large_straight, self.yahtzee, self.chance)

        missing = cards.to_bonus - upper @ (self.dice * f)
        deviation = np.maximum(self.spread * np.sqrt(upper @ f**2), 1e-9)
        bonus = np.where(cards.to_bonus > 0, ndtr(-missing / deviation), 0.0)
        return (
            upper @ (self.face + self.face1 * f + self.face2 * f**2)
            + lower @ np.array(prices)
            + self.bonus * bonus
            + self.turns2 * turns**2
            + self.fifty * cards.fifty * turns
            + yahtzee * (self.yahtzee1 * turns + self.yahtzee2 * turns**2)
            + self.large1 * large * turns
            + self.straights * (small & large)
            + self.jokers * cards.fifty * lower[:, 2:5].sum(axis=1)
        )
