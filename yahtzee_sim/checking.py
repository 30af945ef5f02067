"""`check_strategy`: everything that a strategy promises, tried.

For authors, in their own tests: ``check_strategy(Mine())``.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yahtzee_sim.asking import ask, ask_one, describe_card, open_cards, worth_by_code
from yahtzee_sim.cards import FILLED_COUNT
from yahtzee_sim.decisions import Rows, _answers_of, is_tabulated
from yahtzee_sim.dice import FIVE_FACE, N_ROLLS
from yahtzee_sim.dicestream import luck
from yahtzee_sim.errors import StrategyError
from yahtzee_sim.registry import strategy as to_strategy
from yahtzee_sim.rulesets import Rules, list_rules
from yahtzee_sim.rulesets import rules as to_rules
from yahtzee_sim.strategy_types import (
    BEYOND_THE_CARD,
    AnyStrategy,
    LookaheadStrategy,
    Rival,
    SingleGameStrategy,
    Strategy,
    Turn,
    faces_of_roll,
)


def check_strategy(
    strategy: object, *, rules: str | Rules | None = None, cards: int = 300, seed: int = 0
) -> None:
    """Try everything that a strategy promises; return if it holds.

    It can be made and is equal after a pickle round trip, answers legally on every kind of card
    and roll, leaves what it is shown untouched, decides the same (and asks for luck as often)
    however a batch is cut, and looks at nothing that it does not declare.

    Parameters
    ----------
    strategy : str, class or strategy
    rules : str or Rules, optional
        By default all presets.
    cards : int
        Random cards to try, besides one of every number of filled boxes with and without a 50.
    seed : int
        Of the choice of cards and rolls.

    Raises
    ------
    StrategyError
        Naming what does not hold, and where.
    """
    made = to_strategy(strategy)
    _check_value(made)
    which = list(list_rules().values()) if rules is None else [to_rules(rules)]
    for rule_set in which:
        is_tabulated(made, rule_set)  # refuses what its kind cannot see
        situations = _situations(rule_set, cards, seed)
        if isinstance(made, LookaheadStrategy):
            _check_worth(made, rule_set)
            rows = Rows(made, rule_set)
            rows.decisions(rows.cards[::40_009])
        elif isinstance(made, SingleGameStrategy):
            _check_single(made, rule_set, situations)
        else:
            _check_batch(made, rule_set, situations)


def _check_value(made: AnyStrategy) -> None:
    try:
        hash(made)
        copy = pickle.loads(pickle.dumps(made))
    except Exception as error:
        raise StrategyError(
            f"{made.label}: it cannot be hashed and pickled: {type(error).__name__}: {error}"
        ) from error
    if copy != made:
        raise StrategyError(f"{made.label}: after a pickle round trip it is not equal to itself")


def _situations(rules: Rules, cards: int, seed: int) -> tuple[NDArray, NDArray]:
    """Codes and rolls: random ones, and every five of a kind on every kind of card."""
    rng = np.random.default_rng(seed)
    every = open_cards(rules)
    kinds = FILLED_COUNT[every >> 8] * 2 + (every & 1)
    one_of_each = [rng.choice(every[kinds == kind]) for kind in np.unique(kinds)]
    chosen = np.concatenate([one_of_each, rng.choice(every, cards)])
    fives = np.flatnonzero(FIVE_FACE)
    codes = np.concatenate([np.repeat(chosen, 8), np.repeat(chosen, len(fives))])
    rolls = np.concatenate([rng.integers(0, N_ROLLS, 8 * len(chosen)), np.tile(fives, len(chosen))])
    return codes, rolls


def _check_worth(made: LookaheadStrategy, rules: Rules) -> None:
    first, second = worth_by_code(made, rules), worth_by_code(made, rules)
    if not np.array_equal(first, second):
        raise StrategyError(f"{made.label}: asked for the same cards twice, worth differs")


def _check_single(
    made: SingleGameStrategy, rules: Rules, situations: tuple[NDArray, NDArray]
) -> None:
    for code, roll in zip(*(a[::7].tolist() for a in situations), strict=True):
        for rolls_left in (2, 1, 0):
            first = ask_one(made, rules, code, roll, rolls_left)
            if first != ask_one(made, rules, code, roll, rolls_left):
                raise StrategyError(
                    f"{made.label}: asked the same question twice, it answers differently; card: "
                    f"{describe_card(rules, code)}; dice {faces_of_roll(roll)}"
                )


def _check_batch(made: Strategy, rules: Rules, situations: tuple[NDArray, NDArray]) -> None:
    codes, rolls = situations
    n = len(codes)
    whole = np.arange(n)
    cuts = [np.array_split(whole, 5), [whole[i : i + 1] for i in range(0, n, 61)]]
    for rolls_left in (2, 1, 0):
        answers, calls = _answers(made, rules, codes, rolls, rolls_left, whole)
        for cut in cuts:
            for part in cut:
                again, calls_again = _answers(made, rules, codes, rolls, rolls_left, part)
                if not np.array_equal(again, answers[part]):
                    raise StrategyError(
                        f"{made.label}: with {rolls_left} rolls left it decides differently when "
                        f"a batch of {n} is cut into smaller ones; a decision may depend on its "
                        "own row only"
                    )
                if calls_again != calls:
                    raise StrategyError(
                        f"{made.label}: it calls random() {calls} times in a batch of {n}, and "
                        f"{calls_again} times in one of {len(part)}; the number may not depend "
                        "on the batch"
                    )


def _answers(
    made: Strategy, rules: Rules, codes: NDArray, rolls: NDArray, rolls_left: int, part: NDArray
) -> tuple[NDArray, int]:
    n = len(codes)
    beyond: dict[str, Any] = {}
    if made.sees & BEYOND_THE_CARD:
        totals = (np.arange(n, dtype=np.int32) * 37) % 300
        beyond["total"] = totals[part]
        beyond["rivals"] = (Rival(rules, codes[::-1][part], totals[::-1][part].copy()),)
        beyond["luck"] = lambda call: luck(0, 0, 0, 0, n, 0, rolls_left, call)[part]
    turn = Turn(
        rules,
        codes[part],
        rolls[part],
        rolls_left,
        sees=frozenset(made.sees),
        answers_of=_answers_of,
        **beyond,
    )
    return ask(made, turn), turn._luck_calls
