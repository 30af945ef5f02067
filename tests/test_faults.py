"""Faults found in other programs, which must not be here.

Each group is a mistake that some program makes, and what it would show: in turns that were played,
roll by roll, and in the points booked for them. What a turn should pay is worked out here, from
the dice.
"""

from __future__ import annotations

import itertools
import multiprocessing
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb, sqrt

import numpy as np
import pytest

import yahtzee_sim as ys
from yahtzee_sim.engine import Record, Seat, play

BOXES = (
    "ones",
    "twos",
    "threes",
    "fours",
    "fives",
    "sixes",
    "three_of_a_kind",
    "four_of_a_kind",
    "full_house",
    "small_straight",
    "large_straight",
    "yahtzee",
    "chance",
)
THREE, FOUR, FULL_HOUSE, SMALL, LARGE, YAHTZEE, CHANCE = range(6, 13)
UPPER_BONUS, YAHTZEE_BONUS, TOTAL = 13, 14, 15
ROLLS = np.array(list(itertools.combinations_with_replacement(range(1, 7), 5)))
KEEPS = [k for n in range(6) for k in itertools.combinations_with_replacement(range(1, 7), n)]
KEEP_COUNTS = np.array([[keep.count(face) for face in range(1, 7)] for keep in KEEPS])
ROLL_COUNTS = np.array([np.bincount(roll, minlength=7)[1:] for roll in ROLLS])
FACE_OF_FIVE = np.where(ROLLS[:, 0] == ROLLS[:, 4], ROLLS[:, 0], 0)


def paid_for(dice: tuple[int, ...]) -> list[int]:
    """What each of the thirteen boxes pays for five dice, without any joker."""
    count = Counter(dice)
    most, faces = max(count.values()), set(dice)
    straight = [any(set(range(f, f + n)) <= faces for f in range(1, 8 - n)) for n in (4, 5)]
    return [
        *(face * count[face] for face in range(1, 7)),
        sum(dice) * (most >= 3),
        sum(dice) * (most >= 4),
        25 * (sorted(count.values()) == [2, 3]),
        30 * straight[0],
        40 * straight[1],
        50 * (most == 5),
        sum(dice),
    ]


PAID = np.array([paid_for(tuple(map(int, roll))) for roll in ROLLS])


# --- players who bring the rare turns about ---------------------------------------------------


def first_open(turn, order):
    at = (turn.points[:, order] >= 0).argmax(axis=1)
    return np.array(order)[at]


def largest_group(turn):
    return turn.dice == (6 - turn.counts[:, ::-1].argmax(axis=1))[:, None]


@dataclass(frozen=True)
class Filler(ys.Strategy):
    """Goes for five of a kind, fills the boxes in one order whatever the dice."""

    sees = frozenset({"open"})
    order: tuple[int, ...] = tuple(range(13))

    def keep(self, turn):
        return largest_group(turn)

    def category(self, turn):
        return first_open(turn, list(self.order))


YAHTZEE_LAST = Filler((FULL_HOUSE, SMALL, LARGE, THREE, FOUR, CHANCE, 0, 1, 2, 3, 4, 5, YAHTZEE))
YAHTZEE_ZEROED = Filler((YAHTZEE, 0, 1, 2, 3, 4, 5, FULL_HOUSE, SMALL, LARGE, THREE, FOUR, CHANCE))
N = 60_000


class Played:
    """Games with every turn on record."""

    def __init__(self, strategy, rules="official", n=N, seed=77):
        self.rules = ys.rules(rules)
        seat, record = Seat(ys.strategy(strategy), self.rules, seed, width=n), Record.empty(n)
        play([seat], 0, n, [record])
        self.n, self.record = n, record
        self.points = seat.games.astype(int)  # (16, n)
        self.rolls = record.rolls.astype(int)  # (3, 13, n)
        self.keeps = record.keeps.astype(int)  # (2, 13, n)
        self.boxes = record.boxes.astype(int)  # (13, n)
        self.face = FACE_OF_FIVE[self.rolls[2]]  # of a five of a kind at the end of a turn
        games = np.arange(n)
        self.booked = self.points[self.boxes, games]  # (13, n): by round
        self.filled = np.zeros((13, 13, n), bool)  # before each round, by round and box
        for r in range(12):
            self.filled[r + 1] = self.filled[r]
            self.filled[r + 1, self.boxes[r], games] = True
        self.yahtzee_filled = self.filled[:, YAHTZEE]
        self.fifty = self.yahtzee_filled & (self.points[YAHTZEE] == 50)
        face_box = np.maximum(self.face - 1, 0)
        self.matching_filled = np.take_along_axis(self.filled, face_box[:, None, :], axis=1)[:, 0]

    def joker(self):
        """Turns on which five of a kind may stand for another roll, under the official rules."""
        return (self.face > 0) & self.yahtzee_filled & self.matching_filled


