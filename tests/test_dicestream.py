"""The dice are a pure function of seed, stream, seat, game and round, and they are fair."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, kstest

from yahtzee_sim.dice import ROLLS, rolls_after, transition_counts
from yahtzee_sim.dicestream import LAYOUT, SEED_LIMIT, DiceStream, luck

OUTCOMES, BITS = 6**15, 51
REJECT_BELOW = 2**BITS % OUTCOMES
P = 1e-4
"""A test of chance fails below this; the seeds are fixed, so it fails always or never."""


# --- the documented layout, in plain whole numbers --------------------------------------------


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, ...]:
    """Philox4x64 with ten rounds: four words."""
    c, k, word = list(counter), list(key), 2**64
    for _ in range(10):
        high_0, low_0 = divmod(0xD2E7470EE14C6C93 * c[0], word)
        high_1, low_1 = divmod(0xCA5A826395121157 * c[2], word)
        c = [high_1 ^ c[1] ^ k[0], low_1, high_0 ^ c[3] ^ k[1], low_0]
        k = [(k[0] + 0x9E3779B97F4A7C15) % word, (k[1] + 0xBB67AE8584CAA73B) % word]
    return tuple(c)


def word_of(key: tuple[int, int], game: int, *rest: int) -> int:
    """The raw word as numpy gives it, whose generator counts one up before each block."""
    counter = sum(part << 64 * i for i, part in enumerate((game // 4, *rest))) + 1
    parts = tuple(counter >> 64 * i & (2**64 - 1) for i in range(4))
    return philox(parts, key)[game % 4]


def throws_of(
    seed: int, stream: int, seat: int, game: int, round_: int, reject_below: int = REJECT_BELOW
) -> tuple[tuple[int, int, int], int]:
    """The three throws of a round, and how many words it took."""
    attempt = 0
    while True:
        fraction = word_of((seed, 2 * stream), game, round_, attempt, seat) >> (64 - BITS)
        outcome, rest = divmod(fraction * OUTCOMES, 2**BITS)
        attempt += 1
        if rest >= reject_below:
            return (outcome // 7776**2, outcome // 7776 % 7776, outcome % 7776), attempt


def test_numpy_counts_up_before_it_generates():
    """The plain Philox above is numpy's, one block later."""
    counter, key = (12, 5, 0, 3), (2**63 + 7, 4)
    generator = np.random.Philox(
        key=np.array(key, dtype=np.uint64), counter=np.array(counter, dtype=np.uint64)
    )
    expected = [*philox((13, 5, 0, 3), key), *philox((14, 5, 0, 3), key)]
    assert generator.random_raw(8).tolist() == expected


# --- golden values ----------------------------------------------------------------------------

GOLDEN = {
    # (seed, stream, seat, game, round): three throws of five dice
    (0, 0, 0, 0, 0): "11336 55315 13545",
    (1, 0, 0, 0, 0): "25643 42453 21615",
    (0, 0, 0, 1, 0): "23521 25263 23315",
    (7, 0, 0, 123456, 0): "21661 64155 64263",
    (7, 0, 0, 123456, 12): "23364 24364 65624",
    (7, 1, 0, 123456, 0): "53311 24625 41434",
    (7, 0, 3, 123456, 0): "46234 42211 43216",
    (SEED_LIMIT - 1, 2, 5, 999999999, 6): "44644 46261 42365",
}


