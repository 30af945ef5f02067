"""What the built-in strategies are known to bring, from the table beside them.

`strategies/figures.csv` is made by `benchmarks/figures.py`: exact figures under `official`, and of
10 million games for strategies that use luck.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib import resources

COLUMNS = ("strategy", "mean", "sd", "p_upper_bonus", "p_yahtzee", "yahtzee_bonuses", "se", "n")
"""Of the table: figures of a summary; the error of the mean and the games, if it is an estimate."""


@cache
def figures() -> dict[str, dict[str, str]]:
    """By name of a strategy, its row of the table; the highest mean first."""
    table = resources.files("yahtzee_sim.strategies") / "figures.csv"
    if not table.is_file():
        return {}
    with table.open(encoding="utf-8") as file:
        return {row["strategy"]: row for row in csv.DictReader(file)}
