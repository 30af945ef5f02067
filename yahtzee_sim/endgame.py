"""The last turns of a table: the exact chances of what cards still bring, and of winning.

Cards with few boxes open are few, so the chances of every number of points that optimal play still
brings on them fit in one array. From these follows, for a player whose turn it is, the chance that
a way to score wins against rivals who play on for their expected score.

Arrays only. Knows nothing of pandas or files.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.cards import FILLED_COUNT, N_CODES, capped, reachable
from yahtzee_sim.categories import Category
from yahtzee_sim.dice import FIVE_FACE, N_ROLLS
from yahtzee_sim.expectimax import WIDTH, Turns
from yahtzee_sim.policy import Outcomes, turn_chances
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.scoring import OPEN_OF_FILLED, scoring

Player = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Codes of cards, and totals so far, of one player in n games."""
POINT = 1e-6
"""What a point is worth beside the chance of winning: it decides where nothing else does."""


class Endgame:
    """What optimal play still brings on cards with at most `boxes` boxes open.

    Parameters
    ----------
    rules : Rules
    worth : (2^21,) float64
        The optimal value of every card by code.
    boxes : int

    Attributes
    ----------
    chances : (rows, points) float64
        The chance of every number of points still to come, bonuses included.
    """

    def __init__(self, rules: Rules, worth: NDArray[np.float64], boxes: int):
        self.rules, self.boxes = rules, boxes
        self._tables = scoring(rules)
        self._outcomes = Outcomes.of(self._tables)
        self._turns = Turns(self._tables)
        codes = reachable(rules.upper_bonus_threshold)
        count = FILLED_COUNT[codes >> 8]
        codes = codes[count >= 13 - boxes]
        self._row_of = np.full(N_CODES, -1, np.int32)
        self._row_of[codes] = np.arange(len(codes))
        most = rules.upper_bonus + boxes * rules.yahtzee_bonus + 50 + 40 + 30 * max(boxes - 2, 0)
        self.chances = np.zeros((len(codes), most + 1))
        self._with_bonus = self._turns.with_bonus(worth)
        full = codes[codes >> 8 == 8191]
        self.chances[self._row_of[full], 0] = 1.0
        for open_boxes in range(1, boxes + 1):
            level = codes[FILLED_COUNT[codes >> 8] == 13 - open_boxes]
            for i in range(0, len(level), 4 * WIDTH):
                self._fill(level[i : i + 4 * WIDTH])
        # the chance of less than so many points, plus half that of exactly so many, and both
        below = np.cumsum(self.chances, axis=1) - self.chances
        edge = np.zeros((len(codes), 1))
        self._below = np.concatenate([edge, below, edge + 1], axis=1)
        self._at_most = np.concatenate([edge, below + self.chances, edge + 1], axis=1)
        self._mean = self.chances @ np.arange(most + 1)
        self._support = [np.flatnonzero(row) for row in self.chances]

    def _fill(self, codes: NDArray[np.int64]) -> None:
        parts = [codes[i : i + WIDTH] for i in range(0, len(codes), WIDTH)]
        ends = np.concatenate(
            [
                turn_chances(
                    part,
                    self._turns.decisions(part, self._with_bonus),
                    self._tables,
                    self._outcomes,
                )
                for part in parts
            ]
        )
        rows = self._row_of[codes]
        size = self.chances.shape[1]
        for k in np.flatnonzero(ends.any(axis=0)):
            mine = np.flatnonzero(ends[:, k])
            after, gain = self._after(codes[mine], np.full(len(mine), k))
            chance = ends[mine, k][:, None]
            for points in np.unique(gain).tolist():
                same = gain == points
                moved = chance[same] * self.chances[self._row_of[after[same]], : size - points]
                self.chances[rows[mine[same]], points:] += moved

    def _after(
        self, codes: NDArray[np.int64], k: NDArray[np.intp]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The cards after outcomes, and the points that these bring, bonuses included."""
        rules, outcomes = self.rules, self._outcomes
        box, points, five = outcomes.box[k], outcomes.points[k], outcomes.five[k]
        after = codes + (1 << (8 + box)) + np.where(box < 6, points << 1, 0)
        after |= (box == Category.YAHTZEE) & (points == 50)
        after = capped(after, rules)
        threshold = rules.upper_bonus_threshold
        reaches = ((after >> 1 & 127) >= threshold) & ((codes >> 1 & 127) < threshold)
        gain = points + np.where(five & (codes & 1 > 0), rules.yahtzee_bonus, 0)
        return after, gain + np.where(reaches, rules.upper_bonus, 0)

    def knows(self, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which cards have few enough boxes open."""
        return self._row_of[capped(codes, self.rules)] >= 0

    def _beaten(self, final: NDArray[np.int64], rivals: Sequence[Player]) -> NDArray[np.float64]:
        """The chance that final totals (n, x) win, ties half."""
        less, equal = np.ones(final.shape), np.ones(final.shape)
        most = self.chances.shape[1]
        for codes, totals in rivals:
            row = self._row_of[codes][:, None]
            ahead = np.clip(final - totals[:, None], -1, most) + 1
            less *= self._below[row, ahead]
            equal *= self._at_most[row, ahead]
        return (less + equal) / 2

    def box_values(self, me: Player, rivals: Sequence[Player]) -> NDArray[np.float64]:
        """(n, K): the chance to win after each outcome of the turn, plus `POINT` for each
        expected point; -inf where the card cannot have that outcome."""
        codes, totals = me
        outcomes = self._outcomes
        open_ = OPEN_OF_FILLED[codes >> 8][:, outcomes.box]  # (n, K)
        value = np.full(open_.shape, -np.inf)
        game, k = np.nonzero(open_)
        after, gain = self._after(codes[game], k)
        rows = self._row_of[after]
        total = totals[game] + gain
        found = POINT * (total + self._mean[rows])
        order = np.argsort(rows, kind="stable")
        starts = np.flatnonzero(np.diff(rows[order], prepend=-1))
        for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
            here = order[start:end]
            row = rows[here[0]]
            points = self._support[row]
            final = total[here][:, None] + points
            those = [(c[game[here]], t[game[here]]) for c, t in rivals]
            found[here] += self._beaten(final, those) @ self.chances[row, points]
        value[game, k] = found
        return value

    def roll_values(self, me: Player, rivals: Sequence[Player]) -> NDArray[np.float64]:
        """(n, 252, 13): the value of scoring each last roll in each box; -inf where it may not."""
        codes, _ = me
        value = self.box_values(me, rivals)
        column = self._outcomes.column.reshape(-1, 13)
        found = value[:, column[:N_ROLLS]]  # (n, 252, 13)
        fifty, filled = codes & 1, codes >> 8
        for roll in np.flatnonzero(FIVE_FACE):
            face = int(FIVE_FACE[roll])
            full = self._tables.pays_in_full[fifty, filled, face]
            joker = value[:, column[N_ROLLS - 1 + face]]
            plain = value[:, column[roll]]
            allowed = self._tables.fives[fifty, filled, face - 1] >= 0
            found[:, roll] = np.where(allowed, np.where(full[:, None], joker, plain), -np.inf)
        return found

    def scored(
        self, me: Player, rivals: Sequence[Player], rolls: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """(n, 13): the value of scoring these rolls in each box; -inf where they may not go."""
        codes, _ = me
        value = self.box_values(me, rivals)
        face = FIVE_FACE[rolls]
        fifty, filled = codes & 1, codes >> 8
        full = self._tables.pays_in_full[fifty, filled, face]
        variant = np.where(full, N_ROLLS - 1 + face, rolls)
        column = self._outcomes.column.reshape(-1, 13)[variant]
        allowed = self._tables.options(filled, fifty, rolls) >= 0
        return np.where(allowed, np.take_along_axis(value, column, axis=1), -np.inf)

    def keep_values(
        self, me: Player, rivals: Sequence[Player], rolls_left: int
    ) -> NDArray[np.float64]:
        """(n, 462): the value of each keep with 2 or 1 rolls left."""
        n = len(me[0])
        found = np.empty((n, 462))
        for start in range(0, n, WIDTH):
            part = slice(start, start + WIDTH)
            value = self.roll_values(
                (me[0][part], me[1][part]), [(c[part], t[part]) for c, t in rivals]
            ).max(axis=2)
            found[part] = self._turns.keeps_before(value.T, rolls_left).T
        return found
