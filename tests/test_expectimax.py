"""One turn played exactly: against the same turn by brute force over all rolls and keeps."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement
from math import factorial, prod

import numpy as np
import pytest
from reference_game import BOXES, UPPER, options

from yahtzee_sim.cards import encode, reachable
from yahtzee_sim.expectimax import WIDTH, Turns
from yahtzee_sim.rulesets import Rules, list_rules
from yahtzee_sim.scoring import scoring

FACES = range(1, 7)
ROLLS = list(combinations_with_replacement(FACES, 5))
KEEPS = [keep for size in range(6) for keep in combinations_with_replacement(FACES, size)]
NUMBER = {keep: i for i, keep in enumerate(KEEPS)}
N_CODES = 2**21
TIE = 1e-9


def throws_between(keep, roll) -> int:
    """How many throws of the dice not kept make this roll."""
    rest = Counter(roll)
    rest.subtract(keep)
    if min(rest.values()) < 0:
        return 0
    return factorial(5 - len(keep)) // prod(factorial(n) for n in rest.values())


CHANCE = np.array(
    [[throws_between(keep, roll) / 6 ** (5 - len(keep)) for roll in ROLLS] for keep in KEEPS]
)
"""(462, 252)"""
CAN_KEEP = np.zeros((252, 462), bool)
for number, roll in enumerate(ROLLS):
    CAN_KEEP[number, [NUMBER[s] for n in range(6) for s in combinations(roll, n)]] = True
WANTED = sorted(range(462), key=lambda k: (-len(KEEPS[k]), k))
"""Most dice first, then the order of the 462."""


class BruteForce:
    """The turn of one card; `worth` is by code, upper totals capped at the threshold."""

    def __init__(self, rules: Rules, code: int, worth: np.ndarray):
        self.values_by_box = np.array([self._scored(rules, code, worth, roll) for roll in ROLLS])
        self.box_values = self.values_by_box.max(axis=1)
        self.keep_values = {}
        value = self.box_values
        for rolls_left in (1, 2):
            self.keep_values[rolls_left] = CHANCE @ value
            value = self._within(rolls_left).max(axis=1)
        self.start_value = CHANCE[0] @ value

    @staticmethod
    def _scored(rules: Rules, code: int, worth: np.ndarray, roll) -> list[float]:
        filled, upper, fifty = code >> 8, code >> 1 & 127, code & 1
        card = {box: 0 for i, box in enumerate(BOXES) if filled >> i & 1}
        if fifty:
            card["yahtzee"] = 50
        bonus = rules.yahtzee_bonus if fifty and len(set(roll)) == 1 else 0
        values = dict.fromkeys(BOXES, -np.inf)
        for box, points in options(rules.to_dict(), card, roll).items():
            goal = rules.upper_bonus_threshold
            after = upper + (points if box in UPPER else 0)
            reached = rules.upper_bonus if upper < goal <= after else 0
            fifty_after = fifty or (box == "yahtzee" and points == 50)
            left = encode(filled | 1 << BOXES.index(box), min(after, goal), int(fifty_after))
            values[box] = points + bonus + reached + worth[left]
        return list(values.values())

    def _within(self, rolls_left: int) -> np.ndarray:
        return np.where(CAN_KEEP, self.keep_values[rolls_left], -np.inf)

    def decisions(self) -> tuple[list, list, list]:
        """The keeps with 2 and with 1 roll left, and the boxes, by the rule for ties."""
        chosen = []
        for rolls_left in (2, 1):
            within = self._within(rolls_left)[:, WANTED]
            first = (within >= within.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
            chosen.append([KEEPS[WANTED[k]] for k in first])
        best = self.box_values[:, None]
        return (*chosen, (self.values_by_box >= best - TIE).argmax(axis=1).tolist())


def decided(rows: np.ndarray) -> tuple[list, list, list]:
    """The library's row of one card, masks as keeps."""
    keeps = [
        [
            tuple(die for i, die in enumerate(roll) if mask >> i & 1)
            for roll, mask in zip(ROLLS, masks.tolist(), strict=True)
        ]
        for masks in rows[:2]
    ]
    return (*keeps, rows[2].tolist())