@pytest.fixture(scope="module")
def chased():
    return Played("yahtzee-chaser")


@pytest.fixture(scope="module")
def yahtzee_last():
    return Played(YAHTZEE_LAST)


@pytest.fixture(scope="module")
def yahtzee_zeroed():
    return Played(YAHTZEE_ZEROED)


@pytest.fixture(scope="module", params=["chased", "yahtzee_last", "yahtzee_zeroed"])
def played(request):
    return request.getfixturevalue(request.param)


# --- four rolls in a turn ---------------------------------------------------------------------


def test_a_turn_has_three_rolls_and_each_contains_what_was_kept(played):
    assert played.rolls.shape == (3, 13, played.n)
    counts = ROLL_COUNTS[played.rolls]
    kept = KEEP_COUNTS[played.keeps]
    for stage in (0, 1):
        assert (kept[stage] <= counts[stage]).all(), "kept dice that were not there"
        assert (kept[stage] <= counts[stage + 1]).all(), "kept dice that were rolled again"


def test_dice_that_are_not_kept_are_rolled_once_and_fairly(chased):
    for stage in (0, 1):
        thrown = ROLL_COUNTS[chased.rolls[stage + 1]] - KEEP_COUNTS[chased.keeps[stage]]
        total = thrown.sum()
        share = thrown.sum(axis=(0, 1)) / total
        assert np.abs(share - 1 / 6).max() < 5 * sqrt(5 / 36 / total)


@cache
def chance_of_five(rolls: int) -> Fraction:
    """Of five of a kind within so many rolls, always keeping the largest group."""

    def after(group: int, left: int) -> Fraction:
        if left == 0 or group == 5:
            return Fraction(group == 5)
        if group <= 1:
            return first(left)
        chance = Fraction(0)
        for new in range(6 - group):
            p = Fraction(comb(5 - group, new) * 5 ** (5 - group - new), 6 ** (5 - group))
            if group == 2 and new == 0:  # the other three may be alike, and a larger group
                chance += p * Fraction(1, 25) * after(3, left - 1)
                chance += p * Fraction(24, 25) * after(2, left - 1)
            else:
                chance += p * after(group + new, left - 1)
        return chance

    def first(left: int) -> Fraction:
        largest = Counter(
            max(Counter(dice).values()) for dice in itertools.product(range(6), repeat=5)
        )
        # five different dice: one of them is kept, four rolled, as good as any other four
        return sum(
            (
                Fraction(n, 6**5) * (after(k, left - 1) if k > 1 else keep_one(left - 1))
                for k, n in largest.items()
            ),
            Fraction(0),
        )

    def keep_one(left: int) -> Fraction:
        if left == 0:
            return Fraction(0)
        largest = Counter(
            max(Counter((0, *dice)).values()) for dice in itertools.product(range(6), repeat=4)
        )
        return sum(
            (
                Fraction(n, 6**4) * (after(k, left - 1) if k > 1 else keep_one(left - 1))
                for k, n in largest.items()
            ),
            Fraction(0),
        )

    return first(rolls)


def test_the_chance_of_five_of_a_kind_in_three_rolls_is_the_known_one():
    assert chance_of_five(3) == Fraction(347_897, 7_558_272)
    assert chance_of_five(1) == Fraction(6, 6**5)


def test_five_of_a_kind_comes_as_often_as_three_rolls_bring_it():
    result = ys.simulate("yahtzee-chaser", 50_000, seed=11, store="summary")
    turns = 13 * result.n
    p = float(chance_of_five(3))
    found = result.summary().loc["yahtzees_rolled", "value"] / 13
    error = sqrt(p * (1 - p) / turns)
    assert abs(found - p) < 4 * error
    assert float(chance_of_five(4)) - p > 100 * error, "a fourth roll would be seen"
    assert p - float(chance_of_five(2)) > 100 * error, "two rolls would be seen"


