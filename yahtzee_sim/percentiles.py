"""`percentile` and `games_needed`: is a score good, and when does skill show?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.batches import check_games, check_seed, check_workers
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.evaluation import evaluate, is_stationary
from yahtzee_sim.registry import strategy as to_strategy
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.simulation import simulate
from yahtzee_sim.statistics import LEVEL, check_level, normal_quantile
from yahtzee_sim.strategy_types import AnyStrategy

GAMES = 100_000
_KNOWN: dict[tuple[AnyStrategy, tuple, int, int], NDArray[np.float64]] = {}
_KEPT = 16


def chances_of_totals(
    player: AnyStrategy,
    rules: Rules,
    *,
    games: int = GAMES,
    seed: int = 0,
    workers: Any = -1,
    progress: bool | None = None,
) -> NDArray[np.float64]:
    """(maximum + 1,): the chance of every total; exact for a stationary strategy, else the shares
    of games. The last few are remembered."""
    exact = is_stationary(player, rules)
    key = player, rules.key, 0 if exact else games, 0 if exact else seed
    found = _KNOWN.pop(key, None)
    if found is None and exact:
        found = evaluate(player, rules, workers=workers, progress=progress).chances.total
        assert found is not None
    elif found is None:
        played = simulate(
            player,
            games,
            rules=rules,
            seed=seed,
            workers=workers,
            store="summary",
            progress=progress,
        )
        found = played.tally.total / played.n
    _KNOWN[key] = found
    while len(_KNOWN) > _KEPT:
        del _KNOWN[next(iter(_KNOWN))]
    return found


def percentile(
    total: Any,
    against: object = "optimal",
    *,
    rules: str | Rules = "official",
    games: int = GAMES,
    seed: int = 0,
    workers: Any = -1,
    progress: bool | None = None,
) -> Any:
    """Where a total lies among those of a strategy: P(X < t) + P(X = t) / 2, in percent.

    Parameters
    ----------
    total : int or sequence of int
    against : str, class or strategy
    rules : str or Rules
    games, seed : int
        Played by a strategy that cannot be evaluated exactly.
    workers, progress
        As in `yahtzee_sim.evaluate`.

    Returns
    -------
    float, or array of float
        0 to 100.

    Examples
    --------
    >>> round(percentile(200), 1), round(percentile(250), 1), round(percentile(300), 1)
    (14.0, 52.1, 85.8)
    """
    player, which = to_strategy(against), to_rules(rules)
    check_workers(workers)
    games, seed = check_games(games), check_seed(seed)
    several = np.asarray(total)
    if several.dtype.kind not in "iu" or several.ndim > 1:
        raise YahtzeeError(f"a total is a whole number of points, not {total!r}")
    chances = chances_of_totals(
        player, which, games=games, seed=seed, workers=workers, progress=progress
    )
    half = np.concatenate([[0.0], np.cumsum(chances) - chances / 2, [1.0]])
    found = 100 * half[np.clip(several + 1, 0, len(half) - 1)]
    return float(found) if found.ndim == 0 else found


def games_needed(
    a: object,
    b: object = None,
    *,
    rules: str | Rules = "official",
    power: float = 0.8,
    level: float = LEVEL,
    workers: Any = -1,
    progress: bool | None = None,
) -> int:
    """How many games each of two players must play before their means tell them apart.

    Games of their own, not the same dice: what it takes at a real table. The number is that of a
    two-sided test at `level`, which finds the gap in a share `power` of all cases.

    Parameters
    ----------
    a, b : str, class or strategy
        The two players; or `a` is a gap in points, between two who play about like `optimal`.
    rules : str or Rules
    power, level : float
    workers, progress
        As in `yahtzee_sim.evaluate`.

    Returns
    -------
    int
        Games a side.

    Examples
    --------
    >>> games_needed(10), games_needed(1)
    (558, 55776)
    """
    which = to_rules(rules)
    check_level(level)
    check_workers(workers)
    if isinstance(power, bool) or not isinstance(power, int | float) or not 0.5 <= power < 1:
        raise YahtzeeError(f"power lies between 0.5 and 1, such as 0.8, not {power!r}")
    number = isinstance(a, int | float) and not isinstance(a, bool)
    if number != (b is None):
        raise YahtzeeError("games_needed takes two strategies, or a gap in points alone")

    def moments(spec: object) -> tuple[float, float]:
        chances = chances_of_totals(to_strategy(spec), which, workers=workers, progress=progress)
        values = np.arange(len(chances))
        mean = float(chances @ values)
        return mean, float(chances @ (values - mean) ** 2)

    same = YahtzeeError("the two have the same mean: no number of games tells them apart")
    if number:
        gap = float(a)  # type: ignore[arg-type]
        if not np.isfinite(gap):
            raise YahtzeeError(f"a gap is a number of points, not {a!r}")
        if gap == 0:
            raise same
        variance = 2 * moments("optimal")[1]
    else:
        (mean_a, var_a), (mean_b, var_b) = moments(a), moments(b)
        gap, variance = mean_a - mean_b, var_a + var_b
    if gap == 0:
        raise same
    from scipy.special import ndtri

    seen = normal_quantile(level) + float(ndtri(power))
    return max(int(np.ceil(variance * (seen / gap) ** 2)), 1)
