"""`match` and `round_robin`: games around one table, and who wins them.

Players take their turns in the order of the seats, each with dice of its own, and may look at each
other's cards and totals. Where nobody does, totals are independent, and who wins follows exactly
from their distributions. A tie at the top is a win shared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import yahtzee_sim
from yahtzee_sim import statistics
from yahtzee_sim.batches import check_games, check_seed, check_workers, cut, pool, run, shared_table
from yahtzee_sim.engine import BATCH, Seat, play
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.evaluation import is_stationary
from yahtzee_sim.percentiles import chances_of_totals
from yahtzee_sim.progress import Progress
from yahtzee_sim.registry import labelled
from yahtzee_sim.results import Table, readable
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.sharing import Handle
from yahtzee_sim.simulation import check_flag
from yahtzee_sim.statistics import LEVEL, Estimate, check_level
from yahtzee_sim.strategy_types import AnyStrategy

MOST_PLAYERS = 6


# --- games ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MatchTask:
    """Games first to first + n - 1 around one table."""

    strategies: tuple[AnyStrategy, ...]
    rules: Rules
    seed: int
    stream: int
    first: int
    n: int
    shared: tuple[Handle | None, ...] = ()


def play_match(task: MatchTask) -> NDArray[np.int16]:
    """(players, n): totals by seat."""
    width = min(BATCH, task.n)
    shared = task.shared or (None,) * len(task.strategies)
    seats = [
        Seat(player, task.rules, task.seed, task.stream, seat=i, width=width, shared=shared[i])
        for i, player in enumerate(task.strategies)
    ]
    totals = np.empty((len(seats), task.n), np.int16)
    for start in range(0, task.n, width):
        n = min(width, task.n - start)
        play(seats, task.first + start, n)
        for i, seat in enumerate(seats):
            totals[i, start : start + n] = seat.games[-1]
    return totals


# --- what came of them ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Match:
    """Games around one table.

    Attributes
    ----------
    labels : tuple of str
        The players.
    rules : Rules
    seed : int
    totals : (n, players) DataFrame
        Totals by player, a row a game.
    seats : (n, players) uint8
        Where each sat: 0 moves first.
    exact : DataFrame or None
        What `players` estimates, exactly, if nobody looks at the others.
    """

    labels: tuple[str, ...]
    rules: Rules
    seed: int
    totals: pd.DataFrame
    seats: NDArray[np.uint8]
    exact: Table | None
    made: dict[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """How many games."""
        return len(self.totals)

    @property
    def caption(self) -> str:
        """One line that says what the numbers rest on."""
        return (
            f"match of {' / '.join(self.labels)}: {self.n:,} games, seed {self.seed}, rules "
            f"{self.rules.name}, yahtzee-sim {self.made.get('version', '?')}"
        )

    @property
    def shares(self) -> NDArray[np.float64]:
        """(n, players): each player's part of the win: 1, a half if two tie at the top, or 0."""
        totals = self.totals.to_numpy()
        top = totals == totals.max(axis=1, keepdims=True)
        return top / top.sum(axis=1, keepdims=True)

    @property
    def places(self) -> NDArray[np.int64]:
        """(n, players): 1 for the highest total; equal totals share the better place."""
        totals = self.totals.to_numpy()
        return 1 + (totals[:, None, :] > totals[:, :, None]).sum(axis=2)

    def players(self, *, level: float = LEVEL) -> Table:
        """Who wins.

        Returns
        -------
        Table
            By player: `share` of wins, shared ones divided, with `share_se`, `share_low`,
            `share_high`; `won` alone and `shared`, shares of games, each with its interval
            (Wilson); `mean` total; `margin`, the mean of the total less the best other one;
            `place`, the mean place; each with error and interval; `exact_share`, where nobody
            looks at the others; n.
        """
        check_level(level)
        shares, totals = self.shares, self.totals.to_numpy().astype(float)
        several = len(self.labels) > 1
        margins = self.margins.to_numpy().astype(float) if several else totals
        places = self.places.astype(float)
        rows = {}
        for i, label in enumerate(self.labels):
            row: dict[str, float] = {}
            row |= _named("share", _mean(shares[:, i], level))
            won = int((shares[:, i] == 1).sum())
            shared = int(((shares[:, i] > 0) & (shares[:, i] < 1)).sum())
            row |= _named("won", statistics.proportion(won, self.n, level))
            row |= _named("shared", statistics.proportion(shared, self.n, level))
            row |= _named("mean", _mean(totals[:, i], level))
            if several:
                row |= _named("margin", _mean(margins[:, i], level))
                row |= _named("place", _mean(places[:, i], level))
            if self.exact is not None:
                row["exact_share"] = float(self.exact.loc[label, "share"])
            rows[label] = row | {"n": self.n}
        return self._table(pd.DataFrame.from_dict(rows, orient="index"), "player")

    def by_seat(self, *, level: float = LEVEL) -> Table:
        """What it brings to sit first, second, ...: by seat, the share of wins and the mean total.

        Returns
        -------
        Table
            By seat, 1 moves first: `share` and `mean` with errors and intervals, n. With players
            of different strength this speaks of seats only after ``rotate=True``.
        """
        check_level(level)
        shares, totals = self.shares, self.totals.to_numpy().astype(float)
        rows = {}
        for seat in range(len(self.labels)):
            mine = self.seats == seat
            row = _named("share", _mean(shares[mine], level)) | _named(
                "mean", _mean(totals[mine], level)
            )
            rows[seat + 1] = row | {"n": int(mine.sum())}
        return self._table(pd.DataFrame.from_dict(rows, orient="index"), "seat")

    @property
    def margins(self) -> pd.DataFrame:
        """(n, players): each total less the best of the others."""
        totals = self.totals.to_numpy().astype(np.int32)
        if totals.shape[1] == 1:
            raise YahtzeeError("one player has no margin; a match of two or more has")
        best = np.sort(totals, axis=1)
        others = np.where(totals == best[:, -1:], best[:, -2:-1], best[:, -1:])
        return pd.DataFrame(totals - others, columns=self.totals.columns)

    def places_table(self, *, level: float = LEVEL) -> Table:
        """How often each player comes in first, second, ...: shares of games with intervals."""
        check_level(level)
        rows = {}
        for i, label in enumerate(self.labels):
            for place in range(1, len(self.labels) + 1):
                k = int((self.places[:, i] == place).sum())
                rows[label, place] = dict(
                    zip(
                        ("value", "se", "low", "high", "n"),
                        statistics.proportion(k, self.n, level),
                        strict=True,
                    )
                )
        frame = pd.DataFrame.from_dict(rows, orient="index")
        frame.index = pd.MultiIndex.from_tuples(rows, names=["player", "place"])
        return self._table(frame, None)

    def _table(self, frame: pd.DataFrame, name: str | None) -> Table:
        table = Table(frame)
        if name:
            table.index.name = name
        table.attrs["caption"] = self.caption
        return table

    def __repr__(self) -> str:
        return f"{self.caption}\n{readable(self._short())}"

    def _short(self) -> Table:
        players = self.players()
        kept = ["share", "share_se", "share_low", "share_high", "won", "shared", "mean", "margin"]
        kept += ["place", "exact_share", "n"]
        short = Table(players[[c for c in kept if c in players.columns]])
        short.attrs["caption"] = self.caption
        return short

    def _repr_html_(self) -> str:
        import html

        shown = self._short().to_html(float_format=lambda x: f"{x:.5g}", na_rep="")
        return f"<p>{html.escape(self.caption)}</p>{shown}"


