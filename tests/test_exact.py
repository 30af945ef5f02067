"""The exact answer: the solver, policy evaluation, and the published figures."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import yahtzee_sim as ys
from yahtzee_sim import cards, decisions
from yahtzee_sim.backward import optimal_worth
from yahtzee_sim.cards import FILLED_COUNT, reachable
from yahtzee_sim.categories import ALL_BOXES, COLUMNS
from yahtzee_sim.dice import KEEP_OF_MASK, ROLLS, transition_counts
from yahtzee_sim.expectimax import Turns
from yahtzee_sim.scoring import scoring

PUBLISHED = json.loads((Path(__file__).parent / "data/published.json").read_text())
OPTIMAL = {
    "official": (254.58772873449593, 1e-9),
    "verhoeff": (254.58960948196315, 1e-9),
    "no-joker": (253.9702412, 5e-8),
    "plain": (245.870774514, 5e-10),
    "kniffel": (245.904728, 5e-7),
    "yardzee": (254.486219, 5e-7),
}
CUSTOM = [
    (ys.rules("verhoeff", joker="matching-or-lower"), 254.588241),
    (ys.rules("free-choice", joker="matching-or-lower"), 254.709867),
    (ys.rules("official", joker_needs_fifty=True), 254.484846),
    (ys.rules("official", joker="matching-first"), 254.589097),
    (ys.rules("yardzee", five_of_a_kind_is_full_house=True), 254.499944),
]


@pytest.fixture(scope="module", autouse=True)
def cache_of_its_own(tmp_path_factory):
    """Solve anew: what an earlier version left in the user's cache proves nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("YAHTZEE_SIM_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setattr("yahtzee_sim.solutions._SOLVED", type(decisions._ROWS)())
        yield


@cache
def evaluation(strategy: str, rules: str = "official"):
    return ys.evaluate(strategy, rules)


def published(name: str, rules: str) -> float:
    return next(p["value"] for p in PUBLISHED if p["name"] == name and p["rules"] == rules)


