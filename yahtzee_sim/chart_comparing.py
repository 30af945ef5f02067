"""Charts of comparisons: rankings, differences, who beats whom, what a parameter does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from yahtzee_sim.chart_boxes import heat_of_frame
from yahtzee_sim.chart_look import DIVERGING, FAINT, INK, canvas, look, name_lines, percent, short
from yahtzee_sim.chart_totals import frame_of, names_of, results_of
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.results import Result
from yahtzee_sim.statistics import LEVEL, check_level
from yahtzee_sim.verdicts import Comparison

_VERDICT = {"better": INK, "worse": INK, "equivalent": FAINT, "identical": FAINT}


def _compared(what: Any) -> Comparison:
    if not isinstance(what, Comparison):
        raise YahtzeeError(f"this chart shows what ys.compare gives, not {type(what).__name__}")
    return what


def ranking(comparison: Any, *, ax: Axes | None = None, level: float | None = None) -> Axes:
    """The mean total of each strategy with its interval, the best on top, and exact means.

    Parameters
    ----------
    comparison : Comparison
    ax : Axes, optional
    level : float, optional

    Returns
    -------
    Axes
    """
    found = _compared(comparison)
    frame = found.ranking(level=level)
    level = level or found.level
    with canvas(ax, (7.0, 1.3 + 0.34 * len(frame))) as axes:
        for y, (label, row) in enumerate(frame.iterrows()):
            seen = look(str(label))
            if np.isfinite(row["se"]):
                error = [[row["mean"] - row["low"]], [row["high"] - row["mean"]]]
                axes.errorbar(row["mean"], y, xerr=error, color=seen.colour, capsize=3)
            axes.plot(row["mean"], y, marker=seen.marker, color=seen.colour, linestyle="")
            axes.annotate(
                f"{row['mean']:.1f}",
                (row["mean"], y),
                xytext=(0, 6),
                textcoords="offset points",
                ha="center",
                fontsize=7,
            )
        if "exact" in frame:
            known = frame["exact"].notna().to_numpy()
            axes.plot(
                frame["exact"][known],
                np.flatnonzero(known),
                "|",
                color=INK,
                markersize=13,
                label="exact",
            )
            axes.legend(fontsize="small", loc="lower right")
        axes.set_yticks(range(len(frame)), [short(str(x)) for x in frame.index])
        axes.invert_yaxis()
        axes.margins(x=0.08, y=0.12 if len(frame) > 1 else 0.6)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel(f"mean total (points), {100 * level:.4g} % intervals")
    return axes


def forest(
    comparison: Any,
    *,
    ax: Axes | None = None,
    metric: str = "mean",
    level: float | None = None,
) -> Axes:
    """Every paired difference with its intervals: thick alone, thin for all pairs together.

    Parameters
    ----------
    comparison : Comparison
    ax : Axes, optional
    metric : str
        As in `Comparison.pairs`.
    level : float, optional

    Returns
    -------
    Axes
    """
    found = _compared(comparison)
    frame = found.pairs(metric, level=level)
    level = level or found.level
    share = metric.startswith("p_")
    with canvas(ax, (7.4, 1.4 + 0.3 * len(frame))) as axes:
        margin = found.margin if metric == "mean" else 0.0
        if margin:
            axes.axvspan(-margin, margin, color="#eeeeee", zorder=0)
        axes.axvline(0, color=INK, linewidth=0.8)
        for y, (_, row) in enumerate(frame.iterrows()):
            colour = _VERDICT.get(row["verdict"], "#0072b2")
            if np.isfinite(row["low"]):
                axes.hlines(y, row["low_all"], row["high_all"], color=colour, linewidth=1)
                axes.hlines(y, row["low"], row["high"], color=colour, linewidth=3.5)
            filled = row["verdict"] in ("better", "worse")
            axes.plot(
                row["difference"],
                y,
                "o",
                markersize=6,
                markeredgecolor=colour,
                markerfacecolor=colour if filled else "white",
            )
            text = f"{row['difference']:+.1%}" if share else f"{row['difference']:+.2f}"
            axes.annotate(
                f"{text}  {row['verdict']}",
                (1.01, y),
                xycoords=("axes fraction", "data"),
                va="center",
                fontsize=8,
                annotation_clip=False,
            )
        names = [f"{short(a, 20)} - {short(b, 20)}" for a, b in frame.index]
        axes.set_yticks(range(len(frame)), names)
        axes.set_ylim(len(frame) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        if share:
            percent(axes, "x")
        what = "difference of mean totals (points)" if metric == "mean" else f"difference, {metric}"
        axes.set_xlabel(f"{what}; {100 * level:.4g} %, thick alone, thin all pairs together")
    return axes


def head_to_head(what: Any, *, ax: Axes | None = None) -> Axes:
    """Who beats whom: the share of games that the row wins against the column, ties as halves.

    Parameters
    ----------
    what : Comparison or DataFrame
        Games on the same dice, or what ``ys.round_robin`` gives (games at a table).
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    if isinstance(what, Comparison):
        labels = list(what.results)
        if len(labels) < 2:
            raise YahtzeeError("there is one strategy; head to head needs two")
        table = pd.DataFrame(np.nan, index=labels, columns=labels)
        for (a, b), row in what.pairs().iterrows():
            table.loc[a, b] = row["won"] + row["tied"] / 2
            table.loc[b, a] = row["lost"] + row["tied"] / 2
        dice = "on the same dice" if what.paired else "dice of their own"
    else:
        share = frame_of(what, ("share",))["share"]
        if share.index.nlevels != 2:
            raise YahtzeeError("this chart shows what ys.round_robin gives, or a comparison")
        labels = list(dict.fromkeys(share.index.get_level_values(0)))
        table = share.unstack().reindex(index=labels, columns=labels)  # noqa: PD010 (one each)
        dice = "around a table"
    size = 1.6 + 0.55 * len(table)
    with canvas(ax, (max(size + 1.6, 4.4), max(size, 3.0))) as axes:
        heat_of_frame(
            table, axes, DIVERGING, "{:.1%}", "share won, ties as halves", vmin=0.0, vmax=1.0
        )
        axes.set_title(f"the row beats the column, {dice}")
    return axes