def _named(name: str, estimate: Estimate) -> dict[str, float]:
    return {
        name: estimate.value,
        f"{name}_se": estimate.se,
        f"{name}_low": estimate.low,
        f"{name}_high": estimate.high,
    }


def _mean(values: NDArray[np.float64], level: float) -> Estimate:
    centre = values[0] if len(values) else 0.0  # so that squares do not cancel
    off = values - centre
    found = statistics.mean_of_sums(float(off.sum()), float((off * off).sum()), len(off), level)
    return Estimate(
        found.value + centre, found.se, found.low + centre, found.high + centre, found.n
    )


def match(
    strategies: object,
    games: int = 50_000,
    *,
    rules: str | Rules = "official",
    seed: int | None = None,
    rotate: bool = False,
    exact: bool = True,
    workers: Any = 1,
    progress: bool | None = None,
) -> Match:
    """Play games around one table, one to six players, in turn order.

    Parameters
    ----------
    strategies : list of specs, or mapping of label to spec
        In the order of the seats: the first moves first.
    games : int
    rules, seed, workers, progress
        As in `yahtzee_sim.simulate`.
    rotate : bool
        Play an equal number of games with the players moved on by each number of seats, so that
        nobody always moves first. ``games`` must then be a multiple of the players.
    exact : bool
        Where no player looks at totals, rivals or luck, work out who wins from the exact
        distributions of the totals; this takes some seconds a strategy.

    Returns
    -------
    Match

    Raises
    ------
    YahtzeeError, StrategyError
        As `yahtzee_sim.simulate`; for more than six players.

    Examples
    --------
    >>> match(["most-points", "roll-once"], 100, seed=1).players().loc["most-points", "share"]
    1.0
    """
    named, which = labelled(strategies), to_rules(rules)
    games, seed = check_games(games), check_seed(seed)
    check_flag("rotate", rotate)
    check_flag("exact", exact)
    check_workers(workers)
    players, p = list(named.values()), len(named)
    if p > MOST_PLAYERS:
        raise YahtzeeError(f"one to six play around a table, not {p}")
    turns = p if rotate else 1
    if games % turns:
        raise YahtzeeError(f"with rotate=True games is a multiple of the {p} players, not {games}")
    totals = np.empty((games, p), np.int16)
    seats = np.empty((games, p), np.uint8)
    with (
        Progress(games, "games", "match", progress) as bar,
        pool(workers, games * p) as (executor, n),
    ):
        shared = {player: shared_table(player, which, executor) for player in players}
        for turn in range(turns):
            order = [(turn + i) % p for i in range(p)]  # who sits in each seat
            here = games // turns
            rows = slice(turn * here, (turn + 1) * here)
            seats[rows, order] = np.arange(p)
            seated = tuple(players[i] for i in order)
            tasks = (
                MatchTask(seated, which, seed, turn, first, size, tuple(shared[s] for s in seated))
                for first, size in cut(0, here, n)
            )
            done = turn * here
            for part in run(play_match, tasks, executor, ahead=2 * n + 1):
                totals[done : done + part.shape[1], order] = part.T
                done += part.shape[1]
                bar.add(part.shape[1])
    known = None
    if exact and all(is_stationary(player, which) for player in players):
        known = exact_match(named, which, workers=workers, progress=progress)
    frame = pd.DataFrame(totals, columns=list(named), copy=False)
    made = {"version": yahtzee_sim.__version__}
    return Match(tuple(named), which, seed, frame, seats, known, made)


