"""The library of strategies: what each promises, and what is stated of it."""

from __future__ import annotations

import csv
import inspect
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import yahtzee_sim as ys
from yahtzee_sim.evaluation import is_stationary
from yahtzee_sim.known import figures

NAMES = sorted(ys.list_strategies())
FOLDER = Path(inspect.getfile(ys.list_strategies()["greedy"])).parent
FIGURES = figures()
STATIONARY = [name for name in NAMES if is_stationary(ys.strategy(name), ys.rules())]
WITH_LUCK = [name for name in NAMES if name not in STATIONARY]
QUICK = ["roll-once", "most-points"]
"""Evaluated in a few seconds; the others in the slow tests."""


SOLVED = ["closer", "epsilon", "optimal", "softmax"]
"""They need the rules solved."""


def test_there_are_enough_of_them():
    assert len(NAMES) >= 16
    assert WITH_LUCK == ["closer", "epsilon", "random", "softmax"]


@pytest.mark.parametrize("name", NAMES)
def test_every_strategy_is_a_short_file_with_its_idea_and_origin(name):
    cls = ys.list_strategies()[name]
    path = Path(inspect.getfile(cls))
    assert path.name == name.replace("-", "_") + ".py"
    assert len(path.read_text().splitlines()) <= 100
    text = inspect.getdoc(cls)
    assert "Idea:" in text
    assert "Origin:" in text


@pytest.mark.parametrize("name", NAMES)
def test_the_mean_in_its_docstring_is_that_of_the_table(name):
    text = " ".join(inspect.getdoc(ys.list_strategies()[name]).split())
    row = FIGURES[name]
    if name in WITH_LUCK:
        (stated,) = re.findall(r"Mean under `official`: ([\d.]+), se ([\d.]+), of 10 M games", text)
        assert row["n"] == "10000000"
        assert float(stated[1]) == pytest.approx(float(row["se"]), rel=0.05)
    else:
        (mean,) = re.findall(r"Mean under `official`: ([\d.]+)\.?(?: |$)", text)
        stated = (mean.rstrip("."),)
        assert row["n"] == ""
        assert float(row["se"]) == 0
    digits = len(stated[0].partition(".")[2])
    assert digits >= 3
    assert float(stated[0]) == round(float(row["mean"]), digits)


def exact_matches_the_table(name):
    summary = ys.evaluate(name).summary()["value"]
    for column in ("mean", "sd", "p_upper_bonus", "p_yahtzee", "yahtzee_bonuses"):
        assert summary[column] == pytest.approx(float(FIGURES[name][column]), rel=1e-8), column


@pytest.mark.parametrize("name", QUICK)
def test_the_table_has_what_an_evaluation_finds(name):
    exact_matches_the_table(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in STATIONARY if name not in QUICK])
def test_the_table_has_what_a_long_evaluation_finds(name):
    exact_matches_the_table(name)


def test_the_table_has_no_other_strategies():
    assert set(FIGURES) == set(NAMES)
    means = [float(row["mean"]) for row in FIGURES.values()]
    assert means == sorted(means, reverse=True)


@pytest.mark.parametrize(("name", "games"), [("random", 50_000), ("epsilon", 12_000)])
def test_what_is_stated_of_a_player_with_luck_is_what_games_show(name, games):
    luck_agrees(name, games)


@pytest.mark.slow
def test_what_is_stated_of_softmax_is_what_games_show():
    luck_agrees("softmax", 30_000)


def luck_agrees(name, games):
    row = FIGURES[name]
    summary = ys.simulate(name, games, seed=99, workers=2).summary()
    for column in ("mean", "sd", "p_upper_bonus", "p_yahtzee"):
        found, stated = summary.loc[column], float(row[column])
        # Wilson's interval at 95 % is about 2 errors wide on either side
        error = max(found["se"], (found["high"] - found["low"]) / 4, 1e-6)
        assert abs(found["value"] - stated) < 4.5 * error, column


# --- all of them, under all rules --------------------------------------------------------------


