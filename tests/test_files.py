"""Results on disk: what was saved comes back, and nothing half-written ever stands there."""

from __future__ import annotations

import errno
import gc
import json
import os
import shutil
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import yahtzee_sim as ys
from yahtzee_sim import files
from yahtzee_sim.tallies import Tally

MANIFEST, TALLIES, GAMES = "manifest.json", "tallies.npz", "games.parquet"
HOUSE = ys.Rules(name="house", upper_bonus=50, upper_bonus_threshold=40, joker="any")
OF_MANY_PARTS = """
from dataclasses import dataclass
import yahtzee_sim as ys

@dataclass(frozen=True)
class Inner(ys.Strategy):
    sees = frozenset({"open"})
    face: int = 6
    share: float = 0.5

    def keep(self, turn):
        return turn.dice == self.face

    def category(self, turn):
        return turn.points.argmax(axis=1)

@dataclass(frozen=True)
class Outer(Inner):
    inner: ys.Strategy = Inner()
    order: tuple = (1, 2, 3)
    bold: bool = False
    note: str = "none"

    def keep(self, turn):
        return self.inner.keep(turn)
"""


@pytest.fixture(scope="module")
def result():
    return ys.simulate("yahtzee-chaser", 1_500, rules=HOUSE, seed=2**64 - 1)


@pytest.fixture(scope="module")
def tallies_only():
    return ys.simulate("random", 300, seed=0, store="summary")


@pytest.fixture(scope="module")
def comparison():
    return ys.compare({"up": "upper-first", "a/b: c?": "roll-once"}, 400, seed=5, paired=False)


@pytest.fixture(scope="module")
def saved_once(result, tmp_path_factory):
    return result.save(tmp_path_factory.mktemp("saved") / "run")


@pytest.fixture
def saved(saved_once, tmp_path):
    """A copy that a test may damage."""
    return shutil.copytree(saved_once, tmp_path / "run")


def refused(call, *arguments, **options) -> str:
    with pytest.raises(ys.YahtzeeError) as caught:
        call(*arguments, **options)
    text = str(caught.value)
    assert text.strip()
    assert "\n" not in text
    return text


def assert_equal_results(a, b) -> None:
    assert (a.label, a.spec, a.seed, a.stream, a.n) == (b.label, b.spec, b.seed, b.stream, b.n)
    assert a.rules == b.rules
    assert a.parameters == b.parameters
    assert a.made == b.made
    assert a.caption == b.caption
    for f in fields(Tally):
        x, y = getattr(a.tally, f.name), getattr(b.tally, f.name)
        np.testing.assert_array_equal(x, y)
        assert x.dtype == y.dtype
    if b.frame is None:
        assert a.frame is None
    else:
        pd.testing.assert_frame_equal(a.games, b.games, check_exact=True)
        assert a.games.attrs == b.games.attrs
        assert (a.games.dtypes == np.int16).all()
    pd.testing.assert_frame_equal(a.summary(), b.summary(), check_exact=True)
    pd.testing.assert_frame_equal(a.categories(), b.categories(), check_exact=True)
    pd.testing.assert_series_equal(a.distribution(), b.distribution(), check_exact=True)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


# --- there and back ---------------------------------------------------------------------------


def test_what_is_saved_is_loaded(result, saved_once):
    assert_equal_results(ys.load(saved_once), result)


def test_a_loaded_result_saves_the_same_again(saved_once, tmp_path):
    again = ys.load(saved_once).save(tmp_path / "again")
    assert_equal_results(ys.load(again), ys.load(saved_once))
    assert sorted(p.name for p in again.iterdir()) == sorted(p.name for p in saved_once.iterdir())


def test_a_summary_only_result_is_saved_without_games(tallies_only, tmp_path):
    folder = tallies_only.save(tmp_path / "deep" / "er" / "run")
    assert sorted(p.name for p in folder.iterdir()) == [MANIFEST, TALLIES]
    loaded = ys.load(folder)
    assert_equal_results(loaded, tallies_only)
    with pytest.raises(ys.YahtzeeError, match="kept no games"):
        _ = loaded.games


