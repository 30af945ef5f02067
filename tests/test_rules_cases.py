"""What the rules say: worked positions, a second reading of the rule texts, and the presets."""

from __future__ import annotations

import itertools
import json
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_game import BOXES, LOWER, UPPER, face_value, options

from yahtzee_sim.categories import Category
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.rulesets import JOKERS, Rules, list_rules, rules
from yahtzee_sim.scoring import scoring

PRESETS = list_rules()
CASES = json.loads((Path(__file__).parent / "data" / "rule_cases.json").read_text())
ROLLS = list(itertools.combinations_with_replacement(range(1, 7), 5))
EVERY_CASE = [
    pytest.param(case, name, id=f"{case['id']}-{name}") for case in CASES for name in PRESETS
]


def filled_by(open_boxes) -> int:
    return sum(1 << i for i, box in enumerate(BOXES) if box not in open_boxes)


def options_of(rule_set: Rules, card: dict, dice) -> dict[str, int]:
    """The library's answer for one card and roll, as the reference gives it."""
    filled, roll = filled_by(set(BOXES) - set(card)), ROLLS.index(tuple(sorted(dice)))
    fifty = card.get("yahtzee") == 50
    row = scoring(rule_set).options(np.array([filled]), np.array([fifty]), np.array([roll]))[0]
    return {box: int(points) for box, points in zip(BOXES, row, strict=True) if points >= 0}


# --- worked positions -------------------------------------------------------------------------


@pytest.mark.parametrize(("case", "name"), EVERY_CASE)
def test_worked_position(case, name):
    expected = case["expected"][name]
    card = dict.fromkeys(set(BOXES) - set(case["open"]), 0)
    if case["yahtzee_box"] is not None:
        card["yahtzee"] = case["yahtzee_box"]
    assert options_of(PRESETS[name], card, case["dice"]) == expected["points"]
    roll = ROLLS.index(tuple(sorted(case["dice"])))
    bonus = scoring(PRESETS[name]).yahtzee_bonus(
        np.array([case["yahtzee_box"] == 50]), np.array([roll])
    )
    assert bonus.tolist() == [expected["yahtzee_bonus"]]


@pytest.mark.parametrize(("case", "name"), EVERY_CASE)
def test_the_reference_game_reads_the_worked_positions_alike(case, name):
    card = dict.fromkeys(set(BOXES) - set(case["open"]), 0)
    if case["yahtzee_box"] is not None:
        card["yahtzee"] = case["yahtzee_box"]
    rule_set = PRESETS[name].to_dict()
    assert options(rule_set, card, tuple(case["dice"])) == case["expected"][name]["points"]


@pytest.mark.parametrize("name", PRESETS)
def test_all_worked_positions_at_once(name):
    filled = np.array([filled_by(case["open"]) for case in CASES])
    fifty = np.array([case["yahtzee_box"] == 50 for case in CASES])
    roll = np.array([ROLLS.index(tuple(sorted(case["dice"]))) for case in CASES])
    expected = [[case["expected"][name]["points"].get(box, -1) for box in BOXES] for case in CASES]
    got = scoring(PRESETS[name]).options(filled, fifty, roll)
    assert got.dtype == np.int32
    np.testing.assert_array_equal(got, expected)
    bonus = [case["expected"][name]["yahtzee_bonus"] for case in CASES]
    np.testing.assert_array_equal(scoring(PRESETS[name]).yahtzee_bonus(fifty, roll), bonus)


def test_every_preset_has_its_worked_positions():
    assert [set(case["expected"]) for case in CASES] == [set(PRESETS)] * len(CASES)
    assert len(CASES) >= 18


# --- any rules, any card, any roll ------------------------------------------------------------

custom_rules = st.builds(
    Rules,
    upper_bonus=st.integers(0, 1000),
    upper_bonus_threshold=st.integers(1, 105),
    yahtzee_bonus=st.integers(0, 1000),
    joker=st.sampled_from(JOKERS),
    joker_needs_fifty=st.booleans(),
    joker_needs_upper_filled=st.booleans(),
    five_of_a_kind_is_full_house=st.booleans(),
)
five_alike = st.integers(1, 6).map(lambda face: (face,) * 5)


@st.composite
def cards(draw):
    """Filled boxes with at least one open; only the Yahtzee box's points matter."""
    filled = draw(st.sets(st.sampled_from(BOXES), max_size=12))
    return dict.fromkeys(filled, 0) | (
        {"yahtzee": draw(st.sampled_from([0, 50]))} if "yahtzee" in filled else {}
    )


@settings(deadline=None)
@given(custom_rules, cards(), five_alike | st.sampled_from(ROLLS))
def test_where_a_roll_may_go_and_what_it_pays(rule_set, card, dice):
    expected = options(rule_set.to_dict(), card, dice)
    assert options_of(rule_set, card, dice) == expected
    assert expected, "no roll is ever without a box"


