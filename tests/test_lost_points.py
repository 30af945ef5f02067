"""Where the points go: costs of decisions, luck of rolls, and that they add up."""

from __future__ import annotations

import numpy as np
import pytest

import yahtzee_sim as ys
from yahtzee_sim.engine import Record, Seat, play
from yahtzee_sim.lost_points import losses
from yahtzee_sim.reckoning import Reckoner

RULES = sorted(ys.list_rules())


def played(name, rules, n, seed=7):
    seat, record = Seat(ys.strategy(name), rules, seed, width=n), Record.empty(n)
    play([seat], 0, n, [record])
    return seat, record


def adds_up(name, rules, n):
    which, best = ys.rules(rules), ys.solve(rules)
    seat, record = played(name, which, n)
    account = Reckoner(which, best.worth).account(record)
    total = best.expected + account.luck.sum(axis=(0, 1)) - account.costs.sum(axis=(0, 1))
    assert np.abs(total - seat.games[15]).max() < 1e-9
    assert (account.costs >= 0).all()
    return account


def test_every_total_is_the_start_plus_luck_less_cost():
    for name in ("random", "kth", "greedy"):
        adds_up(name, "official", 2000)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("name", ["random", "most-points", "careful-human", "greedy", "optimal"])
def test_every_total_is_the_start_plus_luck_less_cost_under_all_rules(name, rules):
    account = adds_up(name, rules, 4000)
    if name == "optimal":
        assert not account.costs.any()


def test_rolls_bring_nothing_on_average():
    account = adds_up("most-points", "official", 4000)
    luck = account.luck.reshape(3 * 13, -1)
    error = luck.std(axis=1) / np.sqrt(luck.shape[1])
    assert (np.abs(luck.mean(axis=1)) < 4.5 * error).all()


def test_costs_and_luck_are_those_of_the_advice():
    """One game, decision by decision, against `Solution.advise`."""
    best = ys.solve()
    rules = ys.rules()
    _, record = played("careful-human", rules, 8)
    account = Reckoner(rules, best.worth).account(record)
    shown = ys.replay("careful-human", 5, 7).frame
    filled = {}
    for round_, turn in enumerate(shown.itertuples()):
        bonus = int(shown["yahtzee_bonus"].iloc[:round_].sum())
        card = ys.Scorecard(**filled, yahtzee_bonus=bonus)
        before = best.value(card)
        for stage, (dice, kept) in enumerate(
            [(turn.roll_1, turn.keep_1), (turn.roll_2, turn.keep_2), (turn.roll_3, turn.category)]
        ):
            advice = best.advise(card, dice, 2 - stage)
            to_come = advice["to_come"]
            assert account.luck[stage, round_, 5] == pytest.approx(to_come.iloc[0] - before)
            assert account.costs[stage, round_, 5] == pytest.approx(advice["cost"][kept], abs=2e-9)
            before = to_come[kept]
        filled[turn.category] = turn.points


# --- exactly -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rules"),
    [("most-points", "official"), pytest.param("kth", "kniffel", marks=pytest.mark.slow)],
)
def test_expected_losses_add_up_to_what_the_mean_lacks(name, rules):
    lost = losses(name, rules)
    mean = ys.evaluate(name, rules, only="mean").mean
    assert lost.start - lost.total == pytest.approx(mean, abs=1e-9)
    assert lost.stages()["value"].iloc[:3].sum() == pytest.approx(lost.total, abs=1e-9)
    assert lost.stages()["share"].iloc[:3].sum() == pytest.approx(1)
    rounds, boxes = lost.rounds(), lost.categories()
    assert rounds["all"].sum() == pytest.approx(lost.total, abs=1e-9)
    by_stage = rounds[["first_keep", "second_keep", "category"]]
    assert by_stage.sum(axis=1).to_numpy() == pytest.approx(rounds["all"].to_numpy())
    category = lost.stages().loc["category", "value"]
    assert boxes["all"].sum() == pytest.approx(category, abs=1e-9)
    assert boxes["missed"].sum() == pytest.approx(category, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["careful-human", "twenty", "optimal"])
