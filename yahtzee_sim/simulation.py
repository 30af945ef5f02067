"""`simulate`: many games of one strategy."""

from __future__ import annotations

import os
import platform
import time
from typing import Any

import numpy as np
import pandas as pd

import yahtzee_sim
from yahtzee_sim import sharing
from yahtzee_sim.batches import (
    Task,
    check_games,
    check_seed,
    cut,
    on_this_machine,
    play_task,
    pool,
    run,
    shared_table,
)
from yahtzee_sim.dicestream import LAYOUT
from yahtzee_sim.engine import GAME_COLUMNS as N_COLUMNS
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.progress import Progress
from yahtzee_sim.registry import strategy as to_strategy
from yahtzee_sim.results import Result, games_frame
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.sharing import Handle
from yahtzee_sim.specs import unknown
from yahtzee_sim.strategy_types import AnyStrategy
from yahtzee_sim.tallies import Tally

STORES = ("games", "summary")


def simulate(
    strategy: object,
    games: int = 100_000,
    *,
    rules: str | Rules = "official",
    seed: int | None = None,
    workers: Any = 1,
    store: str = "games",
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
    with (
        Progress(games, "games", player.label, progress) as bar,
        pool(workers, games) as (executor, n),
    ):
        return play_games(player, player.label, games, which, seed, 0, executor, n, store, bar)


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
) -> Result:
    """The games of one player, on an executor or here."""
    started = time.perf_counter()
    keep = store == "games"
    points, handle = _room(games, on_this_machine(executor)) if keep else (None, None)
    out = (handle, games) if handle else None
    shared = shared_table(player, rules, executor)
    tasks = (
        Task(player, rules, seed, stream, first, n, keep, shared=shared, out=out)
        for first, n in cut(games, workers)
    )
    tally, done = Tally.empty(rules), 0
    for part, counts in run(play_task, tasks, executor, ahead=2 * workers + 1):
        tally += counts
        n = counts.n
        if points is not None and part is not None:
            points[:, done : done + n] = part
        done += n
        bar.add(n)
    made = {
        "version": yahtzee_sim.__version__,
        "layout": LAYOUT,
        "numpy": np.__version__,
        "pandas": pd.__version__,
        "python": platform.python_version(),
        "seconds": round(time.perf_counter() - started, 3),
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }
    frame = None if points is None else games_frame(points, rules, label)
    return Result(label, player.name, player.parameters, rules, seed, stream, tally, made, frame)
