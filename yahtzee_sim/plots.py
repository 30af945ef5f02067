"""Charts: each takes a result, or several, and `ax=None`, and returns the `Axes`.

Totals: `distribution`, `cumulative`, `split`, `running_mean`, `luck_and_cost`, `upper`,
`yahtzees`. Boxes: `categories`, `rounds`, `correlation`, `losses`, `openings`. Comparisons:
`ranking`, `forest`, `head_to_head`, `frequencies`, `sweep`. `save` writes a chart as PDF, SVG and
PNG; `style` is our look, for figures of your own.
"""

from yahtzee_sim.chart_boxes import categories, correlation, losses, openings, rounds
from yahtzee_sim.chart_comparing import forest, frequencies, head_to_head, ranking, sweep
from yahtzee_sim.chart_look import save, style
from yahtzee_sim.chart_totals import (
    cumulative,
    distribution,
    luck_and_cost,
    running_mean,
    split,
    upper,
    yahtzees,
)

__all__ = [
    "categories",
    "correlation",
    "cumulative",
    "distribution",
    "forest",
    "frequencies",
    "head_to_head",
    "losses",
    "luck_and_cost",
    "openings",
    "ranking",
    "rounds",
    "running_mean",
    "save",
    "split",
    "style",
    "sweep",
    "upper",
    "yahtzees",
]