# --- the hundred ------------------------------------------------------------------------------


def test_the_hundred_is_paid_once_a_turn_though_all_three_rolls_are_five_of_a_kind(chased):
    due = (chased.face > 0) & chased.fifty
    held = due & (FACE_OF_FIVE[chased.rolls] > 0).all(axis=0)
    assert held.sum() >= 20, "such turns occur"
    np.testing.assert_array_equal(chased.points[YAHTZEE_BONUS], 100 * due.sum(axis=0))


def test_the_hundred_is_not_paid_with_the_first_fifty_nor_after_a_zero(played):
    fives = (played.face > 0).sum(axis=0)
    first = (played.points[YAHTZEE] == 50).astype(int)
    due = ((played.face > 0) & played.fifty).sum(axis=0)
    np.testing.assert_array_equal(played.points[YAHTZEE_BONUS], 100 * due)
    assert (due <= np.maximum(fives - first, 0)).all()
    assert (played.points[YAHTZEE_BONUS, played.points[YAHTZEE] == 0] == 0).all()


def test_a_zeroed_yahtzee_box_never_pays_the_hundred(yahtzee_zeroed):
    zeroed = yahtzee_zeroed.points[YAHTZEE] == 0
    fives = (yahtzee_zeroed.face > 0).sum(axis=0)
    assert (zeroed & (fives >= 2)).sum() > 1_000, "it would have been seen"
    assert (yahtzee_zeroed.points[YAHTZEE_BONUS, zeroed] == 0).all()


def test_the_hundred_is_not_booked_inside_a_box(chased):
    assert (chased.points[YAHTZEE_BONUS] > 0).sum() > 1_000
    assert set(np.unique(chased.points[YAHTZEE])) == {0, 50}
    best = [5, 10, 15, 20, 25, 30, 30, 30, 25, 30, 40, 50, 30]
    for box, most in enumerate(best):
        assert chased.points[box].min() == (5 if box == CHANCE else 0)
        assert chased.points[box].max() <= most, BOXES[box]


def test_the_hundred_does_not_count_toward_the_63(chased):
    upper = chased.points[:6].sum(axis=0)
    with_hundreds = upper + chased.points[YAHTZEE_BONUS]
    assert ((upper < 63) & (with_hundreds >= 63)).sum() > 100, "it would have been seen"
    np.testing.assert_array_equal(chased.points[UPPER_BONUS], np.where(upper >= 63, 35, 0))


def test_a_total_is_the_boxes_and_both_bonuses(played):
    np.testing.assert_array_equal(played.points[:15].sum(axis=0), played.points[TOTAL])


@pytest.mark.parametrize("rules", ["plain", "kniffel"])
def test_rules_without_the_hundred_never_pay_it(rules):
    result = ys.simulate("yahtzee-chaser", 3_000, rules=rules, seed=2)
    assert result.summary().loc["yahtzees_rolled", "value"] > 0.5
    assert (result.games["yahtzee_bonus"] == 0).all()
    assert result.summary().loc["yahtzees_paid", "value"] == (result.games["yahtzee"] == 50).mean()


# --- the upper bonus --------------------------------------------------------------------------


