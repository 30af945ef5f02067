"""A card for people: points box by box, printed as a sheet, under the rules it is played by.

The card of the engine is an integer (`yahtzee_sim.cards`); this one keeps what each box holds, and
refuses points that its boxes never pay. Where a roll may go, and what it pays, it asks
`yahtzee_sim.scoring`. Knows nothing of strategies, seeds or games.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any

import numpy as np

from yahtzee_sim.cards import encode
from yahtzee_sim.categories import COLUMNS, Category, to_category
from yahtzee_sim.dice import ROLLS, roll_number
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.scoring import scoring
from yahtzee_sim.specs import unknown

_KEYWORDS = ("rules", *COLUMNS, "yahtzee_bonus")
_PAIR = re.compile(r"[\s,]*([^=,]*?)\s*=\s*([^\s,=]+)(?=[\s,]|$)")
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")


@dataclass(frozen=True, init=False, repr=False)
class Scorecard:
    """A score sheet at some moment of a game; it never changes, scoring makes a new one.

    Parameters
    ----------
    rules : str or Rules
        A rule set, as `yahtzee_sim.rules` takes it.
    yahtzee_bonus : int, optional
        The Yahtzee bonuses earned so far, in points: a hundred for each five of a kind rolled
        while the Yahtzee box held 50, whichever box it went to. 0 if not given.
    **boxes : int or None
        Points by box: ``ones`` to ``sixes``, ``three_of_a_kind``, ``four_of_a_kind``,
        ``full_house``, ``small_straight``, ``large_straight``, ``yahtzee``, ``chance``. A box that
        is not given, or None, is open; 0 is a box filled for nothing. ``yahtzee=150`` is the habit
        of writing the hundreds into the box: it is read as 50 and one Yahtzee bonus.

    Attributes
    ----------
    rules : Rules
    boxes : tuple of (int or None)
        The 13 boxes in the order of the sheet; ``boxes[Category.CHANCE]`` is one of them.
    yahtzee_bonus : int

    Raises
    ------
    YahtzeeError
        If the card cannot be: an unknown box, points that the box never pays, a Yahtzee bonus that
        is no multiple of the rules', lacks its 50, or is more than one for each other box filled.

    Examples
    --------
    >>> card = Scorecard(ones=3, yahtzee=50)
    >>> card.legal([4, 4, 4, 4, 4])
    {<Category.FOURS: 3>: 20}
    >>> card.score("fours", [4, 4, 4, 4, 4])
    Scorecard(rules='official', ones=3, fours=20, yahtzee=50, yahtzee_bonus=100)
    """

    rules: Rules
    boxes: tuple[int | None, ...]
    yahtzee_bonus: int

    def __init__(
        self,
        *,
        rules: str | Rules = "official",
        yahtzee_bonus: int | None = None,
        **boxes: int | None,
    ) -> None:
        rules = to_rules(rules)
        for name in boxes:
            if name not in COLUMNS:
                raise YahtzeeError(unknown("box", name, _KEYWORDS))
        points = {name: _whole(name, v) for name, v in boxes.items() if v is not None}
        bonus = None if yahtzee_bonus is None else _whole("yahtzee_bonus", yahtzee_bonus)
        beyond = points.get("yahtzee", 0) - 50
        if rules.yahtzee_bonus and beyond > 0 and beyond % rules.yahtzee_bonus == 0:
            if bonus not in (None, beyond):
                both = f"yahtzee={50 + beyond} is 50 and yahtzee_bonus={beyond}"
                raise YahtzeeError(f"{both}, not yahtzee_bonus={bonus}")
            points["yahtzee"], bonus = 50, beyond
        values = tuple(points.get(name) for name in COLUMNS)
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "boxes", values)
        object.__setattr__(self, "yahtzee_bonus", bonus or 0)
        for name, value, pays in zip(COLUMNS, values, _payable(rules), strict=True):
            if value is not None and value not in pays:
                raise YahtzeeError(f"{name}={_shown(value)} cannot be: it pays {_listed(pays)}")
        if bonus:
            self._check_yahtzee_bonus()

    def _check_yahtzee_bonus(self) -> None:
        # Each bonus filled a box after the 50. That the points of such a box be those of a five of
        # a kind is not asked: "3 in ones, and I have a hundred" is how people put a question about
        # the boxes still open, to which the answer is the same.
        each, box = self.rules.yahtzee_bonus, self.boxes[Category.YAHTZEE]
        most = each * (12 - len(self.open))
        if each == 0 or self.yahtzee_bonus % each:
            right = f"{_name(self.rules)} rules pay {f'{each} a time' if each else 'none'}"
        elif not self.fifty:
            right = f"it needs 50 in the Yahtzee box, which {'is open' if box is None else 'has 0'}"
        elif self.yahtzee_bonus > most:
            right = f"it is at most {most} here, {each} for each other box filled"
        else:
            return
        raise YahtzeeError(f"yahtzee_bonus={_shown(self.yahtzee_bonus)} cannot be: {right}")

    @classmethod
    def parse(cls, text: str, rules: str | Rules = "official") -> Scorecard:
        """The card that a line such as ``"ones=3, full house=25 yahtzee=150"`` describes.

        Parameters
        ----------
        text : str
            ``box=points`` with spaces or commas between, in any case; in a name, space, hyphen and
            underscore are the same. The names are the keywords of `Scorecard`.
        rules : str or Rules
            The rule set, unless the text names one: ``rules=yardzee``.

        Raises
        ------
        YahtzeeError
            If the text cannot be read, or the card cannot be.
        """
        if not isinstance(text, str):
            raise YahtzeeError(f"a card is text such as 'ones=3 yahtzee=50', not {_shown(text)}")
        if rest := _PAIR.sub(" ", text).strip(" \t\r\n,"):
            raise YahtzeeError(f"a card is text such as 'ones=3 yahtzee=50'; got {_shown(rest)}")
        given: dict[str, Any] = {}
        for label, value in _PAIR.findall(text):
            name = re.sub(r"[\s_-]+", "_", label.lower())
            if name in given:
                raise YahtzeeError(f"{name} is given twice, {given[name]} and {_shown(value)}")
            given[name] = int(value) if _NUMBER.fullmatch(value) else value.lower()
        return cls(**{"rules": rules} | given)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Scorecard:
        """The card of which `values` is the `to_dict`."""
        if not isinstance(values, Mapping):
            raise YahtzeeError(f"a card is a mapping of points by box, not {_shown(values)}")
        rules = values.get("rules", "official")
        rules = Rules.from_dict(dict(rules)) if isinstance(rules, Mapping) else rules
        return cls(**{str(name): value for name, value in values.items()} | {"rules": rules})

    def to_dict(self) -> dict[str, Any]:
        """The keywords that make this card, as plain Python values; open boxes are left out.

        ``rules`` is the name where the name says it all, otherwise all fields of the rule set.
        """
        rules = self.rules.name if _is_named(self.rules) else self.rules.to_dict()
        filled = {c.column: v for c, v in self._filled_boxes()}
        bonus = {"yahtzee_bonus": self.yahtzee_bonus} if self.yahtzee_bonus else {}
        return {"rules": rules, **filled, **bonus}

    @classmethod
    def from_json(cls, text: str) -> Scorecard:
        """The card of which `text` is the `to_json`."""
        try:
            values = json.loads(text)
        except (TypeError, ValueError):
            raise YahtzeeError(
                f'a card as JSON is such as {{"ones": 3}}, not {_shown(text)}'
            ) from None
        return cls.from_dict(values)

    def to_json(self) -> str:
        """`to_dict` as one line of JSON."""
        return json.dumps(self.to_dict())

    def legal(self, dice: Any) -> dict[Category, int]:
        """Every box that a roll may go to, and what the box itself pays for it.

        Parameters
        ----------
        dice : sequence of int, or str
            The five dice in any order, ``[3, 3, 3, 5, 6]`` or ``"33356"``.

        Returns
        -------
        dict of Category to int
            In the order of the sheet, without upper and Yahtzee bonus; empty on a full card.

        Raises
        ------
        YahtzeeError
            If they are not five dice.
        """
        code = np.array([self.code])
        options = scoring(self.rules).options(code >> 8, code & 1, np.array([roll_number(dice)]))[0]
        return {Category(c): int(points) for c, points in enumerate(options) if points >= 0}

    def score(self, category: Category | int | str, dice: Any) -> Scorecard:
        """The card after a roll is scored, the Yahtzee bonus added where it is due.

        Parameters
        ----------
        category : Category, int or str
            The box, by itself, its number or its name.
        dice : sequence of int, or str
            The five dice in any order.

        Raises
        ------
        YahtzeeError
            If the box is filled, or a joker rule sends the roll elsewhere.
        """
        category, roll = to_category(category), roll_number(dice)
        legal, held = self.legal(ROLLS[roll]), self.boxes[category]
        if category not in legal:
            why = f"{_name(self.rules)} rules" if held is None else f"filled with {held}"
            right = f"it may go to {', '.join(map(str, legal))}" if legal else "the card is full"
            shown = "".join(map(str, ROLLS[roll]))
            raise YahtzeeError(f"{shown} may not go to {category} ({why}): {right}")
        bonus = scoring(self.rules).yahtzee_bonus(np.array([self.fifty]), np.array([roll]))[0]
        filled = {c.column: v for c, v in self._filled_boxes()} | {category.column: legal[category]}
        return Scorecard(rules=self.rules, yahtzee_bonus=self.yahtzee_bonus + int(bonus), **filled)

    def _filled_boxes(self) -> Iterator[tuple[Category, int]]:
        return ((c, v) for c, v in zip(Category, self.boxes, strict=True) if v is not None)

    @property
    def open(self) -> tuple[Category, ...]:
        """The unfilled boxes, in the order of the sheet."""
        return tuple(c for c in Category if self.boxes[c] is None)

    @property
    def is_full(self) -> bool:
        """Whether all 13 boxes are filled."""
        return not self.open

    @property
    def round(self) -> int | None:
        """The round to be played, 1 to 13; None once the card is full."""
        return None if self.is_full else 14 - len(self.open)

    @property
    def fifty(self) -> bool:
        """Whether the Yahtzee box holds 50."""
        return self.boxes[Category.YAHTZEE] == 50

    @property
    def upper_total(self) -> int:
        """Points in the upper boxes, not capped, without the upper bonus."""
        return sum(v for c, v in self._filled_boxes() if c.is_upper)

    @property
    def upper_bonus(self) -> int:
        """The upper bonus in points once the threshold is reached, else 0."""
        return self.rules.upper_bonus * (self.upper_total >= self.rules.upper_bonus_threshold)

    @property
    def total(self) -> int:
        """All points so far, both bonuses included."""
        return sum(v for _, v in self._filled_boxes()) + self.upper_bonus + self.yahtzee_bonus

    @property
    def code(self) -> int:
        """The card as the integer of `yahtzee_sim.cards`, upper total capped at the threshold."""
        filled = sum(1 << c for c, _ in self._filled_boxes())
        upper = min(self.upper_total, self.rules.upper_bonus_threshold)
        return int(encode(filled, upper, self.fifty))

    def __repr__(self) -> str:
        shown = self.to_dict() | ({} if _is_named(self.rules) else {"rules": self.rules})
        return f"Scorecard({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def _sheet(self) -> list[list[tuple[str, str]]]:
        """The parts of the sheet, each its lines of name and number; an open box has a dot."""
        shown = ["·" if v is None else str(v) for v in self.boxes]
        lines = [(c.label, shown[c]) for c in Category]
        upper, threshold = self.upper_total, self.rules.upper_bonus_threshold
        decided = upper >= threshold or None not in self.boxes[:6]
        bonus = str(self.upper_bonus) if decided else "·"
        return [
            [*lines[:6], ("Upper total", f"{upper} of {threshold}"), ("Upper bonus", bonus)],
            [*lines[6:], ("Yahtzee bonus", str(self.yahtzee_bonus))],
            [("Total", str(self.total))],
        ]

    def __str__(self) -> str:
        parts = [[f"{label:<16}{number:>10}" for label, number in part] for part in self._sheet()]
        rule = "-" * 26
        return f"\n{rule}\n".join([f"Rules: {_name(self.rules)}", *map("\n".join, parts)])

    def _repr_html_(self) -> str:
        row = '<tr><th style="text-align:left">{}</th><td style="text-align:right">{}</td></tr>'
        parts = ("".join(row.format(*line) for line in part) for part in self._sheet())
        bodies = "".join(f"<tbody>{part}</tbody>" for part in parts)
        return f"<table><caption>Rules: {escape(_name(self.rules))}</caption>{bodies}</table>"


@lru_cache(maxsize=64)
def _payable(rules: Rules) -> tuple[tuple[int, ...], ...]:
    """For each box, all that it pays for any roll or joker, ascending."""
    return tuple(tuple(np.unique(column).tolist()) for column in scoring(rules).points.T)


def _whole(name: str, value: object) -> int:
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = -1
    if number < 0 or isinstance(value, bool):
        raise YahtzeeError(f"{name} is a whole number of points, 0 or more, not {_shown(value)}")
    return number


def _is_named(rules: Rules) -> bool:
    """Whether the name alone gives these rules back."""
    try:
        return to_rules(rules.name) == rules
    except (YahtzeeError, TypeError):
        return False


def _name(rules: Rules) -> str:
    return " ".join(rules.name.split())


def _shown(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def _listed(numbers: Iterable[int]) -> str:
    """``0, 2 or 4``, ``0 or 5 to 30``: a choice in words."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words = [f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    return " or ".join(", ".join(words).rsplit(", ", 1))
