"""The command line: the library's words as commands.

Tables on a terminal, `--json` or `--csv` for programs; a mistake is one line and exit code 2.
Everything heavy is imported inside the commands, so that `--help` is quick.
"""

from __future__ import annotations

import json
import math
import os
import sys
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from yahtzee_sim import __version__
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.specs import unknown

if TYPE_CHECKING:
    import pandas as pd


class _Number(click.ParamType):
    """A whole number as people write it: 1000, 1_000, 1,000. What is none goes on as it is, so
    that the library says what would be right."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return int(value.replace("_", "").replace(",", ""))
        except ValueError:
            return value


NUMBER = _Number()


class _Commands(click.Group):
    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and self.get_command(ctx, args[0]) is None:
            raise click.UsageError(unknown("command", args[0], self.commands))
        return super().resolve_command(ctx, args)


def _options(*names: str) -> Callable[[Any], Any]:
    """The options that several commands share."""
    options = {
        "games": click.option(
            "--games", "-n", type=NUMBER, default=100_000, show_default=True, help="Games each."
        ),
        "rules": click.option(
            "--rules",
            "-r",
            default="official",
            show_default=True,
            help="A preset (see `yahtzee-sim rules`), or preset,field=value.",
        ),
        "seed": click.option(
            "--seed", "-s", type=NUMBER, help="0 to 2^64 - 1; drawn and shown if not given."
        ),
        "workers": click.option(
            "--workers", "-w", type=NUMBER, default=-1, show_default=True, help="-1: all cores."
        ),
        "store": click.option(
            "--store",
            default="games",
            show_default=True,
            help="games, or summary for tallies in constant memory.",
        ),
        "out": click.option("--out", "-o", help="Folder to write the result to."),
        "overwrite": click.option("--overwrite", is_flag=True, help="Replace a result in --out."),
        "luck": click.option(
            "--luck", is_flag=True, help="Reckon every game; means are adjusted for luck."
        ),
        "max_games": click.option(
            "--max-games",
            type=NUMBER,
            default=10_000_000,
            show_default=True,
            help="The most that --until plays.",
        ),
        "level": click.option(
            "--level", type=float, help="Of intervals and verdicts; 0.95 if not given."
        ),
        "json": click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        "csv": click.option("--csv", "as_csv", is_flag=True, help="Print CSV."),
    }

    def add(command: Any) -> Any:
        for name in reversed(names):
            command = options[name](command)
        return command

    return add


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="yahtzee-sim")
def cli() -> None:
    """Yahtzee by the million: simulate, compare and solve.

    A STRATEGY is a name (see `yahtzee-sim strategies`) or path/to/mine.py:Mine, either followed
    by ,field=value.
    """


@cli.command()
@click.argument("strategy")
@_options("games", "rules", "seed", "workers", "store", "luck")
@click.option("--until", type=float, help="Play until the mean's interval is +- this, in points.")
@_options("max_games", "level", "out", "overwrite", "json", "csv")
@click.option("--at-least", type=NUMBER, multiple=True, help="Also the share of such totals.")
@click.option("--quantile", type=float, multiple=True, help="Also this quantile, 0 to 1.")
@click.option("--categories", is_flag=True, help="Show the boxes instead of the summary.")
def simulate(
    strategy: str,
    games: Any,
    rules: str,
    seed: Any,
    workers: Any,
    store: str,
    luck: bool,
    until: float | None,
    max_games: Any,
    level: float | None,
    out: str | None,
    overwrite: bool,
    as_json: bool,
    as_csv: bool,
    at_least: tuple[Any, ...],
    quantile: tuple[float, ...],
    categories: bool,
) -> None:
    """Play many games of one STRATEGY and show what they brought."""
    _one_of(as_json, as_csv)
    _check_out(out, overwrite)
    from yahtzee_sim import simulate as play
    from yahtzee_sim.results import check_extras
    from yahtzee_sim.statistics import LEVEL, check_level

    check_extras(at_least, quantile)
    level = LEVEL if level is None else level
    check_level(level)
    result = play(
        strategy,
        games,
        rules=rules,
        seed=seed,
        workers=workers,
        store=store,
        luck=luck,
        until=until,
        max_games=max_games,
    )
    shown = (
        result.categories(level=level)
        if categories
        else result.summary(at_least=at_least, quantiles=quantile, level=level)
    )
    _save(result, out, overwrite)
    facts = {
        "strategy": result.label,
        "parameters": result.parameters,
        "rules": result.rules.to_dict(),
        "games": result.n,
        "seed": result.seed,
        "level": level,
        "made": result.made,
    }
    _print(shown, result.caption, facts, "categories" if categories else "summary", as_json, as_csv)


@cli.command()
@click.argument("strategies", nargs=-1)
@_options("games", "rules", "seed", "workers", "store", "luck")
@click.option(
    "--until",
    metavar="POINTS",
    help="Play until every interval is +- this; or `separated`: until every two differ.",
)
@_options("max_games", "level", "out", "overwrite", "json", "csv")
@click.option("--unpaired", is_flag=True, help="Dice of its own for each, not the same for all.")
@click.option("--margin", type=float, default=0.5, show_default=True, help="What does not matter.")
@click.option("--metric", default="mean", show_default=True, help="What pairs are compared by.")
@click.option("--pairs/--no-pairs", default=None, help="Show every two; by default up to ten.")
@click.option("--exact", is_flag=True, help="Evaluate all strategies that can be.")
def compare(
    strategies: tuple[str, ...],
    games: Any,
    rules: str,
    seed: Any,
    workers: Any,
    store: str,
    luck: bool,
    until: str | None,
    max_games: Any,
    level: float | None,
    out: str | None,
    overwrite: bool,
    as_json: bool,
    as_csv: bool,
    unpaired: bool,
    margin: float,
    metric: str,
    pairs: bool | None,
    exact: bool,
) -> None:
    """Rank STRATEGIES by their mean total on the same dice; all known ones if none is named."""
    _one_of(as_json, as_csv)
    _check_out(out, overwrite)
    from yahtzee_sim import compare as play
    from yahtzee_sim import list_strategies
    from yahtzee_sim.paired import check_metric
    from yahtzee_sim.statistics import check_level
    from yahtzee_sim.verdicts import check_margin

    check_metric(metric)
    check_margin(margin)
    if level is not None:
        check_level(level)
    result = play(
        list(strategies) or [n for n in list_strategies() if n not in _SLOW],
        games,
        rules=rules,
        seed=seed,
        workers=workers,
        store=store,
        paired=not unpaired,
        luck=luck,
        until=_half_width(until),
        max_games=max_games,
        margin=margin,
    )
    _save(result, out, overwrite)
    ranking = result.ranking(level=level, exact=exact or None)
    many = len(result.results)
    one = next(iter(result.results.values()))
    facts = {"rules": one.rules.to_dict(), "games": one.n, "seed": one.seed}
    facts |= {"level": level or result.level, "margin": margin, "made": one.made}
    if many > 1 and (as_json or pairs or (pairs is None and many <= 5)):
        between = result.pairs(metric, level=level, margin=margin if metric == "mean" else None)
    else:
        between = None
    if as_csv and pairs and between is not None:
        _print(between, result.caption, facts, "pairs", as_json, as_csv)
        return
    if as_json:
        facts["ranking"] = _records(ranking)
        if between is not None:
            facts["pairs"] = _records(between)
        click.echo(json.dumps(facts, indent=2))
        return
    _print(ranking, result.caption, facts, "ranking", as_json, as_csv)
    if between is not None and not as_csv:
        from yahtzee_sim.results import readable

        shown = ["difference", "se", "low_all", "high_all", "won", "tied", "lost", "p_holm"]
        shown += ["verdict", "shows", "games_needed"]
        click.echo(f"\n{metric}, first less second; intervals for all pairs together:")
        click.echo(readable(between[shown], 4))


_SLOW = ("closer", "softmax")
"""Strategies that `compare` leaves out if none is named: alone at a table `closer` is `optimal`,
and `softmax` takes minutes."""


def _half_width(until: str | None) -> Any:
    """What stops a run: a number, if it is one."""
    try:
        return float(until) if until is not None else None
    except ValueError:
        return until


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {key: _plain(value) for key, value in row.items()}
        for row in frame.reset_index().to_dict("records")
    ]


@cli.command()
@click.argument("strategies", nargs=-1)
@click.option("--from", "source", help="A folder that `compare --out` wrote, instead of playing.")
@_options("games", "rules", "seed", "workers", "luck")
@click.option("--unpaired", is_flag=True, help="Dice of its own for each, not the same for all.")
@click.option("--out", "-o", default="report.html", show_default=True, help="The page.")
@click.option("--overwrite", is_flag=True, help="Replace a page that is there.")
def report(
    strategies: tuple[str, ...],
    source: str | None,
    games: Any,
    rules: str,
    seed: Any,
    workers: Any,
    luck: bool,
    unpaired: bool,
    out: str,
    overwrite: bool,
) -> None:
    """Write one HTML page that compares STRATEGIES: tables, charts, rules, how to make it again."""
    if (source is None) == (not strategies):
        raise click.UsageError("name strategies to compare, or a folder with --from")
    import matplotlib

    matplotlib.use("Agg")
    import yahtzee_sim as ys
    from yahtzee_sim.report_page import check_page
    from yahtzee_sim.verdicts import Comparison

    try:
        check_page(out, overwrite)
    except YahtzeeError as error:
        raise YahtzeeError(str(error).replace("or overwrite", "or give --overwrite")) from None
    if source is not None:
        found = ys.load(source)
        if not isinstance(found, Comparison):
            raise YahtzeeError(f"{source} holds one strategy's games; a report needs a comparison")
    else:
        found = ys.compare(
            list(strategies),
            games,
            rules=rules,
            seed=seed,
            workers=workers,
            luck=luck,
            paired=not unpaired,
        )
    click.echo(f"written to {ys.report(found, out, overwrite=overwrite)}")


@cli.command()
@click.argument("strategies", nargs=-1, required=True)
@click.option("--games", "-n", type=NUMBER, default=50_000, show_default=True, help="Games.")
@_options("rules", "seed", "workers", "json", "csv")
@click.option("--rotate", is_flag=True, help="Everybody moves first in as many games.")
@click.option("--no-exact", is_flag=True, help="Do not work out who wins exactly.")
@click.option("--seats", is_flag=True, help="Show the seats instead of the players.")
@click.option("--places", is_flag=True, help="Show the places instead of the players.")
def match(
    strategies: tuple[str, ...],
    games: Any,
    rules: str,
    seed: Any,
    workers: Any,
    as_json: bool,
    as_csv: bool,
    rotate: bool,
    no_exact: bool,
    seats: bool,
    places: bool,
) -> None:
    """Play STRATEGIES, one to six, around one table in turn order: who wins?"""
    _one_of(as_json, as_csv)
    if seats and places:
        raise click.UsageError("choose one of --seats, --places")
    import yahtzee_sim as ys
    from yahtzee_sim.batches import check_games

    games = check_games(games)
    if rotate and games % len(strategies):
        games += len(strategies) - games % len(strategies)
    found = ys.match(
        list(strategies),
        games,
        rules=rules,
        seed=seed,
        rotate=rotate,
        exact=not no_exact,
        workers=workers,
    )
    facts = {"rules": found.rules.to_dict(), "games": found.n, "seed": found.seed}
    if seats:
        _print(found.by_seat(), found.caption, facts, "seats", as_json, as_csv)
    elif places:
        _print(found.places_table(), found.caption, facts, "places", as_json, as_csv)
    else:
        shown = found.players() if as_json or as_csv else found._short()
        _print(shown, found.caption, facts, "players", as_json, as_csv)


@cli.command("round-robin")
@click.argument("strategies", nargs=-1, required=True)
@click.option("--games", "-n", type=NUMBER, default=20_000, show_default=True, help="Each pair.")
@_options("rules", "seed", "workers", "json", "csv")
def round_robin(
    strategies: tuple[str, ...],
    games: Any,
    rules: str,
    seed: Any,
    workers: Any,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Play every two of STRATEGIES against each other: the share of wins, ties as halves."""
    _one_of(as_json, as_csv)
    import yahtzee_sim as ys

    found = ys.round_robin(list(strategies), games, rules=rules, seed=seed, workers=workers)
    facts = {"rules": ys.rules(rules).to_dict(), "caption": found.attrs["caption"]}
    if as_json or as_csv:
        _print(found, "", facts, "pairs", as_json, as_csv)
        return
    labels = list(dict.fromkeys(found.index.get_level_values(0)))
    matrix = found["share"].unstack().loc[labels, labels]  # noqa: PD010 (nothing to add up)
    _print(matrix, found.attrs["caption"], facts, "shares", False, False, 4)


