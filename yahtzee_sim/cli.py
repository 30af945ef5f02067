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
@_options("games", "rules", "seed", "workers", "store", "out", "overwrite", "json", "csv")
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

    check_extras(at_least, quantile)
    result = play(strategy, games, rules=rules, seed=seed, workers=workers, store=store)
    shown = (
        result.categories() if categories else result.summary(at_least=at_least, quantiles=quantile)
    )
    _save(result, out, overwrite)
    facts = {
        "strategy": result.label,
        "parameters": result.parameters,
        "rules": result.rules.to_dict(),
        "games": result.n,
        "seed": result.seed,
        "made": result.made,
    }
    _print(shown, result.caption, facts, "categories" if categories else "summary", as_json, as_csv)


@cli.command()
@click.argument("strategies", nargs=-1)
@_options("games", "rules", "seed", "workers", "store", "out", "overwrite", "json", "csv")
@click.option("--unpaired", is_flag=True, help="Dice of its own for each, not the same for all.")
def compare(
    strategies: tuple[str, ...],
    games: Any,
    rules: str,
    seed: Any,
    workers: Any,
    store: str,
    out: str | None,
    overwrite: bool,
    as_json: bool,
    as_csv: bool,
    unpaired: bool,
) -> None:
    """Rank STRATEGIES by their mean total on the same dice; all known ones if none is named."""
    _one_of(as_json, as_csv)
    _check_out(out, overwrite)
    from yahtzee_sim import compare as play
    from yahtzee_sim import list_strategies

    result = play(
        list(strategies) or list(list_strategies()),
        games,
        rules=rules,
        seed=seed,
        workers=workers,
        store=store,
        paired=not unpaired,
    )
    _save(result, out, overwrite)
    one = next(iter(result.results.values()))
    facts = {"rules": one.rules.to_dict(), "games": one.n, "seed": one.seed, "made": one.made}
    _print(result.ranking(), result.caption, facts, "ranking", as_json, as_csv)


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
    """List the strategies that can be named, their parameters and ideas."""
    _one_of(as_json, as_csv)
    import inspect
    from dataclasses import fields

    from yahtzee_sim import list_strategies

    rows = []
    for name, cls in list_strategies().items():
        idea = " ".join((inspect.getdoc(cls) or "").split("\n\n")[0].split())
        defaults = ", ".join(f"{f.name}={f.default}" for f in fields(cls))
        sees = cls.sees if isinstance(cls.sees, frozenset | set) else ()
        rows.append(
            {
                "strategy": name,
                "parameters": defaults,
                "sees": ", ".join(sorted(sees)),
                "idea": idea,
            }
        )
    _print_rows(rows, as_json, as_csv)


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
        rows = [
            {key: _plain(value) for key, value in row.items()}
            for row in frame.reset_index().to_dict("records")
        ]
        click.echo(json.dumps(facts | {what: rows}, indent=2))
    elif as_csv:
        click.echo(frame.to_csv(lineterminator="\n"), nl=False)
    else:
        click.echo(caption)
        click.echo(readable(frame, digits))


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value


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
