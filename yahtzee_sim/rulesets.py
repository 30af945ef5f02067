"""Rule sets as data: what differs between the rule texts, and the seven presets.

Only the joker differs much: where a further five of a kind may go once the Yahtzee box is
filled, and what it pays there. `yahtzee_sim.scoring` turns a rule set into tables.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.specs import parse_spec, unknown, whole

JOKERS = ("none", "forced", "matching-first", "matching-or-lower", "any")
_BONUS_LIMIT = 1000  # twelve hundreds and all boxes stay far inside int16


@dataclass(frozen=True)
class Rules:
    """A rule set. The defaults are the official rules.

    Parameters
    ----------
    name : str, optional
        What tables and charts call it; the preset's name if the other fields are those of a
        preset, else ``"custom"``.
    upper_bonus : int
        Points for an upper section that reaches the threshold, paid once. 0 to 1000.
    upper_bonus_threshold : int
        1 to 105.
    yahtzee_bonus : int
        Points for each five of a kind rolled while the Yahtzee box holds 50. 0 to 1000.
    joker : str
        Where a five of a kind may go once the Yahtzee box is filled. ``"none"``: like any other
        roll; ``"forced"``: the matching upper box if it is open, else any open lower box, else
        any open upper box; ``"matching-first"``: the matching upper box if open, else any open
        box; ``"matching-or-lower"``: the matching upper box or any open lower box, else any
        open upper box; ``"any"``: any open box.
    joker_needs_fifty : bool
        The joker exists only while the Yahtzee box holds 50, not when it was zeroed.
    joker_needs_upper_filled : bool
        A joker pays full house, small and large straight in full only once the matching upper
        box is filled; otherwise it always does.
    five_of_a_kind_is_full_house : bool
        Five of a kind pays 25 as a full house without any joker.

    Raises
    ------
    YahtzeeError
        If a field is out of its range.

    Examples
    --------
    >>> Rules().name
    'official'
    >>> Rules(name="house", upper_bonus=50).upper_bonus
    50
    """

    name: str = ""
    upper_bonus: int = 35
    upper_bonus_threshold: int = 63
    yahtzee_bonus: int = 100
    joker: str = "forced"
    joker_needs_fifty: bool = False
    joker_needs_upper_filled: bool = True
    five_of_a_kind_is_full_house: bool = False

    def __post_init__(self) -> None:
        self._check_number("upper_bonus", 0, _BONUS_LIMIT)
        self._check_number("upper_bonus_threshold", 1, 105)
        self._check_number("yahtzee_bonus", 0, _BONUS_LIMIT)
        if not isinstance(self.joker, str) or self.joker not in JOKERS:
            raise YahtzeeError(unknown("joker rule", self.joker, JOKERS))
        for name in ("joker_needs_fifty", "joker_needs_upper_filled", _FULL_HOUSE):
            if not isinstance(getattr(self, name), bool):
                raise YahtzeeError(f"{name} is True or False, not {getattr(self, name)!r}")
        if not isinstance(self.name, str):
            raise YahtzeeError(f"the name of a rule set is a string, not {self.name!r}")
        if not self.name:
            same = (name for name, preset in _PRESETS.items() if preset.key == self.key)
            object.__setattr__(self, "name", next(same, "custom"))

    def _check_number(self, name: str, low: int, high: int) -> None:
        value = getattr(self, name)
        number = whole(value)
        if number is None or not low <= number <= high:
            raise YahtzeeError(f"{name} is a whole number from {low} to {high}, not {value!r}")
        object.__setattr__(self, name, number)

    @property
    def key(self) -> tuple[Any, ...]:
        """Every field but the name: two rule sets with one key are the same game."""
        return tuple(getattr(self, f.name) for f in fields(self) if f.name != "name")

    @property
    def maximum(self) -> int:
        """The highest total that can be reached.

        Every box can be filled by a five of a kind after the Yahtzee box and the matching upper
        boxes, where each joker rule pays most; a box takes the better of that and its own best
        roll.
        """
        joker = self.joker != "none"
        full_house = 25 if joker or self.five_of_a_kind_is_full_house else 0
        by_five = {"3k": 30, "4k": 30, "fh": full_house, "chance": 30}
        by_five |= {"ss": 30, "ls": 40} if joker else {"ss": 0, "ls": 0}
        by_itself = {"3k": 30, "4k": 30, "fh": 25, "ss": 30, "ls": 40, "chance": 30}
        lower = sum(max(by_itself[box], by_five[box] + self.yahtzee_bonus) for box in by_itself)
        return 50 + 105 + 6 * self.yahtzee_bonus + self.upper_bonus + lower

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain Python values, for JSON."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Rules:
        """The rule set of which `values` is the `to_dict`."""
        _check_fields("rules", values)
        return cls(**values)


_FULL_HOUSE = "five_of_a_kind_is_full_house"
_PRESETS: dict[str, Rules] = {}
_PRESETS |= {
    preset.name: preset
    for preset in (
        Rules("official"),
        Rules("yardzee", joker="matching-first", joker_needs_fifty=True),
        Rules(
            "free-choice",
            joker="any",
            joker_needs_upper_filled=False,
            five_of_a_kind_is_full_house=True,
        ),
        Rules("verhoeff", joker="any"),
        Rules("no-joker", joker="none"),
        Rules("plain", joker="none", yahtzee_bonus=0),
        Rules("kniffel", joker="none", yahtzee_bonus=0, five_of_a_kind_is_full_house=True),
    )
}


def list_rules() -> dict[str, Rules]:
    """The presets by name.

    Returns
    -------
    dict of str to Rules
        In the order: official, yardzee, free-choice, verhoeff, no-joker, plain, kniffel.
    """
    return dict(_PRESETS)


def rules(spec: str | Rules = "official", **changes: Any) -> Rules:
    """A rule set by its name, with fields changed if wanted.

    Parameters
    ----------
    spec : str or Rules
        A preset's name, ``"name,field=value"``, or a `Rules`, which is taken as it is.
    **changes
        Fields to change. The name becomes the spec, unless a ``name`` is given.

    Returns
    -------
    Rules

    Raises
    ------
    YahtzeeError
        For an unknown name or field, or a value out of range.

    Examples
    --------
    >>> rules("plain").yahtzee_bonus
    0
    >>> rules("official,upper_bonus=50").name
    'official,upper_bonus=50'
    """
    typed: dict[str, Any] = {}
    if isinstance(spec, Rules):
        base = spec
    elif isinstance(spec, str):
        head, typed = parse_spec(spec)
        if head not in _PRESETS:
            raise YahtzeeError(unknown("rules", head, _PRESETS))
        base = _PRESETS[head]
    else:
        raise YahtzeeError(f"rules are a name or a Rules, not {spec!r}")
    changes = typed | changes
    if not changes:
        return base
    _check_fields(base.name, changes)
    if "name" not in changes:
        shown = ",".join(f"{field}={value}" for field, value in changes.items())
        changes["name"] = f"{base.name},{shown}"
    return replace(base, **changes)


def _check_fields(owner: str, values: dict[str, Any]) -> None:
    known = [f.name for f in fields(Rules)]
    for name in values:
        if name not in known:
            raise YahtzeeError(f"{owner}: " + unknown("field", name, known))
