"""`read_games`: games that people played, from a CSV file, set against any strategy.

Three forms are told apart by their columns: totals alone (``total``); whole cards (the thirteen
categories, ``upper_bonus``, ``yahtzee_bonus``, ``total``, of which the last three may be left
out); and the dice of first rolls (``die_1`` to ``die_5``), to ask whether dice are fair. Later
rolls depend on decisions, so they say nothing about dice. A bad row is named by its line.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import yahtzee_sim
from yahtzee_sim import statistics
from yahtzee_sim.categories import COLUMNS, Category
from yahtzee_sim.dice import N_ROLLS, ROLL_COUNTS, roll_number, transition_counts
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.files import as_path
from yahtzee_sim.paired import holm, student_p
from yahtzee_sim.percentiles import chances_of_totals
from yahtzee_sim.registry import strategy as to_strategy
from yahtzee_sim.results import GAME_COLUMNS, Table, games_frame, readable, summary
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.scoring import scoring
from yahtzee_sim.statistics import LEVEL, Estimate, check_level

DICE = tuple(f"die_{i}" for i in range(1, 6))
_EXTRAS = GAME_COLUMNS[13:]


@dataclass(frozen=True, eq=False, repr=False)
class OwnGames:
    """Games that were played by people.

    Attributes
    ----------
    source : str
        The file.
    rules : Rules
    totals : (n,) int64
    frame : DataFrame or None
        The whole cards, as `Result.games`, if the file has them.
    """

    source: str
    rules: Rules
    totals: NDArray[np.int64]
    frame: pd.DataFrame | None

    @property
    def n(self) -> int:
        """How many games."""
        return len(self.totals)

    @property
    def caption(self) -> str:
        """One line that says what the numbers rest on."""
        return (
            f"{self.source}: {self.n:,} games, rules {self.rules.name}, "
            f"yahtzee-sim {yahtzee_sim.__version__}"
        )

    @property
    def games(self) -> pd.DataFrame:
        """The whole cards, with the columns of `Result.games`."""
        if self.frame is None:
            raise YahtzeeError(f"{self.source} has totals alone, no cards")
        return self.frame

    def summary(self, *, level: float = LEVEL) -> Table:
        """The figures of `ys.summary`, if there are whole cards; of the totals alone otherwise."""
        check_level(level)
        if self.frame is not None:
            return summary(self.frame, rules=self.rules, level=level)
        counts = np.bincount(self.totals, minlength=self.rules.maximum + 1)
        rows = {
            "mean": statistics.mean(counts, level),
            "sd": statistics.standard_deviation(counts, level),
            "median": statistics.quantile(counts, 0.5, 5, self.rules.maximum, level),
        }
        frame = Table.from_dict({k: e._asdict() for k, e in rows.items()}, orient="index")
        frame.index.name = "metric"
        frame.attrs["caption"] = self.caption
        return frame

    def percentiles(self, against: object = "optimal", *, workers: Any = -1) -> pd.Series:
        """(n,): where each total lies among those of a strategy, in percent."""
        chances = self._chances(against, workers)
        half = np.cumsum(chances) - chances / 2
        return pd.Series(100 * half[self.totals], name="percentile")

    def against(
        self, strategy: object = "optimal", *, level: float = LEVEL, workers: Any = -1
    ) -> Table:
        """These games beside a strategy.

        Parameters
        ----------
        strategy : str, class or strategy
        level : float
        workers : int, Executor or Dask client

        Returns
        -------
        Table
            `mean` of the games with its error, `strategy`, the strategy's own, and `difference`
            with its interval (the strategy is exact, or taken as such); `p`, two-sided: of being
            so far away by luck alone, if the player had the strategy's mean; and
            `percentile`, the mean place of the games among the strategy's, 50 for one who plays
            alike.
        """
        check_level(level)
        chances = self._chances(strategy, workers)
        values = np.arange(len(chances))
        exact = float(chances @ values)
        counts = np.bincount(self.totals, minlength=self.rules.maximum + 1)
        mean = statistics.mean(counts, level)
        places = self.percentiles(strategy, workers=workers).to_numpy()
        place = statistics.mean_of_sums(float(places.sum()), float(places @ places), self.n, level)
        place = place._replace(low=max(place.low, 0.0), high=min(place.high, 100.0))
        rows = {
            "mean": mean,
            "strategy": Estimate.exact(exact),
            "difference": Estimate(
                mean.value - exact, mean.se, mean.low - exact, mean.high - exact, self.n
            ),
            "p": Estimate(
                student_p(mean.value - exact, mean.se, self.n - 1), np.nan, np.nan, np.nan, self.n
            ),
            "percentile": place,
        }
        frame = Table.from_dict({k: e._asdict() for k, e in rows.items()}, orient="index")
        frame.index.name = "figure"
        frame.attrs["caption"] = f"{self.caption}; against {to_strategy(strategy).label}"
        return frame

    def _chances(self, against: object, workers: Any) -> NDArray[np.float64]:
        return chances_of_totals(to_strategy(against), self.rules, workers=workers)

    def __repr__(self) -> str:
        return f"{self.caption}\n{readable(self.summary())}"

    def _repr_html_(self) -> str:
        import html

        shown = self.summary().to_html(float_format=lambda x: f"{x:.6g}", na_rep="")
        return f"<p>{html.escape(self.caption)}</p>{shown}"


@dataclass(frozen=True, eq=False, repr=False)
class FirstRolls:
    """The dice of first rolls.

    Attributes
    ----------
    source : str
    dice : (n, 5) int64
        As they were written, die by die.
    """

    source: str
    dice: NDArray[np.int64]

    @property
    def n(self) -> int:
        """How many rolls."""
        return len(self.dice)

    @property
    def caption(self) -> str:
        """One line that says what the numbers rest on."""
        return (
            f"{self.source}: {self.n:,} first rolls, {5 * self.n:,} dice, "
            f"yahtzee-sim {yahtzee_sim.__version__}"
        )

    def faces(self) -> Table:
        """How often each face shows: share with Wilson's interval; 1/6 if dice are fair."""
        rows = {}
        for face in range(1, 7):
            k = int((self.dice == face).sum())
            rows[face] = statistics.proportion(k, self.dice.size)._asdict() | {"fair": 1 / 6}
        frame = Table.from_dict(rows, orient="index")
        frame.index.name = "face"
        frame.attrs["caption"] = self.caption
        return frame

    def tests(self) -> Table:
        """Are these dice fair?

        Returns
        -------
        Table
            By test: `statistic` (chi-square), `freedom`, `p`, and `p_holm`, adjusted for their
            number. ``faces``: all dice show each face as often. ``die_1`` ... ``die_5``: so does
            each place by itself (if dice were written down sorted, these say only that).
            ``patterns``: five of a kind, four, full house, three, two pairs, a pair and no two
            alike come as often as with fair and independent dice. ``repeats``: a die shows the
            face that it showed in the roll before as often as 1 in 6.
        """
        from scipy.special import chdtrc

        found: dict[str, tuple[float, int]] = {}
        sixth = np.full(6, 1 / 6)
        found["faces"] = _chi_square(np.bincount(self.dice.ravel() - 1, minlength=6), sixth)
        is_sorted = bool((np.diff(self.dice, axis=1) >= 0).all())
        if not is_sorted:
            for i, name in enumerate(DICE):
                found[name] = _chi_square(np.bincount(self.dice[:, i] - 1, minlength=6), sixth)
        rolls = [roll_number(tuple(sorted(row))) for row in self.dice.tolist()]
        found["patterns"] = _chi_square(
            np.bincount(_PATTERN[rolls], minlength=len(PATTERNS)), _PATTERN_CHANCE
        )
        if not is_sorted and self.n > 1:
            same = int((self.dice[1:] == self.dice[:-1]).sum())
            every = 5 * (self.n - 1)
            found["repeats"] = _chi_square(np.array([same, every - same]), np.array([1 / 6, 5 / 6]))
        p = [float(chdtrc(freedom, value)) for value, freedom in found.values()]
        frame = Table(
            {
                "statistic": [value for value, _ in found.values()],
                "freedom": [freedom for _, freedom in found.values()],
                "p": p,
                "p_holm": holm(p),
            },
            index=pd.Index(list(found), name="test"),
        )
        frame.attrs["caption"] = self.caption
        return frame

    def __repr__(self) -> str:
        return f"{self.caption}\n{readable(self.tests())}"

    def _repr_html_(self) -> str:
        import html

        shown = self.tests().to_html(float_format=lambda x: f"{x:.4g}")
        return f"<p>{html.escape(self.caption)}</p>{shown}"