def test_parameters_of_every_kind_come_back(tmp_path):
    file = tmp_path / "parts.py"
    file.write_text(OF_MANY_PARTS)
    inner = ys.strategy(f"{file}:Inner", face=np.int64(4), share=0.25)
    outer = ys.strategy(f"{file}:Outer", inner=inner, order=(1, (2, 0.5)), bold=True, note="ü, =")
    result = ys.simulate(outer, 50, seed=1)
    loaded = ys.load(result.save(tmp_path / "run"))
    assert_equal_results(loaded, result)
    assert loaded.parameters == {
        "face": 6,
        "share": 0.5,
        "inner": "inner,face=4,share=0.25",
        "order": [1, [2, 0.5]],
        "bold": True,
        "note": "ü, =",
    }


def test_a_run_can_be_played_again_from_its_folder(saved_once):
    loaded = ys.load(saved_once)
    again = ys.simulate(loaded.spec, loaded.n, rules=loaded.rules, seed=loaded.seed)
    pd.testing.assert_frame_equal(again.games, loaded.games, check_exact=True)


def test_other_programs_read_the_games(result, saved_once):
    read = pd.read_parquet(saved_once / GAMES)
    assert (read.to_numpy() == result.games.to_numpy()).all()
    assert list(read.columns) == list(result.games.columns)


def test_a_path_may_be_text_and_saving_returns_it(result, tmp_path):
    folder = result.save(str(tmp_path / "run"))
    assert folder == tmp_path / "run"
    assert_equal_results(ys.load(str(folder)), result)


# --- the manifest -----------------------------------------------------------------------------


def no_constants(name):
    raise AssertionError(f"{name} is no JSON")


def test_the_manifest_says_where_the_numbers_come_from(result, saved_once):
    text = (saved_once / MANIFEST).read_text(encoding="utf-8")
    manifest = json.loads(text, parse_constant=no_constants)
    assert manifest["kind"] == "simulation"
    assert manifest["seed"] == 2**64 - 1
    assert manifest["stream"] == 0
    assert manifest["games"] == 1_500
    assert ys.Rules(**manifest["rules"]) == HOUSE
    assert manifest["strategy"] == {
        "label": "yahtzee-chaser",
        "name": "yahtzee-chaser",
        "parameters": {},
    }
    made = manifest["made"]
    assert made["version"] == ys.__version__
    assert made["layout"] == 1
    assert made["numpy"] == np.__version__
    assert made["pandas"] == pd.__version__
    assert made["seconds"] >= 0
    assert pd.Timestamp(made["finished"]).year >= 2024
    assert sorted(manifest["files"]) == sorted([GAMES, TALLIES])


def test_the_manifest_is_json_whatever_the_parameters(tmp_path):
    file = tmp_path / "parts.py"
    file.write_text(OF_MANY_PARTS)
    endless = ys.strategy(f"{file}:Inner", share=float("inf"))
    folder = ys.simulate(endless, 10, seed=1).save(tmp_path / "run")
    json.loads((folder / MANIFEST).read_text(encoding="utf-8"), parse_constant=no_constants)
    assert ys.load(folder).n == 10


# --- folders in use ---------------------------------------------------------------------------


def test_a_folder_in_use_is_not_touched_unless_overwritten(result, tallies_only, saved):
    before = contents(saved)
    assert "already used" in refused(tallies_only.save, saved)
    assert contents(saved) == before
    tallies_only.save(saved, overwrite=True)
    assert_equal_results(ys.load(saved), tallies_only)
    assert not (saved / GAMES).exists(), "nothing of the old result is left"
    assert [p.name for p in saved.parent.iterdir()] == ["run"]


