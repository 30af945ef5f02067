"""Differences between strategies, from integers that add up: the tally of a pair.

A pair that meets the same dice is counted by the difference of its totals, and, for each figure
that a game has or has not, by the games in which only one has it. From these come differences with
their errors, intervals and p-values. Knows nothing of pandas, files or workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.specs import unknown
from yahtzee_sim.statistics import moments, normal_quantile
from yahtzee_sim.tallies import Tally

AT_LEAST = (200, 250, 300, 400)
MEANS = ("mean", "yahtzee_bonuses", "yahtzees_paid")
PROPORTIONS = ("p_upper_bonus", "p_yahtzee", *(f"p_{t}" for t in AT_LEAST))
METRICS = (*MEANS, *PROPORTIONS)
POWER = 0.8
BEST_DRAWS = 100_000
_MOST_BONUSES = 13


def check_metric(metric: object) -> str:
    """A figure that pairs can be compared by, or one clear line."""
    if not isinstance(metric, str) or metric not in METRICS:
        raise YahtzeeError(unknown("metric of a pair", metric, METRICS))
    return metric


@dataclass(frozen=True, eq=False)
class Traits:
    """What pairs are compared by, of n games.

    Attributes
    ----------
    total : (n,) int16
    bonuses, paid : (n,) int8
        Yahtzee bonuses, and these and the 50.
    upper : (n,) bool
        Whether the upper bonus was reached.
    """

    total: NDArray[np.int16]
    bonuses: NDArray[np.int8]
    paid: NDArray[np.int8]
    upper: NDArray[np.bool_]

    @classmethod
    def of(cls, games: NDArray[np.int16], rules: Rules) -> Traits:
        """Those of games, (16, n) points as in the frame of a result."""
        bonus = (
            games[14] // rules.yahtzee_bonus if rules.yahtzee_bonus else np.zeros_like(games[14])
        )
        bonuses = bonus.astype(np.int8)
        fifty = games[11] == 50
        upper = games[:6].sum(axis=0) >= rules.upper_bonus_threshold
        return cls(games[15].copy(), bonuses, bonuses + fifty.astype(np.int8), upper)

    def has(self, metric: str) -> NDArray[np.bool_]:
        """Which games have what a proportion counts."""
        if metric == "p_upper_bonus":
            return self.upper
        if metric == "p_yahtzee":
            return self.paid > self.bonuses
        return self.total >= int(metric.removeprefix("p_"))

    def number(self, metric: str) -> NDArray[np.integer]:
        """The number that a mean is of."""
        if metric == "mean":
            return self.total
        return self.bonuses if metric == "yahtzee_bonuses" else self.paid


@dataclass(frozen=True, eq=False)
class PairTally:
    """Counts over n games of two players on the same dice.

    Attributes
    ----------
    differences : dict of str to (2 m + 1,) int64
        For each mean, games by difference, first less second, from -m to m.
    only : dict of str to (2,) int64
        For each proportion, games in which only the first, only the second has it.
    """

    differences: dict[str, NDArray[np.int64]]
    only: dict[str, NDArray[np.int64]]

    @classmethod
    def empty(cls, rules: Rules) -> PairTally:
        """Of no games yet."""
        widest = dict.fromkeys(MEANS, _MOST_BONUSES + 1) | {"mean": rules.maximum}
        return cls(
            {name: np.zeros(2 * m + 1, np.int64) for name, m in widest.items()},
            {name: np.zeros(2, np.int64) for name in PROPORTIONS},
        )

    def add(self, first: Traits, second: Traits) -> None:
        """Count games that both have played."""
        for name, counts in self.differences.items():
            difference = first.number(name).astype(np.int64) - second.number(name)
            counts += np.bincount(difference + len(counts) // 2, minlength=len(counts))
        for name, only in self.only.items():
            one, other = first.has(name), second.has(name)
            only += (np.count_nonzero(one & ~other), np.count_nonzero(other & ~one))

    @property
    def n(self) -> int:
        """How many games."""
        return int(self.differences["mean"].sum())


class Difference(NamedTuple):
    """How two strategies differ in one figure, first less second.

    Attributes
    ----------
    value, se : float
    freedom : float
        Degrees of freedom of the t statistic; inf for proportions.
    correlation : float
        Of the two players' games; NaN if they were not paired or do not vary.
    won, tied, lost : float
        Shares of games, by total.
    p : float
        Two-sided; 1 if the two are identical.
    identical : bool
        Whether no game differs.
    centre, width : float
        Of the interval: centre and standard error that it is made with.
    """

    value: float
    se: float
    freedom: float
    correlation: float
    won: float
    tied: float
    lost: float
    p: float
    identical: bool
    centre: float
    width: float

    def interval(self, level: float) -> tuple[float, float]:
        """Low and high at a level."""
        if self.width == 0:
            return self.centre, self.centre
        half = _point(level, self.freedom) * self.width
        return self.centre - half, self.centre + half


def _point(level: float, freedom: float) -> float:
    """The two-sided point of Student's t, or of the normal."""
    if np.isinf(freedom):
        return normal_quantile(level)
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def student_p(value: float, se: float, freedom: float) -> float:
    """Two-sided, of a difference and its error; without error, whether it is 0."""
    if not np.isfinite(se):
        return np.nan
    if se == 0:
        return 1.0 if value == 0 else 0.0
    from scipy.special import ndtr, stdtr

    t = -abs(value) / se
    return float(2 * (ndtr(t) if np.isinf(freedom) else stdtr(freedom, t)))