PATTERNS = ("none alike", "pair", "two pairs", "three", "full house", "four", "five")


def _patterns() -> NDArray[np.int64]:
    most, pairs = ROLL_COUNTS.max(axis=1), (ROLL_COUNTS == 2).sum(axis=1)
    return np.select(
        [most == 1, (most == 2) & (pairs == 1), most == 2, (most == 3) & (pairs == 0), most == 3],
        [0, 1, 2, 3, 4],
        most + 1,
    )


_PATTERN = _patterns()
_PATTERN_CHANCE = np.bincount(_PATTERN, transition_counts()[0] / 6**5)
assert len(_PATTERN) == N_ROLLS


def _chi_square(seen: NDArray[np.integer], chance: NDArray[Any]) -> tuple[float, int]:
    """The statistic and its degrees of freedom; classes that are expected fewer than 5 times are
    put together with the next."""
    expected = seen.sum() * chance
    order = np.argsort(expected, kind="stable")
    seen_in, expected_in = [0.0], [0.0]
    for k in order:
        seen_in[-1] += float(seen[k])
        expected_in[-1] += float(expected[k])
        if expected_in[-1] >= 5 and k != order[-1]:
            seen_in.append(0.0)
            expected_in.append(0.0)
    if len(expected_in) > 1 and expected_in[-1] < 5:
        seen_in[-2] += seen_in.pop()
        expected_in[-2] += expected_in.pop()
    if len(expected_in) < 2:
        return 0.0, 1
    gap = np.array(seen_in) - expected_in
    return float((gap**2 / expected_in).sum()), len(expected_in) - 1


