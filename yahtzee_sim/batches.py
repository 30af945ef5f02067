"""Games in batches, on one core or many: who plays which games, and putting them together.

A task is some games in a row of one player; its result does not depend on how games are cut into
tasks, nor on who plays them. Tasks are handed out a few at a time and merged in order. Knows
nothing of frames.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.decisions import is_tabulated, rows_of
from yahtzee_sim.dicestream import SEED_LIMIT
from yahtzee_sim.engine import BATCH, GAME_COLUMNS, Record, Seat, play
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.sharing import Handle, attach, cores
from yahtzee_sim.solutions import reckoner_of
from yahtzee_sim.specs import whole
from yahtzee_sim.strategy_types import AnyStrategy
from yahtzee_sim.tallies import BLOCK, Tally

SHORT = 8_192
"""In a short run tasks are a multiple of this, so that every worker has some."""


@dataclass(frozen=True)
class Task:
    """Games first to first + n - 1 of one player."""

    strategy: AnyStrategy
    rules: Rules
    seed: int
    stream: int
    first: int
    n: int
    keep_games: bool
    batch: int = BATCH
    shared: Handle | None = None
    out: tuple[Handle, int, int] | None = None
    """Where games are to be written, how many there is room for, and the number of the first."""
    luck: bool = False
    """Whether each game is to be reckoned, see `yahtzee_sim.reckoning`."""


class Played(NamedTuple):
    """What a task brings.

    Attributes
    ----------
    games : (16, n) int16, or None
        Points, if they are wanted and were not written to shared memory.
    tally : Tally
    accounts : (2, n) float64, or None
        Luck and cost of each game, if it was to be reckoned.
    """

    games: NDArray[np.int16] | None
    tally: Tally
    accounts: NDArray[np.float64] | None


def on_this_machine(executor: Executor | None) -> bool:
    """Whether an executor's workers are other processes that can map this one's memory."""
    if executor is None:
        return False
    loky = type(executor).__module__.partition(".")[0] == "loky"
    return loky or isinstance(executor, ProcessPoolExecutor)


def shared_table(strategy: AnyStrategy, rules: Rules, executor: Executor | None) -> Handle | None:
    """Where the workers of an executor find this process's table of decisions, if they can."""
    if not on_this_machine(executor) or not is_tabulated(strategy, rules):
        return None
    return rows_of(strategy, rules).share()


def played(task: Task, record: bool = False) -> Iterator[tuple[int, Seat, Record | None]]:
    """Play a task a batch at a time: where it begins in the task, the seat with its games, and
    the record of them if wanted. What is yielded is overwritten by the next batch."""
    width = min(task.batch, task.n)
    seat = Seat(task.strategy, task.rules, task.seed, task.stream, width=width, shared=task.shared)
    for start in range(0, task.n, width):
        n = min(width, task.n - start)
        kept = Record.empty(n) if record else None
        play([seat], task.first + start, n, [kept] if kept else None)
        yield start, seat, kept


def play_task(task: Task) -> Played:
    """Play the games of a task."""
    games, written = None, False
    if task.keep_games and task.out is not None:
        handle, room, first = task.out
        memory = attach(handle, 2 * GAME_COLUMNS * room)
        if memory is not None:
            whole = memory.view(np.int16).reshape(GAME_COLUMNS, room)
            games, written = whole[:, task.first - first :][:, : task.n], True
    if task.keep_games and games is None:
        games = np.empty((GAME_COLUMNS, task.n), np.int16)
    tally = Tally.empty(task.rules)
    accounts = np.empty((2, task.n)) if task.luck else None
    for start, seat, record in played(task, record=task.luck):
        here = slice(start, start + seat.games.shape[1])
        tally.add_games(seat.code, seat.games, seat.rolled, task.rules)
        if games is not None:
            games[:, here] = seat.games
        if accounts is not None and record is not None:
            account = reckoner_of(task.rules).account(record)
            accounts[0, here] = account.luck.sum(axis=(0, 1))
            accounts[1, here] = account.costs.sum(axis=(0, 1))
    tally.scored[:] += seat.scored.reshape(tally.scored.shape)
    return Played(None if written else games, tally, accounts)


