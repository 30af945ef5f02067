"""`losses`: where a strategy loses its points, and what it should have done.

A decision costs the difference between what optimal play brings after the best one and after the
one that was made. The expected costs of all decisions of a game add up to what a strategy's mean
lacks of the optimal one. For a stationary strategy they are exact, from the chance of every card;
for any other they are the mean of games that were played.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import yahtzee_sim
from yahtzee_sim.asking import describe_card
from yahtzee_sim.batches import (
    BLOCK,
    Task,
    check_games,
    check_seed,
    check_workers,
    played,
    pool,
    run,
    shared_table,
)
from yahtzee_sim.cards import FILLED_COUNT
from yahtzee_sim.categories import COLUMNS
from yahtzee_sim.dice import KEEP_OF_MASK, KEEPS
from yahtzee_sim.evaluation import CardWorkers, TurnTask, chances_of, is_stationary
from yahtzee_sim.expectimax import WIDTH, in_groups
from yahtzee_sim.progress import Progress
from yahtzee_sim.reckoning import STAGES
from yahtzee_sim.registry import strategy as to_strategy
from yahtzee_sim.results import Table, readable, table
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.solutions import Solution, reckoner_of, solve
from yahtzee_sim.statistics import LEVEL, Estimate, check_level, mean_of_sums
from yahtzee_sim.strategy_types import AnyStrategy, faces_of_roll

REMEMBERED = 200
"""Situations kept of every part of the work, and shown at most."""
GAMES = 100_000
MANY_SITUATIONS = 4_000_000
"""Kept at most while games are played."""


@dataclass(frozen=True, eq=False, repr=False)
class Losses:
    """Where the points of a strategy go.

    Attributes
    ----------
    label : str
    rules : Rules
    start : float
        The optimal mean.
    n : int
        Games played; 0 if the figures are exact.
    seed : int or None
    sums : dict
        By ``"cells"`` (3 stages, 13 rounds), ``"chosen"`` and ``"best"`` (13 categories): the cost
        a game, summed over the games if there are any; and with ``_squares`` those of the squares.
    """

    label: str
    rules: Rules
    start: float
    n: int
    seed: int | None
    sums: dict[str, NDArray[np.float64]]
    found: pd.DataFrame
    made: dict[str, Any] = field(default_factory=dict)

    @property
    def caption(self) -> str:
        """One line that says what the numbers rest on."""
        how = f"{self.n:,} games, seed {self.seed}" if self.n else "exact"
        return (
            f"{self.label}: points lost against optimal play, {how}, rules {self.rules.name}, "
            f"yahtzee-sim {self.made.get('version', '?')}"
        )

    @property
    def total(self) -> float:
        """The points lost in a game, on average: `start` less the strategy's mean."""
        return float(self.sums["cells"].sum()) / max(self.n, 1)

    def stages(self, *, level: float = LEVEL) -> Table:
        """The cost of the first keeps, the second keeps and the choices of a box, and of all.

        Returns
        -------
        Table
            By stage: `value` in points a game, se, low, high, n; and `share` of the whole.
        """
        check_level(level)
        names = (*STAGES, "all")
        sums = np.append(self.sums["cells"].sum(axis=1), self.sums["cells"].sum())
        squares = self.sums.get("stages_squares")
        rows = {
            name: self._estimate(sums[i], None if squares is None else squares[i], level)
            for i, name in enumerate(names)
        }
        frame = table(rows, "stage", self.caption)
        whole = frame["value"].iloc[-1]
        frame["share"] = frame["value"] / whole if whole else 0.0
        return frame

    def rounds(self, *, level: float = LEVEL) -> Table:
        """The cost by round, 1 to 13, and stage, in points a game; `all` with its error."""
        check_level(level)
        cells = self.sums["cells"] / max(self.n, 1)
        frame = Table(cells.T, columns=list(STAGES), index=pd.RangeIndex(1, 14, name="round"))
        return self._with_all(frame, self.sums["cells"].sum(axis=0), "rounds_squares", level)

    def categories(self, *, level: float = LEVEL) -> Table:
        """The cost of choices of a box: by the box that was scored, and by the one that was best.

        Returns
        -------
        Table
            By category, points a game: `missed`, lost where this box would have been best; `all`
            (with error), lost by scoring in it.
        """
        check_level(level)
        frame = Table(
            {"missed": self.sums["best"] / max(self.n, 1)},
            index=pd.Index(COLUMNS, name="category"),
        )
        return self._with_all(frame, self.sums["chosen"], "chosen_squares", level)

    def _with_all(
        self, frame: Table, sums: NDArray[np.float64], squares: str, level: float
    ) -> Table:
        found = self.sums.get(squares)
        estimates = [
            self._estimate(total, None if found is None else found[i], level)
            for i, total in enumerate(sums)
        ]
        for j, name in enumerate(("all", "se", "low", "high")):
            frame[name] = [estimate[j] for estimate in estimates]
        frame.attrs["caption"] = self.caption
        return frame

    def _estimate(self, total: float, squares: float | None, level: float) -> Estimate:
        if squares is None:
            return Estimate.exact(float(total))
        return mean_of_sums(float(total), float(squares), self.n, level)

    def situations(self, n: int = 20) -> Table:
        """The situations that cost most in all.

        Parameters
        ----------
        n : int
            How many, at most 200.

        Returns
        -------
        Table
            The dearest first: `total`, points a game, which is `chance` (how often it comes up in
            a game) times `cost` (each time); `dice`, `rolls_left`, what was `done` and what is
            `best` (the dice kept, or the box), and the `card`.
        """
        frame = Table(self.found.head(n))
        frame.attrs["caption"] = self.caption
        return frame

    def __repr__(self) -> str:
        return (
            f"{self.caption}\n{readable(self.stages())}\n\n"
            f"{readable(self.situations(10), digits=4)}"
        )

    def _repr_html_(self) -> str:
        import html

        shown = [self.stages(), self.rounds(), self.situations(10)]
        tables = "".join(t.to_html(float_format=lambda x: f"{x:.4g}", na_rep="") for t in shown)
        return f"<p>{html.escape(self.caption)}</p>{tables}"