@cli.command()
@click.argument("totals", nargs=-1, required=True, type=NUMBER)
@click.option("--against", default="optimal", show_default=True, help="The strategy to beat.")
@_options("rules", "workers", "json", "csv")
def percentile(
    totals: tuple[Any, ...], against: str, rules: str, workers: Any, as_json: bool, as_csv: bool
) -> None:
    """Say where TOTALS lie among those of a strategy: is 230 a good score?"""
    _one_of(as_json, as_csv)
    import pandas as pd

    import yahtzee_sim as ys

    found = ys.percentile(list(totals), against, rules=rules, workers=workers)
    frame = pd.DataFrame({"percentile": found}, index=pd.Index(totals, name="total"))
    caption = f"share of {against}'s games that a total beats, ties as halves, in percent"
    _print(frame, caption, {"against": against, "rules": rules}, "percentiles", as_json, as_csv, 4)


@cli.command("own-games")
@click.argument("file")
@click.option("--against", default="optimal", show_default=True, help="The strategy beside them.")
@_options("rules", "workers", "json", "csv")
def own_games(
    file: str, against: str, rules: str, workers: Any, as_json: bool, as_csv: bool
) -> None:
    """Set games that you played beside a strategy, or test your dice.

    FILE is a CSV with a line of headings: total; or the thirteen categories (with upper_bonus,
    yahtzee_bonus, total if you like); or die_1 to die_5, the dice of each turn's first roll.
    """
    _one_of(as_json, as_csv)
    import yahtzee_sim as ys
    from yahtzee_sim.own_games import FirstRolls

    games = ys.read_games(file, rules=rules)
    if isinstance(games, FirstRolls):
        _print(games.tests(), games.caption, {"rolls": games.n}, "tests", as_json, as_csv)
    else:
        shown = games.against(against, workers=workers)
        facts = {"games": games.n, "against": against}
        _print(shown, shown.attrs["caption"], facts, "figures", as_json, as_csv)


