"""What strategies answer is checked, what they may look at is held to, and wrappers wrap."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import combinations_with_replacement
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from yahtzee_sim import engine
from yahtzee_sim.cards import encode
from yahtzee_sim.categories import Category
from yahtzee_sim.decisions import Rows, decider, is_tabulated, key_of, make_turn
from yahtzee_sim.dicestream import DiceStream
from yahtzee_sim.engine import Seat
from yahtzee_sim.errors import StrategyError
from yahtzee_sim.rulesets import list_rules, rules
from yahtzee_sim.strategy_types import (
    LookaheadStrategy,
    SingleGameStrategy,
    Strategy,
    check_parameters,
)

OFFICIAL, YARDZEE = rules("official"), rules("yardzee")
ROLLS = list(combinations_with_replacement(range(1, 7), 5))
SEED = 13


def played(strategy, rule_set=OFFICIAL, n=64, first=0, direct=None, **where):
    """The 16 columns of n games."""
    seat = Seat(strategy, rule_set, where.pop("seed", SEED), width=n, direct=direct, **where)
    engine.play([seat], first, n)
    return seat.games.copy()


def refusal(strategy, rule_set=OFFICIAL, **how) -> str:
    """The one line in which a strategy is refused."""
    with pytest.raises(StrategyError) as error:
        played(strategy, rule_set, **how)
    message = str(error.value)
    assert "\n" not in message
    assert message.startswith(strategy.label + ": ")
    return message


def first_rolls(first: int, n: int, round_: int = 0, seed: int = SEED) -> list[tuple[int, ...]]:
    throws = DiceStream(seed, width=n).throws(first, n, round_)[0]
    return [tuple(sorted(t // 6**i % 6 + 1 for i in range(5))) for t in throws.tolist()]


class Plain(Strategy):
    """Keeps the highest face and scores what pays most: for others to spoil."""

    sees = frozenset({"open"})

    def keep(self, turn):
        return turn.dice == turn.dice[:, 4:]

    def category(self, turn):
        return turn.points.argmax(axis=1)


both_ways = pytest.mark.parametrize("direct", [False, True], ids=["tabulated", "direct"])


# --- answers of the wrong shape or kind -------------------------------------------------------


@both_ways
@pytest.mark.parametrize(
    "answer",
    [
        lambda turn: np.ones((len(turn), 4), bool),
        lambda turn: np.ones(len(turn), bool),
        lambda turn: np.ones((5, len(turn)), bool),
        lambda turn: np.ones((len(turn) + 1, 5), bool),
        lambda turn: np.ones((len(turn), 5, 1), bool),
        lambda turn: np.ones((len(turn), 5)),
        lambda turn: np.ones((len(turn), 5), int),
        lambda turn: np.ones((len(turn), 5), np.uint8),
        lambda turn: np.ones((len(turn), 5), object),
        lambda turn: np.full((len(turn), 5), "yes"),
        lambda turn: turn.dice,
        lambda turn: True,
        lambda turn: None,
        lambda turn: "33",
        lambda turn: {3: 3},
        lambda turn: iter([True] * 5),
    ],
)
def test_a_keep_is_a_mask_of_booleans_over_the_dice(answer, direct):
    class Keeps(Plain):
        def keep(self, turn):
            return answer(turn)

    message = refusal(Keeps(), direct=direct)
    assert re.match(r"keeps: keep\(turn\) gives booleans of shape \(\d+, 5\), a mask", message)
    assert "card: filled nothing; upper total 0; dice " in message
    assert "rolls left 2" in message
    assert ("game 0" in message) == direct


@both_ways
@pytest.mark.parametrize(
    "answer",
    [
        lambda turn: turn.points.argmax(axis=1).astype(float),
        lambda turn: turn.points.argmax(axis=1)[:, None],
        lambda turn: turn.points,
        lambda turn: turn.points >= 0,
        lambda turn: turn.points[:, 0] >= 0,
        lambda turn: np.array([Category.ONES] * len(turn), dtype=object),
        lambda turn: ["ones"] * len(turn),
        lambda turn: Category.ONES,
        lambda turn: None,
        lambda turn: 12,
    ],
)
def test_a_category_is_one_integer_a_game(answer, direct):
    class Scores(Plain):
        def category(self, turn):
            return answer(turn)

    message = refusal(Scores(), direct=direct)
    assert re.match(
        r"scores: category\(turn\) gives integers of shape \(\d+,\), each 0 to 12", message
    )
    assert "card: filled nothing; upper total 0; dice " in message
    assert "rolls left 0" in message


@both_ways
@pytest.mark.parametrize("question", ["keep", "category"])
def test_an_answer_of_no_shape_at_all_is_refused_in_words_too(question, direct):
    class Ragged(Plain):
        pass

    setattr(Ragged, question, lambda self, turn: [[True], [True, False]])
    assert f"{question}(turn) gives" in refusal(Ragged(), direct=direct)


@both_ways
@pytest.mark.parametrize("box", [13, -1, 255, -128])
def test_a_category_is_from_0_to_12(box, direct):
    class Scores(Plain):
        def category(self, turn):
            boxes = turn.points.argmax(axis=1)
            boxes[(turn.dice == [2, 3, 4, 5, 6]).all(axis=1)] = box
            return boxes

    message = refusal(Scores(), direct=direct, n=2_000)
    assert f"scores: category(turn) gave {box}; a category is 0 to 12; card: " in message
    assert "dice 2 3 4 5 6, rolls left 0" in message


@both_ways
def test_lists_and_small_integers_are_answers_too(direct):
    class Lists(Plain):
        def keep(self, turn):
            return super().keep(turn).tolist()

        def category(self, turn):
            return super().category(turn).astype(np.int8)

    np.testing.assert_array_equal(played(Lists(), direct=direct), played(Plain()))


@both_ways
def test_a_filled_box_is_refused(direct):
    class Sixes(Plain):
        def category(self, turn):
            insists = turn.open[:, 5] | (turn.round == 3)
            return np.where(insists, 5, turn.points.argmax(axis=1))

    message = refusal(Sixes(), direct=direct)
    assert "sixes: it scored in sixes, which is filled; allowed: " in message
    allowed = message.split("allowed: ")[1].split(";")[0].split(", ")
    assert "sixes" not in allowed
    assert len(allowed) == 11
    assert re.search(
        r"card: filled \w+, \w+; upper total \d+; dice \d( \d){4}, rolls left 0", message
    )


@both_ways
def test_a_box_that_the_joker_rule_forbids_is_refused(direct):
    """Official rules: a further five of a kind goes to its own upper box while that is open."""

    class ZeroYahtzee(Plain):
        def category(self, turn):
            last_open = 12 - turn.open[:, ::-1].argmax(axis=1)
            return np.where(turn.open[:, 11], 11, last_open)

    message = refusal(ZeroYahtzee(), direct=direct, n=1_500)
    found = re.search(
        r"it scored in (\w+), which is open, but the roll may not go there; allowed: (\w+);"
        r" card: .*; dice (\d) \3 \3 \3 \3, rolls left 0",
        message,
    )
    assert found
    scored, allowed, face = found.groups()
    assert allowed == Category(int(face) - 1).column != scored


# --- the one that is at fault -----------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 4_321])
@pytest.mark.parametrize("round_", [0, 5])
def test_the_message_names_the_game_whose_dice_make_a_strategy_raise(first, round_):
    n = 700
    rolls = first_rolls(first, n, round_)
    trouble = rolls[333]
    game = first + rolls.index(trouble)

    class Fussy(Plain):
        sees = frozenset({"open", "upper"})

        def keep(self, turn):
            bad = (turn.dice == trouble).all(axis=1) & (turn.round == round_ + 1)
            if turn.rolls_left == 2 and bad.any():
                raise ValueError(f"no idea\nwhat to do with {bad.sum()}")
            return super().keep(turn)

    message = refusal(Fussy(), direct=True, first=first, n=n)
    dice = " ".join(map(str, trouble))
    assert message.startswith("fussy: keep(…) raised ValueError: no idea what to do with ")
    assert message.endswith(f"; dice {dice}, rolls left 2, game {game}")
    assert "card: filled " + ("nothing; upper total 0" if round_ == 0 else "") in message


@pytest.mark.parametrize("first", [0, 999])
def test_the_message_names_the_game_whose_answer_is_wrong(first):
    n = 500
    rolls = first_rolls(first, n)
    trouble = rolls[222]

    class Wrong(Plain):
        def keep(self, turn):
            return np.ones(turn.dice.shape, bool)

        def category(self, turn):
            bad = (turn.dice == trouble).all(axis=1)
            return np.where(bad, 99, turn.points.argmax(axis=1))

    message = refusal(Wrong(), direct=True, first=first, n=n)
    dice = " ".join(map(str, trouble))
    assert f"dice {dice}, rolls left 0, game {first + rolls.index(trouble)}" in message


def test_tabulated_the_message_names_card_and_dice_but_no_game():
    class Fussy(Plain):
        def category(self, turn):
            if ((turn.dice == 4).all(axis=1) & (turn.round == 1)).any():
                return 1 / 0
            return super().category(turn)

    message = refusal(Fussy())
    assert message == (
        "fussy: category(…) raised ZeroDivisionError: division by zero; "
        "card: filled nothing; upper total 0; dice 4 4 4 4 4, rolls left 0"
    )


def test_a_card_that_makes_a_strategy_raise_is_named():
    class Fussy(Plain):
        sees = frozenset({"open", "upper", "fifty"})

        def keep(self, turn):
            if (turn.round == 13).any():
                raise RuntimeError
            return super().keep(turn)

    message = refusal(Fussy(), direct=True)
    assert re.match(
        r"fussy: keep\(…\) raised RuntimeError; card: open \w+; upper total \d+"
        r"(, 50 in the Yahtzee box)?; dice \d( \d){4}, rolls left 2, game 0$",
        message,
    )


def test_who_raises_for_the_batch_but_for_no_row_alone_is_told_the_size_of_the_batch():
    class Crowded(Plain):
        def keep(self, turn):
            if len(turn) > 1:
                raise ValueError("too many")
            return super().keep(turn)

    assert "raised ValueError: too many; in a batch of 64" in refusal(Crowded(), direct=True)


@both_ways
@pytest.mark.parametrize("missing", ["keep", "category"])
def test_a_strategy_without_an_answer_is_told_so(missing, direct):
    members = {"keep": Plain.keep, "category": Plain.category, "sees": Plain.sees}
    del members[missing]
    message = refusal(type("Silent", (Strategy,), members)(), direct=direct)
    assert f"Silent does not define {missing}(turn)" in message


# --- a turn is read-only ----------------------------------------------------------------------


@both_ways
@pytest.mark.parametrize(
    "attribute", ["dice", "counts", "open", "points", "upper", "to_bonus", "fifty", "round"]
)
def test_writing_into_a_turn_is_refused(attribute, direct):
    class Vandal(Plain):
        sees = frozenset({"open", "upper", "fifty"})

        def keep(self, turn):
            getattr(turn, attribute)[:] = 1
            return super().keep(turn)

    message = refusal(Vandal(), direct=direct)
    assert "vandal: keep(…) raised ValueError: assignment destination is read-only" in message


def test_writing_into_totals_and_rivals_is_refused():
    class Vandal(Plain):
        sees = frozenset({"open", "total", "rivals"})

        def keep(self, turn):
            turn.rivals[0].total[:] += 1000
            return super().keep(turn)

    seats = [Seat(Vandal(), OFFICIAL, SEED, seat=i, width=8) for i in (0, 1)]
    with pytest.raises(StrategyError, match="read-only"):
        engine.play(seats, 0, 8)


@both_ways
def test_a_strategy_cannot_replace_the_points_that_its_answer_is_checked_against(direct):
    class Cheat(Plain):
        def category(self, turn):
            turn.points = np.zeros((len(turn), 13), int)
            return np.full(len(turn), 12)

    with pytest.raises(StrategyError, match="cheat: "):
        played(Cheat(), direct=direct)


@both_ways
def test_a_strategy_cannot_turn_the_question_into_another(direct):
    class Cheat(Plain):
        def keep(self, turn):
            turn.rolls_left = 0
            return turn.points.argmax(axis=1)

    with pytest.raises(StrategyError, match="cheat: "):
        played(Cheat(), direct=direct)


@both_ways
def test_the_arrays_of_a_turn_are_small_integers_and_booleans(direct):
    seen = {}

    class Curious(Plain):
        sees = frozenset({"open", "upper", "fifty"})

        def keep(self, turn):
            for name in ("dice", "counts", "points", "upper", "to_bonus", "round", "open", "fifty"):
                array = getattr(turn, name)
                seen[name] = (array.dtype, array.shape[1:])
                assert len(array) == len(turn)
            seen["rolls_left"] = type(turn.rolls_left)
            return super().keep(turn)

    played(Curious(), direct=direct)
    number = np.dtype(np.int32)
    assert seen == {
        "dice": (number, (5,)),
        "counts": (number, (6,)),
        "points": (number, (13,)),
        "upper": (number, ()),
        "to_bonus": (number, ()),
        "round": (number, ()),
        "open": (np.dtype(bool), (13,)),
        "fifty": (np.dtype(bool), ()),
        "rolls_left": int,
    }


# --- looking at what is not declared ----------------------------------------------------------

LOOKS = {
    "open": "open",
    "round": "open",
    "upper": "upper",
    "to_bonus": "upper",
    "fifty": "fifty",
    "total": "total",
    "rivals": "rivals",
    "random": "luck",
}


@both_ways
@pytest.mark.parametrize("name", list_rules())
@pytest.mark.parametrize(("attribute", "declared_as"), LOOKS.items())
def test_looking_at_what_is_not_declared_is_refused(attribute, declared_as, name, direct):
    class Peeker(Plain):
        sees = frozenset({"fifty", "open"} - {declared_as})

        def keep(self, turn):
            look = getattr(turn, attribute)
            if attribute == "random":
                look()
            return super().keep(turn)

    message = refusal(Peeker(), rules(name), direct=direct)
    assert "peeker: it reads `" + attribute in message
    assert f"which it does not declare: add {declared_as!r} to its `sees`" in message


@pytest.mark.parametrize(("attribute", "declared_as"), list(LOOKS.items())[:5])
def test_a_worth_may_look_at_what_is_declared_alone(attribute, declared_as):
    class Peeker(LookaheadStrategy):
        sees = frozenset({"open", "upper", "fifty"} - {declared_as})

        def worth(self, cards):
            return getattr(cards, attribute) * np.ones(len(cards))

    assert f"peeker: it reads `{attribute}`" in refusal(Peeker())


@pytest.mark.parametrize(("attribute", "declared_as"), list(LOOKS.items())[:5])
def test_a_single_game_strategy_may_look_at_what_is_declared_alone(attribute, declared_as):
    class Peeker(SingleGameStrategy):
        sees = frozenset({"open", "upper", "fifty"} - {declared_as})

        def keep_one(self, dice, rolls_left, card):
            getattr(card, attribute)
            return dice

    message = refusal(Peeker(), YARDZEE)
    assert f"peeker: it reads `{attribute}`" in message
    assert "rolls left 2" in message


def test_dice_points_and_rules_may_always_be_read():
    class Modest(Plain):
        sees = frozenset()

        def category(self, turn):
            assert turn.rules is OFFICIAL
            assert turn.counts.sum() == 5 * len(turn)
            return turn.points.argmax(axis=1)

    np.testing.assert_array_equal(played(Modest()), played(Plain()))


@pytest.mark.parametrize("sees", [frozenset({"opne"}), "open", ["open"], None, frozenset({1})])
def test_an_unknown_word_in_sees_is_refused(sees):
    odd = type("Odd", (Plain,), {"sees": sees})
    with pytest.raises(
        StrategyError, match=r"Odd.sees is a frozenset out of fifty, luck, open, riv"
    ):
        odd()


# --- single games -----------------------------------------------------------------------------


class One(SingleGameStrategy):
    """One game at a time, for others to spoil."""

    sees = frozenset({"open"})

    def keep_one(self, dice, rolls_left, card):
        return [d for d in dice if d == dice[4]]

    def category_one(self, dice, card):
        legal = card.legal(dice)
        return max(legal, key=legal.get)


def test_a_single_game_strategy_plays_the_games_of_its_twin_in_arrays():
    for rule_set in list_rules().values():
        np.testing.assert_array_equal(played(One(), rule_set), played(Plain(), rule_set))


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        (None, "it gave None"),
        (3, "it gave 3"),
        (2.5, "it gave 2.5"),
        ((7,), r"it gave \(7,\)"),
        ((0, 1, 0, 1, 1), r"it gave \(0, 1, 0, 1, 1\)"),
        ((False, True, False, False, True), r"it gave \(False, True, False, False, True\)"),
        ((1.0,), r"it gave \(1.0,\)"),
        ("x", "it gave 'x'"),
        ((1, 1, 1, 1, 1, 1), r"it gave \(1, 1, 1, 1, 1, 1\), which is not among the dice"),
        ((1, 2, 3, 4, 5, 6), r"which is not among the dice"),
        ((1, 1, 1, 1, 6), r"which is not among the dice"),
        (Category.ONES, "it gave <Category.ONES: 0>"),
        (np.array([[1]]), "it gave array"),
    ],
)
def test_a_keep_of_faces_that_are_not_there_is_refused(answer, wrong):
    class Odd(One):
        def keep_one(self, dice, rolls_left, card):
            return answer

    message = refusal(Odd())
    assert message.startswith("odd: keep_one gives the faces kept, such as (3, 3, 3); ")
    assert re.search(wrong, message)
    assert re.search(
        r"; card: filled nothing; upper total 0; dice \d( \d){4}, rolls left 2$", message
    )


@pytest.mark.parametrize(
    "keep",
    [
        lambda dice: list(dice),
        lambda dice: dice[::-1],
        lambda dice: np.array(dice),
        lambda dice: "".join(map(str, dice)),
        lambda dice: (d for d in dice),
    ],
)
def test_faces_kept_may_come_in_any_order_and_form(keep):
    class Stands(One):
        def keep_one(self, dice, rolls_left, card):
            return keep(dice)

    class StandsInArrays(Plain):
        def keep(self, turn):
            return np.ones(turn.dice.shape, bool)

    np.testing.assert_array_equal(played(Stands(), n=8), played(StandsInArrays(), n=8))


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        (None, "category_one gives a Category, its name or its number; it gave None"),
        ("sevens", "category_one gives a Category, its name or its number; it gave 'sevens'"),
        (13, "it gave 13"),
        (-1, "it gave -1"),
        (2.0, "it gave 2.0"),
        (True, "it gave True"),
        (np.array([12]), r"it gave array\(\[12\]\)"),
        (np.array([1, 2]), r"it gave array\(\[1, 2\]\)"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_a_category_that_does_not_exist_is_refused(answer, wrong):
    class Odd(One):
        def category_one(self, dice, card):
            return answer

    message = refusal(Odd())
    assert re.search(wrong, message)
    assert re.search(
        r"; card: filled nothing; upper total 0; dice \d( \d){4}, rolls left 0$", message
    )


@pytest.mark.parametrize(
    "answer",
    [Category.CHANCE, 12, np.int64(12), "chance", "Chance", " CHANCE ", Category.CHANCE.label],
)
def test_a_filled_box_is_refused_whatever_it_is_called(answer):
    class Gambler(One):
        def category_one(self, dice, card):
            return answer

    assert "gambler: it scored in chance, which is filled; allowed: ones, " in refusal(Gambler())


def test_a_single_game_box_that_the_joker_rule_forbids_is_refused():
    class Stubborn(One):
        def keep_one(self, dice, rolls_left, card):
            return [d for d in dice if d == max(dice, key=dice.count)]

        def category_one(self, dice, card):
            return "yahtzee" if Category.YAHTZEE in card.open else card.open[-1]

    message = refusal(Stubborn(), n=500)
    assert "which is open, but the roll may not go there; allowed: " in message


def test_what_a_single_game_strategy_raises_is_told_with_card_and_dice():
    class Fussy(One):
        def keep_one(self, dice, rolls_left, card):
            if dice.count(6) == 3 and rolls_left == 1 and card.round == 2:
                raise KeyError("three\nsixes")
            return super().keep_one(dice, rolls_left, card)

    message = refusal(Fussy(), n=500)
    assert message.startswith(r"fussy: keep_one(…) raised KeyError: 'three\nsixes'; card: filled ")
    assert re.search(r"dice \d \d 6 6 6, rolls left 1$", message)


def test_a_single_game_strategy_without_an_answer_is_told_so():
    class Silent(SingleGameStrategy):
        pass

    assert "Silent does not define keep_one(dice, rolls_left, card)" in refusal(Silent())


def test_a_single_game_strategy_is_asked_once_a_situation():
    asked = []

    class Counting(One):
        def keep_one(self, dice, rolls_left, card):
            asked.append((dice, rolls_left, card.open))
            return super().keep_one(dice, rolls_left, card)

    games = played(Counting(), n=300)
    assert len(asked) == len(set(asked))
    assert {type(die) for dice, _, _ in asked for die in dice} == {int}
    calls = len(asked)
    np.testing.assert_array_equal(played(Counting(), n=300), games)
    assert len(asked) == calls


# --- the worth of a card ----------------------------------------------------------------------


class Dreamer(LookaheadStrategy):
    """Worth something by card, for others to wrap."""

    def worth(self, cards):
        return 15.0 * cards.open.sum(axis=1) + 20 * cards.fifty - cards.to_bonus / 3


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        (lambda cards: np.zeros(len(cards) - 1), "it gave float64 of shape"),
        (lambda cards: np.zeros((len(cards), 1)), "it gave float64 of shape"),
        (lambda cards: cards.open, "it gave bool of shape"),
        (lambda cards: np.zeros(len(cards), complex), "it gave complex128 of shape"),
        (lambda cards: np.full(len(cards), "1"), "it gave <U1 of shape"),
        (lambda cards: np.zeros(len(cards), object), "it gave array"),
        (lambda cards: 0.0, "it gave 0.0"),
        (lambda cards: None, "it gave None"),
        (lambda cards: [[1.0], [1.0, 2.0]], "it gave "),
    ],
)
def test_a_worth_is_one_number_a_card(answer, wrong):
    class Values(LookaheadStrategy):
        def worth(self, cards):
            return answer(cards)

    message = refusal(Values())
    assert "worth(cards) gives a number a card, floats of shape (536320,); it gave" in message
    assert wrong in message


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_worth_that_is_no_number_is_refused_with_its_card(bad):
    class Values(LookaheadStrategy):
        def worth(self, cards):
            only_sixes = cards.open[:, 5] & (cards.round == 13) & (cards.upper == 40)
            return np.where(only_sixes & cards.fifty, bad, 1.0)

    message = refusal(Values())
    assert message == (
        f"values: worth(cards) gives finite numbers; it gave {bad} for the card: "
        "open sixes; upper total 40, 50 in the Yahtzee box"
    )


def test_a_worth_that_raises_is_refused():
    class Values(LookaheadStrategy):
        def worth(self, cards):
            raise MemoryError("so many\ncards")

    assert refusal(Values()) == "values: worth(…) raised MemoryError: so many cards"


def test_a_lookahead_strategy_without_a_worth_is_told_so():
    class Silent(LookaheadStrategy):
        pass

    assert "Silent does not define worth(cards)" in refusal(Silent())


def test_a_worth_may_be_given_in_whole_or_short_numbers():
    class Doubles(LookaheadStrategy):
        def worth(self, cards):
            return 10.0 * cards.open.sum(axis=1)

    class Shorts(LookaheadStrategy):
        def worth(self, cards):
            return (10 * cards.open.sum(axis=1)).astype(np.int16)

    class Floats(LookaheadStrategy):
        def worth(self, cards):
            return 10 * cards.open.sum(axis=1).astype(np.float32)

    expected = played(Doubles())
    np.testing.assert_array_equal(played(Shorts()), expected)
    np.testing.assert_array_equal(played(Floats()), expected)


def test_a_worth_is_asked_once_a_rule_set_for_all_cards_with_a_box_open():
    asked = []

    class Counting(LookaheadStrategy):
        def worth(self, cards):
            assert cards.open.any(axis=1).all()
            assert cards.upper.max() == cards.rules.upper_bonus_threshold
            asked.append((cards.rules.name, len(cards)))
            return np.zeros(len(cards))

    for _ in range(2):
        for name in ("official", "plain"):
            played(Counting(), rules(name))
    assert asked == [("official", 536_320), ("plain", 536_320)]


def test_a_lookahead_plays_exactly_however_little_of_the_card_its_worth_looks_at():
    """A worth of nothing looks at nothing: still the hundred and the 35 of the turn count."""

    class Greedy(LookaheadStrategy):
        def worth(self, cards):
            return np.zeros(len(cards))

    class Blind(Greedy):
        sees = frozenset({"open"})

    np.testing.assert_array_equal(played(Blind(), n=2_000), played(Greedy(), n=2_000))


# --- parameters -------------------------------------------------------------------------------


def test_an_array_as_a_parameter_is_refused_when_the_class_is_made():
    message = r"Heavy.weights: a parameter cannot be an array .* use a tuple"
    with pytest.raises(StrategyError, match=message):

        class Heavy(Strategy):
            weights: Any = np.zeros(13)

    with pytest.raises(StrategyError, match=message):

        class Heavy(LookaheadStrategy):
            weights: NDArray[np.float64]

    with pytest.raises(StrategyError, match=message):

        class Heavy(SingleGameStrategy):
            weights: np.ndarray | None = None


def test_an_array_in_a_class_constant_is_no_parameter():
    @dataclass(frozen=True)
    class Tabled(Plain):
        table: ClassVar[np.ndarray] = np.arange(13)
        other: ClassVar[NDArray] = np.arange(13)
        target: int = 4

    assert Tabled().parameters == {"target": 4}


@pytest.mark.parametrize(
    "value",
    [[1, 2], {1: 2}, {1}, np.arange(3), (1, [2]), object(), len, Plain],
    ids=lambda value: type(value).__name__,
)
def test_a_parameter_is_a_value(value):
    @dataclass(frozen=True)
    class Weighs(Plain):
        weights: Any = ()

    message = r"Weighs.weights: a parameter is a number, a string, a boolean, a tuple of these or"
    with pytest.raises(StrategyError, match=message):
        Weighs(value)


@pytest.mark.parametrize(
    "value", [1, 2.5, "x", True, None, (), (1, (2.0, "y")), np.int64(3), np.float64(0.5), Plain()]
)
def test_values_are_parameters(value):
    @dataclass(frozen=True)
    class Weighs(Plain):
        weights: Any = ("default",)

    assert Weighs(value).weights == value
    assert hash(Weighs(value)) == hash(Weighs(value))
    assert Weighs(value) == Weighs(value) != Weighs()


def test_a_list_made_anew_for_each_strategy_is_refused():
    @dataclass(frozen=True)
    class Weighs(Plain):
        weights: list = field(default_factory=list)

    with pytest.raises(StrategyError, match=r"a parameter is a number.*, not list"):
        Weighs()


@pytest.mark.parametrize("kind", [Plain, One, Dreamer])
def test_fields_without_dataclass_are_refused(kind):
    class Forgotten(kind):
        target: int = 4

    message = (
        r"Forgotten has the field 'target' but is no dataclass; write @dataclass\(frozen=True\)"
    )
    with pytest.raises(StrategyError, match=message):
        Forgotten()


def test_fields_without_dataclass_are_refused_at_the_table_if_not_before():
    class Sly(Plain):
        target: int = 4

        def __post_init__(self):
            """Without the checks of the base class."""

    with pytest.raises(StrategyError, match="has the field 'target' but is no dataclass"):
        decider(Sly(), OFFICIAL, 8)


def test_names_and_labels():
    @dataclass(frozen=True)
    class ChasesSixes(Plain):
        target: int = 6
        greed: float = 0.5
        weights: tuple = (1, 2)
        inner: Any = None

    @dataclass(frozen=True)
    class Named(Plain):
        name = "the-one"

    assert ChasesSixes.name == "chases-sixes"
    assert ChasesSixes().label == "chases-sixes"
    assert ChasesSixes(5).label == "chases-sixes,target=5"
    assert ChasesSixes(5, greed=0.25).label == "chases-sixes,target=5,greed=0.25"
    assert ChasesSixes(weights=(3, 4)).label == "chases-sixes,weights=(3,4)"
    assert ChasesSixes(inner=Plain()).label == "chases-sixes,inner=plain"
    nested = ChasesSixes(inner=ChasesSixes(5))
    assert nested.label == "chases-sixes,inner=(chases-sixes,target=5)"
    assert nested.parameters == {
        "target": 6,
        "greed": 0.5,
        "weights": [1, 2],
        "inner": "chases-sixes,target=5",
    }
    assert Named().label == Named.name == "the-one"


def test_strategies_with_other_parameters_do_not_share_their_tables():
    @dataclass(frozen=True)
    class Keeps(Plain):
        face: int = 6

        def keep(self, turn):
            return turn.dice == self.face

    games = {face: played(Keeps(face)) for face in (6, 1, 6, 1)}
    assert (games[6][15] != games[1][15]).any()
    np.testing.assert_array_equal(games[6], played(Keeps(6), direct=True))
    np.testing.assert_array_equal(games[1], played(Keeps(1), direct=True))


# --- what only a batch can be shown -----------------------------------------------------------


@pytest.mark.parametrize("kind", [Dreamer, One])
@pytest.mark.parametrize("beyond", ["total", "rivals", "luck"])
def test_only_a_strategy_in_arrays_can_see_beyond_the_card(kind, beyond):
    class Greedy(kind):
        sees = frozenset({"open", beyond})

    message = refusal(Greedy())
    assert f"greedy: only a Strategy can see {beyond}" in message
    expected = "LookaheadStrategy" if kind is Dreamer else "SingleGameStrategy"
    assert f"a {expected} is shown the card alone" in message


@pytest.mark.parametrize(
    ("sees", "name", "tabulated"),
    [
        ({"open"}, "official", True),
        ({"open"}, "yardzee", True),
        (set(), "official", True),
        ({"open", "fifty"}, "official", True),
        ({"open", "upper"}, "official", False),
        ({"open", "upper", "fifty"}, "official", False),
        ({"open", "luck"}, "official", False),
        ({"open", "total"}, "official", False),
        ({"open", "rivals"}, "yardzee", False),
    ],
)
def test_who_is_tabulated(sees, name, tabulated):
    strategy = type("Sees", (Plain,), {"sees": frozenset(sees)})()
    assert is_tabulated(strategy, rules(name)) == tabulated
    assert is_tabulated(One(), rules(name))
    assert is_tabulated(Dreamer(), rules(name))


# --- the key of a table -----------------------------------------------------------------------


@pytest.mark.parametrize("name", list_rules())
def test_under_yardzee_a_table_by_open_boxes_is_by_the_fifty_as_well(name):
    key = {"open", "fifty"} if name == "yardzee" else {"open"}
    assert key_of(Plain(), rules(name)) == key
    assert key_of(One(), rules(name)) == key
    rows = Rows(Plain(), rules(name))
    assert len(rows.cards) == 8192 * (2 if name == "yardzee" else 1)


class LastBox(Strategy):
    """Scores in the last box of the sheet that the roll may go to."""

    sees = frozenset({"open"})

    def keep(self, turn):
        return turn.dice == turn.dice[:, :1]

    def category(self, turn):
        return 12 - (turn.points[:, ::-1] >= 0).argmax(axis=1)


class LastBoxOne(SingleGameStrategy):
    """The same in plain Python."""

    sees = frozenset({"open"})

    def keep_one(self, dice, rolls_left, card):
        return [d for d in dice if d == dice[0]]

    def category_one(self, dice, card):
        return max(card.legal(dice))


@pytest.mark.parametrize("strategy", [LastBox(), LastBoxOne()], ids=["arrays", "single games"])
def test_a_further_five_of_a_kind_goes_elsewhere_after_a_fifty_than_after_a_zero(strategy):
    """Under yardzee, with fours and chance open: with 50 to the fours, else wherever one likes."""
    filled = 8191 ^ (1 << Category.FOURS | 1 << Category.CHANCE)
    codes = np.array([encode(filled, 30, 1), encode(filled, 30, 0)])
    fours = np.full(2, ROLLS.index((4,) * 5))
    rows = Rows(strategy, YARDZEE)
    assert rows.answers(codes, fours, 0).tolist() == [Category.FOURS, Category.CHANCE]
    assert rows.answers(codes[::-1].copy(), fours, 0).tolist() == [Category.CHANCE, Category.FOURS]
    others = np.full(2, ROLLS.index((4, 4, 4, 4, 5)))
    assert rows.answers(codes, others, 0).tolist() == [Category.CHANCE] * 2
    official = Rows(strategy, OFFICIAL)
    assert official.answers(codes, fours, 0).tolist() == [Category.FOURS] * 2


@pytest.mark.parametrize("name", list_rules())
def test_tabulated_direct_and_single_game_players_agree_on_further_fives_of_a_kind(name):
    tabulated = played(LastBox(), rules(name), n=800)
    np.testing.assert_array_equal(played(LastBox(), rules(name), n=800, direct=True), tabulated)
    np.testing.assert_array_equal(played(LastBoxOne(), rules(name), n=800), tabulated)


@pytest.mark.parametrize("strategy", [Plain(), One(), Dreamer()], ids=lambda s: s.label)
def test_rows_answer_the_same_whichever_card_is_asked_first(strategy):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 8191, 60) << 8 | rng.integers(0, 64, 60) << 1
    rolls = rng.integers(0, 252, 60)
    at_once, backwards = Rows(strategy, OFFICIAL), Rows(strategy, OFFICIAL)
    for rolls_left in (2, 1, 0):
        one_by_one = [
            backwards.answers(codes[i : i + 1], rolls[i : i + 1], rolls_left)[0]
            for i in range(59, -1, -1)
        ]
        assert at_once.answers(codes, rolls, rolls_left).tolist() == one_by_one[::-1]


# --- wrappers ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wrapper(Strategy):
    """Does what another strategy does."""

    inner: Any = None

    def keep(self, turn):
        return self.inner.keep(turn)

    def category(self, turn):
        return self.inner.category(turn)


@dataclass(frozen=True)
class NarrowWrapper(Wrapper):
    """The same, looking at open boxes alone."""

    sees = frozenset({"open"})


@both_ways
@pytest.mark.parametrize("inner", [Plain(), One(), Dreamer()], ids=lambda s: s.label)
@pytest.mark.parametrize("name", ["official", "yardzee"])
def test_a_wrapper_plays_the_games_of_what_it_wraps(inner, name, direct):
    # tabulated, a single-game strategy is asked for all 252 rolls of every card that comes by
    n = 2 if isinstance(inner, One) and not direct else 48
    wrapped = played(Wrapper(inner), rules(name), n=n, direct=direct)
    np.testing.assert_array_equal(wrapped, played(inner, rules(name), n=n))


@both_ways
@pytest.mark.parametrize(
    "inner", [Plain(), One(), Wrapper(One()), Wrapper(Plain())], ids=lambda s: s.label
)
def test_a_wrapper_that_looks_at_open_boxes_alone_wraps_whoever_looks_at_no_more(inner, direct):
    for rule_set in (OFFICIAL, YARDZEE):
        wrapped = played(NarrowWrapper(inner), rule_set, n=12, direct=direct)
        np.testing.assert_array_equal(wrapped, played(inner, rule_set, n=12))


@both_ways
def test_a_wrapper_of_a_wrapper(direct):
    nested = Wrapper(Wrapper(Wrapper(Dreamer())))
    np.testing.assert_array_equal(played(nested, n=16, direct=direct), played(Dreamer(), n=16))


@both_ways
@pytest.mark.parametrize("kind", [Dreamer, One])
def test_a_wrapper_declares_all_that_the_wrapped_look_at(kind, direct):
    class Inner(kind):
        sees = frozenset({"open", "upper", "fifty"})

    message = refusal(NarrowWrapper(Inner()), direct=direct)
    assert "it asks inner, which looks at fifty, upper: add that to its own `sees`" in message


@both_ways
def test_a_wrapped_rule_of_thumb_sees_what_the_wrapper_declares(direct):
    class Inner(Plain):
        sees = frozenset({"open", "upper"})

        def keep(self, turn):
            return super().keep(turn) & (turn.upper >= 0)[:, None]

    message = refusal(NarrowWrapper(Inner()), direct=direct)
    assert "it reads `upper`, which it does not declare" in message


def test_what_a_wrapped_strategy_does_wrong_is_told():
    class Odd(One):
        def keep_one(self, dice, rolls_left, card):
            return (7,)

    message = refusal(Wrapper(Odd()), direct=True)
    assert "wrapper,inner=odd: odd: keep_one gives the faces kept" in message


def test_a_wrapper_may_change_its_mind():
    @dataclass(frozen=True)
    class Hasty(Wrapper):
        def keep(self, turn):
            keep = self.inner.keep(turn).copy()
            keep[turn.points.max(axis=1) >= 25] = True
            return keep

    class HastyDreamer(Wrapper):
        """The same by hand, of Dreamer's own masks."""

        def keep(self, turn):
            codes, rolls = turn._codes, turn._rolls.astype(int)
            masks = Rows(Dreamer(), OFFICIAL).answers(codes, rolls, turn.rolls_left)
            keep = (masks[:, None] >> np.arange(5) & 1).astype(bool)
            return keep | (turn.points.max(axis=1) >= 25)[:, None]

    expected = played(HastyDreamer(Dreamer()), n=8)
    np.testing.assert_array_equal(played(Hasty(Dreamer()), n=8), expected)


# --- the turn that is asked -------------------------------------------------------------------


def test_a_row_of_a_turn_shows_what_the_turn_shows():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 8191, 40) << 8 | rng.integers(0, 64, 40) << 1
    turn = make_turn(Wrapper(Plain()), OFFICIAL, codes, rng.integers(0, 252, 40), 1)
    for i in (0, 17, 39):
        row = turn._row(i)
        assert len(row) == 1
        assert row.rolls_left == 1
        for name in ("dice", "counts", "points", "open", "upper", "to_bonus", "fifty", "round"):
            np.testing.assert_array_equal(getattr(row, name)[0], getattr(turn, name)[i])


def test_check_parameters_accepts_the_strategies_of_this_file():
    for strategy in (Plain(), One(), Dreamer(), Wrapper(Plain()), LastBox(), LastBoxOne()):
        check_parameters(strategy)
        assert replace(strategy) == strategy
        assert hash(replace(strategy)) == hash(strategy)
