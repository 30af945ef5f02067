"""The optimal value of every card, by backward induction over the number of filled boxes.

Arrays only: files, caches and the user's view of a solution are in `yahtzee_sim.solutions`.

Many cards have the same future: those that can no longer reach the upper bonus, those that have
it, and those with and without a 50 where the rules make no difference. One of each kind is
solved, 359,612 of the 536,320 cards with the threshold at 63.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.cards import FILLED_COUNT, N_CODES, reachable, same_future
from yahtzee_sim.expectimax import WIDTH, Turns
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.scoring import scoring
from yahtzee_sim.sharing import cores


def optimal_worth(
    rules: Rules,
    done: Callable[[int], None] = lambda n: None,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """The expected points that the rest of every card brings under optimal play.

    Parameters
    ----------
    rules : Rules
    done : callable
        Told how many more of the cards are solved; `cards_to_solve` says how many there are.
    threads : int, optional
        By default the cores there are, at most 4.

    Returns
    -------
    (2^21,) float64
        By code; 0 for full cards and for codes that no card has. Upper totals above the
        threshold read the card at the threshold.
    """
    threads = threads or min(cores(), 4)
    tables = scoring(rules)
    worth = np.zeros(N_CODES)
    with_bonus = Turns(tables).with_bonus(worth)
    every = np.arange(N_CODES)
    count = FILLED_COUNT[every >> 8]
    solved_as = same_future(every, rules)
    to_solve = cards_to_solve(rules)
    level_of = FILLED_COUNT[to_solve >> 8]
    own = threading.local()

    def solve(codes: NDArray[np.int64]) -> None:
        if not hasattr(own, "turns"):
            own.turns = Turns(tables)
        worth[codes] = own.turns.start_values(codes, with_bonus)
        done(len(codes))

    bonus = np.where((every >> 1 & 127) >= rules.upper_bonus_threshold, rules.upper_bonus, 0.0)
    with ThreadPoolExecutor(threads) as pool:
        for filled in range(12, -1, -1):
            level = to_solve[level_of == filled]
            list(pool.map(solve, [level[i : i + WIDTH] for i in range(0, len(level), WIDTH)]))
            codes = np.flatnonzero(count == filled)
            worth[codes] = worth[solved_as[codes]]
            with_bonus[codes] = worth[codes] + bonus[codes]
    return worth


def cards_to_solve(rules: Rules) -> NDArray[np.int64]:
    """Codes of the cards with a box open that are solved, one of each kind; ascending."""
    codes = reachable(rules.upper_bonus_threshold)
    codes = codes[FILLED_COUNT[codes >> 8] < 13]
    return np.unique(same_future(codes, rules))
