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
def games(draw):
    """Rules, and some turns of a game with many fives of a kind: turns, points, hundreds."""
    rules = draw(st.sampled_from(RULES))
    die = st.integers(1, 6)
    roll = st.one_of(
        die.map(lambda face: [face] * 5),
        st.lists(die, min_size=5, max_size=5),
        st.sampled_from([[2, 3, 4, 5, 6], [3, 3, 3, 5, 5], [1, 2, 3, 4, 4]]),
    )
    filled, turns, bonus = {}, [], 0
    for _ in range(draw(st.integers(0, 13))):
        dice = draw(roll)
        options = reference_game.options(rules.to_dict(), filled, tuple(sorted(dice)))
        early = options.get("yahtzee") == 50 and draw(st.booleans())
        box = "yahtzee" if early else draw(st.sampled_from(list(options)))
        bonus += rules.yahtzee_bonus * (filled.get("yahtzee") == 50 and len(set(dice)) == 1)
        filled[box] = options[box]
        turns.append((box, dice))
    return rules, turns, filled, bonus


def cards_that_can_be():
    return games().map(lambda game: Scorecard(rules=game[0], yahtzee_bonus=game[3], **game[2]))


def points_of(card):
    """The filled boxes by name."""
    return {c.column: card.boxes[c] for c in Category if c not in card.open}


def zeros(*boxes):
    """These boxes filled for nothing; all but chance, which always pays, if none is named."""
    return dict.fromkeys(boxes or [box for box in reference_game.BOXES if box != "chance"], 0)


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
        assert points_of(card) == filled
        assert (card.upper_total, card.upper_bonus, card.yahtzee_bonus) == (upper, reached, bonus)
        assert card.total == sum(filled.values()) + reached + bonus
        assert card == Scorecard(rules=rules, yahtzee_bonus=bonus, **filled)

    @pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
    def test_worked_positions(self, case):
        for name, expected in case["expected"].items():
            filled = zeros() | {"chance": 6, "yahtzee": case["yahtzee_box"]}
            card = Scorecard(rules=name, **filled | dict.fromkeys(case["open"]))
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
        card = Scorecard(**zeros(*reference_game.LOWER) | {"yahtzee": 50, "chance": 6, "fours": 8})
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
                scored = [card.score(box, dice) for dice in ("66666", "66655", "23456")]
                card = max(scored, key=lambda card: card.total)
            assert card.total == rules.maximum


class TestState:
    def test_an_empty_card(self):
        card = Scorecard()
        assert card.open == tuple(Category)
        assert (card.round, card.total, card.code) == (1, 0, 0)
        assert not card.is_full
        assert not card.fifty

    def test_a_zero_is_no_open_box(self):
        assert Category.ONES not in Scorecard(ones=0).open
        assert Scorecard(ones=0) != Scorecard()
        assert Scorecard(ones=None) == Scorecard()
        assert Scorecard(ones=0).round == 2

    def test_a_full_card_has_no_round_and_takes_no_roll(self):
        card = Scorecard(**zeros(), chance=5)
        assert (card.round, card.open, card.is_full) == (None, (), True)
        assert card.legal(SIXES) == {}
        with pytest.raises(YahtzeeError, match=r"ones \(filled with 0\): the card is full"):
            card.score("ones", SIXES)

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
PAYABLE = {box: set() for box in reference_game.BOXES}
for _dice in combinations_with_replacement(range(1, 7), 5):
    for _held in ({}, zeros(*UPPER, "yahtzee")):
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
            if points in PAYABLE[box]:
                assert Scorecard(**{box: points}).total == points
            else:
                assert refusal(**{box: points}).startswith(f"{box}={points} cannot be: it pays ")

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
            ({"ones": 5, "yahtzee": 50, "yahtzee_bonus": 50}, "official rules pay 100 a time"),
            ({"yahtzee": 50, "yahtzee_bonus": 100}, "at most 0 here"),
            ({"ones": 5, "yahtzee": 50, "yahtzee_bonus": 200}, "at most 100 here"),
            ({"ones": 5, "yahtzee": 250}, "at most 100 here"),
            (
                {"ones": 5, "yahtzee": 50, "yahtzee_bonus": 100, "rules": "plain"},
                "plain rules pay none",
            ),
            ({"ones": 5, "yahtzee": 150, "rules": "kniffel"}, "yahtzee=150 cannot be"),
        ],
        ids=str,
    )
    def test_a_hundred_needs_its_fifty_and_a_box_to_go_to(self, card, said):
        with pytest.raises(YahtzeeError, match=said):
            Scorecard(**card)

    def test_a_hundred_may_be_told_without_the_box_it_filled(self):
        card = Scorecard(rules="official", ones=3, yahtzee=50, yahtzee_bonus=100)
        assert card.legal([4, 4, 4, 4, 4]) == {Category.FOURS: 20}
        assert card.total == 153

    def test_twelve_hundreds_are_the_most(self):
        boxes = zeros() | {"yahtzee": 50, "chance": 30}
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
                Scorecard(**zeros(*UPPER, "yahtzee", "small_straight", "large_straight")),
                "ones",
                "66555",
                "55566 may not go to ones (filled with 0): it may go to three_of_a_kind, "
                "four_of_a_kind, full_house, chance",
            ),
            (
                Scorecard(twos=6, yahtzee=50, **zeros("three_of_a_kind", "four_of_a_kind")),
                "sixes",
                "22222",
                "22222 may not go to sixes (official rules): it may go to full_house, "
                "small_straight, large_straight, chance",
            ),
        ],
    )
    def test_the_message_names_the_boxes_that_are_allowed(self, card, box, dice, message):
        with pytest.raises(YahtzeeError) as caught:
            card.score(box, dice)
        assert str(caught.value) == message

    @pytest.mark.parametrize("dice", ["1234", [1, 2, 3, 4, 7], [1.5] * 5, None, "six"])
    def test_dice_are_five_numbers_from_1_to_6(self, dice):
        for ask in (Scorecard().legal, lambda dice: Scorecard().score("chance", dice)):
            with pytest.raises(YahtzeeError):
                ask(dice)

    def test_a_box_must_be_known(self):
        with pytest.raises(YahtzeeError, match="did you mean chance"):
            Scorecard().score("chanse", SIXES)


