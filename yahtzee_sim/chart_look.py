"""How charts look: one style, applied in context; one colour, marker and dash for each strategy.

Colours are those of Okabe and Ito, which the colour-blind tell apart; beside them every strategy
has a marker and a dash of its own, so that charts are read in grey as well. Knows nothing of games.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib import pyplot as plt
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.known import figures
from yahtzee_sim.specs import unknown

STYLE: Any = {
    "figure.figsize": (7.0, 4.2),
    "figure.dpi": 110,
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "savefig.dpi": 200,
    "svg.fonttype": "none",
    "svg.hashsalt": "yahtzee-sim",
    "pdf.fonttype": 42,
}
"""The settings of matplotlib for our charts."""
INK, FAINT = "#222222", "#8a8a8a"
MAP, DIVERGING = "cividis", "RdBu_r"
FORMATS = ("pdf", "svg", "png")

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7a5195")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))


class Look(NamedTuple):
    """How a strategy is drawn."""

    colour: str
    marker: str
    dash: Any


_LOOKS: dict[str, Look] = {}
_APART = ("optimal", "greedy", "kth", "par", "twenty", "careful-human", "heuristic", "most-points")
"""Those that are drawn together most have the eight colours for themselves; others share them, with
other markers and dashes."""


def look(label: str) -> Look:
    """The look of a strategy: always the same one in a session, and for the library's own in all
    sessions."""
    if not _LOOKS:
        for name in dict.fromkeys((*_APART, *figures())):
            _assign(name)
    return _LOOKS.get(label) or _assign(label)


def _assign(label: str) -> Look:
    n = len(_LOOKS)
    colour, marker = _COLOURS[n % len(_COLOURS)], _MARKERS[n % len(_MARKERS)]
    _LOOKS[label] = Look(colour, marker, _DASHES[(n // len(_COLOURS) + n) % len(_DASHES)])
    return _LOOKS[label]


@contextmanager
def style() -> Iterator[None]:
    """Draw in our style: ``with ys.plots.style(): fig, axes = plt.subplots(2)``. Nothing outside
    is changed."""
    # not plt.rc_context, which would also undo that a notebook's backend has become interactive
    before = {name: rcParams[name] for name in STYLE}
    rcParams.update(STYLE)
    try:
        yield
    finally:
        rcParams.update(before)


@contextmanager
def canvas(ax: Axes | None, size: tuple[float, float] | None = None) -> Iterator[Axes]:
    """The axes to draw on: those given, or new ones in our style."""
    if ax is not None:
        if not isinstance(ax, Axes):
            raise YahtzeeError(f"ax is an Axes of matplotlib, such as plt.gca(), not {ax!r}")
        yield ax
        return
    with style():
        _, new = plt.subplots(figsize=size)
        yield new


def short(label: str, room: int = 28) -> str:
    """A label that fits: the end of a long one is cut."""
    return label if len(label) <= room else label[: room - 1].rstrip(",=(") + "…"


def name_lines(ax: Axes, count: int, **where: Any) -> None:
    """A legend, if there is more than one thing to name; beside the chart if there are many."""
    if count > 6:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize="small")
    elif count > 1:
        ax.legend(fontsize="small", **where)


def percent(ax: Axes, which: str = "y") -> None:
    """An axis of shares, in percent."""
    from matplotlib.ticker import PercentFormatter

    axis = ax.yaxis if which == "y" else ax.xaxis
    axis.set_major_formatter(PercentFormatter(xmax=1, decimals=None))


def save(chart: Axes | Figure, path: str | Path, formats: Iterable[str] = FORMATS) -> list[Path]:
    """Write a chart as PDF, SVG and PNG.

    Parameters
    ----------
    chart : Axes or Figure
    path : str or Path
        Without an ending; the folder is made if need be.
    formats : iterable of str

    Returns
    -------
    list of Path
        What was written.
    """
    figure = chart.get_figure(root=True) if isinstance(chart, Axes) else chart
    if not isinstance(figure, Figure):
        raise YahtzeeError(f"a chart is an Axes or a Figure, not {chart!r}")
    stem, written = Path(path).expanduser(), []
    wanted = [formats] if isinstance(formats, str) else list(formats)
    for ending in wanted:
        if ending not in FORMATS:
            raise YahtzeeError(unknown("format", ending, FORMATS))
    if stem.suffix.lstrip(".") in FORMATS:
        stem = stem.with_suffix("")
    try:
        stem.parent.mkdir(parents=True, exist_ok=True)
        with style():
            for ending in wanted:
                file = stem.with_name(f"{stem.name}.{ending}")
                # no date, so that the same chart is the same file
                dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
                figure.savefig(file, bbox_inches="tight", metadata=dates.get(ending))
                written.append(file)
    except OSError as error:
        raise YahtzeeError(f"cannot write {stem}: {error.strerror or error}") from error
    return written
