"""What a strategy brings, exactly: the chances of every card and total, forwards from the start.

A stationary strategy makes the game a Markov chain over cards. Its decisions give the chances of
how a turn on each card ends (which box, how many points, five of a kind or not), and these move
the chances of cards, and with them those of the points so far, from one round to the next.

Arrays only. Knows nothing of pandas or files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.sparse import csr_array

from yahtzee_sim.cards import capped
from yahtzee_sim.categories import UPPER, Category
from yahtzee_sim.dice import FIVE_FACE, N_ROLLS
from yahtzee_sim.expectimax import rolls_of_turn
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.scoring import N_VARIANTS, Scoring, scoring

Turns = Callable[[list[NDArray[np.int64]]], Iterable[NDArray[np.float64]]]
"""From lists of codes of cards to how turns on them end."""
CHUNK = 256
"""Cards whose turns are worked out together."""
WORTH_LEAVING_OUT = 0.6
"""Cards without any chance are left out of a group if less than this share has one."""


def _convolved(
    weight: NDArray[np.float64], by_points: NDArray[np.float64], width: int
) -> NDArray[np.float64]:
    """(width, n): the chances of sums of `weight` (w, n) and points with these chances (p, n),
    card by card. One pass: einsum multiplies and adds without a temporary."""
    taps = len(by_points)
    padded = np.pad(weight, ((taps - 1, width - len(weight)), (0, 0)))
    window = sliding_window_view(padded, taps, axis=0)  # (width, n, taps)
    return np.einsum("wnt,tn->wn", window, by_points[::-1])


@dataclass(frozen=True)
class Outcomes:
    """How a turn can end: K different triples of box, points, and whether on five of a kind.

    Attributes
    ----------
    box, points, five : (K,) arrays
    column : (258 * 13,) int64
        Which of them scoring each roll, or joker, in each box is.
    """

    box: NDArray[np.int64]
    points: NDArray[np.int64]
    five: NDArray[np.bool_]
    column: NDArray[np.int64]

    @classmethod
    @cache
    def of(cls, tables: Scoring) -> Outcomes:
        """Those of a rule set."""
        variant, box = np.divmod(np.arange(N_VARIANTS * 13), 13)
        five = np.concatenate([FIVE_FACE > 0, np.ones(6, bool)])[variant]
        triples = np.stack([box, tables.points.reshape(-1), five], axis=1)
        distinct, column = np.unique(triples, axis=0, return_inverse=True)
        return cls(distinct[:, 0], distinct[:, 1], distinct[:, 2] > 0, column.ravel())


def turn_chances(
    codes: NDArray[np.int64], decided: NDArray[np.uint8], tables: Scoring, outcomes: Outcomes
) -> NDArray[np.float64]:
    """(m, K): the chance of every outcome of a turn on m cards.

    Parameters
    ----------
    codes : (m,) int64
    decided : (m, 3, 252) uint8
        Masks with 2 and 1 rolls left, and boxes.
    tables : Scoring
    outcomes : Outcomes
    """
    m, k = len(codes), len(outcomes.box)
    *_, last = rolls_of_turn(decided)
    chance = last.T  # (m, 252)
    variant = np.broadcast_to(np.arange(N_ROLLS), (m, N_ROLLS)).copy()
    fives = np.flatnonzero(FIVE_FACE)
    full = tables.pays_in_full[(codes & 1)[:, None], (codes >> 8)[:, None], FIVE_FACE[fives]]
    variant[:, fives] = np.where(full, N_ROLLS - 1 + FIVE_FACE[fives], fives)
    column = outcomes.column[variant * 13 + decided[:, 2]]
    place = column + (np.arange(m) * k)[:, None]
    ends = np.bincount(place.ravel(), chance.ravel(), minlength=m * k)
    return ends.reshape(m, k).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class Chances:
    """Everything that `summary` and `categories` are read from, as exact chances.

    Attributes
    ----------
    total : (maximum + 1,) float64, or None
        Chance of each final total; None if only the mean was asked for.
    mean : float
        Of the total.
    upper : (106,) float64
        Chance of each total of the upper section.
    bonuses, paid : (14,) float64, or None
        Chance of each number of Yahtzee bonuses, and of Yahtzees paid.
    mean_bonuses, mean_rolled : float
        How many Yahtzee bonuses, and turns that end on five of a kind, a game brings.
    points : list of 13 arrays
        Chance of each number of points in each box.
    rounds : (13, 13) float64
        Chance that a box is filled in a round.
    cards : int
        Cards that come up with some chance, full ones left out.
    """

    total: NDArray[np.float64] | None
    mean: float
    upper: NDArray[np.float64]
    bonuses: NDArray[np.float64] | None
    paid: NDArray[np.float64] | None
    mean_bonuses: float
    mean_rolled: float
    points: list[NDArray[np.float64]]
    rounds: NDArray[np.float64]
    cards: int


@dataclass
class _Group:
    """Cards of one round with the same lower boxes filled, and the same fifty.

    Attributes
    ----------
    rows : (r,) int64
        The upper boxes filled and their total, not capped, as in a code.
    weight : (bonuses, lower points, r) float64
        The chance of each card with so many bonuses and points of the lower section so far;
        (1, 1, r) if only the mean is wanted. Cards lie next to each other, since every one of
        them has other chances to move on.
    chance : (r, K) float64
        How the turn on each card ends.
    """

    lower: int
    fifty: int
    rows: NDArray[np.int64]
    weight: NDArray[np.float64]
    chance: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def codes(self) -> NDArray[np.int64]:
        return self.rows | self.lower << 8 | self.fifty

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """Where each row stands, -1 where it does not."""
        place = np.full(1 << 14, -1)
        place[self.rows] = np.arange(len(self.rows))
        return place


_LOWER_MAXIMUM = {
    Category.THREE_OF_A_KIND: 30,
    Category.FOUR_OF_A_KIND: 30,
    Category.FULL_HOUSE: 25,
    Category.SMALL_STRAIGHT: 30,
    Category.LARGE_STRAIGHT: 40,
    Category.YAHTZEE: 50,
    Category.CHANCE: 30,
}


def _width(lower: int) -> int:
    return 1 + sum(most for box, most in _LOWER_MAXIMUM.items() if lower >> box & 1)


def _upper_rows() -> dict[int, NDArray[np.int64]]:
    """By number of filled upper boxes: their mask and total, as codes; totals not capped."""
    totals: list[set[int]] = [{0}]
    for mask in range(1, UPPER + 1):
        face = mask.bit_length()
        rest = totals[mask ^ (1 << (face - 1))]
        totals.append({total + n * face for total in rest for n in range(6)})
    rows: dict[int, list[int]] = {n: [] for n in range(7)}
    for mask, reached in enumerate(totals):
        rows[mask.bit_count()] += [mask << 8 | total << 1 for total in sorted(reached)]
    return {n: np.array(codes) for n, codes in rows.items()}


class _Walk:
    """One evaluation: groups of cards, round by round."""

    def __init__(
        self,
        rules: Rules,
        turns: Turns,
        only_mean: bool,
        done: Callable[[float], None],
        visits: NDArray[np.float64] | None,
    ):
        self.rules = rules
        self.visits = visits
        self.turns = turns
        self.done = done
        self.outcomes = Outcomes.of(scoring(rules))
        self.only_mean = only_mean
        self.rows = _upper_rows()
        self.points = [np.zeros(51) for _ in range(13)]
        self.rounds = np.zeros((13, 13))
        self.mean = 0.0
        self.bonuses = 0.0
        self.rolled = 0.0
        self.cards = 0

    def work_out(self, groups: list[_Group]) -> None:
        """How the turns of groups end; each capped card is worked out once."""
        reached = [group.weight.any(axis=(0, 1)) for group in groups]
        codes = np.concatenate([g.codes()[r] for g, r in zip(groups, reached, strict=True)])
        distinct, back = np.unique(capped(codes, self.rules), return_inverse=True)

        chances = []
        for part in self.turns([distinct[i : i + CHUNK] for i in range(0, len(distinct), CHUNK)]):
            chances.append(part)
            self.done(len(part) / len(distinct))
        chance = np.concatenate(chances)
        self.cards += len(codes)
        start = 0
        for group, mine in zip(groups, reached, strict=True):
            if self.visits is not None:
                here = distinct[back[start : start + int(mine.sum())]]
                np.add.at(self.visits, here, group.weight.sum(axis=(0, 1))[mine])
            group.chance = np.zeros((len(group.rows), chance.shape[1]))
            n = int(mine.sum())
            group.chance[mine] = chance[back[start : start + n]]
            start += n

    def count(self, group: _Group, filled: int) -> None:
        """Book what a group's turns bring on average."""
        outcomes = self.outcomes
        by_outcome = group.weight.sum(axis=(0, 1)) @ group.chance
        for box in range(13):
            mine = outcomes.box == box
            self.rounds[box, filled] += by_outcome[mine].sum()
            np.add.at(self.points[box], outcomes.points[mine], by_outcome[mine])
        five = float(by_outcome[outcomes.five].sum())
        self.rolled += five
        self.mean += float(by_outcome @ outcomes.points)
        self.bonuses += five * group.fifty
        self.mean += five * self.rules.yahtzee_bonus * group.fifty

    def next_group(
        self, lower: int, fifty: int, filled: int, groups: dict[tuple[int, int], _Group]
    ) -> _Group | None:
        """The cards of the next round with these lower boxes; None if none comes up."""
        rows = self.rows[filled + 1 - lower.bit_count()]
        bonuses = filled + 1 if fifty and self.rules.yahtzee_bonus else 1
        shape = (1, 1) if self.only_mean else (bonuses, _width(lower))
        weight = np.zeros((*shape, len(rows)))
        same = groups.get((lower, fifty))
        if same is not None:
            self._from_upper(same, rows, weight)
        for box in range(Category.THREE_OF_A_KIND, 13):
            if lower >> box & 1:
                before = lower ^ 1 << box, 0 if box == Category.YAHTZEE else fifty
                if before in groups:
                    self._from_lower(groups[before], box, fifty, rows, weight)
        reached = weight.any(axis=(0, 1))
        if not reached.any():
            return None
        if reached.mean() > WORTH_LEAVING_OUT:
            return _Group(lower, fifty, rows, weight)
        return _Group(lower, fifty, rows[reached], np.compress(reached, weight, axis=2))

    def _from_upper(
        self, source: _Group, rows: NDArray[np.int64], weight: NDArray[np.float64]
    ) -> None:
        """Cards that score in an upper box: their lower points stay."""
        outcomes = self.outcomes
        place = np.full(1 << 14, -1)
        place[rows] = np.arange(len(rows))
        bonuses, width, n = source.weight.shape
        flat = np.ascontiguousarray(source.weight.reshape(-1, n).T)
        for five in (False, True):
            more = self._more(five, source)
            columns = np.flatnonzero((outcomes.box < 6) & (outcomes.five == five))
            start, column = np.nonzero(source.chance[:, columns])
            k = columns[column]
            gain = (1 << (8 + outcomes.box[k])) + (outcomes.points[k] << 1)
            end = place[source.rows[start] + gain]
            moves = csr_array((source.chance[start, k], (end, start)), shape=(len(rows), n))
            moved = (moves @ flat).T.reshape(bonuses, width, len(rows))
            weight[more : more + bonuses, :width] += moved

    def _from_lower(
        self,
        source: _Group,
        box: int,
        fifty: int,
        rows: NDArray[np.int64],
        weight: NDArray[np.float64],
    ) -> None:
        """Cards that score in this lower box: their upper section stays."""
        outcomes = self.outcomes
        columns = np.flatnonzero(outcomes.box == box)
        if box == Category.YAHTZEE:
            columns = columns[(outcomes.points[columns] == 50) == bool(fifty)]
        bonuses, width, n = source.weight.shape
        to: Any = slice(None) if n == len(rows) else np.searchsorted(rows, source.rows)
        for more in (0, 1):
            by_points = np.zeros((51, n))  # the chance of so many points, on every card
            for k in columns:
                if self._more(bool(outcomes.five[k]), source) == more:
                    by_points[0 if self.only_mean else outcomes.points[k]] += source.chance[:, k]
            taps = np.flatnonzero(by_points.any(axis=1))
            if not taps.size:
                continue
            for b in range(bonuses):
                before, target = source.weight[b], weight[b + more]
                if len(taps) > 8:
                    target[:, to] += _convolved(before, by_points[: taps[-1] + 1], len(target))
                else:
                    for points in taps:
                        target[points : points + width, to] += before * by_points[points]

    def _more(self, five: bool, source: _Group) -> int:
        """How many bonuses a turn adds to those of its card."""
        counted = five and source.fifty and self.rules.yahtzee_bonus and not self.only_mean
        return 1 if counted else 0


