"""What a run adds up: integers alone, so that parts merge exactly, in any order.

Every figure of `summary` and `categories` is read from a tally, so that a run that keeps no
games, or one that was loaded, answers the same. Knows nothing of pandas or of intervals.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.categories import Category
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.scoring import N_VARIANTS, scoring

COUNTS = 14
"""0 to 13 of something in a game."""
UPPER_TOTALS = 106


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts over n games.

    Attributes
    ----------
    total : (maximum + 1,) int64
        Games by total.
    upper : (106,) int64
        Games by total of the upper section, bonus not included.
    bonuses : (14,) int64
        Games by number of Yahtzee bonuses.
    paid : (14,) int64
        Games by number of Yahtzees paid: the 50 and the bonuses.
    rolled : (14,) int64
        Games by number of turns that ended on five of a kind, paid or not.
    scored : (13, 258, 13) int64
        Turns by round, roll (or joker, see `yahtzee_sim.scoring`) and box.
    """

    total: NDArray[np.int64]
    upper: NDArray[np.int64]
    bonuses: NDArray[np.int64]
    paid: NDArray[np.int64]
    rolled: NDArray[np.int64]
    scored: NDArray[np.int64]

    @classmethod
    def empty(cls, rules: Rules) -> Tally:
        """Of no games yet."""
        shapes = (rules.maximum + 1, UPPER_TOTALS, COUNTS, COUNTS, COUNTS, (13, N_VARIANTS, 13))
        return cls(*(np.zeros(shape, np.int64) for shape in shapes))

    @property
    def n(self) -> int:
        """How many games."""
        return int(self.total.sum())

    def add_games(
        self, codes: NDArray[np.int64], games: NDArray[np.integer], rolled: NDArray, rules: Rules
    ) -> None:
        """Count a batch of finished games: their full cards, points (16, n), fives rolled."""
        fifty = codes & 1
        bonuses = games[Category.CHANCE + 2] // rules.yahtzee_bonus if rules.yahtzee_bonus else 0
        bonuses = np.zeros(len(codes), np.int64) + bonuses
        for counts, values in (
            (self.total, games[-1]),
            (self.upper, codes >> 1 & 127),
            (self.bonuses, bonuses),
            (self.paid, bonuses + fifty),
            (self.rolled, rolled),
        ):
            counts += np.bincount(values, minlength=len(counts))

    def __iadd__(self, other: Tally) -> Tally:
        for f in fields(self):
            mine = getattr(self, f.name)
            mine += getattr(other, f.name)
        return self

    def points(self, rules: Rules) -> list[NDArray[np.int64]]:
        """For each category, games by points in its box."""
        by_variant = self.scored.sum(axis=0)  # (258, 13)
        paid = scoring(rules).points
        return [
            np.bincount(paid[:, box], weights=by_variant[:, box]).round().astype(np.int64)
            for box in range(13)
        ]

    def rounds(self) -> NDArray[np.int64]:
        """(13, 13): games by category and the round in which its box was filled."""
        return self.scored.sum(axis=1).T
