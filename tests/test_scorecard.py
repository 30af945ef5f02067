"""A card for people: what it holds, where a roll may go, what it refuses, how it is written."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest
import reference_game
from hypothesis import given, settings
from hypothesis import strategies as st

from yahtzee_sim import cards
from yahtzee_sim.categories import Category
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.rulesets import Rules, list_rules
from yahtzee_sim.scorecard import Scorecard

CASES = json.loads((Path(__file__).parent / "data" / "rule_cases.json").read_text())
HOUSE = Rules("house", upper_bonus=50, yahtzee_bonus=40, joker="matching-or-lower")
RULES = [*list_rules().values(), HOUSE]
UPPER = ["ones", "twos", "threes", "fours", "fives", "sixes"]
SIXES = [6] * 5


def play(rules, turns):
    """The card after these (box, dice), written as a text of box and five digits."""
    card = Scorecard(rules=rules)
    for turn in turns.split():
        box, dice = turn.split("=")
        card = card.score(box, dice)
    return card


@st.composite
def games(draw, *, full=False):
    """Rules, and a legal game of some turns: full of fives of a kind, boxes by the reference."""
    rules = draw(st.sampled_from(RULES))
    die = st.integers(1, 6)
    roll = st.one_of(
        die.map(lambda face: [face] * 5),
        st.lists(die, min_size=5, max_size=5),
        st.sampled_from([[2, 3, 4, 5, 6], [3, 3, 3, 5, 5], [1, 2, 3, 4, 4]]),
    )
    filled, turns, bonus = {}, [], 0
    for _ in range(13 if full else draw(st.integers(0, 13))):
        dice = draw(roll)
        options = reference_game.options(rules.to_dict(), filled, tuple(sorted(dice)))
        first = "yahtzee" if options.get("yahtzee") == 50 else None
        box = first if first and draw(st.booleans()) else draw(st.sampled_from(list(options)))
        bonus += rules.yahtzee_bonus * (filled.get("yahtzee") == 50 and len(set(dice)) == 1)
        filled[box] = options[box]
        turns.append((box, dice))
    return rules, turns, filled, bonus


def cards_that_can_be():
    return games().map(lambda g: Scorecard(rules=g[0], yahtzee_bonus=g[3], **g[2]))


class TestScoring:
    @given(games())
    def test_a_game_adds_up_as_in_plain_python(self, game):
        rules, turns, filled, bonus = game
        card, held = Scorecard(rules=rules), {}
        for box, dice in turns:
            expected = reference_game.options(rules.to_dict(), held, tuple(sorted(dice)))
            assert {c.column: points for c, points in card.legal(dice).items()} == expected
            card = card.score(box, dice)
            held[box] = expected[box]
        upper = sum(filled.get(box, 0) for box in UPPER)
        reached = rules.upper_bonus if upper >= rules.upper_bonus_threshold else 0
        assert {c.column: v for c, v in zip(Category, card.boxes, strict=True) if v is not None} == (
            filled
        )
        assert (card.upper_total, card.upper_bonus, card.yahtzee_bonus) == (upper, reached, bonus)
        assert card.total == sum(filled.values()) + reached + bonus
        assert card == Scorecard(rules=rules, yahtzee_bonus=bonus, **filled)

    @pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
    def test_worked_positions(self, case):
        for name, expected in case["expected"].items():
            filled = {c.column: 0 for c in Category if c.column not in case["open"]}
            if case["yahtzee_box"] is not None:
                filled["yahtzee"] = case["yahtzee_box"]
            card = Scorecard(rules=name, **filled)
            legal = card.legal(case["dice"])
            assert {c.column: points for c, points in legal.items()} == expected["points"]
            for box in legal:
                assert card.score(box, case["dice"]).yahtzee_bonus == expected["yahtzee_bonus"]

    def test_a_zeroed_yahtzee_box_never_pays_the_hundred(self):
        card = play("official", "yahtzee=12345 sixes=66666 chance=66666")
        assert card.yahtzee_bonus == 0
        assert card.total == 30 + 30

    def test_the_first_yahtzee_pays_no_hundred(self):
        assert play("official", "yahtzee=66666").total == 50

    def test_five_of_a_kind_before_the_fifty_pays_no_hundred(self):
        assert play("official", "sixes=66666 yahtzee=66666").yahtzee_bonus == 0

    def test_a_roll_that_must_be_entered_for_0_still_pays_the_hundred(self):
        lower = {c.column: 0 for c in Category if not c.is_upper}
        card = Scorecard(**lower | {"yahtzee": 50, "fours": 8})
        assert set(card.legal("44444").values()) == {0}
        after = card.score("twos", "44444")
        assert (after.boxes[Category.TWOS], after.yahtzee_bonus) == (0, 100)
        assert after.total - card.total == 100

    def test_scoring_leaves_the_card_as_it_was(self):
        card = Scorecard(ones=3)
        assert card.score(Category.CHANCE, [1, 2, 3, 4, 6]).boxes[Category.CHANCE] == 16
        assert card == Scorecard(ones=3)

    def test_a_box_goes_by_its_name_its_number_or_itself(self):
        card = Scorecard()
        dice = (3, 3, 5, 5, 5)
        by = {card.score(box, dice) for box in (Category.FULL_HOUSE, 8, "Full house", "full-house")}
        assert by == {Scorecard(full_house=25)}

    def test_dice_may_be_any_sequence_in_any_order(self):
        rolls = ("53335", [5, 3, 3, 3, 5], np.array([3, 5, 3, 5, 3]), iter([3, 3, 3, 5, 5]))
        assert {Scorecard().score("full_house", dice) for dice in rolls} == {
            Scorecard(full_house=25)
        }


class TestTotals:
    @pytest.mark.parametrize(
        ("ones", "upper", "bonus"), [(2, 62, 0), (3, 63, 35), (4, 64, 35)], ids=str
    )
    def test_the_upper_bonus_comes_at_63(self, ones, upper, bonus):
        card = Scorecard(ones=ones, twos=6, threes=9, fours=12, fives=15, sixes=18)
        assert (card.upper_total, card.upper_bonus) == (upper, bonus)
        assert card.total == upper + bonus

    def test_the_upper_bonus_counts_in_the_turn_that_reaches_it(self):
        card = Scorecard(threes=9, fours=12, fives=15, sixes=24)
        assert card.upper_bonus == 0
        assert card.score("ones", "11123").total == 63 + 35

    def test_the_upper_total_is_not_capped_but_its_code_is(self):
        card = Scorecard(ones=5, twos=10, threes=15, fours=20, fives=25, sixes=30)
        assert card.upper_total == 105
        assert card.code >> 1 & 127 == 63

    def test_every_rule_set_has_its_own_threshold(self):
        rules = Rules(upper_bonus=50, upper_bonus_threshold=30)
        assert Scorecard(rules=rules, sixes=30).total == 80

    @pytest.mark.parametrize(
        ("rules", "turns", "total"),
        [
            (
                "official",
                "yahtzee=66666 ones=11111 twos=22222 threes=33333 fours=44444 fives=55555 "
                "sixes=66666 three_of_a_kind=66666 four_of_a_kind=66666 full_house=66666 "
                "small_straight=66666 large_straight=66666 chance=66666",
                1575,
            ),
            (
                "no-joker",
                "yahtzee=66666 ones=11111 twos=22222 threes=33333 fours=44444 fives=55555 "
                "sixes=66666 three_of_a_kind=66666 four_of_a_kind=66666 full_house=66666 "
                "small_straight=66666 large_straight=66666 chance=66666",
                1480,
            ),
            (
                "plain",
                "yahtzee=66666 ones=11111 twos=22222 threes=33333 fours=44444 fives=55555 "
                "sixes=66666 three_of_a_kind=66666 four_of_a_kind=66666 full_house=66655 "
                "small_straight=23456 large_straight=23456 chance=66666",
                375,
            ),
            (
                "official",
                "chance=11111 ones=66665 twos=66665 threes=66665 fours=66665 fives=66664 "
                "sixes=55554 three_of_a_kind=12345 four_of_a_kind=12345 full_house=12345 "
                "small_straight=66665 large_straight=66665 yahtzee=12345",
                5,
            ),
        ],
        ids=["highest", "highest without joker", "highest without hundreds", "lowest"],
    )
    def test_a_whole_game_for_the_extreme_total(self, rules, turns, total):
        card = play(rules, turns)
        assert card.is_full
        assert card.total == total

    def test_the_maximum_of_a_rule_set_is_a_game_that_can_be_played(self):
        for rules in list_rules().values():
            card = Scorecard(rules=rules)
            for box in ["yahtzee", *UPPER]:
                card = card.score(box, [UPPER.index(box) + 1 if box in UPPER else 6] * 5)
            for box in card.open:
                by_itself = {"full_house": "66655", "small_straight": "23456"} | {
                    "large_straight": "23456"
                }
                rolls = [SIXES, by_itself.get(box.column, SIXES)]
                card = max((card.score(box, dice) for dice in rolls), key=lambda c: c.total)
            assert card.total == rules.maximum


class TestState:
    def test_an_empty_card(self):
        card = Scorecard()
        assert card.open == tuple(Category)
        assert (card.round, card.is_full, card.fifty, card.total, card.code) == (1, False, False, 0, 0)

    def test_a_zero_is_no_open_box(self):
        assert Category.ONES not in Scorecard(ones=0).open
        assert Scorecard(ones=0) != Scorecard()
        assert Scorecard(ones=None) == Scorecard()
        assert Scorecard(ones=0).round == 2

    def test_a_full_card_has_no_round_and_takes_no_roll(self):
        card = Scorecard(**{c.column: 0 for c in Category} | {"chance": 5})
        assert (card.round, card.open, card.is_full) == (None, (), True)
        assert card.legal(SIXES) == {}

    @settings(max_examples=50)
    @given(cards_that_can_be())
    def test_its_code_is_that_of_the_engine(self, card):
        assert card.code in cards.reachable(card.rules.upper_bonus_threshold)
        if not card.is_full:
            seen = cards.Cards(card.rules, np.array([card.code]))
            assert tuple(np.flatnonzero(seen.open[0])) == card.open
            assert seen.round[0] == card.round
            assert seen.fifty[0] == card.fifty
            assert seen.upper[0] == min(card.upper_total, card.rules.upper_bonus_threshold)

    def test_a_card_cannot_be_changed(self):
        with pytest.raises(dataclasses.FrozenInstanceError):
            Scorecard().yahtzee_bonus = 100

    def test_equal_cards_are_one_key(self):
        assert len({Scorecard(ones=3), Scorecard(rules="official", ones=np.int16(3))}) == 1
        assert Scorecard(ones=3) != Scorecard(ones=3, rules="plain")

    def test_numbers_of_numpy_become_plain(self):
        card = Scorecard(ones=np.int16(3), yahtzee=np.uint8(50), yahtzee_bonus=np.int64(100))
        assert {type(v) for v in (*card.boxes, card.yahtzee_bonus)} == {int, type(None)}

    @given(cards_that_can_be())
    def test_copies_are_equal(self, card):
        assert pickle.loads(pickle.dumps(card)) == card == copy.deepcopy(card)


# The points that a box can hold, by all rolls and with jokers, in plain Python.
OFFICIAL = Rules().to_dict()
FILLED_FOR_A_JOKER = dict.fromkeys([*UPPER, "yahtzee"], 0)
PAYABLE = {box: set() for box in reference_game.BOXES}
for _dice in combinations_with_replacement(range(1, 7), 5):
    for _held in ({}, FILLED_FOR_A_JOKER):
        for _box, _points in reference_game.options(OFFICIAL, _held, _dice).items():
            PAYABLE[_box].add(_points)


def refusal(**card):
    with pytest.raises(YahtzeeError) as caught:
        Scorecard(**card)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 250
    return message


class TestCardsThatCannotBe:
    @pytest.mark.parametrize("box", reference_game.BOXES)
    def test_a_box_holds_what_some_roll_pays_there_and_nothing_else(self, box):
        for points in range(111):
            if points in PAYABLE[box] or (box == "yahtzee" and points == 150):
                assert Scorecard(**{box: points}).boxes[Category[box.upper()]] == points
            else:
                assert refusal(**{box: points}).startswith(f"{box}={points} cannot be: it pays 0 ")

    @pytest.mark.parametrize(
        ("card", "message"),
        [
            ({"ones": 7}, "ones=7 cannot be: it pays 0 to 5"),
            ({"twos": 3}, "twos=3 cannot be: it pays 0, 2, 4, 6, 8 or 10"),
            ({"three_of_a_kind": 4}, "three_of_a_kind=4 cannot be: it pays 0 or 5 to 30"),
            ({"chance": 0}, "chance=0 cannot be: it pays 5 to 30"),
            ({"large_straight": 35}, "large_straight=35 cannot be: it pays 0 or 40"),
            ({"yahtzee": 51}, "yahtzee=51 cannot be: it pays 0 or 50"),
        ],
        ids=str,
    )
    def test_the_message_says_what_the_box_pays(self, card, message):
        if "chance" not in card:
            assert refusal(**card) == message

    @pytest.mark.parametrize(
        "points", [3.0, True, np.True_, "3", -1, float("nan"), [3], np.zeros((2, 2)), "x" * 999]
    )
    def test_points_are_whole_numbers(self, points):
        assert "ones is a whole number of points" in refusal(ones=points)
        assert "yahtzee_bonus is a whole number of points" in refusal(yahtzee_bonus=points)

    @pytest.mark.parametrize(
        ("name", "near"),
        [("fullhouse", "full_house"), ("one", "ones"), ("three_kind", "three_of_a_kind")],
    )
    def test_the_nearest_box_is_offered(self, name, near):
        message = refusal(**{name: 0})
        assert message.startswith(f"unknown box '{name}'; did you mean ")
        assert near in message

    def test_rules_must_be_known(self):
        assert "did you mean yardzee" in refusal(rules="yahrdzee")

    @pytest.mark.parametrize(
        ("card", "said"),
        [
            ({"ones": 5, "yahtzee_bonus": 100}, "needs 50 in the Yahtzee box, which is open"),
            ({"ones": 5, "yahtzee": 0, "yahtzee_bonus": 100}, "needs 50 .* which has 0"),
            ({"ones": 5, "yahtzee": 50, "yahtzee_bonus": 50}, "a multiple of 100"),
            ({"yahtzee": 50, "yahtzee_bonus": 100}, "at most 0 here"),
            ({"ones": 5, "yahtzee": 50, "yahtzee_bonus": 200}, "at most 100 here"),
            ({"ones": 5, "yahtzee": 250}, "at most 100 here"),
            ({"ones": 5, "yahtzee": 50, "yahtzee_bonus": 100, "rules": "plain"}, "it is 0"),
            ({"ones": 5, "yahtzee": 150, "rules": "kniffel"}, "yahtzee=150 cannot be"),
        ],
        ids=str,
    )
    def test_a_hundred_needs_its_fifty_and_a_box_to_go_to(self, card, said):
        with pytest.raises(YahtzeeError, match=said):
            Scorecard(**card)

    @given(cards_that_can_be())
    def test_no_card_that_can_be_is_refused(self, card):
        assert Scorecard(
            rules=card.rules,
            yahtzee_bonus=card.yahtzee_bonus,
            **{c.column: v for c, v in zip(Category, card.boxes, strict=True)},
        ) == card

    def test_twelve_hundreds_are_the_most(self):
        boxes = {c.column: 0 for c in Category} | {"yahtzee": 50, "chance": 30}
        assert Scorecard(**boxes, yahtzee_bonus=1200).total == 1280
        assert "at most 1200" in refusal(**boxes, yahtzee_bonus=1300)


class TestRollsThatMayNotGoThere:
    @pytest.mark.parametrize(
        ("card", "box", "dice", "message"),
        [
            (
                Scorecard(yahtzee=50),
                "chance",
                "44444",
                "44444 may not go to chance (official rules): it may go to fours",
            ),
            (
                Scorecard(rules="yardzee", yahtzee=50),
                "large_straight",
                "11111",
                "11111 may not go to large_straight (yardzee rules): it may go to ones",
            ),
            (
                Scorecard(**{c.column: 0 for c in Category if c not in (0, 8)}, ones=3)
                if False
                else Scorecard(ones=3, twos=0, threes=0, fours=0, fives=0, sixes=0, yahtzee=0),
                "ones",
                "66555",
                "66555 may not go to ones (filled with 3): it may go to three_of_a_kind",
            ),
        ],
    )
    def test_the_message_names_the_boxes_that_are_allowed(self, card, box, dice, message):
        with pytest.raises(YahtzeeError) as caught:
            card.score(box, dice)
        assert str(caught.value).startswith(message)
