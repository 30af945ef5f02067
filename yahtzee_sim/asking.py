"""Asking a strategy, and checking what it answers: the one place where its code is called.

A wrong answer is a `StrategyError` of one line that names the strategy, the card and the dice, and
the game where it is played directly. Knows nothing of tables, games or dice streams.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.cards import FILLED_COUNT, N_CODES, Cards, reachable
from yahtzee_sim.categories import ALL_BOXES, COLUMNS, to_category
from yahtzee_sim.dice import KEEPS, faces_of, keep_number, mask_of_keep
from yahtzee_sim.errors import StrategyError, YahtzeeError
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.scoring import OPEN_OF_FILLED, scoring
from yahtzee_sim.strategy_types import (
    AnyStrategy,
    Card,
    LookaheadStrategy,
    SingleGameStrategy,
    Turn,
    faces_of_roll,
)


def ask(
    strategy: AnyStrategy, turn: Turn, game_of: Callable[[int], int] | None = None
) -> NDArray[np.uint8]:
    """A rule of thumb's answers, checked: masks of dice kept, or boxes.

    Parameters
    ----------
    strategy : Strategy
    turn : Turn
    game_of : callable, optional
        The number of the game that a row belongs to, for the message.

    Raises
    ------
    StrategyError
        Naming the strategy, the card, the dice, and the game where there is one.
    """
    question = "keep" if turn.rolls_left else "category"
    try:
        answer = getattr(strategy, question)(turn)
    except Exception as error:
        row = _first_that_raises(strategy, question, turn)
        where = _situation(turn, row, game_of) if row is not None else f"in a batch of {len(turn)}"
        raise StrategyError(f"{strategy.label}: {_reason(question, error)}; {where}") from error
    check = _checked_keep if turn.rolls_left else _checked_category
    try:
        return check(answer, turn)
    except _BadAnswer as bad:
        where = f"; {_situation(turn, bad.row, game_of)}" if bad.row is not None else ""
        raise StrategyError(f"{strategy.label}: {bad}{where}") from None


class _BadAnswer(Exception):
    def __init__(self, text: str, row: int | None = None):
        super().__init__(text)
        self.row = row


def _reason(question: str, error: Exception) -> str:
    if isinstance(error, StrategyError):
        return str(error)
    text = " ".join(str(error).split())
    return f"{question}(…) raised {type(error).__name__}{': ' if text else ''}{text}"


def _checked_keep(answer: Any, turn: Turn) -> NDArray[np.uint8]:
    keep = _as_array(answer)
    if keep.shape != (len(turn), 5) or keep.dtype != bool:
        raise _BadAnswer(
            f"keep(turn) gives booleans of shape ({len(turn)}, 5), a mask over turn.dice; it gave "
            f"{_described(answer, keep)}",
            0,
        )
    return np.packbits(keep, axis=1, bitorder="little")[:, 0]


def _checked_category(answer: Any, turn: Turn) -> NDArray[np.uint8]:
    boxes = _as_array(answer)
    if boxes.shape != (len(turn),) or boxes.dtype.kind not in "iu":
        raise _BadAnswer(
            f"category(turn) gives integers of shape ({len(turn)},), each 0 to 12; it gave "
            f"{_described(answer, boxes)}",
            0,
        )
    outside = np.flatnonzero((boxes < 0) | (boxes > 12))
    if outside.size:
        row = int(outside[0])
        raise _BadAnswer(f"category(turn) gave {boxes[row]}; a category is 0 to 12", row)
    paid = np.take_along_axis(turn.points, boxes[:, None].astype(np.intp), axis=1)[:, 0]
    closed = np.flatnonzero(paid < 0)
    if closed.size:
        row = int(closed[0])
        raise _BadAnswer(_not_allowed(int(boxes[row]), turn, row), row)
    return boxes.astype(np.uint8)


def _not_allowed(box: int, turn: Turn, row: int) -> str:
    allowed = [COLUMNS[i] for i in np.flatnonzero(turn.points[row] >= 0)]
    state = "is open, but the roll may not go there" if _is_open(turn, row, box) else "is filled"
    return f"it scored in {COLUMNS[box]}, which {state}; allowed: {', '.join(allowed)}"


def _is_open(turn: Turn, row: int, box: int) -> bool:
    return bool(OPEN_OF_FILLED[turn._codes[row] >> 8, box])


def _as_array(answer: Any) -> NDArray:
    try:
        return np.asarray(answer)
    except (ValueError, TypeError):  # rows of different lengths
        return np.empty((), dtype=object)


def _described(answer: Any, array: NDArray) -> str:
    if array.dtype == object or not isinstance(answer, np.ndarray | list | tuple):
        return repr(answer)[:80]
    return f"{array.dtype} of shape {array.shape}"


def _first_that_raises(strategy: AnyStrategy, question: str, turn: Turn) -> int | None:
    for row in range(len(turn)):
        try:
            getattr(strategy, question)(turn._row(row))
        except Exception:
            return row
    return None


def _situation(turn: Turn, row: int, game_of: Callable[[int], int] | None) -> str:
    card = describe_card(turn.rules, int(turn._codes[row]))
    dice = " ".join(map(str, faces_of_roll(turn._rolls[row])))
    game = f", game {game_of(row)}" if game_of else ""
    return f"card: {card}; dice {dice}, rolls left {turn.rolls_left}{game}"


def describe_card(rules: Rules, code: int) -> str:
    """A card in a few words: what is open (or filled, if that is shorter), upper total, Yahtzee."""
    filled = code >> 8
    count = int(FILLED_COUNT[filled])
    names = [COLUMNS[i] for i in range(13) if bool(filled >> i & 1) == (count <= 6)]
    boxes = ", ".join(names) if names else "nothing"
    upper = min(code >> 1 & 127, rules.upper_bonus_threshold)
    fifty = ", 50 in the Yahtzee box" if code & 1 else ""
    return f"{'filled' if count <= 6 else 'open'} {boxes}; upper total {upper}{fifty}"


# --- single games -----------------------------------------------------------------------------


def ask_one(
    strategy: SingleGameStrategy, rules: Rules, code: int, roll: int, rolls_left: int
) -> int:
    """A single-game strategy's answer, checked: the mask of dice kept, or the box."""
    dice = faces_of_roll(roll)
    card = Card(rules, code, strategy.sees)
    question = "keep_one" if rolls_left else "category_one"
    try:
        if rolls_left:
            answer: Any = strategy.keep_one(dice, rolls_left, card)
        else:
            answer = strategy.category_one(dice, card)
    except Exception as error:
        problem = _reason(question, error)
    else:
        try:
            check = _mask_of_faces if rolls_left else _allowed_box
            return check(answer, roll, rules, code)
        except YahtzeeError as error:
            problem = str(error)
    turn = Turn(rules, np.array([code]), np.array([roll]), rolls_left)
    raise StrategyError(f"{strategy.label}: {problem}; {_situation(turn, 0, None)}")