@pytest.mark.parametrize("rules", sorted(ys.list_rules()))
@pytest.mark.parametrize("name", [n for n in NAMES if n not in SOLVED])
def test_everyone_plays_under_every_preset(name, rules):
    games = ys.simulate(name, 40, rules=rules, seed=5).games
    assert (games.iloc[:, :15].sum(axis=1) == games["total"]).all()
    assert games["total"].between(5, ys.rules(rules).maximum).all()


@pytest.mark.slow
@pytest.mark.parametrize("rules", sorted(ys.list_rules()))
@pytest.mark.parametrize("name", SOLVED)
def test_those_that_need_a_solution_play_under_every_preset(name, rules):
    assert ys.simulate(name, 40, rules=rules, seed=5).games["total"].mean() > 180


@pytest.mark.parametrize("name", [n for n in NAMES if n not in SOLVED])
def test_everyone_keeps_every_promise_under_the_official_rules(name):
    ys.check_strategy(name, rules="official", cards=60)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_everyone_keeps_every_promise_under_all_rules(name):
    ys.check_strategy(name, cards=40)


# --- what they are said to do ------------------------------------------------------------------


def test_the_ideas_come_in_the_order_of_their_strength():
    order = ["yahtzees-only", "yahtzees-and-straights", "rational-yahtzees", "heuristic"]
    order += ["better-heuristic", "potential", "twenty", "optimal"]
    means = [float(FIGURES[name]["mean"]) for name in order]
    assert means == sorted(means)
    assert 253.5 < float(FIGURES["twenty"]["mean"]) < 254.587729


def test_twenty_numbers_describe_twenty():
    assert len(ys.strategy("twenty").parameters) == 20


def first(name, dice, rolls_left, **filled):
    """What a strategy does: the faces kept, or the box."""
    from yahtzee_sim.decisions import rows_of
    from yahtzee_sim.dice import KEEP_OF_MASK, KEEPS, roll_number

    card = ys.Scorecard(**filled)
    roll = roll_number(dice)
    stage = 2 - rolls_left
    entry = rows_of(ys.strategy(name), ys.rules()).decisions(np.array([card.code]))[0, stage, roll]
    if rolls_left:
        return "".join(map(str, KEEPS[KEEP_OF_MASK[roll, entry]]))
    return ys.Category(int(entry)).column


@pytest.mark.parametrize(
    ("name", "dice", "kept"),
    [
        ("yahtzees-only", "22345", "22"),
        ("yahtzees-and-straights", "22345", "2345"),
        ("yahtzees-and-straights", "33346", "333"),
        ("rational-yahtzees", "33366", "33366"),
        ("rational-yahtzees", "22335", "2233"),
        ("kth", "12366", "66"),
        ("kth", "23456", "23456"),
        ("careful-human", "11345", "11"),
        ("careful-human", "44556", "55"),
        ("careful-human", "22333", "22333"),
        ("optimal", "33356", "333"),
    ],
)
def test_what_they_keep_of_a_first_roll(name, dice, kept):
    assert first(name, dice, 2) == kept


def test_careful_humans_leave_a_pair_for_four_in_a_row():
    assert first("careful-human", "13345", 2) == "33"
    assert first("careful-human", "23345", 2) == "2345"


def test_nobody_rational_rolls_for_a_face_without_a_box():
    filled = {
        "sixes": 18,
        "three_of_a_kind": 20,
        "four_of_a_kind": 0,
        "yahtzee": 0,
        "full_house": 25,
    }
    assert first("rational-yahtzees", "12266", 2, **filled) == "22"
    assert first("yahtzees-only", "12266", 2, sixes=18) == "22"
    assert first("yahtzees-only", "12666", 2, sixes=18) == "666"


def test_prices_keep_the_heuristic_from_burning_a_good_box():
    assert first("greedy", "11234", 0) == "small_straight"
    assert first("greedy", "11246", 0) == "chance"
    assert first("heuristic", "11246", 0) == "ones"


# --- noisy players -----------------------------------------------------------------------------


def test_without_noise_epsilon_is_its_base():
    plain = ys.simulate("greedy", 3000, seed=3).games
    assert ys.simulate("epsilon,base=greedy,rate=0", 3000, seed=3).games.equals(plain)


