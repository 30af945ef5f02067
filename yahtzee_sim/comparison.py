"""`compare`: several strategies on the same dice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yahtzee_sim.batches import check_games, check_seed, pool
from yahtzee_sim.errors import YahtzeeError
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
from yahtzee_sim.progress import Progress
from yahtzee_sim.registry import labelled
from yahtzee_sim.results import Result, Table, _check_level, readable
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.simulation import check_store, play_games
from yahtzee_sim.statistics import LEVEL

RANKING = "ranking.csv"
RANKED_BY = ("mean", "sd", "median", "p_upper_bonus", "p_yahtzee", "yahtzee_bonuses")


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Several strategies, each in as many games, by default of the same dice.

    Attributes
    ----------
    results : dict of str to Result
        By label.
    paired : bool
        Whether all met the same dice.
    """

    results: dict[str, Result]
    paired: bool

    @property
    def _any(self) -> Result:
        return next(iter(self.results.values()))

    @property
    def caption(self) -> str:
        """One line that says what the numbers rest on."""
        dice = "the same dice" if self.paired else "dice of its own"
        one = self._any
        return (
            f"{len(self.results)} strategies, {one.n:,} games each on {dice}, seed {one.seed}, "
            f"rules {one.rules.name}, yahtzee-sim {one.made.get('version', '?')}"
        )

    def ranking(self, *, level: float = LEVEL) -> Table:
        """The strategies by mean total, the best first.

        Returns
        -------
        Table
            By strategy: rank, `mean` with its `se` and interval `low` to `high`, `sd` of one
            game, `median`, `p_upper_bonus`, `p_yahtzee`, `yahtzee_bonuses`, n.
        """
        _check_level(level)
        rows: dict[str, dict[str, Any]] = {}
        for label, result in self.results.items():
            summary = result.summary(level=level)
            mean = summary.loc["mean"]
            others = {name: float(summary.loc[name, "value"]) for name in RANKED_BY[1:]}
            rows[label] = {"mean": float(mean["value"]), "se": float(mean["se"])}
            rows[label] |= {"low": float(mean["low"]), "high": float(mean["high"])}
            rows[label] |= others | {"n": result.n}
        frame = Table.from_dict(rows, orient="index").sort_values(
            "mean", ascending=False, kind="stable"
        )
        frame.index.name = "strategy"
        frame.insert(0, "rank", range(1, len(frame) + 1))
        frame.attrs["caption"] = self.caption
        return frame

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write a manifest, the ranking, and a folder for each strategy."""

        def write(aside: Path) -> None:
            folders: dict[str, str] = {}
            for label, result in self.results.items():
                name, n = folder_name(label), 1
                while name in folders.values() or name in (MANIFEST, RANKING):
                    n += 1
                    name = f"{folder_name(label)}-{n}"
                folders[label] = name
                (aside / name).mkdir()
                write_result(result, aside / name)
            self.ranking().to_csv(aside / RANKING)
            one = self._any
            manifest = {
                "format": FORMAT,
                "kind": "comparison",
                "paired": self.paired,
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

        shown = self.ranking().to_html(float_format=lambda x: f"{x:.6g}", na_rep="")
        return f"<p>{html.escape(self.caption)}</p>{shown}"


def compare(
    strategies: object,
    games: int = 100_000,
    *,
    rules: str | Rules = "official",
    seed: int | None = None,
    workers: Any = 1,
    store: str = "games",
    paired: bool = True,
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
    if not isinstance(paired, bool):
        raise YahtzeeError(f"paired is True or False, not {paired!r}")
    results = {}
    with (
        Progress(games * len(named), "games", show=progress) as bar,
        pool(workers, games * len(named)) as (executor, n),
    ):
        for i, (label, player) in enumerate(named.items()):
            bar.say(label)
            stream = 0 if paired else i
            results[label] = play_games(
                player, label, games, which, seed, stream, executor, n, store, bar
            )
    return Comparison(results, paired)


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
    return Comparison(results, paired)