# --- reading ----------------------------------------------------------------------------------


def read_games(path: str | Path, *, rules: str | Rules = "official") -> Any:
    """Read games that people played, or first rolls, from a CSV file with a line of headings.

    Parameters
    ----------
    path : str or Path
        ``total``, one column, or the columns of `Result.games` (``upper_bonus``,
        ``yahtzee_bonus`` and ``total`` are worked out or checked), or ``die_1`` to ``die_5``.
        Other columns are passed over.
    rules : str or Rules
        Those that were played by.

    Returns
    -------
    OwnGames or FirstRolls

    Raises
    ------
    YahtzeeError
        If the file cannot be read or has other columns; for bad rows, up to five of them, each
        named by its line.

    Notes
    -----
    A card that leaves ``yahtzee_bonus`` out is taken to have none; a Yahtzee box with more than 50
    is read as 50 and the hundreds.
    """
    which, file = to_rules(rules), as_path(path)
    rows, headings = _rows(file)
    if set(DICE) <= set(headings):
        dice = _parsed(rows, DICE, lambda row: _dice(row), file)
        return FirstRolls(file.name, np.array(dice, np.int64))
    if set(COLUMNS) <= set(headings):
        known = [c for c in GAME_COLUMNS if c in headings]
        cards = _parsed(rows, known, lambda row: _card(row, which), file)
        points = np.array(cards, np.int16).T
        frame = games_frame(np.ascontiguousarray(points), which, file.name)
        return OwnGames(file.name, which, points[-1].astype(np.int64), frame)
    if "total" in headings:
        totals = _parsed(rows, ["total"], lambda row: _total(row["total"], which), file)
        return OwnGames(file.name, which, np.array(totals, np.int64), None)
    missing = [c for c in COLUMNS if c not in headings]
    raise YahtzeeError(
        f"{file.name} has the columns {', '.join(headings) or '(none)'}; games have a column "
        f"total, or all thirteen categories (missing: {', '.join(missing)}), first rolls die_1 to "
        "die_5"
    )


