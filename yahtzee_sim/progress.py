"""A progress bar that is silent where nobody looks: in pipes, in files, in short runs."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any


class Progress:
    """Counts up to `total`; shows a bar on a terminal or in a notebook if it takes a while.

    Parameters
    ----------
    total : int
    unit : str
    text : str
        What is being done.
    show : bool, optional
        Force it on or off; by default a bar is shown where standard error is a terminal, or in a
        notebook that has ipywidgets.
    """

    def __init__(self, total: int, unit: str, text: str = "", show: bool | None = None):
        self._bar: Any = None
        notebook = "ipykernel" in sys.modules and importlib.util.find_spec("ipywidgets")
        if show is None:
            show = bool(notebook) or sys.stderr.isatty()
        if not show:
            return
        if notebook:
            from tqdm.notebook import tqdm
        else:
            from tqdm import tqdm
        self._bar = tqdm(
            total=total, unit=f" {unit}", desc=text or None, unit_scale=True, leave=False, delay=0.3
        )

    def add(self, n: float) -> None:
        """n more are done."""
        if self._bar is not None:
            self._bar.update(n)

    def say(self, text: str) -> None:
        """What is being done now."""
        if self._bar is not None:
            self._bar.set_description(text)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