def losses(
    strategy: object,
    rules: str | Rules = "official",
    *,
    games: int | None = None,
    seed: int | None = None,
    workers: Any = -1,
    progress: bool | None = None,
) -> Losses:
    """Where a strategy loses its points against optimal play, by stage, round, box, situation.

    Parameters
    ----------
    strategy : str, class or strategy
    rules : str or Rules
    games : int, optional
        Play so many games. By default a strategy that depends on the card and the dice alone is
        reckoned exactly, and any other plays 100,000.
    seed : int, optional
        Of the games; None draws one.
    workers, progress
        As in `yahtzee_sim.evaluate`.

    Returns
    -------
    Losses

    Raises
    ------
    YahtzeeError, StrategyError
        As `yahtzee_sim.simulate`.
    """
    player, which = to_strategy(strategy), to_rules(rules)
    check_workers(workers)
    seed_ = check_seed(seed)
    exact = is_stationary(player, which) and games is None
    n = 0 if exact else check_games(GAMES if games is None else games)
    solution = solve(which, progress=progress)
    if exact:
        sums, top = _reckoned(player, solution, workers, progress)
    else:
        sums, top = _played(player, solution, n, seed_, workers, progress)
    return Losses(
        player.label,
        which,
        solution.expected,
        n,
        None if exact else seed_,
        sums,
        _described(top, solution, max(n, 1)),
        {"version": yahtzee_sim.__version__},
    )


# --- situations -------------------------------------------------------------------------------

_SITUATION = np.dtype(
    [
        ("code", "i8"),
        ("stage", "i2"),
        ("roll", "i2"),
        ("done", "i2"),
        ("chance", "f8"),
        ("total", "f8"),
    ]
)
"""What comes up: card, stage, roll, the keep or box chosen; how often; what it costs in all."""