@settings(deadline=None)
@given(custom_rules, st.booleans(), st.sampled_from(ROLLS) | five_alike)
def test_the_yahtzee_bonus_is_paid_for_five_of_a_kind_after_a_fifty_alone(rule_set, fifty, dice):
    roll = ROLLS.index(dice)
    expected = rule_set.yahtzee_bonus if fifty and len(set(dice)) == 1 else 0
    assert scoring(rule_set).yahtzee_bonus(np.array([fifty]), np.array([roll])) == [expected]


@pytest.mark.parametrize("joker", JOKERS)
@pytest.mark.parametrize("needs_fifty", [False, True])
@pytest.mark.parametrize("needs_upper_filled", [False, True])
def test_every_five_of_a_kind_on_every_card(joker, needs_fifty, needs_upper_filled):
    rule_set = Rules(
        joker=joker, joker_needs_fifty=needs_fifty, joker_needs_upper_filled=needs_upper_filled
    )
    masks = np.random.default_rng(5).permutation(8191)[:250]
    cases = []
    for mask in masks.tolist():
        card = {box: 0 for i, box in enumerate(BOXES) if mask >> i & 1}
        for yahtzee in (0, 50) if "yahtzee" in card else (0,):
            fifty = card | {"yahtzee": yahtzee} if "yahtzee" in card else card
            cases += [(mask, yahtzee == 50, fifty, (face,) * 5) for face in range(1, 7)]
    got = scoring(rule_set).options(
        np.array([c[0] for c in cases]),
        np.array([c[1] for c in cases]),
        np.array([ROLLS.index(c[3]) for c in cases]),
    )
    fields = rule_set.to_dict()
    expected = [
        [options(fields, card, dice).get(box, -1) for box in BOXES] for _, _, card, dice in cases
    ]
    np.testing.assert_array_equal(got, expected)


def test_every_roll_on_an_empty_card():
    for full_house in (False, True):
        rule_set = Rules(five_of_a_kind_is_full_house=full_house)
        every = np.arange(252)
        got = scoring(rule_set).options(every * 0, every < 0, every)
        expected = [list(face_value(dice, full_house).values()) for dice in ROLLS]
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name", PRESETS)
def test_only_a_zeroed_yahtzee_box_without_joker_makes_the_fifty_matter(name):
    """Where a roll may go depends on what the Yahtzee box holds under yardzee alone."""
    assert scoring(PRESETS[name]).fifty_matters == (name == "yardzee")


@settings(max_examples=40, deadline=None)
@given(custom_rules)
def test_the_fifty_matters_where_some_five_of_a_kind_has_other_options(rule_set):
    boxes = [set(BOXES) - {"yahtzee"}, {"ones", "chance"}, {"small_straight"}]
    cards = [dict.fromkeys(set(BOXES) - open_boxes, 0) for open_boxes in boxes]
    fives = [(face,) * 5 for face in range(1, 7)]
    differs = any(
        options(rule_set.to_dict(), card | {"yahtzee": 50}, dice)
        != options(rule_set.to_dict(), card | {"yahtzee": 0}, dice)
        for card in cards
        for dice in fives
    )
    assert scoring(rule_set).fifty_matters == differs


def test_scoring_tables_cannot_be_changed():
    tables = scoring(Rules())
    for table in (tables.points, tables.allowed, tables.pays_in_full):
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0] = 1


# --- the presets ------------------------------------------------------------------------------

# From the table of rule sets: joker, needs fifty, needs upper filled, fives are full houses, 100s.
PRESET_TABLE = {
    "official": ("forced", False, True, False, 100),
    "yardzee": ("matching-first", True, True, False, 100),
    "free-choice": ("any", False, False, True, 100),
    "verhoeff": ("any", False, True, False, 100),
    "no-joker": ("none", False, True, False, 100),
    "plain": ("none", False, True, False, 0),
    "kniffel": ("none", False, True, True, 0),
}


def test_there_are_seven_presets_in_this_order():
    assert list(PRESETS) == list(PRESET_TABLE)
    assert all(name == preset.name for name, preset in PRESETS.items())


@pytest.mark.parametrize("name", PRESET_TABLE)
def test_a_preset_is_its_line_of_the_table(name):
    preset = rules(name)
    assert preset == PRESETS[name]
    assert (preset.upper_bonus, preset.upper_bonus_threshold) == (35, 63)
    assert (
        preset.joker,
        preset.joker_needs_fifty,
        preset.joker_needs_upper_filled,
        preset.five_of_a_kind_is_full_house,
        preset.yahtzee_bonus,
    ) == PRESET_TABLE[name]


def test_the_list_of_presets_is_a_copy():
    list_rules().clear()
    assert len(list_rules()) == 7