def walk(
    rules: Rules,
    turns: Turns,
    *,
    only_mean: bool = False,
    done: Callable[[float], None] = lambda rounds: None,
    threads: int = 1,
    visits: NDArray[np.float64] | None = None,
) -> Chances:
    """The exact chances of everything that a stationary strategy brings.

    Parameters
    ----------
    rules : Rules
    turns : callable
        From lists of codes of cards, upper totals capped, to `turn_chances` of each list.
    only_mean : bool
        Leave the distribution of the total out, which takes most of the time.
    done : callable
        Told how much of the 13 rounds is done, in parts of a round.
    threads : int
        That move chances from round to round.
    visits : (2^21,) float64, optional
        To which the chance that a game comes to each card with a box open is added, by code,
        upper totals capped.

    Returns
    -------
    Chances
    """
    w = _Walk(rules, turns, only_mean, done, visits)
    groups = {(0, 0): _Group(0, 0, w.rows[0], np.ones((1, 1, 1)))}
    with ThreadPoolExecutor(threads) as pool:
        for filled in range(13):
            w.work_out(list(groups.values()))
            for group in groups.values():
                w.count(group, filled)
            wanted = _keys(filled + 1)
            here = groups

            def move(key: tuple[int, int], here: Any = here, filled: int = filled) -> Any:
                return w.next_group(*key, filled, here)

            moved = zip(wanted, pool.map(move, wanted), strict=True)
            groups = {key: group for key, group in moved if group is not None}
    return _closing(w, list(groups.values()))


