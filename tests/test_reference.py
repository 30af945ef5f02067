"""The engine plays the games that plain Python plays with the same dice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest
from reference_game import BOXES, LOWER, UPPER, Game, options, play

from yahtzee_sim import engine
from yahtzee_sim.cards import Cards, encode
from yahtzee_sim.categories import Category
from yahtzee_sim.decisions import rows_of
from yahtzee_sim.dice import KEEPS, ROLLS
from yahtzee_sim.dicestream import DiceStream
from yahtzee_sim.engine import Record, Seat
from yahtzee_sim.rulesets import Rules, list_rules
from yahtzee_sim.scoring import scoring
from yahtzee_sim.strategy_types import (
    LookaheadStrategy,
    SingleGameStrategy,
    Strategy,
    Turn,
)

HOUSE_RULES = (
    Rules(
        "lenient",
        joker="matching-or-lower",
        upper_bonus=50,
        upper_bonus_threshold=40,
    ),
    Rules(
        "first-point",
        upper_bonus=1,
        upper_bonus_threshold=1,
        yahtzee_bonus=7,
        joker_needs_upper_filled=False,
    ),
    Rules(
        "steep",
        joker="matching-first",
        upper_bonus=1000,
        upper_bonus_threshold=105,
        yahtzee_bonus=1000,
        five_of_a_kind_is_full_house=True,
    ),
    Rules(
        "odd",
        joker="matching-or-lower",
        upper_bonus=0,
        upper_bonus_threshold=105,
        yahtzee_bonus=13,
        joker_needs_fifty=True,
        joker_needs_upper_filled=False,
    ),
)
RULES = (*list_rules().values(), *HOUSE_RULES)
every_rule_set = pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)

BIT = {box: 1 << i for i, box in enumerate(BOXES)}
ROLL = {dice: i for i, dice in enumerate(combinations_with_replacement(range(1, 7), 5))}
LOWER_FIRST = (12, 6, 7, 8, 9, 10, 0, 1, 2, 3, 4, 5, 11)
"""Chance first, the Yahtzee box last: five of a kind late in the game finds only upper boxes."""
NO_YAHTZEE = (11, 12, 5, 4, 3, 2, 1, 0, 10, 9, 8, 7, 6)
"""The Yahtzee box is zeroed at once, the straights are left for jokers."""
UPPER_FIRST = (0, 1, 2, 3, 4, 5, 6, 7, 12, 8, 9, 10, 11)


# --- strategies twice: for the library, and in plain Python -----------------------------------


@dataclass(frozen=True)
class Chaser(Strategy):
    """Goes for five of a kind, and fills the boxes in a fixed order (or by points)."""

    sees = frozenset({"open"})
    order: tuple[int, ...] = ()

    def keep(self, turn):
        wanted = 100 * turn.counts + 10 * turn.open[:, :6] + np.arange(6)
        straight = turn.points[:, Category.LARGE_STRAIGHT] == 40
        return (turn.dice == 1 + wanted.argmax(axis=1)[:, None]) | straight[:, None]

    def category(self, turn):
        if not self.order:
            return turn.points.argmax(axis=1)
        first = np.array(self.order)[(turn.points[:, self.order] >= 0).argmax(axis=1)]
        return np.where(turn.points[:, 11] == 50, 11, first)


def chase(order: tuple[int, ...]):
    def keep(dice, rolls_left, card):
        if dice in ((1, 2, 3, 4, 5), (2, 3, 4, 5, 6)) and "large_straight" not in card:
            return dice
        face = max(dice, key=lambda f: (dice.count(f), UPPER[f - 1] not in card, f))
        return [die for die in dice if die == face]

    def category(dice, card, legal):
        if not order:
            return max(legal, key=legal.get)
        if legal.get("yahtzee") == 50:
            return "yahtzee"
        return next(BOXES[i] for i in order if BOXES[i] in legal)

    return keep, category


class Planner(Strategy):
    """Looks at everything on the card."""

    def keep(self, turn):
        largest = turn.dice == (1 + turn.counts.argmax(axis=1))[:, None]
        if turn.rolls_left == 1:
            return largest
        useful = turn.open[np.arange(len(turn))[:, None], turn.dice - 1] & (turn.dice >= 4)
        near = (turn.to_bonus > 0) & (turn.to_bonus < 40) & ~turn.fifty & (turn.round < 11)
        return np.where(near[:, None] & useful.any(axis=1, keepdims=True), useful, largest)

    def category(self, turn):
        value = 2 * turn.points + turn.round[:, None] * (np.arange(13) == 11)
        is_upper = np.arange(13) < 6
        value += 70 * (
            is_upper & (turn.to_bonus > 0)[:, None] & (turn.points >= turn.to_bonus[:, None])
        )
        value -= 9 * (is_upper & (turn.upper >= 20)[:, None] & (turn.to_bonus == 0)[:, None])
        value += 5 * (turn.fifty[:, None] & ~is_upper)
        return np.where(turn.points >= 0, value, -99).argmax(axis=1)


def plan(rules: Rules):
    goal = rules.upper_bonus_threshold

    def keep(dice, rolls_left, card):
        largest = max(sorted(set(dice)), key=dice.count)
        useful = [die for die in dice if die >= 4 and UPPER[die - 1] not in card]
        missing = goal - sum(card.get(box, 0) for box in UPPER)
        near = 0 < missing < 40 and card.get("yahtzee") != 50 and len(card) < 10
        if rolls_left == 2 and near and useful:
            return useful
        return [die for die in dice if die == largest]

    def category(dice, card, legal):
        upper = sum(card.get(box, 0) for box in UPPER)

        def value(box):
            value = 2 * legal[box]
            if box == "yahtzee":
                value += len(card) + 1
            if box in UPPER and upper < goal <= upper + legal[box]:
                value += 70
            if box in UPPER and min(upper, goal) >= 20 and upper >= goal:
                value -= 9
            if box in LOWER and card.get("yahtzee") == 50:
                value += 5
            return value

        return max(legal, key=value)

    return keep, category


class Hopeful(LookaheadStrategy):
    """Hopes for a good deal from each open box, and for the bonuses."""

    def worth(self, cards: Cards):
        hopes = np.array(
            [2.1, 5.3, 8.6, 12.2, 15.7, 19.2, 21.7, 13.1, 22.6, 29.5, 32.7, 16.9, 22.0]
        )
        bonus = cards.rules.upper_bonus * (cards.to_bonus > 0) / (1 + cards.to_bonus)
        return cards.open @ hopes + bonus + 3.7 * cards.fifty * (13 - cards.round) + cards.upper / 7


def look_up(strategy, rules: Rules):
    """The decisions floor as a plain player."""
    rows = rows_of(strategy, rules)

    def answer(dice, rolls_left, card):
        filled = sum(BIT[box] for box in card)
        upper = sum(card.get(box, 0) for box in UPPER)
        code = encode(filled, upper, int(card.get("yahtzee") == 50))
        roll = int(np.flatnonzero((dice == ROLLS).all(axis=1))[0])
        return int(rows.answers(np.array([code]), np.array([roll]), rolls_left)[0])

    def keep(dice, rolls_left, card):
        mask = answer(dice, rolls_left, card)
        return [die for i, die in enumerate(dice) if mask >> i & 1]

    return keep, lambda dice, card, legal: BOXES[answer(dice, 0, card)]


class Thrifty(SingleGameStrategy):
    """Saves what scores least elsewhere, in plain Python."""

    def keep_one(self, dice, rolls_left, card):
        if card.fifty or card.to_bonus > 30:
            return tuple(d for d in dice if d == max(dice, key=dice.count))
        if rolls_left == 2:
            return {d for d in dice if d > 1 and d != 6}
        return "".join(str(d) for d in dice if d >= 4 or Category(d - 1) in card.open)

    def category_one(self, dice, card):
        legal = card.legal(dice)
        if card.round % 2:
            return max(legal, key=lambda box: (legal[box], -box)).label
        return min(legal, key=lambda box: (abs(legal[box] - sum(dice)), box + card.upper % 3))


def be_thrifty(rules: Rules):
    def keep(dice, rolls_left, card):
        upper = min(sum(card.get(box, 0) for box in UPPER), rules.upper_bonus_threshold)
        if card.get("yahtzee") == 50 or rules.upper_bonus_threshold - upper > 30:
            return [d for d in dice if d == max(dice, key=dice.count)]
        if rolls_left == 2:
            return [face for face in (2, 3, 4, 5) if face in dice]
        return [d for d in dice if d >= 4 or UPPER[d - 1] not in card]

    def category(dice, card, legal):
        if len(card) % 2 == 0:
            return max(legal, key=legal.get)
        return min(legal, key=lambda box: abs(legal[box] - sum(dice)))

    return keep, category


# --- both sides -------------------------------------------------------------------------------

SEED = 20_240_229
FIRST = 4_321  # in the middle of a block of four


@cache
def throws_of(n: int, first: int = FIRST, seed: int = SEED, seat: int = 0) -> list:
    """By game and round, three times five dice."""
    stream = DiceStream(seed, 0, seat, n)
    numbers = np.array([stream.throws(first, n, r).copy() for r in range(13)])  # (13, 3, n)
    dice = numbers[..., None] // 6 ** np.arange(4, -1, -1) % 6 + 1
    return [
        [[tuple(throw) for throw in round_] for round_ in game]
        for game in dice.transpose(2, 0, 1, 3).tolist()
    ]


def engine_games(strategy, rules: Rules, n: int, direct: bool | None = None, seed: int = SEED):
    seat, record = Seat(strategy, rules, seed, width=n, direct=direct), Record.empty(n)
    engine.play([seat], FIRST, n, [record])
    return seat, record


def reference_games(player: tuple[Callable, Callable], rules: Rules, n: int) -> list[Game]:
    return [play(rules.to_dict(), throws, *player) for throws in throws_of(n)]


@cache
def chased(order: tuple[int, ...], rules: Rules, n: int = 200) -> list[Game]:
    return reference_games(chase(order), rules, n)


def assert_same_games(seat: Seat, record: Record, games: list[Game]) -> None:
    expected = [
        [*(game.points[box] for box in BOXES), game.upper_bonus, game.yahtzee_bonus, game.total]
        for game in games
    ]
    np.testing.assert_array_equal(seat.games.T, expected)
    np.testing.assert_array_equal(seat.rolled, [game.fives for game in games])
    rolls = [[[turn.rolls[i] for turn in game.turns] for game in games] for i in range(3)]
    np.testing.assert_array_equal(ROLLS[record.rolls].transpose(0, 2, 1, 3), rolls)
    keeps = [[[turn.keeps[i] for turn in game.turns] for game in games] for i in range(2)]
    assert [[[KEEPS[k] for k in game] for game in stage.T] for stage in record.keeps] == keeps
    boxes = [[BOXES.index(turn.box) for turn in game.turns] for game in games]
    np.testing.assert_array_equal(record.boxes.T, boxes)
    scored = np.zeros((13, 258, 13), int)
    for game in games:
        for round_, turn in enumerate(game.turns):
            row = 251 + turn.rolls[2][0] if turn.in_full else ROLL[turn.rolls[2]]
            scored[round_, row, BOXES.index(turn.box)] += 1
    np.testing.assert_array_equal(np.reshape(seat.scored, (13, 258, 13)), scored)


# --- the same games ---------------------------------------------------------------------------


@every_rule_set
@pytest.mark.parametrize(
    ("order", "direct"),
    [((), False), ((), True), (LOWER_FIRST, False), (NO_YAHTZEE, True), (UPPER_FIRST, False)],
    ids=["points", "points-direct", "lower", "zero-direct", "upper"],
)
def test_who_looks_at_open_boxes_alone_plays_the_games_of_plain_python(rules, order, direct):
    seat, record = engine_games(Chaser(order), rules, 200, direct)
    assert_same_games(seat, record, chased(order, rules))


@every_rule_set
def test_who_looks_at_the_whole_card_plays_the_games_of_plain_python(rules):
    seat, record = engine_games(Planner(), rules, 200, direct=True)
    assert_same_games(seat, record, reference_games(plan(rules), rules, 200))


@pytest.mark.parametrize("rules", [RULES[1], RULES[7]], ids=lambda rules: rules.name)
def test_the_whole_card_tabulated_plays_the_games_of_plain_python(rules):
    seat, record = engine_games(Planner(), rules, 100, direct=False)
    assert_same_games(seat, record, reference_games(plan(rules), rules, 100))


@every_rule_set
def test_a_lookahead_player_plays_the_games_of_plain_python(rules):
    seat, record = engine_games(Hopeful(), rules, 60)
    assert_same_games(seat, record, reference_games(look_up(Hopeful(), rules), rules, 60))


@every_rule_set
def test_a_single_game_player_plays_the_games_of_plain_python(rules):
    seat, record = engine_games(Thrifty(), rules, 30)
    assert_same_games(seat, record, reference_games(be_thrifty(rules), rules, 30))


# --- the games were worth comparing -----------------------------------------------------------


def what_happened(rules: Rules) -> Counter:
    """The rare events in the chasers' games."""
    seen: Counter = Counter()
    for order in ((), LOWER_FIRST, NO_YAHTZEE, UPPER_FIRST):
        for game in chased(order, rules):
            card: dict[str, int] = {}
            for turn in game.turns:
                dice = turn.rolls[2]
                if len(set(dice)) == 1 and "yahtzee" in card:
                    seen["further five after a " + str(card["yahtzee"])] += 1
                    seen["paid in full"] += turn.in_full and turn.box in LOWER[2:5]
                    legal = options(rules.to_dict(), card, dice)
                    seen["must take a zero"] += not any(legal.values())
                    seen["matching box open"] += UPPER[dice[0] - 1] not in card
                    seen["may not go to every open box"] += len(legal) + len(card) < 13
                card[turn.box] = game.points[turn.box]
            seen["hundreds"] += game.yahtzee_bonus > 0
            seen["upper bonus"] += game.upper_bonus > 0
            seen["upper bonus missed"] += game.upper_bonus == 0
    return seen


