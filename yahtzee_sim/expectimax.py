"""One turn, played exactly: the values and decisions of three rolls for a batch of cards.

Arrays have one column per card: values by roll ``(252, m)``, expectations by keep ``(462, m)``.
The expectation of a keep is a sixth of the sum over its six one-die extensions; the best keep
within a roll is the better of itself and of what is left when one die goes. So both go level by
level through the sizes 0 to 5. Every column is computed by the same operations however many
stand beside it: the results do not depend on how cards are cut into batches.

Ties: values within `TIE` are equal. Among equal keeps most dice win, then the first in the order
of the 462; among equal boxes the first on the sheet.

Inside this module keeps are in an order of their own: by size, and within a size those with the
most different faces first, so that "every keep with at least j faces" is one slice. What leaves
the module is in the order of `yahtzee_sim.dice`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.cards import CODE_GAIN
from yahtzee_sim.categories import Category
from yahtzee_sim.dice import (
    FIRST_WHOLE_KEEP,
    FIVE_FACE,
    KEEP_OF_MASK,
    KEEP_SIZE,
    KEEPS,
    N_KEEPS,
    N_ROLLS,
    keep_number,
    mask_of_keep,
    transition_counts,
)
from yahtzee_sim.scoring import OPEN_OF_FILLED, Scoring

TIE = 1e-9
WIDTH = 256
"""Cards at a time: what numpy spends on a call is then shared by enough of them."""

_ORDER = np.array(sorted(range(N_KEEPS), key=lambda k: (len(KEEPS[k]), -len(set(KEEPS[k])), k)))
_PLACE = np.argsort(_ORDER)
_ROLL_ORDER = _ORDER[FIRST_WHOLE_KEEP:] - FIRST_WHOLE_KEEP
_ROLL_PLACE = np.argsort(_ROLL_ORDER)
_SIZES = np.array([len(KEEPS[k]) for k in _ORDER])
_LEVEL = [slice(*np.searchsorted(_SIZES, (size, size + 1))) for size in range(6)]
_EXTENSIONS = [
    np.array([[_PLACE[keep_number((*KEEPS[k], f))] for k in _ORDER[level]] for f in range(1, 7)])
    for level in _LEVEL[:5]
]
"""By size: (6, number of keeps): each keep with one more die of each face."""


def _without_one(size: int) -> list[NDArray[np.intp]]:
    """For j = 0, 1, …: what is left of each keep with more than j faces without its j-th face."""
    rest: list[list[int]] = [[] for _ in range(size)]
    for k in _ORDER[_LEVEL[size]]:
        faces = KEEPS[k]
        for j, face in enumerate(sorted(set(faces))):
            left = list(faces)
            left.remove(face)
            rest[j].append(_PLACE[keep_number(tuple(left))])
    return [np.array(r) for r in rest]


_ROLL_CHANCE = transition_counts()[0][_ROLL_ORDER] / 6**5
_REDUCTIONS = [_without_one(size) for size in range(6)]
_RANK = np.empty(N_KEEPS, dtype=np.int16)
"""How wanted each keep is among equals, 0 the most: most dice, then the order of the 462."""
_RANK[_PLACE[sorted(range(N_KEEPS), key=lambda k: (-len(KEEPS[k]), k))]] = np.arange(N_KEEPS)
_AT_RANK = np.argsort(_RANK)
_MASK_AT_RANK = mask_of_keep()[_ROLL_ORDER][:, _ORDER[_AT_RANK]]  # (252, 462)
_NEVER = np.int16(N_KEEPS)


_PLACE_OF_MASK = _PLACE[KEEP_OF_MASK]  # (252, 32)


def rolls_of_turn(decided: NDArray[np.uint8]) -> Iterator[NDArray[np.float64]]:
    """How a turn goes: the chance of every first, second and third roll under given decisions.

    Parameters
    ----------
    decided : (m, 3, 252) uint8
        Masks with 2 and with 1 roll left (and boxes, not looked at), by roll.

    Yields
    ------
    (252, m) float64
    """
    m = len(decided)
    column = np.arange(m)
    chance: Any = np.broadcast_to(_ROLL_CHANCE[_ROLL_PLACE][:, None], (N_ROLLS, m))
    yield chance
    for stage in (0, 1):
        keep = np.take_along_axis(_PLACE_OF_MASK, decided[:, stage].T.astype(np.intp), axis=1)
        weight = np.bincount(
            (keep * m + column).ravel(), weights=chance.ravel(), minlength=N_KEEPS * m
        ).reshape(N_KEEPS, m)
        for size in range(1, 6):  # the way back of `_expectations`: a sixth to each extension
            level = weight[_LEVEL[size]]
            below = weight[_LEVEL[size - 1]] * (1 / 6)
            for rest in _REDUCTIONS[size]:
                level[: len(rest)] += below[rest - _LEVEL[size - 1].start]
        chance = weight[FIRST_WHOLE_KEEP:][_ROLL_PLACE]
        yield chance


def best_chance(wins: NDArray[np.bool_], rolls: int) -> float:
    """The best chance of ending on one of the rolls `wins (252,)`, in 1 to 3 rolls."""
    value = wins.astype(float)
    throws = 6.0 ** (5 - KEEP_SIZE)
    for _ in range(rolls):
        chance = (transition_counts() @ value) / throws
        value = chance[KEEP_OF_MASK].max(axis=1)
    return float(chance[0])


def in_groups(
    codes: NDArray[np.int64],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.intp]]]:
    """Games by card, in groups of `WIDTH` different cards: (cards, games, column of each game)."""
    distinct, column = np.unique(codes, return_inverse=True)
    order = np.argsort(column, kind="stable")
    ends = np.searchsorted(column[order], np.arange(WIDTH, len(distinct) + WIDTH, WIDTH))
    start = 0
    for i, end in enumerate(ends.tolist()):
        games = order[start:end]
        first = i * WIDTH
        yield distinct[first : first + WIDTH], games, column[games] - first
        start = end


class Stages(NamedTuple):
    """What the decisions of the turns on m cards are worth: points from now on.

    Attributes
    ----------
    keeps : (2, 462, m) float64
        Of every keep, with 2 and with 1 rolls left.
    best : (3, 252, m) float64
        Of the best keep of every roll with 2 and with 1 rolls left, and of its best box.
    """

    keeps: NDArray[np.float64]
    best: NDArray[np.float64]


class Turns:
    """The turns of up to `WIDTH` cards at a time, under one rule set.

    Work arrays are allocated once; an instance serves one thread.

    Parameters
    ----------
    tables : Scoring
    """

    def __init__(self, tables: Scoring):
        self._tables = tables
        self._rules = tables.rules
        # For each box: its different outcomes (points, and what they add to a card's code), and
        # which of them each roll has. Few, so that few cards are looked up.
        self._outcomes = []
        for box in range(13):
            both = np.stack([tables.points[:N_ROLLS, box], CODE_GAIN[:, box]], axis=1)
            distinct, of_roll = np.unique(both, axis=0, return_inverse=True)
            self._outcomes.append((distinct[:, 0], distinct[:, 1], of_roll.ravel()[_ROLL_ORDER]))
        self._fives = np.flatnonzero(FIVE_FACE)
        self._five_places = _ROLL_PLACE[self._fives]
        self._five_gains = CODE_GAIN[self._fives].copy()  # (6, 13)
        self._five_gains[:, Category.YAHTZEE] |= 1
        self._room: dict[str, NDArray] = {}

    def _array(self, name: str, rows: int, m: int, dtype: type = np.float64) -> NDArray:
        """A work array (rows, m), in memory that is kept."""
        if name not in self._room:
            self._room[name] = np.empty(rows * WIDTH, dtype)
        return self._room[name][: rows * m].reshape(rows, m)

    def with_bonus(self, worth: NDArray[np.float64]) -> NDArray[np.float64]:
        """(2^21,): `worth` by code, plus the upper bonus for every code at the threshold.

        Reaching the threshold is then a difference of this array, and codes above the threshold
        read the card at the threshold.
        """
        threshold = self._rules.upper_bonus_threshold
        by_upper = worth.reshape(8192, 128, 2).copy()
        by_upper[:, threshold:] = by_upper[:, threshold : threshold + 1] + self._rules.upper_bonus
        return by_upper.reshape(-1)

    def start_values(
        self, codes: NDArray[np.int64], with_bonus: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """(m,): the expected points of each card from the start of a turn on."""
        m = len(codes)
        value = self._boxes(codes, with_bonus)[0]
        for _ in range(2):
            expected = self._expectations(value)
            value = self._best_within(expected)[FIRST_WHOLE_KEEP:]
        chance = np.multiply(value, _ROLL_CHANCE[:, None], out=self._array("scratch", N_ROLLS, m))
        n = N_ROLLS
        while n > 1:  # a sum in one fixed order, whatever m is
            half = n // 2
            chance[:half] += chance[n - half : n]
            n -= half
        return chance[0].copy()

    def decisions(
        self, codes: NDArray[np.int64], with_bonus: NDArray[np.float64]
    ) -> NDArray[np.uint8]:
        """(m, 3, 252): what to do with each roll: masks with 2 and with 1 roll left, and boxes."""
        rows = np.empty((len(codes), 3, N_ROLLS), dtype=np.uint8)
        value, boxes = self._boxes(codes, with_bonus, choose=True)
        rows[:, 2] = boxes[_ROLL_PLACE].T
        for stage in (1, 0):
            expected = self._expectations(value)
            best = self._best_within(expected)
            rows[:, stage] = self._choose_keeps(expected, best)[_ROLL_PLACE].T
            value = best[FIRST_WHOLE_KEEP:]
        return rows

    def stages(self, codes: NDArray[np.int64], with_bonus: NDArray[np.float64]) -> Stages:
        """What every decision of the turns on these cards is worth."""
        m = len(codes)
        found = Stages(np.empty((2, N_KEEPS, m)), np.empty((3, N_ROLLS, m)))
        value = self._boxes(codes, with_bonus)[0]
        np.take(value, _ROLL_PLACE, axis=0, out=found.best[2])
        for stage in (1, 0):
            expected = self._expectations(value)
            value = self._best_within(expected)[FIRST_WHOLE_KEEP:]
            np.take(expected, _PLACE, axis=0, out=found.keeps[stage])
            np.take(value, _ROLL_PLACE, axis=0, out=found.best[stage])
        return found

    def scored(
        self,
        codes: NDArray[np.int64],
        rolls: NDArray[np.integer],
        boxes: NDArray[np.integer],
        with_bonus: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Points from now on of scoring rolls in boxes where they may go; arrays of one shape."""
        face = FIVE_FACE[rolls]
        full = self._tables.pays_in_full[codes & 1, codes >> 8, face]
        variant = np.where(full, N_ROLLS - 1 + face, rolls)
        after = codes + CODE_GAIN[rolls, boxes]
        after |= (face > 0) & (boxes == Category.YAHTZEE)
        value = with_bonus[after]
        value += self._tables.points[variant, boxes]
        value += np.where((face > 0) & (codes & 1 > 0), self._rules.yahtzee_bonus, 0)
        paid = (codes >> 1 & 127) >= self._rules.upper_bonus_threshold
        value -= np.where(paid, self._rules.upper_bonus, 0)
        return value

    def keep_values(
        self, codes: NDArray[np.int64], with_bonus: NDArray[np.float64], rolls_left: int
    ) -> NDArray[np.float64]:
        """(462, m): the expected points from now on of each keep, with 2 or 1 rolls left."""
        value = self._boxes(codes, with_bonus)[0]
        for _ in range(rolls_left - 1):
            value = self._best_within(self._expectations(value))[FIRST_WHOLE_KEEP:]
        return self._expectations(value)[_PLACE]

    def keeps_before(self, value: NDArray[np.float64], rolls_left: int) -> NDArray[np.float64]:
        """(462, m): the expectation of each keep, with 2 or 1 rolls left, if `value` (252, m) is
        that of every last roll."""
        value = np.take(value, _ROLL_ORDER, axis=0)
        for _ in range(rolls_left - 1):
            value = self._best_within(self._expectations(value))[FIRST_WHOLE_KEEP:]
        return self._expectations(value)[_PLACE]

    def box_values(
        self, codes: NDArray[np.int64], with_bonus: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """(252, m): the best expected points from now on of scoring each roll."""
        return self._boxes(codes, with_bonus)[0][_ROLL_PLACE]

    def best_boxes(
        self, codes: NDArray[np.int64], with_bonus: NDArray[np.float64]
    ) -> NDArray[np.uint8]:
        """(252, m): the best box for each roll."""
        return self._boxes(codes, with_bonus, choose=True)[1][_ROLL_PLACE]

    def options(
        self, code: int, roll: int, with_bonus: NDArray[np.float64]
    ) -> list[tuple[int, int, float]]:
        """For one card and roll: every box it may go to, its points, and the expected points from
        now on of scoring there."""
        one = np.array([code])
        filled, fifty, rolls = one >> 8, one & 1, np.array([roll])
        paid = self._tables.options(filled, fifty, rolls)[0]
        extra = float(self._tables.yahtzee_bonus(fifty, rolls)[0])
        if (code >> 1 & 127) >= self._rules.upper_bonus_threshold:
            extra -= self._rules.upper_bonus
        found = []
        for box in np.flatnonzero(paid >= 0).tolist():
            after = code + CODE_GAIN[roll, box]
            after |= int(box == Category.YAHTZEE and paid[box] == 50)
            found.append((box, int(paid[box]), float(paid[box] + extra + with_bonus[after])))
        return found

    def _boxes(
        self, codes: NDArray[np.int64], with_bonus: NDArray[np.float64], choose: bool = False
    ) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        m = len(codes)
        is_open = OPEN_OF_FILLED[codes >> 8].T  # (13, m)
        value = self._array("value", N_ROLLS, m)
        scratch = self._array("scratch", N_ROLLS, m)
        value.fill(-np.inf)
        by_outcome: dict[int, NDArray] = {}
        for box in np.flatnonzero(is_open.any(axis=1)).tolist():
            points, gains, of_roll = self._outcomes[box]
            if is_open[box].all():
                worth = with_bonus[codes + gains[:, None]]
                worth += points[:, None]
            else:
                worth = with_bonus[np.where(is_open[box], codes, 0) + gains[:, None]]
                worth += points[:, None]
                worth += np.where(is_open[box], 0.0, -np.inf)
            by_outcome[box] = worth
            np.maximum(value, np.take(worth, of_roll, axis=0, out=scratch, mode="clip"), out=value)
        fives = self._five_values(codes, with_bonus)  # (m, 6, 13)
        value[self._five_places] = fives.max(axis=2).T
        boxes = np.full((N_ROLLS, m), 255, dtype=np.uint8)
        if choose:
            worse = self._array("worse", N_ROLLS, m, np.bool_).view(np.uint8)
            least = value - TIE
            for box, worth in by_outcome.items():
                np.take(worth, self._outcomes[box][2], axis=0, out=scratch, mode="clip")
                np.less(scratch, least, out=worse.view(np.bool_))
                # worse: 255; as good: the number of the box, and the first on the sheet is least
                np.multiply(worse, np.uint8(255), out=worse)
                np.bitwise_or(worse, np.uint8(box), out=worse)
                np.minimum(boxes, worse, out=boxes)
            fine = fives >= least[self._five_places].T[:, :, None]
            boxes[self._five_places] = fine.argmax(axis=2).T
        value[self._five_places] += np.where(codes & 1, self._rules.yahtzee_bonus, 0)
        paid = (codes >> 1 & 127) >= self._rules.upper_bonus_threshold
        value -= np.where(paid, self._rules.upper_bonus, 0)
        return value, boxes

    def _five_values(
        self, codes: NDArray[np.int64], with_bonus: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """(m, 6, 13): the value of each box for each five of a kind; -inf where it may not go."""
        options = self._tables.fives[codes & 1, codes >> 8]
        allowed = options >= 0
        after = np.where(allowed, codes[:, None, None] + self._five_gains, 0)
        return np.where(allowed, with_bonus[after] + options, -np.inf)

    def _expectations(self, value: NDArray[np.float64]) -> NDArray[np.float64]:
        """(462, m): the expectation of each keep, if `value` is that of the next roll."""
        m = value.shape[1]
        expected = self._array("expected", N_KEEPS, m)
        expected[FIRST_WHOLE_KEEP:] = value
        for size in range(4, -1, -1):
            first, *others = _EXTENSIONS[size]
            level = expected[_LEVEL[size]]
            scratch = self._array("scratch", N_ROLLS, m)[: len(level)]
            level[:] = np.take(expected, first, axis=0, out=scratch, mode="clip")
            for extension in others:
                level += np.take(expected, extension, axis=0, out=scratch, mode="clip")
            level *= 1 / 6
        return expected

    def _best_within(self, expected: NDArray[np.float64]) -> NDArray[np.float64]:
        """(462, m): the best expectation among a keep and all keeps within it."""
        m = expected.shape[1]
        best = self._array("best", N_KEEPS, m)
        best[:] = expected
        for size in range(1, 6):
            level = best[_LEVEL[size]]
            for rest in _REDUCTIONS[size]:
                part = level[: len(rest)]
                scratch = self._array("scratch", N_ROLLS, m)[: len(rest)]
                np.maximum(part, np.take(best, rest, axis=0, out=scratch, mode="clip"), out=part)
        return best

    def _choose_keeps(
        self, expected: NDArray[np.float64], best: NDArray[np.float64]
    ) -> NDArray[np.uint8]:
        """(252, m): the mask of the keep to choose in each roll.

        Works upwards through the sizes, carrying the rank of the most wanted keep that is within
        `TIE` of the best of its own level. What arrives is at least as wanted as the right
        answer, and is the right answer if it is within `TIE` of the roll's own best; that is
        checked at the end, and the very few others are searched one by one.
        """
        m = expected.shape[1]
        least = np.subtract(best, TIE, out=self._array("least", N_KEEPS, m))
        rank = self._array("rank", N_KEEPS, m, np.int16)
        worse = self._array("worse_keep", N_KEEPS, m, np.bool_)
        carried = self._array("carried", N_ROLLS, m, np.int16)
        np.less(expected, least, out=worse)
        np.multiply(worse.view(np.int8), _NEVER, out=rank, dtype=np.int16)
        np.maximum(rank, _RANK[:, None], out=rank)
        for size in range(1, 6):
            start = _LEVEL[size].start
            for rest in _REDUCTIONS[size]:
                n, part = len(rest), slice(start, start + len(rest))
                scratch = self._array("scratch", N_ROLLS, m)[:n]
                np.take(best, rest, axis=0, out=scratch, mode="clip")
                np.less(scratch, least[part], out=worse[:n])
                np.multiply(worse[:n].view(np.int8), _NEVER, out=carried[:n], dtype=np.int16)
                np.maximum(carried[:n], rank[rest], out=carried[:n])
                np.minimum(rank[part], carried[:n], out=rank[part])
        place = self._array("place", N_ROLLS, m, np.int64)
        np.take(_AT_RANK * m, rank[FIRST_WHOLE_KEEP:], out=place, mode="clip")
        place += np.arange(m)
        chosen = np.take(expected, place, out=self._array("scratch", N_ROLLS, m), mode="clip")
        wrong = chosen < least[FIRST_WHOLE_KEEP:]
        np.add(rank[FIRST_WHOLE_KEEP:], np.arange(N_ROLLS)[:, None] * N_KEEPS, out=place)
        masks = np.take(_MASK_AT_RANK, place)
        for row, column in np.argwhere(wrong) if wrong.any() else ():
            within = _PLACE[np.unique(KEEP_OF_MASK[_ROLL_ORDER[row]])]
            near = within[expected[within, column] >= least[FIRST_WHOLE_KEEP + row, column]]
            masks[row, column] = _MASK_AT_RANK[row, _RANK[near].min()]
        return masks
