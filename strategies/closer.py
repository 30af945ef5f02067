"""`closer`: plays for points until the end is near, and then for the win."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim import Strategy, StrategyError, Turn
from yahtzee_sim.dice import KEEP_OF_MASK
from yahtzee_sim.solutions import endgame_of

from .optimal import Optimal


@dataclass(frozen=True)
class Closer(Strategy):
    """Play like `optimal` until the last `turns` turns, and in these for the chance to win.

    Idea: at a table the highest total wins, by however much. Near the end that chance can be
    worked out, from the rivals' totals and the exact chances of what their cards still bring:
    who is ahead plays safe, who is behind takes risks. Alone, it is `optimal`.
    Origin: Pawlewicz, "Nearly Optimal Computer Play in Multi-player Yahtzee" (2010), whose players
    win from one to three percent more games than those who play for points.
    Mean under `official`: 254.551, se 0.0190, of 10 M games.

    Parameters
    ----------
    turns : int
        1 to 3; each more takes about ten times as long.
    """

    turns: int = 2
    sees = frozenset({"open", "upper", "fifty", "total", "rivals"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.turns <= 3:
            raise StrategyError(f"closer's turns are 1 to 3, not {self.turns!r}")

    def keep(self, turn: Turn) -> NDArray[np.bool_]:
        keep = Optimal().keep(turn)
        end, games, me, rivals = self._closing(turn)
        if len(games):
            values = end.keep_values(me, rivals, turn.rolls_left)
            by_mask = np.take_along_axis(values, KEEP_OF_MASK[turn.roll[games]], axis=1)
            keep[games] = by_mask.argmax(axis=1)[:, None] >> np.arange(5) & 1
        return keep

    def category(self, turn: Turn) -> NDArray[np.integer]:
        box = Optimal().category(turn)
        end, games, me, rivals = self._closing(turn)
        if len(games):
            box[games] = end.scored(me, rivals, turn.roll[games]).argmax(axis=1)
        return box

    def _closing(self, turn: Turn):
        """The endgame, the games that are in it, their card and total, and those of rivals."""
        if not turn.rivals or (turn.round <= 13 - self.turns).all():
            return None, np.empty(0, np.intp), None, None
        end = endgame_of(turn.rules, self.turns)
        near = end.knows(turn.codes)
        for rival in turn.rivals:
            near &= end.knows(rival.codes)
        games = np.flatnonzero(near)
        me = turn.codes[games], turn.total[games].astype(np.int64)
        return (
            end,
            games,
            me,
            [(rival.codes[games], rival.total[games].astype(np.int64)) for rival in turn.rivals],
        )