@cli.command()
@click.argument("strategy")
@_options("rules", "workers", "json", "csv")
@click.option("--only", help="mean: leave the distribution out, which is much quicker.")
@click.option("--at-least", type=NUMBER, multiple=True, help="Also the chance of such totals.")
@click.option("--quantile", type=float, multiple=True, help="Also this quantile, 0 to 1.")
@click.option("--categories", is_flag=True, help="Show the boxes instead of the summary.")
@click.option("--distribution", is_flag=True, help="Show the chance of every total instead.")
def evaluate(
    strategy: str,
    rules: str,
    workers: Any,
    as_json: bool,
    as_csv: bool,
    only: str | None,
    at_least: tuple[Any, ...],
    quantile: tuple[float, ...],
    categories: bool,
    distribution: bool,
) -> None:
    """The exact result of a STRATEGY, without playing."""
    _one_of(as_json, as_csv)
    if categories and distribution:
        raise click.UsageError("--categories and --distribution exclude each other; choose one")
    from yahtzee_sim import evaluate as work_out
    from yahtzee_sim.results import check_extras

    check_extras(at_least, quantile)
    if only and (at_least or quantile or distribution):
        raise click.UsageError(
            "--only mean leaves out the distribution that --at-least, --quantile and "
            "--distribution need"
        )
    result = work_out(strategy, rules, only=only, workers=workers)
    if distribution:
        what, shown = "distribution", result.distribution().to_frame()
    elif categories:
        what, shown = "categories", result.categories()
    else:
        what, shown = "summary", result.summary(at_least=at_least, quantiles=quantile)
    facts = {"strategy": result.label, "rules": result.rules.to_dict(), "made": result.made}
    if not (as_json or as_csv):
        wanted = ["value"] if what == "summary" else _ESTIMATES
        shown = shown[[c for c in shown.columns if c in wanted or what == "distribution"]]
    _print(shown, result.caption, facts, what, as_json, as_csv, digits=9)


