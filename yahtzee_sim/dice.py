"""Five dice as multisets: the 252 rolls, the 462 keeps, and the way from a keep to a roll.

A roll is five dice in ascending order, numbered in lexicographic order from 11111 (0) to 66666
(251). A keep is a multiset of zero to five dice, numbered by size and then lexicographically, so
that keeping roll r whole is keep 210 + r. What three rolls of a round show is numbered by the
five dice as they fall, first die most significant, in base 6: 0 to 7775.

Knows nothing of points, cards or seeds.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.specs import whole

N_ROLLS, N_KEEPS, N_THROWS = 252, 462, 7776
FIRST_WHOLE_KEEP = 210
"""The number of the keep that keeps all of roll 0."""


def _frozen(array: NDArray) -> NDArray:
    array.flags.writeable = False
    return array


KEEPS: tuple[tuple[int, ...], ...] = tuple(
    faces for size in range(6) for faces in combinations_with_replacement(range(1, 7), size)
)
"""The faces of every keep, ascending."""
KEEP_SIZE = _frozen(np.array([len(faces) for faces in KEEPS]))
KEEP_COUNTS = _frozen(np.array([[faces.count(f) for f in range(1, 7)] for faces in KEEPS]))
"""(462, 6): how many of each face a keep has."""
ROLLS = _frozen(np.array(KEEPS[FIRST_WHOLE_KEEP:], dtype=np.int32))
"""(252, 5): the dice of every roll, ascending."""
ROLL_COUNTS = _frozen(KEEP_COUNTS[FIRST_WHOLE_KEEP:].astype(np.int32))
"""(252, 6): how many of each face a roll has."""
ROLL_SUM = _frozen(ROLLS.sum(axis=1))
FIVE_FACE = _frozen(np.where(ROLL_COUNTS.max(axis=1) == 5, ROLLS[:, 0], 0))
"""(252,): the face of a five of a kind, 0 for every other roll."""

# A multiset of at most five dice is one number: its counts as digits in base 6.
_PLACES = 6 ** np.arange(6)
_KEEP_AT = np.full(6**6, -1, dtype=np.int16)
_KEEP_AT[KEEP_COUNTS @ _PLACES] = np.arange(N_KEEPS)

_BITS = (np.arange(32)[:, None] >> np.arange(5)) & 1  # (32, 5): which dice a mask keeps
KEEP_OF_MASK = _frozen(
    _KEEP_AT[(_PLACES[ROLLS - 1][:, None, :] * _BITS[None, :, :]).sum(axis=2)].astype(np.int64)
)
"""(252, 32): the keep that a mask over the sorted dice keeps; bit i is die i."""


@cache
def mask_of_keep() -> NDArray[np.uint8]:
    """(252, 462): the lowest mask that keeps this of that roll; 255 if it cannot be kept."""
    masks = np.full((N_ROLLS, N_KEEPS), 255, dtype=np.uint8)
    for mask in range(31, -1, -1):
        masks[np.arange(N_ROLLS), KEEP_OF_MASK[:, mask]] = mask
    return _frozen(masks)


@cache
def rolls_after() -> NDArray[np.uint8]:
    """(462, 7776): the roll that follows a keep when the five dice of the throw are these.

    A keep of k dice takes the first 5 - k dice of the throw.
    """
    throws = (np.arange(N_THROWS)[:, None] // 6 ** np.arange(4, -1, -1)) % 6
    thrown = np.concatenate(
        [np.zeros((N_THROWS, 1), dtype=np.int64), np.cumsum(_PLACES[throws], axis=1)], axis=1
    )
    after = np.empty((N_KEEPS, N_THROWS), dtype=np.uint8)
    for size in range(6):
        keeps = np.flatnonzero(size == KEEP_SIZE)
        whole = (KEEP_COUNTS[keeps] @ _PLACES)[:, None] + thrown[None, :, 5 - size]
        after[keeps] = _KEEP_AT[whole] - FIRST_WHOLE_KEEP
    return _frozen(after)


@cache
def transition_counts() -> NDArray[np.int64]:
    """(462, 252): of the 6^(5 - size) throws after a keep, how many lead to each roll."""
    after = rolls_after()
    counts = np.array([np.bincount(row, minlength=N_ROLLS) for row in after])
    return _frozen(counts // (6**KEEP_SIZE)[:, None])


_ROLL_OF = {faces: roll for roll, faces in enumerate(KEEPS[FIRST_WHOLE_KEEP:])}


def roll_number(dice: object) -> int:
    """The number of the roll that these five dice are, in any order.

    Raises
    ------
    YahtzeeError
        If they are not five whole numbers from 1 to 6.
    """
    if type(dice) is tuple and dice in _ROLL_OF and set(map(type, dice)) == {int}:
        return _ROLL_OF[dice]  # ascending already, as strategies are given them
    faces = faces_of(dice)
    if len(faces) != 5:
        raise YahtzeeError(f"a roll has five dice, not {len(faces)}: {_shown(dice)}")
    return keep_number(faces) - FIRST_WHOLE_KEEP


def keep_number(faces: tuple[int, ...]) -> int:
    """The number of the keep with these faces, in any order; at most five, each 1 to 6."""
    return int(_KEEP_AT[sum(int(_PLACES[face - 1]) for face in faces)])


def faces_of(dice: object) -> tuple[int, ...]:
    """Dice given as a sequence of numbers or as text (``"33356"``), as a tuple of faces."""
    wrong = f"dice are whole numbers from 1 to 6, such as [3, 3, 3, 5, 6]; got {_shown(dice)}"
    try:
        values = [int(c) for c in dice] if isinstance(dice, str) else list(dice)  # type: ignore
    except (TypeError, ValueError):
        raise YahtzeeError(wrong) from None
    faces = tuple(number for v in values if (number := whole(v)) is not None)
    if len(faces) < len(values):
        raise YahtzeeError(wrong)
    for face in faces:
        if not 1 <= face <= 6:
            raise YahtzeeError(f"a die shows 1 to 6, not {face}: {_shown(dice)}")
    return faces


def _shown(dice: object) -> str:
    text = repr(dice)
    return text if len(text) <= 60 else text[:57] + "..."