def _dearest(found: NDArray, n: int = REMEMBERED) -> NDArray:
    """The n that cost most, in a fixed order."""
    if len(found) > 4 * n:
        least = np.partition(found["total"], -n)[-n]
        found = found[found["total"] >= least]
    order = np.lexsort(
        (found["done"], found["roll"], found["stage"], found["code"], -found["total"])
    )
    return found[order[:n]]


def _described(top: NDArray, solution: Solution, games: int) -> pd.DataFrame:
    """Situations in words."""
    rows = []
    turns, with_bonus, rules = solution._turns, solution._with_bonus, solution.rules
    for code, stage, roll, done, chance, total in _dearest(top).tolist():
        if not total:
            break
        if stage == 2:
            best = COLUMNS[int(turns.best_boxes(np.array([code]), with_bonus)[roll, 0])]
            made = COLUMNS[done]
        else:
            masks = turns.decisions(np.array([code]), with_bonus)[0, stage]
            best, made = (_text(k) for k in (KEEP_OF_MASK[roll, masks[roll]], done))
        rows.append(
            {
                "total": total / games,
                "chance": chance / games,
                "cost": total / chance,
                "dice": "".join(map(str, faces_of_roll(roll))),
                "rolls_left": 2 - stage,
                "done": made,
                "best": best,
                "card": describe_card(rules, code),
            }
        )
    columns = ["total", "chance", "cost", "dice", "rolls_left", "done", "best", "card"]
    return pd.DataFrame(rows, columns=columns, index=pd.RangeIndex(1, len(rows) + 1, name="rank"))


def _text(keep: int) -> str:
    """A keep as people write it; nothing kept is a dash."""
    return "".join(map(str, KEEPS[keep])) or "-"


# --- exactly ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _CardsTask(TurnTask):
    """Cards, and the chance of each."""

    weight: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))


def _reckon_cards(task: _CardsTask) -> tuple[dict[str, NDArray], NDArray]:
    """What the decisions on some cards cost, and which cost most."""
    reckoner, codes = reckoner_of(task.rules), task.codes
    decided = task.decisions()
    costs = reckoner.costs(codes, decided)
    chance = reckoner.chances(decided)
    chance *= task.weight
    total = costs * chance
    round_ = FILLED_COUNT[codes >> 8]
    by_card = total.sum(axis=1)
    cells = np.stack([np.bincount(round_, stage, minlength=13) for stage in by_card])
    best = reckoner.turns.best_boxes(codes, reckoner.with_bonus)
    sums = {
        "cells": cells,
        "chosen": np.bincount(decided[:, 2].T.ravel(), total[2].ravel(), minlength=13),
        "best": np.bincount(best.ravel(), total[2].ravel(), minlength=13),
    }
    place = np.flatnonzero(total.ravel() >= np.partition(total.ravel(), -REMEMBERED)[-REMEMBERED])
    stage, roll, card = np.unravel_index(place, total.shape)
    found = np.empty(len(place), _SITUATION)
    done = decided[card, stage, roll]
    found["code"], found["stage"], found["roll"] = codes[card], stage, roll
    found["done"] = np.where(stage < 2, KEEP_OF_MASK[roll, done % 32], done)
    found["chance"], found["total"] = chance[stage, roll, card], total[stage, roll, card]
    return sums, _dearest(found)


def _reckoned(
    player: AnyStrategy, solution: Solution, workers: Any, progress: bool | None
) -> tuple[dict[str, NDArray], NDArray]:
    rules, visits = solution.rules, np.zeros(len(solution.worth))
    with Progress(13, "rounds", f"evaluating {player.label}", progress) as bar:
        chances_of(player, rules, workers, bar, visits=visits)
    codes = np.flatnonzero(visits)
    parts = [codes[i : i + WIDTH] for i in range(0, len(codes), WIDTH)]
    sums: dict[str, NDArray] = {}
    top = np.empty(0, _SITUATION)

    def task(player: Any, rules: Any, codes: Any, shared: Any) -> _CardsTask:
        return _CardsTask(player, rules, codes, shared, visits[codes])

    with (
        Progress(len(codes), "cards", f"reckoning {player.label}", progress) as bar,
        CardWorkers(player, rules, workers, heavy=True) as crew,
    ):
        results = crew.run(_reckon_cards, parts, task)
        for part, (more, dearest) in zip(parts, results, strict=True):
            sums = {name: sums.get(name, 0.0) + more[name] for name in more}
            top = _dearest(np.concatenate([top, dearest]))
            bar.add(len(part))
    return sums, top


