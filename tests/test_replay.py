"""`replay`: any single game of a run, roll by roll."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import yahtzee_sim as ys

COLUMNS = [
    "roll_1",
    "keep_1",
    "roll_2",
    "keep_2",
    "roll_3",
    "category",
    "points",
    "yahtzee_bonus",
    "upper_bonus",
    "total",
]
SEED = 1_234
PLAYERS = ["yahtzee-chaser", "random", "upper-first", "most-points", "roll-once"]


@pytest.fixture(scope="module")
def runs():
    """Two thousand games of every quick player under every preset, played once each."""
    return {
        (name, rules): ys.simulate(name, 2_000, rules=rules, seed=SEED)
        for name in PLAYERS
        for rules in ys.list_rules()
    }


def games_worth_showing(result) -> list[int]:
    """The first, the last, the best and the worst game, and those with the most bonuses."""
    games = result.games
    return sorted(
        {
            0,
            1_001,
            len(games) - 1,
            int(games["total"].idxmax()),
            int(games["total"].idxmin()),
            int(games["yahtzee_bonus"].idxmax()),
            int(games["upper_bonus"].idxmax()),
        }
    )


def assert_is_row(replayed, row) -> None:
    frame = replayed.frame
    booked = frame.set_index("category")["points"]
    assert sorted(booked.index) == sorted(row.index[:13]), "every box once"
    for box, points in booked.items():
        assert points == row[box], box
    assert frame["yahtzee_bonus"].sum() == row["yahtzee_bonus"]
    assert frame["upper_bonus"].sum() == row["upper_bonus"]
    assert replayed.total == row["total"]


@pytest.mark.parametrize("rules", list(ys.list_rules()))
@pytest.mark.parametrize("name", PLAYERS)
def test_a_replayed_game_is_the_row_of_the_run(name, rules, runs):
    result = runs[name, rules]
    for game in games_worth_showing(result):
        assert_is_row(ys.replay(name, game, SEED, rules=rules), result.games.loc[game])


def test_a_replayed_game_of_a_lookahead_player_is_the_row_of_the_run():
    result = ys.simulate("greedy", 300, seed=SEED)
    for game in (0, 150, 299):
        assert_is_row(ys.replay("greedy", game, SEED), result.games.loc[game])


def test_a_game_of_unpaired_strategies_is_replayed_from_its_stream():
    compared = ys.compare(
        {"a": "yahtzee-chaser", "b": "yahtzee-chaser"}, 500, seed=SEED, paired=False
    )
    for result in compared.results.values():
        replayed = ys.replay("yahtzee-chaser", 321, SEED, stream=result.stream)
        assert_is_row(replayed, result.games.loc[321])
    assert len({result.stream for result in compared.results.values()}) == 2


def test_a_game_deep_in_a_long_run_is_replayed_without_playing_the_others():
    replayed = ys.replay("yahtzee-chaser", 10**12 + 3, SEED)
    assert replayed.total == ys.replay("yahtzee-chaser", 10**12 + 3, SEED).total
    assert not replayed.frame.equals(ys.replay("yahtzee-chaser", 10**12 + 4, SEED).frame)


# --- roll by roll -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def some_replays():
    return [
        ys.replay(name, game, SEED, rules=rules)
        for name, rules in [
            ("yahtzee-chaser", "official"),
            ("random", "free-choice"),
            ("upper-first", "kniffel"),
        ]
        for game in range(0, 200, 10)
    ]


def test_a_game_has_thirteen_rounds_with_three_rolls_of_five_dice(some_replays):
    for replayed in some_replays:
        frame = replayed.frame
        assert list(frame.columns) == COLUMNS
        assert list(frame.index) == list(range(1, 14))
        assert frame.index.name == "round"
        for column in ("roll_1", "roll_2", "roll_3"):
            assert (frame[column].str.fullmatch("[1-6]{5}")).all()
        for column in COLUMNS[:5]:
            assert all(text == "".join(sorted(text)) for text in frame[column]), "ascending"


def test_each_roll_follows_from_what_was_kept(some_replays):
    kept_less = 0
    for replayed in some_replays:
        for turn in replayed.frame.itertuples():
            for before, keep, after in (
                (turn.roll_1, turn.keep_1, turn.roll_2),
                (turn.roll_2, turn.keep_2, turn.roll_3),
            ):
                assert not Counter(keep) - Counter(before), "kept dice that were not there"
                assert not Counter(keep) - Counter(after), "kept dice that were rolled again"
                if len(keep) == 5:
                    assert before == after
                kept_less += len(keep) < 5
    assert kept_less > 500


def test_a_player_who_keeps_everything_sees_one_roll_three_times():
    frame = ys.replay("roll-once", 3, SEED).frame
    for column in ("keep_1", "roll_2", "keep_2", "roll_3"):
        assert (frame[column] == frame["roll_1"]).all()


def test_all_strategies_meet_the_same_first_rolls():
    first = [list(ys.replay(name, 77, SEED).frame["roll_1"]) for name in [*PLAYERS, "greedy"]]
    assert all(rolls == first[0] for rolls in first)
    assert first[0] != list(ys.replay("random", 78, SEED).frame["roll_1"])
    assert first[0] != list(ys.replay("random", 77, SEED + 1).frame["roll_1"])


def test_the_running_total_adds_up_the_points_and_both_bonuses(some_replays):
    for replayed in some_replays:
        frame = replayed.frame
        gained = frame["points"] + frame["yahtzee_bonus"] + frame["upper_bonus"]
        np.testing.assert_array_equal(frame["total"], gained.cumsum())
        assert replayed.total == frame["total"].iloc[-1]
        assert isinstance(replayed.total, int)


def test_the_upper_bonus_stands_in_the_turn_that_reaches_63(runs):
    games = runs["upper-first", "official"].games
    shown = games.index[games["upper_bonus"] > 0][:10]
    assert len(shown) == 10
    for game in shown:
        frame = ys.replay("upper-first", int(game), SEED).frame
        upper = frame["points"].where(frame["category"].isin(games.columns[:6]), 0).cumsum()
        paid = frame.index[frame["upper_bonus"] > 0]
        assert list(paid) == [upper.index[upper >= 63][0]]
        assert frame.loc[paid[0], "upper_bonus"] == 35


def test_each_hundred_stands_in_the_turn_that_rolled_it(runs):
    games = runs["yahtzee-chaser", "official"].games
    shown = games.index[games["yahtzee_bonus"] > 0][:20]
    assert len(shown) == 20
    for game in shown:
        frame = ys.replay("yahtzee-chaser", int(game), SEED).frame
        five = frame["roll_3"].map(lambda text: len(set(text)) == 1)
        fifty = frame["category"].eq("yahtzee") & frame["points"].eq(50)
        since = fifty.cumsum().shift(fill_value=0) > 0
        np.testing.assert_array_equal(frame["yahtzee_bonus"], np.where(five & since, 100, 0))


# --- shown ------------------------------------------------------------------------------------


def test_the_text_shows_every_turn_and_the_bonuses(runs):
    game = int(runs["yahtzee-chaser", "official"].games["yahtzee_bonus"].idxmax())
    replayed = ys.replay("yahtzee-chaser", game, SEED)
    head, titles, *lines = repr(replayed).splitlines()
    for part in ("yahtzee-chaser", f"{game:,}", f"{SEED}", "official"):
        assert part in head
    assert "total" in titles
    assert len(lines) == 13
    for line, turn in zip(lines, replayed.frame.itertuples(), strict=True):
        for part in (turn.roll_1, turn.keep_1, turn.roll_2, turn.keep_2, turn.roll_3):
            assert part in line
        assert turn.category in line
        assert ("Yahtzee bonus" in line) == (turn.yahtzee_bonus > 0)
        assert ("upper bonus" in line) == (turn.upper_bonus > 0)
        assert f"{turn.total}" in line


def test_a_roll_of_which_nothing_is_kept_is_shown_with_a_dash():
    replayed = next(
        r
        for r in (ys.replay("random", game, SEED) for game in range(50))
        if (r.frame["keep_1"] == "").any()
    )
    lines = repr(replayed).splitlines()[2:]
    for line, keep in zip(lines, replayed.frame["keep_1"], strict=True):
        assert (line.split()[2] == "-") == (keep == "")


def test_the_page_shows_the_caption_and_the_turns(some_replays):
    replayed = some_replays[0]
    page = replayed._repr_html_()
    assert "<table" in page
    assert replayed.frame.attrs["caption"] in page
    assert page.count("<tr") == 15, "two lines of titles, and thirteen turns"
    assert f"{replayed.total} points" in replayed.frame.attrs["caption"]


def test_a_label_is_no_markup_on_the_page(tmp_path):
    file = tmp_path / "bold.py"
    file.write_text(
        "import yahtzee_sim as ys\n"
        "class Bold(ys.SingleGameStrategy):\n"
        "    name = '<b>&'\n"
        "    sees = frozenset({'open'})\n"
        "    def keep_one(self, dice, rolls_left, card):\n"
        "        return dice\n"
        "    def category_one(self, dice, card):\n"
        "        return next(iter(card.legal(dice)))\n"
    )
    page = ys.replay(f"{file}:Bold", 0, SEED)._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;&amp;" in page


# --- what cannot be replayed ------------------------------------------------------------------


@pytest.mark.parametrize(
    "game", [-1, 1.5, "12", None, True, 2**70, [3], np.array([3]), float("nan")]
)
def test_a_game_that_cannot_be_is_refused(game):
    with pytest.raises(ys.YahtzeeError, match="game") as caught:
        ys.replay("roll-once", game, SEED)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True, 2**64])
def test_a_seed_that_cannot_be_is_refused(seed):
    with pytest.raises(ys.YahtzeeError, match="seed") as caught:
        ys.replay("roll-once", 1, seed)
    assert "\n" not in str(caught.value)


def test_a_replay_does_not_draw_a_seed():
    with pytest.raises(ys.YahtzeeError, match="seed"):
        ys.replay("roll-once", 1, None)


@pytest.mark.parametrize("stream", [-1, 0.5, None, "a", True])
def test_a_stream_that_cannot_be_is_refused(stream):
    with pytest.raises(ys.YahtzeeError, match="stream"):
        ys.replay("roll-once", 1, SEED, stream=stream)


def test_numpy_numbers_replay_the_same_game():
    plain = ys.replay("random", 5, SEED)
    assert ys.replay("random", np.int64(5), np.uint64(SEED)).frame.equals(plain.frame)
