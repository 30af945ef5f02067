"""`solve`: the optimal expected score of every card, kept in the user's cache.

A solution on disk is versioned and checksummed, and written aside and renamed, so that two
processes that solve at once do no harm; a damaged or foreign file is solved again, with a warning.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import threading
import warnings
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.backward import cards_to_solve, optimal_worth
from yahtzee_sim.cards import Cards, capped, encode, reachable
from yahtzee_sim.categories import ALL_BOXES, COLUMNS
from yahtzee_sim.dice import KEEP_OF_MASK, KEEPS, roll_number
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.expectimax import TIE, Turns, in_groups
from yahtzee_sim.progress import Progress
from yahtzee_sim.reckoning import Reckoner
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.scorecard import Scorecard
from yahtzee_sim.scoring import scoring
from yahtzee_sim.strategy_types import Turn

if TYPE_CHECKING:
    import pandas as pd

    from yahtzee_sim.endgame import Endgame

CACHE_VERSION = 1
_MAGIC = b"yahtzee-sim solution\n"
_SOLVED: OrderedDict[tuple, Solution] = OrderedDict()
_KEPT = 8


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """The optimal play of one rule set.

    Attributes
    ----------
    rules : Rules
    worth : (2^21,) float64
        Points still to come by code of a card (see `yahtzee_sim.cards`), upper totals capped.
    """

    rules: Rules
    worth: NDArray[np.float64]

    @property
    def expected(self) -> float:
        """The expected total of an optimal game."""
        return float(self.worth[0])

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """(8192, threshold + 1, 2): points still to come, by mask of filled boxes (bit i is
        category i), upper total capped at the threshold, and whether the Yahtzee box holds 50;
        NaN for cards that cannot be."""
        threshold = self.rules.upper_bonus_threshold
        values = np.full((8192, 128, 2), np.nan)
        codes = reachable(threshold)
        values.reshape(-1)[codes] = self.worth[codes]
        return values[:, : threshold + 1]

    def value(self, card: Scorecard) -> float:
        """The expected points still to come on a card under optimal play, 0 if it is full.

        Bonuses still to be earned are included, what the card has already is not.
        """
        return float(self.worth[self._code(card)])

    def worth_of(self, cards: Cards) -> NDArray[np.float64]:
        """(n,): the points still to come on each of a batch of cards."""
        filled = ((~cards.open) @ (1 << np.arange(13))).astype(np.int64)
        return self.worth[encode(filled, cards.upper.astype(np.int64), cards.fifty)]

    def keep_values(self, card: Scorecard, rolls_left: int) -> pd.Series:
        """What every keep is worth, with 2 or 1 rolls left: points still to come.

        Returns
        -------
        pandas.Series
            462 values by the faces kept, as text: ``""`` for a new roll, ``"333"``.

        Raises
        ------
        YahtzeeError
            If the card is full, has other rules, or rolls_left is not 1 or 2.
        """
        import pandas as pd

        if rolls_left not in (1, 2):
            raise YahtzeeError(f"a keep is chosen with 2 or 1 rolls left, not {rolls_left!r}")
        code = np.array([self._open_code(card)])
        values = self._turns.keep_values(code, self._with_bonus, rolls_left)[:, 0]
        index = pd.Index([_text(faces) for faces in KEEPS], name="keep")
        return pd.Series(values, index=index, name="to_come")

    def decision_values(self, turn: Turn) -> NDArray[np.float64]:
        """What every answer to a batch of n decisions is worth: points still to come.

        Parameters
        ----------
        turn : Turn
            As a `Strategy` is shown it.

        Returns
        -------
        (n, 32) or (n, 13) float64
            With rolls left, by the mask of the dice kept, bit i being ``turn.dice[:, i]``; else by
            category, -inf where the roll may not go.
        """
        if turn.rules.key != self.rules.key:
            raise YahtzeeError(
                f"the turn has the rules {turn.rules.name}, the solution {self.rules.name}"
            )
        codes = capped(turn._codes, self.rules)
        rolls = turn._rolls.astype(np.intp)
        if not turn.rolls_left:
            values = np.full((len(turn), 13), -np.inf)
            game, box = np.nonzero(turn.points >= 0)
            values[game, box] = self._turns.scored(codes[game], rolls[game], box, self._with_bonus)
            return values
        values = np.empty((len(turn), 32))
        for cards, games, column in in_groups(codes):
            by_keep = self._turns.keep_values(cards, self._with_bonus, turn.rolls_left)
            values[games] = by_keep[KEEP_OF_MASK[rolls[games]], column[:, None]]
        return values

    def advise(self, card: Scorecard, dice: Sequence[int] | str, rolls_left: int) -> pd.DataFrame:
        """Every keep, or every box, with what it is worth and what it costs.

        Parameters
        ----------
        card : Scorecard
        dice : sequence of five numbers, or text
        rolls_left : int
            2, 1, or 0 to choose a box.

        Returns
        -------
        pandas.DataFrame
            Best first, by `keep` (faces, as text) or `category`: `value`, the expected final
            total; `to_come`, the points still to come; `cost`, what is lost against the best.
            For boxes also `points`, those of the box itself.
        """
        import pandas as pd

        roll, code = roll_number(dice), self._open_code(card)
        if rolls_left:
            values = self.keep_values(card, rolls_left)
            kept = np.unique(KEEP_OF_MASK[roll])
            frame = pd.DataFrame({"to_come": values.iloc[kept]})
            size = np.array([len(KEEPS[k]) for k in kept])
            order = np.lexsort((kept, -size, -_level(frame["to_come"].to_numpy())))
        else:
            frame = self._boxes(code, roll)
            order = np.lexsort((np.arange(len(frame)), -_level(frame["to_come"].to_numpy())))
        frame = frame.iloc[order]
        frame.insert(0, "value", frame["to_come"] + card.total)
        frame["cost"] = np.maximum(frame["to_come"].iloc[0] - frame["to_come"], 0.0)
        frame.loc[frame["cost"] < TIE, "cost"] = 0.0
        return frame

    def _boxes(self, code: int, roll: int) -> pd.DataFrame:
        import pandas as pd

        boxes, points, to_come = [], [], []
        for box, paid, worth in self._turns.options(code, roll, self._with_bonus):
            boxes.append(COLUMNS[box])
            points.append(paid)
            to_come.append(worth)
        index = pd.Index(boxes, name="category")
        return pd.DataFrame({"to_come": to_come, "points": points}, index=index)

    def _code(self, card: Scorecard) -> int:
        if not isinstance(card, Scorecard):
            raise YahtzeeError(f"a card is a Scorecard, such as Scorecard(ones=3), not {card!r}")
        if card.rules.key != self.rules.key:
            raise YahtzeeError(
                f"the card has the rules {card.rules.name}, the solution {self.rules.name}"
            )
        return card.code

    def _open_code(self, card: Scorecard) -> int:
        code = self._code(card)
        if code >> 8 == ALL_BOXES:
            raise YahtzeeError("the card is full: there is nothing to decide")
        return code

    @cached_property
    def _own(self) -> threading.local:
        return threading.local()

    @property
    def _turns(self) -> Turns:
        if not hasattr(self._own, "turns"):  # it has work arrays, so each thread has its own
            self._own.turns = Turns(scoring(self.rules))
        turns: Turns = self._own.turns
        return turns

    @cached_property
    def _with_bonus(self) -> NDArray[np.float64]:
        return self._turns.with_bonus(self.worth)

    def __repr__(self) -> str:
        return f"Solution of {self.rules.name}: expected {self.expected:.6f} points"


def _text(faces: tuple[int, ...]) -> str:
    return "".join(map(str, faces))


def _level(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values with those that are within `TIE` of the best made equal to it."""
    best = values.max()
    return np.where(values >= best - TIE, best, values)


