"""Small questions, answered exactly: the odds of a box, the price of a box, the opening table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import yahtzee_sim
from yahtzee_sim.categories import COLUMNS, Category, to_category
from yahtzee_sim.dice import KEEP_OF_MASK, KEEPS, N_ROLLS, transition_counts
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.expectimax import best_chance
from yahtzee_sim.results import Table
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.scoring import scoring
from yahtzee_sim.solutions import solve
from yahtzee_sim.strategy_types import faces_of_roll


def odds(
    category: Category | str | int,
    rolls: int = 3,
    *,
    at_least: int = 1,
    rules: str | Rules = "official",
) -> float:
    """The best chance that a box pays, for a player who goes for nothing else.

    Parameters
    ----------
    category : Category, str or int
    rolls : int
        1, 2 or 3.
    at_least : int
        The points wanted; any at all by default.
    rules : str or Rules
        Only `five_of_a_kind_is_full_house` matters.

    Returns
    -------
    float

    Examples
    --------
    >>> round(odds("four_of_a_kind"), 4)
    0.2908
    """
    box = to_category(category)
    if isinstance(rolls, bool) or rolls not in (1, 2, 3):
        raise YahtzeeError(f"rolls is 1, 2 or 3, not {rolls!r}")
    if isinstance(at_least, bool) or not isinstance(at_least, int | np.integer):
        raise YahtzeeError(f"at_least is a whole number of points, not {at_least!r}")
    wins = scoring(to_rules(rules)).points[:N_ROLLS, box] >= at_least
    return best_chance(wins, rolls)


def box_values(rules: str | Rules = "official") -> Table:
    """What each box is worth at the start of a game: what it costs to have to zero it first.

    Parameters
    ----------
    rules : str or Rules

    Returns
    -------
    Table
        By category: `cost`, in points; `without`, the expected total of a game that begins with
        the box crossed out and has twelve turns left.
    """
    solution = solve(rules)
    without = solution.worth[1 << (8 + np.arange(13))]
    frame = Table(
        {"cost": solution.expected - without, "without": without},
        index=pd.Index(COLUMNS, name="category"),
    )
    frame.attrs["caption"] = (
        f"price of each box at the start, exact, rules {solution.rules.name}, "
        f"yahtzee-sim {yahtzee_sim.__version__}"
    )
    return frame


def openings(rules: str | Rules = "official") -> Table:
    """The opening table: the best keep for each of the 252 first rolls of a game.

    Parameters
    ----------
    rules : str or Rules

    Returns
    -------
    Table
        By roll (dice as text): `probability`; `keep`, the best one; `value`, the expected total
        from there; `next_keep` and its `cost`, the second best and what it loses.
    """
    from yahtzee_sim.scorecard import Scorecard

    solution = solve(rules)
    values = solution.keep_values(Scorecard(rules=solution.rules), 2).to_numpy()
    rows: dict[str, dict[str, Any]] = {}
    for roll in range(N_ROLLS):
        kept = np.unique(KEEP_OF_MASK[roll])
        size = np.array([len(KEEPS[k]) for k in kept])
        close = np.round(values[kept], 9)  # equal values differ in their last digits only
        best, second, *_ = kept[np.lexsort((kept, -size, -close))]
        rows["".join(map(str, faces_of_roll(roll)))] = {
            "probability": transition_counts()[0, roll] / 6**5,
            "keep": "".join(map(str, KEEPS[best])),
            "value": values[best],
            "next_keep": "".join(map(str, KEEPS[second])),
            "cost": max(values[best] - values[second], 0.0),
        }
    frame = Table.from_dict(rows, orient="index")
    frame.index.name = "roll"
    frame.attrs["caption"] = (
        f"opening table, exact, rules {solution.rules.name}, yahtzee-sim {yahtzee_sim.__version__}"
    )
    return frame