_ESTIMATES = ("mean", "sd", "zero_rate", "mean_round")
"""The columns of an exact category table that say something: its errors are all 0."""


@cli.command()
@_options("rules", "json", "csv")
@click.option("--openings", is_flag=True, help="The best keep for each of the 252 first rolls.")
def solve(rules: str, as_json: bool, as_csv: bool, openings: bool) -> None:
    """The best that can be done under the rules: expected total, and the price of each box."""
    _one_of(as_json, as_csv)
    import yahtzee_sim as ys

    solution = ys.solve(rules)
    caption = f"optimal play, rules {solution.rules.name}: {solution.expected:.9f} points expected"
    facts = {"rules": solution.rules.to_dict(), "expected": solution.expected}
    if openings:
        _print(ys.openings(solution.rules), caption, facts, "openings", as_json, as_csv)
    else:
        _print(ys.box_values(solution.rules), caption, facts, "boxes", as_json, as_csv)


@cli.command()
@click.argument("strategy")
@click.option("--games", "-n", type=NUMBER, help="Play so many; exact by default if it can be.")
@_options("rules", "seed", "workers", "json", "csv")
@click.option("--rounds", is_flag=True, help="Show the cost by round.")
@click.option("--categories", is_flag=True, help="Show the cost of choosing boxes, by box.")
@click.option("--situations", type=NUMBER, help="Show this many situations that cost most.")
def losses(
    strategy: str,
    games: Any,
    rules: str,
    seed: Any,
    workers: Any,
    as_json: bool,
    as_csv: bool,
    rounds: bool,
    categories: bool,
    situations: Any,
) -> None:
    """Show where STRATEGY loses its points against optimal play."""
    _one_of(as_json, as_csv)
    wanted = [
        name
        for name, asked in (
            ("rounds", rounds),
            ("categories", categories),
            ("situations", situations is not None),
        )
        if asked
    ]
    if len(wanted) > 1:
        raise click.UsageError(f"choose one of {', '.join(f'--{name}' for name in wanted)}")
    import yahtzee_sim as ys
    from yahtzee_sim.batches import check_games

    n = check_games(situations, "situations") if situations is not None else 10
    found = ys.losses(strategy, rules, games=games, seed=seed, workers=workers)
    facts: dict[str, Any] = {"strategy": found.label, "rules": found.rules.to_dict()}
    facts |= {"games": found.n or None, "seed": found.seed, "start": found.start}
    facts |= {"lost": found.total}
    what = wanted[0] if wanted else "stages"
    shown = found.situations(n) if what == "situations" else getattr(found, what)()
    _print(shown, found.caption, facts, what, as_json, as_csv)
    if not wanted and not as_json and not as_csv:
        from yahtzee_sim.results import readable

        click.echo("\n" + readable(found.situations(n), 4))