def solve(rules: str | Rules = "official", *, progress: bool | None = None) -> Solution:
    """The optimal expected score of every card, under any rules.

    Solved once, and kept in the user's cache folder (``YAHTZEE_SIM_CACHE``, if set, is another).

    Parameters
    ----------
    rules : str or Rules
    progress : bool, optional
        Show a bar; by default on a terminal or in a notebook.

    Returns
    -------
    Solution

    Examples
    --------
    >>> round(solve("official").expected, 6)
    254.587729
    """
    which = to_rules(rules)
    known = _SOLVED.pop(which.key, None)
    if known is None:
        worth = _read(which)
        if worth is None:
            cards = len(cards_to_solve(which))
            with Progress(cards, "cards", f"solving {which.name}", progress) as bar:
                worth = optimal_worth(which, bar.add)
            _write(which, worth)
        worth.flags.writeable = False
        known = Solution(which, worth)
    _SOLVED[which.key] = known
    while len(_SOLVED) > _KEPT:
        _SOLVED.popitem(last=False)
    return known if known.rules == which else Solution(which, known.worth)


_OWN = threading.local()


def reckoner_of(rules: Rules) -> Reckoner:
    """This thread's reckoner against optimal play under some rules; the last one is kept."""
    if getattr(_OWN, "rules", None) != rules.key:
        _OWN.reckoner = Reckoner(rules, solve(rules, progress=False).worth)
        _OWN.rules = rules.key
    reckoner: Reckoner = _OWN.reckoner
    return reckoner