class TestText:
    @pytest.mark.parametrize(
        "text",
        [
            "ones=3 full_house=25 yahtzee=50 yahtzee_bonus=100",
            "Ones=3, Full house=25, Yahtzee=50, Yahtzee bonus=100",
            "ones = 3,full-house = 25,YAHTZEE = 150",
            "  yahtzee=150\n\tfull   House=25,,ones=3,",
            "rules=official ones=3 FULL_HOUSE=25 yahtzee=150 yahtzee-bonus=100",
        ],
    )
    def test_a_card_is_read_as_people_write_it(self, text):
        card = Scorecard(ones=3, full_house=25, yahtzee=50, yahtzee_bonus=100)
        assert Scorecard.parse(text) == card

    def test_no_text_is_an_empty_card(self):
        assert Scorecard.parse("") == Scorecard.parse(" ,\n") == Scorecard()

    def test_rules_in_the_text_come_first(self):
        assert Scorecard.parse("ones=3", rules="plain") == Scorecard(rules="plain", ones=3)
        assert Scorecard.parse("ones=3", rules=HOUSE).rules is HOUSE
        assert Scorecard.parse("Rules=Yardzee ones=3", rules="plain").rules.name == "yardzee"

    def test_150_in_the_yahtzee_box_is_50_and_a_hundred(self):
        card = Scorecard(yahtzee=150, fours=20)
        assert card == Scorecard(yahtzee=50, fours=20, yahtzee_bonus=100)
        assert card == Scorecard.parse("yahtzee=150 fours=20")
        assert card == Scorecard(yahtzee=150, fours=20, yahtzee_bonus=100)
        assert Scorecard(yahtzee=90, fours=20, rules=HOUSE).yahtzee_bonus == 40
        for bonus in (0, 200):
            with pytest.raises(YahtzeeError, match=f"yahtzee_bonus=100, not yahtzee_bonus={bonus}"):
                Scorecard(yahtzee=150, fours=20, yahtzee_bonus=bonus)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("ones", "such as .* got 'ones'"),
            ("ones=3 twos", "got 'twos'"),
            ("ones 3", "got 'ones 3'"),
            ("ones=3=4", "got "),
            ("ones==3", "got "),
            ("ones=", "got 'ones='"),
            ("ones=3;twos=4", "got "),
            ("=3", "unknown box ''"),
            ("ones=3 Ones=4", "ones is given twice, 3 and '4'"),
            ("ones=x", "ones is a whole number of points, 0 or more, not 'x'"),
            ("ones=-1", "not -1"),
            ("ones=3.0", "not '3.0'"),
            ("ones=" + "9" * 5000, "not '999"),
            ("full hose=25", "did you mean full_house"),
            ("rules=plane", "did you mean plain"),
            (None, "not None"),
            (["ones=3"], "not \\['ones=3'\\]"),
        ],
    )
    def test_what_cannot_be_read_is_refused_in_a_line(self, text, said):
        with pytest.raises(YahtzeeError, match=said) as caught:
            Scorecard.parse(text)
        assert "\n" not in str(caught.value)

    @given(cards_that_can_be(), st.randoms(use_true_random=False), st.data())
    def test_every_card_comes_back_from_its_text(self, card, random, data):
        boxes = points_of(card)
        if card.fifty and data.draw(st.booleans()):
            boxes["yahtzee"] += card.yahtzee_bonus
        else:
            boxes["yahtzee_bonus"] = card.yahtzee_bonus
        pairs = [
            f"{data.draw(st.sampled_from([name, name.title(), name.replace('_', '-')]))}={points}"
            for name, points in boxes.items()
        ]
        random.shuffle(pairs)
        text = data.draw(st.sampled_from([" ", ",", ", ", "\n"])).join(pairs)
        assert Scorecard.parse(text, rules=card.rules) == card


