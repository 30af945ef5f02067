"""What came of several strategies: rankings, differences of every two, and verdicts that hold.

A `Comparison` reads tallies alone, those of each strategy and those of every pair, so that it
answers the same whether games were kept, or it was loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from yahtzee_sim import statistics
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.evaluation import evaluate, is_stationary
from yahtzee_sim.files import (
    FORMAT,
    MANIFEST,
    folder_name,
    write_aside,
    write_manifest,
    write_result,
)
from yahtzee_sim.known import figures
from yahtzee_sim.lost_points import losses
from yahtzee_sim.paired import (
    Difference,
    PairTally,
    chance_of_best,
    check_metric,
    games_for,
    holm,
    paired_difference,
    smallest_shown,
    student_p,
    unpaired_difference,
)
from yahtzee_sim.registry import list_strategies
from yahtzee_sim.results import Result, Table, readable
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.solutions import solve
from yahtzee_sim.statistics import LEVEL, Estimate, check_level
from yahtzee_sim.strategy_types import AnyStrategy

RANKING, PAIRS = "ranking.csv", "pairs.npz"
RANKED_BY = ("sd", "median", "p_upper_bonus", "p_yahtzee", "yahtzee_bonuses")
MARGIN = 0.5
"""Points within which two strategies are as good as each other."""


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