def endgame_of(rules: Rules, boxes: int) -> Endgame:
    """What optimal play brings on the last boxes under some rules; this thread's own, kept."""
    from yahtzee_sim.endgame import Endgame  # needs scipy, which naming a strategy does not

    known = _OWN.__dict__.setdefault("endgames", {})
    key = rules.key, boxes
    if key not in known:
        known.clear()
        known[key] = Endgame(rules, solve(rules, progress=False).worth, boxes)
    found: Endgame = known[key]
    return found


def cache_folder() -> Path:
    """Where solutions are kept."""
    chosen = os.environ.get("YAHTZEE_SIM_CACHE")
    if chosen:
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_cache_dir("yahtzee-sim", appauthor=False))


def _path(rules: Rules) -> Path:
    key = json.dumps(rules.key)
    return cache_folder() / f"solution-{hashlib.sha256(key.encode()).hexdigest()[:20]}.bin"


def _read(rules: Rules) -> NDArray[np.float64] | None:
    """What the cache holds for these rules, or None."""
    path = _path(rules)
    try:
        stored = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        warnings.warn(f"cannot read {path}: {error.strerror}", RuntimeWarning, stacklevel=3)
        return None
    codes = reachable(rules.upper_bonus_threshold)
    head = _head(rules, codes)
    digest, values = stored[len(head) : len(head) + 32], stored[len(head) + 32 :]
    if not stored.startswith(head) or hashlib.sha256(values).digest() != digest:
        warnings.warn(
            f"{path} is damaged or of another version; the rules are solved again",
            RuntimeWarning,
            stacklevel=3,
        )
        return None
    return _by_code(np.load(io.BytesIO(values), allow_pickle=False), codes, rules)


def _by_code(values: NDArray, codes: NDArray, rules: Rules) -> NDArray[np.float64]:
    """Values of reachable cards as an array by code, above the threshold as at it."""
    threshold = rules.upper_bonus_threshold
    worth = np.zeros((8192, 128, 2))
    worth.reshape(-1)[codes] = values
    worth[:, threshold + 1 :] = worth[:, threshold : threshold + 1]
    return worth.reshape(-1)


def _head(rules: Rules, codes: NDArray) -> bytes:
    about = {"version": CACHE_VERSION, "rules": rules.key, "cards": len(codes)}
    return _MAGIC + json.dumps(about).encode() + b"\n"


def _write(rules: Rules, worth: NDArray[np.float64]) -> None:
    path = _path(rules)
    codes = reachable(rules.upper_bonus_threshold)
    values = io.BytesIO()
    np.save(values, worth[codes], allow_pickle=False)
    body = values.getvalue()
    aside: Any = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as aside:
            aside.write(_head(rules, codes) + hashlib.sha256(body).digest() + body)
        os.replace(aside.name, path)
    except OSError as error:
        warnings.warn(
            f"the solution is not kept: cannot write {path}: {error.strerror or error}",
            RuntimeWarning,
            stacklevel=3,
        )
        if aside is not None and os.path.exists(aside.name):
            os.unlink(aside.name)
