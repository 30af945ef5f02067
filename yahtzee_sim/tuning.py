"""`tune` and `sweep`: the parameters of a strategy, searched and laid out.

A stationary strategy is tuned against exact figures. Its mean is the optimal one less what its
decisions cost on every card times the chance of the card, so a search needs no games and no whole
evaluation at each step: it looks at the decisions on a fixed sample of cards, drawn by their
chance under the best parameters so far, and every parameter set it ends on is evaluated exactly,
which also gives the next sample. A strategy that cannot be evaluated plays the same games, on the
same dice, with every parameter set; the final figure is on fresh dice.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import yahtzee_sim
from yahtzee_sim.asking import worth_by_code
from yahtzee_sim.batches import check_games, check_seed, check_workers, pool
from yahtzee_sim.decisions import Rows
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.evaluation import chances_of, evaluate, is_stationary
from yahtzee_sim.expectimax import WIDTH, Stages
from yahtzee_sim.progress import Progress
from yahtzee_sim.registry import strategy as to_strategy
from yahtzee_sim.results import Table
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.simulation import play_games
from yahtzee_sim.solutions import reckoner_of, solve
from yahtzee_sim.specs import unknown, whole
from yahtzee_sim.statistics import Estimate
from yahtzee_sim.strategy_types import AnyStrategy, LookaheadStrategy

METHODS = ("powell", "nelder-mead", "differential-evolution")
FRESH = 4
"""Times as many games as in a step give the final figure on fresh dice."""


# --- what is searched -------------------------------------------------------------------------


@dataclass(frozen=True)
class _Axis:
    """One parameter: numbers between bounds, or one of several choices. The search moves between
    0 and 1."""

    name: str
    low: float = 0.0
    high: float = 1.0
    choices: tuple[Any, ...] = ()
    is_whole: bool = False

    @property
    def steps(self) -> int | None:
        """The last step of an axis of steps; None if it is continuous."""
        if self.choices:
            return len(self.choices) - 1
        return round(self.high - self.low) if self.is_whole else None

    def value(self, x: float) -> Any:
        x = min(max(float(x), 0.0), 1.0)
        steps = self.steps
        if steps is None:
            return self.low + x * (self.high - self.low)
        step = min(round(x * steps), steps)
        return self.choices[step] if self.choices else int(self.low) + step

    def place(self, value: Any) -> float:
        """Where a value lies; the nearest place for one outside."""
        if self.choices:
            at = self.choices.index(value) if value in self.choices else 0
            return at / max(len(self.choices) - 1, 1)
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


def _axes(player: AnyStrategy, parameters: Mapping[str, Any]) -> list[_Axis]:
    if not isinstance(parameters, Mapping) or not parameters:
        raise YahtzeeError(
            "parameters is a mapping of fields to bounds, (low, high), or a list of choices, such "
            "as {'dice': (2.0, 3.0)}"
        )
    known = {f.name for f in fields(player)}
    axes = []
    for name, allowed in parameters.items():
        if name not in known:
            if not known:
                raise YahtzeeError(f"{player.label} has no parameters to tune")
            raise YahtzeeError(f"{player.name}: {unknown('field', name, known)}")
        axes.append(_axis(name, allowed, getattr(player, name)))
    return axes


def _axis(name: str, allowed: Any, now: Any) -> _Axis:
    if isinstance(allowed, tuple):
        numbers = [v for v in allowed if isinstance(v, int | float) and not isinstance(v, bool)]
        if len(allowed) != 2 or len(numbers) != 2 or not -np.inf < allowed[0] < allowed[1] < np.inf:
            raise YahtzeeError(
                f"{name}: bounds are two numbers, (low, high) with low below high, not "
                f"{allowed!r}; choices are a list"
            )
        if isinstance(now, bool) or not isinstance(now, int | float):
            raise YahtzeeError(f"{name} is {now!r}, no number; give a list of choices")
        is_whole = isinstance(now, int)
        if is_whole and any(whole(v) is None for v in allowed):
            raise YahtzeeError(f"{name} is a whole number; its bounds are too, not {allowed!r}")
        return _Axis(name, float(allowed[0]), float(allowed[1]), is_whole=is_whole)
    choices = _values(name, allowed)
    return _Axis(name, choices=tuple(choices))


def _values(name: str, allowed: Any) -> list[Any]:
    if isinstance(allowed, str) or not isinstance(allowed, Iterable):
        raise YahtzeeError(f"{name}: give a list of values, not {allowed!r}")
    values = [v.item() if isinstance(v, np.generic) else v for v in allowed]
    if not values:
        raise YahtzeeError(f"{name}: give at least one value")
    return values


# --- objectives -------------------------------------------------------------------------------


class _Sample:
    """The points that a strategy loses, on a sample of cards that stands for all.

    Parameters
    ----------
    rules : Rules
    visits : (2^21,) float64
        The chance of every card under the strategy that the sample is drawn from.
    cards : int
        About how many.
    """

    def __init__(self, rules: Rules, visits: NDArray[np.float64], cards: int):
        self._rules = rules
        codes, weight = _systematic(visits, cards)
        reckoner = reckoner_of(rules)
        self._parts: list[tuple[NDArray[np.int64], NDArray[np.float64], Stages]] = []
        for i in range(0, len(codes), WIDTH):
            part = codes[i : i + WIDTH]
            stages = reckoner.turns.stages(part, reckoner.with_bonus)
            self._parts.append((part, weight[i : i + WIDTH], stages))

    def __call__(self, player: AnyStrategy) -> float:
        reckoner, lost = reckoner_of(self._rules), 0.0
        decide: Callable[[NDArray[np.int64]], NDArray[np.uint8]]
        if isinstance(player, LookaheadStrategy):  # without a table: half the time
            worth = worth_by_code(player, self._rules)
            decide = partial(reckoner.turns.decisions, with_bonus=reckoner.turns.with_bonus(worth))
        else:
            decide = Rows(player, self._rules).decisions
        for codes, weight, stages in self._parts:
            decided = decide(codes)
            costs = reckoner.costs(codes, decided, stages)
            costs *= reckoner.chances(decided)
            lost += float(costs.sum(axis=(0, 1)) @ weight)
        return lost


def _systematic(
    visits: NDArray[np.float64], cards: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Codes and weights of a sample: likely cards are all in it, others by their chance, at equal
    steps through the codes."""
    codes = np.flatnonzero(visits)
    chance = visits[codes]
    share = np.minimum(chance * (cards / chance.sum()), 1.0)
    for _ in range(20):
        free = share < 1
        room = cards - np.count_nonzero(~free)
        if room <= 0 or not free.any():
            break
        share[free] = np.minimum(chance[free] * (room / chance[free].sum()), 1.0)
    reached = np.floor(np.cumsum(share) + 0.5)
    taken = np.diff(reached, prepend=0.0) > 0
    weight = chance[taken] / share[taken]
    return codes[taken], weight * (chance.sum() / weight.sum())


