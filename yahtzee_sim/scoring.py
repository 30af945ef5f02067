"""Where a roll may go and what it pays there: the one place that reads the rules.

The engine, the solver, advice, review and the cards for people all ask `Scoring.options`, or
index the arrays it is made of. Works on arrays of cards, given as the mask of filled boxes and
whether the Yahtzee box holds 50. Knows nothing of strategies, games, or the upper bonus, which
belongs to the card (`yahtzee_sim.cards`).
"""

from __future__ import annotations

from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.categories import ALL_BOXES, LOWER, YAHTZEE_BIT, Category
from yahtzee_sim.dice import FIVE_FACE, N_ROLLS, ROLL_COUNTS, ROLL_SUM
from yahtzee_sim.rulesets import Rules

N_VARIANTS = N_ROLLS + 6
"""The 252 rolls, and then the five of a kind of each face as a joker that pays in full."""
BOXES_OF_MASK = ((np.arange(8192)[:, None] >> np.arange(13)) & 1).astype(bool)
"""(8192, 13): the boxes in a mask; bit i is category i."""
OPEN_OF_FILLED = ~BOXES_OF_MASK
"""(8192, 13): the boxes that are open when those of the mask are filled."""


_FACES = FIVE_FACE.tolist()


@cache
def open_boxes(filled: int) -> tuple[int, ...]:
    """The boxes that are open when those of the mask are filled."""
    return tuple(box for box in range(13) if not filled >> box & 1)


def _points_of_rolls(rules: Rules) -> NDArray[np.int32]:
    """(258, 13): what each box pays for each roll, and for each joker."""
    counts, total = ROLL_COUNTS, ROLL_SUM
    most = counts.max(axis=1)
    present = counts > 0
    has_run = [
        np.any([present[:, f : f + length].all(axis=1) for f in range(7 - length)], axis=0)
        for length in (4, 5)
    ]
    full_house = (most == 3) & (counts == 2).any(axis=1)
    if rules.five_of_a_kind_is_full_house:
        full_house |= most == 5
    points = np.zeros((N_VARIANTS, 13), dtype=np.int32)
    rolls = points[:N_ROLLS]
    rolls[:, :6] = counts * np.arange(1, 7)
    rolls[:, Category.THREE_OF_A_KIND] = total * (most >= 3)
    rolls[:, Category.FOUR_OF_A_KIND] = total * (most >= 4)
    rolls[:, Category.FULL_HOUSE] = 25 * full_house
    rolls[:, Category.SMALL_STRAIGHT] = 30 * has_run[0]
    rolls[:, Category.LARGE_STRAIGHT] = 40 * has_run[1]
    rolls[:, Category.YAHTZEE] = 50 * (most == 5)
    rolls[:, Category.CHANCE] = total
    jokers = points[N_ROLLS:]
    jokers[:] = rolls[FIVE_FACE > 0]
    jokers[:, Category.FULL_HOUSE] = 25
    jokers[:, Category.SMALL_STRAIGHT] = 30
    jokers[:, Category.LARGE_STRAIGHT] = 40
    return points


def _first(*masks: NDArray[np.intp]) -> NDArray[np.intp]:
    """Elementwise, the first of the masks that is not empty; the last one if all are."""
    *firsts, chosen = masks
    for mask in reversed(firsts):
        chosen = np.where(mask, mask, chosen)
    return chosen


def _five_of_a_kind(rules: Rules, fifty: bool, face: int) -> tuple[NDArray, NDArray]:
    """For each of the 8,192 sets of filled boxes: where it may go, and whether it pays in full."""
    filled = np.arange(8192)
    open_boxes = ALL_BOXES ^ filled
    matching = open_boxes & (1 << (face - 1))
    lower = open_boxes & LOWER
    match rules.joker:
        case "none":
            allowed = open_boxes
        case "forced":
            allowed = _first(matching, lower, open_boxes)
        case "matching-first":
            allowed = _first(matching, open_boxes)
        case "matching-or-lower":
            allowed = _first(matching | lower, open_boxes)
        case "any":
            allowed = open_boxes
    is_joker = (filled & YAHTZEE_BIT) > 0
    if rules.joker == "none" or (rules.joker_needs_fifty and not fifty):
        is_joker[:] = False
    pays_in_full = is_joker & ((matching == 0) | (not rules.joker_needs_upper_filled))
    return np.where(is_joker, allowed, open_boxes), pays_in_full