def paired_difference(
    pair: PairTally, one: Tally, other: Tally, metric: str, rules: Rules
) -> Difference:
    """How two players differ who met the same dice."""
    n = pair.n
    won, tied, lost = _shares(pair.differences["mean"])
    if metric in MEANS:
        counts = pair.differences[metric]
        _, mean, second, _ = moments(counts)
        value = mean - len(counts) // 2
        variances = [moments(_counts(tally, metric))[2] for tally in (one, other)]
        se = float(np.sqrt(second / (n - 1))) if n > 1 else np.nan
        identical = int(counts[len(counts) // 2]) == n
        value = 0.0 if identical else value
        spread = float(np.sqrt(variances[0] * variances[1]))
        correlation = (sum(variances) - second) / (2 * spread) if spread else np.nan
        p = 1.0 if identical else student_p(value, se, n - 1)
        return Difference(value, se, n - 1, correlation, won, tied, lost, p, identical, value, se)
    first, second_only = (int(k) for k in pair.only[metric])
    value = (first - second_only) / n
    differ = first + second_only
    se = float(np.sqrt(max(differ - (first - second_only) ** 2 / n, 0.0))) / n
    shares = [_successes(tally, metric, rules) / n for tally in (one, other)]
    spread = float(np.sqrt(np.prod([s * (1 - s) for s in shares])))
    both = shares[0] - first / n
    correlation = (both - shares[0] * shares[1]) / spread if spread else np.nan
    # Bonett and Price (2012): a game added to each kind that differs
    added = (first + 1) / (n + 2), (second_only + 1) / (n + 2)
    centre = added[0] - added[1]
    width = float(np.sqrt((sum(added) - centre**2) / (n + 2)))
    if differ == 0:
        centre = width = 0.0
    return Difference(
        value,
        se,
        np.inf,
        correlation,
        won,
        tied,
        lost,
        _mcnemar(first, second_only),
        differ == 0,
        centre,
        width,
    )


def unpaired_difference(one: Tally, other: Tally, metric: str, rules: Rules) -> Difference:
    """How two players differ who met dice of their own: Welch's t, or two proportions."""
    n = one.n, other.n
    won, tied, lost = chances_to_win(one.total / n[0], other.total / n[1])
    if metric in MEANS:
        found = [moments(_counts(tally, metric)) for tally in (one, other)]
        value = found[0][1] - found[1][1]
        if min(n) < 2:
            nan = np.nan
            return Difference(value, nan, nan, nan, won, tied, lost, nan, False, value, nan)
        parts = [second / (k - 1) for (k, _, second, _) in found]
        se = float(np.sqrt(sum(parts)))
        freedom = np.inf
        if se:
            freedom = sum(parts) ** 2 / sum(
                part**2 / (k - 1) for part, (k, *_) in zip(parts, found, strict=True)
            )
        p = student_p(value, se, freedom)
        return Difference(value, se, freedom, np.nan, won, tied, lost, p, False, value, se)
    k = [_successes(tally, metric, rules) for tally in (one, other)]
    shares = [k[i] / n[i] for i in (0, 1)]
    value = shares[0] - shares[1]
    se = float(np.sqrt(sum(s * (1 - s) / m for s, m in zip(shares, n, strict=True))))
    pooled = sum(k) / sum(n)
    error = float(np.sqrt(pooled * (1 - pooled) * (1 / n[0] + 1 / n[1])))
    # Agresti and Caffo (2000): a game added to each cell
    added = [(k[i] + 1) / (n[i] + 2) for i in (0, 1)]
    width = np.sqrt(sum(s * (1 - s) / (m + 2) for s, m in zip(added, n, strict=True)))
    p = student_p(value, error, np.inf)
    centre = added[0] - added[1]
    return Difference(value, se, np.inf, np.nan, won, tied, lost, p, False, centre, float(width))


def _shares(counts: NDArray[np.int64]) -> tuple[float, float, float]:
    """Shares of games won, tied, lost, from their differences."""
    middle, n = len(counts) // 2, int(counts.sum())
    won, tied = int(counts[middle + 1 :].sum()), int(counts[middle])
    return won / n, tied / n, (n - won - tied) / n


def chances_to_win(one: NDArray, other: NDArray) -> tuple[float, float, float]:
    """Of winning, tying, losing, for two independent totals with these chances."""
    size = max(len(one), len(other))
    p, q = (np.pad(x, (0, size - len(x))) for x in (one, other))
    below = np.cumsum(q) - q
    won, tied = float(p @ below), float(p @ q)
    return won, tied, max(1 - won - tied, 0.0)


def _counts(tally: Tally, metric: str) -> NDArray[np.int64]:
    if metric == "mean":
        return tally.total
    return tally.bonuses if metric == "yahtzee_bonuses" else tally.paid


def _successes(tally: Tally, metric: str, rules: Rules) -> int:
    if metric == "p_upper_bonus":
        return tally.upper_bonuses(rules)
    if metric == "p_yahtzee":
        return tally.fifties
    return int(tally.total[int(metric.removeprefix("p_")) :].sum())


def _mcnemar(first: int, second: int) -> float:
    """The exact p-value of McNemar's test: whether those that differ fall either way alike."""
    from scipy.special import bdtr

    differ = first + second
    if differ == 0:
        return 1.0
    return float(min(2 * bdtr(min(first, second), differ, 0.5), 1.0))


# --- several pairs ----------------------------------------------------------------------------


def holm(p: Sequence[float]) -> NDArray[np.float64]:
    """p-values adjusted for their number, by Holm's method; NaN counts and stays."""
    values = np.asarray(p, float)
    order = np.argsort(np.where(np.isnan(values), 2.0, values), kind="stable")
    factors = len(values) - np.arange(len(values))
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1.0)
    return adjusted


def games_for(se: float, n: float, gap: float, level: float) -> float:
    """The games that show a gap, in `POWER` of all runs, if n games have this error."""
    return float(np.ceil(n * (_seen(level) * se / gap) ** 2))


def smallest_shown(se: float, level: float) -> float:
    """The smallest difference that such an error lets show in `POWER` of all runs."""
    return _seen(level) * se


def _seen(level: float) -> float:
    from scipy.special import ndtri

    return normal_quantile(level) + float(ndtri(POWER))


def chance_of_best(means: NDArray[np.float64], covariance: NDArray[np.float64]) -> NDArray:
    """The chance of each strategy to be the best, ties shared.

    From `BEST_DRAWS` seeded draws of the normal with these means and the covariance of them.
    """
    variance = np.diag(covariance)
    apart = variance[:, None] + variance[None, :] - 2 * covariance
    same = (apart <= 1e-12 * variance.max(initial=0.0)) & (means[:, None] == means[None, :])
    first = same.argmax(axis=1)  # identical players are drawn once, and share
    drawn, back = np.unique(first, return_inverse=True)
    draws = np.random.default_rng(0).multivariate_normal(
        means[drawn],
        covariance[np.ix_(drawn, drawn)],
        size=BEST_DRAWS,
        method="eigh",
        check_valid="ignore",
    )
    best = np.bincount(draws.argmax(axis=1), minlength=len(drawn)) / BEST_DRAWS
    return (best / np.bincount(back))[back]
