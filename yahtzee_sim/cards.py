"""The card: what is filled, the upper total, whether the Yahtzee box holds 50.

A card is one integer, its code: ``filled << 8 | upper << 1 | fifty``. Scoring a roll then adds a
table entry to the code. The upper total in a code may lie above the threshold (up to 105); what
strategies see is capped, since points above the threshold change nothing.

`Cards` is the batch of cards that a strategy looks at. Knows nothing of dice streams or games.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.categories import ALL_BOXES, UPPER, YAHTZEE_BIT
from yahtzee_sim.dice import N_ROLLS, ROLL_COUNTS
from yahtzee_sim.errors import StrategyError
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.scoring import OPEN_OF_FILLED

N_CODES = 1 << 21
WHOLE_CARD = frozenset({"open", "upper", "fifty"})
FILLED_COUNT = np.array([mask.bit_count() for mask in range(8192)], dtype=np.int32)


def encode(filled: NDArray | int, upper: NDArray | int, fifty: NDArray | int | bool):
    """The code of a card, or of arrays of cards."""
    return filled << 8 | upper << 1 | fifty


CODE_GAIN = np.zeros((N_ROLLS, 13), dtype=np.int64)
"""(252, 13): what scoring a roll in a box adds to the code, without the 50 of a Yahtzee box."""
CODE_GAIN[:] = 1 << (8 + np.arange(13))
CODE_GAIN[:, :6] += (ROLL_COUNTS * np.arange(1, 7)) << 1
CODE_GAIN.flags.writeable = False


@cache
def reachable(threshold: int) -> NDArray[np.int64]:
    """Codes of all cards that can be, ascending, upper totals capped at the threshold.

    The full cards (no box open) are the last ones. With the threshold at 63 these are 536,448,
    of which 128 are full.
    """
    totals: list[set[int]] = [{0}]  # by mask of filled upper boxes
    for mask in range(1, UPPER + 1):
        face = mask.bit_length()
        rest = totals[mask ^ (1 << (face - 1))]
        totals.append({min(total + n * face, threshold) for total in rest for n in range(6)})
    upper_cards = np.array([mask << 8 | t << 1 for mask in range(64) for t in totals[mask]])
    lower = np.arange(0, ALL_BOXES + 1, UPPER + 1)
    cards = (lower[:, None] << 8 | upper_cards).ravel()
    with_yahtzee = cards[(cards >> 8 & YAHTZEE_BIT) > 0]
    codes = np.sort(np.concatenate([cards, with_yahtzee | 1]))
    codes.flags.writeable = False
    return codes


def same_future(codes: NDArray[np.int64], rules: Rules) -> NDArray[np.int64]:
    """For each card, one that has the same future under the rules.

    The same are cards that can no longer reach the upper bonus, those that have it, and those
    with and without a 50 where the rules make no difference.

    Parameters
    ----------
    codes : (n,) int64
    rules : Rules

    Returns
    -------
    (n,) int64
    """
    threshold = rules.upper_bonus_threshold
    filled, upper, fifty = codes >> 8, codes >> 1 & 127, codes & 1
    most = np.zeros(64, dtype=np.int64)  # that the open upper boxes can still bring
    for box in range(6):
        most[(np.arange(64) >> box & 1) == 0] += 5 * (box + 1)
    upper = np.where(upper >= threshold, threshold, upper)
    upper = np.where(upper + most[filled & UPPER] < threshold, 0, upper)
    if not (rules.yahtzee_bonus or rules.joker_needs_fifty):
        fifty = np.zeros_like(fifty)
    return filled << 8 | upper << 1 | fifty


def capped(codes: NDArray[np.int64], rules: Rules) -> NDArray[np.int64]:
    """Codes with their upper totals capped at the threshold."""
    upper = np.minimum(codes >> 1 & 127, rules.upper_bonus_threshold)
    return (codes & ~0xFE) | upper << 1


def _read_only(array: NDArray) -> NDArray:
    array.flags.writeable = False
    return array


def refuse_unseen(what: str, attribute: str, sees: frozenset[str]) -> NoReturn:
    """A strategy has read what it does not declare."""
    raise StrategyError(
        f"it reads `{attribute}`, which it does not declare: add {what!r} to its `sees` "
        f"(now {{{', '.join(map(repr, sorted(sees)))}}})"
    )


class Cards:
    """A batch of n cards as a strategy sees them; every array is read-only.

    Attributes
    ----------
    rules : Rules
    open : (n, 13) bool
        The unfilled boxes.
    open_mask : (n,) int32
        The same as a number, bit i being category i, to look tables up by.
    upper : (n,) int32
        Points in the upper boxes, capped at the threshold.
    to_bonus : (n,) int32
        Points still missing for the upper bonus, 0 once it is reached.
    fifty : (n,) bool
        Whether the Yahtzee box holds 50.
    codes : (n,) int64
        The whole card as one number, upper total capped; see `yahtzee_sim.cards`.
    round : (n,) int32
        1 to 13.
    """

    rules: Rules

    def __init__(
        self, rules: Rules, codes: NDArray[np.int64], *, sees: frozenset[str] = WHOLE_CARD
    ):
        self._set(rules=rules)
        self._codes = codes
        self._sees = sees

    def _set(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"`{name}` can only be read")
        super().__setattr__(name, value)

    def __len__(self) -> int:
        return len(self._codes)

    def _check_seen(self, what: str, attribute: str) -> None:
        if what not in self._sees:
            refuse_unseen(what, attribute, self._sees)

    @cached_property
    def open(self) -> NDArray[np.bool_]:
        self._check_seen("open", "open")
        return _read_only(OPEN_OF_FILLED[self._codes >> 8])

    @cached_property
    def open_mask(self) -> NDArray[np.int32]:
        self._check_seen("open", "open_mask")
        return _read_only(np.int32(ALL_BOXES) ^ (self._codes >> 8).astype(np.int32))

    @cached_property
    def round(self) -> NDArray[np.int32]:
        self._check_seen("open", "round")
        return _read_only(FILLED_COUNT[self._codes >> 8] + np.int32(1))

    @cached_property
    def upper(self) -> NDArray[np.int32]:
        self._check_seen("upper", "upper")
        return _read_only(self._upper)

    @cached_property
    def to_bonus(self) -> NDArray[np.int32]:
        self._check_seen("upper", "to_bonus")
        return _read_only(np.int32(self.rules.upper_bonus_threshold) - self._upper)

    @cached_property
    def fifty(self) -> NDArray[np.bool_]:
        self._check_seen("fifty", "fifty")
        return _read_only((self._codes & 1).astype(bool))

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        for what in ("open", "upper", "fifty"):
            self._check_seen(what, "codes")
        return _read_only(capped(self._codes, self.rules))

    @property
    def _upper(self) -> NDArray[np.int32]:
        upper = (self._codes >> 1 & 127).astype(np.int32)
        return np.minimum(upper, np.int32(self.rules.upper_bonus_threshold))