def test_with_nothing_but_noise_epsilon_is_random_in_distribution():
    noisy = ys.simulate("epsilon,base=greedy,rate=1", 20_000, seed=3).summary().loc["mean"]
    plain = float(FIGURES["random"]["mean"])
    assert abs(noisy["value"] - plain) < 4.5 * noisy["se"]


def test_how_often_epsilon_errs():
    """Roll-once never rerolls: a reroll on the first roll is an error that shows."""
    from yahtzee_sim.engine import Record, Seat, play

    n = 20_000
    seat = Seat(ys.strategy("epsilon,base=roll-once,rate=0.3"), ys.rules(), 3, width=n)
    record = Record.empty(n)
    play([seat], 0, n, [record])
    rerolled = (record.keeps[0] < 210).mean()
    expected = 0.3 * 31 / 32  # one random mask in 32 keeps all
    assert abs(rerolled - expected) < 4.5 * math.sqrt(expected * (1 - expected) / (13 * n))


def test_softmax_draws_by_exact_values():
    """Its shares of boxes, on one roll of an empty card, are those of the formula."""
    from yahtzee_sim.decisions import make_turn
    from yahtzee_sim.dice import roll_number

    n, temperature = 40_000, 2.0
    player = ys.strategy("softmax,base=greedy", temperature=temperature)
    rng = np.random.default_rng(1)
    turn = make_turn(
        player,
        ys.rules(),
        np.zeros(n, np.int64),
        np.full(n, roll_number("12256")),
        0,
        luck=lambda call: rng.random(n),
    )
    shares = np.bincount(player.category(turn), minlength=13) / n
    advice = ys.solve().advise(ys.Scorecard(), "12256", 0)["to_come"]
    base = first("greedy", "12256", 0)
    weight = np.exp(-np.abs(advice - advice[base]) / temperature)
    weight /= weight.sum()
    for category, share in weight.items():
        found = shares[ys.Category[category.upper()]]
        assert abs(found - share) < 4.5 * math.sqrt(share * (1 - share) / n) + 1e-9, category


def test_softmax_weighs_a_keep_once_however_many_masks_keep_it():
    from yahtzee_sim.decisions import make_turn
    from yahtzee_sim.dice import roll_number

    n = 20_000
    player = ys.strategy("softmax,base=greedy", temperature=1e9)  # every keep the same
    rng = np.random.default_rng(2)
    turn = make_turn(
        player,
        ys.rules(),
        np.zeros(n, np.int64),
        np.full(n, roll_number("11112")),
        1,
        luck=lambda call: rng.random(n),
    )
    ones = player.keep(turn)[:, :4].sum(axis=1)
    shares = np.bincount(ones, minlength=5) / n
    assert np.abs(shares - 0.2).max() < 4.5 * math.sqrt(0.16 / n)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("epsilon,rate=1.5", "a chance, 0 to 1"),
        ("epsilon,rate=-0.1", "a chance, 0 to 1"),
        ("softmax,temperature=0", "above 0"),
        ("softmax,temperature=-1", "above 0"),
        ("epsilon,base=nobody", "unknown strategy"),
    ],
)
def test_noise_that_cannot_be_is_refused(spec, reason):
    with pytest.raises(ys.StrategyError, match=reason):
        ys.strategy(spec)


def test_noisy_players_see_what_their_base_sees():
    assert ys.strategy("epsilon,base=most-points").sees == {"open", "luck"}
    assert ys.strategy("epsilon,base=par").sees == {"open", "upper", "fifty", "luck"}
    with pytest.raises(ys.StrategyError, match="luck"):
        ys.evaluate("epsilon,base=most-points")


# --- decision values ---------------------------------------------------------------------------