@cli.command()
@click.argument("strategy")
@click.option(
    "--between",
    nargs=3,
    multiple=True,
    metavar="FIELD LOW HIGH",
    help="Search a number between bounds.",
)
@click.option(
    "--among", nargs=2, multiple=True, metavar="FIELD A,B,C", help="Search among choices."
)
@click.option("--steps", type=NUMBER, help="Parameter sets tried in a round.")
@click.option("--games", "-n", type=NUMBER, default=20_000, show_default=True, help="In a step.")
@_options("rules", "workers", "json", "csv")
@click.option("--seed", "-s", type=NUMBER, default=0, show_default=True, help="Of the search.")
def tune(
    strategy: str,
    between: tuple[tuple[str, str, str], ...],
    among: tuple[tuple[str, str], ...],
    steps: Any,
    games: Any,
    rules: str,
    workers: Any,
    as_json: bool,
    as_csv: bool,
    seed: Any,
) -> None:
    """Search the parameters of STRATEGY that bring the highest mean."""
    _one_of(as_json, as_csv)
    import yahtzee_sim as ys

    parameters: dict[str, Any] = {name: (_typed(low), _typed(high)) for name, low, high in between}
    parameters |= _lists(among)
    if not parameters:
        raise click.UsageError("name what to search: --between FIELD LOW HIGH, --among FIELD A,B,C")
    found = ys.tune(
        strategy, parameters, rules=rules, steps=steps, games=games, seed=seed, workers=workers
    )
    if as_json or as_csv:
        facts: dict[str, Any] = {"best": found.best.label, "mean": found.mean}
        facts |= {"se": found.figure.se, "before": found.start_figure.value}
        _print(found.tried, "", facts, "tried", as_json, as_csv)
    else:
        click.echo(repr(found))
        click.echo(f"  as one: {found.best.label}")