def _rows(file: Path) -> tuple[list[tuple[int, dict[str, str]]], list[str]]:
    """The rows of a file with their line numbers, and its headings."""
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            sample = stream.readline()
            stream.seek(0)
            delimiter = ";" if sample.count(";") > sample.count(",") else ","
            reader = csv.reader(stream, delimiter=delimiter)
            headings = [h.strip().lower().replace(" ", "_") for h in next(reader, [])]
            rows = []
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    named = dict(zip(headings, (c.strip() for c in cells), strict=False))
                    rows.append((reader.line_num, named))
    except OSError as error:
        raise YahtzeeError(f"cannot read {file}: {error.strerror or error}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise YahtzeeError(f"{file.name} is no CSV file: {error}") from None
    twice = sorted({h for h in headings if headings.count(h) > 1 and h})
    if twice:
        raise YahtzeeError(f"{file.name} has the column {twice[0]} twice")
    if not rows:
        raise YahtzeeError(f"{file.name} has no rows")
    return rows, headings


class _BadRow(Exception):
    pass


def _parsed(
    rows: list[tuple[int, dict[str, str]]], columns: Any, parse: Any, file: Path
) -> list[Any]:
    found, bad = [], []
    for line, row in rows:
        try:
            missing = [c for c in columns if not row.get(c)]
            if missing:
                raise _BadRow(f"{missing[0]} is empty")
            found.append(parse({c: _whole(c, row[c]) for c in columns}))
        except _BadRow as error:
            bad.append(f"line {line}: {error}")
    if bad:
        more = f"; and {len(bad) - 5} more" if len(bad) > 5 else ""
        raise YahtzeeError(f"{file.name}: {'; '.join(bad[:5])}{more}")
    return found


def _whole(column: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise _BadRow(f"{column} is a whole number, not {text!r}") from None


def _total(total: int, rules: Rules) -> int:
    if not 5 <= total <= rules.maximum:
        raise _BadRow(f"a total under {rules.name} is 5 to {rules.maximum}, not {total}")
    return total


def _dice(row: dict[str, int]) -> list[int]:
    for name, value in row.items():
        if not 1 <= value <= 6:
            raise _BadRow(f"{name} shows 1 to 6, not {value}")
    return [row[name] for name in DICE]


def _card(row: dict[str, int], rules: Rules) -> list[int]:
    """The 16 points of a card, checked."""
    bonus = row.get("yahtzee_bonus", 0)
    yahtzee = Category.YAHTZEE.column
    if row[yahtzee] > 50 and rules.yahtzee_bonus:
        extra = row[yahtzee] - 50
        if bonus not in (0, extra):
            raise _BadRow(f"yahtzee is {row[yahtzee]} and yahtzee_bonus {bonus}: which is it?")
        row, bonus = row | {yahtzee: 50}, extra
    possible = scoring(rules).points
    for box, name in enumerate(COLUMNS):
        if row[name] not in set(possible[:, box].tolist()):
            raise _BadRow(f"{name} cannot be {row[name]}")
    upper = sum(row[name] for name in COLUMNS[:6])
    upper_bonus = rules.upper_bonus if upper >= rules.upper_bonus_threshold else 0
    if row.get("upper_bonus", upper_bonus) != upper_bonus:
        raise _BadRow(
            f"upper_bonus is {upper_bonus} for an upper total of {upper}, not {row['upper_bonus']}"
        )
    hundred = rules.yahtzee_bonus
    if bonus and (not hundred or bonus % hundred or not 0 < bonus <= 12 * hundred):
        raise _BadRow(f"yahtzee_bonus cannot be {bonus} under {rules.name}")
    if bonus and row[yahtzee] != 50:
        raise _BadRow("a yahtzee_bonus needs 50 in the Yahtzee box")
    total = sum(row[name] for name in COLUMNS) + upper_bonus + bonus
    if row.get("total", total) != total:
        raise _BadRow(f"the boxes and bonuses make {total}, total says {row['total']}")
    return [*(row[name] for name in COLUMNS), upper_bonus, bonus, total]