class TestSolver:
    @pytest.mark.parametrize("name", OPTIMAL)
    def test_optimal_mean_is_the_published_one(self, name):
        value, tolerance = OPTIMAL[name]
        assert ys.solve(name).expected == pytest.approx(value, abs=tolerance)

    @pytest.mark.parametrize("name", ys.list_rules())
    def test_optimal_mean_is_the_one_in_the_readme(self, name):
        readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
        (row,) = (line for line in readme.splitlines() if line.startswith(f"| `{name}` "))
        assert row.split("|")[-2].strip() == f"{ys.solve(name).expected:.6f}"

    @pytest.mark.slow
    @pytest.mark.parametrize(("rules", "value"), CUSTOM, ids=lambda x: getattr(x, "name", None))
    def test_optimal_mean_of_custom_rules(self, rules, value):
        assert ys.solve(rules).expected == pytest.approx(value, abs=1e-6)

    def test_number_of_cards(self):
        codes = reachable(63)
        assert len(codes) == published("anchors_reachable", "bonus_and_joker") == 536_448
        assert int((codes >> 8 != ALL_BOXES).sum()) == 536_320

    @pytest.mark.parametrize("name", ["official", "yardzee", "free-choice", "plain"])
    def test_last_turns_by_plain_recursion(self, name):
        """Cards with one or two boxes open, by a recursion over rolls and keeps of its own."""
        rules = ys.rules(name)
        worth = ys.solve(rules).worth
        codes = reachable(63)
        rng = np.random.default_rng(3)
        for open_boxes in (1, 2):
            some = rng.choice(codes[FILLED_COUNT[codes >> 8] == 13 - open_boxes], 12)
            for code in some.tolist():
                assert worth[code] == pytest.approx(plain_value(rules, code), abs=1e-9)

    @pytest.mark.slow
    def test_free_choice_by_an_independent_way(self):
        """Believing the solved values and playing a turn gives the same values back, and an
        evaluation of that play, forwards, gives the same mean."""
        rules = ys.rules("free-choice")
        solution = ys.solve(rules)
        assert ys.evaluate("optimal", rules, only="mean").mean == pytest.approx(
            solution.expected, abs=1e-9
        )
        everything = {"joker": "any", "joker_needs_upper_filled": False}
        assert solution.expected == pytest.approx(
            ys.solve(ys.rules("official", **everything)).expected, abs=1e-9
        )  # five of a kind as a full house cannot be seen in the optimal mean

    def test_every_card_is_worth_what_one_turn_and_the_rest_bring(self):
        """The Bellman equation on every reachable card, cards with the same future included."""
        rules = ys.rules("yardzee")
        worth = ys.solve(rules).worth
        turns = Turns(scoring(rules))
        with_bonus = turns.with_bonus(worth)
        codes = reachable(63)
        codes = codes[codes >> 8 != ALL_BOXES]
        some = np.random.default_rng(5).choice(codes, 20_000, replace=False)
        for part in np.array_split(np.sort(some), 100):
            np.testing.assert_allclose(
                turns.start_values(part, with_bonus), worth[part], rtol=0, atol=1e-9
            )

    @pytest.mark.parametrize("threshold", [1, 30, 105])
    def test_thresholds_far_from_63(self, threshold):
        rules = ys.rules("plain", upper_bonus_threshold=threshold)
        worth = ys.solve(rules).worth
        codes = reachable(threshold)
        code = int(np.random.default_rng(1).choice(codes[FILLED_COUNT[codes >> 8] == 12]))
        assert worth[code] == pytest.approx(plain_value(rules, code), abs=1e-9)
        if threshold == 1:  # nearly everybody gets it
            base = ys.solve(ys.rules("plain", upper_bonus=0)).expected
            assert base + 34 < worth[0] < base + 35

    def test_rules_that_allow_more_are_never_worth_less(self):
        means = {name: ys.solve(name).expected for name in ys.list_rules()}
        assert means["plain"] < means["kniffel"] < means["no-joker"] < means["yardzee"]
        assert means["yardzee"] < means["official"] < means["verhoeff"] < means["free-choice"]

    def test_more_rolls_never_hurt(self):
        solution = ys.solve()
        card = ys.Scorecard(ones=2, chance=20, yahtzee=0)
        two = solution.keep_values(card, 2)
        one = solution.keep_values(card, 1)
        assert (two >= one - 1e-9).all()

    @pytest.mark.slow
    def test_the_number_of_threads_does_not_matter(self):
        one, two = (optimal_worth(ys.rules("kniffel"), threads=n) for n in (1, 2))
        assert np.array_equal(one, two)


def plain_value(rules, code: int) -> float:
    """The value of a card by recursion over the 252 rolls and every mask of every roll."""
    if code >> 8 == ALL_BOXES:
        return 0.0
    threshold = rules.upper_bonus_threshold
    filled, upper, fifty = code >> 8, code >> 1 & 127, code & 1
    tables, value = scoring(rules), np.empty(252)
    for roll in range(252):
        options = tables.options(np.array([filled]), np.array([fifty]), np.array([roll]))[0]
        best = -np.inf
        for box in np.flatnonzero(options >= 0).tolist():
            points = int(options[box])
            above = upper + (points if box < 6 else 0)
            bonus = rules.upper_bonus if upper < threshold <= above else 0
            five = len(set(ROLLS[roll].tolist())) == 1
            bonus += rules.yahtzee_bonus if five and fifty else 0
            after = cards.encode(
                filled | 1 << box, min(above, threshold), fifty | (box == 11 and points == 50)
            )
            best = max(best, points + bonus + plain_value_cached(rules, int(after)))
        value[roll] = best
    chance = transition_counts() / transition_counts().sum(axis=1, keepdims=True)
    for _ in range(2):
        value = (chance @ value)[KEEP_OF_MASK].max(axis=1)
    return float(chance[0] @ value)


