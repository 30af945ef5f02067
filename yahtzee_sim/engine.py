"""Plays one round of a batch of games; a game is thirteen, a table interleaves its seats.

The only hot loop. It looks up what the deciders of `yahtzee_sim.decisions` answer, what a throw
makes of a keep, and what a box pays; five of a kind, where the rules differ, is rare enough to be
handled apart. Knows nothing of pandas, files or workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.cards import CODE_GAIN
from yahtzee_sim.categories import Category
from yahtzee_sim.decisions import Decider, decider
from yahtzee_sim.dice import FIVE_FACE, N_ROLLS, N_THROWS, rolls_after
from yahtzee_sim.dicestream import DiceStream, luck
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.scoring import N_VARIANTS, scoring
from yahtzee_sim.sharing import Handle
from yahtzee_sim.strategy_types import AnyStrategy, Rival

BATCH = 32_768
"""Games at a time. Fewer would fit a smaller cache, but what Python spends on each call of numpy
then weighs more (1.1, 1.4, 1.8 and 1.6 M games/s with 8, 16, 32 and 64 thousand)."""
GAME_COLUMNS = 16
UPPER_BONUS, YAHTZEE_BONUS, TOTAL = 13, 14, 15
"""Rows of a batch of games after those of the thirteen categories."""


@cache
def _roll_at_entry() -> NDArray[np.uint8]:
    """The roll that follows a keep entry plus a throw; entries are one more than places."""
    return np.concatenate([np.zeros(1, np.uint8), rolls_after().reshape(-1)])


# By box entry, roll * 13 + box + 1:
_GAIN = np.concatenate([[0], CODE_GAIN.reshape(-1)])
_IS_FIVE = np.concatenate([[False], np.repeat(FIVE_FACE > 0, 13)])


@dataclass
class Record:
    """What happened in each turn of n games, as small integers.

    Attributes
    ----------
    rolls : (3, 13, n) uint8
        The numbers of the three rolls, by round.
    keeps : (2, 13, n) int16
        The keeps between them; 210 and more keep all five dice.
    boxes : (13, n) uint8
        The category scored in each round.
    """

    rolls: NDArray[np.uint8]
    keeps: NDArray[np.int16]
    boxes: NDArray[np.uint8]

    @classmethod
    def empty(cls, n: int) -> Record:
        """Room for n games."""
        return cls(
            np.empty((3, 13, n), np.uint8),
            np.empty((2, 13, n), np.int16),
            np.empty((13, n), np.uint8),
        )


class Seat:
    """One player of a batch of games, and the dice of its place at the table.

    Attributes
    ----------
    code : (n,) int64
        The cards so far, see `yahtzee_sim.cards`.
    games : (16, n) int16
        Points by box, upper bonus, Yahtzee bonus, total; complete after `finish`.
    rolled : (n,) int8
        Turns that ended on five of a kind.
    scored : (13, 258, 13) int64
        Over all batches: how often, by round, each roll (or joker) was scored in each box.
    """

    def __init__(
        self,
        strategy: AnyStrategy,
        rules: Rules,
        seed: int,
        stream: int = 0,
        seat: int = 0,
        width: int = BATCH,
        direct: bool | None = None,
        shared: Handle | None = None,
    ):
        self._tables = scoring(rules)
        self._rules = rules
        self._where = seed, stream, seat
        self._dice = DiceStream(seed, stream, seat, width)
        self._decider: Decider = decider(strategy, rules, width, direct, shared)
        self._points = np.concatenate(
            [[0], self._tables.points[:N_ROLLS].reshape(-1)], dtype=np.int16, casting="unsafe"
        )
        self._row = np.concatenate([[0], np.tile(np.arange(13) * width, N_ROLLS)])
        self._pays_in_full = self._tables.pays_in_full.reshape(-1)
        self._after = _roll_at_entry()
        self._first_roll = rolls_after()[0]
        self._width = width
        self._lane = np.arange(width)
        self._codes = np.empty(width, np.int64)
        self._place = np.empty(width, np.int64)
        self._roll = np.empty(width, np.uint8)
        self._paid = np.empty(width, np.int16)
        self._five = np.empty(width, bool)
        self._rolled = np.empty(width, np.int8)
        self._games = np.empty((GAME_COLUMNS, width), np.int16)
        self._others: tuple[Seat, ...] = ()
        self._round = 0
        self.scored = np.zeros((13, N_VARIANTS * 13), np.int64)

    def start(self, first: int, n: int, others: tuple[Seat, ...] = ()) -> None:
        """Begin n games, the first of them with this number; `others` are next to move first."""
        self.first, self._n, self._others = first, n, others
        self.code = self._codes[:n]
        self.games = self._games[:, :n]
        self.rolled = self._rolled[:n]
        self.code.fill(0)
        self.games.fill(0)
        self.rolled.fill(0)

    def luck(self, rolls_left: int, call: int) -> NDArray[np.float64]:
        """(n,) floats for a strategy that asks for luck in this round."""
        return luck(*self._where, self.first, self._n, self._round, rolls_left, call)

    def total_so_far(self) -> NDArray[np.int32]:
        """(n,): points so far, bonuses already earned included."""
        upper_bonus = np.where(self._upper_reached(), self._rules.upper_bonus, 0)
        return self.games[:TOTAL].sum(axis=0, dtype=np.int32) + upper_bonus.astype(np.int32)

    def rivals(self) -> tuple[Rival, ...]:
        """The other players' cards and totals."""
        return tuple(
            Rival(self._rules, other.code.copy(), other.total_so_far()) for other in self._others
        )

    def _upper_reached(self) -> NDArray[np.bool_]:
        return (self.code >> 1 & 127) >= self._rules.upper_bonus_threshold

    def play_round(self, round_: int, record: Record | None = None) -> None:
        """Three rolls and a box, for every game of the batch; rounds are 0 to 12."""
        n, decide, self._round = self._n, self._decider, round_
        throws = self._dice.throws(self.first, n, round_)
        roll, place = self._roll[:n], self._place[:n]
        decide.begin(self)
        np.take(self._first_roll, throws[0], out=roll, mode="clip")
        for stage in (0, 1):
            keep = decide.keeps(roll, 2 - stage)
            if record:
                record.rolls[stage, round_] = roll
                record.keeps[stage, round_] = (keep - 1) // N_THROWS
            np.add(keep, throws[stage + 1], out=place)
            np.take(self._after, place, out=roll, mode="clip")
        entry = decide.boxes(roll)
        if record:
            record.rolls[2, round_] = roll
            record.boxes[round_] = (entry - 1) % 13
        self._score(entry, roll)

    def _score(self, entry: NDArray[np.int64], roll: NDArray[np.uint8]) -> None:
        n = self._n
        place, paid, is_five = self._place[:n], self._paid[:n], self._five[:n]
        np.take(self._points, entry, out=paid, mode="clip")
        tally = self.scored[self._round]
        tally[: N_ROLLS * 13] += np.bincount(entry, minlength=N_ROLLS * 13 + 1)[1:]
        np.take(_IS_FIVE, entry, out=is_five, mode="clip")
        five = np.flatnonzero(is_five)
        if five.size:
            self._five_of_a_kind(five, entry[five], roll[five].astype(np.intp), tally)
        np.take(self._row, entry, out=place, mode="clip")
        np.add(place, self._lane[:n], out=place)
        self._games.reshape(-1)[place] = paid
        np.take(_GAIN, entry, out=place, mode="clip")
        np.add(self.code, place, out=self.code)

    def _five_of_a_kind(
        self,
        five: NDArray[np.intp],
        entry: NDArray[np.int64],
        roll: NDArray[np.intp],
        tally: NDArray[np.int64],
    ) -> None:
        """The joker, the Yahtzee bonus and the 50, before the card moves on."""
        card = self.code[five]
        face = FIVE_FACE[roll]
        pays = np.take(self._pays_in_full, ((card & 1) << 13 | card >> 8) * 7 + face, mode="clip")
        joker = np.flatnonzero(pays)
        if joker.size:
            box = entry[joker] - 1 - roll[joker] * 13
            variant = N_ROLLS - 1 + face[joker]
            self._paid[five[joker]] = self._tables.points[variant, box]
            np.subtract.at(tally, entry[joker] - 1, 1)
            np.add.at(tally, variant * 13 + box, 1)
        self.games[YAHTZEE_BONUS, five[(card & 1) > 0]] += self._rules.yahtzee_bonus
        self.rolled[five] += 1
        self.code[five[entry == roll * 13 + (Category.YAHTZEE + 1)]] |= 1

    def finish(self) -> None:
        """Book the upper bonus and the total."""
        games = self.games
        games[UPPER_BONUS] = np.where(self._upper_reached(), self._rules.upper_bonus, 0)
        np.add.reduce(games[:TOTAL], axis=0, dtype=np.int16, out=games[TOTAL])


def play(seats: list[Seat], first: int, n: int, records: list[Record] | None = None) -> None:
    """Play n whole games around one table, seats moving in turn; results are in the seats."""
    for i, seat in enumerate(seats):
        seat.start(first, n, (*seats[i + 1 :], *seats[:i]))
    for round_ in range(13):
        for i, seat in enumerate(seats):
            seat.play_round(round_, records[i] if records else None)
    for seat in seats:
        seat.finish()