@pytest.mark.parametrize("where", GOLDEN, ids=str)
def test_golden_throws_of_layout_1(where):
    assert LAYOUT == 1
    seed, stream, seat, game, round_ = where
    throws = DiceStream(seed, stream, seat).throws(game, 1, round_)[:, 0]
    shown = ["".join(str(t // 6**i % 6 + 1) for i in (4, 3, 2, 1, 0)) for t in throws.tolist()]
    assert " ".join(shown) == GOLDEN[where]


@pytest.mark.parametrize(
    "where",
    [
        (0, 0, 0, 0, 0),
        (1, 0, 0, 0, 0),
        (7, 0, 0, 1, 12),
        (7, 1, 0, 2, 3),
        (7, 0, 1, 3, 3),
        (SEED_LIMIT - 1, 5, 5, 10**12 + 2, 12),
        (2**63, 2**40, 3, 2**40 + 3, 1),
    ],
    ids=str,
)
def test_throws_are_those_of_the_documented_layout(where):
    seed, stream, seat, first, round_ = where
    throws = DiceStream(seed, stream, seat).throws(first, 11, round_)
    for game, got in enumerate(throws.T.tolist(), start=first):
        assert tuple(got) == throws_of(seed, stream, seat, game, round_)[0]


@settings(deadline=None)
@given(
    st.integers(0, SEED_LIMIT - 1),
    st.integers(0, 2**62),
    st.integers(0, 5),
    st.integers(0, 2**60),
    st.integers(0, 12),
    st.integers(1, 9),
)
def test_words_are_those_of_the_documented_counters(seed, stream, seat, first, round_, n):
    dice = DiceStream(seed, stream, seat)
    for attempt in (0, 1, 2):
        expected = [word_of((seed, 2 * stream), first + i, round_, attempt, seat) for i in range(n)]
        assert dice.words(first, n, round_, attempt).tolist() == expected


@settings(deadline=None)
@given(
    st.integers(0, SEED_LIMIT - 1),
    st.integers(0, 12),
    st.integers(0, 2),
    st.integers(0, 50),
    st.integers(0, 2**60),
)
def test_luck_is_that_of_the_documented_counters(seed, round_, rolls_left, call, first):
    words = [
        word_of((seed, 2 * 3 + 1), first + i, round_ * 4 + rolls_left, call, 2) for i in range(6)
    ]
    got = luck(seed, 3, 2, first, 6, round_, rolls_left, call)
    assert got.tolist() == [(word >> 11) / 2**53 for word in words]


# --- the split of a word ----------------------------------------------------------------------


def test_the_split_of_a_word_is_exact():
    n = 20_000
    dice = DiceStream(3, width=n)
    words = dice.words(0, n, 4).tolist()
    throws = dice.throws(0, n, 4).T.tolist()
    compared = 0
    for word, got in zip(words, throws, strict=True):
        outcome, rest = divmod((word >> 13) * OUTCOMES, 2**51)
        if rest >= REJECT_BELOW:
            compared += 1
            assert got == [outcome // 7776**2, outcome // 7776 % 7776, outcome % 7776]
    assert compared > n - 20


def test_every_outcome_has_as_many_words():
    """Of the 2^51 fractions, each outcome gets floor(2^51 / 6^15) that are not rejected."""
    each = 2**BITS // OUTCOMES
    rng = np.random.default_rng(1)
    for outcome in [0, 1, OUTCOMES - 1, *rng.integers(0, OUTCOMES, 200).tolist()]:
        low = -(-outcome * 2**BITS // OUTCOMES)  # the first fraction of this outcome
        high = -(-(outcome + 1) * 2**BITS // OUTCOMES)
        accepted = sum(f * OUTCOMES % 2**BITS >= REJECT_BELOW for f in (low, low + 1, low + 2))
        # only the first of an outcome can be rejected: the remainder grows by 6^15 > 2^51 mod 6^15
        assert accepted in (2, 3)
        assert high - low - (3 - accepted) == each


def test_a_rejected_word_is_replaced_by_the_next_attempt():
    """At the true threshold: about one word in 33,000."""
    n, seed = 150_000, 11
    dice = DiceStream(seed, 2, 1, width=n)
    fractions = (dice.words(0, n, 6) >> np.uint64(13)).tolist()
    rejected = [i for i, f in enumerate(fractions) if f * OUTCOMES % 2**51 < REJECT_BELOW]
    assert 1 <= len(rejected) <= 15
    throws = dice.throws(0, n, 6).copy()
    for game in rejected:
        expected, words = throws_of(seed, 2, 1, game, 6)
        assert words >= 2
        assert tuple(throws[:, game].tolist()) == expected
        first = fractions[game] * OUTCOMES // 2**51
        assert expected != (first // 7776**2, first // 7776 % 7776, first % 7776)


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_many_rejections_in_a_row(share):
    limit, n = int(share * 2**BITS), 400
    dice = DiceStream(5, 0, 1, width=n, reject_below=limit)
    throws = dice.throws(1_001, n, 2).T.tolist()
    expected = [throws_of(5, 0, 1, 1_001 + i, 2, limit) for i in range(n)]
    assert [tuple(got) for got in throws] == [three for three, _ in expected]
    attempts = Counter(words for _, words in expected)
    assert attempts[1] == pytest.approx((1 - share) * n, abs=5 * (n * share * (1 - share)) ** 0.5)
    assert max(attempts) >= 5


def test_rejections_do_not_depend_on_the_cut():
    limit = 2 ** (BITS - 1)
    whole = DiceStream(5, width=300, reject_below=limit).throws(10, 300, 0).copy()
    dice = DiceStream(5, width=300, reject_below=limit)
    for first, n in ((10, 1), (11, 3), (150, 160), (309, 1)):
        np.testing.assert_array_equal(dice.throws(first, n, 0), whole[:, first - 10 :][:, :n])


# --- any cut, any order -----------------------------------------------------------------------

WHOLE = np.array([DiceStream(21, 1, 2).throws(0, 3_000, r).copy() for r in range(13)])


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2_900), st.integers(1, 100), st.integers(0, 12))))
def test_throws_do_not_depend_on_what_was_asked_before(asked):
    dice = DiceStream(21, 1, 2, width=100)
    for first, n, round_ in asked:
        got = dice.throws(first, n, round_)
        assert got.dtype == np.int64
        np.testing.assert_array_equal(got, WHOLE[round_, :, first : first + n])


@settings(deadline=None)
@given(st.integers(0, 400), st.integers(1, 100))
def test_luck_does_not_depend_on_the_cut(first, n):
    whole = luck(21, 1, 2, 0, 500, 3, 1, 4)
    np.testing.assert_array_equal(luck(21, 1, 2, first, n, 3, 1, 4), whole[first : first + n])


def test_each_argument_makes_other_dice_and_other_luck():
    variants = [
        {"seed": 0},
        {"seed": 1},
        {"seed": 2},
        {"seed": 2**32},
        {"seed": 2**63},
        {"stream": 1},
        {"stream": 2},
        {"seat": 1},
        {"seat": 2},
        {"round_": 1},
        {"round_": 2},
        {"first": 1_000},
        {"seed": 1, "stream": 1},
        {"seed": 1, "seat": 1},
        {"stream": 1, "seat": 1},
    ]
    base = {"seed": 0, "stream": 0, "seat": 0, "first": 0, "round_": 0}
    seen, lucks = [], []
    for variant in variants:
        w = base | variant
        dice = DiceStream(w["seed"], w["stream"], w["seat"])
        seen.append(dice.throws(w["first"], 200, w["round_"]).copy().reshape(-1))
        lucks.append(luck(w["seed"], w["stream"], w["seat"], w["first"], 200, w["round_"], 0, 0))
    for one, other in combinations(range(len(variants)), 2):
        assert (seen[one] == seen[other]).mean() < 0.02
        assert (lucks[one] == lucks[other]).sum() == 0


# --- fair dice --------------------------------------------------------------------------------

GAMES = 40_000


def dice_of(seed=2024, stream=0, seat=0, first=0, n=GAMES, rounds=range(13)) -> np.ndarray:
    """(rounds, 3, n, 5): dice from 0 to 5."""
    stream_of = DiceStream(seed, stream, seat, n)
    throws = np.array([stream_of.throws(first, n, r).copy() for r in rounds], dtype=np.int16)
    return (throws[..., None] // 6 ** np.arange(4, -1, -1, dtype=np.int16) % 6).astype(np.int8)


@pytest.fixture(scope="module")
def thrown() -> np.ndarray:
    return dice_of()


def p_value(observed: np.ndarray, probabilities: np.ndarray | None = None) -> float:
    """Of Pearson's chi-square, both tails: too even is as wrong as too uneven."""
    n = observed.sum()
    expected = n / observed.size if probabilities is None else n * probabilities
    assert np.min(expected) >= 5
    statistic = ((observed - expected) ** 2 / expected).sum()
    degrees = observed.size - 1
    return 2 * min(chi2.sf(statistic, degrees), chi2.cdf(statistic, degrees))


def together(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """How often each pair of faces came together."""
    return np.bincount((one.astype(np.int64) * 6 + other).ravel(), minlength=36)


def test_a_chi_square_of_loaded_dice_is_found_out(thrown):
    die = thrown[0, 0, :, 0].copy()
    die[:4_000][die[:4_000] == 0] = 5
    assert p_value(np.bincount(die)) < P
    assert p_value(np.full(36, 1_000)) < P


def test_every_face_comes_as_often(thrown):
    assert p_value(np.bincount(thrown.ravel(), minlength=6)) > P
    for round_, throw, die in product(range(13), range(3), range(5)):
        assert p_value(np.bincount(thrown[round_, throw, :, die], minlength=6)) > P


def test_the_252_rolls_come_as_often_as_they_should():
    probabilities = transition_counts()[0] / 7776
    n = 150_000
    dice = DiceStream(2025, width=n)
    for round_ in (0, 7, 12):
        for throw in dice.throws(0, n, round_):
            rolls = np.bincount(rolls_after()[0][throw], minlength=len(ROLLS))
            assert p_value(rolls, probabilities) > P


def test_every_throw_of_the_7776_comes_as_often():
    n, dice = 100_000, DiceStream(2026, width=100_000)
    counts = [np.zeros(7776, int) for _ in range(3)]
    for round_ in range(13):
        for count, throw in zip(counts, dice.throws(0, n, round_), strict=True):
            count += np.bincount(throw, minlength=7776)
    assert all(p_value(count) > P for count in counts)


def test_the_dice_of_a_throw_are_independent(thrown):
    for one, other in combinations(range(5), 2):
        assert p_value(together(thrown[..., one], thrown[..., other])) > P


def test_successive_throws_of_a_round_are_independent(thrown):
    for one, other in ((0, 1), (1, 2), (0, 2)):
        for die, next_die in product(range(5), repeat=2):
            pair = together(thrown[:, one, :, die], thrown[:, other, :, next_die])
            assert p_value(pair) > P


def test_rounds_are_independent(thrown):
    for apart, throw, next_throw in product((1, 2, 4), range(3), range(3)):
        for die, next_die in ((0, 0), (0, 4), (4, 0), (2, 3)):
            pair = together(thrown[:-apart, throw, :, die], thrown[apart:, next_throw, :, next_die])
            assert p_value(pair) > P


def test_neighbouring_games_are_independent(thrown):
    for apart, throw, next_throw in product((1, 2, 3, 4, 5, 8), range(3), range(3)):
        for die, next_die in ((0, 0), (4, 4), (0, 4)):
            pair = together(thrown[:, throw, :-apart, die], thrown[:, next_throw, apart:, next_die])
            assert p_value(pair) > P


@pytest.mark.parametrize(
    "other",
    [
        {"seat": 1},
        {"seat": 5},
        {"stream": 1},
        {"stream": 2},
        {"seed": 2023},
        {"seed": 2025},
        {"seed": 2024 + 2**32},
        {"seed": 1012},
    ],
    ids=str,
)
def test_seats_streams_and_seeds_are_independent(thrown, other):
    others = dice_of(**other)
    for throw, next_throw, die in product(range(3), range(3), range(5)):
        assert p_value(together(thrown[:, throw, :, die], others[:, next_throw, :, die])) > P


def test_late_games_are_as_fair_as_early_ones():
    late = dice_of(first=10**15, n=20_000)
    assert p_value(np.bincount(late.ravel(), minlength=6)) > P
    for one, other in combinations(range(5), 2):
        assert p_value(together(late[..., one], late[..., other])) > P


# --- luck -------------------------------------------------------------------------------------


def test_luck_is_uniform_from_0_to_below_1():
    for round_, rolls_left, call in product((0, 6, 12), (0, 1, 2), (0, 1, 7)):
        floats = luck(99, 0, 0, 5, 20_000, round_, rolls_left, call)
        assert floats.dtype == np.float64
        assert floats.min() >= 0
        assert floats.max() < 1
        assert kstest(floats, "uniform").pvalue > P


def test_luck_is_independent_of_the_dice(thrown):
    for round_, rolls_left in product((0, 5, 12), (0, 1, 2)):
        floats = luck(2024, 0, 0, 0, GAMES, round_, rolls_left, 0)
        sixth = (6 * floats).astype(np.int8)
        for throw, die in product(range(3), range(5)):
            assert p_value(together(sixth, thrown[round_, throw, :, die])) > P


def test_luck_is_independent_from_call_to_call_roll_to_roll_round_to_round():
    where = [(r, left, call) for r in (3, 4, 7) for left in (0, 1, 2) for call in (0, 1, 2)]
    sixths = [(6 * luck(8, 0, 0, 0, 20_000, *w)).astype(np.int8) for w in where]
    for one, other in combinations(sixths, 2):
        assert p_value(together(one, other)) > P
    for sixth in sixths:
        assert p_value(together(sixth[1:], sixth[:-1])) > P
