"""From any strategy to decisions for given cards.

A strategy that looks at nothing but the card is *tabulated*: its decisions are rows of a table,
one row a card (or what it looks at of a card), made when a game first comes by and looked up ever
after. A strategy that sees totals, rivals or luck, and a rule of thumb on the whole card, is asked
*directly*, a batch at a time. Both give the same games.

Every answer is checked by `yahtzee_sim.asking`. Knows nothing of games or dice streams.
"""

from __future__ import annotations

import os
import random
import threading
from collections import OrderedDict
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import sharing
from yahtzee_sim.asking import ask, ask_one, open_cards, worth_by_code
from yahtzee_sim.cards import N_CODES, capped, same_future
from yahtzee_sim.dice import (
    KEEP_OF_MASK,
    N_ROLLS,
    N_THROWS,
    mask_of_keep,
)
from yahtzee_sim.errors import StrategyError
from yahtzee_sim.expectimax import WIDTH, Turns
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.scoring import scoring
from yahtzee_sim.sharing import Handle
from yahtzee_sim.strategy_types import (
    BEYOND_THE_CARD,
    AnyStrategy,
    LookaheadStrategy,
    SingleGameStrategy,
    Strategy,
    Turn,
    check_parameters,
)

ROW = 3 * N_ROLLS
"""Entries in a row of a table of decisions."""
ASK_AT_ONCE = 32
"""Cards, times 252 rolls, for which a rule of thumb is asked in one batch while tabulating."""

# Entries of decision tables are one more than what they mean; 0 is "not known yet", so that a
# table costs memory only where it has been written. What the engine is given for a keep is
# keep * 7776 + 1, where in the table of throws after keeps those of this keep begin; for a box
# roll * 13 + box + 1.
KEEP_ENTRY = np.pad(KEEP_OF_MASK * N_THROWS + 1, ((0, 0), (1, 0))).reshape(-1)
"""At roll * 33 + mask + 1."""


# --- tables of decisions ----------------------------------------------------------------------


def key_of(strategy: AnyStrategy, rules: Rules) -> frozenset[str]:
    """What of a card a strategy's decisions depend on.

    A lookahead strategy may look at less to say what a card is worth; its turns are played for
    the bonuses all the same.
    """
    if isinstance(strategy, LookaheadStrategy):
        return strategy.looks_at
    key = (strategy.looks_at - BEYOND_THE_CARD) | {"open"}
    return key | {"fifty"} if scoring(rules).fifty_matters else key


