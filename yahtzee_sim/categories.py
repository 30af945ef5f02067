"""The thirteen boxes of the sheet, in its order."""

from __future__ import annotations

from enum import IntEnum

from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.specs import unknown, whole


class Category(IntEnum):
    """A box of the score sheet; its number is its place on the sheet, 0 to 12."""

    ONES = 0
    TWOS = 1
    THREES = 2
    FOURS = 3
    FIVES = 4
    SIXES = 5
    THREE_OF_A_KIND = 6
    FOUR_OF_A_KIND = 7
    FULL_HOUSE = 8
    SMALL_STRAIGHT = 9
    LARGE_STRAIGHT = 10
    YAHTZEE = 11
    CHANCE = 12

    @property
    def column(self) -> str:
        """The name in frames, files and keywords: ``three_of_a_kind``."""
        return self.name.lower()

    @property
    def label(self) -> str:
        """The name for people: ``Three of a kind``."""
        return self.name.replace("_", " ").capitalize()

    def __str__(self) -> str:
        return self.column

    @property
    def is_upper(self) -> bool:
        """Whether the box is one of ones to sixes."""
        return self <= Category.SIXES


COLUMNS = tuple(c.column for c in Category)
UPPER = 0b111111
"""Bits of the six upper boxes in a mask of boxes."""
LOWER = ((1 << 13) - 1) ^ UPPER
ALL_BOXES = (1 << 13) - 1
YAHTZEE_BIT = 1 << Category.YAHTZEE


def to_category(value: object) -> Category:
    """A `Category` from itself, its number or its name (``"full house"``, ``"full_house"``)."""
    if isinstance(value, str):
        name = value.strip().upper().replace(" ", "_").replace("-", "_")
        if name in Category.__members__:
            return Category[name]
        raise YahtzeeError(unknown("category", value, COLUMNS))
    number = whole(value)
    if number is None or not 0 <= number <= 12:
        raise YahtzeeError(f"a category is a name or a number from 0 to 12, not {value!r}")
    return Category(number)
