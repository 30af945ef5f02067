"""`evaluate`: what a strategy brings, to the last digit, without playing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import yahtzee_sim
from yahtzee_sim.batches import check_workers, pool, run, shared_table, worker_count
from yahtzee_sim.categories import COLUMNS, Category
from yahtzee_sim.decisions import is_tabulated, rows_of
from yahtzee_sim.errors import StrategyError, YahtzeeError
from yahtzee_sim.policy import Chances, Outcomes, turn_chances, walk
from yahtzee_sim.progress import Progress
from yahtzee_sim.registry import strategy as to_strategy
from yahtzee_sim.results import (
    AT_LEAST,
    MINIMUM,
    QUANTILES,
    Table,
    check_extras,
    quantile_name,
    readable,
    table,
)
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.scoring import scoring
from yahtzee_sim.sharing import Handle, cores
from yahtzee_sim.specs import unknown
from yahtzee_sim.statistics import Estimate
from yahtzee_sim.strategy_types import BEYOND_THE_CARD, AnyStrategy, SingleGameStrategy

_WHY = {
    "luck": "its decisions are drawn",
    "total": "its decisions depend on the points so far",
    "rivals": "its decisions depend on the other players",
}


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """The exact result of a strategy, in the frames of a simulated one.

    Attributes
    ----------
    label : str
        The strategy with its parameters.
    rules : Rules
    chances : Chances
        What every figure is read from.
    made : dict
        Versions, time taken.
    """

    label: str
    rules: Rules
    chances: Chances
    made: dict[str, Any] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        """The expected total."""
        return self.chances.mean

    @property
    def caption(self) -> str:
        """One line that says what the numbers rest on."""
        return (
            f"{self.label}: exact, rules {self.rules.name}, "
            f"yahtzee-sim {self.made.get('version', '?')}"
        )

    def summary(self, *, at_least: Iterable[int] = (), quantiles: Iterable[float] = ()) -> Table:
        """The figures of a simulation's `summary`: se 0, low = high = value, n missing.

        After ``only="mean"`` those that need the distribution of the total are left out.
        """
        at_least, quantiles = check_extras(at_least, quantiles)
        chances = self.chances
        p_fifty = float(chances.points[Category.YAHTZEE][50])
        rows: dict[str, float] = {"mean": chances.mean}
        if chances.total is not None:
            reached = np.flatnonzero(chances.total)
            deviation = np.arange(len(chances.total)) - chances.mean
            rows |= {
                "sd": float(np.sqrt(chances.total @ deviation**2)),
                "median": self._quantile(0.5),
                **{f"q{round(100 * q):02d}": self._quantile(q) for q in QUANTILES},
                "min": float(reached[0]),
                "max": float(reached[-1]),
            }
        rows |= {
            "p_upper_bonus": float(chances.upper[self.rules.upper_bonus_threshold :].sum()),
            "p_yahtzee": p_fifty,
            "yahtzee_bonuses": chances.mean_bonuses,
            "yahtzees_paid": p_fifty + chances.mean_bonuses,
            "yahtzees_rolled": chances.mean_rolled,
        }
        if chances.total is not None:
            rows |= {f"p_{t}": float(chances.total[t:].sum()) for t in AT_LEAST}
            rows |= {quantile_name(q): self._quantile(q) for q in quantiles}
            rows |= {f"p_{t}": float(chances.total[max(t, 0) :].sum()) for t in at_least}
        elif at_least or quantiles:
            raise YahtzeeError("the distribution was not asked for; evaluate without only='mean'")
        estimates = {name: Estimate.exact(value) for name, value in rows.items()}
        return table(estimates, "metric", self.caption)

    def categories(self) -> Table:
        """Each box: mean points, their sd, how often it is zeroed, when it is filled.

        Returns
        -------
        Table
            The columns of a simulation's `categories`, with errors of 0.
        """
        rows = {}
        for column, points, rounds in zip(
            COLUMNS, self.chances.points, self.chances.rounds, strict=True
        ):
            values = np.arange(len(points))
            mean = float(points @ values)
            figures = {
                "mean": mean,
                "sd": float(np.sqrt(points @ (values - mean) ** 2)),
                "zero_rate": float(points[0]),
                "mean_round": float(rounds @ np.arange(1, 14)),
            }
            row: dict[str, float] = {}
            for name, value in figures.items():
                row |= {name: value, f"{name}_se": 0.0, f"{name}_low": value, f"{name}_high": value}
            rows[column] = row | {"n": np.nan}
        frame = Table.from_dict(rows, orient="index")
        frame.index.name = "category"
        frame.attrs["caption"] = self.caption
        return frame

    def rounds(self) -> Table:
        """(13 categories, 13 rounds): the chance that a box is filled in a round."""
        frame = Table(
            self.chances.rounds,
            index=pd.Index(COLUMNS, name="category"),
            columns=pd.RangeIndex(1, 14, name="round"),
        )
        frame.attrs["caption"] = self.caption
        return frame

    def distribution(self) -> pd.Series:
        """The probability of every total from 5 to the highest that the rules allow."""
        index = pd.RangeIndex(MINIMUM, self.rules.maximum + 1, name="total")
        series = pd.Series(self._total[MINIMUM:], index=index, name="probability")
        series.attrs["caption"] = self.caption
        return series

    @property
    def _total(self) -> NDArray[np.float64]:
        if self.chances.total is None:
            raise YahtzeeError("the distribution was not asked for; evaluate without only='mean'")
        return self.chances.total

    @cached_property
    def _cumulative(self) -> NDArray[np.float64]:
        return np.cumsum(self._total)

    def _quantile(self, q: float) -> float:
        """The smallest total t with F(t) >= q; the nudge is the rounding of F."""
        return float(np.searchsorted(self._cumulative, q - 1e-12))

    def __repr__(self) -> str:
        return f"{self.caption}\n{readable(self.summary()[['value']], digits=9)}"

    def _repr_html_(self) -> str:
        import html

        shown = self.summary()[["value"]].to_html(float_format=lambda x: f"{x:.9g}")
        return f"<p>{html.escape(self.caption)}</p>{shown}"


def evaluate(
    strategy: object,
    rules: str | Rules = "official",
    *,
    only: str | None = None,
    workers: Any = -1,
    progress: bool | None = None,
) -> Evaluation:
    """The exact result of a strategy whose decisions depend on the card and the dice alone.

    Parameters
    ----------
    strategy : str, class or strategy
        See `yahtzee_sim.strategy`.
    rules : str or Rules
    only : {None, "mean"}
        ``"mean"`` leaves the distribution of the total out, and is much quicker.
    workers : int, Executor or Dask client
        As in `yahtzee_sim.simulate`; -1 is all cores. Where few cards are to be worked out, no
        other process is started.
    progress : bool, optional
        Show a bar; by default on a terminal or in a notebook.

    Returns
    -------
    Evaluation

    Raises
    ------
    StrategyError
        If the strategy sees totals, rivals or luck, or answers what is no legal decision.

    Examples
    --------
    >>> round(evaluate("roll-once", "plain", only="mean").mean, 6)
    45.945256
    """
    player, which = to_strategy(strategy), to_rules(rules)
    check_workers(workers)
    if only not in (None, "mean"):
        raise YahtzeeError(unknown("part of an evaluation", only, ["mean"]))
    if not is_stationary(player, which):
        beyond = sorted(frozenset(player.sees) & BEYOND_THE_CARD)
        why = " and ".join(_WHY[what] for what in beyond)
        raise StrategyError(
            f"{player.label} cannot be evaluated exactly: {why} ({', '.join(beyond)} in its "
            "`sees`), not on the card and the dice alone; simulate it instead"
        )
    started = time.perf_counter()
    with Progress(13, "rounds", f"evaluating {player.label}", progress) as bar:
        chances = chances_of(player, which, workers, bar, only_mean=only == "mean")
    made = {
        "version": yahtzee_sim.__version__,
        "seconds": round(time.perf_counter() - started, 3),
        "cards": chances.cards,
    }
    return Evaluation(player.label, which, chances, made)


def is_stationary(player: AnyStrategy, rules: Rules) -> bool:
    """Whether a strategy's decisions depend on the card and the dice alone."""
    is_tabulated(player, rules)  # refuses what cannot be
    return not frozenset(player.sees) & BEYOND_THE_CARD


