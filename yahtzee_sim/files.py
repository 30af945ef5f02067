"""Results on disk: a folder with a JSON manifest, tallies, and games in parquet.

A folder is written aside and renamed when it is whole, so that a killed run leaves no
half-written result. Nothing is unpickled, and loading a result runs no code of its.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.results import (
    ACCOUNT_COLUMNS,
    GAME_COLUMNS,
    Luck,
    Result,
    games_frame,
)
from yahtzee_sim.rulesets import Rules
from yahtzee_sim.tallies import Tally

FORMAT = 1
MANIFEST, TALLIES, GAMES = "manifest.json", "tallies.npz", "games.parquet"
ACCOUNTS = "accounts.parquet"


def check_folder(folder: str | Path, overwrite: bool) -> Path:
    """A folder that a result can be written to, before any game is played.

    Raises
    ------
    YahtzeeError
        If it is in use and may not be overwritten, holds something else than results, or its
        parent cannot be written.
    """
    path = as_path(folder)
    try:
        if path.exists() and not path.is_dir():
            raise YahtzeeError(f"{folder} is a file; give a folder for the result")
        if path.is_dir() and any(path.iterdir()):
            if not overwrite:
                raise YahtzeeError(f"{folder} is already used; choose another folder, or overwrite")
            if not (path / MANIFEST).is_file():
                raise YahtzeeError(f"{folder} holds no result, so it is not overwritten")
        parent = next(p for p in path.parents if p.exists())
        if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
            raise YahtzeeError(f"cannot write to {parent}; choose a folder that can be written")
    except OSError as error:
        raise YahtzeeError(f"cannot write to {folder}: {error.strerror or error}") from error
    return path


def as_path(folder: str | Path) -> Path:
    """A path that people gave, made absolute; or one clear line."""
    try:
        path = Path(folder).expanduser().resolve()
        path.exists()
    except (TypeError, ValueError, RuntimeError, OSError) as error:
        raise YahtzeeError(f"{folder!r} is no path of a folder: {error}") from None
    return path


def write_aside(folder: str | Path, overwrite: bool, write: Callable[[Path], None]) -> Path:
    """Have a folder written beside its place, then rename it: all of it, or nothing."""
    path = check_folder(folder, overwrite)
    rooms: list[Path] = []
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        room = Path(tempfile.mkdtemp(prefix=f".{path.name[:40]}-", dir=path.parent))
        rooms.append(room)
        new, old = room / "new", room / "old"
        new.mkdir()
        write(new)
        if path.exists():
            path.rename(old)
        try:
            new.rename(path)
        except OSError:
            if old.exists():
                old.rename(path)
            raise
    except OSError as error:
        raise YahtzeeError(f"cannot write {folder}: {error.strerror or error}") from error
    finally:
        for room in rooms:
            shutil.rmtree(room, ignore_errors=True)
    return path


def save_result(result: Result, folder: str | Path, *, overwrite: bool = False) -> Path:
    """Write a result to a folder of its own."""
    return write_aside(folder, overwrite, lambda aside: write_result(result, aside))


def write_result(result: Result, folder: Path) -> None:
    """The files of one result, into a folder that exists."""
    tally = {f.name: getattr(result.tally, f.name) for f in fields(Tally)}
    np.savez_compressed(folder / TALLIES, **tally)
    if result.frame is not None:
        result.frame.to_parquet(folder / GAMES, index=False)
    if result._accounts is not None:
        result._accounts.to_parquet(folder / ACCOUNTS, index=False)
    names = [name for name in (TALLIES, GAMES, ACCOUNTS) if (folder / name).exists()]
    manifest = {
        "format": FORMAT,
        "kind": "simulation",
        "strategy": {
            "label": result.label,
            "name": result.spec,
            "parameters": result.parameters,
        },
        "rules": result.rules.to_dict(),
        "games": result.n,
        "seed": result.seed,
        "stream": result.stream,
        "luck": None if result.luck is None else asdict(result.luck),
        "made": result.made,
        "files": {name: _digest(folder / name) for name in names},
    }
    write_manifest(folder, manifest)


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """The manifest of a folder, as JSON that people can read."""
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def load(folder: str | Path) -> Any:
    """Read back what `save` wrote: a `Result`, or a `Comparison`.

    Raises
    ------
    YahtzeeError
        If the folder holds no result, or a damaged one, or one of a later version.
    """
    path = as_path(folder)
    manifest = read_manifest(path)
    kind = manifest.get("kind")
    if kind == "comparison":
        from yahtzee_sim.comparison import read_comparison

        return read_comparison(path, manifest)
    if kind != "simulation":
        raise YahtzeeError(f"{path / MANIFEST} describes a {kind!r}, not a result")
    return read_result(path, manifest)


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a folder."""
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise YahtzeeError(f"{path} holds no result: there is no {MANIFEST} in it") from None
    except OSError as error:
        raise YahtzeeError(f"cannot read {path / MANIFEST}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise YahtzeeError(f"{path / MANIFEST} is damaged: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise YahtzeeError(f"{path / MANIFEST} is not of format {FORMAT}, which this version reads")
    return manifest


def read_result(path: Path, manifest: dict[str, Any]) -> Result:
    """The result that a manifest describes."""
    try:
        rules = Rules.from_dict(manifest["rules"])
        for name, digest in manifest["files"].items():
            if name not in (TALLIES, GAMES, ACCOUNTS) or _digest(path / name) != digest:
                raise ValueError(f"{name} is not the file that was written")
        if not isinstance(manifest["made"], dict):
            raise ValueError("the manifest does not say what made it")
        tally = _read_tally(path / TALLIES, rules)
        label = manifest["strategy"]["label"]
        frame = None
        if GAMES in manifest["files"]:
            read = pd.read_parquet(path / GAMES)
            if tuple(read.columns) != GAME_COLUMNS or set(read.dtypes) != {np.dtype(np.int16)}:
                raise ValueError(f"{GAMES} holds no games")
            frame = games_frame(np.ascontiguousarray(read.to_numpy().T), rules, label)
            if not np.array_equal(
                np.bincount(read["total"], minlength=len(tally.total)), tally.total
            ):
                raise ValueError(f"{GAMES} holds other games than {TALLIES} counts")
        luck, accounts = _read_luck(path, manifest, tally.n)
        if tally.n != manifest["games"]:
            raise ValueError(f"{TALLIES} counts {tally.n} games, the manifest {manifest['games']}")
        return Result(
            label,
            manifest["strategy"]["name"],
            manifest["strategy"]["parameters"],
            rules,
            manifest["seed"],
            manifest["stream"],
            tally,
            manifest["made"],
            frame,
            luck,
            accounts,
        )
    except Exception as error:
        raise YahtzeeError(f"the result in {path} is damaged: {error}") from error


def _read_luck(
    path: Path, manifest: dict[str, Any], n: int
) -> tuple[Luck | None, pd.DataFrame | None]:
    stated, accounts = manifest.get("luck"), None
    if stated is None:
        return None, None
    sums, squares = (tuple(map(float, stated[name])) for name in ("sums", "squares"))
    if len(sums) != 2 or len(squares) != 2:
        raise ValueError("the manifest does not say the luck and the cost of the games")
    if ACCOUNTS in manifest["files"]:
        accounts = pd.read_parquet(path / ACCOUNTS)
        if tuple(accounts.columns) != ACCOUNT_COLUMNS or len(accounts) != n:
            raise ValueError(f"{ACCOUNTS} holds no accounts of the {n} games")
    return Luck(float(stated["start"]), sums, squares), accounts


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def _read_tally(path: Path, rules: Rules) -> Tally:
    empty = Tally.empty(rules)
    with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        read = {f.name: stored[f.name] for f in fields(Tally)}
    tally = Tally(**read)
    games = int(tally.total.sum())
    for name, counts in read.items():
        wanted = games * 13 if name == "scored" else games
        if counts.shape != getattr(empty, name).shape or counts.dtype != np.int64:
            raise ValueError(f"{path.name}: {name} is no count of games under {rules.name}")
        if counts.min() < 0 or counts.sum() != wanted:
            raise ValueError(f"{path.name}: {name} does not count the {games} games")
    return tally


def folder_name(label: str) -> str:
    """A label as the name of a folder."""
    return re.sub(r"[^A-Za-z0-9._=-]+", "_", label).strip("._")[:80] or "strategy"
