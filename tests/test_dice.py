"""Five dice: the numbering of rolls and keeps, the way from a keep to a roll, and what follows."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import factorial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yahtzee_sim import dice
from yahtzee_sim.errors import YahtzeeError

PUBLISHED = {
    entry["name"]: entry["value"]
    for entry in json.loads((Path(__file__).parent / "data" / "published.json").read_text())
}
FACES = range(1, 7)
ROLLS = list(combinations_with_replacement(FACES, 5))
KEEPS = [keep for size in range(6) for keep in combinations_with_replacement(FACES, size)]
NUMBER = {keep: i for i, keep in enumerate(KEEPS)}
WITHIN = [sorted({NUMBER[s] for n in range(6) for s in combinations(roll, n)}) for roll in ROLLS]


def ways(roll: tuple[int, ...]) -> int:
    """How many throws of five dice in order give this roll."""
    product_of_factorials = 1
    for count in Counter(roll).values():
        product_of_factorials *= factorial(count)
    return factorial(len(roll)) // product_of_factorials


def largest_group(roll: tuple[int, ...]) -> int:
    return max(Counter(roll).values())


def has_run(roll: tuple[int, ...], length: int) -> bool:
    return any(set(range(f, f + length)) <= set(roll) for f in range(1, 8 - length))


# --- the tables -------------------------------------------------------------------------------


def test_there_are_252_rolls_and_462_keeps_in_lexicographic_order():
    assert len(ROLLS) == dice.N_ROLLS == PUBLISHED["dice_multisets"] == 252
    assert len(KEEPS) == dice.N_KEEPS == PUBLISHED["keep_multisets"] == 462
    assert list(dice.KEEPS) == KEEPS
    assert [tuple(roll) for roll in dice.ROLLS.tolist()] == ROLLS
    assert sorted({tuple(sorted(throw)) for throw in product(FACES, repeat=5)}) == ROLLS


def test_keeping_a_roll_whole_is_keep_210_and_more():
    assert KEEPS[dice.FIRST_WHOLE_KEEP :] == ROLLS
    assert dice.FIRST_WHOLE_KEEP == 210


def test_what_the_tables_say_of_each_keep_and_roll():
    assert dice.KEEP_SIZE.tolist() == [len(keep) for keep in KEEPS]
    assert dice.KEEP_COUNTS.tolist() == [[keep.count(f) for f in FACES] for keep in KEEPS]
    assert dice.ROLL_COUNTS.tolist() == [[roll.count(f) for f in FACES] for roll in ROLLS]
    assert dice.ROLL_SUM.tolist() == [sum(roll) for roll in ROLLS]
    assert dice.FIVE_FACE.tolist() == [r[0] if len(set(r)) == 1 else 0 for r in ROLLS]


def test_a_mask_keeps_the_dice_of_its_bits():
    for roll, masks in zip(ROLLS, dice.KEEP_OF_MASK.tolist(), strict=True):
        for mask, keep in enumerate(masks):
            assert KEEPS[keep] == tuple(die for i, die in enumerate(roll) if mask >> i & 1)


def test_the_mask_of_a_keep_is_its_lowest_and_255_where_it_cannot_be_kept():
    for roll, masks in zip(ROLLS, dice.mask_of_keep().tolist(), strict=True):
        expected = dict.fromkeys(range(462), 255)
        for mask in range(31, -1, -1):
            expected[NUMBER[tuple(d for i, d in enumerate(roll) if mask >> i & 1)]] = mask
        assert masks == list(expected.values())


def test_there_are_4368_pairs_of_a_roll_and_a_keep_within_it():
    pairs = sum(len(keeps) for keeps in WITHIN)
    assert (dice.mask_of_keep() != 255).sum() == pairs == PUBLISHED["roll_keep_pairs"]


@pytest.mark.parametrize(
    "keep", [(), (6,), (2, 5), (1, 1, 1), (3, 4, 4, 6), (2, 3, 4, 5), (1,) * 5]
)
def test_the_rolls_after_a_keep_are_counted_by_throwing_every_way(keep):
    throws = product(FACES, repeat=5 - len(keep))
    expected = Counter(tuple(sorted((*keep, *throw))) for throw in throws)
    counts = dice.transition_counts()[NUMBER[keep]]
    assert {ROLLS[i]: counts[i] for i in np.flatnonzero(counts)} == expected


def test_the_rolls_after_every_keep_are_multinomial():
    counts = dice.transition_counts()
    for keep, row in zip(KEEPS, counts.tolist(), strict=True):
        assert sum(row) == 6 ** (5 - len(keep))
        held = Counter(keep)
        for roll, count in zip(ROLLS, row, strict=True):
            rest = Counter(roll)
            rest.subtract(held)
            possible = min(rest.values()) >= 0
            assert count == (ways(tuple(rest.elements())) if possible else 0)


@settings(deadline=None)
@given(st.sampled_from(KEEPS), st.integers(0, 7775))
def test_a_keep_takes_the_first_dice_of_the_throw(keep, number):
    throw, rest = [], number
    for _ in range(5):
        rest, digit = divmod(rest, 6)
        throw.insert(0, digit + 1)
    expected = tuple(sorted((*keep, *throw[: 5 - len(keep)])))
    assert ROLLS[dice.rolls_after()[NUMBER[keep], number]] == expected


def test_a_first_roll_is_the_throw_itself():
    throws = list(product(FACES, repeat=5))
    assert [ROLLS[i] for i in dice.rolls_after()[0]] == [tuple(sorted(t)) for t in throws]


def test_whoever_keeps_all_five_dice_keeps_the_roll():
    after = dice.rolls_after()[210:]
    assert (after == np.arange(252)[:, None]).all()


def test_the_tables_cannot_be_changed():
    for table in (dice.ROLLS, dice.KEEP_OF_MASK, dice.rolls_after(), dice.transition_counts()):
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0] = 1


# --- dice as people give them -----------------------------------------------------------------


@settings(deadline=None)
@given(st.sampled_from(ROLLS).flatmap(st.permutations))
def test_a_roll_is_known_in_any_order_and_form(faces):
    number = ROLLS.index(tuple(sorted(faces)))
    text = "".join(map(str, faces))
    for given_as in (faces, tuple(faces), np.array(faces), np.array(faces, np.uint8), text):
        assert dice.roll_number(given_as) == number
    assert dice.faces_of(text) == tuple(faces)


@settings(deadline=None)
@given(st.sampled_from(KEEPS).flatmap(st.permutations))
def test_a_keep_is_known_in_any_order(faces):
    assert KEEPS[dice.keep_number(tuple(faces))] == tuple(sorted(faces))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([1, 2, 3, 4, 5, 6], r"a roll has five dice, not 6: \[1, 2, 3, 4, 5, 6\]"),
        ([], r"a roll has five dice, not 0"),
        ("3335", r"a roll has five dice, not 4: '3335'"),
        ([1] * 500, r"a roll has five dice, not 500: .*\.\.\.$"),
        ([1, 2, 3, 4, 7], r"a die shows 1 to 6, not 7: \[1, 2, 3, 4, 7\]"),
        ([0, 2, 3, 4, 5], r"a die shows 1 to 6, not 0"),
        ([-1, 2, 3, 4, 5], r"a die shows 1 to 6, not -1"),
        ([10**30, 2, 3, 4, 5], r"a die shows 1 to 6, not 1000"),
        ("12347", r"a die shows 1 to 6, not 7: '12347'"),
        ("33x56", r"dice are whole numbers from 1 to 6, such as .*; got '33x56'"),
        ("three", r"dice are whole numbers from 1 to 6, such as .*; got 'three'"),
        ([1.0, 2, 3, 4, 5], r"dice are whole numbers from 1 to 6"),
        (np.array([1.0, 2, 3, 4, 5]), r"dice are whole numbers from 1 to 6"),
        (np.ones((5, 5), int), r"dice are whole numbers from 1 to 6"),
        (["3", "3", "3", "5", "6"], r"dice are whole numbers from 1 to 6"),
        ([None] * 5, r"dice are whole numbers from 1 to 6"),
        (33356, r"dice are whole numbers from 1 to 6, such as .*; got 33356"),
        (3.5, r"dice are whole numbers from 1 to 6"),
        (None, r"dice are whole numbers from 1 to 6, such as .*; got None"),
        (np.ones(5, bool), r"dice are whole numbers from 1 to 6"),
        ([True] * 5, r"dice are whole numbers from 1 to 6"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_what_is_no_roll_is_refused(wrong, message):
    with pytest.raises(YahtzeeError, match=message) as error:
        dice.roll_number(wrong)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 160


# --- first rolls ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("published", "alike"),
    [
        ("first_roll_no_match_count", 1),
        ("first_roll_best_is_pair_count", 2),
        ("first_roll_three_alike_count", 3),
        ("first_roll_four_alike_count", 4),
        ("first_roll_yahtzee_count", 5),
    ],
)
def test_published_counts_of_first_rolls(published, alike):
    first = dice.transition_counts()[0]
    most = dice.ROLL_COUNTS.max(axis=1)
    assert first[most == alike].sum() == PUBLISHED[published]
    assert sum(ways(roll) for roll in ROLLS if largest_group(roll) == alike) == PUBLISHED[published]


# --- going for one box alone, exactly ---------------------------------------------------------


def best_of(value_of_roll, rolls: int = 3) -> Fraction:
    """The most that can be expected of so many rolls by someone who wants nothing else.

    Values are whole numbers of 1/7776 a roll, so that all of it is exact.
    """
    to_7776 = dice.transition_counts() * 6 ** dice.KEEP_SIZE[:, None]
    value = np.array([value_of_roll(roll) for roll in ROLLS], dtype=object)
    for _ in range(rolls - 1):
        of_keep = to_7776.astype(object) @ value
        value = np.array([max(of_keep[keeps]) for keeps in WITHIN], dtype=object)
    return Fraction(int(to_7776[0].astype(object) @ value), 7776**rolls)


def following(rule, value_of_roll, rolls: int = 3) -> Fraction:
    """What is expected of a fixed rule for what to keep."""
    to_7776 = dice.transition_counts() * 6 ** dice.KEEP_SIZE[:, None]
    value = np.array([value_of_roll(roll) for roll in ROLLS], dtype=object)
    for _ in range(rolls - 1):
        of_keep = to_7776.astype(object) @ value
        value = np.array([of_keep[NUMBER[rule(roll)]] for roll in ROLLS], dtype=object)
    return Fraction(int(to_7776[0].astype(object) @ value), 7776**rolls)


def is_yahtzee(roll) -> int:
    return int(largest_group(roll) == 5)


def is_large_straight(roll) -> int:
    return int(has_run(roll, 5))


def is_small_straight(roll) -> int:
    return int(has_run(roll, 4))


def is_four_of_a_kind(roll) -> int:
    return int(largest_group(roll) >= 4)


def test_the_chance_of_a_yahtzee_in_three_rolls():
    assert best_of(is_yahtzee) == Fraction(347897, 7558272)
    assert float(best_of(is_yahtzee)) == pytest.approx(PUBLISHED["p_yahtzee_three_rolls"], abs=5e-4)
    expected = PUBLISHED["single_yahtzee_expected_points"]
    assert float(50 * best_of(is_yahtzee)) == pytest.approx(expected, abs=5e-5)


def test_the_chance_of_a_large_straight_in_three_rolls():
    assert best_of(is_large_straight) == Fraction(319695199, 1224440064)


def test_the_chance_of_a_small_straight_in_three_rolls():
    assert best_of(is_small_straight) == Fraction(753572225, 1224440064)


@pytest.mark.parametrize(("rolls", "chance"), [(1, 0.0201), (2, 0.1323), (3, 0.2908)])
def test_the_chance_of_four_of_a_kind_in_one_two_and_three_rolls(rolls, chance):
    assert float(best_of(is_four_of_a_kind, rolls)) == pytest.approx(chance, abs=5e-5)


def test_four_of_a_kind_in_one_roll_is_156_throws_of_7776():
    assert best_of(is_four_of_a_kind, 1) == Fraction(156, 7776)


def test_the_chance_box_alone_is_worth_23_and_a_third():
    expected = PUBLISHED["single_chance_expected_points"]
    assert best_of(sum) == Fraction(70, 3)
    assert float(best_of(sum)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("face", FACES)
def test_the_chance_of_at_least_one_of_a_face(face):
    chance = best_of(lambda roll: int(face in roll))
    assert chance == 1 - Fraction(5, 6) ** 15
    assert float(chance) == pytest.approx(PUBLISHED["p_at_least_one_given_face"], abs=5e-4)


def test_keeping_the_middle_of_a_large_straight_costs_two_percent():
    """One each of 2, 3, 4, 5; a 1 only with 2, 3, 4, a 6 only with 3, 4, 5."""

    def middle(roll):
        faces = set(roll)
        kept = faces & {2, 3, 4, 5}
        if faces >= {1, 2, 3, 4}:
            kept.add(1)
        if faces >= {3, 4, 5, 6}:
            kept.add(6)
        return tuple(sorted(kept))

    chance = following(middle, is_large_straight)
    assert chance == Fraction(295073737, 1224440064)
    published = PUBLISHED["p_large_straight_fixed_rule"]
    assert float(chance) == pytest.approx(published, abs=1e-15)