def test_a_folder_of_other_things_is_never_overwritten(result, tmp_path):
    folder = tmp_path / "thesis"
    folder.mkdir()
    (folder / "chapter.txt").write_text("three years of work")
    for overwrite in (False, True):
        refused(result.save, folder, overwrite=overwrite)
    assert contents(folder) == {"chapter.txt": b"three years of work"}


def test_a_file_is_never_overwritten(result, tmp_path):
    file = tmp_path / "thesis.txt"
    file.write_text("three years of work")
    for overwrite in (False, True):
        assert "is a file" in refused(result.save, file, overwrite=overwrite)
    assert file.read_text() == "three years of work"


def test_an_empty_folder_is_free(result, tmp_path):
    (tmp_path / "run").mkdir()
    assert_equal_results(ys.load(result.save(tmp_path / "run")), result)


def test_to_overwrite_what_is_not_there_is_to_write(result, tmp_path):
    assert_equal_results(ys.load(result.save(tmp_path / "run", overwrite=True)), result)


def test_an_empty_current_folder_is_written_to_or_left_as_it_was(
    tallies_only, tmp_path, monkeypatch
):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    try:
        tallies_only.save(".")
    except ys.YahtzeeError:
        assert list(here.iterdir()) == []
    else:
        assert_equal_results(ys.load(here), tallies_only)
    assert [p.name for p in tmp_path.iterdir()] == ["here"]


# --- folders that cannot be written -----------------------------------------------------------


def test_a_folder_below_a_file_cannot_be_written(tallies_only, tmp_path):
    (tmp_path / "file").write_text("x")
    refused(tallies_only.save, tmp_path / "file" / "run")
    refused(tallies_only.save, tmp_path / "file" / "deep" / "run")
    assert contents(tmp_path) == {"file": b"x"}


def test_a_parent_without_permission_is_refused_before_anything_is_made(
    tallies_only, tmp_path, monkeypatch
):
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "cannot write" in refused(tallies_only.save, tmp_path / "deep" / "run")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", ["x" * 300, "~no-such-user/run", "nul\0l", None, 5, ""])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_that_cannot_be_named_is_refused(
    tallies_only, tmp_path, monkeypatch, folder, overwrite
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").write_text("")  # so that "", the current folder, is in use
    refused(tallies_only.save, folder, overwrite=overwrite)
    assert [p.name for p in tmp_path.iterdir()] == ["other"]


