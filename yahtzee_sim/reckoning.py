"""What a decision cost and what a roll brought, measured with the optimal value of every card.

The value of a position is what optimal play brings from there on. A roll moves it by luck, a
decision by its cost, which is 0 for the best one: so a total is the value of the empty card, plus
the luck of its rolls, less the cost of its decisions.

For a stationary strategy the expected costs of all its decisions follow from the chances of the
cards it comes to; for games that were played, from their records. Arrays only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.cards import CODE_GAIN, capped
from yahtzee_sim.categories import Category
from yahtzee_sim.dice import FIVE_FACE, KEEP_OF_MASK, N_ROLLS
from yahtzee_sim.engine import Record
from yahtzee_sim.expectimax import TIE, Stages, Turns, in_groups, rolls_of_turn
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.scoring import scoring

STAGES = ("first_keep", "second_keep", "category")
"""The three decisions of a turn."""


@dataclass(frozen=True)
class Account:
    """What n games owe to luck and to decisions, turn by turn.

    Attributes
    ----------
    codes : (13, n) int64
        The card of each round, upper totals capped.
    luck : (3, 13, n) float64
        What each of the three rolls brought, by round.
    costs : (3, 13, n) float64
        What the two keeps and the choice of the box cost.
    """

    codes: NDArray[np.int64]
    luck: NDArray[np.float64]
    costs: NDArray[np.float64]


class Reckoner:
    """Reckons turns under one rule set. Has work arrays: an instance serves one thread.

    Parameters
    ----------
    rules : Rules
    worth : (2^21,) float64
        The optimal value of every card by code, as `Solution.worth`.
    """

    def __init__(self, rules: Rules, worth: NDArray[np.float64]):
        self.rules = rules
        self.worth = worth
        self.turns = Turns(scoring(rules))
        self.with_bonus = self.turns.with_bonus(worth)

    def costs(
        self, codes: NDArray[np.int64], decided: NDArray[np.uint8], stages: Stages | None = None
    ) -> NDArray[np.float64]:
        """(3, 252, m): what each decision on m cards costs, by stage and roll.

        Parameters
        ----------
        codes : (m,) int64
        decided : (m, 3, 252) uint8
            Masks with 2 and 1 rolls left, and boxes.
        stages : Stages, optional
            If they are known.
        """
        best = stages or self.turns.stages(codes, self.with_bonus)
        rolls = np.arange(N_ROLLS)[:, None]
        taken = np.empty_like(best.best)
        for stage in (0, 1):
            keep = KEEP_OF_MASK[rolls, decided[:, stage].T]
            taken[stage] = np.take_along_axis(best.keeps[stage], keep, axis=0)
        shape = N_ROLLS, len(codes)
        taken[2] = self.turns.scored(
            np.broadcast_to(codes, shape),
            np.broadcast_to(rolls, shape),
            decided[:, 2].T,
            self.with_bonus,
        )
        return cost(best.best, taken)

    @staticmethod
    def chances(decided: NDArray[np.uint8]) -> NDArray[np.float64]:
        """(3, 252, m): the chance that a turn under these decisions comes to each roll."""
        return np.stack([np.asarray(chance) for chance in rolls_of_turn(decided)])

    def account(self, record: Record) -> Account:
        """What each turn of recorded games owes to luck and to decisions."""
        n = record.boxes.shape[1]
        found = Account(np.empty((13, n), np.int64), np.empty((3, 13, n)), np.empty((3, 13, n)))
        code = np.zeros(n, np.int64)
        for turn in range(13):
            found.codes[turn] = capped(code, self.rules)
            self._turn(found, record, turn)
            roll, box = record.rolls[2, turn], record.boxes[turn]
            code += CODE_GAIN[roll, box]
            code |= (FIVE_FACE[roll] > 0) & (box == Category.YAHTZEE)
        return found

    def _turn(self, found: Account, record: Record, turn: int) -> None:
        codes, rolls = found.codes[turn], record.rolls[:, turn]
        luck, costs = found.luck[:, turn], found.costs[:, turn]
        taken = self.turns.scored(
            codes, rolls[2], record.boxes[turn].astype(np.intp), self.with_bonus
        )
        for cards, games, column in in_groups(codes):
            stages = self.turns.stages(cards, self.with_bonus)
            before = self.worth[codes[games]]
            for stage in range(3):
                best = stages.best[stage, rolls[stage, games], column]
                luck[stage, games] = best - before
                if stage < 2:
                    before = stages.keeps[stage, record.keeps[stage, turn, games], column]
                else:
                    before = taken[games]
                costs[stage, games] = cost(best, before)


def cost(best: NDArray[np.float64], taken: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is lost by taking less than the best; less than `TIE` is nothing."""
    lost = best - taken
    lost[lost < TIE] = 0.0
    return lost
