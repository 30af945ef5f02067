"""Charts of totals: their distribution, what it is made of, where one's own score lies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from yahtzee_sim.chart_look import FAINT, INK, canvas, look, name_lines, percent, short
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.evaluation import Evaluation
from yahtzee_sim.results import Result
from yahtzee_sim.specs import whole
from yahtzee_sim.statistics import LEVEL, check_level, normal_quantile
from yahtzee_sim.verdicts import Comparison

AnyResult = Result | Evaluation


def results_of(what: Any) -> list[AnyResult]:
    """The results in whatever is to be drawn: one, several, or a comparison."""
    if isinstance(what, Comparison):
        return list(what.results.values())
    several = list(what) if isinstance(what, list | tuple) else [what]
    if not several:
        raise YahtzeeError("there is nothing to draw; give a result, or several")
    found: list[AnyResult] = []
    for one in several:
        if isinstance(one, Comparison):
            found += one.results.values()
        elif isinstance(one, Result | Evaluation):
            found.append(one)
        else:
            raise YahtzeeError(
                "what is drawn is a result of simulate, compare or evaluate, or a list of them, "
                f"not {type(one).__name__}"
            )
    return found


def names_of(several: list[AnyResult]) -> list[str]:
    """What each result is called: its label, and how it was found if a label comes twice."""
    labels = [result.label for result in several]
    return [
        f"{short(r.label)} ({_found(r)})" if labels.count(r.label) > 1 else short(r.label)
        for r in several
    ]


def _found(result: AnyResult) -> str:
    return f"{result.n:,} games" if isinstance(result, Result) else "exact"


def bar_look(result: AnyResult) -> dict[str, Any]:
    """Bars of games are filled, those of exact chances hatched."""
    colour = look(result.label).colour
    if isinstance(result, Result):
        return {"color": colour, "alpha": 0.8}
    return {"facecolor": "white", "edgecolor": colour, "hatch": "///", "linewidth": 1}


def result_with_games(what: Any) -> Result:
    """The one simulated result that is to be drawn, with its games."""
    (first, *others) = results_of(what)
    if others or not isinstance(first, Result):
        raise YahtzeeError("this chart shows one simulated result, with its games")
    first.games  # noqa: B018 (it says so if there are none)
    return first


def _shares(result: AnyResult, width: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Middles of classes of totals, and the share of games in each for one point."""
    shares = result.distribution()
    low = int(shares.index[0]) // width * width
    values = np.concatenate([np.zeros(int(shares.index[0]) - low), shares.to_numpy()])
    values = np.pad(values, (0, -len(values) % width)).reshape(-1, width).sum(axis=1)
    middles = (low + width * np.arange(len(values)) + (width - 1) / 2).astype(np.float64)
    return middles, values / width


def _n(result: AnyResult) -> int:
    return result.n if isinstance(result, Result) else 0


def _span(results: list[AnyResult]) -> tuple[float, float]:
    """Totals that hold nearly all games."""
    low, high = np.inf, -np.inf
    for result in results:
        cumulative = result.distribution().cumsum().to_numpy()
        low = min(low, 5 + float(np.searchsorted(cumulative, 0.0005)))
        high = max(high, 5 + float(np.searchsorted(cumulative, 0.997)))
    return low - 8, high + 8


