"""Names with parameters, as people type them: ``greedy``, ``official,upper_bonus=50``.

Knows nothing of what is named: rule sets and strategies both read their specs here.
"""

from __future__ import annotations

import ast
import difflib
import operator
from collections.abc import Iterable
from typing import Any

from yahtzee_sim.errors import YahtzeeError


def parse_spec(text: str) -> tuple[str, dict[str, Any]]:
    """Split ``head,field=value,field=value`` into its head and a dict of Python values.

    A value is read as a Python literal (``2``, ``0.5``, ``(1, 2)``, ``None``); ``true`` and
    ``false`` are booleans in any case; anything else is the string as it stands.
    """
    head, *fields = split_outside_brackets(text)
    values: dict[str, Any] = {}
    for field in fields:
        name, equals, value = field.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise YahtzeeError(
                f"{text!r}: after the name comes field=value, separated by commas; got {field!r}"
            )
        if name in values:
            raise YahtzeeError(f"{text!r}: the field {name!r} is given twice")
        values[name] = parse_value(value.strip())
    return head.strip(), values


def split_outside_brackets(text: str) -> list[str]:
    """The parts of a text between commas that stand in no brackets."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        if letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]


def parse_value(text: str) -> Any:
    """A value as people type it, see `parse_spec`."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text
    return tuple(value) if isinstance(value, list) else value


def whole(value: object) -> int | None:
    """A whole number as an int; None for anything that is none, booleans included."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def unknown(kind: str, name: object, known: Iterable[str]) -> str:
    """One line for a name that is not known, with the nearest known ones."""
    names = sorted(known)
    near = difflib.get_close_matches(str(name).lower(), names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(names)}"
    return f"unknown {kind} {name!r}; {hint}"
