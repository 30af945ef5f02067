"""The command line: the same words, tables for people, JSON and CSV for programs, one line for a
mistake."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

import yahtzee_sim as ys
from yahtzee_sim import cli

HEAD = """
from dataclasses import dataclass
import numpy as np
import pandas as pd
import yahtzee_sim as ys
"""
COMMANDS = list(cli.cli.commands)


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command in this process."""
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)  # `main` sets it

    def run(*arguments) -> Ran:
        monkeypatch.setattr(sys, "argv", ["yahtzee-sim", *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            cli.main()
        except SystemExit as stopped:
            code = stopped.code or 0
        return Ran(code, *capsys.readouterr())

    return run


@pytest.fixture
def good(run):
    def good(*arguments) -> str:
        code, out, err = run(*arguments)
        assert (code, err) == (0, "")
        return out

    return good


@pytest.fixture
def mistake(run):
    """A mistake: exit code 2, one line on standard error, nothing on standard output."""

    def mistake(*arguments) -> str:
        code, out, err = run(*arguments)
        assert code == 2
        assert out == ""
        assert err.startswith("Error: ")
        assert err.count("\n") == 1, err
        assert err.endswith("\n")
        return err[len("Error: ") : -1]

    return mistake


def no_constants(name):
    raise AssertionError(f"{name} is no JSON")


def parsed(text: str):
    return json.loads(text, parse_constant=no_constants)


def shell(*arguments, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "yahtzee_sim.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


# --- commands ---------------------------------------------------------------------------------


def test_simulate_shows_the_summary(good):
    lines = good("simulate", "roll-once", "--games", 500, "--seed", 7).splitlines()
    result = ys.simulate("roll-once", 500, seed=7)
    assert lines[0] == result.caption
    shown = {line.split()[0]: line.split()[1] for line in lines[1:] if len(line.split()) > 1}
    for metric, value in result.summary()["value"].items():
        assert float(shown[metric]) == pytest.approx(value, rel=1e-5, abs=1e-9)


def test_simulate_shows_the_boxes_on_request(good):
    out = good("simulate", "roll-once", "-n", 100, "-s", 7, "--categories")
    assert all(category.column in out for category in ys.Category)
    assert "zero_rate" in out


def test_more_totals_and_quantiles_are_shown_on_request(good):
    out = good(
        *("simulate", "roll-once", "-n", 100, "-s", 7, "--csv"),
        *("--at-least", 275, "--at-least", 60, "--quantile", 0.1),
    )
    frame = pd.read_csv(io.StringIO(out), index_col="metric")
    assert list(frame.index[-3:]) == ["q10", "p_275", "p_60"]


@pytest.mark.parametrize("games", ["1000", "1_000", "1,000"])
def test_games_are_written_as_people_write_them(good, games):
    assert "1,000 games" in good("simulate", "roll-once", "--games", games, "--seed", 7)


def test_rules_seed_workers_and_store_are_those_of_the_library(good):
    out = good(
        *("simulate", "yahtzee-chaser", "-n", 20_000, "-s", 0, "-r", "kniffel,upper_bonus=50"),
        *("--workers", 2, "--store", "summary", "--json"),
    )
    found = parsed(out)
    expected = ys.simulate("yahtzee-chaser", 20_000, seed=0, rules="kniffel,upper_bonus=50")
    assert found["seed"] == 0
    assert found["rules"]["upper_bonus"] == 50
    values = {row["metric"]: row["value"] for row in found["summary"]}
    assert values == expected.summary()["value"].to_dict()


def test_a_seed_that_was_drawn_is_shown(good):
    found = parsed(good("simulate", "roll-once", "-n", 100, "--json"))
    again = parsed(good("simulate", "roll-once", "-n", 100, "--json", "--seed", found["seed"]))
    assert again["summary"] == found["summary"]


def test_compare_ranks(good):
    lines = good("compare", "roll-once", "most-points", "-n", 300, "-s", 5).splitlines()
    assert lines[0].startswith("2 strategies, 300 games each on the same dice, seed 5")
    assert [line.split()[:2] for line in lines[3:5]] == [["most-points", "1"], ["roll-once", "2"]]
    assert "worse" in lines[-1]


def test_compare_shows_pairs_of_any_figure(good):
    args = ("compare", "roll-once", "most-points", "-n", 300, "-s", 5)
    frame = ys.compare(["roll-once", "most-points"], 300, seed=5).pairs("p_upper_bonus")
    found = parsed(good(*args, "--metric", "p_upper_bonus", "--json"))
    (pair,) = found["pairs"]
    assert pair["difference"] == frame["difference"].iloc[0]
    assert pair["verdict"] == frame["verdict"].iloc[0]
    rows = good(*args, "--csv", "--pairs").splitlines()
    assert rows[0].startswith("strategy,other,difference,se,low,high,low_all")
    assert len(rows) == 2
    assert "verdict" not in good(*args, "--no-pairs")


def test_compare_until_says_why_it_stopped(good):
    out = good("compare", "roll-once", "most-points", "--until", 3, "-s", 5)
    assert "stopped at look" in out.splitlines()[0]
    out = good("compare", "roll-once", "most-points", "--until", "separated", "-s", 5, "--luck")
    assert "1,000 games each" in out
    assert "means luck-adjusted" in out
    out = good("simulate", "roll-once", "--until", 5, "-s", 5, "--max-games", 1500)
    assert "1,000 games" in out


def test_compare_at_a_level(good):
    narrow = parsed(good("compare", "roll-once", "-n", 300, "-s", 5, "--level", 0.5, "--json"))
    (row,) = narrow["ranking"]
    expected = ys.simulate("roll-once", 300, seed=5).summary(level=0.5).loc["mean"]
    assert (row["low"], row["high"]) == (expected["low"], expected["high"])
    assert narrow["level"] == 0.5


def test_losses_by_stage_round_box_and_situation(good):
    args = ("losses", "most-points", "-n", 400, "-s", 2)
    out = good(*args)
    lost = ys.losses("most-points", games=400, seed=2)
    assert out.startswith(lost.caption)
    assert "first_keep" in out
    assert "rolls_left" in out
    found = parsed(good(*args, "--situations", 3, "--json"))
    assert found["lost"] == lost.total
    assert [row["cost"] for row in found["situations"]] == lost.situations(3)["cost"].tolist()
    assert len(good(*args, "--rounds", "--csv").splitlines()) == 14
    assert len(good(*args, "--categories", "--csv").splitlines()) == 14


def test_tune_and_sweep(good):
    args = ("epsilon,base=most-points", "-n", 300)
    found = parsed(good("tune", *args, "--between", "rate", 0, 1, "--steps", 4, "--json"))
    expected = ys.tune("epsilon,base=most-points", {"rate": (0, 1)}, steps=4, games=300)
    assert found["best"] == expected.best.label
    assert found["mean"] == expected.mean
    out = good("tune", *args, "--among", "base", "roll-once,most-points", "--steps", 4)
    assert "base = MostPoints()" in out
    rows = good("sweep", *args, "--values", "rate", "0.0,0.5", "--csv").splitlines()
    assert len(rows) == 3
    assert rows[0].startswith("rate,mean,mean_se")


def test_a_match_and_its_seats(good):
    args = ("match", "roll-once", "most-points", "-n", 100, "-s", 3)
    found = parsed(good(*args, "--json"))
    expected = ys.match(["roll-once", "most-points"], 100, seed=3).players()
    assert [row["share"] for row in found["players"]] == expected["share"].tolist()
    assert "exact_share" in good(*args)
    assert "exact_share" not in good(*args, "--no-exact")
    seats = good(*args, "--seats", "--rotate", "--no-exact", "--csv").splitlines()
    assert seats[0].startswith("seat,share")
    assert len(good(*args, "--places", "--no-exact", "--csv").splitlines()) == 5


def test_a_round_robin_as_a_matrix(good):
    out = good("round-robin", "roll-once", "most-points", "random", "-n", 100, "-s", 1)
    lines = out.splitlines()
    assert "share of wins" in lines[0]
    assert [line.split()[0] for line in lines[3:]] == ["roll-once", "most-points", "random"]


def test_percentiles(good):
    found = parsed(good("percentile", 40, 50, "--against", "roll-once", "--json"))
    values = [row["percentile"] for row in found["percentiles"]]
    assert values == ys.percentile([40, 50], "roll-once").tolist()


def test_own_games(good, tmp_path):
    (tmp_path / "mine.csv").write_text("total\n50\n41\n60\n")
    out = good("own-games", str(tmp_path / "mine.csv"), "--against", "roll-once")
    assert "3 games" in out
    assert "percentile" in out
    (tmp_path / "dice.csv").write_text("die_1,die_2,die_3,die_4,die_5\n" + "1,2,3,4,6\n" * 9)
    assert "faces" in good("own-games", str(tmp_path / "dice.csv"))


def test_compare_without_names_takes_all(good, monkeypatch):
    names = ("roll-once", "most-points", "random", "softmax")
    quick = {name: ys.list_strategies()[name] for name in names}
    monkeypatch.setattr(ys, "list_strategies", lambda: quick)
    ranking = parsed(good("compare", "-n", 60, "-s", 5, "--json"))["ranking"]
    assert {row["strategy"] for row in ranking} == set(quick) - {"softmax"}


def test_compare_unpaired_gives_each_its_own_dice(good):
    out = good("compare", "roll-once", "roll-once", "-n", 300, "-s", 5, "--unpaired", "--json")
    means = [row["mean"] for row in parsed(out)["ranking"]]
    assert means[0] != means[1]
    out = good("compare", "roll-once", "roll-once", "-n", 300, "-s", 5, "--json")
    rows = parsed(out)["ranking"]
    assert [row["strategy"] for row in rows] == ["roll-once", "roll-once (2)"]
    assert rows[0]["mean"] == rows[1]["mean"]


def test_replay_shows_a_game_roll_by_roll(good):
    out = good("replay", "yahtzee-chaser", "--game", "1,234", "--seed", 7, "--rules", "yardzee")
    assert out == repr(ys.replay("yahtzee-chaser", 1_234, 7, rules="yardzee")) + "\n"


def test_strategies_shows_all_with_their_ideas(good):
    out = good("strategies")
    assert all(name in out for name in ys.list_strategies())
    assert "Never reroll" in out
    lines = out.splitlines()
    assert lines[0].split()[:5] == ["strategy", "mean", "sd", "p_upper_bonus", "p_yahtzee"]
    assert lines[1].split()[:5] == ["optimal", "254.588", "59.61", "0.6812", "0.3374"]
    assert any(line.startswith("random") and "~46.005" in line for line in lines)
    found = {row["strategy"]: row for row in parsed(good("strategies", "--json"))}
    assert found["par"]["parameters"] == "weight=1.7"
    assert found["greedy"]["mean"] == 217.380439
    assert found["random"]["games"] == 10_000_000


def test_rules_shows_all_presets_and_their_fields(good):
    out = good("rules")
    assert all(name in out for name in ys.list_rules())
    assert all(field in out for field in ys.Rules().to_dict() if field != "name")
    assert "1575" in out


@pytest.mark.parametrize("command", [[], *([c] for c in COMMANDS)], ids=str)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_is_there_for_every_command(good, command, option):
    out = good(*command, option)
    assert out.startswith("Usage: ")
    assert all(c in out for c in (command or COMMANDS))
    assert "Options:" in out


def test_no_command_shows_the_help_and_calls_it_no_error(run):
    _, out, err = run()
    assert "Usage: " in out + err
    assert "Error" not in err
    assert "compare" in out + err


def test_the_version_is_shown(good):
    assert ys.__version__ in good("--version")


# --- for programs -----------------------------------------------------------------------------


JSON = [
    ("simulate", "random", "-n", 50, "-s", 1),
    ("simulate", "random", "-n", 1, "-s", 1),
    ("simulate", "random", "-n", 50, "-s", 1, "--categories"),
    ("compare", "random", "roll-once", "-n", 50, "-s", 1),
    ("compare", "random", "-n", 1, "-s", 1),
    ("replay", "random", "-g", 3, "-s", 1),
    ("strategies",),
    ("rules",),
]


@pytest.mark.parametrize("command", JSON, ids=lambda c: " ".join(map(str, c)))
def test_json_is_json_and_csv_is_csv_and_they_agree(good, command):
    found = parsed(good(*command, "--json"))
    frame = pd.read_csv(io.StringIO(good(*command, "--csv")), dtype=str, keep_default_na=False)
    rows = found
    if isinstance(found, dict):
        rows = next(value for value in found.values() if isinstance(value, list))
    assert len(rows) == len(frame) > 0
    assert list(rows[0]) == list(frame.columns)
    for row, (_, line) in zip(rows, frame.iterrows(), strict=True):
        for key, value in row.items():
            if value is None:
                assert line[key] == ""
            elif isinstance(value, float):
                assert float(line[key]) == pytest.approx(value)
            else:
                assert line[key] == str(value)


def test_json_says_what_the_numbers_rest_on(good):
    found = parsed(good("simulate", "roll-once", "-n", 50, "-s", 1, "--json"))
    assert found["strategy"] == "roll-once"
    assert found["games"] == 50
    assert found["seed"] == 1
    assert ys.Rules(**found["rules"]) == ys.rules("official")
    assert found["made"]["version"] == ys.__version__
    assert found["summary"][0]["metric"] == "mean"


def test_what_is_written_is_loaded_and_only_standard_error_speaks_of_it(run, tmp_path):
    folder = tmp_path / "new" / "run"
    code, out, err = run("simulate", "roll-once", "-n", 50, "-s", 1, "--out", folder, "--json")
    assert code == 0
    assert parsed(out)["games"] == 50
    assert str(folder) in err
    assert ys.load(folder).games.equals(ys.simulate("roll-once", 50, seed=1).games)
    code, out, err = run("simulate", "roll-once", "-n", 60, "-o", folder, "--overwrite", "--csv")
    assert code == 0
    assert ys.load(folder).n == 60
    code, out, err = run("compare", "roll-once", "-n", 30, "-o", tmp_path / "compared")
    assert code == 0
    assert ys.load(tmp_path / "compared").results["roll-once"].n == 30


# --- mistakes ---------------------------------------------------------------------------------


QUICK = ("-n", "20", "-s", "1")
MISTAKES = {
    "unknown command": (["simulat"], "did you mean simulate"),
    "unknown option": (["simulate", "greedy", "--gmaes", "5"], "--gmaes"),
    "unknown option of all": (["--fast"], "--fast"),
    "no strategy": (["simulate"], "STRATEGY"),
    "unknown strategy": (["simulate", "greddy", *QUICK], "did you mean greedy"),
    "unknown strategy to compare": (["compare", "greedy", "chaser", *QUICK], "yahtzee-chaser"),
    "unknown strategy to replay": (["replay", "greddy", "-g", "1", "-s", "1"], "greedy"),
    "unknown field": (["simulate", "greedy,fast=1", *QUICK], "fast"),
    "a spec that is none": (["simulate", "greedy,", *QUICK], "field=value"),
    "two figures of losses": (["losses", "kth", "--rounds", "--categories"], "choose one of"),
    "no situations": (["losses", "kth", "--situations", "0"], "situations is a whole number"),
    "nothing to tune": (["tune", "par"], "name what to search"),
    "nothing to sweep": (["sweep", "par"], "name what to vary"),
    "bounds the wrong way": (["tune", "par", "--between", "weight", "2", "1"], "low below high"),
    "an unknown field": (["sweep", "par", "--values", "wieght", "1"], "did you mean weight"),
    "two views of a match": (["match", "greedy", "--seats", "--places"], "choose one of"),
    "too many players": (["match", *(["roll-once"] * 7), "-n", "10"], "one to six"),
    "a wrong end": (["compare", "greedy", "--until", "soon"], "'separated'"),
    "a wrong metric": (["compare", "greedy", "--metric", "p_999"], "unknown metric"),
    "a wrong level": (["compare", "greedy", "--level", "95"], "a level lies between"),
    "a total that is none": (["percentile", "lots"], "whole number"),
    "a file that is not there": (["own-games", "nowhere.csv"], "cannot read"),
    "two strategies for one": (["simulate", "greedy", "random", *QUICK], "random"),
    "unknown rules": (["simulate", "greedy", "-r", "oficial"], "did you mean official"),
    "unknown field of rules": (["simulate", "greedy", "-r", "official,bonus=3"], "bonus"),
    "rules out of range": (["simulate", "greedy", "-r", "official,upper_bonus=-1"], "0 to 1000"),
    "rules of text": (["simulate", "greedy", "-r", "official,upper_bonus=many"], "whole number"),
    "no games": (["simulate", "greedy", "-n", "0"], "games"),
    "negative games": (["simulate", "greedy", "-n", "-1"], "games"),
    "half games": (["simulate", "greedy", "--games", "1.5"], "games"),
    "many games": (["simulate", "greedy", "--games", "many"], "many"),
    "games of nothing": (["compare", "greedy", "--games", ""], "games"),
    "more games than memory": (["simulate", "roll-once", "-n", "1000000000000000"], ""),
    "more games than numbers": (["simulate", "roll-once", "-n", "9" * 5_000], "games"),
    "negative seed": (["simulate", "greedy", "-s", "-1"], "seed"),
    "half seed": (["simulate", "greedy", "--seed", "0.5"], "seed"),
    "seed of text": (["compare", "greedy", "--seed", "lucky"], "lucky"),
    "too large a seed": (["simulate", "greedy", "--seed", str(2**64)], "2**64"),
    "no workers": (["simulate", "greedy", "-w", "0"], "workers"),
    "workers of text": (["simulate", "greedy", "--workers", "two"], "workers"),
    "unknown store": (["simulate", "greedy", "--store", "sumary"], "summary"),
    "quantile of 2": (["simulate", "roll-once", *QUICK, "--quantile", "2"], "quantile"),
    "quantile of text": (["simulate", "roll-once", *QUICK, "--quantile", "half"], "half"),
    "quantile nan": (["simulate", "roll-once", *QUICK, "--quantile", "nan"], "quantile"),
    "at least of text": (["simulate", "roll-once", *QUICK, "--at-least", "lots"], "lots"),
    "json and csv": (["simulate", "greedy", "--json", "--csv"], "--csv"),
    "json and csv of strategies": (["strategies", "--json", "--csv"], "--csv"),
    "json and csv of rules": (["rules", "--json", "--csv"], "--csv"),
    "overwrite nothing": (["simulate", "greedy", "--overwrite"], "--out"),
    "overwrite no comparison": (["compare", "greedy", "--overwrite"], "--out"),
    "no game": (["replay", "greedy", "-s", "1"], "--game"),
    "no seed": (["replay", "greedy", "-g", "1"], "--seed"),
    "negative game": (["replay", "greedy", "-g", "-1", "-s", "1"], "game"),
    "half game": (["replay", "greedy", "-g", "1.5", "-s", "1"], "game"),
    "a game beyond all": (["replay", "greedy", "-g", str(2**80), "-s", "1"], "game"),
    "unknown strategy to evaluate": (["evaluate", "greddy"], "greedy"),
    "evaluate by luck": (["evaluate", "random"], "luck"),
    "evaluate only something": (["evaluate", "greedy", "--only", "meen"], "mean"),
    "evaluate into json and csv": (["evaluate", "greedy", "--json", "--csv"], "--csv"),
    "evaluate with no workers": (["evaluate", "greedy", "--workers", "0"], "workers"),
    "two tables at once": (["evaluate", "greedy", "--categories", "--distribution"], "choose one"),
    "solve unknown rules": (["solve", "-r", "oficial"], "did you mean official"),
    "solve into json and csv": (["solve", "--json", "--csv"], "--csv"),
    "no such file": (["simulate", "nowhere.py:Mine", *QUICK], "nowhere.py"),
    "a file of nobody": (["simulate", "~no-such-user/mine.py:Mine", *QUICK], "no-such-user"),
}


@pytest.mark.parametrize("name", list(MISTAKES))
def test_a_mistake_is_one_line_and_nothing_is_written(mistake, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    arguments, part = MISTAKES[name]
    assert part in mistake(*arguments)
    can_write = arguments[0] in ("simulate", "compare") and "--overwrite" not in arguments
    if can_write and len(arguments) > 1:
        mistake(*arguments, "--out", tmp_path / "deep" / "run")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_use_needs_overwrite(mistake, tmp_path):
    folder = ys.simulate("roll-once", 20, seed=1).save(tmp_path / "run")
    text = mistake("simulate", "roll-once", *QUICK, "--out", folder)
    assert "--overwrite" in text
    assert "used" in text
    assert ys.load(folder).seed == 1


@pytest.mark.parametrize("command", ["simulate", "compare"])
def test_a_folder_that_cannot_be_written_is_told_before_any_game_is_played(
    mistake, tmp_path, monkeypatch, command
):
    def never(*_, **__):
        raise AssertionError("games were played")

    monkeypatch.setattr(ys, command, never)
    (tmp_path / "file").write_text("x")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("x")
    assert "file" in mistake(command, "roll-once", "--out", tmp_path / "file" / "run")
    assert "file" in mistake(command, "roll-once", "--out", tmp_path / "file")
    for overwrite in ([], ["--overwrite"]):
        mistake(command, "roll-once", "--out", tmp_path / "other", *overwrite)
    assert (tmp_path / "other" / "thesis.txt").read_text() == "x"


@pytest.mark.parametrize("folder", ["x" * 300, "~no-such-user/run"])
def test_a_folder_that_cannot_be_named_is_one_line(mistake, tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    mistake("simulate", "roll-once", *QUICK, "--out", folder)
    assert list(tmp_path.iterdir()) == []


# --- strategies that answer what they may not -------------------------------------------------


def strategy_file(
    tmp_path,
    keep="turn.dice == 6",
    category="turn.points.argmax(axis=1)",
    sees="frozenset({'open'})",
):
    file = tmp_path / "mine.py"
    file.write_text(
        HEAD
        + f"""
class Mine(ys.Strategy):
    sees = {sees}

    def keep(self, turn):
        return {keep}

    def category(self, turn):
        return {category}
"""
    )
    return f"{file}:Mine"


ANSWERS = {
    "keep of wrong shape": ({"keep": "turn.dice[:, :4] == 6"}, "shape"),
    "keep of one game": ({"keep": "np.ones(5, bool)"}, "shape"),
    "keep of faces": ({"keep": "turn.dice"}, "booleans"),
    "keep of floats": ({"keep": "(turn.dice == 6) * 1.0"}, "float64"),
    "keep of nothing": ({"keep": "None"}, "None"),
    "keep of text": ({"keep": "'all'"}, "all"),
    "keep of ragged lists": ({"keep": "[[True], [True, False]]"}, "keep"),
    "keep of a frame": ({"keep": "pd.DataFrame(turn.dice)"}, "keep"),
    "category of wrong shape": ({"category": "turn.points"}, "shape"),
    "category of one game": ({"category": "12"}, "shape"),
    "category of floats": ({"category": "turn.points.argmax(axis=1) * 1.0"}, "float64"),
    "category of booleans": ({"category": "turn.dice[:, 0] == 1"}, "bool"),
    "category of names": ({"category": "['chance'] * len(turn)"}, "integers"),
    "category of ragged lists": ({"category": "[[1], [1, 2]]"}, "category"),
    "category 13": ({"category": "turn.dice[:, 0] * 0 + 13"}, "0 to 12"),
    "category -1": ({"category": "turn.dice[:, 0] * 0 - 1"}, "0 to 12"),
    "a filled box": ({"category": "turn.dice[:, 0] * 0 + 12"}, "chance, which is filled"),
    "raises": ({"keep": "1 / 0"}, "ZeroDivisionError"),
    "raises in two lines": ({"category": "int('two\\nlines')"}, "ValueError"),
    "raises nothing to say": ({"category": "next(iter([]))"}, "StopIteration"),
    "peeks": ({"category": "turn.upper"}, "'upper'"),
    "writes": ({"keep": "turn.dice.sort(axis=0)"}, "read-only"),
}


@pytest.mark.parametrize("name", list(ANSWERS))
@pytest.mark.parametrize("directly", [False, True], ids=["tabulated", "directly"])
def test_a_wrong_answer_names_the_strategy_the_card_and_the_dice(mistake, tmp_path, name, directly):
    answers, part = ANSWERS[name]
    sees = "frozenset({'open', 'total'})" if directly else "frozenset({'open'})"
    spec = strategy_file(tmp_path, sees=sees, **answers)
    text = mistake("simulate", spec, *QUICK, "--out", tmp_path / "run")
    assert text.startswith("mine: ")
    assert part in text
    assert "card: " in text
    assert "dice " in text
    assert "rolls left " in text
    assert ("game " in text) == directly
    assert [p.name for p in tmp_path.iterdir() if p.name != "__pycache__"] == ["mine.py"]


def test_the_game_that_is_named_is_the_game_that_went_wrong(mistake, tmp_path):
    # scores in chance whenever it holds a large straight: in most games that never happens
    wrong = "np.where(turn.points[:, 10] == 40, 13, (turn.points >= 0).argmax(axis=1))"
    spec = strategy_file(
        tmp_path, keep="turn.dice > 0", category=wrong, sees="frozenset({'open', 'total'})"
    )
    text = mistake("simulate", spec, "-n", 500, "-s", 1)
    game = int(text.rpartition("game ")[2])
    frame = ys.replay("roll-once", game, 1).frame
    dice = "".join(text.partition("dice ")[2].partition(",")[0].split())
    assert dice in ("12345", "23456")
    assert dice in list(frame["roll_3"])
    again = mistake("replay", spec, "--game", game, "--seed", 1)
    assert f"game {game}" in again


def test_a_box_that_is_open_but_not_for_this_roll_is_told_so(mistake, tmp_path):
    spec = strategy_file(
        tmp_path,
        keep="turn.dice == turn.dice[:, 2:3]",
        category="np.where(turn.open[:, 11], 11, turn.open.argmax(axis=1))",
    )
    text = mistake("simulate", spec, "-n", 2_000, "-s", 1)
    assert "is open, but the roll may not go there" in text
    assert "allowed: " in text


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("def keep(self, turn)\n    pass\n", "line 1"),
        ("import pandas\n\n1 / 0\n", "line 3: ZeroDivisionError"),
        ("import no_such_module_at_all\n", "no_such_module_at_all"),
        ("x = 1\n", "no strategy class"),
        ("import sys\nsys.exit(0)\n", "mine.py"),
        ("raise ValueError('two\\nlines')\n", "two lines"),
    ],
    ids=["syntax", "raises", "import", "empty", "exits", "two lines"],
)
def test_a_strategy_file_that_cannot_be_loaded_is_one_line(mistake, tmp_path, text, part):
    file = tmp_path / "mine.py"
    file.write_text(text)
    told = mistake("simulate", f"{file}:Mine", *QUICK)
    assert part in told
    assert "mine.py" in told


def test_a_strategy_of_a_users_file_is_played(good, tmp_path):
    out = good("simulate", strategy_file(tmp_path), *QUICK, "--json")
    assert parsed(out)["strategy"] == "mine"


def test_parameters_that_are_no_json_numbers_are_still_json(good, tmp_path):
    file = tmp_path / "endless.py"
    file.write_text(
        HEAD
        + """
@dataclass(frozen=True)
class Endless(ys.Strategy):
    sees = frozenset({"open"})
    limit: float = 1.0

    def keep(self, turn):
        return turn.dice < self.limit

    def category(self, turn):
        return turn.points.argmax(axis=1)
"""
    )
    parsed(good("simulate", f"{file}:Endless,limit=1e999", *QUICK, "--json"))


# --- pipes and terminals ----------------------------------------------------------------------


def test_stopping_a_run_is_one_word(run, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(ys, "simulate", stop)
    code, out, err = run("simulate", "roll-once", *QUICK)
    assert code == 130
    assert out == ""
    assert "Traceback" not in err
    assert err.strip() == "stopped"


def test_nothing_but_the_table_comes_out_of_a_pipe():
    done = shell("simulate", "yahtzee-chaser", "-n", 100_000, "-s", 1, "-w", 1)
    assert done.returncode == 0
    assert done.stderr == "", "no progress bar where nobody looks"
    assert done.stdout.splitlines()[0].startswith("yahtzee-chaser: 100,000 games, seed 1")
    assert "\r" not in done.stdout


def test_a_mistake_is_one_line_in_a_process_of_its_own():
    done = shell("simulate", "greddy")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines() == ["Error: unknown strategy 'greddy'; did you mean greedy?"]


@pytest.mark.parametrize("command", [["rules"], ["strategies", "--csv"]], ids=str)
def test_a_reader_who_leaves_early_gets_no_traceback(command):
    with subprocess.Popen(
        [sys.executable, "-m", "yahtzee_sim.cli", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdout.close()
        told = process.stderr.read()
    assert told == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_standard_output_is_one_line():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "yahtzee_sim.cli", "rules"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "No space left on device" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_terminal_without_unicode_is_no_problem():
    plain = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = shell("strategies", env=os.environ | plain)
    assert done.returncode == 0
    assert done.stderr == ""


def test_a_plug_in_that_fails_is_one_line_and_the_command_works(tmp_path):
    installed = tmp_path / "broken-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text(
        "[yahtzee_sim.strategies]\nbroken = no_such_module_at_all:Mine\n"
    )
    done = shell("strategies", env=os.environ | {"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 0
    assert "greedy" in done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("Warning: ")
    assert "broken" in line
    assert "no_such_module_at_all" in line
