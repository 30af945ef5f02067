"""The notebooks: they run from top to bottom, and show what their code gives."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


def module():
    spec = importlib.util.spec_from_file_location("execute_notebooks", FOLDER / "execute.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def read(name):
    import nbformat

    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def test_there_are_eight():
    assert len(NAMES) == 8


@pytest.mark.parametrize("name", NAMES)
def test_every_cell_was_run_in_order_without_an_error(name):
    counts = []
    for cell in read(name).cells:
        if cell.cell_type == "code":
            counts.append(cell.execution_count)
            assert not any(output.output_type == "error" for output in cell.outputs)
    assert counts == list(range(1, len(counts) + 1))


@pytest.mark.parametrize("name", NAMES)
def test_every_chart_is_there_as_a_picture(name):
    drawn = 0
    for cell in read(name).cells:
        if cell.cell_type == "code" and cell.source.rstrip().endswith(";"):
            assert any("image/png" in o.get("data", {}) for o in cell.outputs), cell.source
            drawn += 1
    assert drawn or name == "06-joker-rules"


def test_questions_are_answered_where_the_readme_says():
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+)\. .*?\| .*?`(0\d-[a-z-]+)`", readme, re.M)
    assert {int(number) for number, _ in rows} == {3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15}
    for number, name in rows:
        text = " ".join(c.source for c in read(name).cells if c.cell_type == "markdown")
        assert re.search(rf"Question {number}\b", text), (number, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_it_runs_with_fewer_games(name):
    notebook = module().execute(FOLDER / f"{name}.ipynb", scale=0.02)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.execution_count is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["06-joker-rules"])
def test_it_shows_what_its_code_gives(name):
    """In full; the others are compared by `make notebooks-check`."""
    execute = module()
    again = execute.execute(FOLDER / f"{name}.ipynb")
    assert execute.shown(again) == execute.shown(read(name))
