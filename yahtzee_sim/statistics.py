"""Estimates with their errors, from histograms of whole numbers.

A histogram is an array of counts: index the value, or the value less `lowest`. Each function
gives an `Estimate`: value, standard error, interval, n. Knows nothing of Yahtzee.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.errors import YahtzeeError

LEVEL = 0.95


class Estimate(NamedTuple):
    """A figure, its standard error, its interval, and how many games it rests on."""

    value: float
    se: float
    low: float
    high: float
    n: float

    @classmethod
    def exact(cls, value: float) -> Estimate:
        """A figure that is no estimate."""
        return cls(value, 0.0, value, value, np.nan)


def check_level(level: float) -> None:
    """Refuse a confidence level that is none."""
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise YahtzeeError(f"a level lies between 0 and 1, such as 0.95, not {level!r}")


def moments(counts: NDArray[np.int64]) -> tuple[int, float, float, float]:
    """n, mean, and the second and fourth central moments (dividing by n) of a histogram."""
    n = int(counts.sum())
    if n == 0:
        return 0, np.nan, np.nan, np.nan
    values = np.arange(len(counts), dtype=float)
    mean = float(counts @ values) / n
    deviation = values - mean
    second = float(counts @ deviation**2) / n
    fourth = float(counts @ deviation**4) / n
    return n, mean, second, fourth


def mean(counts: NDArray[np.int64], level: float = LEVEL) -> Estimate:
    """The mean, with its Student t interval."""
    n, value, second, _ = moments(counts)
    return _student(value, second * n, n, level)


def mean_of_sums(total: float, squares: float, n: int, level: float = LEVEL) -> Estimate:
    """The mean of n numbers, from their sum and that of their squares."""
    value = total / n
    return _student(value, max(squares - total * value, 0.0), n, level)


def _student(value: float, deviations: float, n: int, level: float) -> Estimate:
    """A mean with its Student t interval, from the sum of the squared deviations."""
    if n < 2:
        return Estimate(value, np.nan, np.nan, np.nan, n)
    from scipy.special import stdtrit

    se = float(np.sqrt(deviations / n / (n - 1)))
    half = float(stdtrit(n - 1, (1 + level) / 2)) * se
    return Estimate(value, se, value - half, value + half, n)


def standard_deviation(counts: NDArray[np.int64], level: float = LEVEL) -> Estimate:
    """The standard deviation of one game, its error from the fourth moment.

    The textbook s / sqrt(2 n) holds for normal totals only; theirs have a heavy right tail.
    """
    n, _, second, fourth = moments(counts)
    if n < 2:
        return Estimate(np.nan, np.nan, np.nan, np.nan, n)
    variance = second * n / (n - 1)
    s = float(np.sqrt(variance))
    if s == 0:
        return Estimate(0.0, 0.0, 0.0, 0.0, n)
    if fourth <= variance**2:  # too few games to know
        return Estimate(s, np.nan, np.nan, np.nan, n)
    se = float(np.sqrt((fourth - variance**2) / n)) / (2 * s)
    half = normal_quantile(level) * se
    return Estimate(s, se, max(s - half, 0.0), s + half, n)


def proportion(successes: int, n: int, level: float = LEVEL) -> Estimate:
    """A share of games, with the Wilson score interval."""
    if n == 0:
        return Estimate(np.nan, np.nan, np.nan, np.nan, 0)
    z = normal_quantile(level)
    p = successes / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    low = 0.0 if successes == 0 else max(float(centre - half), 0.0)
    high = 1.0 if successes == n else min(float(centre + half), 1.0)
    return Estimate(p, float(np.sqrt(p * (1 - p) / n)), low, high, n)


def quantile(
    counts: NDArray[np.int64], q: float, lowest: int, highest: int, level: float = LEVEL
) -> Estimate:
    """The smallest value t with F(t) >= q; its interval is [X(l), X(u + 1)].

    l and u are the lower and upper points of Binomial(n, q), X the ordered sample; X(0) is the
    lowest value there can be, X(n + 1) the highest. There is no standard error.
    """
    n = int(counts.sum())
    if n == 0:
        return Estimate(np.nan, np.nan, np.nan, np.nan, 0)
    from scipy.stats import binom

    cumulative = np.cumsum(counts)

    def ordered(k: int) -> float:
        if k < 1:
            return float(lowest)
        return float(highest if k > n else np.searchsorted(cumulative, k))

    # the smallest count k with k/n >= q; the nudge undoes the rounding of q * n alone
    k = max(int(np.ceil(q * n * (1 - 1e-15) - 1e-9)), 1)
    low, high = binom.ppf([(1 - level) / 2, (1 + level) / 2], n, q)
    return Estimate(ordered(k), np.nan, ordered(int(low)), ordered(int(high) + 1), n)


def normal_quantile(level: float) -> float:
    """The two-sided point of the normal."""
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))