@every_rule_set
def test_further_fives_of_a_kind_hundreds_and_zeros_occur_in_these_games(rules):
    seen = what_happened(rules)
    has_joker = rules.joker != "none"
    assert seen["further five after a 50"] >= 20
    assert seen["further five after a 0"] >= 20
    assert seen["matching box open"] >= 20
    assert seen["must take a zero"] >= 5
    assert (seen["hundreds"] >= 15) == (rules.yahtzee_bonus > 0)
    assert (seen["paid in full"] >= 5) == has_joker
    restricted = rules.joker not in ("none", "any")
    assert (seen["may not go to every open box"] >= 10) == restricted
    assert (seen["upper bonus"] > 0) == (rules.upper_bonus > 0 and rules.upper_bonus_threshold < 80)
    assert seen["upper bonus missed"] > 0 or rules.upper_bonus_threshold == 1


@every_rule_set
def test_only_rules_with_a_joker_have_jokers_in_the_tally(rules):
    seat, _ = engine_games(Chaser(NO_YAHTZEE), rules, 300)
    jokers = np.reshape(seat.scored, (13, 258, 13))[:, 252:].sum()
    assert (jokers > 0) == (rules.joker != "none")


# --- the tally --------------------------------------------------------------------------------


@every_rule_set
@pytest.mark.parametrize(
    "strategy", [Chaser(), Chaser(LOWER_FIRST), Planner()], ids=lambda s: s.label
)
def test_the_tally_of_rolls_scored_agrees_with_the_games(rules, strategy):
    n, batches = 300, 3
    seat, record = Seat(strategy, rules, 5, width=n), Record.empty(n)
    points, by_round = np.zeros(13, int), np.zeros((13, 13), int)
    for batch in range(batches):
        engine.play([seat], batch * n, n, [record])
        points += seat.games[:13].sum(axis=1, dtype=int)
        by_round += [[(record.boxes[r] == box).sum() for box in range(13)] for r in range(13)]
    scored = np.reshape(seat.scored, (13, 258, 13))
    assert scored.min() == 0
    np.testing.assert_array_equal(scored.sum(axis=1), by_round)
    np.testing.assert_array_equal(scored.sum(axis=(0, 1)), np.full(13, batches * n))
    np.testing.assert_array_equal((scored.sum(axis=0) * scoring(rules).points).sum(axis=0), points)