class TestJson:
    @given(cards_that_can_be())
    def test_every_card_comes_back_from_json(self, card):
        assert Scorecard.from_json(card.to_json()) == card
        assert Scorecard.from_dict(card.to_dict()) == card

    def test_it_reads_like_the_keywords(self):
        card = Scorecard(ones=0, yahtzee=150)
        assert card.to_json() == (
            '{"rules": "official", "ones": 0, "yahtzee": 50, "yahtzee_bonus": 100}'
        )
        assert Scorecard.from_json('{"ones": 0, "twos": null, "yahtzee": 150}') == card

    @pytest.mark.parametrize(
        "rules",
        [
            Rules("house", upper_bonus=50),
            Rules("plain", upper_bonus=50),
            Rules("no,such=thing"),
            Rules("plain,yahtzee_bonus={[]: 1}"),
            Rules(joker="matching-or-lower"),
        ],
        ids=lambda rules: rules.name,
    )
    def test_house_rules_travel_whole(self, rules):
        card = Scorecard(rules=rules, ones=3)
        assert Scorecard.from_json(card.to_json()).rules == rules
        assert eval(repr(card)) == card

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "{",
            "[1]",
            "3",
            "null",
            '{"ones": 7}',
            '{"ones": 3.0}',
            '{"ones": NaN}',
            '{"ones": true}',
            '{"one": 3}',
            '{"rules": 3}',
            '{"rules": {"jocker": "any"}}',
            '{"rules": null}',
            None,
        ],
    )
    def test_other_json_is_refused_in_a_line(self, text):
        with pytest.raises(YahtzeeError) as caught:
            Scorecard.from_json(text)
        assert "\n" not in str(caught.value)

    def test_a_dict_must_be_one(self):
        with pytest.raises(YahtzeeError, match="a card is a mapping of points by box, not"):
            Scorecard.from_dict([("ones", 3)])


SHEET = """\
Rules: official
--------------------------
Ones                     3
Twos                     0
Threes                   ·
Fours                   20
Fives                    ·
Sixes                    ·
Upper total       23 of 63
Upper bonus              ·
--------------------------
Three of a kind          ·
Four of a kind           ·
Full house               0
Small straight           ·
Large straight           ·
Yahtzee                 50
Chance                   ·
Yahtzee bonus          100
--------------------------
Total                  173"""


class TestSheet:
    card = Scorecard(ones=3, twos=0, fours=20, full_house=0, yahtzee=50, yahtzee_bonus=100)

    def test_as_text(self):
        assert str(self.card) == SHEET

    def test_the_bonus_is_open_until_it_is_decided(self):
        def bonus_of(card):
            (line,) = [line for line in str(card).splitlines() if line.startswith("Upper bonus")]
            return line.split()[-1]

        assert bonus_of(Scorecard(sixes=30)) == "·"
        assert bonus_of(Scorecard(fives=25, sixes=30, fours=8)) == "35"
        assert bonus_of(Scorecard(**zeros(*UPPER))) == "0"
        assert bonus_of(Scorecard(rules=Rules(upper_bonus=0), **zeros(*UPPER))) == "0"

    @given(cards_that_can_be())
    def test_all_its_lines_are_equally_wide_and_add_up(self, card):
        title, *lines = str(card).splitlines()
        assert title == f"Rules: {card.rules.name}"
        assert {len(line) for line in lines} == {26}
        numbers = {line[:16].strip(): line[16:].strip() for line in lines if "--" not in line}
        total, upper = numbers.pop("Total"), numbers.pop("Upper total")
        assert int(total) == sum(int(number) for number in numbers.values() if number != "·")
        assert upper == f"{card.upper_total} of {card.rules.upper_bonus_threshold}"

    def test_in_a_notebook(self):
        table = self.card._repr_html_()
        assert table.startswith("<table>")
        assert table.count("<tr>") == 17
        assert ">23 of 63</td>" in table
        assert table.count(">0</td>") == 2

    def test_a_name_is_no_markup(self):
        table = Scorecard(rules=Rules("<b>&", upper_bonus=1))._repr_html_()
        assert "&lt;b&gt;&amp;" in table
        assert "<b>" not in table

    def test_as_an_expression(self):
        assert repr(Scorecard(yahtzee=150, ones=3)) == (
            "Scorecard(rules='official', ones=3, yahtzee=50, yahtzee_bonus=100)"
        )

    @given(cards_that_can_be())
    def test_every_card_comes_back_from_its_expression(self, card):
        assert eval(repr(card), {"Scorecard": Scorecard, "Rules": Rules}) == card
