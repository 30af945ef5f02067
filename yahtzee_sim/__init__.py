"""Yahtzee by the million: a vectorised simulator and the exact answer, side by side.

How the library is laid out, from the ground up; an import only ever points down this list.

==============  ==============================================================================
errors, specs   exceptions; names with parameters, as people type them; `sharing` (memory that
                processes share)
rules           `categories`, `rulesets`, `dice`, `scoring`, `cards`, `scorecard`, `dicestream`
strategies      `strategy_types` (the three ways to write one), `registry`
decisions       `expectimax` (one turn, exactly), `asking` (and checking answers), `decisions`
                (tables of them, and who decides in the engine), `checking`
engine          `engine`: one round of a batch; the only hot loop
exact           `backward` (the solver), `policy` (what a strategy brings), `reckoning` (what
                decisions cost), `endgame` (the last turns of a table); arrays only
results         `tallies`, `statistics`, `paired`, `results`, `files`, `progress`, `known`
                (what is known of the strategies), `solutions` (and their cache)
public verbs    `batches` (workers), `simulation`, `comparison`, `verdicts`, `replaying`,
                `evaluation`, `lost_points`, `tuning`, `playing_together` (matches),
                `percentiles`, `own_games`, `questions`
charts          `plots`, made of `chart_look`, `chart_totals`, `chart_boxes`,
                `chart_comparing`; `report_page`
command line    `cli`
==============  ==============================================================================

A run flows down and back up: a verb cuts its games into tasks, a task plays batches on an engine
seat, the seat asks a decider, the decider looks rows up or asks the strategy; what comes back are
integers (points by game, tallies), merged in the order of the games.

Public names are loaded when first used, so that ``import yahtzee_sim`` costs little.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "Category": "categories",
    "Rules": "rulesets",
    "rules": "rulesets",
    "list_rules": "rulesets",
    "Scorecard": "scorecard",
    "Cards": "cards",
    "Card": "strategy_types",
    "Turn": "strategy_types",
    "Strategy": "strategy_types",
    "LookaheadStrategy": "strategy_types",
    "SingleGameStrategy": "strategy_types",
    "YahtzeeError": "errors",
    "StrategyError": "errors",
    "strategy": "registry",
    "list_strategies": "registry",
    "check_strategy": "checking",
    "simulate": "simulation",
    "compare": "comparison",
    "replay": "replaying",
    "solve": "solutions",
    "evaluate": "evaluation",
    "losses": "lost_points",
    "match": "playing_together",
    "exact_match": "playing_together",
    "round_robin": "playing_together",
    "percentile": "percentiles",
    "games_needed": "percentiles",
    "read_games": "own_games",
    "report": "report_page",
    "tune": "tuning",
    "sweep": "tuning",
    "odds": "questions",
    "box_values": "questions",
    "openings": "questions",
    "load": "files",
    "summary": "results",
}
__all__ = ["__version__", *_HOME]

if TYPE_CHECKING:
    from yahtzee_sim import plots
    from yahtzee_sim.cards import Cards
    from yahtzee_sim.categories import Category
    from yahtzee_sim.checking import check_strategy
    from yahtzee_sim.comparison import compare
    from yahtzee_sim.errors import StrategyError, YahtzeeError
    from yahtzee_sim.evaluation import evaluate
    from yahtzee_sim.files import load
    from yahtzee_sim.lost_points import losses
    from yahtzee_sim.own_games import read_games
    from yahtzee_sim.percentiles import games_needed, percentile
    from yahtzee_sim.playing_together import exact_match, match, round_robin
    from yahtzee_sim.questions import box_values, odds, openings
    from yahtzee_sim.registry import list_strategies, strategy
    from yahtzee_sim.replaying import replay
    from yahtzee_sim.report_page import report
    from yahtzee_sim.results import summary
    from yahtzee_sim.rulesets import Rules, list_rules, rules
    from yahtzee_sim.scorecard import Scorecard
    from yahtzee_sim.simulation import simulate
    from yahtzee_sim.solutions import solve
    from yahtzee_sim.strategy_types import (
        Card,
        LookaheadStrategy,
        SingleGameStrategy,
        Strategy,
        Turn,
    )
    from yahtzee_sim.tuning import sweep, tune


def __getattr__(name: str) -> Any:
    if name == "plots":
        return importlib.import_module(f"{__name__}.plots")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOME) | {"plots"})