@dataclass(frozen=True)
class TurnTask:
    """Cards on which a strategy's turns are to be worked out."""

    strategy: AnyStrategy
    rules: Rules
    codes: NDArray[np.int64]
    shared: Handle | None

    def decisions(self) -> NDArray[np.uint8]:
        """(m, 3, 252): what the strategy does on these cards."""
        return rows_of(self.strategy, self.rules, self.shared).decisions(self.codes)


def work_out_turns(task: TurnTask) -> NDArray[np.float64]:
    """How a strategy's turns on some cards end."""
    tables = scoring(task.rules)
    return turn_chances(task.codes, task.decisions(), tables, Outcomes.of(tables))


MANY_CARDS = 2_000
"""From here on it pays to have other processes work turns out."""


class CardWorkers:
    """Works something out for cards of one strategy, in other processes where there are many.

    Parameters
    ----------
    player, rules
        Whose decisions are needed.
    workers : int, Executor or Dask client
    heavy : bool
        Whether there is much to do besides asking the strategy.
    """

    def __init__(self, player: AnyStrategy, rules: Rules, workers: Any, heavy: bool = False):
        self._player, self._rules, self._workers = player, rules, workers
        self._stack = ExitStack()
        self._lent: tuple[Any, int, Handle | None] | None = None
        small = rows_of(player, rules).is_small
        self._asks_much = heavy or isinstance(player, SingleGameStrategy) or not small

    def __enter__(self) -> CardWorkers:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def run(
        self,
        function: Callable[[Any], Any],
        parts: list[NDArray[np.int64]],
        task: Callable[..., TurnTask] = TurnTask,
    ) -> Iterator[Any]:
        """The results of a function of a task for each part of the cards, in order."""
        many = self._asks_much and sum(map(len, parts)) > MANY_CARDS
        if many and self._lent is None:
            executor, n = self._stack.enter_context(pool(self._workers))
            self._lent = executor, n, shared_table(self._player, self._rules, executor)
        lent = self._lent if many and self._lent else (None, 1, None)
        tasks = (task(self._player, self._rules, codes, lent[2]) for codes in parts)
        return run(function, tasks, lent[0], ahead=4 * lent[1])


def chances_of(
    player: AnyStrategy,
    rules: Rules,
    workers: Any,
    bar: Progress,
    *,
    only_mean: bool = True,
    visits: NDArray[np.float64] | None = None,
) -> Chances:
    """`walk` for a strategy, on workers."""
    threads = worker_count(workers) if isinstance(workers, int) else cores()
    with CardWorkers(player, rules, workers) as crew:
        return walk(
            rules,
            lambda parts: crew.run(work_out_turns, parts),
            only_mean=only_mean,
            done=bar.add,
            threads=threads,
            visits=visits,
        )