def distribution(
    results: Any, *, ax: Axes | None = None, width: int | None = None, level: float = LEVEL
) -> Axes:
    """The distribution of totals: bars for games that were played, a line for exact chances.

    Parameters
    ----------
    results : Result, Evaluation, Comparison or list of these
    ax : Axes, optional
    width : int, optional
        Points in a class; by default as the number of games allows, 1 if all are exact.
    level : float
        Of the bands that a line of games has where several strategies are drawn.

    Returns
    -------
    Axes
    """
    check_level(level)
    several = results_of(results)
    played = [r for r in several if isinstance(r, Result)]
    if width is None:
        fewest = min((r.n for r in played), default=10**9)
        width = int(np.clip(round(100_000 / max(fewest, 1)), 1, 20)) if played else 1
    if whole(width) is None or width < 1:
        raise YahtzeeError(f"width is a whole number of points from 1 up, not {width!r}")
    bars = len(played) == 1
    with canvas(ax) as axes:
        for result in several:
            middle, share = _shares(result, width)
            seen = look(result.label)
            if isinstance(result, Result):
                name = f"{short(result.label)} ({result.n:,} games)"
                if bars:
                    axes.bar(
                        middle, share, width, color=seen.colour, alpha=0.35, label=name, linewidth=0
                    )
                    continue
                axes.plot(middle, share, color=seen.colour, linestyle=seen.dash, label=name)
                error = normal_quantile(level) * np.sqrt(
                    share * width * (1 - share * width) / result.n
                )
                axes.fill_between(
                    middle,
                    np.maximum(share - error / width, 0),
                    share + error / width,
                    color=seen.colour,
                    alpha=0.15,
                    linewidth=0,
                )
            else:
                dash = "-" if bars or len(several) == 1 else seen.dash
                colour = INK if bars and len(several) == 2 else seen.colour
                axes.plot(
                    middle,
                    share,
                    color=colour,
                    linestyle=dash,
                    linewidth=1.1,
                    label=f"{short(result.label)} (exact)",
                )
        axes.set_xlim(*_span(several))
        axes.set_ylim(bottom=0)
        axes.set_xlabel("total (points)")
        axes.set_ylabel("share of games per point")
        name_lines(axes, len(several) + 1)
    return axes


def cumulative(results: Any, *, ax: Axes | None = None, score: int | None = None) -> Axes:
    """The share of games with at most a total, with the quartiles, and one's own score.

    Parameters
    ----------
    results : Result, Evaluation, Comparison or list of these
    ax : Axes, optional
    score : int, optional
        A total to mark, with the share of games that it beats (ties as halves).

    Returns
    -------
    Axes
    """
    several = results_of(results)
    if score is not None and whole(score) is None:
        raise YahtzeeError(f"score is a whole number of points, not {score!r}")
    with canvas(ax) as axes:
        for q in (0.05, 0.25, 0.5, 0.75, 0.95):
            axes.axhline(q, color=FAINT, linewidth=0.5, linestyle=":")
        for result, name in zip(several, names_of(several), strict=True):
            shares = result.distribution()
            seen = look(result.label)
            axes.step(
                shares.index,
                shares.cumsum(),
                where="post",
                color=seen.colour,
                linestyle=seen.dash if isinstance(result, Result) else "-",
                label=name,
            )
        low, high = _span(several)
        if score is not None:
            low, high = min(low, score - 10), max(high, score + 10)
            axes.axvline(score, color=INK, linewidth=1)
            lines = [f"your {score}"]
            for result in several:
                shares = result.distribution()
                beats = shares[shares.index < score].sum() + shares.get(score, 0) / 2
                lines.append(f"beats {beats:.1%} of {short(result.label, 22)}")
            side = "left" if score < (low + high) / 2 else "right"
            axes.annotate(
                "\n".join(lines),
                (score, 0.04),
                xytext=(5 if side == "left" else -5, 0),
                textcoords="offset points",
                ha=side,
                va="bottom",
                fontsize="small",
            )
        axes.set_xlim(low, high)
        axes.set_ylim(0, 1)
        axes.set_yticks([0, 0.05, 0.25, 0.5, 0.75, 0.95, 1])
        percent(axes)
        axes.set_xlabel("total (points)")
        axes.set_ylabel("games with at most this total")
        name_lines(axes, len(several), loc="lower right" if score is None else "best")
    return axes


