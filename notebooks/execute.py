"""Runs the notebooks from top to bottom, and keeps what they show.

    python notebooks/execute.py [--check] [--scale 0.01] [name ...]

Without `--check` the outputs are written into the notebooks; with it they are compared with those
that are there (texts and tables, not pictures), and nothing is written. A scale below 1 plays fewer
games.
"""

from __future__ import annotations

import argparse
import copy
import os
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent
TIMEOUT = 900


def execute(path: Path, scale: float = 1.0) -> nbformat.NotebookNode:
    """A notebook with the outputs of a fresh run."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    os.environ["YAHTZEE_SIM_NOTEBOOK_SCALE"] = str(scale)
    NotebookClient(notebook, timeout=TIMEOUT, resources={"metadata": {"path": FOLDER}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [o for o in cell.outputs if not _is_noise(o)]
    return notebook


def _is_noise(output: nbformat.NotebookNode) -> bool:
    """Progress bars, and the value of a last line that draws."""
    data = output.get("data", {})
    return output.get("name") == "stderr" or "application/vnd.jupyter.widget-view+json" in data


def shown(notebook: nbformat.NotebookNode) -> list[str]:
    """The texts and tables that a notebook shows."""
    texts = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            text = output.get("text") or output.get("data", {}).get("text/plain", "")
            texts.append(re.sub(r" at 0x[0-9a-f]+|<Figure size.*?>", "", text))
    return texts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the games")
    given = parser.parse_args()
    paths = [FOLDER / f"{Path(name).stem}.ipynb" for name in given.names]
    stale = 0
    for path in paths or sorted(FOLDER.glob("*.ipynb")):
        before = copy.deepcopy(nbformat.read(path, as_version=4))
        after = execute(path, given.scale)
        if not given.check:
            nbformat.write(after, path)
            print(f"{path.name}: run", flush=True)
        elif shown(before) != shown(after):
            stale += 1
            print(f"{path.name}: shows other figures than the code gives", flush=True)
        else:
            print(f"{path.name}: up to date", flush=True)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
