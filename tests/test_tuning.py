"""`tune` and `sweep`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import yahtzee_sim as ys
from yahtzee_sim.solutions import solve
from yahtzee_sim.tuning import _axis, _Sample, _systematic, sweep, tune


@dataclass(frozen=True)
class Keeper(ys.Strategy):
    """Keeps high dice; one number, with a best value that can be found by trying all."""

    low: int = 6
    style: str = "points"
    sees = frozenset({"open"})

    def keep(self, turn):
        return turn.dice >= self.low

    def category(self, turn):
        if self.style == "first":
            return (turn.points >= 0).argmax(axis=1)
        return turn.points.argmax(axis=1)


def test_a_sweep_is_a_tidy_frame_of_exact_means():
    frame = sweep(Keeper, {"low": [3], "style": ["first", "points"]})
    assert list(frame.columns[:3]) == ["low", "style", "mean"]
    assert frame[["low", "style"]].to_numpy().tolist() == [
        [3, "first"],
        [3, "points"],
    ]
    for row in frame.itertuples():
        exact = ys.evaluate(Keeper(row.low, row.style), only="mean")
        assert row.mean == exact.mean
        assert row.p_upper_bonus == exact.summary().loc["p_upper_bonus", "value"]
    assert (frame["mean_se"] == 0).all()
    assert "exact" in frame.attrs["caption"]


def test_a_sweep_by_games_uses_the_same_dice_for_all():
    frame = sweep("epsilon,base=most-points", {"rate": [0.0, 0.5]}, games=3000, seed=4)
    plain = ys.simulate("most-points", 3000, seed=4).summary().loc["mean"]
    assert frame["mean"].iloc[0] == plain["value"]
    assert frame["mean_se"].iloc[0] == plain["se"]
    assert (frame["n"] == 3000).all()


@pytest.mark.slow
def test_choices_are_found_by_trying_them():
    best = sweep(Keeper, {"low": [2, 3, 4], "style": ["points"]})
    best = best.sort_values("mean").iloc[-1]
    found = tune(
        Keeper, {"low": (2, 4), "style": ["first", "points"]}, steps=25, cards=100, rounds=1
    )
    assert found.parameters == {"low": best["low"], "style": best["style"]}
    assert found.mean == pytest.approx(best["mean"], abs=1e-9)
    assert found.figure.se == 0
    assert found.start == Keeper()
    assert found.start_figure.value == pytest.approx(
        ys.evaluate(Keeper(), only="mean").mean, abs=1e-9
    )
    assert set(found.tried["how"]) == {"sample", "exact"}
    assert found.tried["mean"].max() == found.mean


@pytest.mark.slow
def test_the_same_call_finds_the_same():
    first = tune(Keeper, {"low": (1, 6)}, steps=12, cards=50, rounds=1)
    again = tune(Keeper, {"low": (1, 6)}, steps=12, cards=50, rounds=1, workers=1)
    assert first.parameters == again.parameters
    assert first.tried.drop(columns="mean").equals(again.tried.drop(columns="mean"))


def test_with_luck_the_same_dice_judge_and_fresh_dice_confirm():
    found = tune("epsilon,base=most-points,rate=0.9", {"rate": (0.0, 1.0)}, games=2000, steps=12)
    assert found.parameters["rate"] < 0.3
    fresh = ys.simulate(found.best, 8000, seed=1).summary().loc["mean"]
    assert found.figure.value == fresh["value"]
    assert found.figure.se == fresh["se"]
    assert set(found.tried["how"]) == {"games"}
    assert "fresh dice" in found.caption
    assert found.caption in repr(found)


@pytest.mark.slow
def test_potential_is_tuned_from_flat_prices_to_near_the_best_known():
    flat = dict.fromkeys([c.column for c in ys.Category], 15.0)
    flat |= {"bonus": 1.0, "dice": 3.0, "spread": 1.0, "hundreds": 0.0}
    start = ys.strategy("potential", **flat)
    bounds = {c.column: (-10.0, 50.0) for c in ys.Category}
    bounds |= {"bonus": (0.0, 2.0), "dice": (2.0, 4.0), "spread": (0.3, 3.0)}
    bounds["hundreds"] = (0.0, 0.1)
    found = tune(start, bounds, cards=400, steps=400, rounds=3)
    best_known = ys.evaluate("potential", only="mean").mean
    assert found.mean > best_known - 2
    assert found.mean == pytest.approx(ys.evaluate(found.best, only="mean").mean, abs=1e-9)


# --- the sample of cards -----------------------------------------------------------------------


def test_a_sample_stands_for_all_cards():
    rng = np.random.default_rng(1)
    visits = np.zeros(1 << 21)
    codes = rng.choice(1 << 20, 5000, replace=False)
    visits[codes] = rng.exponential(size=5000) ** 3
    visits *= 13 / visits.sum()
    taken, weight = _systematic(visits, 800)
    assert 700 < len(taken) <= 801
    assert weight.sum() == pytest.approx(13)
    assert (np.diff(taken) > 0).all()
    likely = np.flatnonzero(visits > 13 / 300)
    assert np.isin(likely, taken).all()
    # a quantity that goes with the code is estimated without much error
    exact = visits @ (np.arange(1 << 21) / (1 << 21))
    assert weight @ (taken / (1 << 21)) == pytest.approx(exact, rel=0.02)


def test_a_sample_of_all_cards_is_the_exact_loss():
    from yahtzee_sim.evaluation import chances_of
    from yahtzee_sim.progress import Progress

    rules = ys.rules("plain")
    player = ys.strategy("roll-once")
    visits = np.zeros(1 << 21)
    with Progress(13, "rounds", show=False) as bar:
        mean = chances_of(player, rules, 1, bar, visits=visits).mean
    cards = np.count_nonzero(visits)
    sample = _Sample(rules, visits, 10 * cards)
    assert solve("plain").expected - sample(player) == pytest.approx(mean, abs=1e-9)


# --- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({}, "mapping of fields to bounds"),
        ([("low", (1, 6))], "mapping of fields to bounds"),
        ({"high": (1, 6)}, "unknown field 'high'"),
        ({"low": (6, 1)}, "low below high"),
        ({"low": (1, 2, 3)}, "bounds are two numbers"),
        ({"low": (1, float("inf"))}, "low below high"),
        ({"low": (1.5, 6)}, "whole number"),
        ({"low": []}, "at least one value"),
        ({"style": (1, 2)}, "give a list of choices"),
        ({"style": "points"}, "give a list of values"),
        ({"low": 3}, "give a list of values"),
    ],
)
def test_bounds_that_cannot_be_are_refused(parameters, reason):
    with pytest.raises(ys.YahtzeeError, match=reason):
        tune(Keeper, parameters)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"method": "newton"}, "unknown method 'newton'"),
        ({"steps": 0}, "steps is a whole number from 1 up"),
        ({"rounds": -1}, "rounds is a whole number"),
        ({"cards": 2.5}, "cards is a whole number"),
        ({"seed": -1}, "seed is"),
        ({"workers": "many"}, "workers is"),
    ],
)
def test_a_search_that_cannot_be_is_refused(arguments, reason):
    with pytest.raises(ys.YahtzeeError, match=reason):
        tune(Keeper, {"low": (1, 6)}, **arguments)


def test_a_strategy_without_parameters_has_nothing_to_tune():
    with pytest.raises(ys.YahtzeeError, match="no parameters to tune"):
        tune("greedy", {"x": (1, 2)})


@pytest.mark.parametrize("parameters", [{}, {"low": 3}, {"low": "12"}, {"low": []}, {"high": [1]}])
def test_a_grid_that_cannot_be_is_refused(parameters):
    with pytest.raises(ys.YahtzeeError, match=r"mapping|list of values|one value|field"):
        sweep(Keeper, parameters)


def test_a_field_may_have_the_name_of_a_figure():
    @dataclass(frozen=True)
    class Odd(Keeper):
        mean: int = 0

    frame = sweep(Odd, {"mean": [1, 2]}, games=50)
    assert frame["mean_"].tolist() == [1, 2]
    assert frame["mean"].between(5, 400).all()


def test_a_wrong_answer_during_a_search_is_the_strategys_own_error():
    @dataclass(frozen=True)
    class Cheat(ys.Strategy):
        box: int = 0
        sees = frozenset({"open", "luck"})

        def keep(self, turn):
            return turn.dice > 0

        def category(self, turn):
            return np.full(len(turn), self.box)

    with pytest.raises(ys.StrategyError, match="it scored in"):
        tune(Cheat, {"box": (0, 12)}, games=50, steps=10)


def test_values_and_places_of_an_axis_are_each_others_inverse():
    for axis, values in (
        (_axis("x", (2.0, 5.0), 3.0), [2.0, 3.5, 5.0]),
        (_axis("x", (1, 6), 3), [1, 3, 6]),
        (_axis("x", ["a", "b", "c"], "a"), ["a", "b", "c"]),
    ):
        assert [axis.value(axis.place(v)) for v in values] == values
        assert axis.value(-1) == values[0]
        assert axis.value(2) == values[-1]
