"""What the README says is what the library does."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest

import yahtzee_sim as ys
from yahtzee_sim.known import figures
from yahtzee_sim.results import readable

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_ten_line_strategy_works_as_it_stands(tmp_path):
    (block,) = (b for b in re.findall(r"```python\n(.*?)```", README, re.S) if "class Sixes" in b)
    script = tmp_path / "mine.py"
    shown = block.replace("100_000", "2_000").replace("ys.simulate(", "print(ys.simulate(")
    script.write_text(shown.rstrip() + ")\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "mean" in done.stdout


@pytest.mark.parametrize("name", ["roll-once", "most-points", "upper-first", "random"])
def test_the_ranking_is_that_of_the_demo(name):
    (stated,) = (line for line in README.splitlines() if re.match(rf"{name} +\d", line))
    ranking = ys.compare([name], 100_000, seed=7).ranking()
    found = readable(ranking).splitlines()[-1].split()
    # rank, p_best and ranks are those among all; not every strategy has an exact mean
    assert stated.split()[2:6] == found[2:6]
    assert stated.split()[-6:] == found[-6:]


LEADERBOARD = list(
    csv.DictReader(
        (ROOT / "results" / "reference" / "leaderboard.csv")
        .read_text(encoding="utf-8")
        .splitlines()
    )
)


def test_the_leaderboard_is_that_of_the_reference_results():
    for row in LEADERBOARD:
        cells = []
        for rules in ("official", "yardzee", "free-choice"):
            error = float(row[f"{rules}_se"])
            mean = float(row[rules])
            cells.append(f"{mean:.3f} ± {error:.3f}" if error else f"{mean:.6f}")
        assert f"| `{row['strategy']}` | {' | '.join(cells)} |" in README


def test_the_leaderboard_has_every_strategy_and_agrees_with_what_is_known_of_them():
    known = figures()
    assert {row["strategy"] for row in LEADERBOARD} == set(known)
    for row in LEADERBOARD:
        mean, stated = float(row["official"]), float(known[row["strategy"]]["mean"])
        error = float(row["official_se"])
        assert abs(mean - stated) <= 4.5 * error + 1e-6


def test_charts_and_pages_that_the_readme_names_are_there():
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / target).is_file(), target
    for name in re.findall(r"`((?:0\d)-[a-z-]+)`", README):
        assert (ROOT / "notebooks" / f"{name}.ipynb").is_file(), name


def test_figures_in_the_text_are_those_of_the_table():
    known = figures()
    assert f"one of twenty {float(known['twenty']['mean']):.3f}" in README


def test_commands_in_the_readme_exist():
    from yahtzee_sim.cli import cli

    commands = set(re.findall(r"^yahtzee-sim ([a-z-]+)", README, re.M))
    assert commands
    assert commands <= set(cli.commands)