def _keys(filled: int) -> list[tuple[int, int]]:
    """(lower boxes, fifty) of the groups there can be, the largest first."""
    keys = []
    for lower in range(0, 8192, UPPER + 1):
        if lower.bit_count() <= filled <= lower.bit_count() + 6:
            keys.append((lower, 0))
            if lower >> Category.YAHTZEE & 1:
                keys.append((lower, 1))
    return sorted(keys, key=lambda key: (-key[1], -_width(key[0])))


def _closing(w: _Walk, full: list[_Group]) -> Chances:
    """The chances of final totals, from the full cards."""
    rules = w.rules
    upper_chance = np.zeros(106)
    total = None if w.only_mean else np.zeros(rules.maximum + 1)
    bonuses, paid = np.zeros(14), np.zeros(14)
    for group in full:
        upper = group.rows >> 1 & 127
        bonus = np.where(upper >= rules.upper_bonus_threshold, rules.upper_bonus, 0)
        card = group.weight.sum(axis=(0, 1))
        np.add.at(upper_chance, upper, card)
        w.mean += float(card @ bonus)
        if total is None:
            continue
        by_bonuses = group.weight.sum(axis=(1, 2))
        bonuses[: len(by_bonuses)] += by_bonuses
        paid[group.fifty : group.fifty + len(by_bonuses)] += by_bonuses
        b, lower, row = np.nonzero(group.weight)
        sums = b * rules.yahtzee_bonus + lower + (upper + bonus)[row]
        total += np.bincount(sums, group.weight[b, lower, row], minlength=len(total))
    return Chances(
        total,
        w.mean,
        upper_chance,
        None if w.only_mean else bonuses,
        None if w.only_mean else paid,
        w.bonuses if rules.yahtzee_bonus else 0.0,
        w.rolled,
        w.points,
        w.rounds,
        w.cards,
    )
