"""What a run adds up: integers, so that parts merge exactly, in any order.

Every figure of `summary` and `categories` is read from a tally, so that a run that keeps no
games, or one that was loaded, answers the same. What is no integer, the luck and the costs of
games, is summed in the order of the games, within fixed blocks. Knows nothing of pandas or of
intervals.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.categories import Category
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.scoring import N_VARIANTS, scoring

COUNTS = 14
"""0 to 13 of something in a game."""
UPPER_TOTALS = 106
BLOCK = 65_536
"""Games whose floats are summed together, whatever the batches."""


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

    @property
    def fifties(self) -> int:
        """Games with a 50 in the Yahtzee box."""
        values = np.arange(COUNTS)
        return int(self.paid @ values - self.bonuses @ values)

    def upper_bonuses(self, rules: Rules) -> int:
        """Games with the upper bonus."""
        return int(self.upper[rules.upper_bonus_threshold :].sum())

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


@dataclass
class Sums:
    """Sums of numbers by game, and of their squares, in fixed blocks whatever the batches.

    Parameters
    ----------
    rows : int
        Numbers that each game has.
    """

    rows: int
    n: int = 0
    total: NDArray[np.float64] = field(init=False)
    squares: NDArray[np.float64] = field(init=False)
    _waiting: list[NDArray[np.float64]] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.total = np.zeros(self.rows)
        self.squares = np.zeros(self.rows)

    def add(self, numbers: NDArray[np.float64]) -> None:
        """Numbers of further games, (rows, n), in the order of the games."""
        self._waiting.append(numbers)
        self.n += numbers.shape[1]
        if sum(part.shape[1] for part in self._waiting) >= BLOCK:
            whole = np.concatenate(self._waiting, axis=1)
            while whole.shape[1] >= BLOCK:
                self._count(whole[:, :BLOCK])
                whole = whole[:, BLOCK:]
            self._waiting = [whole.copy()] if whole.shape[1] else []

    def _count(self, numbers: NDArray[np.float64]) -> None:
        rows = [np.ascontiguousarray(row) for row in numbers]
        self.total += [float(row.sum()) for row in rows]
        self.squares += [float((row * row).sum()) for row in rows]

    def sums(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of all games so far: sums and sums of squares, (rows,) each."""
        if not self._waiting:
            return self.total.copy(), self.squares.copy()
        rest = Sums(self.rows)
        rest._count(np.concatenate(self._waiting, axis=1))
        return self.total + rest.total, self.squares + rest.squares