def split(result: Any, *, ax: Axes | None = None, width: int = 5) -> Axes:
    """The distribution of totals, split by upper bonus and number of Yahtzees paid: why it has
    bumps.

    Parameters
    ----------
    result : Result
        With its games.
    ax : Axes, optional
    width : int
        Points in a class.

    Returns
    -------
    Axes
    """
    one = result_with_games(result)
    games = one.games
    hundred = max(one.rules.yahtzee_bonus, 1)
    yahtzees = (games["yahtzee"] == 50).to_numpy() + games["yahtzee_bonus"].to_numpy() // hundred
    bonus = games["upper_bonus"].to_numpy() > 0
    total = games["total"].to_numpy()
    low, high = _span([one])
    edges = np.arange(low // width * width, high + width, width)
    kinds = [
        (f"{name}, {'bonus' if has else 'no bonus'}", (bonus == has) & of)
        for name, of in (
            ("no Yahtzee", yahtzees == 0),
            ("one Yahtzee", yahtzees == 1),
            ("two or more", yahtzees >= 2),
        )
        for has in (False, True)
    ]
    colours = ["#c6d9ea", "#7fb0d3", "#f6d5b5", "#e69f00", "#d3c1e0", "#7a5195"]
    hatches = ["", "//", "", "//", "", "//"]
    with canvas(ax) as axes:
        bottom = np.zeros(len(edges) - 1)
        for (name, which), colour, hatch in zip(kinds, colours, hatches, strict=True):
            share = np.histogram(total[which], edges)[0] / one.n / width
            axes.bar(
                edges[:-1] + width / 2,
                share,
                width,
                bottom=bottom,
                color=colour,
                hatch=hatch,
                edgecolor="white",
                linewidth=0,
                label=f"{name} ({which.mean():.1%})",
            )
            bottom += share
        axes.set_xlabel("total (points)")
        axes.set_ylabel("share of games per point")
        axes.set_title(f"{short(one.label)}, {one.n:,} games")
        axes.legend(fontsize="small")
    return axes


def running_mean(
    results: Any, *, ax: Axes | None = None, exact: Any = None, level: float = LEVEL
) -> Axes:
    """The mean total after each game, with its interval, against the exact mean.

    Parameters
    ----------
    results : Result, Comparison or list of Result
        With their games.
    ax : Axes, optional
    exact : Evaluation or float, optional
        Drawn as a line.
    level : float
        Of the band (at each number of games by itself: it does not hold for all at once).

    Returns
    -------
    Axes
    """
    check_level(level)
    several = results_of(results)
    z = normal_quantile(level)
    with canvas(ax) as axes:
        for one in several:
            result = result_with_games(one)
            total = result.games["total"].to_numpy().astype(float)
            n = np.arange(1, len(total) + 1)
            centre = total[0] if len(total) else 0.0
            mean = np.cumsum(total - centre) / n
            square = np.cumsum((total - centre) ** 2) / n
            shown = np.unique(np.geomspace(1, max(len(total), 1), 600).astype(int)) - 1
            error = np.sqrt(np.maximum(square - mean**2, 0) / np.maximum(n - 1, 1))
            seen = look(result.label)
            mean, error, n = mean[shown] + centre, error[shown], n[shown]
            axes.plot(n, mean, color=seen.colour, linestyle=seen.dash, label=short(result.label))
            wide = n >= 2
            axes.fill_between(
                n[wide],
                (mean - z * error)[wide],
                (mean + z * error)[wide],
                color=seen.colour,
                alpha=0.18,
                linewidth=0,
            )
        if exact is not None:
            value = exact.mean if isinstance(exact, Evaluation) else float(exact)
            axes.axhline(value, color=INK, linewidth=1, linestyle="--", label=f"exact {value:.3f}")
        axes.set_xscale("log")
        axes.set_xlabel("games")
        axes.set_ylabel(f"mean total so far (points), {level:.0%} band")
        name_lines(axes, len(several) + (exact is not None))
    return axes


def luck_and_cost(result: Any, *, ax: Axes | None = None) -> Axes:
    """Luck against the cost of decisions, a point a game: was it luck?

    Parameters
    ----------
    result : Result
        Played with ``luck=True``.
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    one = result_with_games(result)
    accounts = one.accounts
    luck, cost = accounts["luck"].to_numpy(), accounts["cost"].to_numpy()
    with canvas(ax) as axes:
        if len(luck) > 3000 and np.ptp(cost) > 0:
            drawn = axes.hexbin(luck, cost, gridsize=45, mincnt=1, bins="log", cmap="Blues")
            axes.figure.colorbar(drawn, ax=axes, label="games")
        else:
            axes.plot(luck, cost, "o", markersize=3, alpha=0.5, color=look(one.label).colour)
        axes.axvline(0, color=FAINT, linewidth=0.8)
        axes.set_ylim(bottom=min(0.0, float(cost.min(initial=0.0))))
        axes.set_xlabel("luck of the rolls (points)")
        axes.set_ylabel("cost of the decisions (points)")
        spread = f"sd of luck {luck.std():.1f}, of cost {cost.std():.1f}"
        axes.set_title(f"{short(one.label)}, {one.n:,} games: {spread}")
    return axes


def upper(results: Any, *, ax: Axes | None = None) -> Axes:
    """The total of the upper section, with the line of the bonus.

    Parameters
    ----------
    results : Result, Evaluation, Comparison or list of these
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    several = results_of(results)
    with canvas(ax) as axes:
        for i, (result, called) in enumerate(zip(several, names_of(several), strict=True)):
            counts = result.tally.upper if isinstance(result, Result) else result.chances.upper
            share = counts / counts.sum()
            threshold = result.rules.upper_bonus_threshold
            seen = look(result.label)
            name = f"{called}: bonus in {share[threshold:].sum():.1%}"
            points = np.arange(len(share))
            if len(several) == 1:
                colours = np.where(points >= threshold, seen.colour, FAINT)
                axes.bar(points, share, 1, color=colours, linewidth=0, label=name)
                near = share[max(threshold - 6, 0) : threshold].sum()
                axes.set_title(f"{name}; missed by one to six points in {near:.1%}")
            else:
                axes.plot(points, share, color=seen.colour, linestyle=seen.dash, label=name)
            if i == 0:
                axes.axvline(threshold - 0.5, color=INK, linewidth=1)
                axes.annotate(
                    f"bonus from {threshold}",
                    (threshold - 0.5, 1),
                    xycoords=("data", "axes fraction"),
                    xytext=(4, -4),
                    textcoords="offset points",
                    va="top",
                    fontsize="small",
                )
        axes.set_xlim(0, 105)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("total of the upper section (points, bonus left out)")
        axes.set_ylabel("share of games")
        percent(axes)
        name_lines(axes, len(several), loc="upper left")
    return axes


def yahtzees(results: Any, *, ax: Axes | None = None, level: float = LEVEL) -> Axes:
    """How many Yahtzees a game brings: the 50 and the bonuses.

    Parameters
    ----------
    results : Result, Evaluation, Comparison or list of these
    ax : Axes, optional
    level : float
        Of the intervals (Wilson) of games that were played.

    Returns
    -------
    Axes
    """
    from yahtzee_sim.statistics import proportion

    check_level(level)
    several = results_of(results)
    groups = ["0", "1", "2", "3", "4 or more"]
    with canvas(ax) as axes:
        wide = 0.8 / len(several)
        for i, (result, name) in enumerate(zip(several, names_of(several), strict=True)):
            counts = result.tally.paid if isinstance(result, Result) else result.chances.paid
            if counts is None:
                raise YahtzeeError(
                    "the distribution was not asked for; evaluate without only='mean'"
                )
            grouped = np.append(counts[:4], counts[4:].sum())
            share = grouped / grouped.sum()
            where = np.arange(5) + (i - (len(several) - 1) / 2) * wide
            bars = axes.bar(where, share, wide * 0.95, label=name, **bar_look(result))
            if isinstance(result, Result):
                found = [proportion(int(k), result.n, level) for k in grouped]
                error = [
                    [max(s - e.low, 0) for s, e in zip(share, found, strict=True)],
                    [max(e.high - s, 0) for s, e in zip(share, found, strict=True)],
                ]
                axes.errorbar(where, share, error, fmt="none", ecolor=INK, elinewidth=1, capsize=2)
            if len(several) <= 2:
                axes.bar_label(bars, [f"{s:.1%}" for s in share], fontsize="small", padding=3)
        axes.set_xticks(range(5), groups)
        axes.set_xlabel("Yahtzees paid in a game")
        axes.set_ylabel("share of games")
        percent(axes)
        name_lines(axes, len(several))
    return axes


def frame_of(what: Any, columns: tuple[str, ...]) -> pd.DataFrame:
    """A frame that has these columns, or one clear line."""
    if not isinstance(what, pd.DataFrame):
        raise YahtzeeError(f"this chart shows a frame, not {type(what).__name__}")
    missing = [c for c in columns if c not in what.columns]
    if missing:
        raise YahtzeeError(f"the frame has no column {', '.join(missing)}")
    return what
