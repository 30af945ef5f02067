"""`compare`: several strategies on the same dice.

What came of them, and the verdicts, are in `yahtzee_sim.verdicts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from yahtzee_sim.batches import check_games, check_seed, check_workers, pool
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.files import read_manifest, read_result
from yahtzee_sim.paired import MEANS, PROPORTIONS, PairTally, Traits, holm
from yahtzee_sim.progress import Progress
from yahtzee_sim.registry import labelled, list_strategies
from yahtzee_sim.results import Result
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.simulation import (
    MAX_GAMES,
    Run,
    check_flag,
    check_store,
    check_until,
    looks,
)
from yahtzee_sim.solutions import solve
from yahtzee_sim.statistics import LEVEL
from yahtzee_sim.strategy_types import AnyStrategy
from yahtzee_sim.tallies import Sums
from yahtzee_sim.verdicts import MARGIN, PAIRS, Comparison, Pair, check_margin

SEPARATED = "separated"
CHUNK = 1 << 20
"""Games of each strategy between two updates of the pairs."""


def compare(
    strategies: object,
    games: int = 100_000,
    *,
    rules: str | Rules = "official",
    seed: int | None = None,
    workers: Any = 1,
    store: str = "games",
    paired: bool = True,
    luck: bool = False,
    until: float | str | None = None,
    max_games: int = MAX_GAMES,
    margin: float = MARGIN,
    progress: bool | None = None,
) -> Comparison:
    """Play several strategies, each in as many games.

    Parameters
    ----------
    strategies : list of specs, or mapping of label to spec
        See `yahtzee_sim.strategy`.
    games, rules, seed, workers, store, progress
        As in `yahtzee_sim.simulate`.
    paired : bool
        All meet the same dice, so that differences between them are mostly skill; otherwise each
        has a stream of its own.
    luck : bool
        Reckon every game, and adjust means and their differences for luck.
    until : float or "separated", optional
        Instead of `games`: look after 1,000, 2,000, 4,000, ... games. A number stops when the 95 %
        intervals of all means and of all differences are within so many points on either side.
        ``"separated"`` stops when every two differ, each look spending a part of the 5 % (look k
        6/(pi k)^2 of it), so that looking often does no harm.
    max_games : int
        The most that `until` plays.
    margin : float
        Points within which two strategies are as good as each other.

    Returns
    -------
    Comparison

    Raises
    ------
    YahtzeeError, StrategyError
        As `yahtzee_sim.simulate`.
    """
    named, which = labelled(strategies), to_rules(rules)
    games, seed = check_games(games), check_seed(seed)
    check_store(store)
    check_flag("paired", paired)
    check_flag("luck", luck)
    check_margin(margin)
    check_workers(workers)
    if until is not None:
        check_until(until, (SEPARATED,))
        games = check_games(max_games, "max_games")
    if luck:
        solve(which, progress=progress)
    with (
        Progress(games * len(named), "games", show=progress) as bar,
        pool(workers, games * len(named)) as (executor, n),
    ):
        runs = {
            label: Run(
                player,
                label,
                which,
                seed,
                0 if paired else i,
                executor,
                n,
                keep=store == "games",
                luck=luck,
            )
            for i, (label, player) in enumerate(named.items())
        }
        table = _Table(runs, which, paired, luck, margin, named)
        if until is None:
            table.play(games, bar)
            return table.comparison()
        for k, look in enumerate(looks(games), 1):
            table.play(look, bar)
            alpha = (1 - LEVEL) * 6 / (np.pi * k) ** 2 if until == SEPARATED else 1 - LEVEL
            found = table.comparison(1 - alpha, keep=False)
            if _is_done(found, until):
                return table.comparison(1 - alpha, stopped=f", stopped at look {k}")
        return table.comparison(1 - alpha, stopped=f", not {_wanted(until)} by then")


def _wanted(until: float | str) -> str:
    return SEPARATED if until == SEPARATED else f"within {until:g}"


def _is_done(found: Comparison, until: float | str) -> bool:
    """Whether a look says that a run may stop."""
    pairs = found._compared("mean")
    if until == SEPARATED:
        adjusted = holm([d.p for d in pairs.values()])
        return all(
            d.identical or p <= 1 - found.level
            for d, p in zip(pairs.values(), adjusted, strict=True)
        )
    intervals = [d.interval(found.level) for d in pairs.values()]
    for result in found.results.values():
        mean = result.mean(level=found.level)
        intervals.append((mean.low, mean.high))
    return all((high - low) / 2 <= float(until) for low, high in intervals)


class _Table:
    """The runs of a comparison, and how the games of every two differ."""

    def __init__(
        self,
        runs: dict[str, Run],
        rules: Rules,
        paired: bool,
        luck: bool,
        margin: float,
        players: dict[str, AnyStrategy],
    ):
        self._runs, self._rules, self._paired, self._luck = runs, rules, paired, luck
        self._margin, self._players = margin, players
        couples = list(combinations(runs, 2)) if paired else []
        self._tallies = {couple: PairTally.empty(rules) for couple in couples}
        self._costs = Sums(len(couples))

    def play(self, games: int, bar: Progress) -> None:
        """Play on to so many games each."""
        done = next(iter(self._runs.values())).n
        while done < games:
            n = games - done
            if self._tallies and not all(run.keeps for run in self._runs.values()):
                n = min(CHUNK, n)
            self._play(n, bar)
            done += n

    def _play(self, n: int, bar: Progress) -> None:
        traits: dict[str, Traits] = {}
        costs: dict[str, Any] = {}
        for label, run in self._runs.items():
            bar.say(label)
            points, accounts = run.play(n, bar, points=bool(self._tallies))
            if self._tallies:
                traits[label] = Traits.of(points, self._rules)
                costs[label] = accounts[1] if self._luck else None
        for (a, b), tally in self._tallies.items():
            tally.add(traits[a], traits[b])
        if self._luck and self._tallies:
            self._costs.add(np.stack([costs[b] - costs[a] for a, b in self._tallies]))

    def comparison(self, level: float = LEVEL, stopped: str = "", keep: bool = True) -> Comparison:
        """What has been played so far."""
        total, squares = self._costs.sums()
        pairs = {}
        for i, (couple, tally) in enumerate(self._tallies.items()):
            sums = (float(total[i]), float(squares[i])) if self._luck else None
            pairs[couple] = Pair(tally, sums)
        results = {label: run.result(keep) for label, run in self._runs.items()}
        return Comparison(
            results, self._paired, pairs, level, self._margin, stopped, dict(self._players)
        )


def read_comparison(path: Path, manifest: Mapping[str, Any]) -> Comparison:
    """The comparison that a manifest describes."""
    strategies, paired = manifest.get("strategies"), manifest.get("paired")
    if not isinstance(strategies, dict) or not strategies or not isinstance(paired, bool):
        raise YahtzeeError(f"the manifest in {path} is damaged: it does not name its strategies")
    results = {}
    for label, name in strategies.items():
        if not isinstance(name, str) or Path(name).name != name or name == "..":
            raise YahtzeeError(f"the manifest in {path} names {name!r}, which is no folder of its")
        results[label] = read_result(path / name, read_manifest(path / name))
    try:
        pairs = _read_pairs(path / PAIRS, results) if paired else {}
        level, margin = float(manifest["level"]), float(manifest["margin"])
        stopped = str(manifest["stopped"])
    except Exception as error:
        raise YahtzeeError(f"the comparison in {path} is damaged: {error}") from error
    return Comparison(results, paired, pairs, level, margin, stopped, _known(results))


def _read_pairs(path: Path, results: Mapping[str, Result]) -> dict[tuple[str, str], Pair]:
    pairs: dict[tuple[str, str], Pair] = {}
    labels = list(results)
    with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        for i, j in combinations(range(len(labels)), 2):
            key = f"{i}-{j}"
            result = results[labels[i]]
            empty = PairTally.empty(result.rules)
            tally = PairTally(
                {name: stored[f"{key}-{name}"] for name in MEANS},
                {name: stored[f"{key}-{name}"] for name in PROPORTIONS},
            )
            for name, counts in tally.differences.items():
                if counts.shape != empty.differences[name].shape or counts.sum() != result.n:
                    raise ValueError(f"{path.name} does not count the {result.n} games")
            costs = tuple(stored[f"{key}-costs"].tolist()) if f"{key}-costs" in stored else None
            pairs[labels[i], labels[j]] = Pair(tally, costs)
    return pairs


def _known(results: Mapping[str, Result]) -> dict[str, AnyStrategy]:
    """The strategies of loaded results that the library has itself; no file is run."""
    known = {}
    for label, result in results.items():
        cls = list_strategies().get(result.spec)
        if cls is not None and cls.__module__.startswith("yahtzee_sim.strategies."):
            try:
                made = cls(**_values(result.parameters))
            except Exception:
                continue
            known[label] = made
    return known


def _values(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as they were before they were written: lists were tuples."""
    values = {}
    for name, value in parameters.items():
        if isinstance(value, str) and name == "base":
            raise ValueError("a strategy within a strategy is not rebuilt")
        values[name] = tuple(value) if isinstance(value, list) else value
    return values
