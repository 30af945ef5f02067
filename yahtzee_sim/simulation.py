"""`simulate`: many games of one strategy."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import yahtzee_sim
from yahtzee_sim import sharing, statistics
from yahtzee_sim.batches import (
    Task,
    check_games,
    check_seed,
    check_workers,
    cut,
    on_this_machine,
    play_task,
    pool,
    run,
    shared_table,
)
from yahtzee_sim.dicestream import LAYOUT
from yahtzee_sim.engine import BATCH
from yahtzee_sim.engine import GAME_COLUMNS as N_COLUMNS
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.progress import Progress
from yahtzee_sim.registry import strategy as to_strategy
from yahtzee_sim.results import Luck, Result, accounts_frame, games_frame
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.sharing import Handle
from yahtzee_sim.solutions import solve
from yahtzee_sim.specs import unknown
from yahtzee_sim.statistics import LEVEL, Estimate
from yahtzee_sim.strategy_types import AnyStrategy
from yahtzee_sim.tallies import BLOCK, Sums, Tally

STORES = ("games", "summary")
FIRST_LOOK = 1_000
MAX_GAMES = 10_000_000
"""Of a run `until`: its first look, and the most games by default."""


def simulate(
    strategy: object,
    games: int = 100_000,
    *,
    rules: str | Rules = "official",
    seed: int | None = None,
    workers: Any = 1,
    store: str = "games",
    luck: bool = False,
    until: float | None = None,
    max_games: int = MAX_GAMES,
    progress: bool | None = None,
) -> Result:
    """Play many games of one strategy.

    The dice are a function of the seed and the number of the game: the result is the same for
    any number of workers, and the first games of a longer run are those of a shorter one.

    Parameters
    ----------
    strategy : str, class or strategy
        See `yahtzee_sim.strategy`.
    games : int
    rules : str or Rules
    seed : int, optional
        0 to 2^64 - 1. None draws one; the result says which.
    workers : int, Executor or Dask client
        1, a number, -1 for all cores, or any `concurrent.futures.Executor`.
    store : {"games", "summary"}
        ``"summary"`` keeps tallies alone: constant memory for any number of games.
    luck : bool
        Reckon every game: its luck, what its decisions cost, and the luck-adjusted mean, which
        needs a fraction of the games. See `Result.accounts`.
    until : float, optional
        Instead of `games`: play 1,000, 2,000, 4,000, ... games until the 95 % interval of the
        mean is within so many points on either side.
    max_games : int
        The most that `until` plays.
    progress : bool, optional
        Show a bar; by default on a terminal or in a notebook.

    Returns
    -------
    Result

    Raises
    ------
    YahtzeeError
        For an argument that cannot be.
    StrategyError
        If the strategy cannot be made, or answers what is no legal decision.

    Examples
    --------
    >>> r = simulate("roll-once", 1000, rules="plain", seed=7)
    >>> r.games.shape
    (1000, 16)
    """
    player, which = to_strategy(strategy), to_rules(rules)
    games, seed = check_games(games), check_seed(seed)
    check_store(store)
    check_flag("luck", luck)
    check_workers(workers)
    if until is not None:
        check_until(until)
        games = check_games(max_games, "max_games")
    if luck:
        solve(which, progress=progress)
    with (
        Progress(games, "games", player.label, progress) as bar,
        pool(workers, games) as (executor, n),
    ):
        keep = store == "games"
        one = Run(player, player.label, which, seed, 0, executor, n, keep=keep, luck=luck)
        if until is None:
            one.play(games, bar)
            return one.result()
        for look in looks(games):
            one.play(look - one.n, bar)
            mean = mean_of(one)
            if (mean.high - mean.low) / 2 <= until:
                break
        return one.result()


def mean_of(one: Run, level: float = LEVEL) -> Estimate:
    """The mean of a run so far, luck-adjusted if it is reckoned."""
    if one.luck is None:
        return statistics.mean(one.tally.total, level)
    return one.luck.mean(one.n, level)


def _room(games: int, shared: bool) -> tuple[np.ndarray, Handle | None]:
    """(16, n) int16, in memory that workers can write to if wanted and possible; or one clear
    line if that is more than there is."""
    wanted = 2 * N_COLUMNS * games
    try:
        if hasattr(os, "sysconf"):
            there_is = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")
            if wanted > there_is:
                raise MemoryError
        created = sharing.create(wanted) if shared else None
        if created is not None:
            memory, handle = created
            return memory.view(np.int16).reshape(N_COLUMNS, games), handle
        return np.empty((N_COLUMNS, games), np.int16), None
    except MemoryError:
        raise YahtzeeError(
            f"{games:,} games take {wanted / 1e9:,.0f} GB in frames, more memory than there is; "
            "use store='summary'"
        ) from None


def check_store(store: str) -> None:
    """Refuse a `store` that is not known."""
    if not isinstance(store, str) or store not in STORES:
        raise YahtzeeError(unknown("store", store, STORES))


def check_flag(name: str, value: object) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool):
        raise YahtzeeError(f"{name} is True or False, not {value!r}")


class Run:
    """The games of one player, some at a time, on an executor or here.

    Parameters
    ----------
    player, label
    rules, seed, stream
    executor, workers
        As `yahtzee_sim.batches.pool` gives them.
    keep : bool
        Whether the games are kept, for the result.
    luck : bool
        Whether they are reckoned.
    """

    def __init__(
        self,
        player: AnyStrategy,
        label: str,
        rules: Rules,
        seed: int,
        stream: int,
        executor: Any,
        workers: int,
        *,
        keep: bool = False,
        luck: bool = False,
    ):
        self._player, self._label, self._rules = player, label, rules
        self._seed, self._stream = seed, stream
        self._executor, self._workers = executor, workers
        self._keep, self._luck = keep, luck
        self._seconds = 0.0
        self._games: list[np.ndarray] = []
        self._accounts: list[np.ndarray] = []
        self._sums = Sums(2)
        self.tally = Tally.empty(rules)
        self.n = 0

    def play(self, n: int, bar: Progress, points: bool = False) -> tuple[Any, Any]:
        """Play n further games.

        Returns
        -------
        (16, n) int16, (2, n) float64
            Their points, if they are kept or `points` are wanted; their luck and cost, if they
            are reckoned; else None.
        """
        started = time.perf_counter()
        executor, workers = self._executor, self._workers
        points = points or self._keep
        games, handle = _room(n, on_this_machine(executor)) if points else (None, None)
        out = (handle, n, self.n) if handle else None
        shared = shared_table(self._player, self._rules, executor)
        tasks = (
            Task(
                self._player,
                self._rules,
                self._seed,
                self._stream,
                first,
                size,
                points,
                batch=BLOCK if self._luck else BATCH,
                shared=shared,
                out=out,
                luck=self._luck,
            )
            for first, size in cut(self.n, n, workers)
        )
        done, accounts = 0, []
        for part in run(play_task, tasks, executor, ahead=2 * workers + 1):
            self.tally += part.tally
            size = part.tally.n
            if games is not None and part.games is not None:
                games[:, done : done + size] = part.games
            if part.accounts is not None:
                accounts.append(part.accounts)
                self._sums.add(part.accounts)
            done += size
            bar.add(size)
        self.n += n
        reckoned = np.concatenate(accounts, axis=1) if accounts else None
        if self._keep and games is not None:
            self._games.append(games)
            if reckoned is not None:
                self._accounts.append(reckoned)
        self._seconds += time.perf_counter() - started
        return games, reckoned

    @property
    def luck(self) -> Luck | None:
        """Sums of luck and cost so far, if games are reckoned."""
        if not self._luck:
            return None
        total, squares = self._sums.sums()
        return Luck(solve(self._rules).expected, tuple(total), tuple(squares))

    @property
    def keeps(self) -> bool:
        """Whether the games are kept."""
        return self._keep

    def result(self, frames: bool = True) -> Result:
        """What has been played so far; without frames of games, if they are not wanted."""
        made = {
            "version": yahtzee_sim.__version__,
            "layout": LAYOUT,
            "numpy": np.__version__,
            "pandas": pd.__version__,
            "python": platform.python_version(),
            "seconds": round(self._seconds, 3),
            "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        }
        frame = accounts = None
        if self._games and frames:
            frame = games_frame(_joined(self._games), self._rules, self._label)
        if self._accounts and frames:
            accounts = accounts_frame(_joined(self._accounts))
        return Result(
            self._label,
            self._player.name,
            self._player.parameters,
            self._rules,
            self._seed,
            self._stream,
            self.tally,
            made,
            frame,
            self.luck,
            accounts,
        )


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    """Chunks of games as one array, let go of as they are copied."""
    if len(parts) > 1:
        parts[:] = [np.concatenate(parts, axis=1)]
    return parts[0]


def play_games(
    player: AnyStrategy,
    label: str,
    games: int,
    rules: Rules,
    seed: int,
    stream: int,
    executor: Any,
    workers: int,
    store: str,
    bar: Progress,
    luck: bool = False,
) -> Result:
    """The games of one player, on an executor or here."""
    keep = store == "games"
    one = Run(player, label, rules, seed, stream, executor, workers, keep=keep, luck=luck)
    one.play(games, bar)
    return one.result()


# --- until --------------------------------------------------------------------------------------


def looks(max_games: int) -> Iterator[int]:
    """How many games there are at each look: 1,000, 2,000, 4,000, …, and at last `max_games`."""
    n = FIRST_LOOK
    while n < max_games:
        yield n
        n *= 2
    yield max_games


def check_until(until: object, words: tuple[str, ...] = ()) -> None:
    """Refuse what cannot stop a run."""
    if isinstance(until, str) and until in words:
        return
    number = isinstance(until, int | float) and not isinstance(until, bool)
    if not number or not 0 < float(until) < float("inf"):  # type: ignore[arg-type]
        also = "".join(f", or {word!r}" for word in words)
        raise YahtzeeError(f"until is a half-width in points, above 0{also}, not {until!r}")