# --- exactly ----------------------------------------------------------------------------------


def exact_match(
    strategies: object,
    rules: str | Rules = "official",
    *,
    workers: Any = -1,
    progress: bool | None = None,
) -> Table:
    """Who wins a match of players who do not look at each other, from their distributions.

    Returns
    -------
    Table
        By player: `share` of wins (shared ones divided), `won` alone, `shared`, `mean`, and
        `place_1`, `place_2`, ...: chances of each place. `best` is the mean of the highest total.
    """
    named, which = labelled(strategies), to_rules(rules)
    for label, player in named.items():
        if not is_stationary(player, which):
            raise YahtzeeError(
                f"{label} has no exact distribution: it sees "
                f"{', '.join(sorted(player.looks_at))}; play a match instead"
            )
    chances = {
        label: chances_of_totals(player, which, workers=workers, progress=progress)
        for label, player in named.items()
    }
    return who_wins(chances, which)


def who_wins(distributions: dict[str, NDArray[np.float64]], rules: Rules) -> Table:
    """The chances of independent totals to be the highest, and of each place.

    Parameters
    ----------
    distributions : dict of str to (maximum + 1,) float64
        The chance of every total, by player.
    rules : Rules
        For the caption.
    """
    labels, chances = list(distributions), np.stack(list(distributions.values()))
    p, size = chances.shape
    below = np.cumsum(chances, axis=1) - chances
    above = np.clip(1 - below - chances, 0, 1)
    values = np.arange(size)
    cumulative = np.cumsum(chances, axis=1)
    best = np.prod(cumulative, axis=0)
    mean_best = float(values @ np.diff(best, prepend=0.0))
    rows = {}
    for i, label in enumerate(labels):
        others = [j for j in range(p) if j != i]
        ties = _counted(chances[others], below[others])
        shared = [float(chances[i] @ ways) for ways in ties]
        row = {
            "share": sum(part / (k + 1) for k, part in enumerate(shared)),
            "won": shared[0],
            "shared": sum(shared[1:]),
            "mean": float(chances[i] @ values),
            "best": mean_best,
        }
        higher = _counted(above[others], (below + chances)[others])
        row |= {f"place_{k + 1}": float(chances[i] @ ways) for k, ways in enumerate(higher)}
        rows[label] = row
    frame = Table.from_dict(rows, orient="index")
    frame.index.name = "player"
    frame.attrs["caption"] = (
        f"match of {' / '.join(labels)}: exact, rules {rules.name}, "
        f"yahtzee-sim {yahtzee_sim.__version__}"
    )
    return frame