# --- by playing -------------------------------------------------------------------------------


def _reckon_games(task: Task) -> tuple[dict[str, NDArray], NDArray]:
    """What the decisions of some games cost, and which cost anything."""
    reckoner = reckoner_of(task.rules)
    sums: dict[str, NDArray] = {}
    top = np.empty(0, _SITUATION)
    for _, _, record in played(task, record=True):
        assert record is not None
        account = reckoner.account(record)
        costs = account.costs
        chosen = np.zeros((13, costs.shape[2]))
        np.put_along_axis(chosen, record.boxes.astype(np.intp), costs[2], axis=0)
        by_stage = costs.sum(axis=1)
        more = {
            "cells": costs.sum(axis=2),
            "chosen": chosen.sum(axis=1),
            "best": np.zeros(13),
            "stages_squares": np.append(
                (by_stage**2).sum(axis=1), (by_stage.sum(axis=0) ** 2).sum()
            ),
            "rounds_squares": (costs.sum(axis=0) ** 2).sum(axis=1),
            "chosen_squares": (chosen**2).sum(axis=1),
        }
        stage, turn, game = np.nonzero(costs)
        found = np.empty(len(game), _SITUATION)
        found["code"], found["stage"] = account.codes[turn, game], stage
        found["roll"] = record.rolls[stage, turn, game]
        keeps = record.keeps[np.minimum(stage, 1), turn, game]
        found["done"] = np.where(stage < 2, keeps, record.boxes[turn, game])
        found["chance"], found["total"] = 1.0, costs[stage, turn, game]
        wrong_box = found[stage == 2]
        for cards, where, column in in_groups(wrong_box["code"]):
            best = reckoner.turns.best_boxes(cards, reckoner.with_bonus)
            box = best[wrong_box["roll"][where], column]
            more["best"] += np.bincount(box, wrong_box["total"][where], minlength=13)
        sums = {name: sums.get(name, 0.0) + more[name] for name in more}
        top = _merged(top, found)
    return sums, top


def _merged(*parts: NDArray) -> NDArray:
    """Situations, each once; the cheapest are forgotten where there are very many."""
    found = np.concatenate(parts)
    key = found["code"] << 19 | found["stage"].astype(np.int64) << 17
    key |= found["roll"].astype(np.int64) << 9 | found["done"]
    _, first, back = np.unique(key, return_index=True, return_inverse=True)
    merged = found[first]
    merged["chance"] = np.bincount(back, found["chance"], minlength=len(first))
    merged["total"] = np.bincount(back, found["total"], minlength=len(first))
    return merged if len(merged) <= MANY_SITUATIONS else _dearest(merged, MANY_SITUATIONS // 2)


def _played(
    player: AnyStrategy,
    solution: Solution,
    games: int,
    seed: int,
    workers: Any,
    progress: bool | None,
) -> tuple[dict[str, NDArray], NDArray]:
    rules = solution.rules
    sums: dict[str, NDArray] = {}
    top = np.empty(0, _SITUATION)
    with (
        Progress(games, "games", f"reckoning {player.label}", progress) as bar,
        pool(workers, games) as (executor, n),
    ):
        shared = shared_table(player, rules, executor)
        tasks = [
            Task(player, rules, seed, 0, first, min(BLOCK, games - first), False, shared=shared)
            for first in range(0, games, BLOCK)
        ]
        for task, (more, found) in zip(
            tasks, run(_reckon_games, tasks, executor, ahead=2 * n), strict=True
        ):
            sums = {name: sums.get(name, 0.0) + more[name] for name in more}
            top = _merged(top, found)
            bar.add(task.n)
    return sums, top