# --- the cut into batches does not matter -----------------------------------------------------


@dataclass(frozen=True)
class Moody(Strategy):
    """Keeps by luck, and asks for luck more or less often by the rolls left."""

    sees = frozenset({"open", "total", "luck"})

    def keep(self, turn: Turn):
        likes = np.stack([turn.random() for _ in range(turn.rolls_left + 1)], axis=1)
        return (turn.dice == turn.dice[:, 4:]) & (likes.min(axis=1) < 0.4)[:, None]

    def category(self, turn: Turn):
        value = np.where(turn.points >= 0, turn.points + 10 * turn.random()[:, None], -1)
        value[:, 12] += turn.total % 7 * (value[:, 12] >= 0)
        return value.argmax(axis=1)


def games_in_batches(strategy, rules, n, width, first=0, direct=None):
    """All 16 columns and fives of a kind of n games, and the tally, played `width` at a time."""
    seat = Seat(strategy, rules, 77, stream=3, width=width, direct=direct)
    parts = []
    for start in range(0, n, width):
        engine.play([seat], first + start, min(width, n - start))
        parts.append(np.vstack([seat.games, seat.rolled]))
    return np.concatenate(parts, axis=1), seat.scored.copy()


PLAYERS = [Chaser(), Chaser(NO_YAHTZEE), Planner(), Hopeful(), Moody()]