def test_expected_losses_add_up_for_players_of_the_whole_card(name):
    lost = losses(name)
    mean = ys.evaluate(name, only="mean").mean
    assert lost.start - lost.total == pytest.approx(mean, abs=1e-9)
    if name == "optimal":
        assert lost.total == 0
        assert lost.situations().empty
        assert (lost.stages()["share"] == 0).all()


def test_the_dearest_situations_are_worked_out_by_hand_for_one():
    """`roll-once` on the first roll of a game: it scores in ones and never rerolls."""
    lost = losses("roll-once")
    situations = lost.situations(200)
    assert situations["total"].is_monotonic_decreasing
    assert situations["total"].to_numpy() == pytest.approx(
        (situations["chance"] * situations["cost"]).to_numpy()
    )
    # with 2 rolls left on the empty card, keeping everything costs what the advice says
    first = situations[(situations["rolls_left"] == 2)]
    first = first[first["card"].str.startswith("filled nothing")]
    assert len(first)
    for row in first.head(3).itertuples():
        advice = ys.solve().advise(ys.Scorecard(), row.dice, 2)
        assert row.done == row.dice
        assert row.best == (advice.index[0] or "-")
        assert row.cost == pytest.approx(advice["cost"][row.done], abs=1e-9)
        faces = [row.dice.count(f) for f in "123456"]
        ways = 120
        for count in faces:
            ways //= [1, 1, 2, 6, 24, 120][count]
        assert row.chance == pytest.approx(ways / 6**5)


def test_a_situation_where_nothing_is_kept_shows_a_dash():
    lost = losses("most-points", games=2000, seed=1)
    assert "" not in set(lost.situations(200)["best"])


# --- by playing --------------------------------------------------------------------------------


@pytest.mark.slow
def test_games_show_the_exact_losses():
    exact, shown = losses("kth"), losses("kth", games=30_000, seed=4)
    for method in ("stages", "categories", "rounds"):
        one, other = getattr(exact, method)(), getattr(shown, method)()
        column = "value" if method == "stages" else "all"
        error = other["se"].to_numpy()
        off = np.abs(one[column] - other[column]).to_numpy()
        assert (off <= 4.5 * error + 1e-12).all(), method
    row = exact.situations(1).iloc[0]
    found = shown.situations(50)
    same = found[(found["dice"] == row["dice"]) & (found["card"] == row["card"])]
    assert same["cost"].iloc[0] == pytest.approx(row["cost"])


def test_who_uses_luck_is_reckoned_by_playing():
    lost = losses("epsilon,base=greedy", games=3000, seed=2)
    assert lost.n == 3000
    assert "3,000 games, seed 2" in lost.caption
    mean = ys.simulate("epsilon,base=greedy", 3000, seed=2).games["total"].mean()
    assert abs(lost.start - lost.total - mean) < 4.5 * 45 / np.sqrt(3000)


@pytest.mark.slow
def test_the_figures_do_not_depend_on_the_workers():
    one = losses("random", games=70_000, seed=3, workers=1)
    two = losses("random", games=70_000, seed=3, workers=2)
    assert one.stages().equals(two.stages())
    assert one.situations(50).equals(two.situations(50))


def test_only_one_game_has_no_error():
    assert np.isnan(losses("most-points", games=1, seed=3).stages()["se"]).all()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"games": 0}, "games is a whole number from 1 up"),
        ({"games": 10, "seed": -1}, "seed is"),
        ({"workers": 0}, "workers is"),
        ({"rules": "nobody's"}, "unknown rule"),
    ],
)
def test_what_cannot_be_is_refused(arguments, reason):
    with pytest.raises(ys.YahtzeeError, match=reason):
        losses("most-points", **arguments)


def test_it_shows_itself():
    lost = losses("most-points", games=500, seed=1)
    assert lost.caption in repr(lost)
    assert "first_keep" in repr(lost)
    assert lost.caption.split(":")[0] in lost._repr_html_()