def _counted(does: NDArray[np.float64], does_not: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """The chance, for every total, that 0, 1, 2, ... of the others do, and the rest do not."""
    ways = [np.ones(len(does[0]))] if len(does) else [np.ones(1)]
    for yes, no in zip(does, does_not, strict=True):
        more = [np.zeros_like(ways[0]) for _ in range(len(ways) + 1)]
        for k, chance in enumerate(ways):
            more[k] += chance * no
            more[k + 1] += chance * yes
        ways = more
    return ways


def round_robin(
    strategies: object,
    games: int = 20_000,
    *,
    rules: str | Rules = "official",
    seed: int | None = None,
    workers: Any = 1,
    level: float = LEVEL,
    progress: bool | None = None,
) -> Table:
    """Every two strategies against each other: who wins how often.

    Parameters
    ----------
    strategies : list of specs, or mapping of label to spec
    games : int
        Of every two who cannot be evaluated exactly, each moving first in half of them.
    rules, seed, workers, progress
        As in `yahtzee_sim.match`.
    level : float
        Of the intervals.

    Returns
    -------
    Table
        By strategy and other: `share` of wins, ties as halves, with `share_se`, `share_low`,
        `share_high` (of a figure that is exact: no error); `tied`; n, missing where exact. Both
        orders are there, so that ``["share"].unstack()`` is the matrix.
    """
    named, which = labelled(strategies), to_rules(rules)
    games, seed = check_games(games), check_seed(seed)
    check_workers(workers)
    check_level(level)
    if len(named) < 2:
        raise YahtzeeError("a round robin needs two strategies or more")
    games += games % 2
    totals: dict[str, NDArray[np.float64]] = {}
    with Progress(len(named), "strategies", "evaluating", progress) as bar:
        for label, player in named.items():
            if is_stationary(player, which):
                totals[label] = chances_of_totals(player, which, workers=workers, progress=False)
            bar.add(1)
    rows: dict[tuple[str, str], dict[str, float]] = {}
    for a, b in combinations(named, 2):
        if a in totals and b in totals:
            two = who_wins({a: totals[a], b: totals[b]}, which)
            for one, other in ((a, b), (b, a)):
                share = Estimate.exact(float(two.loc[one, "share"]))
                row = _named("share", share) | {"tied": float(two.loc[one, "shared"])}
                rows[one, other] = row | {"n": np.nan}
            continue
        played = match(
            {a: named[a], b: named[b]},
            games,
            rules=which,
            seed=seed,
            rotate=True,
            exact=False,
            workers=workers,
            progress=progress,
        ).players(level=level)
        for one, other in ((a, b), (b, a)):
            columns = ["share", "share_se", "share_low", "share_high"]
            row = {c: float(played.loc[one, c]) for c in columns}
            row |= {"tied": float(played.loc[one, "shared"]), "n": games}
            rows[one, other] = row
    frame = pd.DataFrame.from_dict(rows, orient="index")
    frame.index = pd.MultiIndex.from_tuples(rows, names=["strategy", "other"])
    order = [(a, b) for a in named for b in named if a != b]
    table = Table(frame.loc[order])
    table.attrs["caption"] = (
        f"round robin of {len(named)}: share of wins, ties as halves; exact, or {games:,} games, "
        f"seed {seed}; rules {which.name}, yahtzee-sim {yahtzee_sim.__version__}"
    )
    return table
