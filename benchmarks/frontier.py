"""Remakes `strategies/frontier.csv`: the mean of `twenty` with fewer numbers, the others 0.

python benchmarks/frontier.py
"""

from __future__ import annotations

import csv
from pathlib import Path

import yahtzee_sim as ys

PATH = Path(__file__).parent.parent / "strategies" / "frontier.csv"
LOWER = "three_of_a_kind four_of_a_kind full_house small_straight large_straight yahtzee chance"
BONUS = "bonus dice spread"
SIZES = [
    ("nothing: `greedy`", "", ""),
    (
        "a price for each lower box, one for upper boxes by face",
        f"face1 {LOWER}",
        "2.36 21.507 17.347 17.832 26.996 30.322 15.679 23.026",
    ),
    (
        "and the chance of the upper bonus",
        f"face1 {LOWER} {BONUS}",
        "2.309 20.521 12.344 18.702 27.816 25.29 11.511 24.7 36.095 3.037 1.081",
    ),
    (
        "and the hundreds to come",
        f"face1 {LOWER} {BONUS} fifty",
        "2.062 19.459 11.987 14.747 25.313 19.918 8.673 25.069 33.911 2.897 0.913 7.267",
    ),
    (
        "and what more turns are worth",
        f"face face1 face2 {LOWER} {BONUS} fifty yahtzee1 turns2",
        "0.486 0.778 0.167 17.456 8.525 12.324 24.436 15.363 -0.143 23.315 35.41 2.826 0.822 "
        "5.785 1.646 0.382",
    ),
    (
        "and the straights",
        f"face face1 face2 {LOWER} {BONUS} fifty yahtzee1 turns2 straights large1",
        "0.557 0.885 0.174 18.655 9.074 12.761 23.596 15.496 -0.025 23.768 36.267 2.829 0.852 "
        "6.475 1.692 0.485 1.664 0.225",
    ),
]


def main() -> None:
    full = ys.strategy("twenty").parameters
    sizes = [
        (what, dict(zip(fields.split(), map(float, values.split()), strict=True)))
        for what, fields, values in SIZES
    ]
    with PATH.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["numbers", "mean", "what", "spec"])
        for what, numbers in [*sizes, ("and the jokers: `twenty`", full)]:
            values = dict.fromkeys(full, 0.0) | numbers
            player = ys.strategy("twenty", **values)
            mean = ys.evaluate(player, only="mean").mean
            spec = "twenty," + ",".join(f"{field}={value}" for field, value in values.items())
            writer.writerow([len(numbers), f"{mean:.6f}", what, spec])
            print(len(numbers), mean, what, flush=True)


if __name__ == "__main__":
    main()