class _Spent(Exception):
    """The budget of a search is used up."""


def _search(
    objective: Callable[[NDArray], float],
    axes: list[_Axis],
    start: NDArray[np.float64],
    method: str,
    budget: int,
    seed: int,
) -> None:
    """Let an optimiser ask the objective, at most `budget` times."""
    from scipy import optimize

    left, failed = budget, None

    def asked(x: NDArray) -> float:
        nonlocal left, failed
        if left == 0:
            raise _Spent
        left -= 1
        try:
            return objective(np.clip(x, 0.0, 1.0))
        except YahtzeeError as error:  # an optimiser would hide it
            failed = error
            raise _Spent from None

    bounds = [(0.0, 1.0)] * len(axes)
    try:
        if method == "differential-evolution":
            size = max(min(budget // 8, 15 * len(axes)), 5)
            optimize.differential_evolution(
                asked,
                bounds,
                x0=start,
                popsize=max(size // len(axes), 1),
                maxiter=budget,
                tol=0,
                polish=False,
                rng=seed,
            )
        else:
            scale = {"xtol": 1e-3, "ftol": 1e-6} if method == "powell" else {"adaptive": True}
            optimize.minimize(
                asked, start, method=method, bounds=bounds, options={"maxfev": budget, **scale}
            )
    except _Spent:
        if failed is not None:
            raise failed from None


# --- the verbs --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Tuning:
    """What `tune` found.

    Attributes
    ----------
    best, start : strategy
        With the best parameters, and with those it began with.
    figure, start_figure : Estimate
        The mean of each: exact, or on fresh dice (the same for both).
    tried : Table
        A row a step: the parameters, `lost` (points against optimal play on the sample of cards)
        or `mean` (of games), and `how` it was found: ``sample``, ``exact``, ``games``.
    """

    best: AnyStrategy
    start: AnyStrategy
    figure: Estimate
    start_figure: Estimate
    tried: Table
    rules: Rules
    parameters: dict[str, Any]

    @property
    def mean(self) -> float:
        """The mean with the best parameters."""
        return self.figure.value

    @property
    def caption(self) -> str:
        """One line that says what was found."""
        error = f" (se {self.figure.se:.3f}, fresh dice)" if self.figure.se else " (exact)"
        return (
            f"{self.start.label}: mean {self.start_figure.value:.4f} -> {self.figure.value:.4f}"
            f"{error} in {len(self.tried):,} steps, rules {self.rules.name}, "
            f"yahtzee-sim {yahtzee_sim.__version__}"
        )

    def __repr__(self) -> str:
        found = "\n".join(f"  {name} = {value!r}" for name, value in self.parameters.items())
        return f"{self.caption}\n{found}"

    def _repr_html_(self) -> str:
        import html

        found = pd.Series(self.parameters, name="best").to_frame().to_html()
        return f"<p>{html.escape(self.caption)}</p>{found}"


def tune(
    strategy: object,
    parameters: Mapping[str, Any],
    *,
    rules: str | Rules = "official",
    method: str | None = None,
    steps: int | None = None,
    rounds: int = 3,
    cards: int = 1_500,
    games: int = 20_000,
    seed: int = 0,
    workers: Any = -1,
    progress: bool | None = None,
) -> Tuning:
    """Find the parameters with the highest mean.

    Parameters
    ----------
    strategy : str, class or strategy
        The search begins at its parameters.
    parameters : mapping
        Of fields to bounds, a tuple ``(low, high)``, or to a list of choices.
    rules : str or Rules
    method : {"powell", "nelder-mead", "differential-evolution"}, optional
        An optimiser of scipy. By default Powell's for numbers, and differential evolution where
        there are choices or whole numbers.
    steps : int, optional
        Parameter sets tried in each round; by default 40 for each field.
    rounds : int
        A stationary strategy is evaluated exactly between rounds; the search ends when a round
        brings nothing.
    cards : int
        Size of the sample of cards that steps are judged by.
    games : int
        Played in a step, by a strategy that cannot be evaluated; four times as many, of other
        dice, give the final figure.
    seed : int
        Of games, and of differential evolution. The same seed finds the same.
    workers, progress
        As in `yahtzee_sim.evaluate`.

    Returns
    -------
    Tuning

    Raises
    ------
    YahtzeeError, StrategyError
        For fields, bounds or choices that cannot be.

    Examples
    --------
    >>> tune("par", {"weight": (0.0, 2.0)}, steps=20)  # doctest: +SKIP
    """
    player, which = to_strategy(strategy), to_rules(rules)
    axes = _axes(player, parameters)
    check_workers(workers)
    stationary = is_stationary(player, which)
    only_numbers = all(axis.steps is None for axis in axes)
    method = method or ("powell" if only_numbers else "differential-evolution")
    if method not in METHODS:
        raise YahtzeeError(unknown("method", method, METHODS))
    sizes = {"steps": 40 * len(axes) if steps is None else steps, "rounds": rounds, "cards": cards}
    for name, size in sizes.items():
        check_games(size, name)
    games, seed = check_games(games), check_seed(seed)
    search = _Search(player, which, axes, method, int(sizes["steps"]), seed, workers, progress)
    return search.exact(rounds, cards) if stationary else search.on_dice(games)


class _Search:
    """One call of `tune`."""

    def __init__(
        self,
        player: AnyStrategy,
        rules: Rules,
        axes: list[_Axis],
        method: str,
        steps: int,
        seed: int,
        workers: Any,
        progress: bool | None,
    ):
        self.start, self.rules, self.axes = player, rules, axes
        self.method, self.steps, self.seed = method, steps, seed
        self.workers, self.progress = workers, progress
        self.tried: list[dict[str, Any]] = []

    def note(self, values: dict[str, Any], found: dict[str, Any]) -> None:
        taken = ("lost", "mean", "how")
        shown = {_column(name, taken): _plain(value) for name, value in values.items()}
        self.tried.append(shown | found)

    def at(self, x: NDArray) -> dict[str, Any]:
        return {axis.name: axis.value(v) for axis, v in zip(self.axes, x, strict=True)}

    def best_of(
        self, score: Callable[[AnyStrategy], float], start: AnyStrategy, column: str, how: str
    ) -> AnyStrategy:
        """The strategy with the lowest score that a search from `start` comes by."""
        known: dict[AnyStrategy, float] = {}
        where = np.array([axis.place(getattr(start, axis.name)) for axis in self.axes])
        with Progress(self.steps, "steps", f"tuning {start.name}", self.progress) as bar:

            def objective(x: NDArray) -> float:
                values = self.at(x)
                candidate = to_strategy(start, **values)
                if candidate not in known:
                    known[candidate] = score(candidate)
                    shown = known[candidate] if column == "lost" else -known[candidate]
                    self.note(values, {column: shown, "how": how})
                bar.add(1)
                return known[candidate]

            objective(where)
            _search(objective, self.axes, where, self.method, self.steps, self.seed)
        return min(known, key=known.__getitem__)

    def evaluated(self, player: AnyStrategy) -> tuple[float, NDArray[np.float64]]:
        """The exact mean, and the chance of every card."""
        visits = np.zeros(len(solve(self.rules, progress=self.progress).worth))
        with Progress(13, "rounds", f"evaluating {player.name}", self.progress) as bar:
            mean = chances_of(player, self.rules, self.workers, bar, visits=visits).mean
        values = {axis.name: getattr(player, axis.name) for axis in self.axes}
        self.note(values, {"mean": mean, "how": "exact"})
        return mean, visits

    def exact(self, rounds: int, cards: int) -> Tuning:
        best = self.start
        first, visits = mean, _ = self.evaluated(best)
        for _ in range(rounds):
            sample = _Sample(self.rules, visits, cards)
            candidate = self.best_of(sample, best, "lost", "sample")
            if candidate == best:
                break
            found, more = self.evaluated(candidate)
            if found <= mean:
                break
            best, mean, visits = candidate, found, more
        return self.result(best, Estimate.exact(mean), Estimate.exact(first))

    def on_dice(self, games: int) -> Tuning:
        with pool(self.workers, games) as (executor, n):

            def play(player: AnyStrategy, seed: int, games: int) -> Any:
                with Progress(games, "games", show=False) as bar:
                    return play_games(
                        player,
                        player.label,
                        games,
                        self.rules,
                        seed,
                        0,
                        executor,
                        n,
                        "summary",
                        bar,
                    )

            def score(player: AnyStrategy) -> float:
                return -float(play(player, self.seed, games).summary().loc["mean", "value"])

            best = self.best_of(score, self.start, "mean", "games")
            fresh = (self.seed + 1) % 2**64
            figures = [
                Estimate(*play(p, fresh, FRESH * games).summary().loc["mean"].tolist())
                for p in (best, self.start)
            ]
        return self.result(best, *figures)

    def result(self, best: AnyStrategy, figure: Estimate, first: Estimate) -> Tuning:
        tried = Table(self.tried, index=pd.RangeIndex(1, len(self.tried) + 1, name="step"))
        last = [c for c in ("lost", "mean", "how") if c in tried.columns]
        tried = tried[[c for c in tried.columns if c not in last] + last]
        found = {axis.name: getattr(best, axis.name) for axis in self.axes}
        tuning = Tuning(best, self.start, figure, first, tried, self.rules, found)
        tried.attrs["caption"] = tuning.caption
        return tuning


def _column(name: str, taken: Iterable[str]) -> str:
    """The column for a field, apart from those of figures."""
    return f"{name}_" if name in taken else name


def _plain(value: Any) -> Any:
    """What a frame shows for a parameter: a strategy by its label."""
    return value.label if isinstance(value, AnyStrategy) else value


SWEPT = ("mean", "p_upper_bonus", "p_yahtzee", "yahtzee_bonuses")


def sweep(
    strategy: object,
    parameters: Mapping[str, Iterable[Any]],
    *,
    rules: str | Rules = "official",
    games: int | None = None,
    seed: int = 0,
    workers: Any = -1,
    progress: bool | None = None,
) -> Table:
    """The mean at every point of a grid of parameters.

    Parameters
    ----------
    strategy : str, class or strategy
    parameters : mapping
        Of fields to lists of values.
    rules : str or Rules
    games : int, optional
        Play so many games, on the same dice, at every point. By default a strategy that depends
        on the card and the dice alone is evaluated exactly, and any other plays 100,000.
    seed : int
    workers, progress
        As in `yahtzee_sim.evaluate`.

    Returns
    -------
    Table
        Tidy, a row a point: the fields; `mean`, with `mean_se`, `mean_low`, `mean_high`;
        `p_upper_bonus`, `p_yahtzee`, `yahtzee_bonuses`; n.
    """
    player, which = to_strategy(strategy), to_rules(rules)
    if not isinstance(parameters, Mapping) or not parameters:
        raise YahtzeeError(
            "parameters is a mapping of fields to lists of values, such as {'dice': [2.5, 3.0]}"
        )
    check_workers(workers)
    seed = check_seed(seed)
    values = {name: _values(name, allowed) for name, allowed in parameters.items()}
    points = [dict(zip(values, p, strict=True)) for p in itertools.product(*values.values())]
    players = [to_strategy(player, **point) for point in points]
    exact = games is None and all(is_stationary(p, which) for p in players)
    n = 0 if exact else check_games(100_000 if games is None else games)
    rows = []
    with Progress(len(points), "points", f"sweeping {player.name}", progress) as bar:
        for point, one in zip(points, players, strict=True):
            if exact:
                summary = evaluate(
                    one, which, only="mean", workers=workers, progress=False
                ).summary()
            else:
                summary = _played(one, which, n, seed, workers)
            mean = summary.loc["mean"]
            others = {name: float(summary.loc[name, "value"]) for name in SWEPT[1:]}
            figures = {"mean": float(mean["value"])}
            figures |= {f"mean_{c}": float(mean[c]) for c in ("se", "low", "high")}
            figures |= others | {"n": mean["n"]}
            shown = {_column(name, figures): _plain(value) for name, value in point.items()}
            rows.append(shown | figures)
            bar.add(1)
    frame = Table(rows)
    how = "exact" if exact else f"{n:,} games each on the same dice, seed {seed}"
    frame.attrs["caption"] = (
        f"{player.label}: {', '.join(values)} swept, {how}, rules {which.name}, "
        f"yahtzee-sim {yahtzee_sim.__version__}"
    )
    return frame


def _played(player: AnyStrategy, rules: Rules, games: int, seed: int, workers: Any) -> Table:
    with pool(workers, games) as (executor, n), Progress(games, "games", show=False) as bar:
        return play_games(
            player, player.label, games, rules, seed, 0, executor, n, "summary", bar
        ).summary()