@cache
def plain_value_cached(rules, code: int) -> float:
    return plain_value(rules, code)


class TestSolution:
    def test_first_roll_33356(self):
        advice = ys.solve().advise(ys.Scorecard(), "33356", 2)["value"]
        assert advice["333"] == pytest.approx(259.646, abs=5e-4)
        assert advice["3335"] == pytest.approx(256.219, abs=5e-4)
        assert advice["3336"] == pytest.approx(advice["3335"], abs=1e-9)
        assert advice["356"] == pytest.approx(248.994, abs=5e-4)
        assert advice.index[0] == "333"

    def test_the_published_seventh_turn(self):
        card = ys.Scorecard(
            rules="verhoeff", ones=3, threes=9, fours=12, sixes=24, full_house=25, small_straight=30
        )
        assert (card.total, card.round) == (103, 7)
        advice = ys.solve("verhoeff").advise(card, [1, 2, 3, 4, 4], 2)
        assert advice.loc["234", "to_come"] == pytest.approx(140.4088, abs=5e-5)
        assert advice.loc["234", "value"] == pytest.approx(243.41, abs=5e-3)
        assert advice.loc["1234", "value"] == pytest.approx(243.10, abs=5e-3)
        assert advice.index[0] == "234"
        assert advice["cost"].iloc[0] == 0

    def test_a_box_is_worth_its_points_and_the_card_after(self):
        solution, card = ys.solve(), ys.Scorecard(ones=3, yahtzee=50, sixes=18)
        advice = solution.advise(card, [4, 4, 4, 4, 4], 0)
        assert list(advice.index) == ["fours"]  # the forced joker
        after = card.score("fours", [4, 4, 4, 4, 4])
        assert advice.loc["fours", "value"] == pytest.approx(after.total + solution.value(after))
        assert after.yahtzee_bonus == 100

    def test_reaching_the_bonus_is_in_the_value_and_not_paid_twice(self):
        solution = ys.solve()
        card = ys.Scorecard(ones=3, twos=6, threes=9, fours=12, fives=15)
        after = card.score("sixes", [6, 6, 6, 1, 2])
        advice = solution.advise(card, [6, 6, 6, 1, 2], 0)
        assert after.upper_bonus == 35
        assert advice.loc["sixes", "value"] == pytest.approx(after.total + solution.value(after))

    def test_values_as_an_array(self):
        values = ys.solve().values
        assert values.shape == (8192, 64, 2)
        assert values[0, 0, 0] == ys.solve().expected
        assert int((~np.isnan(values)).sum()) == 536_448
        assert values[ALL_BOXES, 63, 1] == 0

    @pytest.mark.parametrize(
        ("call", "says"),
        [
            (lambda s: s.value("ones=3"), "a card is a Scorecard"),
            (lambda s: s.value(ys.Scorecard(rules="plain")), "the card has the rules plain"),
            (lambda s: s.advise(ys.Scorecard(), "3335", 2), "five dice"),
            (lambda s: s.advise(ys.Scorecard(), "33357", 2), "1 to 6"),
            (lambda s: s.advise(ys.Scorecard(), "33356", 3), "2 or 1 rolls left"),
        ],
    )
    def test_bad_questions_get_one_line(self, call, says):
        with pytest.raises(ys.YahtzeeError, match=says) as caught:
            call(ys.solve())
        assert "\n" not in str(caught.value)


