"""The dice of every game ever played, as a pure function of a few numbers.

The three throws of a round are one 64-bit word of the Philox4x64 counter generator, whose raw
words numpy guarantees never to change. The word of (seed, stream, seat, game, round, attempt) is

    key      (seed, 2 * stream)
    counter  (game // 4, round, attempt, seat),  lane game % 4

Its top 51 bits u give the throws: u * 6^15 / 2^51 has the integer part that, written in base
7776, is the three throws. That is exactly uniform if words whose remainder is below 2^51 mod 6^15
are rejected; a rejected word is replaced by that of the next attempt. About one word in 33,000 is.

Luck that a strategy asks for comes from another key, (seed, 2 * stream + 1), with the counter
(game // 4, round * 4 + rolls left, number of the call, seat).

Knows nothing of rules or strategies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LAYOUT = 1
"""Version of everything above: it stands in every manifest."""
SEED_LIMIT = 2**64
_OUTCOMES = 6**15
_BITS = 51
_FRACTION = np.uint64(2**_BITS - 1)
_SHIFT = np.uint64(64 - _BITS)
_DOWN = np.uint64(_BITS)
_BASE = np.uint64(7776)


class _Words:
    """Philox words of one key, for games in a row; keeps one generator and moves its counter."""

    def __init__(self, key: tuple[int, int]):
        self._generator = np.random.Philox(key=np.array(key, dtype=np.uint64))
        self._state = self._generator.state
        self._state["buffer_pos"] = 4  # nothing left over from the block before

    def __call__(self, counter: tuple[int, int, int], first: int, n: int) -> NDArray[np.uint64]:
        """n words, of the games first to first + n - 1; `counter` is all but its first word."""
        self._state["state"]["counter"][:] = (first // 4, *counter)
        self._generator.state = self._state
        skip = first % 4
        return self._generator.random_raw(skip + n)[skip:]


class DiceStream:
    """The dice of one seat: three throws a round for any games in a row.

    Parameters
    ----------
    seed : int
        0 to 2^64 - 1.
    stream : int
        Which stream of dice; players who meet the same dice share one.
    seat : int
        The place at the table.
    width : int
        The most games asked for at a time; buffers of this size are kept. One thread only.
    reject_below : int
        For tests of the rejection alone.
    """

    def __init__(
        self,
        seed: int,
        stream: int = 0,
        seat: int = 0,
        width: int = 16_384,
        reject_below: int = 2**_BITS % _OUTCOMES,
    ):
        self._words = _Words((seed, 2 * stream))
        self._seat = seat
        self._reject_below = np.uint64(reject_below)
        self._fraction = np.empty(width, dtype=np.uint64)
        self._throws = np.empty((3, width), dtype=np.uint64)

    def words(self, first: int, n: int, round_: int, attempt: int = 0) -> NDArray[np.uint64]:
        """The raw words of n games in a row, of one round and attempt."""
        return self._words((round_, attempt, self._seat), first, n)

    def throws(self, first: int, n: int, round_: int) -> NDArray[np.int64]:
        """The three throws of one round, 0 to 12.

        Returns
        -------
        (3, n) int64
            Each throw a number from 0 to 7775: five dice in base 6, the first most significant,
            0 for a one. A view of a buffer: the next call overwrites it.
        """
        fraction, throws = self._fraction[:n], self._throws[:, :n]
        _split(self.words(first, n, round_), fraction, throws)
        if fraction.min() < self._reject_below:
            for i in np.flatnonzero(fraction < self._reject_below):
                self._throw_again(first, int(i), round_)
        return throws.view(np.int64)

    def _throw_again(self, first: int, i: int, round_: int) -> None:
        rest, attempt = self._fraction[i : i + 1], 0
        while rest[0] < self._reject_below:
            attempt += 1
            word = self.words(first + i, 1, round_, attempt)
            _split(word, rest, self._throws[:, i : i + 1])


def _split(
    words: NDArray[np.uint64], fraction: NDArray[np.uint64], throws: NDArray[np.uint64]
) -> None:
    """Write the three throws in each word, and what is left of its fraction."""
    np.right_shift(words, _SHIFT, out=fraction)
    for throw in throws:
        np.multiply(fraction, _BASE, out=fraction)  # 51 + 13 bits: fits
        np.right_shift(fraction, _DOWN, out=throw)
        np.bitwise_and(fraction, _FRACTION, out=fraction)


def luck(
    seed: int, stream: int, seat: int, first: int, n: int, round_: int, rolls_left: int, call: int
) -> NDArray[np.float64]:
    """n floats in [0, 1) for games in a row: the luck that a strategy asks for."""
    words = _Words((seed, 2 * stream + 1))((round_ * 4 + rolls_left, call, seat), first, n)
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