def test_default_rules_are_the_official_ones():
    assert Rules() == rules() == rules("official")
    assert Rules().name == "official"


# --- names ------------------------------------------------------------------------------------


def test_rules_without_a_name_are_called_by_the_preset_they_equal():
    assert Rules(joker="none").name == "no-joker"
    assert Rules(joker="any").name == "verhoeff"
    assert Rules(joker="matching-first", joker_needs_fifty=True).name == "yardzee"
    assert Rules(upper_bonus=50).name == "custom"
    assert Rules(name="house", upper_bonus=50).name == "house"
    assert Rules(name="house").name == "house"


def test_changed_presets_are_called_by_their_spec():
    changed = rules("official,upper_bonus=50")
    assert changed == Rules(name="official,upper_bonus=50", upper_bonus=50)
    assert rules("official", upper_bonus=50) == changed
    assert rules(Rules(), upper_bonus=50) == changed
    assert rules(changed) is changed
    assert rules("plain, joker = any, yahtzee_bonus=5").joker == "any"
    assert rules("plain,five_of_a_kind_is_full_house=TRUE").key == rules("kniffel").key
    assert rules("official,upper_bonus=50", upper_bonus=60).upper_bonus == 60
    assert rules("official", upper_bonus=50, name="mine").name == "mine"


def test_the_name_does_not_make_another_game():
    one, other = Rules(name="one", upper_bonus=50), Rules(name="other", upper_bonus=50)
    assert one.key == other.key
    assert one != other
    assert scoring(one) is scoring(other)
    assert Rules(name="one", upper_bonus=51).key != one.key


@given(custom_rules)
def test_rules_survive_a_trip_through_json(rule_set):
    copied = Rules.from_dict(json.loads(json.dumps(rule_set.to_dict())))
    assert copied == rule_set
    assert hash(copied) == hash(rule_set)


def test_rules_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Rules().upper_bonus = 50


# --- mistakes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"joker": "matching"}, r"unknown joker rule 'matching'; did you mean matching-.* or "),
        ({"joker": "Forced"}, r"unknown joker rule 'Forced'; did you mean forced\?"),
        ({"joker": "anny"}, r"did you mean any"),
        ({"joker": "xyz"}, r"known are any, forced, matching-first, matching-or-lower, none"),
        ({"joker": None}, r"unknown joker rule None"),
        ({"joker": True}, r"unknown joker rule True"),
        ({"upper_bonus_threshold": 0}, r"upper_bonus_threshold is .* from 1 to 105, not 0"),
        ({"upper_bonus_threshold": 106}, r"upper_bonus_threshold is .* from 1 to 105, not 106"),
        ({"upper_bonus_threshold": 63.0}, r"upper_bonus_threshold is a whole number.* not 63.0"),
        ({"upper_bonus_threshold": True}, r"upper_bonus_threshold is a whole number.* not True"),
        ({"upper_bonus": -1}, r"upper_bonus is a whole number from 0 to 1000, not -1"),
        ({"upper_bonus": 1001}, r"upper_bonus is a whole number from 0 to 1000, not 1001"),
        ({"upper_bonus": "35"}, r"upper_bonus is a whole number from 0 to 1000, not '35'"),
        ({"upper_bonus": np.float64(35)}, r"upper_bonus is a whole number"),
        ({"yahtzee_bonus": None}, r"yahtzee_bonus is a whole number from 0 to 1000, not None"),
        ({"yahtzee_bonus": -100}, r"yahtzee_bonus is a whole number from 0 to 1000, not -100"),
        ({"joker_needs_fifty": 1}, r"joker_needs_fifty is True or False, not 1"),
        ({"joker_needs_upper_filled": "yes"}, r"joker_needs_upper_filled is True or False"),
        ({"five_of_a_kind_is_full_house": None}, r"five_of_a_kind_is_full_house is True or False"),
        ({"name": 5}, r"the name of a rule set is a string, not 5"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_field_out_of_its_range_is_refused(fields, message):
    with pytest.raises(YahtzeeError, match=message) as error:
        Rules(**fields)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("wrong", [np.array([35]), np.array([35, 50]), int], ids=repr)
def test_what_is_no_number_at_all_is_refused_in_the_same_words(wrong):
    with pytest.raises(YahtzeeError, match="upper_bonus is a whole number from 0 to 1000"):
        Rules(upper_bonus=wrong)


@pytest.mark.parametrize("number", [np.int64(50), np.uint8(50), np.array(50)], ids=repr)
def test_whole_numbers_of_numpy_become_plain_ones(number):
    assert type(Rules(upper_bonus=number).upper_bonus) is int
    assert Rules(upper_bonus=number) == Rules(upper_bonus=50)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("oficial", r"unknown rules 'oficial'; did you mean official\?"),
        ("Yardzee", r"unknown rules 'Yardzee'; did you mean yardzee\?"),
        ("", r"unknown rules ''; known are free-choice, kniffel, no-joker, official"),
        ("official,upper_bouns=50", r"official: unknown field 'upper_bouns'; did you mean upper_b"),
        ("official,upper_bonus", r"after the name comes field=value.*got 'upper_bonus'"),
        ("official,", r"after the name comes field=value"),
        ("official,2x=3", r"after the name comes field=value"),
        ("official,upper_bonus=1,upper_bonus=2", r"the field 'upper_bonus' is given twice"),
        ("official,upper_bonus=5.5", r"upper_bonus is a whole number from 0 to 1000, not 5.5"),
        ("official,upper_bonus=many", r"upper_bonus is a whole number from 0 to 1000, not 'many'"),
        ("official,joker=forcd", r"unknown joker rule 'forcd'; did you mean forced\?"),
        (7, r"rules are a name or a Rules, not 7"),
        (None, r"rules are a name or a Rules, not None"),
    ],
)
def test_rules_that_do_not_exist_are_refused(spec, message):
    with pytest.raises(YahtzeeError, match=message) as error:
        rules(spec)
    assert "\n" not in str(error.value)


