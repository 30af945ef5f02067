"""Remakes `strategies/figures.csv`: what every built-in strategy brings under `official`.

    python benchmarks/figures.py [name ...]

Exact where a strategy can be evaluated, else from 10 million games (seed 1). With names, only
those rows are made anew.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import yahtzee_sim as ys
from yahtzee_sim.evaluation import is_stationary
from yahtzee_sim.known import COLUMNS, figures

GAMES, SEED = 10_000_000, 1
PATH = Path(__file__).parent.parent / "strategies" / "figures.csv"


def made(name: str) -> dict[str, str]:
    """The row of one strategy."""
    if is_stationary(ys.strategy(name), ys.rules()):
        result = ys.evaluate(name)
        n, digits = "", 9
    else:
        result = ys.simulate(name, GAMES, seed=SEED, workers=-1, store="summary")
        n, digits = str(GAMES), 7
    summary = result.summary()
    row = {c: f"{summary.loc[c, 'value']:.{digits}g}" for c in COLUMNS[1:-2]}
    return {"strategy": name, **row, "se": f"{summary.loc['mean', 'se']:.2g}", "n": n}


def main(names: list[str]) -> None:
    known = {name: {c: row.get(c, "") for c in COLUMNS} for name, row in figures().items()}
    for name in names or ys.list_strategies():
        known[name] = made(name)
        print(known[name], flush=True)
        with PATH.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            rows = [row for key, row in known.items() if key in ys.list_strategies()]
            writer.writerows(sorted(rows, key=lambda row: -float(row["mean"])))


if __name__ == "__main__":
    main(sys.argv[1:])