@pytest.mark.parametrize("strategy", PLAYERS, ids=lambda s: s.label)
@pytest.mark.parametrize("name", ["official", "yardzee"])
def test_games_are_the_same_bits_for_any_width_of_batch(strategy, name):
    rules, n = list_rules()[name], 5_000
    games, scored = games_in_batches(strategy, rules, n, n)
    for width in (1_000, 4_096):
        others, also_scored = games_in_batches(strategy, rules, n, width)
        np.testing.assert_array_equal(others, games)
        np.testing.assert_array_equal(also_scored, scored)


@pytest.mark.parametrize("strategy", [*PLAYERS, Thrifty()], ids=lambda s: s.label)
def test_the_first_games_of_a_longer_run_are_the_same_games(strategy):
    longer, _ = games_in_batches(strategy, RULES[0], 400, 150)
    shorter, _ = games_in_batches(strategy, RULES[0], 101, 101)
    np.testing.assert_array_equal(longer[:, :101], shorter)


@pytest.mark.parametrize("strategy", [*PLAYERS, Thrifty()], ids=lambda s: s.label)
def test_a_run_that_starts_later_plays_the_later_games(strategy):
    whole, _ = games_in_batches(strategy, RULES[0], 300, 300)
    later, _ = games_in_batches(strategy, RULES[0], 99, 40, first=201)
    np.testing.assert_array_equal(whole[:, 201:], later)


