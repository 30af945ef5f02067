"""How fast, in how much memory: `make bench`.

Every figure is the median of a few runs, each in a process of its own, printed as it comes; the
package `pyhtzee` plays random games in the same run, so that ratios hold on any machine.

    python benchmarks/run.py               everything
    python benchmarks/run.py tabulated     only figures whose name contains this word
    python benchmarks/run.py evaluate 1    one run of each instead of three
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

MEASURED: dict[str, tuple[str, Callable[[], float]]] = {}
REPEATS = 3


def measure(name: str, unit: str) -> Callable[[Callable[[], float]], Callable[[], float]]:
    """Register a figure: a function that gives its value in this unit."""

    def add(function: Callable[[], float]) -> Callable[[], float]:
        MEASURED[name] = unit, function
        return function

    return add


def rate(games: int, play: Callable[[], object]) -> float:
    """Games per second of a call."""
    start = time.perf_counter()
    play()
    return games / (time.perf_counter() - start)


def simulated(strategy: object, games: int, **options: object) -> float:
    """Games per second of `simulate`, tables of decisions and processes being there already."""
    import yahtzee_sim as ys

    ys.simulate(strategy, games, seed=1, **options)
    return rate(games, lambda: ys.simulate(strategy, games, seed=7, **options))


@measure("pyhtzee, random actions, 1 core", "games/s")
def pyhtzee_random() -> float:
    from pyhtzee import Pyhtzee

    def play() -> None:
        for seed in range(1, 401):
            game = Pyhtzee(seed=seed)
            while not game.is_finished():
                game.take_action(game.sample_action())

    return rate(400, play)


@measure("random, direct with luck, 1 core", "games/s")
def our_random() -> float:
    return simulated("random", 300_000)


@measure("tabulated strategy with frames, 1 core", "games/s")
def tabulated_1() -> float:
    return simulated("most-points", 4_000_000)


@measure("tabulated strategy with frames, 2 workers", "games/s")
def tabulated_2() -> float:
    return simulated("most-points", 8_000_000, workers=2)


def whole_card() -> object:
    """A rule of thumb that looks at the whole card, so that it is asked directly."""
    import numpy as np

    import yahtzee_sim as ys

    class Careful(ys.Strategy):
        def keep(self, turn: ys.Turn) -> np.ndarray:
            wanted = np.where(turn.open[:, :6], turn.counts * 10, turn.counts * 7)
            wanted += np.where(turn.to_bonus > 0, 1, 0)[:, None] * np.arange(6)
            return turn.dice == wanted.argmax(axis=1)[:, None] + 1

        def category(self, turn: ys.Turn) -> np.ndarray:
            points = turn.points.copy()
            points[:, :6] += (turn.to_bonus > 0)[:, None] * 3 * (points[:, :6] > 0)
            return points.argmax(axis=1)

    return Careful()


@measure("rule of thumb on the whole card, direct, 1 core", "games/s")
def direct_1() -> float:
    return simulated(whole_card(), 500_000)


@measure("rule of thumb on the whole card, direct, 2 workers", "games/s")
def direct_2() -> float:
    return simulated(whole_card(), 1_000_000, workers=2)


@measure("greedy (lookahead), first million games, 2 workers", "s")
def greedy_first() -> float:
    import yahtzee_sim as ys

    return seconds(lambda: ys.simulate("greedy", 1_000_000, seed=7, workers=2))


@measure("greedy (lookahead), rows there, 1 core", "games/s")
def greedy_1() -> float:
    return simulated("greedy", 2_000_000)


@measure("greedy (lookahead), rows there, 2 workers", "games/s")
def greedy_2() -> float:
    return simulated("greedy", 4_000_000, workers=2)


@measure("optimal, first million games after a solve, 2 workers", "s")
def optimal_first() -> float:
    import yahtzee_sim as ys

    ys.solve()
    return seconds(lambda: ys.simulate("optimal", 1_000_000, seed=7, workers=2))


@measure("optimal, rows there, 2 workers", "games/s")
def optimal_2() -> float:
    return simulated("optimal", 4_000_000, workers=2)


def seconds(call: Callable[[], object]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


@measure("solve official, cold", "s")
def solve_cold() -> float:
    import yahtzee_sim as ys

    with tempfile.TemporaryDirectory() as folder:
        os.environ["YAHTZEE_SIM_CACHE"] = folder
        return seconds(lambda: ys.solve("official"))


@measure("solve official, from the cache", "s")
def solve_warm() -> float:
    import yahtzee_sim as ys
    from yahtzee_sim import solutions

    ys.solve("official")
    solutions._SOLVED.clear()
    return seconds(lambda: ys.solve("official"))


@measure("evaluate optimal, whole distribution", "s")
def evaluate_optimal() -> float:
    import yahtzee_sim as ys

    ys.solve()
    return seconds(lambda: ys.evaluate("optimal"))


@measure("evaluate optimal, mean only", "s")
def evaluate_mean() -> float:
    import yahtzee_sim as ys

    ys.solve()
    return seconds(lambda: ys.evaluate("optimal", only="mean"))


@measure("evaluate rule of thumb, open boxes", "s")
def evaluate_open() -> float:
    import yahtzee_sim as ys

    return seconds(lambda: ys.evaluate("most-points"))


@measure("evaluate rule of thumb, whole card", "s")
def evaluate_whole() -> float:
    import yahtzee_sim as ys

    return seconds(lambda: ys.evaluate(whole_card()))


@measure("evaluate single game, open boxes", "s")
def evaluate_single() -> float:
    import yahtzee_sim as ys

    class Largest(ys.SingleGameStrategy):
        sees = frozenset({"open"})

        def keep_one(self, dice, rolls_left, card):  # type: ignore[no-untyped-def]
            face = max(dice, key=dice.count)
            return [d for d in dice if d == face]

        def category_one(self, dice, card):  # type: ignore[no-untyped-def]
            legal = card.legal(dice)
            return max(legal, key=legal.__getitem__)

    return seconds(lambda: ys.evaluate(Largest()))


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@measure("memory of 10 M games with frames", "MB")
def memory_frames() -> float:
    import yahtzee_sim as ys

    ys.simulate("most-points", 10_000_000, seed=7)
    return peak_megabytes()


@measure("memory of 2 M games, store='summary'", "MB")
def memory_summary_2() -> float:
    import yahtzee_sim as ys

    ys.simulate("most-points", 2_000_000, seed=7, store="summary")
    return peak_megabytes()


@measure("memory of 20 M games, store='summary'", "MB")
def memory_summary_20() -> float:
    import yahtzee_sim as ys

    ys.simulate("most-points", 20_000_000, seed=7, store="summary")
    return peak_megabytes()


def process_seconds(*command: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


@measure("import yahtzee_sim, whole process", "s")
def import_time() -> float:
    return process_seconds("-c", "import yahtzee_sim")


@measure("yahtzee-sim --help, whole process", "s")
def help_time() -> float:
    return process_seconds("-m", "yahtzee_sim.cli", "--help")


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(MEASURED[sys.argv[2]][1]()))
        return
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else REPEATS
    found: dict[str, float] = {}
    for name, (unit, _) in MEASURED.items():
        if word not in name:
            continue
        values = []
        for _ in range(repeats):
            command = [sys.executable, __file__, "--one", name]
            values.append(
                json.loads(
                    subprocess.run(command, check=True, capture_output=True, text=True).stdout
                )
            )
        found[name] = statistics.median(values)
        digits = ",.0f" if found[name] >= 100 else ".3g"
        spread = f"{min(values):{digits}} to {max(values):{digits}}"
        print(f"{name:<55} {found[name]:>14{digits}} {unit:<8} ({spread})", flush=True)
    for one, two in (
        ("tabulated strategy with frames, 1 core", "tabulated strategy with frames, 2 workers"),
        ("greedy (lookahead), rows there, 1 core", "greedy (lookahead), rows there, 2 workers"),
        ("pyhtzee, random actions, 1 core", "random, direct with luck, 1 core"),
        ("pyhtzee, random actions, 1 core", "tabulated strategy with frames, 1 core"),
    ):
        if one in found and two in found:
            print(f"{two} / {one}: {found[two] / found[one]:,.3g}")


if __name__ == "__main__":
    main()