@pytest.mark.parametrize("folder", ["x" * 300, "~no-such-user/run", "nul\0l", None, 5, "nowhere"])
def test_a_folder_that_is_not_there_is_not_loaded(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    refused(ys.load, folder)


def full_disk(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


FAILING = {
    "games": (pd.DataFrame, "to_parquet"),
    "tallies": (np, "savez_compressed"),
    "manifest": (Path, "write_text"),
    "renaming": (Path, "rename"),
    "making": (Path, "mkdir"),
}


@pytest.mark.parametrize("step", list(FAILING))
def test_a_full_disk_is_one_line_and_leaves_nothing_behind(result, tmp_path, monkeypatch, step):
    folder = tmp_path / "new"
    folder.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(*FAILING[step], full_disk)
        text = refused(result.save, folder / "run")
    assert "No space left on device" in text
    assert "run" in text
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("step", ["games", "tallies", "manifest", "renaming"])
def test_a_full_disk_leaves_the_old_result_as_it_was(result, saved, monkeypatch, step):
    before = contents(saved)
    with monkeypatch.context() as patch:
        patch.setattr(*FAILING[step], full_disk)
        refused(result.save, saved, overwrite=True)
    assert contents(saved) == before
    assert [p.name for p in saved.parent.iterdir()] == ["run"]


def test_if_the_new_result_cannot_take_its_place_the_old_one_stays(result, saved, monkeypatch):
    before, rename, renamed = contents(saved), Path.rename, []

    def second_fails(self, target):
        renamed.append(target)
        if len(renamed) == 2:
            full_disk()
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", second_fails)
        refused(result.save, saved, overwrite=True)
    assert saved.is_dir(), "the old result is gone from its place"
    assert contents(saved) == before
    assert [p.name for p in saved.parent.iterdir()] == ["run"]


def test_a_run_that_is_stopped_while_it_writes_leaves_nothing_half_written(
    result, tmp_path, monkeypatch
):
    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pd.DataFrame, "to_parquet", stop)
        with pytest.raises(KeyboardInterrupt):
            result.save(tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


# --- damaged results --------------------------------------------------------------------------


def edit(change):
    def damage(folder):
        manifest = json.loads((folder / MANIFEST).read_text())
        change(manifest)
        (folder / MANIFEST).write_text(json.dumps(manifest))

    return damage


def write(name, value):
    return lambda folder: (folder / name).write_bytes(value)


def truncate(name):
    return lambda folder: os.truncate(folder / name, (folder / name).stat().st_size // 2)


def remove(name):
    return lambda folder: (folder / name).unlink()


def retally(**changes):
    def damage(folder):
        with np.load(folder / TALLIES) as stored:
            arrays = dict(stored)
        for name, change in changes.items():
            if change is None:
                del arrays[name]
            else:
                arrays[name] = change(arrays[name])
        np.savez_compressed(folder / TALLIES, **arrays)

    return damage


def regame(change):
    def damage(folder):
        change(pd.read_parquet(folder / GAMES)).to_parquet(folder / GAMES, index=False)

    return damage


DAMAGES = {
    "manifest missing": remove(MANIFEST),
    "manifest truncated": truncate(MANIFEST),
    "manifest empty": write(MANIFEST, b""),
    "manifest no text": write(MANIFEST, b"\xff\xfe\x00"),
    "manifest nested without end": write(MANIFEST, b"[" * 100_000),
    "manifest a list": write(MANIFEST, b"[1, 2]"),
    "manifest a folder": lambda f: ((f / MANIFEST).unlink(), (f / MANIFEST).mkdir()),
    "format of a later version": edit(lambda m: m.update(format=99)),
    "format as text": edit(lambda m: m.update(format="1")),
    "format missing": edit(lambda m: m.pop("format")),
    "kind unknown": edit(lambda m: m.update(kind="painting")),
    "kind missing": edit(lambda m: m.pop("kind")),
    "kind a list": edit(lambda m: m.update(kind=["simulation"])),
    "said to be a comparison": edit(lambda m: m.update(kind="comparison")),
    "rules missing": edit(lambda m: m.pop("rules")),
    "rules none": edit(lambda m: m.update(rules=None)),
    "rules unknown field": edit(lambda m: m["rules"].update(dice=6)),
    "rules out of range": edit(lambda m: m["rules"].update(upper_bonus=-1)),
    "rules of another maximum": edit(lambda m: m["rules"].update(yahtzee_bonus=0)),
    "strategy missing": edit(lambda m: m.pop("strategy")),
    "strategy a name": edit(lambda m: m.update(strategy="greedy")),
    "seed missing": edit(lambda m: m.pop("seed")),
    "made missing": edit(lambda m: m.pop("made")),
    "made a list": edit(lambda m: m.update(made=[1])),
    "files none": edit(lambda m: m.update(files=None)),
    "fewer games": edit(lambda m: m.update(games=1_499)),
    "games as text": edit(lambda m: m.update(games="1500")),
    "tallies missing": remove(TALLIES),
    "tallies truncated": truncate(TALLIES),
    "tallies empty": write(TALLIES, b""),
    "tallies no archive": write(TALLIES, b"PK\x03\x04 and then nothing"),
    "tallies a pickle": write(TALLIES, b"\x80\x04K\x01."),
    "tallies without upper": retally(upper=None),
    "tallies of too few totals": retally(total=lambda a: a[:1_000]),
    "tallies of a number": retally(total=lambda a: a.sum()),
    "tallies negative": retally(upper=lambda a: a - 3),
    "tallies of fractions": retally(total=lambda a: a * 1.0),
    "tallies of too few rounds": retally(scored=lambda a: a[:12]),
    "tallies that count other games": retally(bonuses=lambda a: a * 2),
    "games missing": remove(GAMES),
    "games truncated": truncate(GAMES),
    "games empty": write(GAMES, b""),
    "games of other columns": regame(lambda g: g.rename(columns={"ones": "aces"})),
    "games in another order": regame(lambda g: g[g.columns[::-1]]),
    "games too few": regame(lambda g: g.iloc[:-1]),
    "games of fractions": regame(lambda g: g * 1.0),
    "games of text": regame(lambda g: g.astype(str)),
    "games of another run": regame(lambda g: g.assign(total=g["total"] + 1)),
}


@pytest.mark.parametrize("damage", list(DAMAGES))
def test_a_damaged_result_is_one_clear_line(saved, damage):
    DAMAGES[damage](saved)
    text = refused(ys.load, saved)
    assert saved.name in text
    gc.collect()  # a file left open would be told here, and not in another test


def test_what_was_not_damaged_is_loaded(saved, result):
    edit(lambda m: m.update(note="a field of mine"))(saved)
    (saved / "notes.txt").write_text("mine")
    assert_equal_results(ys.load(saved), result)


def test_a_byte_that_went_wrong_is_noticed_or_does_no_harm(saved, result):
    for name in (TALLIES, GAMES):
        whole = (saved / name).read_bytes()
        for at in range(5, len(whole), max(len(whole) // 25, 1)):
            wrong = bytearray(whole)
            wrong[at] ^= 0x55
            (saved / name).write_bytes(wrong)
            try:
                loaded = ys.load(saved)
            except ys.YahtzeeError:
                continue
            pd.testing.assert_frame_equal(loaded.games, result.games, obj=f"{name}, byte {at}")
            np.testing.assert_array_equal(loaded.tally.total, result.tally.total)
        (saved / name).write_bytes(whole)


# --- nothing is executed ----------------------------------------------------------------------


class Trap:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize("name", [f.name for f in fields(Tally)])
def test_nothing_is_unpickled(saved, tmp_path, name):
    mark = tmp_path / "sprung"
    retally(**{name: lambda _: np.array([Trap(mark)], dtype=object)})(saved)
    with np.load(saved / TALLIES, allow_pickle=True) as stored:
        _ = stored[name]
    assert mark.exists(), "the trap works"
    mark.rmdir()
    refused(ys.load, saved)
    assert not mark.exists()


def test_loading_looks_for_no_strategy(saved):
    edit(lambda m: m["strategy"].update(name="/etc/evil.py:Evil", label="evil"))(saved)
    assert ys.load(saved).label == "evil"


# --- comparisons ------------------------------------------------------------------------------


@pytest.fixture
def saved_comparison(comparison, tmp_path):
    return comparison.save(tmp_path / "compared")


def test_a_comparison_is_loaded_as_it_was_saved(comparison, saved_comparison):
    loaded = ys.load(saved_comparison)
    assert list(loaded.results) == list(comparison.results)
    assert loaded.paired is comparison.paired is False
    assert loaded.caption == comparison.caption
    for label, result in comparison.results.items():
        assert_equal_results(loaded.results[label], result)
    pd.testing.assert_frame_equal(loaded.ranking(), comparison.ranking(), check_exact=True)
    read = pd.read_csv(saved_comparison / "ranking.csv", index_col="strategy")
    np.testing.assert_allclose(read["mean"], comparison.ranking()["mean"])


def test_each_strategy_of_a_comparison_is_a_result_of_its_own(comparison, saved_comparison):
    manifest = json.loads((saved_comparison / MANIFEST).read_text())
    for label, name in manifest["strategies"].items():
        folder = saved_comparison / name
        assert folder.parent == saved_comparison
        assert_equal_results(ys.load(folder), comparison.results[label])


@pytest.mark.parametrize(
    "labels",
    [
        ["a/b", "a:b", "a?b"],
        ["..", ".", ""],
        ["../up", "/etc/passwd", "C:\\x"],
        ["manifest.json", "ranking.csv"],
        ["Ä", "Ö", "x" * 400],
        ["con", "a b", "a_b"],
    ],
    ids=["letters", "dots", "paths", "our files", "long", "words"],
)
def test_labels_of_any_kind_find_folders_of_their_own(labels, tmp_path):
    compared = ys.compare(dict.fromkeys(labels, "roll-once"), 20, seed=1, store="summary")
    folder = compared.save(tmp_path / "compared")
    assert [p.name for p in tmp_path.iterdir()] == ["compared"]
    loaded = ys.load(folder)
    assert list(loaded.results) == labels
    assert [r.label for r in loaded.results.values()] == labels


def test_a_comparison_is_overwritten_whole(comparison, saved_comparison):
    smaller = ys.compare(["roll-once"], 30, seed=1)
    refused(smaller.save, saved_comparison)
    smaller.save(saved_comparison, overwrite=True)
    assert list(ys.load(saved_comparison).results) == ["roll-once"]
    assert not (saved_comparison / "up").exists()


@pytest.mark.parametrize("step", ["games", "tallies", "manifest", "making", "renaming"])
def test_a_full_disk_leaves_no_half_comparison(comparison, tmp_path, monkeypatch, step):
    folder = tmp_path / "new"
    folder.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(*FAILING[step], full_disk)
        refused(comparison.save, folder / "run")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", ["..", ".", "", "../run", "up/../../run", "/", None, 5, ["up"]])
def test_a_comparison_reads_no_folder_but_its_own(saved_comparison, result, name):
    result.save(saved_comparison.parent / "run")
    # a result, where the way up would lead
    for file in (saved_comparison.parent / "run").iterdir():
        shutil.copy(file, saved_comparison.parent / file.name)
    edit(lambda m: m["strategies"].update(up=name))(saved_comparison)
    refused(ys.load, saved_comparison)


@pytest.mark.parametrize("target", ["absolute", "symlink to it"])
def test_a_comparison_reads_no_result_elsewhere(saved_comparison, saved, target):
    if target == "absolute":
        edit(lambda m: m["strategies"].update(up=str(saved)))(saved_comparison)
        refused(ys.load, saved_comparison)
    else:  # people move large results and leave a link; that is theirs to do
        shutil.rmtree(saved_comparison / "up")
        (saved_comparison / "up").symlink_to(saved)
        assert ys.load(saved_comparison).results["up"].n == 1_500


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.pop("strategies"),
        lambda m: m.update(strategies={}),
        lambda m: m.update(strategies=["up"]),
        lambda m: m.update(strategies=None),
        lambda m: m.pop("paired"),
        lambda m: m["strategies"].update(up="not-there"),
    ],
    ids=["no strategies", "none of them", "a list", "null", "no paired", "not there"],
)
def test_a_damaged_comparison_is_one_clear_line(saved_comparison, change):
    edit(change)(saved_comparison)
    refused(ys.load, saved_comparison)


def test_a_comparison_with_a_damaged_part_says_which(saved_comparison):
    (saved_comparison / "up" / TALLIES).unlink()
    assert "up" in refused(ys.load, saved_comparison)


# --- names of folders -------------------------------------------------------------------------


@pytest.mark.parametrize("label", ["greedy", "a/b", "..", "", "\0", "é", "x,y=(1, 2)", "a\nb"])
def test_a_folder_is_named_in_plain_letters(label):
    name = files.folder_name(label)
    assert name
    assert Path(name).name == name
    assert name not in (".", "..")
    assert name.isascii()
    assert name.isprintable()