class TestCache:
    @pytest.fixture
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.setenv("YAHTZEE_SIM_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr("yahtzee_sim.solutions._SOLVED", type(decisions._ROWS)())
        solved = []

        def quick(rules, done=None, threads=None):
            solved.append(rules.name)
            return np.arange(1 << 21, dtype=float)

        monkeypatch.setattr("yahtzee_sim.solutions.optimal_worth", quick)
        self.solved = solved
        return tmp_path / "cache"

    def forget(self):
        from yahtzee_sim.solutions import _SOLVED

        _SOLVED.clear()

    def test_solved_once_and_read_back(self, folder):
        first = ys.solve("plain")
        self.forget()
        again = ys.solve("plain")
        assert self.solved == ["plain"]
        codes = reachable(63)
        assert np.array_equal(first.worth[codes], again.worth[codes])

    def test_the_name_of_the_rules_does_not_matter(self, folder):
        ys.solve("plain")
        self.forget()
        assert ys.solve(ys.rules("plain", name="mine")).rules.name == "mine"
        assert self.solved == ["plain"]

    @pytest.mark.parametrize("damage", ["cut", "flip", "foreign", "version"])
    def test_a_damaged_file_is_solved_again_with_a_warning(self, folder, damage):
        ys.solve("plain")
        self.forget()
        (path,) = folder.iterdir()
        stored = bytearray(path.read_bytes())
        if damage == "cut":
            stored = stored[:1000]
        elif damage == "flip":
            stored[-5] ^= 1
        elif damage == "foreign":
            stored = bytearray(b"something else")
        else:
            stored = stored.replace(b'"version": 1', b'"version": 0')
        path.write_bytes(stored)
        with pytest.warns(RuntimeWarning, match="solved again"):
            ys.solve("plain")
        assert self.solved == ["plain", "plain"]
        self.forget()
        ys.solve("plain")  # mended: no warning, which would be an error here
        assert len(self.solved) == 2

    def test_a_folder_that_cannot_be_written_only_warns(self, folder, monkeypatch):
        folder.parent.joinpath("file").write_text("")
        monkeypatch.setenv("YAHTZEE_SIM_CACHE", str(folder.parent / "file" / "cache"))
        with pytest.warns(RuntimeWarning, match="cannot"):
            assert ys.solve("plain").expected == 0.0

    def test_nothing_half_written_stays(self, folder):
        ys.solve("plain")
        ys.solve("kniffel")
        assert sorted(p.suffix for p in folder.iterdir()) == [".bin", ".bin"]


class TestOptimalPlay:
    def test_figures_of_the_literature(self):
        e = evaluation("optimal")
        value = e.summary()["value"]
        assert value["mean"] == pytest.approx(254.58772873449593, abs=1e-9)
        assert value["sd"] == pytest.approx(59.608, abs=1e-3)
        assert value["median"] == published("median_optimal", "bonus_and_joker")
        assert (value["q25"], value["q75"]) == (217, 272)
        assert e.distribution().idxmax() == published("mode_optimal", "bonus_and_joker")
        assert value["p_upper_bonus"] == pytest.approx(0.68122, abs=5e-6)
        assert value["yahtzee_bonuses"] == pytest.approx(0.09580, abs=5e-6)
        assert value["p_300"] == pytest.approx(0.14326, abs=5e-6)
        assert (value["min"], value["max"]) == (12, 1575)

    def test_questions_with_a_known_answer(self):
        chances = evaluation("optimal").chances
        assert chances.upper[57:63].sum() == pytest.approx(0.131, abs=5e-4)
        assert chances.paid[:4] == pytest.approx([0.663, 0.255, 0.070, 0.011], abs=5e-4)
        total = chances.total
        percentile = [total[:t].sum() + total[t] / 2 for t in (200, 250, 300)]
        assert percentile == pytest.approx([0.140, 0.521, 0.858], abs=5e-4)

    @pytest.mark.slow
    def test_category_table_of_the_literature(self):
        table = evaluation("optimal", "verhoeff").categories()
        boxes = {"aces": "ones"}
        for p in PUBLISHED:
            kind, _, name = p["name"].partition("_optimal_")
            box = boxes.get(name, name)
            if kind in ("mean", "pzero") and box in COLUMNS:
                column = {"mean": "mean", "pzero": "zero_rate"}[kind]
                tolerance = {"mean": 0.006, "pzero": 2e-4}[kind]
                assert table.loc[box, column] == pytest.approx(p["value"], abs=tolerance), box
        value = evaluation("optimal", "verhoeff").summary()["value"]
        assert value["sd"] == pytest.approx(59.6117, abs=1e-3)
        assert 35 * value["p_upper_bonus"] == pytest.approx(23.84, abs=5e-3)
        assert 100 * value["yahtzee_bonuses"] == pytest.approx(9.58, abs=5e-3)

    def test_best_of_several_players(self):
        """The median and mean of the best of n independent optimal players."""
        cumulative = np.cumsum(evaluation("optimal").chances.total)
        for n, median in ((1, 248), (2, 268), (3, 279), (5, 307)):
            assert int(np.searchsorted(cumulative**n, 0.5)) == median
        best_of_four = float((1 - cumulative**4).sum())
        assert best_of_four == pytest.approx(316.6, abs=0.05)

    def test_nobody_beats_it(self):
        best = ys.solve().expected
        for name in ("greedy", "upper-first", "yahtzee-chaser", "roll-once"):
            assert ys.evaluate(name, only="mean").mean < best


class TestSmallQuestions:
    def test_odds_are_the_exact_fractions(self):
        assert ys.odds("yahtzee") == pytest.approx(347897 / 7558272, abs=1e-15)
        assert ys.odds("large_straight") == pytest.approx(319695199 / 1224440064, abs=1e-15)
        assert ys.odds("small straight") == pytest.approx(753572225 / 1224440064, abs=1e-15)
        four = [ys.odds("four_of_a_kind", rolls) for rolls in (1, 2, 3)]
        assert four == pytest.approx([0.0201, 0.1323, 0.2908], abs=5e-5)
        assert ys.odds("ones") == pytest.approx(1 - (5 / 6) ** 15, abs=1e-15)
        assert ys.odds("chance", 1) == 1
        assert ys.odds("sixes", 1, at_least=30) == pytest.approx(1 / 6**5, abs=1e-15)

    def test_the_price_of_a_box(self):
        cost = ys.box_values()["cost"]
        wanted = {"ones": 17.69, "four_of_a_kind": 19.05, "chance": 34.63, "sixes": 38.07}
        for box, price in (wanted | {"fives": 36.05}).items():
            assert cost[box] == pytest.approx(price, abs=5e-3)

    def test_the_opening_table(self):
        table = ys.openings()
        assert len(table) == 252
        assert table["probability"].sum() == pytest.approx(1)
        mean = (table["probability"] * table["value"]).sum()
        assert mean == pytest.approx(ys.solve().expected, abs=1e-9)
        assert table.loc["33356", "keep"] == "333"
        assert table.loc["33356", "next_keep"] == "3335"
        assert table.loc["33356", "cost"] == pytest.approx(259.646 - 256.219, abs=1e-3)

    @pytest.mark.parametrize(
        ("call", "says"),
        [
            (lambda: ys.odds("fullhouse"), "did you mean full_house"),
            (lambda: ys.odds("ones", 4), "1, 2 or 3"),
            (lambda: ys.odds("ones", at_least="many"), "whole number"),
            (lambda: ys.evaluate("greedy", only="meen"), "did you mean mean"),
            (lambda: ys.evaluate("random"), "its decisions are drawn"),
            (lambda: ys.evaluate("greedy", only="mean").distribution(), "not asked for"),
        ],
    )
    def test_bad_questions_get_one_line(self, call, says):
        with pytest.raises(ys.YahtzeeError, match=says) as caught:
            call()
        assert "\n" not in str(caught.value)


class WholeCard(ys.Strategy):
    """A rule of thumb that looks at everything a stationary strategy may."""

    def keep(self, turn):
        wanted = np.where(turn.open[:, :6], 10, 7) * turn.counts
        wanted = wanted + np.where(turn.to_bonus > 20, 3, 0)[:, None] * np.arange(6)
        return turn.dice == wanted.argmax(axis=1)[:, None] + 1

    def category(self, turn):
        points = turn.points.copy()
        points[:, :6] += np.where(turn.upper > 10, 4, 0)[:, None] * (points[:, :6] > 0)
        points[:, 11] += np.where(turn.fifty, 0, 1) * (points[:, 11] > 0)
        return points.argmax(axis=1)


class Plain(ys.SingleGameStrategy):
    """A single-game player that looks at open boxes."""

    sees = frozenset({"open"})

    def keep_one(self, dice, rolls_left, card):
        is_open = card.open
        wanted = [d for d in dice if d - 1 in is_open]
        face = max(wanted or dice, key=lambda d: (dice.count(d), d))
        return [d for d in dice if d == face]

    def category_one(self, dice, card):
        legal = card.legal(dice)
        return max(legal, key=lambda box: (legal[box], -box))


class Priced(ys.LookaheadStrategy):
    """A lookahead player whose worth depends on all of the card."""

    def worth(self, cards):
        return 15.0 * cards.open.sum(axis=1) - 0.3 * cards.to_bonus + 5.0 * cards.fifty


KINDS = {
    "rule of thumb on open boxes": "yahtzee-chaser",
    "rule of thumb on the whole card": WholeCard(),
    "lookahead": Priced(),
    "optimal": "optimal",
    "single game": Plain(),
}


def agree(kind: str, rules: str, games: int) -> None:
    """Simulation and exact result are within their error."""
    strategy = KINDS[kind]
    exact = ys.evaluate(strategy, rules)
    played = ys.simulate(strategy, games, rules=rules, seed=20, store="summary", workers=2)
    one, other = exact.summary()["value"], played.summary()
    for metric in (
        "mean",
        "sd",
        "p_upper_bonus",
        "p_yahtzee",
        "yahtzee_bonuses",
        "yahtzees_paid",
        "yahtzees_rolled",
    ):
        # the error of a rate from its exact value: an empty sample has none of its own
        se = max(other.loc[metric, "se"], np.sqrt(max(one[metric], 0) / games), 1e-12)
        assert abs(other.loc[metric, "value"] - one[metric]) < 4.5 * se, (kind, rules, metric)
    boxes, seen = exact.categories(), played.categories()
    assert (abs(boxes["mean"] - seen["mean"]) < 5 * seen["mean_se"] + 1e-9).all()
    assert (abs(boxes["mean_round"] - seen["mean_round"]) < 5 * seen["mean_round_se"] + 1e-9).all()
    assert chi_square(exact.chances.total, played.tally.total) > 1e-4


def chi_square(chance: np.ndarray, seen: np.ndarray) -> float:
    """p of the histogram, totals pooled to expected counts of at least 10."""
    expected = chance * seen.sum()
    assert not seen[chance == 0].any()
    cell = np.floor(np.cumsum(expected) / 10.0001).astype(int)
    pooled = np.bincount(cell, expected), np.bincount(cell, seen)
    fine = pooled[0] >= 5
    wanted, found = pooled[0][fine], pooled[1][fine]
    found = np.append(found, seen.sum() - found.sum())
    wanted = np.append(wanted, expected.sum() - wanted.sum())
    if wanted[-1] < 5:
        wanted[-2] += wanted[-1]
        found[-2] += found[-1]
        wanted, found = wanted[:-1], found[:-1]
    return float(stats.chisquare(found, wanted * found.sum() / wanted.sum()).pvalue)


class TestExactAndSimulatedAgree:
    def test_quickly(self):
        agree("rule of thumb on open boxes", "yardzee", 200_000)

    @pytest.mark.slow
    @pytest.mark.parametrize("rules", ["official", "yardzee", "free-choice"])
    @pytest.mark.parametrize("kind", KINDS)
    def test_with_a_million_games(self, kind, rules):
        agree(kind, rules, 1_000_000)

    def test_roll_once_by_hand(self):
        """59545/1296 without the bonus; 35 times the chance of the bonus more with it."""
        plain = ys.evaluate("roll-once", "plain")
        assert plain.mean == pytest.approx(45.945256, abs=5e-7)
        no_bonus = ys.evaluate("roll-once", ys.rules("plain", upper_bonus=0))
        assert no_bonus.mean == pytest.approx(59545 / 1296, abs=1e-12)
        bonus = plain.summary().loc["p_upper_bonus", "value"]
        assert plain.mean - no_bonus.mean == pytest.approx(35 * bonus, abs=1e-12)

    def test_the_short_form_gives_the_same_mean(self):
        whole, short = ys.evaluate("upper-first"), ys.evaluate("upper-first", only="mean")
        assert short.mean == pytest.approx(whole.mean, abs=1e-10)
        from_distribution = float(whole.distribution() @ whole.distribution().index)
        assert whole.mean == pytest.approx(from_distribution, abs=1e-10)
        shared = short.summary().index
        np.testing.assert_allclose(
            short.summary()["value"], whole.summary().loc[shared, "value"], atol=1e-10
        )

    def test_everything_sums_to_one(self):
        chances = evaluation("upper-first").chances
        assert chances.total.sum() == pytest.approx(1, abs=1e-12)
        np.testing.assert_allclose(chances.rounds.sum(axis=0), 1, atol=1e-12)
        np.testing.assert_allclose(chances.rounds.sum(axis=1), 1, atol=1e-12)
        np.testing.assert_allclose([p.sum() for p in chances.points], 1, atol=1e-12)
        assert (chances.total >= 0).all()

    def test_threads_do_not_matter(self):
        one, two = (ys.evaluate("upper-first", workers=n).chances.total for n in (1, 2))
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-15)

    def test_frames_are_those_of_a_simulation(self):
        exact, played = evaluation("upper-first"), ys.simulate("upper-first", 1000, seed=1)
        assert list(exact.summary().index) == list(played.summary().index)
        assert list(exact.summary().columns) == list(played.summary().columns)
        assert list(exact.categories().columns) == list(played.categories().columns)
        assert exact.distribution().index.equals(played.distribution().index)
        row = exact.summary(at_least=[275], quantiles=[0.1]).loc["p_275"]
        assert row["se"] == 0
        assert row["low"] == row["high"] == row["value"]
        assert np.isnan(row["n"])
        assert "exact" in repr(exact)

    @pytest.mark.slow
    def test_with_the_true_values_a_lookahead_player_is_optimal(self):
        class Believer(ys.LookaheadStrategy):
            def worth(self, cards):
                return ys.solve(cards.rules).worth_of(cards)

        assert ys.evaluate(Believer(), only="mean").mean == pytest.approx(
            ys.solve().expected, abs=1e-9
        )

    def test_large_straight_under_a_fixed_keep_rule(self):
        """Keep one each of 2 to 5, and a 1 or a 6 when it completes a run of four."""

        class Straight(ys.Strategy):
            sees = frozenset({"open"})

            def keep(self, turn):
                has = turn.counts > 0
                wanted = has.copy()
                wanted[:, 0] &= has[:, 1] & has[:, 2] & has[:, 3]
                wanted[:, 5] &= has[:, 2] & has[:, 3] & has[:, 4]
                wanted[:, 5] &= ~wanted[:, 0]
                first = np.ones_like(turn.dice, dtype=bool)
                first[:, 1:] = turn.dice[:, 1:] != turn.dice[:, :-1]
                return first & np.take_along_axis(wanted, turn.dice - 1, axis=1)

            def category(self, turn):
                is_open = turn.points[:, 10] >= 0
                return np.where(is_open, 10, (turn.points >= 0).argmax(axis=1))

        rate = ys.evaluate(Straight(), only="mean").categories().loc["large_straight", "zero_rate"]
        assert 1 - rate == pytest.approx(295073737 / 1224440064, abs=1e-12)
