"""`replay`: any single game of a run, roll by roll."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import yahtzee_sim
from yahtzee_sim.batches import check_seed
from yahtzee_sim.categories import Category
from yahtzee_sim.dice import FIVE_FACE, KEEPS
from yahtzee_sim.engine import UPPER_BONUS, Record, Seat, play
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.registry import strategy as to_strategy
from yahtzee_sim.results import Table
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.specs import whole
from yahtzee_sim.strategy_types import faces_of_roll


@dataclass(frozen=True, eq=False, repr=False)
class Replay:
    """One game, turn by turn.

    Attributes
    ----------
    label : str
        The strategy with its parameters.
    rules : Rules
    game, seed : int
    frame : Table
        By round, 1 to 13: `roll_1`, `keep_1`, `roll_2`, `keep_2`, `roll_3` (dice ascending, as
        text), `category`, `points` in the box, `yahtzee_bonus`, `upper_bonus`, and `total` so
        far.
    """

    label: str
    rules: Rules
    game: int
    seed: int
    frame: Table

    @property
    def total(self) -> int:
        """The final total."""
        return int(self.frame["total"].iloc[-1])

    def __repr__(self) -> str:
        lines = [f"{self.label}, game {self.game:,} of seed {self.seed}, rules {self.rules.name}"]
        lines.append("round  roll   keep   roll   keep   roll   box              points  total")
        for turn in self.frame.itertuples():
            extra = ""
            if turn.yahtzee_bonus:
                extra += f"  +{turn.yahtzee_bonus} Yahtzee bonus"
            if turn.upper_bonus:
                extra += f"  +{turn.upper_bonus} upper bonus"
            lines.append(
                f"{turn.Index:>5}  {turn.roll_1:<5}  {turn.keep_1 or '-':<5}  {turn.roll_2:<5}  "
                f"{turn.keep_2 or '-':<5}  {turn.roll_3:<5}  {turn.category:<15}  "
                f"{turn.points:>6}  {turn.total:>5}{extra}"
            )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        import html

        return f"<p>{html.escape(self.frame.attrs['caption'])}</p>{self.frame.to_html()}"


def replay(
    strategy: object,
    game: int,
    seed: int,
    *,
    rules: str | Rules = "official",
    stream: int = 0,
) -> Replay:
    """Play one game of a run again, and show it roll by roll.

    Parameters
    ----------
    strategy : str, class or strategy
    game : int
        Its number in the run: the row in `Result.games`, from 0.
    seed : int
        That of the run.
    rules : str or Rules
    stream : int
        That of the result; not 0 only in ``compare(..., paired=False)``.

    Returns
    -------
    Replay

    Raises
    ------
    YahtzeeError
        For a game that cannot be.
    """
    player, which = to_strategy(strategy), to_rules(rules)
    if seed is None:
        raise YahtzeeError("replay needs the seed of the run; every result says its own")
    game, seed = _number("game", game), check_seed(seed)
    stream = _number("stream", stream)
    seat, record = Seat(player, which, seed, stream, width=1), Record.empty(1)
    play([seat], game, 1, [record])
    frame = _frame(seat, record, which)
    frame.attrs["caption"] = (
        f"{player.label}, game {game:,} of seed {seed}, rules {which.name}: "
        f"{int(seat.games[-1, 0])} points, yahtzee-sim {yahtzee_sim.__version__}"
    )
    return Replay(player.label, which, game, seed, frame)


def _number(what: str, value: Any) -> int:
    number = whole(value)
    if number is None or not 0 <= number < 2**62:
        raise YahtzeeError(f"{what} is a whole number from 0 up, not {value!r}")
    return number


def _frame(seat: Seat, record: Record, rules: Rules) -> Table:
    rolls, keeps, boxes = record.rolls[..., 0], record.keeps[..., 0], record.boxes[:, 0]
    points = seat.games[boxes, 0].astype(int)
    had_fifty = np.zeros(13, bool)
    filled_yahtzee = np.flatnonzero(boxes == Category.YAHTZEE)[0]
    had_fifty[filled_yahtzee + 1 :] = points[filled_yahtzee] == 50
    five = FIVE_FACE[rolls[2]] > 0
    yahtzee_bonus = np.where(five & had_fifty, rules.yahtzee_bonus, 0)
    upper = np.cumsum(np.where(boxes <= Category.SIXES, points, 0))
    reached = np.flatnonzero(upper >= rules.upper_bonus_threshold)
    upper_bonus = np.zeros(13, int)
    if reached.size:
        upper_bonus[reached[0]] = seat.games[UPPER_BONUS, 0]
    columns = {
        "roll_1": [_text(faces_of_roll(r)) for r in rolls[0]],
        "keep_1": [_text(KEEPS[k]) for k in keeps[0]],
        "roll_2": [_text(faces_of_roll(r)) for r in rolls[1]],
        "keep_2": [_text(KEEPS[k]) for k in keeps[1]],
        "roll_3": [_text(faces_of_roll(r)) for r in rolls[2]],
        "category": [Category(int(b)).column for b in boxes],
        "points": points,
        "yahtzee_bonus": yahtzee_bonus,
        "upper_bonus": upper_bonus,
        "total": np.cumsum(points + yahtzee_bonus + upper_bonus),
    }
    return Table(columns, index=pd.RangeIndex(1, 14, name="round"))


def _text(faces: tuple[int, ...]) -> str:
    return "".join(map(str, faces))