@cache
def _masks_of_faces(roll: int) -> dict[tuple[int, ...], int]:
    """The mask for each set of faces that can be kept of a roll."""
    masks = mask_of_keep()[roll]
    return {KEEPS[k]: int(masks[k]) for k in np.flatnonzero(masks < 32)}


def _mask_of_faces(answer: Any, roll: int, rules: Rules, code: int) -> int:
    if type(answer) in (tuple, list) and set(map(type, answer)) <= {int}:
        known = _masks_of_faces(roll).get(tuple(sorted(answer)))
        if known is not None:
            return known
    wrong = f"keep_one gives the faces kept, such as (3, 3, 3); it gave {answer!r}"
    try:
        faces = faces_of(answer)
    except YahtzeeError:
        raise StrategyError(wrong) from None
    mask = int(mask_of_keep()[roll, keep_number(faces)]) if len(faces) <= 5 else 255
    if mask == 255:
        raise StrategyError(f"{wrong}, which is not among the dice")
    return mask


def _allowed_box(answer: Any, roll: int, rules: Rules, code: int) -> int:
    try:
        box = to_category(answer)
    except YahtzeeError:
        raise StrategyError(
            f"category_one gives a Category, its name or its number; it gave {answer!r}"
        ) from None
    if box not in scoring(rules).legal(code >> 8, code & 1, roll):
        turn = Turn(rules, np.array([code]), np.array([roll]), 0)
        raise StrategyError(_not_allowed(box, turn, 0))
    return int(box)


# --- the worth of a lookahead strategy --------------------------------------------------------


def worth_by_code(strategy: LookaheadStrategy, rules: Rules) -> NDArray[np.float64]:
    """(2^21,): what a lookahead strategy thinks each card is worth, by its code; full cards 0.

    The strategy is asked once, for all cards with a box open, in ascending order of their codes.

    Raises
    ------
    StrategyError
        If it raises, or gives anything but one finite number a card.
    """
    codes = open_cards(rules)
    try:
        answer = strategy.worth(Cards(rules, codes, sees=frozenset(strategy.sees)))
    except Exception as error:
        raise StrategyError(f"{strategy.label}: {_reason('worth', error)}") from error
    worth = _as_array(answer)
    if worth.shape != codes.shape or worth.dtype.kind not in "fiu":
        raise StrategyError(
            f"{strategy.label}: worth(cards) gives a number a card, floats of shape "
            f"({len(codes)},); it gave {_described(answer, worth)}"
        )
    bad = np.flatnonzero(~np.isfinite(worth))
    if bad.size:
        raise StrategyError(
            f"{strategy.label}: worth(cards) gives finite numbers; it gave {worth[bad[0]]} for the "
            f"card: {describe_card(rules, int(codes[bad[0]]))}"
        )
    by_code = np.zeros(N_CODES)
    by_code[codes] = worth
    return by_code


@cache
def _open_cards(threshold: int) -> NDArray[np.int64]:
    codes = reachable(threshold)
    return codes[codes >> 8 != ALL_BOXES]


def open_cards(rules: Rules) -> NDArray[np.int64]:
    """Codes of all cards with a box open, ascending: 536,320 with the threshold at 63."""
    return _open_cards(rules.upper_bonus_threshold)
