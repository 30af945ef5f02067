"""What a run found, as pandas frames: games, summary, categories, distribution.

Knows nothing of how the numbers came about: a `Result` is made by `simulate`, read back by
`load`, and built from a frame by `summary`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import yahtzee_sim
from yahtzee_sim import statistics
from yahtzee_sim.categories import COLUMNS
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.paired import AT_LEAST
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.statistics import LEVEL, Estimate, check_level
from yahtzee_sim.tallies import Tally

GAME_COLUMNS = (*COLUMNS, "upper_bonus", "yahtzee_bonus", "total")
"""The columns of a frame of games: points, the first fifteen sum to the last."""
QUANTILES = (0.05, 0.25, 0.75, 0.95)
MINIMUM = 5
"""The lowest total: everything crossed out but chance, with five ones."""


class Table(pd.DataFrame):
    """A frame with a caption (n, seed, rules, version), which its LaTeX keeps."""

    @property
    def _constructor(self) -> type[Table]:
        return Table

    def to_latex(self, buf: Any = None, *, caption: Any = None, **options: Any) -> Any:
        """`pandas.DataFrame.to_latex` with the table's own caption, unless another is given, and
        with what LaTeX would take for its own escaped, unless ``escape=False``."""
        own = self.attrs.get("caption")
        caption = _latex_safe(own) if caption is None else caption
        return super().to_latex(buf, caption=caption, **({"escape": True} | options))


_LATEX = {c: f"\\{c}" for c in "%&_#$" + "{" + "}"} | {
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "\\": r"\textbackslash{}",
}


def _latex_safe(text: str | None) -> str | None:
    return None if text is None else "".join(_LATEX.get(c, c) for c in text)


ACCOUNT_COLUMNS = ("luck", "cost")


@dataclass(frozen=True)
class Luck:
    """What the games of a run owe to luck and to decisions, in sums.

    A game's total is `start` plus its luck less its cost; the mean of start less cost is the
    luck-adjusted mean, with the same expectation as that of the totals.

    Attributes
    ----------
    start : float
        The optimal mean.
    sums, squares : tuple of float
        Of luck and of cost, and of their squares, over all games.
    """

    start: float
    sums: tuple[float, ...]
    squares: tuple[float, ...]

    def mean(self, n: int, level: float = LEVEL) -> Estimate:
        """The luck-adjusted mean of n games."""
        cost = statistics.mean_of_sums(self.sums[1], self.squares[1], n, level)
        return Estimate(
            self.start - cost.value, cost.se, self.start - cost.high, self.start - cost.low, n
        )


def accounts_frame(accounts: np.ndarray) -> pd.DataFrame:
    """A row a game: luck and cost, from (2, n)."""
    return pd.DataFrame(accounts.T, columns=list(ACCOUNT_COLUMNS), copy=False)


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The games of one strategy under one rule set.

    Attributes
    ----------
    label : str
        The strategy with its parameters.
    spec, parameters : str, dict
        The strategy's name, and all its parameters as plain values.
    rules : Rules
    seed, stream : int
        Where the dice came from.
    tally : Tally
        Everything that `summary`, `categories` and `distribution` are read from.
    made : dict
        Versions, layout of the dice, time taken.
    frame : pandas.DataFrame or None
        The games, if they were kept; see `games`.
    luck : Luck or None
        If the games were reckoned (``luck=True``).
    """

    label: str
    spec: str
    parameters: dict[str, Any]
    rules: Rules
    seed: int
    stream: int
    tally: Tally
    made: dict[str, Any] = field(default_factory=dict)
    frame: pd.DataFrame | None = None
    luck: Luck | None = None
    _accounts: pd.DataFrame | None = None

    @property
    def n(self) -> int:
        """How many games."""
        return self.tally.n

    @property
    def games(self) -> pd.DataFrame:
        """A row a game: points in the 13 boxes, upper_bonus, yahtzee_bonus, total; int16.

        Raises
        ------
        YahtzeeError
            If the run kept no games.
        """
        if self.frame is None:
            raise YahtzeeError("this result kept no games; run with store='games' to have them")
        return self.frame

    @property
    def accounts(self) -> pd.DataFrame:
        """A row a game: `luck`, what its rolls brought, and `cost`, what its decisions lost.

        Each game's total is ``result.luck.start + luck - cost``.

        Raises
        ------
        YahtzeeError
            If the games were not reckoned, or not kept.
        """
        if self._accounts is None:
            raise YahtzeeError(
                "the games of this result were not reckoned one by one; run with luck=True and "
                "store='games'"
            )
        return self._accounts

    @property
    def games_saved(self) -> float:
        """How many times the games the luck-adjusted mean is worth; inf if it has no error, NaN
        if the games were not reckoned, or are too few."""
        if self.luck is None or self.n < 2:
            return np.nan
        raw, adjusted = statistics.mean(self.tally.total).se, self.luck.mean(self.n).se
        return (raw / adjusted) ** 2 if adjusted else np.inf

    @property
    def caption(self) -> str:
        """One line that says what the numbers rest on."""
        adjusted = ", mean luck-adjusted" if self.luck is not None else ""
        return (
            f"{self.label}: {self.n:,} games, seed {self.seed}, rules {self.rules.name}{adjusted}, "
            f"yahtzee-sim {self.made.get('version', '?')}"
        )

    def mean(self, *, level: float = LEVEL) -> Estimate:
        """The mean total, luck-adjusted if the games were reckoned."""
        check_level(level)
        if self.luck is not None:
            return self.luck.mean(self.n, level)
        return statistics.mean(self.tally.total, level)

    def summary(
        self,
        *,
        at_least: Iterable[int] = (),
        quantiles: Iterable[float] = (),
        level: float = LEVEL,
    ) -> Table:
        """The figures that matter, each with its error.

        Parameters
        ----------
        at_least : iterable of int
            Further totals t for which `p_<t>`, the share of games of at least t, is wanted.
        quantiles : iterable of float
            Further quantiles, each between 0 and 1.
        level : float
            Of the intervals.

        Returns
        -------
        Table
            By metric: value, se, low, high, n. `sd` is that of one game's total; `se` the
            standard error of the figure itself. After ``luck=True`` the `mean` is
            luck-adjusted, `mean_raw` stands beside, and `games_saved` says how many times the
            games it is worth.
        """
        check_level(level)
        rows = summary_rows(self.tally, self.rules, level)
        if self.luck is not None:
            nan = np.nan
            saved = Estimate(self.games_saved, nan, nan, nan, self.n)
            raw = rows.pop("mean")
            first = {"mean": self.luck.mean(self.n, level), "mean_raw": raw, "games_saved": saved}
            rows = first | rows
        rows |= _extra_rows(self.tally, self.rules, at_least, quantiles, level)
        return table(rows, "metric", self.caption)

    def categories(self, *, level: float = LEVEL) -> Table:
        """Each box: mean points, their sd, how often it was zeroed, when it was filled.

        Returns
        -------
        Table
            By category: `mean`, `sd`, `zero_rate`, `mean_round`, each followed by its `_se`,
            `_low` and `_high`; and n.
        """
        check_level(level)
        rows = {}
        for column, points, rounds in zip(
            COLUMNS, self.tally.points(self.rules), self.tally.rounds(), strict=True
        ):
            estimates = {
                "mean": statistics.mean(points, level),
                "sd": statistics.standard_deviation(points, level),
                "zero_rate": statistics.proportion(int(points[0]), self.n, level),
                "mean_round": statistics.mean(np.concatenate([[0], rounds]), level),
            }
            row: dict[str, Any] = {}
            for name, e in estimates.items():
                row |= {name: e.value, f"{name}_se": e.se, f"{name}_low": e.low}
                row[f"{name}_high"] = e.high
            rows[column] = row | {"n": self.n}
        frame = Table.from_dict(rows, orient="index")
        frame.index.name = "category"
        frame.attrs["caption"] = self.caption
        return frame

    def rounds(self) -> Table:
        """(13 categories, 13 rounds): the share of games in which a box was filled in a round."""
        shares = self.tally.rounds() / max(self.n, 1)
        frame = Table(
            shares,
            index=pd.Index(COLUMNS, name="category"),
            columns=pd.RangeIndex(1, 14, name="round"),
        )
        frame.attrs["caption"] = self.caption
        return frame

    def distribution(self) -> pd.Series:
        """The share of games for every total from 5 to the highest that the rules allow."""
        shares = self.tally.total[MINIMUM:] / max(self.n, 1)
        index = pd.RangeIndex(MINIMUM, self.rules.maximum + 1, name="total")
        series = pd.Series(shares, index=index, name="probability")
        series.attrs["caption"] = self.caption
        return series

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write the result to a folder of its own: manifest, tallies, games.

        Raises
        ------
        YahtzeeError
            If the folder is in use and `overwrite` is not set, or cannot be written.
        """
        from yahtzee_sim.files import save_result

        return save_result(self, folder, overwrite=overwrite)

    @cached_property
    def _shown(self) -> Table:
        return self.summary()

    def __repr__(self) -> str:
        return f"{self.caption}\n{readable(self._shown)}"

    def _repr_html_(self) -> str:
        import html

        shown = self._shown.to_html(float_format=lambda x: f"{x:.6g}", na_rep="")
        return f"<p>{html.escape(self.caption)}</p>{shown}"


def games_frame(points: np.ndarray, rules: Rules, label: str) -> pd.DataFrame:
    """A frame of games over (16, n) points, without a copy."""
    frame = pd.DataFrame(points.T, columns=list(GAME_COLUMNS), copy=False)
    frame.index.name = "game"
    frame.attrs |= {"rules": rules.to_dict(), "strategy": label}
    return frame


def table(rows: dict[str, Estimate], name: str, caption: str) -> Table:
    """Estimates by name, as a frame with columns value, se, low, high, n."""
    frame = Table.from_dict(rows, orient="index", columns=list(Estimate._fields))
    frame.index.name = name
    frame.attrs["caption"] = caption
    return frame


def readable(frame: pd.DataFrame, digits: int = 6) -> str:
    """A frame for a terminal: as many digits as matter, blanks where there is nothing."""

    def show(x: Any) -> str:
        if isinstance(x, float):
            if np.isnan(x):
                return ""
            return f"{x:.{digits}g}" if abs(x) < 10**digits else f"{x:.0f}"
        return f"{x:,}" if isinstance(x, int) else str(x)

    shown = frame.astype(object).map(show)
    counts = [c for c in shown.columns if c == "n" or str(c) == "games"]
    for column in counts:
        shown[column] = [f"{int(v):,}" if v == v else "" for v in frame[column]]
    return shown.to_string()


def summary_rows(tally: Tally, rules: Rules, level: float = LEVEL) -> dict[str, Estimate]:
    """The metrics of `summary`, in their order."""
    n, totals = tally.n, tally.total
    quantile = {
        f"q{round(100 * q):02d}": statistics.quantile(totals, q, MINIMUM, rules.maximum, level)
        for q in QUANTILES
    }
    seen = np.flatnonzero(totals)
    return {
        "mean": statistics.mean(totals, level),
        "sd": statistics.standard_deviation(totals, level),
        "median": statistics.quantile(totals, 0.5, MINIMUM, rules.maximum, level),
        **quantile,
        "min": Estimate(float(seen[0]), np.nan, np.nan, np.nan, n),
        "max": Estimate(float(seen[-1]), np.nan, np.nan, np.nan, n),
        "p_upper_bonus": statistics.proportion(tally.upper_bonuses(rules), n, level),
        "p_yahtzee": statistics.proportion(tally.fifties, n, level),
        "yahtzee_bonuses": statistics.mean(tally.bonuses, level),
        "yahtzees_paid": statistics.mean(tally.paid, level),
        "yahtzees_rolled": statistics.mean(tally.rolled, level),
        **{f"p_{t}": at_least_row(tally, t, level) for t in AT_LEAST},
    }


def at_least_row(tally: Tally, total: int, level: float = LEVEL) -> Estimate:
    """The share of games with at least this total."""
    return statistics.proportion(int(tally.total[max(total, 0) :].sum()), tally.n, level)


def _extra_rows(
    tally: Tally, rules: Rules, at_least: Iterable[int], quantiles: Iterable[float], level: float
) -> dict[str, Estimate]:
    at_least, quantiles = check_extras(at_least, quantiles)
    rows = {
        quantile_name(q): statistics.quantile(tally.total, q, MINIMUM, rules.maximum, level)
        for q in quantiles
    }
    return rows | {f"p_{t}": at_least_row(tally, t, level) for t in at_least}


def check_extras(
    at_least: Iterable[int], quantiles: Iterable[float]
) -> tuple[list[int], list[float]]:
    """Further totals and quantiles that a summary is asked for, or one clear line."""
    totals = list(at_least) if isinstance(at_least, Iterable) else [at_least]
    shares = list(quantiles) if isinstance(quantiles, Iterable) else [quantiles]
    for q in shares:
        if isinstance(q, bool) or not isinstance(q, int | float | np.number) or not 0 < q < 1:
            raise YahtzeeError(f"a quantile lies between 0 and 1, not {q!r}")
    for t in totals:
        if isinstance(t, bool) or not isinstance(t, int | np.integer):
            raise YahtzeeError(f"at_least takes whole totals, not {t!r}")
    return [int(t) for t in totals], [float(q) for q in shares]


def quantile_name(q: float) -> str:
    """``q05``, ``q97.5``: the percentage, with at least two digits."""
    whole, _, digits = f"{100 * q:.10f}".rstrip("0").partition(".")
    return f"q{int(whole):02d}" + (f".{digits}" if digits else "")


def summary(
    frame: pd.DataFrame,
    *,
    rules: str | Rules | None = None,
    at_least: Iterable[int] = (),
    quantiles: Iterable[float] = (),
    level: float = LEVEL,
) -> Table:
    """The summary of any subset of games: a frame with the columns of `Result.games`.

    Parameters
    ----------
    frame : pandas.DataFrame
    rules : str or Rules, optional
        By default those that the frame says it was played under.
    at_least, quantiles, level
        As in `Result.summary`.

    Returns
    -------
    Table
        As `Result.summary`. A frame of points does not say how many fives of a kind were rolled
        for nothing: `yahtzees_rolled` is empty.
    """
    check_level(level)
    if not isinstance(frame, pd.DataFrame):
        raise YahtzeeError(
            f"summary takes a frame of games, such as result.games, not {type(frame).__name__}"
        )
    missing = [c for c in GAME_COLUMNS if c not in frame.columns]
    if missing:
        raise YahtzeeError(
            f"a frame of games has the columns {', '.join(GAME_COLUMNS)}; "
            f"missing: {', '.join(missing)}"
        )
    if not len(frame):
        raise YahtzeeError("there are no games in this frame; a summary needs at least one")
    stated = frame.attrs.get("rules")
    if rules is None and stated is None:
        raise YahtzeeError("the frame does not say its rules; give rules=, such as 'official'")
    which = to_rules(rules) if rules is not None else Rules.from_dict(stated)
    tally = Tally.empty(which)
    points = _points_of(frame, which)
    codes = points[:6].sum(axis=0) << 1 | (points[11] == 50)
    tally.add_games(codes, points, np.zeros(len(frame), np.int64), which)
    rows = summary_rows(tally, which, level)
    rows["yahtzees_rolled"] = Estimate(np.nan, np.nan, np.nan, np.nan, np.nan)
    rows |= _extra_rows(tally, which, at_least, quantiles, level)
    caption = f"{len(frame):,} games, rules {which.name}, yahtzee-sim {yahtzee_sim.__version__}"
    return table(rows, "metric", caption)


def _points_of(frame: pd.DataFrame, rules: Rules) -> np.ndarray:
    """(16, n) int64: the points of a frame of games, checked."""
    values = frame[list(GAME_COLUMNS)].to_numpy()
    try:
        with np.errstate(invalid="ignore"):
            points = values.astype(np.int64).T
        whole = bool((values == points.T).all())
    except (TypeError, ValueError):
        whole = False
    if not whole:
        raise YahtzeeError("the points in a frame of games are whole numbers")
    bonus = points[GAME_COLUMNS.index("yahtzee_bonus")]
    checks = {
        "a box holds 0 to 50 points": (points[:13] >= 0).all() and (points[:13] <= 50).all(),
        f"the upper bonus is 0 or {rules.upper_bonus}": np.isin(
            points[13], (0, rules.upper_bonus)
        ).all(),
        f"the Yahtzee bonus is a multiple of {rules.yahtzee_bonus}, of at most twelve": (
            (bonus >= 0).all()
            and (bonus <= 12 * rules.yahtzee_bonus).all()
            and not (bonus % max(rules.yahtzee_bonus, 1)).any()
        ),
        "the first fifteen columns sum to the total": (points[:15].sum(axis=0) == points[15]).all(),
    }
    for claim, holds in checks.items():
        if not holds:
            raise YahtzeeError(f"under the rules {rules.name} {claim}; this frame has other games")
    return points