def cards_of(rules: Rules, n: int, seed: int) -> np.ndarray:
    """Random cards that can be, late ones (few boxes open, often a 50) as often as early ones;
    a quarter have the upper bonus already."""
    rng = np.random.default_rng(seed)
    codes = reachable(rules.upper_bonus_threshold)
    codes = codes[codes >> 8 != 8191]
    filled = np.bitwise_count(codes >> 8)
    paid = (codes >> 1 & 127) == rules.upper_bonus_threshold
    chosen = [rng.choice(codes[filled == k % 13]) for k in range(n - n // 4)]
    chosen += [rng.choice(codes[paid & (filled >= 6)]) for _ in range(n // 4)]
    return np.array(chosen)


def turns_of(rules: Rules, worth: np.ndarray) -> tuple[Turns, np.ndarray]:
    turns = Turns(scoring(rules))
    return turns, turns.with_bonus(worth)


def random_worth(seed: int) -> np.ndarray:
    """Of any card with a box open; a full card is worth nothing."""
    worth = np.random.default_rng(seed).uniform(0, 120, N_CODES)
    worth[8191 << 8 :] = 0
    return worth


HOUSE_RULES = [
    Rules("lenient", joker="matching-or-lower", upper_bonus=50, upper_bonus_threshold=40),
    Rules("first-point", upper_bonus_threshold=1, joker_needs_upper_filled=False, yahtzee_bonus=7),
    Rules(
        "steep",
        joker="matching-first",
        upper_bonus=1000,
        upper_bonus_threshold=105,
        yahtzee_bonus=1000,
        joker_needs_fifty=True,
        five_of_a_kind_is_full_house=True,
    ),
]
every_rule_set = pytest.mark.parametrize(
    "rules", [*list_rules().values(), *HOUSE_RULES], ids=lambda rules: rules.name
)


# --- values and decisions ---------------------------------------------------------------------


@every_rule_set
def test_values_and_decisions_are_those_of_brute_force(rules):
    worth = random_worth(3)
    turns, with_bonus = turns_of(rules, worth)
    codes = cards_of(rules, 26, seed=4)
    start = turns.start_values(codes, with_bonus)
    rows = turns.decisions(codes, with_bonus)
    boxes = turns.box_values(codes, with_bonus)
    keeps = {left: turns.keep_values(codes, with_bonus, left) for left in (1, 2)}
    for i, code in enumerate(codes.tolist()):
        exact = BruteForce(rules, code, worth)
        assert start[i] == pytest.approx(exact.start_value, abs=1e-11)
        np.testing.assert_allclose(boxes[:, i], exact.box_values, rtol=0, atol=1e-11)
        for left in (1, 2):
            np.testing.assert_allclose(
                keeps[left][:, i], exact.keep_values[left], rtol=0, atol=1e-11
            )
        assert decided(rows[i]) == exact.decisions()


@every_rule_set
def test_further_fives_of_a_kind_are_decided_as_brute_force_decides_them(rules):
    """Late cards whose Yahtzee box is filled, with 50 and with 0, under a worth of nothing."""
    worth = np.zeros(N_CODES)
    turns, with_bonus = turns_of(rules, worth)
    rng = np.random.default_rng(9)
    goal = rules.upper_bonus_threshold
    masks = rng.choice(8191, 12, replace=False) | 1 << 11
    masks = masks[masks != 8191]
    codes = np.array(
        [
            encode(int(m), min(int(rng.integers(0, 60)), goal), fifty)
            for m in masks
            for fifty in (0, 1)
        ]
    )
    rows = turns.decisions(codes, with_bonus)
    start = turns.start_values(codes, with_bonus)
    for i, code in enumerate(codes.tolist()):
        exact = BruteForce(rules, code, worth)
        assert decided(rows[i]) == exact.decisions()
        assert start[i] == pytest.approx(exact.start_value, abs=1e-11)


@pytest.mark.parametrize("worth", ["none", "whole numbers", "a constant"])
def test_ties_go_to_most_dice_then_the_first_keep_then_the_first_box(worth):
    rules = list_rules()["official"]
    rng = np.random.default_rng(1)
    worths = {
        "none": np.zeros(N_CODES),
        "whole numbers": rng.integers(0, 4, N_CODES) * 10.0,
        "a constant": np.full(N_CODES, 1 / 3),
    }
    turns, with_bonus = turns_of(rules, worths[worth])
    codes = cards_of(rules, 39, seed=2)
    rows = turns.decisions(codes, with_bonus)
    ties = 0
    for i, code in enumerate(codes.tolist()):
        exact = BruteForce(rules, code, worths[worth])
        assert decided(rows[i]) == exact.decisions()
        best = exact.box_values[:, None]
        ties += int(((exact.values_by_box >= best - TIE).sum(axis=1) > 1).sum())
    assert ties > 500


def test_who_needs_a_yahtzee_keeps_the_largest_group_and_of_equal_ones_the_lowest():
    turns, with_bonus = turns_of(list_rules()["plain"], np.zeros(N_CODES))
    only_yahtzee_open = np.array([encode(8191 ^ 1 << 11, 30, 0)])
    first_keeps, second_keeps, _ = decided(turns.decisions(only_yahtzee_open, with_bonus)[0])
    for keeps in (first_keeps, second_keeps):
        assert keeps[ROLLS.index((2, 2, 3, 3, 6))] == (2, 2)
        assert keeps[ROLLS.index((1, 2, 5, 5, 5))] == (5, 5, 5)
        assert keeps[ROLLS.index((6, 6, 6, 6, 6))] == (6, 6, 6, 6, 6)
    # with one roll left, no die and any one die are as good: 1 in 1296
    assert second_keeps[ROLLS.index((1, 2, 3, 4, 6))] == (1,)


@pytest.mark.parametrize("missing", [1, 5, 20, 35])
def test_the_upper_bonus_is_earned_in_the_turn_that_reaches_the_threshold(missing):
    rules = list_rules()["official"]
    turns, with_bonus = turns_of(rules, np.zeros(N_CODES))
    last = np.array([encode(8191 ^ 1 << 5, 63 - missing, 0)])  # sixes open
    needed = -(-missing // 6)
    values = turns.box_values(last, with_bonus)[:, 0]
    expected = [6 * r.count(6) + 35 * (r.count(6) >= needed) for r in ROLLS]
    assert values.tolist() == expected


@every_rule_set
def test_upper_totals_above_the_threshold_change_nothing(rules):
    goal = rules.upper_bonus_threshold
    if goal == 105:
        goal, rules = 63, Rules("lower", joker=rules.joker)
    turns, with_bonus = turns_of(rules, random_worth(8))
    masks = [0b0000000111110, 0b1011010111101, 0b1111110111111]
    at = np.array([encode(mask, goal, mask >> 11 & 1) for mask in masks])
    for above in (1, 12, 85 - goal):
        codes = at + (above << 1)
        np.testing.assert_array_equal(
            turns.start_values(codes, with_bonus), turns.start_values(at, with_bonus)
        )
        np.testing.assert_array_equal(
            turns.decisions(codes, with_bonus), turns.decisions(at, with_bonus)
        )


# --- the cut into batches ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["official", "free-choice"])
def test_results_are_the_same_bits_however_cards_are_cut_into_batches(name):
    rules = list_rules()[name]
    turns, with_bonus = turns_of(rules, random_worth(6))
    codes = cards_of(rules, WIDTH, seed=7)

    def in_parts(width):
        parts = [codes[i : i + width] for i in range(0, len(codes), width)]
        return (
            np.concatenate([turns.start_values(part, with_bonus) for part in parts]),
            np.concatenate([turns.decisions(part, with_bonus) for part in parts]),
            np.concatenate([turns.keep_values(part, with_bonus, 2) for part in parts], axis=1),
            np.concatenate([turns.keep_values(part, with_bonus, 1) for part in parts], axis=1),
            np.concatenate([turns.box_values(part, with_bonus) for part in parts], axis=1),
        )

    together = in_parts(WIDTH)
    for width in (128, 100, 7, 2, 1):
        for whole, cut in zip(together, in_parts(width), strict=True):
            np.testing.assert_array_equal(whole, cut)


def test_results_do_not_depend_on_the_neighbours_or_the_order_of_cards():
    rules = list_rules()["official"]
    turns, with_bonus = turns_of(rules, random_worth(6))
    codes = cards_of(rules, 60, seed=11)
    order = np.random.default_rng(0).permutation(60)
    np.testing.assert_array_equal(
        turns.decisions(codes, with_bonus)[order], turns.decisions(codes[order], with_bonus)
    )
    np.testing.assert_array_equal(
        turns.start_values(codes, with_bonus)[order], turns.start_values(codes[order], with_bonus)
    )


def test_answers_are_not_overwritten_by_the_next_question():
    rules = list_rules()["official"]
    turns, with_bonus = turns_of(rules, random_worth(6))
    one, other = cards_of(rules, 10, seed=1), cards_of(rules, 10, seed=2)
    asked = [
        lambda codes: turns.start_values(codes, with_bonus),
        lambda codes: turns.decisions(codes, with_bonus),
        lambda codes: turns.keep_values(codes, with_bonus, 1),
        lambda codes: turns.box_values(codes, with_bonus),
    ]
    for ask in asked:
        first = ask(one)
        kept = first.copy()
        for ask_again in asked:
            ask_again(other)
        np.testing.assert_array_equal(first, kept)


# --- near ties --------------------------------------------------------------------------------

PLAIN = list_rules()["plain"]


def near_tied_worth(code: int, extra) -> np.ndarray:
    """A worth under which every upper box pays nothing but `extra(face, count)`, exactly.

    The points of an upper box are told by the card that is left, so its worth can take them away.
    """
    worth = np.zeros(N_CODES)
    filled, upper = code >> 8, code >> 1 & 127
    for face in FACES:
        bit = 1 << (face - 1)
        if not filled & bit:
            for count in range(6):
                after = encode(filled | bit, upper + face * count, 0)
                worth[after] = extra(face, count) - face * count
    return worth


def assert_decided_as_by_brute_force(code: int, worth: np.ndarray) -> BruteForce:
    turns = Turns(scoring(PLAIN))
    exact = BruteForce(PLAIN, code, worth)
    assert abs(exact.box_values).max() < 1e-6, "nothing but the extras is left"
    rows = turns.decisions(np.array([code]), turns.with_bonus(worth))[0]
    assert decided(rows) == exact.decisions()
    return exact


def only_open(*boxes: int) -> int:
    """The code of a card with nothing else open, its upper total 0."""
    return encode(8191 - sum(1 << box for box in boxes), 0, 0)


@pytest.mark.parametrize(
    "faces", [(1,), (6,), (1, 2), (3, 6), (1, 2, 3), (2, 4, 6), (1, 2, 3, 4, 5, 6)], ids=str
)
@pytest.mark.parametrize("size", [0.5e-9, 1.5e-9, 4e-9, 12e-9])
def test_near_ties_of_any_size_around_a_billionth(faces, size):
    rng = np.random.default_rng(int(size * 1e10))
    for _ in range(3):
        extras = rng.uniform(0, size, (7, 6)) * rng.integers(1, 4, (7, 6))
        code = only_open(*(face - 1 for face in faces))
        worth = near_tied_worth(code, lambda face, count: extras[face, count])  # noqa: B023
        assert_decided_as_by_brute_force(code, worth)


@pytest.mark.parametrize("seed", range(6))
def test_near_ties_in_steps_of_half_a_billionth_and_one_and_a_half(seed):
    """Many values exactly 0.5e-9 and 1.5e-9 apart, so that chains of ties are everywhere."""
    rng = np.random.default_rng(seed)
    steps = rng.integers(0, 8, (7, 6)) * rng.choice([0.5e-9, 1.5e-9])
    steps[rng.random((7, 6)) < 0.3] += 0.25e-9
    for faces in ((1, 2, 3, 4, 5, 6), (2, 3, 5), (1, 6)):
        code = only_open(*(face - 1 for face in faces))
        worth = near_tied_worth(code, lambda face, count: steps[face, count])
        assert_decided_as_by_brute_force(code, worth)


@pytest.mark.parametrize(
    ("gap", "kept"),
    [
        (0.45e-9, (1, 1, 1, 4, 5)),  # all within a billionth of the best: most dice
        (0.7e-9, (1, 1, 1, 4)),  # five dice are 1.4e-9 behind the best, four 0.7e-9
        (1.5e-9, (1, 1, 1)),
    ],
)
def test_a_chain_of_near_ties_is_not_followed(gap, kept):
    """Keeping 5, 4 or 3 dice of 1 1 1 4 5 is worth 0, 1 or 2 gaps."""
    extra = {3: 0.0, 4: 6 * gap, 5: 12 * gap}
    code = only_open(0)
    worth = near_tied_worth(code, lambda face, count: extra.get(count, -1e-7))
    exact = assert_decided_as_by_brute_force(code, worth)
    values = [
        exact.keep_values[1][NUMBER[keep]] for keep in ((1, 1, 1, 4, 5), (1, 1, 1, 4), (1, 1, 1))
    ]
    np.testing.assert_allclose(values, [0, gap, 2 * gap], rtol=0, atol=1e-13)
    turns = Turns(scoring(PLAIN))
    rows = turns.decisions(np.array([code]), turns.with_bonus(worth))[0]
    assert decided(rows)[1][ROLLS.index((1, 1, 1, 4, 5))] == kept


@pytest.mark.parametrize(
    ("values", "box"),
    [
        ((0.0, 0.5e-9, 0.0), 0),
        ((0.0, 1.5e-9, 0.0), 1),
        ((0.0, 0.7e-9, 1.4e-9), 1),
        ((0.7e-9, 0.0, 1.4e-9), 0),
        ((0.0, 1.4e-9, 0.7e-9), 1),
        ((0.0, 1.5e-9, 3.0e-9), 2),
        ((0.0, 0.45e-9, 0.9e-9), 0),
        ((0.0, 0.0, 0.0), 0),
    ],
)
def test_near_ties_of_boxes(values, box):
    """A roll without ones, twos and threes, and these three boxes open."""
    code = only_open(0, 1, 2)
    worth = near_tied_worth(code, lambda face, count: values[face - 1] if count == 0 else -1e-7)
    assert_decided_as_by_brute_force(code, worth)
    turns = Turns(scoring(PLAIN))
    rows = turns.decisions(np.array([code]), turns.with_bonus(worth))[0]
    assert rows[2, ROLLS.index((4, 4, 5, 5, 6))] == box


def test_near_ties_of_boxes_for_five_of_a_kind_that_may_go_anywhere():
    rules = list_rules()["verhoeff"]
    for values, box in (((0.0, 0.7e-9, 1.4e-9), 1), ((0.0, 0.9e-9, 0.0), 0), ((0.0, 2e-9, 0.0), 1)):
        code = only_open(0, 1, 2) | 1
        worth = np.zeros(N_CODES)
        for face in (1, 2, 3):
            worth[encode(code >> 8 | 1 << (face - 1), 0, 1)] = values[face - 1]
        turns = Turns(scoring(rules))
        rows = turns.decisions(np.array([code]), turns.with_bonus(worth))[0]
        assert rows[2, ROLLS.index((5, 5, 5, 5, 5))] == box
        assert decided(rows) == BruteForce(rules, code, worth).decisions()
