"""Charts of boxes: what they bring, when they are filled, where points go."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from yahtzee_sim.categories import COLUMNS
from yahtzee_sim.chart_look import DIVERGING, INK, MAP, canvas, name_lines, short
from yahtzee_sim.chart_totals import (
    bar_look,
    frame_of,
    names_of,
    result_with_games,
    results_of,
)
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.lost_points import Losses
from yahtzee_sim.reckoning import STAGES
from yahtzee_sim.results import Result
from yahtzee_sim.statistics import LEVEL, check_level

_NAMES = [c.replace("_", " ").replace("of a kind", "kind") for c in COLUMNS]


def categories(results: Any, *, ax: Axes | None = None, level: float = LEVEL) -> Axes:
    """The mean points of each box, with the share of games in which it is zeroed.

    Parameters
    ----------
    results : Result, Evaluation, Comparison or list of these
    ax : Axes, optional
    level : float
        Of the intervals of games that were played.

    Returns
    -------
    Axes
    """
    check_level(level)
    several = results_of(results)
    wide = 0.8 / len(several)
    with canvas(ax, (7.0, 4.2 + 0.45 * len(several))) as axes:
        for i, (result, name) in enumerate(zip(several, names_of(several), strict=True)):
            if isinstance(result, Result):
                frame = result.categories(level=level)
            else:
                frame = result.categories()
            where = np.arange(13) + (i - (len(several) - 1) / 2) * wide
            mean = frame["mean"].to_numpy()
            axes.barh(where, mean, wide * 0.92, label=name, **bar_look(result))
            if isinstance(result, Result) and result.n > 1:
                error = [mean - frame["mean_low"], frame["mean_high"] - mean]
                axes.errorbar(
                    mean, where, xerr=error, fmt="none", ecolor=INK, elinewidth=0.8, capsize=1.5
                )
            if len(several) <= 3:
                for y, x, zero in zip(where, mean, frame["zero_rate"], strict=True):
                    axes.annotate(
                        f"{zero:.0%} zero" if zero >= 0.005 else "",
                        (x, y),
                        xytext=(5, 0),
                        textcoords="offset points",
                        va="center",
                        fontsize=7,
                    )
        axes.set_yticks(range(13), _NAMES)
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        axes.set_xlim(0, max(axes.get_xlim()[1], 1) * 1.08)
        axes.set_xlabel("mean points in the box")
        name_lines(axes, len(several), loc="lower right")
    return axes


def rounds(result: Any, *, ax: Axes | None = None) -> Axes:
    """When each box is filled: the share of games by box and round.

    Parameters
    ----------
    result : Result or Evaluation
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    (one,) = _one(result)
    shares = one.rounds()
    table = shares.to_numpy(float)
    total = table.sum(axis=1, keepdims=True)
    table = np.divide(table, total, out=np.zeros_like(table), where=total > 0)
    with canvas(ax, (7.0, 5.0)) as axes:
        _heat(axes, table, MAP, "{:.0%}", "share of games", vmin=0.0, least=0.005)
        axes.set_yticks(range(13), _NAMES)
        axes.set_xticks(range(13), [str(r) for r in range(1, 14)])
        axes.set_xlabel("round in which the box is filled")
        axes.set_title(short(one.label, 50))
    return axes