@every_rule_set
@pytest.mark.parametrize("strategy", [Chaser(), Chaser(NO_YAHTZEE)], ids=lambda s: s.label)
def test_tabulated_and_direct_play_give_the_same_games(rules, strategy):
    tabulated = games_in_batches(strategy, rules, 2_000, 2_000, direct=False)
    direct = games_in_batches(strategy, rules, 2_000, 1_024, direct=True)
    np.testing.assert_array_equal(tabulated[0], direct[0])
    np.testing.assert_array_equal(tabulated[1], direct[1])


# --- around a table ---------------------------------------------------------------------------


SHOWN: list = []


class Witness(Strategy):
    """Plays as the chaser does, and writes down what it is shown of the table."""

    sees = frozenset({"open", "total", "rivals"})

    def keep(self, turn):
        return Chaser().keep(turn)

    def category(self, turn):
        rivals = [
            [rival.total.copy(), rival.round.copy(), rival.upper.copy(), rival.fifty.copy()]
            for rival in turn.rivals
        ]
        SHOWN.append((turn.total.copy(), rivals))
        return Chaser().category(turn)


def running(game: Game, rules: Rules, turns: int) -> tuple[int, int, int, bool]:
    """Total, round, upper total and fifty after so many turns."""
    card: dict[str, int] = {}
    hundreds = 0
    for turn in game.turns[:turns]:
        if len(set(turn.rolls[2])) == 1 and card.get("yahtzee") == 50:
            hundreds += rules.yahtzee_bonus
        card[turn.box] = game.points[turn.box]
    upper = sum(card.get(box, 0) for box in UPPER)
    bonus = rules.upper_bonus if upper >= rules.upper_bonus_threshold else 0
    total = sum(card.values()) + hundreds + bonus
    capped = min(upper, rules.upper_bonus_threshold)
    return total, turns + 1, capped, card.get("yahtzee") == 50