@cli.command()
@click.argument("strategy")
@click.option("--values", nargs=2, multiple=True, metavar="FIELD A,B,C", help="Values of a field.")
@click.option("--games", "-n", type=NUMBER, help="Play so many; exact by default if it can be.")
@_options("rules", "workers", "json", "csv")
@click.option("--seed", "-s", type=NUMBER, default=0, show_default=True, help="Of the games.")
def sweep(
    strategy: str,
    values: tuple[tuple[str, str], ...],
    games: Any,
    rules: str,
    workers: Any,
    as_json: bool,
    as_csv: bool,
    seed: Any,
) -> None:
    """Show what STRATEGY brings at every point of a grid of parameters."""
    _one_of(as_json, as_csv)
    import yahtzee_sim as ys

    grid = _lists(values)
    if not grid:
        raise click.UsageError("name what to vary: --values FIELD A,B,C")
    frame = ys.sweep(strategy, grid, rules=rules, games=games, seed=seed, workers=workers)
    facts = {"caption": frame.attrs["caption"]}
    shown = frame.set_index(frame.columns[0])
    _print(shown, frame.attrs["caption"], facts, "points", as_json, as_csv)


def _typed(text: str) -> Any:
    from yahtzee_sim.specs import parse_value

    return parse_value(text)


def _lists(given: tuple[tuple[str, str], ...]) -> dict[str, list[Any]]:
    from yahtzee_sim.specs import split_outside_brackets

    return {name: [_typed(part) for part in split_outside_brackets(text)] for name, text in given}


@cli.command()
@click.argument("strategy")
@click.option("--game", "-g", type=NUMBER, required=True, help="Number of the game, from 0.")
@click.option("--seed", "-s", type=NUMBER, required=True, help="Seed of the run.")
@_options("rules", "json", "csv")
def replay(strategy: str, game: Any, seed: Any, rules: str, as_json: bool, as_csv: bool) -> None:
    """Show one game of a run of STRATEGY, roll by roll."""
    _one_of(as_json, as_csv)
    from yahtzee_sim import replay as play_again

    shown = play_again(strategy, game, seed, rules=rules)
    if as_json or as_csv:
        facts: dict[str, Any] = {"strategy": shown.label, "rules": shown.rules.to_dict()}
        facts |= {"game": shown.game, "seed": shown.seed, "total": shown.total}
        _print(shown.frame, "", facts, "turns", as_json, as_csv)
    else:
        click.echo(repr(shown))


@cli.command()
@_options("json", "csv")
def strategies(as_json: bool, as_csv: bool) -> None:
    """List the strategies that can be named, what they bring, and their ideas.

    Means, standard deviations of one game, and the shares of games with the upper bonus and with
    a Yahtzee are exact, under the official rules; after a ~ they are those of 10 million games.
    --json and --csv also have parameters and what each looks at.
    """
    _one_of(as_json, as_csv)
    import inspect
    from dataclasses import fields

    from yahtzee_sim import list_strategies
    from yahtzee_sim.known import figures

    known = figures()
    place = {name: i for i, name in enumerate(known)}
    rows = []
    for name, cls in sorted(
        list_strategies().items(), key=lambda item: place.get(item[0], len(place))
    ):
        idea = " ".join((inspect.getdoc(cls) or "").split("\n\n")[0].split())
        figure = known.get(name, {})
        if as_json or as_csv:
            defaults = {f.name: getattr(f.default, "label", f.default) for f in fields(cls)}
            sees = cls.sees if isinstance(cls.sees, frozenset | set) else ()
            numbers = {c: _as_number(figure.get(c)) for c in _SHOWN}
            row = {"strategy": name, **numbers}
            row["se"], row["games"] = _as_number(figure.get("se")), _as_number(figure.get("n"))
            row["parameters"] = ", ".join(f"{key}={value}" for key, value in defaults.items())
            row["sees"] = ", ".join(sorted(sees))
        else:
            about = "~" if figure.get("n") else ""
            row = {"strategy": name}
            for column, form in _SHOWN.items():
                row[column] = about + format(float(figure[column]), form) if figure else "-"
        rows.append(row | {"idea": idea})
    _print_rows(rows, as_json, as_csv)


