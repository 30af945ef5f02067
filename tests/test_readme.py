"""What the README says is what the library does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import yahtzee_sim as ys
from yahtzee_sim.results import readable

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


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
    (stated,) = (line for line in README.splitlines() if line.startswith(f"{name} "))
    ranking = ys.compare([name], 100_000, seed=7).ranking().drop(columns="rank")
    found = readable(ranking).splitlines()[-1].split()
    assert stated.split()[2:] == found[1:]


def test_commands_in_the_readme_exist():
    from yahtzee_sim.cli import cli

    commands = set(re.findall(r"^yahtzee-sim ([a-z]+)", README, re.M))
    assert commands
    assert commands <= set(cli.commands)