def frequencies(results: Any, *, ax: Axes | None = None, level: float = LEVEL) -> Axes:
    """How often the upper bonus and a Yahtzee come, with intervals.

    Parameters
    ----------
    results : Result, Evaluation, Comparison or list of these
    ax : Axes, optional
    level : float

    Returns
    -------
    Axes
    """
    check_level(level)
    several = results_of(results)
    metrics = {"p_upper_bonus": "upper bonus", "p_yahtzee": "50 in the Yahtzee box"}
    with canvas(ax, (7.0, 1.3 + 0.32 * len(several))) as axes:
        for y, result in enumerate(several):
            if isinstance(result, Result):
                summary = result.summary(level=level)
            else:
                summary = result.summary()
            for metric, marker in zip(metrics, ("o", "s"), strict=True):
                row = summary.loc[metric]
                colour = look(result.label).colour
                axes.errorbar(
                    row["value"],
                    y,
                    xerr=[[row["value"] - row["low"]], [row["high"] - row["value"]]],
                    marker=marker,
                    color=colour,
                    markerfacecolor=colour if metric == "p_upper_bonus" else "white",
                    capsize=3,
                )
        for metric, marker in zip(metrics, ("o", "s"), strict=True):
            axes.plot(
                [],
                [],
                marker,
                color=INK,
                markerfacecolor=INK if metric == "p_upper_bonus" else "white",
                label=metrics[metric],
            )
        axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.01, 1.0))
        axes.set_yticks(range(len(several)), names_of(several))
        axes.set_ylim(len(several) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        axes.set_xlim(left=min(axes.get_xlim()[0], 0))
        percent(axes, "x")
        axes.set_xlabel(f"share of games, {100 * level:.4g} % intervals")
    return axes


def sweep(frame: Any, *, ax: Axes | None = None, x: str | None = None) -> Axes:
    """What a parameter does to the mean; a line for each combination of the others.

    Parameters
    ----------
    frame : DataFrame
        From ``ys.sweep``.
    ax : Axes, optional
    x : str, optional
        The parameter along the axis; by default the first with numbers.

    Returns
    -------
    Axes
    """
    rows = frame_of(frame, ("mean", "mean_low", "mean_high"))
    fields = list(rows.columns[: list(rows.columns).index("mean")])
    if x is None:
        numbers = [f for f in fields if pd.api.types.is_numeric_dtype(rows[f])]
        x = (numbers or fields)[0]
    if x not in fields:
        raise YahtzeeError(f"x is one of the parameters {', '.join(fields)}, not {x!r}")
    others = [f for f in fields if f != x]
    groups = list(rows.groupby(others, sort=False)) if others else [((), rows)]
    with canvas(ax) as axes:
        for values, group in groups:
            values = values if isinstance(values, tuple) else (values,)
            label = ", ".join(
                f"{f}={short(str(v), 16)}" for f, v in zip(others, values, strict=True)
            )
            seen = look(label or f"sweep of {x}")
            group = group.sort_values(x)
            where = group[x] if pd.api.types.is_numeric_dtype(group[x]) else group[x].astype(str)
            axes.plot(
                where,
                group["mean"],
                marker=seen.marker,
                color=seen.colour,
                linestyle=seen.dash,
                label=label,
            )
            if (group["mean_high"] > group["mean_low"]).any():
                axes.fill_between(
                    where,
                    group["mean_low"].to_numpy(),
                    group["mean_high"].to_numpy(),
                    color=seen.colour,
                    alpha=0.18,
                    linewidth=0,
                )
        best = rows.loc[rows["mean"].idxmax()]
        axes.annotate(
            f"{best['mean']:.2f}",
            (best[x] if pd.api.types.is_numeric_dtype(rows[x]) else str(best[x]), best["mean"]),
            xytext=(0, 6),
            textcoords="offset points",
            ha="center",
            fontsize=8,
        )
        axes.margins(y=0.12)
        axes.set_xlabel(x)
        axes.set_ylabel("mean total (points)")
        name_lines(axes, len(groups) if others else 1)
    return axes