_SHOWN = {"mean": ".3f", "sd": ".2f", "p_upper_bonus": ".4f", "p_yahtzee": ".4f"}


def _as_number(text: str | None) -> float | None:
    return float(text) if text else None


@cli.command()
@_options("json", "csv")
def rules(as_json: bool, as_csv: bool) -> None:
    """List the rule sets and what they say."""
    _one_of(as_json, as_csv)
    from yahtzee_sim import list_rules

    rows = [r.to_dict() | {"maximum": r.maximum} for r in list_rules().values()]
    if as_json or as_csv:
        _print_rows(rows, as_json, as_csv)
        return
    fields = [name for name in rows[0] if name != "name"]
    width = max(map(len, fields))
    click.echo(" " * width + "".join(f"  {row['name']:>14}" for row in rows))
    for name in fields:
        values = [
            {True: "yes", False: "no"}.get(row[name], row[name])
            if isinstance(row[name], bool)
            else row[name]
            for row in rows
        ]
        click.echo(f"{name:<{width}}" + "".join(f"  {value!s:>14}" for value in values))


def _one_of(as_json: bool, as_csv: bool) -> None:
    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other; choose one")


def _check_out(out: str | None, overwrite: bool) -> None:
    """Before any game is played: can the result be written?"""
    if out is not None:
        from yahtzee_sim.files import check_folder

        try:
            check_folder(out, overwrite)
        except YahtzeeError as error:
            text = str(error).replace("or overwrite", "or give --overwrite")
            raise YahtzeeError(text) from None
    elif overwrite:
        raise click.UsageError("--overwrite needs --out, the folder to write to")


def _save(result: Any, out: str | None, overwrite: bool) -> None:
    if out is not None:
        folder = result.save(out, overwrite=overwrite)
        click.echo(f"written to {folder}", err=True)


def _print(
    frame: pd.DataFrame,
    caption: str,
    facts: dict[str, Any],
    what: str,
    as_json: bool,
    as_csv: bool,
    digits: int = 6,
) -> None:
    from yahtzee_sim.results import readable

    if as_json:
        click.echo(json.dumps(facts | {what: _records(frame)}, indent=2))
    elif as_csv:
        click.echo(frame.to_csv(lineterminator="\n"), nl=False)
    else:
        click.echo(caption)
        click.echo(readable(frame, digits))


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _print_rows(rows: list[dict[str, Any]], as_json: bool, as_csv: bool) -> None:
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    elif as_csv:
        import csv

        writer = csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    else:
        import shutil
        import textwrap

        last = list(rows[0])[-1]
        names = [k for k in rows[0] if k != last]
        widths = {k: max(len(k), *(len(str(row[k])) for row in rows)) for k in names}
        room = shutil.get_terminal_size((100, 24)).columns
        left = sum(widths.values()) + 2 * len(widths)
        for row in [{k: k for k in rows[0]}, *rows]:
            head = "".join(f"{row[k]!s:<{widths[k]}}  " for k in names)
            body = textwrap.wrap(str(row[last]), max(room - left, 30)) or [""]
            click.echo((head + body[0]).rstrip())
            for line in body[1:]:
                click.echo(" " * left + line)


def main() -> None:
    """The entry point: run a command; a mistake is one line and exit code 2."""
    warnings.formatwarning = lambda message, *_, **__: f"Warning: {message}\n"
    try:
        cli.main(standalone_mode=False)
        sys.stdout.flush()
    except YahtzeeError as error:
        _fail(str(error))
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "")
    except click.ClickException as error:
        _fail(error.format_message())
    except (KeyboardInterrupt, click.Abort):
        click.echo("stopped", err=True)
        sys.exit(130)
    except OSError as error:
        # Our output cannot be written: no traceback, and nothing more to flush. Whoever read it
        # may just have gone.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            sys.exit(141)
        _fail(f"cannot write the output: {error.strerror or error}")


def _fail(text: str) -> None:
    click.echo(f"Error: {text}", err=True)
    sys.exit(2)


if __name__ == "__main__":
    main()
