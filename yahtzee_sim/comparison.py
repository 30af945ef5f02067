"""`compare`: several strategies on the same dice, and verdicts that hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from yahtzee_sim import statistics
from yahtzee_sim.batches import check_games, check_seed, check_workers, pool
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.evaluation import evaluate, is_stationary
from yahtzee_sim.files import (
    FORMAT,
    MANIFEST,
    folder_name,
    read_manifest,
    read_result,
    write_aside,
    write_manifest,
    write_result,
)
from yahtzee_sim.library import figures
from yahtzee_sim.lost_points import losses
from yahtzee_sim.paired import (
    MEANS,
    PROPORTIONS,
    Difference,
    PairTally,
    Traits,
    chance_of_best,
    check_metric,
    games_for,
    holm,
    paired_difference,
    smallest_shown,
    student_p,
    unpaired_difference,
)
from yahtzee_sim.progress import Progress
from yahtzee_sim.registry import labelled, list_strategies
from yahtzee_sim.results import Result, Table, readable
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
from yahtzee_sim.statistics import LEVEL, Estimate, check_level
from yahtzee_sim.strategy_types import AnyStrategy
from yahtzee_sim.tallies import Sums

RANKING, PAIRS = "ranking.csv", "pairs.npz"
RANKED_BY = ("sd", "median", "p_upper_bonus", "p_yahtzee", "yahtzee_bonuses")
MARGIN = 0.5
"""Points within which two strategies are as good as each other."""
SEPARATED = "separated"
CHUNK = 1 << 20
"""Games of each strategy between two updates of the pairs."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two strategies on the same dice: how their games differ.

    Attributes
    ----------
    tally : PairTally
    costs : tuple of float or None
        If games were reckoned, the sum of the second's cost less the first's, and of its square.
    """

    tally: PairTally
    costs: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Several strategies, each in as many games, by default of the same dice.

    Attributes
    ----------
    results : dict of str to Result
        By label.
    paired : bool
        Whether all met the same dice.
    pairs_seen : dict of (str, str) to Pair
        How the games of every two differ; empty if they had dice of their own.
    level : float
        At which intervals and verdicts are given by default: 0.95, or what was left to spend at
        the last look of ``until="separated"``.
    margin : float
        Points within which two strategies are as good as each other.
    stopped : str
        Why a run `until` ended.
    """

    results: dict[str, Result]
    paired: bool
    pairs_seen: dict[tuple[str, str], Pair] = field(default_factory=dict)
    level: float = LEVEL
    margin: float = MARGIN
    stopped: str = ""
    players: dict[str, AnyStrategy] = field(default_factory=dict)

    @property
    def _any(self) -> Result:
        return next(iter(self.results.values()))

    @property
    def caption(self) -> str:
        """One line that says what the numbers rest on."""
        dice = "the same dice" if self.paired else "dice of its own"
        one = self._any
        adjusted = ", means luck-adjusted" if one.luck is not None else ""
        level = "" if self.level == LEVEL else f", intervals at {100 * self.level:.4g} %"
        return (
            f"{len(self.results)} strategies, {one.n:,} games each on {dice}, seed {one.seed}, "
            f"rules {one.rules.name}{adjusted}{level}{self.stopped}, "
            f"yahtzee-sim {one.made.get('version', '?')}"
        )

    def _level(self, level: float | None) -> float:
        if level is None:
            return self.level
        check_level(level)
        return level

    # --- one by one

    def ranking(self, *, level: float | None = None, exact: bool | None = None) -> Table:
        """The strategies by mean total, the best first.

        Parameters
        ----------
        level : float, optional
        exact : bool, optional
            Evaluate every strategy that can be, which takes seconds each. By default exact means
            are shown where they are known at once: of `optimal`, and of the library's strategies
            under the official rules. False shows none.

        Returns
        -------
        Table
            By strategy: `rank`; `mean` with its `se` (standard error) and interval `low` to
            `high`; `p_best`, the probability of being the best of these; `ranks`, those that the
            comparisons of all pairs leave open (Holm); `exact`, the exact mean; `sd` of one
            game, `median`, `p_upper_bonus`, `p_yahtzee`, `yahtzee_bonuses`, n. After
            ``luck=True`` the mean is adjusted; `mean_raw` and `games_saved` stand beside.
        """
        level = self._level(level)
        labels = list(self.results)
        means = {label: result.mean(level=level) for label, result in self.results.items()}
        best = self._chance_of_best(means)
        ranks = self._ranks(level)
        rows: dict[str, dict[str, Any]] = {}
        for i, label in enumerate(labels):
            result, mean = self.results[label], means[label]
            summary = result.summary(level=level)
            row: dict[str, Any] = {"mean": mean.value, "se": mean.se}
            row |= {"low": mean.low, "high": mean.high, "p_best": float(best[i])}
            row |= {"ranks": ranks[label], "exact": self._exact(label, exact)}
            if result.luck is not None:
                row["mean_raw"] = float(summary.loc["mean_raw", "value"])
                row["games_saved"] = result.games_saved
            row |= {name: float(summary.loc[name, "value"]) for name in RANKED_BY}
            rows[label] = row | {"n": result.n}
        frame = Table.from_dict(rows, orient="index").sort_values(
            "mean", ascending=False, kind="stable"
        )
        if frame["exact"].isna().all():
            frame = Table(frame.drop(columns="exact"))
        frame.index.name = "strategy"
        frame.insert(0, "rank", range(1, len(frame) + 1))
        frame.attrs["caption"] = self.caption
        return frame

    def _exact(self, label: str, exact: bool | None) -> float:
        result, player = self.results[label], self.players.get(label)
        if exact is False or player is None:
            return np.nan
        if exact and is_stationary(player, result.rules):
            return evaluate(player, result.rules, only="mean").mean
        built_in = type(player) is list_strategies().get(player.name)
        if built_in and player.name == "optimal":
            return solve(result.rules, progress=False).expected
        known = figures().get(player.name) if built_in and player.label == player.name else None
        if known and not known["n"] and result.rules.key == to_rules("official").key:
            return float(known["mean"])
        return np.nan

    def _chance_of_best(self, means: Mapping[str, Estimate]) -> np.ndarray:
        labels = list(means)
        if len(labels) == 1:
            return np.ones(1)
        values = np.array([means[label].value for label in labels])
        errors = np.array([means[label].se for label in labels])
        if not np.isfinite(errors).all():
            return np.full(len(labels), np.nan)
        covariance = np.diag(errors**2)
        if self.paired:
            for i, j in combinations(range(len(labels)), 2):
                se = self.difference(labels[i], labels[j]).se
                covariance[i, j] = covariance[j, i] = (errors[i] ** 2 + errors[j] ** 2 - se**2) / 2
        return chance_of_best(values, covariance)

    def _ranks(self, level: float) -> dict[str, str]:
        """The ranks that each strategy may have."""
        above = dict.fromkeys(self.results, 0)
        below = dict.fromkeys(self.results, 0)
        pairs = self._compared("mean")
        adjusted = holm([difference.p for difference in pairs.values()])
        for ((a, b), difference), p in zip(pairs.items(), adjusted, strict=True):
            if p <= 1 - level:
                better, worse = (a, b) if difference.value > 0 else (b, a)
                above[worse] += 1
                below[better] += 1
        spans = {x: (1 + above[x], len(above) - below[x]) for x in above}
        return {x: f"{low}" if low == high else f"{low}-{high}" for x, (low, high) in spans.items()}

    # --- two by two

    def difference(self, a: str, b: str, metric: str = "mean", *, raw: bool = False) -> Difference:
        """How two of the strategies differ in a figure, the first less the second; means are
        adjusted for luck if games were reckoned, and not `raw`."""
        for label in (a, b):
            if label not in self.results:
                known = ", ".join(self.results)
                raise YahtzeeError(f"{label!r} is not among the strategies compared: {known}")
        one, other = self.results[a], self.results[b]
        if not self.paired:
            found = unpaired_difference(one.tally, other.tally, metric, one.rules)
            adjusted = metric == "mean" and not raw
            return self._adjusted_unpaired(found, one, other) if adjusted else found
        if (a, b) not in self.pairs_seen and (b, a) in self.pairs_seen:
            return _turned(self.difference(b, a, metric, raw=raw))
        pair = self.pairs_seen[a, b]
        found = paired_difference(pair.tally, one.tally, other.tally, metric, one.rules)
        if metric != "mean" or pair.costs is None or raw:
            return found
        mean = statistics.mean_of_sums(*pair.costs, one.n)
        identical = pair.costs[1] == 0
        p = 1.0 if identical else student_p(mean.value, mean.se, one.n - 1)
        return found._replace(
            value=mean.value, se=mean.se, p=p, identical=identical, centre=mean.value, width=mean.se
        )

    @staticmethod
    def _adjusted_unpaired(found: Difference, one: Result, other: Result) -> Difference:
        if one.luck is None or other.luck is None:
            return found
        means = one.luck.mean(one.n), other.luck.mean(other.n)
        value = means[0].value - means[1].value
        se = float(np.hypot(means[0].se, means[1].se))
        parts = [m.se**4 / (m.n - 1) for m in means]
        freedom = se**4 / sum(parts) if sum(parts) else np.inf
        p = student_p(value, se, freedom)
        return found._replace(value=value, se=se, freedom=freedom, p=p, centre=value, width=se)

    def _compared(self, metric: str) -> dict[tuple[str, str], Difference]:
        return {(a, b): self.difference(a, b, metric) for a, b in combinations(self.results, 2)}

    def pairs(
        self,
        metric: str = "mean",
        *,
        margin: float | None = None,
        level: float | None = None,
    ) -> Table:
        """Every two strategies: how much they differ, how sure that is, and a verdict.

        Parameters
        ----------
        metric : str
            ``mean``, ``yahtzee_bonuses``, ``yahtzees_paid``; or a share of games:
            ``p_upper_bonus``, ``p_yahtzee``, ``p_200``, ``p_250``, ``p_300``, ``p_400``.
        margin : float, optional
            Differences within it, on either side, do not matter: 0.5 points by default; for
            other metrics none.
        level : float, optional

        Returns
        -------
        Table
            By strategy and other: `difference`, the first less the second, with its `se`;
            `low` to `high`, its interval alone, and `low_all` to `high_all`, those of all pairs
            together (Bonferroni); `correlation` of the games; shares of games `won`, `tied`,
            `lost`; `p`, two-sided (Student's t, or McNemar's exact test), and `p_holm`,
            adjusted for the number of pairs; the `verdict`; `shows`, the smallest difference that
            these games show in 80 of 100 runs; `games_needed` to show the margin as well; n.
            After ``luck=True`` differences are adjusted; `difference_raw`, `se_raw` and
            `games_saved` stand beside.

        Notes
        -----
        Verdicts: ``better`` or ``worse`` if the adjusted p says that there is a difference, else
        ``equivalent`` if the interval of all pairs lies within the margin, else ``unresolved``;
        ``identical`` if not one game differs.
        """
        level, metric = self._level(level), check_metric(metric)
        if margin is None:
            margin = self.margin if metric == "mean" else 0.0
        check_margin(margin)
        found = self._compared(metric)
        if not found:
            raise YahtzeeError("there is one strategy; pairs need two")
        every = 1 - (1 - level) / len(found)
        adjusted = holm([difference.p for difference in found.values()])
        rows = []
        for ((a, b), d), p in zip(found.items(), adjusted, strict=True):
            low, high = d.interval(level)
            low_all, high_all = d.interval(every)
            row: dict[str, Any] = {"strategy": a, "other": b, "difference": d.value, "se": d.se}
            row |= {"low": low, "high": high, "low_all": low_all, "high_all": high_all}
            row |= {"correlation": d.correlation, "won": d.won, "tied": d.tied, "lost": d.lost}
            row |= {"p": d.p, "p_holm": float(p)}
            row["verdict"] = _verdict(d, float(p), low_all, high_all, margin, level)
            n = self.results[a].n
            row["shows"] = smallest_shown(d.se, level)
            row["games_needed"] = games_for(d.se, n, margin, level) if margin and d.se else np.nan
            if metric == "mean" and self.results[a].luck is not None:
                raw = self.difference(a, b, raw=True)
                row |= {"difference_raw": raw.value, "se_raw": raw.se}
                row["games_saved"] = (raw.se / d.se) ** 2 if d.se else np.inf
            rows.append(row | {"n": n})
        frame = Table(rows).set_index(["strategy", "other"])
        frame = Table(frame)
        note = "" if metric == "mean" else f", {metric}"
        frame.attrs["caption"] = self.caption + note + (f", margin {margin:g}" if margin else "")
        return frame

    def losses(self, *, workers: Any = -1, progress: bool | None = None) -> Table:
        """Where the points of each strategy go, beside each other.

        Returns
        -------
        Table
            By strategy, points a game: `first_keep`, `second_keep`, `category`, and `all`; exact
            where a strategy can be evaluated, else from these games (with `se` of `all`).
        """
        rows = {}
        for label, result in self.results.items():
            player = self.players.get(label)
            if player is None:
                raise YahtzeeError(
                    f"the strategy {label!r} of this loaded comparison is not known here; "
                    "use ys.losses(strategy)"
                )
            exact = is_stationary(player, result.rules)
            found = losses(
                player,
                result.rules,
                games=None if exact else result.n,
                seed=result.seed,
                workers=workers,
                progress=progress,
            ).stages()
            rows[label] = found["value"].to_dict() | {"se": found.loc["all", "se"]}
        frame = Table.from_dict(rows, orient="index")
        frame.index.name = "strategy"
        frame.attrs["caption"] = self.caption
        return frame

    # --- kept

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write a manifest, the ranking, the pairs, and a folder for each strategy."""

        def write(aside: Path) -> None:
            folders: dict[str, str] = {}
            for label, result in self.results.items():
                name, n = folder_name(label), 1
                while name in folders.values() or name in (MANIFEST, RANKING, PAIRS):
                    n += 1
                    name = f"{folder_name(label)}-{n}"
                folders[label] = name
                (aside / name).mkdir()
                write_result(result, aside / name)
            self.ranking().to_csv(aside / RANKING)
            labels = list(self.results)
            arrays: dict[str, Any] = {}
            for (a, b), pair in self.pairs_seen.items():
                key = f"{labels.index(a)}-{labels.index(b)}"
                for name, counts in (pair.tally.differences | pair.tally.only).items():
                    arrays[f"{key}-{name}"] = counts
                if pair.costs is not None:
                    arrays[f"{key}-costs"] = np.array(pair.costs)
            np.savez_compressed(aside / PAIRS, **arrays)
            one = self._any
            manifest = {
                "format": FORMAT,
                "kind": "comparison",
                "paired": self.paired,
                "level": self.level,
                "margin": self.margin,
                "stopped": self.stopped,
                "strategies": folders,
                "rules": one.rules.to_dict(),
                "games": one.n,
                "seed": one.seed,
                "made": one.made,
            }
            write_manifest(aside, manifest)

        return write_aside(folder, overwrite, write)

    def __repr__(self) -> str:
        return f"{self.caption}\n{readable(self.ranking())}"

    def _repr_html_(self) -> str:
        import html

        shown = [self.ranking()]
        if len(self.results) > 1:
            shown.append(self.pairs())
        tables = "".join(t.to_html(float_format=lambda x: f"{x:.6g}", na_rep="") for t in shown)
        return f"<p>{html.escape(self.caption)}</p>{tables}"


def _turned(d: Difference) -> Difference:
    """The same, the second less the first."""
    return d._replace(value=-d.value, won=d.lost, lost=d.won, centre=-d.centre)


def _verdict(d: Difference, p: float, low: float, high: float, margin: float, level: float) -> str:
    if d.identical:
        return "identical"
    if p <= 1 - level:
        return "better" if d.value > 0 else "worse"
    return "equivalent" if margin and -margin <= low <= high <= margin else "unresolved"


def check_margin(margin: object) -> None:
    """Refuse a margin that is none."""
    number = isinstance(margin, int | float) and not isinstance(margin, bool)
    if not number or not 0 <= float(margin) < float("inf"):  # type: ignore[arg-type]
        raise YahtzeeError(f"margin is a number from 0 up, such as 0.5, not {margin!r}")


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