def test_unknown_fields_are_refused_with_the_nearest():
    with pytest.raises(YahtzeeError, match=r"official: unknown field 'bonus'; did you mean upper"):
        rules("official", bonus=3)
    with pytest.raises(YahtzeeError, match=r"rules: unknown field 'jokers'; did you mean joker"):
        Rules.from_dict({"jokers": "any"})


# --- the highest total ------------------------------------------------------------------------


def highest_total(rule_set: Rules) -> int:
    """The best order of filling the boxes, each with the best roll for it, over all orders.

    Points and Yahtzee bonuses alone are maximised over (filled boxes, fifty): no game has more
    of them. The upper bonus is then added, since an optimal order exists whose upper boxes all
    hold five dice of their own, 105 in all: checked box by box on the way.
    """
    fields, fives = rule_set.to_dict(), [(face,) * 5 for face in range(1, 7)]
    face_values = [face_value(dice, rule_set.five_of_a_kind_is_full_house) for dice in ROLLS]
    by_itself = {
        box: max(p[box] for p, dice in zip(face_values, ROLLS, strict=True) if len({*dice}) > 1)
        for box in BOXES
    }
    best = {(8191, 0): 0, (8191, 1): 0}
    for filled in range(8190, -1, -1):
        open_boxes = [(box, 1 << i) for i, box in enumerate(BOXES) if not filled >> i & 1]
        card = dict.fromkeys((box for i, box in enumerate(BOXES) if filled >> i & 1), 0)
        for fifty in (0, 1) if "yahtzee" in card else (0,):
            if fifty:
                card["yahtzee"] = 50
            after_five = dict.fromkeys(BOXES, 0)
            bonus = fifty * rule_set.yahtzee_bonus
            for dice in fives:
                for box, points in options(fields, card, dice).items():
                    after_five[box] = max(after_five[box], points + bonus)
            values = []
            for box, bit in open_boxes:
                gain = max(by_itself[box], after_five[box])
                if box in UPPER:
                    own = (UPPER.index(box) + 1,) * 5
                    assert gain == options(fields, card, own)[box] + bonus
                    assert options(fields, card, own)[box] == sum(own)
                values.append(gain + best[filled | bit, int(fifty or box == "yahtzee")])
            best[filled, fifty] = max(values)
    return best[0, 0] + rule_set.upper_bonus


@pytest.mark.parametrize(
    ("name", "maximum"),
    [
        ("official", 1575),
        ("yardzee", 1575),
        ("free-choice", 1575),
        ("verhoeff", 1575),
        ("no-joker", 1480),
        ("plain", 375),
        ("kniffel", 375),
    ],
)
def test_the_highest_total_is_the_published_one(name, maximum):
    assert rules(name).maximum == maximum


@pytest.mark.parametrize(
    "rule_set",
    [
        rules("official"),
        rules("no-joker"),
        Rules("small bonus", joker="none", yahtzee_bonus=20, upper_bonus_threshold=105),
        Rules("tiny bonus", joker="none", yahtzee_bonus=3, five_of_a_kind_is_full_house=True),
        Rules("lenient", joker="matching-or-lower", yahtzee_bonus=1, joker_needs_fifty=True),
    ],
    ids=lambda rule_set: rule_set.name,
)
def test_the_highest_total_is_that_of_the_best_order_of_the_boxes(rule_set):
    assert rule_set.maximum == highest_total(rule_set)


def test_categories_stand_in_the_order_of_the_sheet():
    assert tuple(category.column for category in Category) == BOXES
    assert [category.column for category in Category if category.is_upper] == list(UPPER)
    assert [category.column for category in Category if not category.is_upper] == list(LOWER)
