"""`par`: three of each face is par."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import LookaheadStrategy
from yahtzee_sim.cards import Cards

from ._hands import USUAL


@dataclass(frozen=True)
class Par(LookaheadStrategy):
    """Measure each upper box against three of its face, each lower box against its usual points.

    Idea: three of every face make 63. So an open upper box is worth par, and every point above or
    below par so far is worth `weight` more, as long as the bonus is neither won nor lost.
    Origin: how experienced players keep count.
    Mean under `official`: 245.458073.

    Parameters
    ----------
    weight : float
        What a point above par is worth, besides itself.
    """

    weight: float = 1.7
    sees = frozenset({"open", "upper"})

    def worth(self, cards: Cards) -> NDArray[np.float64]:
        face = np.arange(1, 7)
        upper = cards.open[:, :6]
        threshold = cards.rules.upper_bonus_threshold
        possible = (upper @ (5 * face) >= cards.to_bonus) & (cards.to_bonus > 0)
        above = threshold - cards.to_bonus - (~upper) @ (3 * face)
        bonus = np.clip(cards.rules.upper_bonus / 2 + self.weight * above, 0, None)
        lower = cards.open[:, 6:] @ np.array(USUAL[6:], float)
        return lower + upper @ (3.0 * face) + np.where(possible, bonus, 0.0)
