"""The exceptions of the library: each message is one line that says what was wrong and what
would be right."""

from __future__ import annotations


class YahtzeeError(ValueError):
    """Something that was asked for cannot be: a wrong rule, card, roll, number or file."""

    def __init__(self, text: object = ""):
        super().__init__(" ".join(str(text).split()))  # one line, whatever was quoted in it


class StrategyError(YahtzeeError):
    """A strategy cannot be built, or answered something that is no legal decision."""