def cut(first: int, games: int, workers: int) -> Iterator[tuple[int, int]]:
    """(first, n) of tasks: blocks in a long run, smaller in a short one on several workers."""
    size = BLOCK
    if workers > 1 and games < 4 * workers * BLOCK:
        size = max(SHORT, -(-games // (4 * workers) // SHORT) * SHORT)
    for start in range(0, games, size):
        yield first + start, min(size, games - start)


def run(
    function: Callable[[Any], Any], tasks: Iterable[Any], executor: Executor | None, ahead: int
) -> Iterator[Any]:
    """The results of tasks, in their order; at most `ahead` are under way at a time.

    Raises
    ------
    YahtzeeError
        If a worker dies.
    """
    if executor is None:
        yield from map(function, tasks)
        return
    pending: deque[Any] = deque()
    try:
        for task in tasks:
            pending.append(_submitted(executor, function, task))
            if len(pending) >= ahead:
                yield _result(pending.popleft())
        while pending:
            yield _result(pending.popleft())
    finally:
        for future in pending:
            future.cancel()


_LOST = (
    "a worker process cannot load the class of the strategy; put it into a file and name it "
    "file.py:Class, or use workers=1"
)
_DIED = "a worker process died (out of memory, or killed); try fewer workers or store='summary'"


def _submitted(executor: Executor, function: Callable[[Any], Any], task: Any) -> Any:
    try:
        return executor.submit(function, task)
    except BrokenExecutor as error:
        raise _broken(error) from error


def _broken(error: BrokenExecutor) -> YahtzeeError:
    """What a broken pool of workers means."""
    return YahtzeeError(_LOST if "un-serialize" in str(error) else _DIED)


def _result(future: Any) -> Any:
    try:
        return future.result()
    except BrokenExecutor as error:
        raise _broken(error) from error


@contextmanager
def pool(workers: Any, games: int | None = None) -> Iterator[tuple[Executor | None, int]]:
    """The executor for a `workers` argument, and how many workers to count on.

    Parameters
    ----------
    workers : int, Executor or Dask client
        1 plays in this process; a number, or -1 for every core, uses loky's processes; anything
        with `submit` is used as it is and never shut down; a Dask `Client` serves through its
        `get_executor`.

    games : int, optional
        How many there are in all: for a few no processes are started.

    Raises
    ------
    YahtzeeError
        For anything else.
    """
    if hasattr(workers, "get_executor"):
        yield workers.get_executor(), max(len(workers.nthreads()), 1)
    elif hasattr(workers, "submit"):
        yield workers, getattr(workers, "_max_workers", None) or cores()
    else:
        n = worker_count(workers)
        if n == 1 or (games is not None and games <= 2 * SHORT):
            yield None, 1
        else:
            from loky import get_reusable_executor

            yield get_reusable_executor(max_workers=n, timeout=60, initializer=_start_worker), n


def _start_worker() -> None:
    """Tables of decisions are remembered from task to task; loky would take that for a leak, and
    start the worker anew."""
    import loky.process_executor

    loky.process_executor._MAX_MEMORY_LEAK_SIZE = 1 << 40


def worker_count(workers: Any) -> int:
    """How many workers a number asks for; -1 is all cores."""
    number = whole(workers)
    if number is None or (number != -1 and number < 1):
        raise YahtzeeError(
            f"workers is a number from 1 up, -1 for all cores, or an executor, not {workers!r}"
        )
    return cores() if number == -1 else number


def check_workers(workers: Any) -> None:
    """Refuse what cannot be workers, before anything else is done."""
    if not hasattr(workers, "submit") and not hasattr(workers, "get_executor"):
        worker_count(workers)


def check_games(games: object, name: str = "games") -> int:
    """A number of games, or of something else, or one clear line."""
    number = whole(games)
    if number is None or number < 1:
        raise YahtzeeError(f"{name} is a whole number from 1 up, not {games!r}")
    if number > 2**53:
        raise YahtzeeError(f"{name} is at most 2**53, not {games!r}")
    return number


def check_seed(seed: object) -> int:
    """A seed from 0 to 2^64 - 1; None draws one."""
    if seed is None:
        return secrets.randbits(32)
    number = whole(seed)
    if number is None or not 0 <= number < SEED_LIMIT:
        raise YahtzeeError(f"seed is a whole number from 0 to 2**64 - 1, or None, not {seed!r}")
    return number