@pytest.mark.parametrize("rules", [RULES[0], RULES[7], RULES[8]], ids=lambda rules: rules.name)
def test_players_at_a_table_see_the_totals_and_cards_of_the_others_next_to_move_first(rules):
    n = 80
    SHOWN.clear()
    seats = [Seat(Witness(), rules, SEED, seat=i, width=n, direct=True) for i in range(3)]
    engine.play(seats, FIRST, n)
    player = chase(())
    games = [[play(rules.to_dict(), t, *player) for t in throws_of(n, seat=i)] for i in range(3)]
    for i, seat in enumerate(seats):
        np.testing.assert_array_equal(seat.games[15], [game.total for game in games[i]])
    assert len(SHOWN) == 39
    for move, (total, rivals) in enumerate(SHOWN):
        round_, mover = divmod(move, 3)
        np.testing.assert_array_equal(total, [running(g, rules, round_)[0] for g in games[mover]])
        assert len(rivals) == 2
        for distance, shown in enumerate(rivals, start=1):
            other = (mover + distance) % 3
            turns = round_ + (other < mover)
            expected = zip(*(running(g, rules, turns) for g in games[other]), strict=True)
            for attribute, values in zip(shown, expected, strict=True):
                np.testing.assert_array_equal(attribute, values)


def test_a_seat_has_the_same_dice_whoever_sits_beside_it():
    rules, n = RULES[0], 200
    alone = Seat(Chaser(), rules, 9, seat=1, width=n)
    engine.play([alone], 0, n)
    beside = [Seat(Planner(), rules, 9, seat=0, width=n), Seat(Chaser(), rules, 9, seat=1, width=n)]
    engine.play(beside, 0, n)
    np.testing.assert_array_equal(beside[1].games, alone.games)


def test_every_strategy_meets_the_same_first_rolls():
    n = 200
    rolls = []
    for strategy in (Chaser(), Planner(), Hopeful()):
        record = Record.empty(n)
        engine.play([Seat(strategy, RULES[0], 9, width=n)], 0, n, [record])
        rolls.append(record.rolls[0])
    assert all((a == b).all() for a, b in pairwise(rolls))