def test_decision_values_are_those_of_the_advice():
    from yahtzee_sim.decisions import make_turn
    from yahtzee_sim.dice import KEEP_OF_MASK, KEEPS, roll_number

    best = ys.solve()
    player = ys.strategy("most-points")
    sees = frozenset({"open", "upper", "fifty"})
    cards = [ys.Scorecard(), ys.Scorecard(ones=3, sixes=24, yahtzee=50), ys.Scorecard(chance=20)]
    codes = np.array([card.code for card in cards])
    for dice in ("11111", "12256", "33356"):
        rolls = np.full(3, roll_number(dice))
        for left in (2, 1, 0):
            turn = make_turn(player, ys.rules(), codes, rolls, left, sees=sees)
            values = best.decision_values(turn)
            for card, row in zip(cards, values, strict=True):
                advice = best.advise(card, dice, left)["to_come"]
                if left:
                    keep = ["".join(map(str, KEEPS[k])) for k in KEEP_OF_MASK[rolls[0]]]
                    assert row == pytest.approx(advice[keep].to_numpy(), abs=1e-9)
                else:
                    allowed = [ys.Category[c.upper()] for c in advice.index]
                    assert row[allowed] == pytest.approx(advice.to_numpy(), abs=1e-9)
                    assert np.isneginf(np.delete(row, allowed)).all()


def test_decision_values_of_other_rules_are_refused():
    from yahtzee_sim.decisions import make_turn

    turn = make_turn(ys.strategy("most-points"), ys.rules("plain"), np.array([0]), np.array([3]), 2)
    with pytest.raises(ys.YahtzeeError, match="the rules plain, the solution official"):
        ys.solve().decision_values(turn)


# --- the frontier ------------------------------------------------------------------------------

FRONTIER = list(csv.DictReader((FOLDER / "frontier.csv").read_text(encoding="utf-8").splitlines()))


def test_more_numbers_play_better_and_twelve_reach_253():
    sizes, means = ([float(row[c]) for row in FRONTIER] for c in ("numbers", "mean"))
    assert sizes == sorted(sizes)
    assert means == sorted(means)
    assert sizes[0] == 0
    assert sizes[-1] == 20
    assert means[0] == round(float(FIGURES["greedy"]["mean"]), 6)
    assert means[-1] == round(float(FIGURES["twenty"]["mean"]), 6)
    assert dict(zip(sizes, means, strict=True))[12] > 253


@pytest.mark.parametrize("row", FRONTIER, ids=lambda row: row["numbers"])
def test_each_counts_as_many_numbers_as_it_has(row):
    used = [value for value in ys.strategy(row["spec"]).parameters.values() if value]
    assert len(used) == int(row["numbers"])


@pytest.mark.slow
@pytest.mark.parametrize("row", FRONTIER[1:-1], ids=lambda row: row["numbers"])
def test_each_has_the_mean_that_is_stated(row):
    assert ys.evaluate(row["spec"], only="mean").mean == pytest.approx(float(row["mean"]), abs=1e-6)


def test_the_readme_shows_the_frontier_and_the_means():
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    for row in FRONTIER:
        assert f"| {row['numbers']} | {float(row['mean']):.3f} | {row['what']} |" in text


@pytest.mark.slow
def test_the_readme_says_where_the_points_of_twenty_go():
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    lost = ys.losses("twenty")
    for stage, said in (("first_keep", "first keeps"), ("second_keep", "second ones")):
        assert f"{lost.stages().loc[stage, 'value']:.3f} in {said}" in text
    assert f"{lost.stages().loc['category', 'value']:.3f} in\nthe choice of a box" in text
    assert f"{lost.categories().loc['yahtzee', 'all']:.3f} by crossing out" in text
    late = lost.rounds().loc[8:12, "all"].sum() / lost.total
    assert 0.6 < late < 0.7


def blocks(language):
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)


@pytest.mark.slow
def test_the_examples_in_the_readme_run(tmp_path):
    script = "\n".join(blocks("python")).replace("100_000", "500")
    script += """
assert ys.simulate(Collector(low=4), 50, seed=1).n == 50
for cls in (Collector, Saver, Sixes):
    ys.check_strategy(cls, rules="official", cards=20)
saver = ys.simulate(Saver, 500, seed=1).games
assert saver.equals(ys.simulate("heuristic", 500, seed=1).games)
assert found.mean > 240
print("all of them ran")
"""
    (tmp_path / "examples.py").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, tmp_path / "examples.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "all of them ran" in done.stdout


def test_the_entry_point_in_the_readme_is_what_is_looked_for():
    import tomllib

    from yahtzee_sim.registry import GROUP

    (block,) = blocks("toml")
    assert GROUP in tomllib.loads(block)["project"]["entry-points"]
