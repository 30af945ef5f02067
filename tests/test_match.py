"""Games around one table, exact and played; the end of a game; percentiles."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import yahtzee_sim as ys
from yahtzee_sim.dice import KEEP_OF_MASK, roll_number
from yahtzee_sim.endgame import POINT
from yahtzee_sim.percentiles import chances_of_totals
from yahtzee_sim.playing_together import who_wins
from yahtzee_sim.solutions import endgame_of


@pytest.fixture(scope="module")
def three():
    return ys.match(["most-points", "roll-once", "yahtzees-only"], 6000, seed=3)


def test_shares_of_wins_add_up_to_one(three):
    assert np.allclose(three.shares.sum(axis=1), 1)
    players = three.players()
    assert players["share"].sum() == pytest.approx(1)
    assert (players["share_low"] <= players["share"]).all()
    assert (players["share"] <= players["share_high"]).all()


def test_wins_ties_places_and_margins_game_by_game(three):
    for game in list(range(200)):
        totals = three.totals.iloc[game].tolist()
        best = max(totals)
        for i, total in enumerate(totals):
            expected = (total == best) / totals.count(best)
            assert three.shares[game, i] == expected
            assert three.places[game, i] == 1 + sum(other > total for other in totals)
            others = totals[:i] + totals[i + 1 :]
            assert three.margins.iloc[game, i] == total - max(others)


def test_what_is_played_is_what_is_exact(three):
    players = three.players()
    for label in three.labels:
        off = abs(players.loc[label, "share"] - three.exact.loc[label, "share"])
        assert off < 4.5 * players.loc[label, "share_se"]
        assert players.loc[label, "exact_share"] == three.exact.loc[label, "share"]
        off = abs(players.loc[label, "mean"] - three.exact.loc[label, "mean"])
        assert off < 4.5 * players.loc[label, "mean_se"]
    places = three.places_table()["value"]
    for label, place in itertools.product(three.labels, (1, 2, 3)):
        exact = three.exact.loc[label, f"place_{place}"]
        error = math.sqrt(exact * (1 - exact) / three.n)
        assert abs(places[label, place] - exact) < 4.5 * error


def test_who_wins_by_enumeration():
    rng = np.random.default_rng(1)
    chances = {name: rng.dirichlet(np.ones(4)) for name in "abc"}
    found = who_wins(chances, ys.rules())
    share = dict.fromkeys("abc", 0.0)
    shared, places, best = share.copy(), {}, 0.0
    for totals in itertools.product(range(4), repeat=3):
        p = math.prod(chances[n][t] for n, t in zip("abc", totals, strict=True))
        best += p * max(totals)
        winners = [n for n, t in zip("abc", totals, strict=True) if t == max(totals)]
        for name, total in zip("abc", totals, strict=True):
            if name in winners:
                share[name] += p / len(winners)
                shared[name] += p * (len(winners) > 1)
            place = 1 + sum(t > total for t in totals)
            places[name, place] = places.get((name, place), 0) + p
    for name in "abc":
        assert found.loc[name, "share"] == pytest.approx(share[name])
        assert found.loc[name, "shared"] == pytest.approx(shared[name])
        assert found.loc[name, "best"] == pytest.approx(best)
        for place in (1, 2, 3):
            assert found.loc[name, f"place_{place}"] == pytest.approx(places.get((name, place), 0))


@pytest.mark.slow
def test_the_published_figures_of_two_and_four_optimal_players():
    total = chances_of_totals(ys.strategy("optimal"), ys.rules())
    two = who_wins({"a": total, "b": total}, ys.rules())
    assert two.loc["a", "shared"] == pytest.approx(0.00677, abs=1e-5)
    assert two.loc["a", "won"] == pytest.approx(0.4966, abs=5e-5)
    assert two.loc["a", "share"] == pytest.approx(0.5)
    four = who_wins(dict.fromkeys("abcd", total), ys.rules())
    assert four.loc["a", "best"] == pytest.approx(316.6, abs=0.05)
    assert four["share"].tolist() == pytest.approx([0.25] * 4)


@pytest.mark.slow
def test_two_optimal_players_in_play():
    m = ys.match(["optimal", "optimal"], 400_000, seed=5, workers=2, exact=False)
    players = m.players()
    for value, exact in (("won", 0.496613), ("shared", 0.006774)):
        error = math.sqrt(exact * (1 - exact) / m.n)
        assert abs(players[value].iloc[0] - exact) < 4.5 * error


def test_players_sit_where_they_are_put():
    m = ys.match(["roll-once", "most-points"], 30, seed=4, rotate=True)
    assert m.seats[:15].tolist() == [[0, 1]] * 15
    assert m.seats[15:].tolist() == [[1, 0]] * 15
    # the first seat's dice are those of a game alone
    alone = ys.simulate("roll-once", 15, seed=4).games["total"]
    assert m.totals["roll-once"].iloc[:15].tolist() == alone.tolist()
    seats = m.by_seat()
    assert seats["n"].tolist() == [30, 30]
    assert seats["share"].sum() == pytest.approx(1)


def test_a_match_does_not_depend_on_the_workers():
    one = ys.match(["random", "most-points"], 20_000, seed=4, exact=False)
    two = ys.match(["random", "most-points"], 20_000, seed=4, exact=False, workers=2)
    pd.testing.assert_frame_equal(one.totals, two.totals)


def test_one_player_wins_alone():
    m = ys.match(["roll-once"], 20, seed=1, exact=False)
    assert m.players().loc["roll-once", "share"] == 1
    with pytest.raises(ys.YahtzeeError, match="no margin"):
        m.margins  # noqa: B018
    assert "roll-once" in repr(m)
    assert m.caption in m._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"strategies": ["roll-once"] * 7}, "one to six"),
        ({"games": 0}, "games is a whole number"),
        ({"games": 5, "rotate": True}, "a multiple of the 2 players"),
        ({"rotate": 1}, "rotate is True or False"),
        ({"exact": "yes"}, "exact is True or False"),
        ({"workers": 0}, "workers is"),
    ],
)
def test_a_match_that_cannot_be_is_refused(arguments, reason):
    with pytest.raises(ys.YahtzeeError, match=reason):
        ys.match(**({"strategies": ["roll-once", "most-points"], "games": 10} | arguments))


def test_a_round_robin_is_exact_where_it_can_be():
    frame = ys.round_robin(["roll-once", "most-points", "random"], 2000, seed=1)
    assert len(frame) == 6
    exact = frame.loc[("most-points", "roll-once")]
    assert np.isnan(exact["n"])
    assert exact["share_se"] == 0
    played = frame.loc[("random", "roll-once")]
    assert played["n"] == 2000
    for a, b in frame.index:
        assert frame.loc[(a, b), "share"] + frame.loc[(b, a), "share"] == pytest.approx(1)
    with pytest.raises(ys.YahtzeeError, match="two strategies or more"):
        ys.round_robin(["random"])


# --- the end of a game -------------------------------------------------------------------------


def test_what_cards_still_bring_has_the_optimal_value():
    end, best = endgame_of(ys.rules(), 2), ys.solve()
    codes = np.flatnonzero(end._row_of >= 0)
    assert end.chances.sum(axis=1) == pytest.approx(1)
    assert np.abs(end._mean - best.worth[codes]).max() < 1e-9


def test_the_chance_to_win_with_one_box_left_by_plain_enumeration():
    """Chance is open; the rival is done with 20 more points: how likely is it to pass?"""
    end = endgame_of(ys.rules(), 2)
    mine = {c.column: 0 for c in ys.Category if c.column != "chance"}
    me = np.array([ys.Scorecard(**mine).code]), np.array([0])
    done = np.array([ys.Scorecard(**mine, chance=20).code])

    def utility(points, rival):
        return 1.0 if points > rival else 0.5 if points == rival else 0.0

    from yahtzee_sim.dice import KEEPS, N_ROLLS, ROLL_SUM, transition_counts

    moves = transition_counts() / 6.0 ** (5 - np.array([len(k) for k in KEEPS]))[:, None]
    for rival in (18, 23, 29):
        value = np.array([utility(s, rival) + POINT * s for s in ROLL_SUM])
        for rolls_left in (1, 2):
            keeps = moves @ value
            found = end.keep_values(me, [(done, np.array([rival]))], rolls_left)[0]
            assert found == pytest.approx(keeps, abs=1e-12)
            value = keeps[KEEP_OF_MASK].max(axis=1)
        assert len(value) == N_ROLLS


def test_with_all_boxes_decided_a_sure_winner_plays_for_points():
    """200 points ahead with one box left: the chance to win is 1 whatever is done, so points
    decide, and the closer plays as `optimal` does."""
    end = endgame_of(ys.rules(), 2)
    filled = dict.fromkeys([c.column for c in ys.Category][:12], 0)
    me = np.array([ys.Scorecard(**filled).code]), np.array([400])
    rival = [(np.array([ys.Scorecard(**filled).code]), np.array([0]))]
    found = end.keep_values(me, rival, 2)[0]
    best = ys.solve().keep_values(ys.Scorecard(**filled), 2).to_numpy()
    roll = roll_number("12346")
    kept = np.unique(KEEP_OF_MASK[roll])
    assert kept[found[kept].argmax()] == kept[best[kept].argmax()]


def test_a_player_who_is_behind_takes_the_only_chance():
    """Sixes open, 26 points behind: only five sixes win."""
    filled = {c.column: 0 for c in ys.Category if c.column != "sixes"} | {"chance": 20}
    end = endgame_of(ys.rules(), 2)
    codes = np.array([ys.Scorecard(**filled).code])
    done = np.array([ys.Scorecard(**filled, sixes=0).code])
    found = end.keep_values((codes, np.array([0])), [(done, np.array([29]))], 1)[0]
    from yahtzee_sim.dice import keep_number

    chance = found[keep_number((6, 6, 6))]
    assert chance == pytest.approx(1 / 36 + POINT * (18 + 2), abs=1e-12)


def test_alone_the_closer_is_optimal():
    closer = ys.simulate("closer", 300, seed=2).games
    assert closer.equals(ys.simulate("optimal", 300, seed=2).games)


def test_the_closer_plays_points_until_the_end_is_near():
    close = ys.match(["closer,turns=1", "optimal"], 300, seed=2, exact=False)
    plain = ys.match(["optimal", "optimal"], 300, seed=2, exact=False)
    same = (close.totals.to_numpy() == plain.totals.to_numpy()).mean(axis=0)
    assert same[1] == 1  # the rival does not look at anybody
    assert 0.6 < same[0] < 1


def test_the_closer_has_one_to_three_turns():
    with pytest.raises(ys.StrategyError, match="1 to 3"):
        ys.strategy("closer,turns=4")


@pytest.mark.slow
def test_the_closer_wins_more_than_half_against_optimal():
    m = ys.match(["closer", "optimal"], 100_000, seed=5, rotate=True, exact=False, workers=2)
    closer = m.players().loc["closer"]
    print(f"closer wins {closer['share']:.4f} +- {closer['share_se']:.4f} against optimal")
    assert closer["share_low"] > 0.5


@pytest.mark.slow
def test_the_closer_at_a_table_of_three():
    m = ys.match(["closer", "optimal", "optimal"], 30_000, seed=5, rotate=True, exact=False)
    assert m.players().loc["closer", "share"] > 1 / 3


# --- percentiles -------------------------------------------------------------------------------


@pytest.mark.slow
def test_published_percentiles_of_optimal_play():
    found = ys.percentile([200, 250, 300])
    assert found.round(1).tolist() == [14.0, 52.1, 85.8]
    assert ys.percentile(200) == found[0]


def test_percentiles_count_ties_half():
    distribution = ys.evaluate("roll-once").distribution()
    for total in (5, 40, 46, 100):
        below = distribution[distribution.index < total].sum()
        expected = 100 * (below + distribution.get(total, 0) / 2)
        assert ys.percentile(total, "roll-once") == pytest.approx(expected)
    assert ys.percentile(10**6, "roll-once") == pytest.approx(100)
    assert ys.percentile(-5, "roll-once") == 0


def test_percentiles_against_a_player_with_luck_come_from_games():
    totals = ys.simulate("random", 5000, seed=3).games["total"]
    found = ys.percentile(46, "random", games=5000, seed=3)
    assert found == pytest.approx(100 * ((totals < 46).mean() + (totals == 46).mean() / 2))


@pytest.mark.slow
def test_how_many_games_until_a_gap_shows():
    assert ys.games_needed(10) == 558
    # published as 55,762, with the standard deviation rounded to 59.6
    assert ys.games_needed(1) == 55_776
    assert ys.games_needed(-1) == 55_776


def test_how_many_games_until_skill_shows():
    assert ys.games_needed("most-points", "roll-once") == ys.games_needed(
        "roll-once", "most-points"
    )
    a, b = (ys.evaluate(name).summary()["value"] for name in ("most-points", "roll-once"))
    z = 1.959963985 + 0.841621234
    expected = (a["sd"] ** 2 + b["sd"] ** 2) * (z / (a["mean"] - b["mean"])) ** 2
    assert ys.games_needed("most-points", "roll-once") == math.ceil(expected)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: ys.percentile(2.5), "whole number"),
        (lambda: ys.percentile("many"), "whole number"),
        (lambda: ys.percentile([[1]]), "whole number"),
        (lambda: ys.percentile(True), "whole number"),
        (lambda: ys.games_needed("roll-once"), "two strategies, or a gap"),
        (lambda: ys.games_needed(1, "roll-once"), "two strategies, or a gap"),
        (lambda: ys.games_needed("roll-once", "roll-once"), "the same mean"),
        (lambda: ys.games_needed(0), "the same mean"),
        (lambda: ys.games_needed(float("nan")), "a gap is a number"),
        (lambda: ys.games_needed(1, power=0.3), "power lies between"),
        (lambda: ys.games_needed(1, level=2), "a level lies between"),
    ],
)
def test_what_cannot_be_asked_is_refused(call, reason):
    with pytest.raises(ys.YahtzeeError, match=reason):
        call()
