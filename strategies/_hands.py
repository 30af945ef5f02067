"""What the 252 rolls hold: tables that rules of thumb look up by `turn.roll`."""

from __future__ import annotations

import numpy as np

from yahtzee_sim.dice import ROLL_COUNTS, ROLLS

USUAL = (2, 5, 8, 12, 15, 19, 22, 13, 22, 30, 33, 17, 22)
"""About what each box brings to a good player, in whole points (`evaluate("optimal")`)."""

FACE = 6 - ROLL_COUNTS[:, ::-1].argmax(axis=1)
"""(252,): the face that shows most, the higher one if two show as often."""
SIZE = ROLL_COUNTS.max(axis=1)
"""(252,): how often it shows."""


def _longest_run(counts: np.ndarray) -> list[int]:
    """The faces of the longest run, the higher one of two."""
    best: list[int] = []
    for low in range(1, 7):
        run = []
        for face in range(low, 7):
            if not counts[face - 1]:
                break
            run.append(face)
        best = run if len(run) >= len(best) else best
    return best


_RUNS = [_longest_run(counts) for counts in ROLL_COUNTS]
RUN = np.array([len(run) for run in _RUNS])
"""(252,): how many faces in a row."""

_IS_PAIRED = np.take_along_axis(ROLL_COUNTS, ROLLS - 1, axis=1) >= 2
PAIRED = _IS_PAIRED.sum(axis=1)
"""(252,): how many dice are not alone: 4 or 5 are two pairs or a full house."""
IS_FULL_HOUSE = (SIZE == 3) & (PAIRED == 5)
"""(252,): three and two."""

# What to keep, by aim and roll.
ALL, RUN_DICE, PAIRS, GROUP, HIGH_4, HIGH_5, FACES = range(7)
"""Everything; one die of each face of the longest run; every die that is not alone; the largest
group; 4 and up; 5 and up; and ``FACES + i``, every die of face i + 1."""
KEEP = np.zeros((12, 252, 5), bool)
"""(12, 252, 5): which dice of a roll to keep, by aim."""
KEEP[ALL] = True
for _roll, _run in enumerate(_RUNS):
    for _face in _run:
        KEEP[RUN_DICE, _roll, np.flatnonzero(ROLLS[_roll] == _face)[0]] = True
KEEP[PAIRS] = _IS_PAIRED
KEEP[GROUP] = FACE[:, None] == ROLLS
KEEP[HIGH_4], KEEP[HIGH_5] = ROLLS >= 4, ROLLS >= 5
KEEP[FACES:] = np.arange(1, 7)[:, None, None] == ROLLS

KINDS = 1 << 6 | 1 << 7 | 1 << 11
"""The boxes for three, four and five of a kind, as a mask."""


def _best_face() -> np.ndarray:
    is_open = (np.arange(64)[:, None] >> np.arange(6) & 1)[None, :, None, :]
    useful = is_open | np.array([0, 1]).reshape(2, 1, 1, 1)
    wanted = np.where(useful, ROLL_COUNTS * 20 + is_open * 10, 0) + np.arange(6)
    return wanted.argmax(axis=3)


_BEST_FACE = _best_face()


def best_face(open_mask: np.ndarray, roll: np.ndarray) -> np.ndarray:
    """(n,): the face, less 1, to collect: of those with an open box of their own or for kinds the
    one that shows most, among equals one with a box of its own, then the highest."""
    return _BEST_FACE[(open_mask & KINDS > 0).astype(np.intp), open_mask & 63, roll]