class Scoring:
    """The tables of one rule set.

    Attributes
    ----------
    points : (258, 13) int32
        What each box pays for each of the 252 rolls; rows 252 to 257 are the fives of a kind of
        ones to sixes as jokers that pay in full.
    allowed : (2, 8192, 7) uint16
        By fifty, filled boxes and face of a five of a kind: the mask of boxes it may go to.
        Face 0, any other roll, may go to every open box.
    pays_in_full : (2, 8192, 7) bool
        Whether that five of a kind is scored by its joker row.
    """

    def __init__(self, rules: Rules):
        self.rules = rules
        self.points = _points_of_rolls(rules)
        self.allowed = np.empty((2, 8192, 7), dtype=np.uint16)
        self.pays_in_full = np.zeros((2, 8192, 7), dtype=bool)
        self.allowed[:, :, 0] = ALL_BOXES ^ np.arange(8192)
        for fifty in (0, 1):
            for face in range(1, 7):
                card = (fifty, slice(None), face)
                self.allowed[card], self.pays_in_full[card] = _five_of_a_kind(
                    rules, bool(fifty), face
                )
        for table in (self.points, self.allowed, self.pays_in_full):
            table.flags.writeable = False

    def options(
        self, filled: NDArray[np.integer], fifty: NDArray, roll: NDArray[np.integer]
    ) -> NDArray[np.int32]:
        """What each box would pay for a roll, and -1 where the roll may not go.

        Parameters
        ----------
        filled, fifty, roll : (n,) arrays
            Mask of filled boxes, whether the Yahtzee box holds 50, number of the roll.

        Returns
        -------
        (n, 13) int32
            The points of the box itself: without upper bonus and Yahtzee bonus.
        """
        options = np.where(OPEN_OF_FILLED[filled], self.points[roll], np.int32(-1))
        five = np.flatnonzero(FIVE_FACE[roll])
        if five.size:
            card = np.asarray(fifty)[five].astype(np.intp), filled[five], FIVE_FACE[roll[five]]
            variant = np.where(self.pays_in_full[card], N_ROLLS - 1 + card[2], roll[five])
            allowed = BOXES_OF_MASK[self.allowed[card]]
            options[five] = np.where(allowed, self.points[variant], np.int32(-1))
        return options

    @cached_property
    def fives(self) -> NDArray[np.int16]:
        """(2, 8192, 6, 13): `options` by fifty, filled boxes and face, for fives of a kind."""
        fifty, filled, face = np.meshgrid((0, 1), np.arange(8192), np.arange(6), indexing="ij")
        rolls = np.flatnonzero(FIVE_FACE)[face.ravel()]
        options = self.options(filled.ravel(), fifty.ravel(), rolls)
        return options.astype(np.int16).reshape(2, 8192, 6, 13)

    def legal(self, filled: int, fifty: int, roll: int) -> dict[int, int]:
        """`options` for one card and roll, as plain numbers: points by box it may go to."""
        face = _FACES[roll]
        if face:
            paid = self.fives[fifty, filled, face - 1].tolist()
            return {box: points for box, points in enumerate(paid) if points >= 0}
        paid = self._lists[roll]
        return {box: paid[box] for box in open_boxes(filled)}

    @cached_property
    def _lists(self) -> list[list[int]]:
        rows: list[list[int]] = self.points.tolist()
        return rows

    def yahtzee_bonus(self, fifty: NDArray, roll: NDArray[np.integer]) -> NDArray[np.int64]:
        """(n,): the bonus that a roll pays by itself, whichever box it goes to."""
        return np.where(
            (FIVE_FACE[roll] > 0) & np.asarray(fifty, bool), self.rules.yahtzee_bonus, 0
        )

    @property
    def fifty_matters(self) -> bool:
        """Whether `options` depends on fifty, not only on which boxes are filled."""
        differs = self.allowed[0] != self.allowed[1]
        differs |= self.pays_in_full[0] != self.pays_in_full[1]
        return bool(differs[(np.arange(8192) & YAHTZEE_BIT) > 0].any())


@cache
def _of_key(key: tuple) -> Scoring:
    return Scoring(Rules("", *key))


def scoring(rules: Rules) -> Scoring:
    """The tables of a rule set, made once."""
    return _of_key(rules.key)
