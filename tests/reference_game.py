"""Yahtzee in plain Python, one game at a time: what the fast engine is held against.

Written from the rule texts alone; imports nothing of the library. A card is a dict from the name
of a filled box to its points, and rules are a dict of the fields of a rule set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
LOWER = (
    "three_of_a_kind",
    "four_of_a_kind",
    "full_house",
    "small_straight",
    "large_straight",
    "yahtzee",
    "chance",
)
BOXES = UPPER + LOWER
Dice = tuple[int, ...]
Card = dict[str, int]


class Played(NamedTuple):
    """A finished turn: the three rolls and the two keeps, the box, whether a joker paid in full."""

    rolls: tuple[Dice, Dice, Dice]
    keeps: tuple[Dice, Dice]
    box: str
    in_full: bool


class Game(NamedTuple):
    """A finished game."""

    points: Card
    upper_bonus: int
    yahtzee_bonus: int
    total: int
    fives: int
    turns: list[Played]


@cache
def face_value(dice: Dice, five_is_full_house: bool) -> Card:
    """What every box pays for five dice, jokers apart."""
    count = Counter(dice)
    most, pattern, faces = max(count.values()), sorted(count.values()), set(dice)
    in_a_row = max(n for f in faces for n in range(1, 6) if all(f + i in faces for i in range(n)))
    full_house = pattern == [2, 3] or (five_is_full_house and most == 5)
    return {box: (i + 1) * count[i + 1] for i, box in enumerate(UPPER)} | {
        "three_of_a_kind": sum(dice) if most >= 3 else 0,
        "four_of_a_kind": sum(dice) if most >= 4 else 0,
        "full_house": 25 if full_house else 0,
        "small_straight": 30 if in_a_row >= 4 else 0,
        "large_straight": 40 if in_a_row == 5 else 0,
        "yahtzee": 50 if most == 5 else 0,
        "chance": sum(dice),
    }


def is_joker(rules: dict[str, Any], card: Card, dice: Dice) -> bool:
    """Whether this is a further five of a kind, and the rules have a joker for it."""
    filled = "yahtzee" in card and len(set(dice)) == 1 and rules["joker"] != "none"
    return filled and (card["yahtzee"] == 50 or not rules["joker_needs_fifty"])


def pays_in_full(rules: dict[str, Any], card: Card, dice: Dice) -> bool:
    """Whether a joker makes full house and straights of five equal dice."""
    matching_filled = UPPER[dice[0] - 1] in card
    return is_joker(rules, card, dice) and (
        matching_filled or not rules["joker_needs_upper_filled"]
    )


def options(rules: dict[str, Any], card: Card, dice: Dice) -> Card:
    """The boxes that the dice may go to, in the order of the sheet, and what each pays."""
    pays = face_value(dice, rules["five_of_a_kind_is_full_house"])
    allowed = [box for box in BOXES if box not in card]
    if is_joker(rules, card, dice):
        if pays_in_full(rules, card, dice):
            pays = pays | {"full_house": 25, "small_straight": 30, "large_straight": 40}
        matching = [box for box in allowed if box == UPPER[dice[0] - 1]]
        lower = [box for box in allowed if box in LOWER]
        allowed = {
            "forced": matching or lower or allowed,
            "matching-first": matching or allowed,
            "matching-or-lower": matching + lower or allowed,
            "any": allowed,
        }[rules["joker"]]
    return {box: pays[box] for box in allowed}


def play(
    rules: dict[str, Any],
    throws: Iterable[Sequence[Dice]],
    keep: Callable[[Dice, int, Card], Iterable[int]],
    category: Callable[[Dice, Card, Card], str],
) -> Game:
    """One game. `throws` has three times five dice a round; a keep takes the first it needs."""
    card: Card = {}
    turns, hundreds, fives = [], 0, 0
    for first, *later in throws:
        rolls, keeps = [tuple(sorted(first))], []
        for rolls_left, throw in zip((2, 1), later, strict=True):
            keeps.append(tuple(sorted(keep(rolls[-1], rolls_left, dict(card)))))
            assert not Counter(keeps[-1]) - Counter(rolls[-1]), "kept dice that are not there"
            rolls.append(tuple(sorted((*keeps[-1], *throw[: 5 - len(keeps[-1])]))))
        dice = rolls[-1]
        legal = options(rules, card, dice)
        box = category(dice, dict(card), legal)
        if len(set(dice)) == 1:
            fives += 1
            hundreds += rules["yahtzee_bonus"] if card.get("yahtzee") == 50 else 0
        turns.append(Played(tuple(rolls), tuple(keeps), box, pays_in_full(rules, card, dice)))
        card[box] = legal[box]
    upper = sum(card[box] for box in UPPER)
    upper_bonus = rules["upper_bonus"] if upper >= rules["upper_bonus_threshold"] else 0
    total = sum(card.values()) + upper_bonus + hundreds
    return Game(card, upper_bonus, hundreds, total, fives, turns)