@lru_cache(maxsize=8)
def _rows_of_codes(
    key: frozenset[str], rules: Rules, merged: bool
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """One card for each row of a table on the whole card, and the row of every code.

    If `merged`, cards with the same future share a row.
    """
    cards = open_cards(rules)
    codes = np.arange(N_CODES)
    stands_for = capped(codes, rules)
    if "fifty" not in key:
        stands_for &= ~1
    if merged:
        stands_for = same_future(stands_for, rules)
    cards = np.unique(stands_for[cards])
    row_of = np.zeros(N_CODES, dtype=np.int32)
    row_of[cards] = np.arange(len(cards))
    return cards, row_of[stands_for]


class Rows:
    """The decisions of one strategy under one rule set, learnt as they are asked for.

    A row is a card as far as the strategy looks at it, and has three times 252 entries: what to
    keep of every roll with 2 and with 1 rolls left, and where to score it. Who looks at no upper
    total has a small table, of keeps and boxes; else an entry is a byte (a mask, a box), 405 MB
    if every card were visited. Cards whose future is the same to a lookahead strategy share a
    row, as for `optimal`, which brings that down to 272 MB.

    Parameters
    ----------
    strategy, rules
        Whose table it is.
    shared : Handle, optional
        Where another process on this machine keeps the same table, see `share`.
    """

    def __init__(self, strategy: AnyStrategy, rules: Rules, shared: Handle | None = None):
        self.strategy = strategy
        self.rules = rules
        key = key_of(strategy, rules)
        self.is_small = "upper" not in key
        self._by_fifty = "fifty" in key
        if self.is_small and self._by_fifty:
            rows = np.arange(2 * 8192)
            self.cards = rows >> 1 << 8 | (rows & 1)
        elif self.is_small:
            self.cards = np.arange(8192) << 8
        else:
            plain = Rules("", *rules.key)
            self.cards, self._row_of = _rows_of_codes(key, plain, self._merges())
        self._own = threading.local()  # turns have work arrays, so each thread has its own
        self._handle: Handle | None = None
        self._size = len(self.cards) * ROW
        self._dtype = np.dtype(np.int16 if self.is_small else np.uint8)
        table = sharing.attach(shared, self._size * self._dtype.itemsize) if shared else None
        self._set_table(np.zeros(self._size, self._dtype) if table is None else table)

    def _merges(self) -> bool:
        """Whether cards with the same future are worth the same to a lookahead strategy."""
        if not isinstance(self.strategy, LookaheadStrategy):
            return False
        codes = open_cards(self.rules)
        return bool(np.array_equal(self._worth[codes], self._worth[same_future(codes, self.rules)]))

    def _set_table(self, table: NDArray) -> None:
        self._memory = table  # as long as it lives, others can map it
        self.table = table.view(self._dtype)
        # a stage's view of the table, at the same place for each: row * 756 + roll
        self.stages = [self.table[stage * N_ROLLS :] for stage in range(3)]

    def share(self) -> Handle | None:
        """Move the table to memory that other processes of this machine can map.

        Returns
        -------
        Handle or None
            None where it cannot be done.
        """
        if self._handle is None:
            created = sharing.create(self._size * self._dtype.itemsize)
            if created is None:
                return None
            table, self._handle = created
            known = np.flatnonzero(self.table.reshape(-1, ROW)[:, 2 * N_ROLLS :].any(axis=1))
            table.view(self._dtype).reshape(-1, ROW)[known] = self.table.reshape(-1, ROW)[known]
            self._set_table(table)
        return self._handle

    def rows(self, codes: NDArray[np.int64], out: NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each card, written to `out`."""
        if not self.is_small:
            out[:] = self._row_of[codes]
            return out
        np.right_shift(codes, 8, out=out)
        if self._by_fifty:
            out <<= 1
            out |= codes & 1
        return out

    def learn(self, stage: int, places: NDArray[np.int64]) -> None:
        """Make entries known, given as row * 756 + roll, of a stage (0, 1: keeps; 2: boxes)."""
        if isinstance(self.strategy, SingleGameStrategy):
            self._learn_entries(stage, np.unique(places))
        else:
            self._learn_rows(np.unique(places // ROW))

    def _learn_entries(self, stage: int, places: NDArray[np.int64]) -> None:
        rows, rolls = np.divmod(places, ROW)
        assert isinstance(self.strategy, SingleGameStrategy)
        answers = np.array(
            [
                ask_one(self.strategy, self.rules, code, roll, 2 - stage)
                for code, roll in zip(self.cards[rows].tolist(), rolls.tolist(), strict=True)
            ]
        )
        if self.is_small and stage < 2:
            answers = KEEP_OF_MASK[rolls, answers]
        self.stages[stage][places] = answers + 1

    def _learn_rows(self, rows: NDArray[np.int64]) -> None:
        look_ahead = isinstance(self.strategy, LookaheadStrategy)
        step = WIDTH if look_ahead else ASK_AT_ONCE
        decide = self._look_ahead if look_ahead else self._ask_rows
        parts = [rows[start : start + step] for start in range(0, len(rows), step)]
        if self._handle is not None or len(parts) > 1:
            # Processes that share the table and miss the same rows begin at different ends.
            random.Random(os.getpid()).shuffle(parts)
        table = self.table.reshape(-1, 3, N_ROLLS)
        for part in parts:
            missing = part[~table[part, 2].all(axis=1)]
            if not missing.size:
                continue
            decided = decide(self.cards[missing])
            if self.is_small:
                keeps = KEEP_OF_MASK[np.arange(N_ROLLS), decided[:, :2]]
                table[missing, :2] = keeps + 1
            else:
                table[missing, :2] = decided[:, :2] + np.uint8(1)
            table[missing, 2] = decided[:, 2] + np.uint8(1)  # last: it says that a row is whole

    def _look_ahead(self, codes: NDArray[np.int64]) -> NDArray[np.uint8]:
        if not hasattr(self._own, "turns"):
            self._own.turns = Turns(scoring(self.rules))
        return self._own.turns.decisions(codes, self._with_bonus)

    @cached_property
    def _worth(self) -> NDArray[np.float64]:
        assert isinstance(self.strategy, LookaheadStrategy)
        return worth_by_code(self.strategy, self.rules)

    @cached_property
    def _with_bonus(self) -> NDArray[np.float64]:
        return Turns(scoring(self.rules)).with_bonus(self._worth)

    def _ask_rows(self, codes: NDArray[np.int64]) -> NDArray[np.uint8]:
        decided = np.empty((len(codes), 3, N_ROLLS), dtype=np.uint8)
        every = np.repeat(codes, N_ROLLS)
        rolls = np.tile(np.arange(N_ROLLS), len(codes))
        for stage in range(3):
            turn = make_turn(self.strategy, self.rules, every, rolls, 2 - stage)
            decided[:, stage] = ask(self.strategy, turn).reshape(len(codes), N_ROLLS)
        return decided

    def decisions(self, codes: NDArray[np.int64]) -> NDArray[np.uint8]:
        """(m, 3, 252): the masks with 2 and 1 rolls left, and boxes, for every roll."""
        rows = self.rows(codes, np.empty_like(codes))
        table = self.table.reshape(-1, 3, N_ROLLS)
        entries = table[rows]  # (m, 3, 252)
        if not entries.all():
            if isinstance(self.strategy, SingleGameStrategy):
                for stage in range(3):
                    card, roll = np.nonzero(entries[:, stage] == 0)
                    self.learn(stage, rows[card] * ROW + roll)
            else:
                self._learn_rows(np.unique(rows))
            entries = table[rows]
        entries -= 1
        if self.is_small:
            entries[:, :2] = mask_of_keep()[np.arange(N_ROLLS), entries[:, :2]]
        return entries.astype(np.uint8)

    def answers(self, codes: NDArray, rolls: NDArray, rolls_left: int) -> NDArray[np.uint8]:
        """(n,): the masks, or boxes, for these cards and rolls."""
        stage = 2 - rolls_left
        places = self.rows(codes, np.empty_like(codes)) * ROW + rolls
        table = self.stages[stage]
        if (table[places] == 0).any():
            self.learn(stage, places[table[places] == 0])
        answers = table[places] - 1
        if self.is_small and rolls_left:
            return mask_of_keep()[rolls, answers]
        return answers.astype(np.uint8)


_ROWS: OrderedDict[tuple, Rows] = OrderedDict()
_ROWS_KEPT = 4
"""Large tables remembered at a time, and ten times as many small ones."""


def rows_of(strategy: AnyStrategy, rules: Rules, shared: Handle | None = None) -> Rows:
    """The table of a strategy's decisions, remembered from call to call within a bound."""
    key = (strategy, rules.key, shared)
    rows = _ROWS.pop(key, None) or Rows(strategy, rules, shared)
    _ROWS[key] = rows
    for small, bound in ((False, _ROWS_KEPT), (True, 10 * _ROWS_KEPT)):
        same = [k for k, r in list(_ROWS.items()) if r.is_small == small]
        for old in same[:-bound]:
            _ROWS.pop(old, None)
    return rows


def make_turn(
    strategy: AnyStrategy,
    rules: Rules,
    codes: NDArray[np.int64],
    rolls: NDArray,
    rolls_left: int,
    **beyond: Any,
) -> Turn:
    """A turn that shows what the strategy declares, and can answer for strategies it wraps."""
    sees = beyond.pop("sees", frozenset(strategy.sees))
    return Turn(rules, codes, rolls, rolls_left, sees=sees, answers_of=_answers_of, **beyond)


def _answers_of(strategy: AnyStrategy, turn: Turn) -> NDArray:
    """What a tabulated strategy answers on someone else's turn."""
    hidden = strategy.looks_at - turn._sees
    if hidden:
        raise StrategyError(
            f"it asks {strategy.label}, which looks at {', '.join(sorted(hidden))}: add that to "
            "its own `sees`"
        )
    answers = rows_of(strategy, turn.rules).answers(turn._codes, turn._rolls, turn.rolls_left)
    if turn.rolls_left:
        return np.unpackbits(answers[:, None], axis=1, count=5, bitorder="little").astype(bool)
    return answers.astype(np.intp)


# --- deciders: what the engine holds ----------------------------------------------------------


class Decider(Protocol):
    """Answers for a batch, one round after the other, in the entries that the engine looks up."""

    def begin(self, seat: Any) -> None: ...
    def keeps(self, rolls: NDArray[np.uint8], rolls_left: int) -> NDArray[np.int64]: ...
    def boxes(self, rolls: NDArray[np.uint8]) -> NDArray[np.int64]: ...


class TabulatedDecider:
    """Looks decisions up in the rows of a strategy. Buffers for `width` games; one thread."""

    def __init__(self, rows: Rows, width: int):
        self._rows = rows
        self._base = np.empty(width, dtype=np.int64)
        self._place = np.empty(width, dtype=np.int64)
        self._entry = np.empty(width, dtype=np.int64)
        self._found = np.empty(width, dtype=rows.table.dtype)

    def begin(self, seat: Any) -> None:
        base = self._rows.rows(seat.code, self._base[: len(seat.code)])
        np.multiply(base, ROW, out=base)

    def keeps(self, rolls: NDArray[np.uint8], rolls_left: int) -> NDArray[np.int64]:
        n = len(rolls)
        found, place, entry = self._look_up(rolls, 2 - rolls_left), self._place[:n], self._entry[:n]
        if self._rows.is_small:  # the keep, plus 1
            np.multiply(found, N_THROWS, out=entry, dtype=np.int64)
            return np.subtract(entry, N_THROWS - 1, out=entry)
        np.multiply(rolls, 33, out=place, dtype=np.int64)
        np.add(place, found, out=place)
        return np.take(KEEP_ENTRY, place, out=entry, mode="clip")

    def boxes(self, rolls: NDArray[np.uint8]) -> NDArray[np.int64]:
        entry = self._entry[: len(rolls)]
        found = self._look_up(rolls, 2)
        np.multiply(rolls, 13, out=entry, dtype=np.int64)
        return np.add(entry, found, out=entry)

    def _look_up(self, rolls: NDArray[np.uint8], stage: int) -> NDArray:
        n = len(rolls)
        place, found, table = self._place[:n], self._found[:n], self._rows.stages[stage]
        np.add(self._base[:n], rolls, out=place)
        np.take(table, place, out=found, mode="clip")
        if found.min() == 0:
            self._rows.learn(stage, place[found == 0])
            np.take(table, place, out=found, mode="clip")
        return found


class DirectDecider:
    """Asks a rule of thumb anew for every batch: one that is asked game by game."""

    def __init__(self, strategy: Strategy, rules: Rules):
        self._strategy = strategy
        self._rules = rules
        self._seat: Any = None

    def begin(self, seat: Any) -> None:
        self._seat = seat
        self._card = seat.code.copy()
        sees = self._strategy.sees
        self._total = seat.total_so_far() if "total" in sees else None
        self._rivals = seat.rivals() if "rivals" in sees else ()

    def keeps(self, rolls: NDArray[np.uint8], rolls_left: int) -> NDArray[np.int64]:
        return KEEP_ENTRY[self._ask(rolls, rolls_left) + rolls * np.int64(33) + 1]

    def boxes(self, rolls: NDArray[np.uint8]) -> NDArray[np.int64]:
        return self._ask(rolls, 0) + rolls * np.int64(13) + 1

    def _ask(self, rolls: NDArray[np.uint8], rolls_left: int) -> NDArray[np.uint8]:
        seat = self._seat
        turn = make_turn(
            self._strategy,
            self._rules,
            self._card,
            rolls.copy(),
            rolls_left,
            total=self._total,
            rivals=self._rivals,
            luck=lambda call: seat.luck(rolls_left, call),
        )
        return ask(self._strategy, turn, lambda row: seat.first + row)


def is_tabulated(strategy: AnyStrategy, rules: Rules) -> bool:
    """Whether a strategy is played from a table of its decisions.

    Raises
    ------
    StrategyError
        If a single-game or lookahead strategy declares what only a batch can be shown.
    """
    beyond = frozenset(strategy.sees) & BEYOND_THE_CARD
    if not isinstance(strategy, Strategy):
        if beyond:
            kind = next(
                k for k in (LookaheadStrategy, SingleGameStrategy) if isinstance(strategy, k)
            )
            raise StrategyError(
                f"{strategy.label}: only a Strategy can see {', '.join(sorted(beyond))}; a "
                f"{kind.__name__} is shown the card alone"
            )
        return True
    return not beyond and "upper" not in key_of(strategy, rules)


def decider(
    strategy: AnyStrategy,
    rules: Rules,
    width: int,
    direct: bool | None = None,
    shared: Handle | None = None,
) -> Decider:
    """Whoever decides for this strategy in the engine.

    Parameters
    ----------
    strategy : Strategy, LookaheadStrategy or SingleGameStrategy
    rules : Rules
    width : int
        The most games in a batch.
    direct : bool, optional
        Ask a `Strategy` directly, or not, whatever it looks at; for tests of their equality.
    shared : Handle, optional
        Where another process keeps the table, see `Rows.share`.
    """
    check_parameters(strategy)
    tabulated = is_tabulated(strategy, rules)
    if direct is not None and isinstance(strategy, Strategy):
        tabulated = not direct
    if tabulated:
        return TabulatedDecider(rows_of(strategy, rules, shared), width)
    assert isinstance(strategy, Strategy)
    return DirectDecider(strategy, rules)