def test_the_upper_bonus_is_summed_over_points_not_over_numbers_of_categories(chased):
    upper = chased.points[:6].sum(axis=0)
    dice = (chased.points[:6] // np.arange(1, 7)[:, None]).sum(axis=0)
    reached = chased.points[UPPER_BONUS] > 0
    assert upper[reached].min() == 63, "63 is enough"
    assert upper[~reached].max() == 62, "62 is not"
    assert reached.any()
    assert dice[reached].min() < 18, "not three of each, as counted dice would have it"
    assert dice[~reached].max() > 18


def test_the_upper_bonus_is_paid_once(played):
    assert set(np.unique(played.points[UPPER_BONUS])) <= {0, 35}


def test_a_filled_upper_section_of_zeros_earns_no_bonus(yahtzee_zeroed):
    low = yahtzee_zeroed.points[:6].sum(axis=0) < 30
    assert low.any()
    assert (yahtzee_zeroed.points[UPPER_BONUS, low] == 0).all()


# --- what a box pays --------------------------------------------------------------------------


def test_every_turn_is_booked_for_what_its_dice_pay(played):
    pays = PAID[played.rolls[2], played.boxes]
    joker = played.joker()
    for box, full in ((FULL_HOUSE, 25), (SMALL, 30), (LARGE, 40)):
        pays = np.where(joker & (played.boxes == box), full, pays)
    np.testing.assert_array_equal(played.booked, pays)


def in_box(played, box, of_a_kind, more=False):
    """Turns that ended on exactly so many equal dice (or more) and went to this box."""
    most = ROLL_COUNTS[played.rolls[2]].max(axis=-1)
    return (played.boxes == box) & ((most >= of_a_kind) if more else (most == of_a_kind))


@pytest.mark.parametrize("box", [THREE, FOUR])
def test_five_equal_dice_are_three_and_four_of_a_kind_too(yahtzee_last, box):
    turns = in_box(yahtzee_last, box, 5)
    assert turns.sum() > 100
    np.testing.assert_array_equal(yahtzee_last.booked[turns], 5 * yahtzee_last.face[turns])


def test_three_and_four_of_a_kind_pay_all_five_dice_not_only_the_equal_ones(yahtzee_last):
    total = ROLLS[yahtzee_last.rolls[2]].sum(axis=-1)
    equal = (ROLL_COUNTS * (ROLL_COUNTS >= 3) * np.arange(1, 7)).sum(axis=1)[yahtzee_last.rolls[2]]
    for box, least in ((THREE, 3), (FOUR, 4)):
        turns = in_box(yahtzee_last, box, least, more=True)
        assert turns.sum() > 1_000
        assert (total[turns] != equal[turns]).sum() > 1_000, "the difference would be seen"
        np.testing.assert_array_equal(yahtzee_last.booked[turns], total[turns])
        others = (yahtzee_last.boxes == box) & ~turns
        assert (yahtzee_last.booked[others] == 0).all()


def test_four_of_a_kind_is_three_of_a_kind_and_no_full_house(yahtzee_last):
    three, house = in_box(yahtzee_last, THREE, 4), in_box(yahtzee_last, FULL_HOUSE, 4)
    assert three.any()
    assert house.any()
    assert (yahtzee_last.booked[three] > 0).all()
    assert (yahtzee_last.booked[house] == 0).all()


# --- the joker --------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["official", "yardzee", "verhoeff", "no-joker", "plain"])
def test_there_is_no_joker_while_the_yahtzee_box_is_open(rules):
    played = Played(YAHTZEE_LAST, rules, n=10_000)
    early = (played.face > 0) & ~played.yahtzee_filled
    for box in (FULL_HOUSE, SMALL, LARGE):
        turns = early & (played.boxes == box)
        assert turns.sum() > 50
        assert (played.booked[turns] == 0).all()


def test_a_zero_in_the_yahtzee_box_gives_a_joker_under_the_official_rules(yahtzee_zeroed):
    played = yahtzee_zeroed
    late = played.joker() & (played.points[YAHTZEE] == 0)
    for box, full in ((FULL_HOUSE, 25), (SMALL, 30), (LARGE, 40)):
        turns = late & (played.boxes == box)
        assert turns.sum() > 100
        assert (played.booked[turns] == full).all()


def test_a_zero_in_the_yahtzee_box_gives_no_joker_under_the_yardzee_rules():
    played = Played(YAHTZEE_ZEROED, "yardzee", n=10_000)
    late = played.joker()
    for box, full in ((FULL_HOUSE, 25), (SMALL, 30), (LARGE, 40)):
        for holds, pays in ((0, 0), (50, full)):
            turns = late & (played.boxes == box) & (played.points[YAHTZEE] == holds)
            assert turns.any()
            assert (played.booked[turns] == pays).all()


def test_a_further_five_of_a_kind_must_go_to_its_open_upper_box_under_the_official_rules(
    yahtzee_zeroed,
):
    played = yahtzee_zeroed
    further = (played.face > 0) & played.yahtzee_filled
    forced = further & ~played.matching_filled
    assert forced.sum() > 1_000
    np.testing.assert_array_equal(played.boxes[forced], played.face[forced] - 1)
    lower_open = ~played.filled[:, 6:].all(axis=1)
    free = further & played.matching_filled & lower_open
    assert free.any()
    assert (played.boxes[free] >= 6).all(), "a lower box, while one is open"


# --- filled boxes -----------------------------------------------------------------------------


@pytest.mark.parametrize("rules", list(ys.list_rules()))
@pytest.mark.parametrize(
    "strategy",
    ["yahtzee-chaser", "random", YAHTZEE_LAST, YAHTZEE_ZEROED],
    ids=["yahtzee-chaser", "random", "yahtzee last", "yahtzee zeroed"],
)
def test_a_filled_box_is_never_overwritten(strategy, rules):
    ordered = np.sort(Played(strategy, rules, n=2_000).boxes, axis=0)
    assert (ordered == np.arange(13)[:, None]).all(), "thirteen rounds, thirteen boxes"


# --- seeds and dice ---------------------------------------------------------------------------


def first_rolls(seed, n=2_000):
    seat, record = Seat(ys.strategy("roll-once"), ys.rules(), seed, width=n), Record.empty(n)
    play([seat], 0, n, [record])
    return record.rolls[0].copy()


def test_seed_zero_is_not_taken_for_no_seed():
    np.testing.assert_array_equal(first_rolls(0), first_rolls(0))
    assert ys.simulate("roll-once", 200, seed=0).seed == 0
    frames = [ys.simulate("roll-once", 200, seed=0).games for _ in range(2)]
    assert frames[0].equals(frames[1])
    replays = [ys.replay("roll-once", 5, 0).frame for _ in range(2)]
    assert replays[0].equals(replays[1])


def test_neighbouring_seeds_have_dice_that_agree_only_by_chance():
    by_chance = (ROLL_PROBABILITY**2).sum()
    for seed in (0, 1, 41):
        same = (first_rolls(seed) == first_rolls(seed + 1)).mean()
        assert abs(same - by_chance) < 5 * sqrt(by_chance / (13 * 2_000))


ROLL_PROBABILITY = np.array(
    [
        np.prod([1.0 / np.prod(np.arange(1, k + 1)) for k in counts]) * 120 / 6**5
        for counts in ROLL_COUNTS
    ]
)


def test_two_workers_do_not_roll_the_same_dice():
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        games = ys.simulate("roll-once", 32_768, seed=3, workers=executor).games.to_numpy()
    blocks = games.reshape(4, 8_192, 16)
    for a, b in itertools.combinations(blocks, 2):
        assert (a == b).all(axis=1).mean() < 0.01


def test_the_games_of_a_batch_do_not_roll_the_same_dice():
    rolls = first_rolls(3)  # (13, n)
    for round_ in rolls:
        assert len(np.unique(round_)) > 200, "of 252 rolls"
    by_chance = (ROLL_PROBABILITY**2).sum()
    for shift in (1, 2, 3, 4, 8, 1_000):  # four games share a word of the generator
        same = (rolls[:, shift:] == rolls[:, :-shift]).mean()
        assert abs(same - by_chance) < 5 * sqrt(by_chance / rolls[:, shift:].size)


def test_the_rounds_of_a_game_do_not_roll_the_same_dice():
    rolls = first_rolls(3)
    by_chance = (ROLL_PROBABILITY**2).sum()
    for a, b in itertools.combinations(rolls, 2):
        assert abs((a == b).mean() - by_chance) < 5 * sqrt(by_chance / a.size)


def test_the_three_rolls_of_a_turn_do_not_repeat_each_other():
    @dataclass(frozen=True)
    class Restless(ys.Strategy):
        """Rolls all dice again, each time."""

        sees = frozenset({"open"})

        def keep(self, turn):
            return np.zeros(turn.dice.shape, bool)

        def category(self, turn):
            return first_open(turn, list(range(13)))

    rolls = Played(Restless(), n=3_000).rolls
    by_chance = (ROLL_PROBABILITY**2).sum()
    for a, b in itertools.combinations(rolls, 2):
        assert abs((a == b).mean() - by_chance) < 5 * sqrt(by_chance / a.size)