def correlation(result: Any, *, ax: Axes | None = None) -> Axes:
    """How the points of the boxes go together from game to game.

    Parameters
    ----------
    result : Result
        With its games.
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    one = result_with_games(result)
    games = one.games.iloc[:, :15].to_numpy(float)
    spread = games.std(axis=0)
    centred = (games - games.mean(axis=0)) / np.where(spread > 0, spread, 1)
    table = centred.T @ centred / len(games)
    table[np.ix_(spread == 0, range(15))] = np.nan
    table[:, spread == 0] = np.nan
    names = [*_NAMES, "upper bonus", "Yahtzee bonus"]
    with canvas(ax, (7.4, 6.2)) as axes:
        most = np.nanmax(np.abs(table - np.eye(15)), initial=0.05)
        np.fill_diagonal(table, np.nan)
        _heat(
            axes,
            table,
            DIVERGING,
            "{:.2f}",
            "correlation",
            vmin=-most,
            vmax=most,
            size=6,
            least=0.005,
        )
        axes.set_yticks(range(15), names)
        axes.set_xticks(range(15), names, rotation=60, ha="right")
        axes.set_title(f"{short(one.label, 50)}, {one.n:,} games")
    return axes


def losses(lost: Any, *, ax: Axes | None = None) -> Axes:
    """Where the points go: the cost of decisions by round and stage.

    Parameters
    ----------
    lost : Losses
        From ``ys.losses(strategy)``.
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    if not isinstance(lost, Losses):
        raise YahtzeeError(f"this chart shows what ys.losses gives, not {type(lost).__name__}")
    frame = lost.rounds()
    colours = ("#56b4e9", "#0072b2", "#e69f00")
    with canvas(ax) as axes:
        bottom = np.zeros(13)
        for stage, colour, hatch in zip(STAGES, colours, ("", "//", ".."), strict=True):
            share = lost.stages().loc[stage, "value"]
            axes.bar(
                frame.index,
                frame[stage],
                0.85,
                bottom=bottom,
                color=colour,
                hatch=hatch,
                edgecolor="white",
                linewidth=0,
                label=f"{stage.replace('_', ' ')}: {share:.2f}",
            )
            bottom += frame[stage].to_numpy()
        if lost.n > 1:
            error = [bottom - frame["low"], frame["high"] - bottom]
            axes.errorbar(frame.index, bottom, error, fmt="none", ecolor=INK, capsize=2)
        axes.set_xticks(range(1, 14))
        axes.set_xlabel("round")
        axes.set_ylabel("points lost a game against optimal play")
        axes.set_title(f"{short(lost.label, 40)} loses {lost.total:.2f} points a game")
        axes.legend(fontsize="small")
    return axes


def openings(frame: Any, *, ax: Axes | None = None, n: int = 30) -> Axes:
    """The opening table: the best keep of first rolls on the empty card, and what the next costs.

    Parameters
    ----------
    frame : DataFrame
        From ``ys.openings()``.
    ax : Axes, optional
    n : int
        The likeliest rolls that are shown.

    Returns
    -------
    Axes
    """
    rows = frame_of(frame, ("keep", "value", "probability"))
    rows = rows.sort_values("probability", ascending=False, kind="stable").head(n)
    rows = rows.sort_values("value", kind="stable")
    with canvas(ax, (6.4, 1.0 + 0.17 * len(rows))) as axes:
        where = np.arange(len(rows))
        axes.hlines(where, rows["value"].min() - 1, rows["value"], color="#bbbbbb", linewidth=1)
        axes.plot(rows["value"], where, "o", color="#0072b2", markersize=4)
        for y, value, keep in zip(where, rows["value"], rows["keep"], strict=True):
            axes.annotate(
                f"keep {keep or 'nothing'}",
                (value, y),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
            )
        axes.set_yticks(where, [str(roll) for roll in rows.index], family="monospace", fontsize=7)
        axes.grid(visible=False, axis="y")
        axes.margins(x=0.15)
        axes.set_ylabel("first roll")
        axes.set_xlabel("expected final total (points)")
    return axes


def _one(what: Any) -> Any:
    found = results_of(what)
    if len(found) != 1:
        raise YahtzeeError(f"this chart shows one result, not {len(found)}")
    return found


def _heat(
    axes: Axes,
    table: np.ndarray,
    colours: str,
    form: str,
    label: str,
    size: int = 7,
    least: float = 0.0,
    **limits: Any,
) -> None:
    """A matrix as colours with numbers in its cells."""
    drawn = axes.imshow(np.ma.masked_invalid(table), cmap=colours, aspect="auto", **limits)
    axes.grid(visible=False)
    axes.figure.colorbar(drawn, ax=axes, label=label)
    for (y, x), value in np.ndenumerate(table):
        if not np.isfinite(value) or abs(value) < least:
            continue
        red, green, blue, _ = drawn.cmap(drawn.norm(value))
        dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
        axes.text(
            x,
            y,
            form.format(value),
            ha="center",
            va="center",
            fontsize=size,
            color="white" if dark else INK,
        )


def heat_of_frame(
    frame: pd.DataFrame, axes: Axes, colours: str, form: str, label: str, **limits: Any
) -> None:
    """A frame as a matrix of colours with its index and columns."""
    _heat(axes, frame.to_numpy(float), colours, form, label, **limits)
    axes.set_yticks(range(len(frame.index)), [short(str(x), 20) for x in frame.index])
    axes.set_xticks(
        range(len(frame.columns)),
        [short(str(x), 20) for x in frame.columns],
        rotation=40 if len(frame.columns) > 4 else 0,
        ha="right" if len(frame.columns) > 4 else "center",
    )
