"""What a strategy is: the three ways to write one, and what it is shown.

`Strategy` answers for a whole batch at once, `LookaheadStrategy` gives the worth of a card and
has its turns played exactly, `SingleGameStrategy` is plain Python for one game at a time. Knows
nothing of how games are driven: who asks a strategy, and checks what it answers, is
`yahtzee_sim.decisions`.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.cards import WHOLE_CARD, Cards, _read_only, refuse_unseen
from yahtzee_sim.categories import Category
from yahtzee_sim.dice import FIRST_WHOLE_KEEP, KEEPS, ROLL_COUNTS, ROLLS, roll_number
from yahtzee_sim.errors import StrategyError
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.scoring import open_boxes, scoring

BEYOND_THE_CARD = frozenset({"total", "rivals", "luck"})
"""What a strategy may look at only if it is asked game by game."""
SEEABLE = WHOLE_CARD | BEYOND_THE_CARD


class Rival(Cards):
    """Another player at the table: a batch of cards, and `total`, (n,) int32, so far."""

    total: NDArray[np.int32]

    def __init__(self, rules: Rules, codes: NDArray[np.int64], total: NDArray[np.int32]):
        super().__init__(rules, codes)
        self._set(total=_read_only(total))

    def _row(self, i: int) -> Rival:
        return Rival(self.rules, self._codes[i : i + 1], self.total[i : i + 1])


class Turn(Cards):
    """A batch of n decisions, all with the same number of rolls left; every array is read-only.

    Besides the attributes of `Cards`:

    Attributes
    ----------
    rolls_left : int
        2 or 1 when asked what to keep, 0 when asked where to score.
    dice : (n, 5) int32
        Ascending.
    roll : (n,) int32
        The number of the roll among the 252 of `yahtzee_sim.dice.ROLLS`, to look tables up by.
    counts : (n, 6) int32
        How many dice show each face.
    points : (n, 13) int32
        What each box itself would pay for the dice as they lie, without the upper bonus and the
        Yahtzee bonus; -1 where the roll may not go.
    total : (n,) int32
        Points so far, bonuses already earned included. Needs ``"total"`` in `sees`.
    rivals : tuple of Rival
        The other players, next to move first. Needs ``"rivals"`` in `sees`.
    """

    rolls_left: int

    def __init__(
        self,
        rules: Rules,
        codes: NDArray[np.int64],
        rolls: NDArray[np.integer],
        rolls_left: int,
        *,
        sees: frozenset[str] = WHOLE_CARD,
        total: NDArray[np.int32] | None = None,
        rivals: tuple[Rival, ...] = (),
        luck: Callable[[int], NDArray[np.float64]] | None = None,
        answers_of: Callable[[Any, Turn], NDArray] | None = None,
    ):
        super().__init__(rules, codes, sees=sees)
        self._set(rolls_left=rolls_left)
        self._rolls = rolls
        self._total = total
        self._rivals = rivals
        self._luck = luck
        self._answers_of = answers_of
        self._luck_calls = 0

    @cached_property
    def roll(self) -> NDArray[np.int32]:
        return _read_only(self._rolls.astype(np.int32))

    @cached_property
    def dice(self) -> NDArray[np.int32]:
        return _read_only(ROLLS[self._rolls])

    @cached_property
    def counts(self) -> NDArray[np.int32]:
        return _read_only(ROLL_COUNTS[self._rolls])

    @cached_property
    def points(self) -> NDArray[np.int32]:
        return _read_only(
            scoring(self.rules).options(self._codes >> 8, self._codes & 1, self._rolls)
        )

    @cached_property
    def total(self) -> NDArray[np.int32]:
        self._check_seen("total", "total")
        assert self._total is not None, "whoever plays a strategy that sees totals hands them over"
        return _read_only(self._total)

    @property
    def rivals(self) -> tuple[Rival, ...]:
        self._check_seen("rivals", "rivals")
        return self._rivals

    def random(self) -> NDArray[np.float64]:
        """(n,) floats in [0, 1): the only luck a strategy may use. Needs ``"luck"`` in `sees`.

        A function of seed, seat, game, round, rolls left and how many calls came before in this
        decision; independent of the dice.
        """
        self._check_seen("luck", "random()")
        assert self._luck is not None, "whoever plays a strategy that uses luck hands it over"
        self._luck_calls += 1
        return self._luck(self._luck_calls - 1)

    def _row(self, i: int) -> Turn:
        """The turn of one game of the batch alone."""
        one = slice(i, i + 1)
        luck = self._luck
        return Turn(
            self.rules,
            self._codes[one],
            self._rolls[one],
            self.rolls_left,
            sees=self._sees,
            total=None if self._total is None else self._total[one],
            rivals=tuple(rival._row(i) for rival in self._rivals),
            luck=None if luck is None else lambda call: luck(call)[one],
            answers_of=self._answers_of,
        )

    def _answer_of(self, strategy: Any) -> NDArray:
        assert self._answers_of is not None, "the decisions floor makes the turns it hands out"
        return self._answers_of(strategy, self)


@dataclass(frozen=True)
class _Strategy:
    """What the three kinds share: a name, what they look at, and parameters that are values."""

    name: ClassVar[str] = ""
    sees: ClassVar[frozenset[str]] = WHOLE_CARD

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in vars(cls):
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()
        for parameter, annotation in vars(cls).get("__annotations__", {}).items():
            default = vars(cls).get(parameter)
            text = annotation if isinstance(annotation, str) else repr(annotation)
            if "ClassVar" in text:
                continue
            if getattr(default, "default_factory", None) is np.ndarray or isinstance(
                default, np.ndarray
            ):
                _refuse_array(cls, parameter)
            if re.search(r"\b(ndarray|NDArray)\b", text):
                _refuse_array(cls, parameter)

    def __post_init__(self) -> None:
        check_parameters(self)

    def __reduce__(self) -> Any:
        module = sys.modules.get(type(self).__module__)
        source = vars(module).get("__yahtzee_source__") if module else None
        if module is None or source is None:
            return super().__reduce__()
        # A class of a user's file: another process loads the same source, whatever the file
        # holds by then.
        from yahtzee_sim.registry import rebuild

        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return rebuild, (module.__file__, source, type(self).__qualname__, values)

    @property
    def looks_at(self) -> frozenset[str]:
        """What its decisions depend on besides the dice; what who wraps it must see."""
        return frozenset(self.sees)

    @property
    def label(self) -> str:
        """The name, and the parameters that are not at their default: ``par,target=4``."""
        shown = [self.name or type(self).__name__]
        for f in fields(self):
            value = getattr(self, f.name)
            if value != f.default:
                shown.append(f"{f.name}={_shown(value)}")
        return ",".join(shown)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters as plain Python values, strategies among them by their label."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}


def _refuse_array(cls: type, parameter: str) -> None:
    raise StrategyError(
        f"{cls.__name__}.{parameter}: a parameter cannot be an array (it could be neither hashed "
        "nor compared); use a tuple"
    )


def _shown(value: Any) -> str:
    if isinstance(value, _Strategy):
        return f"({value.label})" if "," in value.label else value.label
    return str(value).replace(" ", "")


def _plain(value: Any) -> Any:
    if isinstance(value, _Strategy):
        return value.label
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    value = value.item() if isinstance(value, np.generic) else value
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value


def _is_value(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_is_value(v) for v in value)
    return value is None or isinstance(value, bool | int | float | str | np.number | _Strategy)


def check_parameters(strategy: _Strategy) -> None:
    """Refuse a strategy whose class or parameters are not what a strategy can have.

    Raises
    ------
    StrategyError
        For a field that is no value, a class with annotated fields that is no dataclass, an
        unknown word in `sees`.
    """
    cls = type(strategy)
    known = {f.name for f in fields(strategy)}
    taken = list(inspect.signature(cls.__init__).parameters)[1:]
    if taken != [f.name for f in fields(strategy) if f.init]:
        raise StrategyError(
            f"{cls.__name__} has an __init__ of its own; its parameters must be the fields of a "
            "frozen dataclass, so that two strategies can be told apart"
        )
    for base in cls.__mro__:
        for parameter, annotation in vars(base).get("__annotations__", {}).items():
            text = annotation if isinstance(annotation, str) else repr(annotation)
            if parameter not in known and "ClassVar" not in text and is_dataclass(cls):
                raise StrategyError(
                    f"{cls.__name__} has the field {parameter!r} but is no dataclass; "
                    "write @dataclass(frozen=True) above the class"
                )
    for f in fields(strategy):
        if not _is_value(getattr(strategy, f.name)):
            raise StrategyError(
                f"{cls.__name__}.{f.name}: a parameter is a number, a string, a boolean, a tuple "
                f"of these or another strategy, not {type(getattr(strategy, f.name)).__name__}"
            )
        _check_kind(cls, f.name, getattr(strategy, f.name), f.default)
    sees = strategy.sees
    if not isinstance(sees, frozenset | set) or not sees <= SEEABLE:
        raise StrategyError(
            f"{cls.__name__}.sees is a frozenset out of {', '.join(sorted(SEEABLE))}, not {sees!r}"
        )


def _check_kind(cls: type, name: str, value: Any, default: Any) -> None:
    """Refuse a parameter of another kind than its default, and numbers that are none."""
    kinds: list[tuple[Any, Any, str]] = [
        (bool, bool, "True or False"),
        (int, int | np.integer, "a whole number"),
        (float, int | float | np.number, "a number"),
        (str, str, "a string"),
    ]
    for kind, wanted, text in kinds:
        if isinstance(default, kind):
            if not isinstance(value, wanted) or (kind is not bool and isinstance(value, bool)):
                raise StrategyError(f"{cls.__name__}.{name} is {text}, not {value!r}")
            break
    for number in value if isinstance(value, tuple) else (value,):
        if isinstance(number, float | np.floating) and np.isnan(number):
            raise StrategyError(f"{cls.__name__}.{name} cannot be nan, which equals nothing")


@dataclass(frozen=True)
class Strategy(_Strategy):
    """Rules of thumb, on a whole batch of games at once.

    Subclass it, answer `keep` and `category`, and declare in `sees` what of the card it looks at
    (by default ``{"open", "upper", "fifty"}``; the dice and `points` may always be read). What
    looks at less plays faster. Parameters are the fields of a frozen dataclass.

    Examples
    --------
    >>> class Hasty(Strategy):
    ...     sees = frozenset({"open"})
    ...     def keep(self, turn):
    ...         return np.ones(turn.dice.shape, bool)       # keep everything
    ...     def category(self, turn):
    ...         return turn.points.argmax(axis=1)           # the box that pays most
    """

    def keep(self, turn: Turn) -> NDArray[np.bool_]:
        """Which of `turn.dice` to keep: (n, 5) booleans."""
        raise StrategyError(f"{type(self).__name__} does not define keep(turn)")

    def category(self, turn: Turn) -> NDArray[np.integer]:
        """Where to score: (n,) integers, 0 to 12."""
        raise StrategyError(f"{type(self).__name__} does not define category(turn)")


@dataclass(frozen=True)
class LookaheadStrategy(_Strategy):
    """A value function: what the rest of a card is thought to be worth.

    The turn is then played exactly: keeps and box maximise the expected points of this turn
    (the box, the Yahtzee bonus if paid, the upper bonus in the turn that reaches the threshold)
    plus `worth` of the card that is left. Worth 0 is the perfect one-turn greedy player.
    """

    def worth(self, cards: Cards) -> NDArray[np.floating]:
        """How many more points the rest of each card is thought to bring: (n,) floats.

        Upper and Yahtzee bonuses still to be earned included, those already paid not. Asked once
        per rule set, for all cards with a box open; a full card is worth 0.
        """
        raise StrategyError(f"{type(self).__name__} does not define worth(cards)")

    @property
    def looks_at(self) -> frozenset[str]:
        """The whole card: its turns are played for the bonuses, whatever `worth` looks at."""
        return WHOLE_CARD

    def keep(self, turn: Turn) -> NDArray[np.bool_]:
        """Which dice to keep; for strategies that wrap this one."""
        return turn._answer_of(self)

    def category(self, turn: Turn) -> NDArray[np.integer]:
        """Where to score; for strategies that wrap this one."""
        return turn._answer_of(self)


@dataclass(frozen=True)
class Card:
    """One card, as a `SingleGameStrategy` sees it.

    Attributes
    ----------
    rules : Rules
    open : tuple of Category
        The unfilled boxes, in the order of the sheet.
    upper, to_bonus : int
        Points in the upper boxes, capped at the threshold, and those missing for the bonus.
    fifty : bool
        Whether the Yahtzee box holds 50.
    round : int
        1 to 13.
    """

    rules: Rules
    _code: int = field(repr=False)
    _sees: frozenset[str] = field(default=WHOLE_CARD, repr=False)

    def _see(self, what: str, attribute: str) -> None:
        if what not in self._sees:
            refuse_unseen(what, attribute, self._sees)

    @property
    def open(self) -> tuple[Category, ...]:
        self._see("open", "open")
        return tuple(_CATEGORIES[box] for box in open_boxes(self._code >> 8))

    @property
    def round(self) -> int:
        self._see("open", "round")
        return (self._code >> 8).bit_count() + 1

    @property
    def upper(self) -> int:
        self._see("upper", "upper")
        return min(self._code >> 1 & 127, self.rules.upper_bonus_threshold)

    @property
    def to_bonus(self) -> int:
        self._see("upper", "to_bonus")
        return max(self.rules.upper_bonus_threshold - (self._code >> 1 & 127), 0)

    @property
    def fifty(self) -> bool:
        self._see("fifty", "fifty")
        return bool(self._code & 1)

    def legal(self, dice: Any) -> dict[Category, int]:
        """Every box that these five dice may go to, and what the box itself pays."""
        code = self._code
        legal = scoring(self.rules).legal(code >> 8, code & 1, roll_number(dice))
        return {_CATEGORIES[box]: points for box, points in legal.items()}


_CATEGORIES = tuple(Category)


@dataclass(frozen=True)
class SingleGameStrategy(_Strategy):
    """Plain Python for one game at a time: for teaching and quick ideas.

    Its answers are remembered by situation, so it must answer the same to the same question.

    Examples
    --------
    >>> class Sixes(SingleGameStrategy):
    ...     sees = frozenset({"open"})
    ...     def keep_one(self, dice, rolls_left, card):
    ...         return [d for d in dice if d == 6]
    ...     def category_one(self, dice, card):
    ...         legal = card.legal(dice)
    ...         return max(legal, key=legal.get)
    """

    def keep_one(self, dice: tuple[int, ...], rolls_left: int, card: Card) -> Any:
        """The faces kept, such as ``(3, 3, 3)``, in any order."""
        raise StrategyError(
            f"{type(self).__name__} does not define keep_one(dice, rolls_left, card)"
        )

    def category_one(self, dice: tuple[int, ...], card: Card) -> Category | str | int:
        """The box to score in: a `Category`, its name or its number."""
        raise StrategyError(f"{type(self).__name__} does not define category_one(dice, card)")

    def keep(self, turn: Turn) -> NDArray[np.bool_]:
        """Which dice to keep; for strategies that wrap this one."""
        return turn._answer_of(self)

    def category(self, turn: Turn) -> NDArray[np.integer]:
        """Where to score; for strategies that wrap this one."""
        return turn._answer_of(self)


AnyStrategy = Strategy | LookaheadStrategy | SingleGameStrategy


def faces_of_roll(roll: int) -> tuple[int, ...]:
    """The dice of a roll, ascending, as plain integers."""
    return KEEPS[FIRST_WHOLE_KEEP + int(roll)]


def is_strategy(value: object) -> bool:
    """Whether this is a strategy: an instance of one of the three kinds."""
    return isinstance(value, _Strategy)
