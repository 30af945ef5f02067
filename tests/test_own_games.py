"""Games that people played, from CSV files."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import yahtzee_sim as ys
from yahtzee_sim.own_games import DICE, PATTERNS, FirstRolls, _chi_square
from yahtzee_sim.results import GAME_COLUMNS


def written(tmp_path, text, name="mine.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def cards(tmp_path):
    games = ys.simulate("greedy", 400, seed=3).games
    path = tmp_path / "cards.csv"
    games.to_csv(path, index=False)
    return path, games


def test_whole_cards_are_read_as_they_were_written(cards):
    path, games = cards
    read = ys.read_games(path)
    assert read.games.equals(games)
    assert read.totals.tolist() == games["total"].tolist()
    found, expected = read.summary(), ys.summary(games)
    assert found.equals(expected)


@pytest.mark.parametrize("left_out", [["total"], ["upper_bonus", "total"]])
def test_what_follows_from_the_boxes_may_be_left_out(cards, tmp_path, left_out):
    _, games = cards
    games.drop(columns=left_out).to_csv(tmp_path / "less.csv", index=False)
    assert ys.read_games(tmp_path / "less.csv").games.equals(games)


def test_hundreds_in_the_yahtzee_box_are_read_as_bonuses(tmp_path):
    boxes = "ones,twos,threes,fours,fives,sixes,three_of_a_kind,four_of_a_kind,full_house"
    boxes += ",small_straight,large_straight,yahtzee,chance"
    path = written(tmp_path, f"{boxes}\n3,6,9,12,15,18,22,0,25,30,40,150,20\n")
    game = ys.read_games(path).games.iloc[0]
    assert game["yahtzee"] == 50
    assert game["yahtzee_bonus"] == 100
    assert game["upper_bonus"] == 35
    assert game["total"] == 63 + 35 + 22 + 25 + 30 + 40 + 50 + 20 + 100


def test_totals_alone_against_a_strategy(tmp_path):
    path = written(tmp_path, "Game, Total \n1,210\n2,250\n3,198\n\n4,301\n")
    games = ys.read_games(path)
    assert games.totals.tolist() == [210, 250, 198, 301]
    frame = games.against("roll-once")
    exact = ys.evaluate("roll-once", only="mean").mean
    found = stats.ttest_1samp(games.totals, exact)
    assert frame.loc["p", "value"] == pytest.approx(found.pvalue)
    interval = found.confidence_interval()
    assert frame.loc["mean", "low"] == pytest.approx(interval.low)
    assert frame.loc["difference", "value"] == pytest.approx(np.mean([210, 250, 198, 301]) - exact)
    places = games.percentiles("roll-once")
    assert places.tolist() == pytest.approx(
        ys.percentile([210, 250, 198, 301], "roll-once").tolist()
    )
    assert frame.loc["percentile", "value"] == pytest.approx(places.mean())
    assert "4 games" in frame.attrs["caption"]
    with pytest.raises(ys.YahtzeeError, match="totals alone"):
        games.games  # noqa: B018
    assert list(games.summary().index) == ["mean", "sd", "median"]


def test_a_player_like_the_strategy_has_a_mean_percentile_of_fifty(tmp_path):
    games = ys.simulate("roll-once", 400, seed=3).games
    games.to_csv(tmp_path / "mine.csv", index=False)
    place = ys.read_games(tmp_path / "mine.csv").against("roll-once").loc["percentile"]
    assert abs(place["value"] - 50) < 4.5 * place["se"]


def test_semicolons_and_a_byte_order_mark_are_no_matter(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_bytes("\ufefftotal;who\n210;me\n".encode())
    assert ys.read_games(path).totals.tolist() == [210]


HEAD = ",".join(GAME_COLUMNS)
GOOD = "3,6,9,12,15,18,22,0,25,30,40,50,20,35,100,385"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("total\n210\nmany\n", r"line 3: total is a whole number, not 'many'"),
        ("total\n210\n\n2000\n", r"line 4: a total under official is 5 to 1575, not 2000"),
        ("total\n210\n-3\n", r"line 3: a total"),
        ("total,who\n,me\n", r"line 2: total is empty"),
        (f"{HEAD}\n{GOOD}\n{GOOD.replace('3,6,9', '3,7,9')}\n", r"line 3: twos cannot be 7"),
        (f"{HEAD}\n{GOOD.replace(',385', ',386')}\n", r"line 2: the boxes and bonuses make 385"),
        (f"{HEAD}\n{GOOD.replace(',35,', ',0,')}\n", r"line 2: upper_bonus is 35 for an upper"),
        (f"{HEAD}\n{GOOD.replace('100,385', '50,335')}\n", r"yahtzee_bonus cannot be 50"),
        (f"{HEAD}\n{GOOD.replace(',50,20', ',0,20')}\n", r"needs 50 in the Yahtzee box"),
        ("score\n210\n", r"has the columns score; games have a column total"),
        ("total\n", r"has no rows"),
        ("", r"has no rows"),
        ("total,total\n1,2\n", r"the column total twice"),
        ("die_1,die_2,die_3,die_4,die_5\n1,2,3,4,7\n", r"line 2: die_5 shows 1 to 6, not 7"),
        ("die_1,die_2,die_3,die_4,die_5\n1,2,3,4\n", r"line 2: die_5 is empty"),
    ],
)
def test_bad_rows_are_named_by_their_line(tmp_path, text, reason):
    with pytest.raises(ys.YahtzeeError, match=reason):
        ys.read_games(written(tmp_path, text))


def test_many_bad_rows_are_counted(tmp_path):
    text = "total\n" + "x\n" * 9
    with pytest.raises(ys.YahtzeeError, match=r"line 6: .*; and 4 more$"):
        ys.read_games(written(tmp_path, text))


def test_a_file_that_cannot_be_read_is_one_line(tmp_path):
    with pytest.raises(ys.YahtzeeError, match="cannot read"):
        ys.read_games(tmp_path / "nowhere.csv")
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ys.YahtzeeError, match="no CSV file"):
        ys.read_games(tmp_path / "x.csv")


# --- dice --------------------------------------------------------------------------------------


def rolls(tmp_path, dice):
    lines = [",".join(DICE), *(",".join(map(str, row)) for row in dice)]
    return ys.read_games(written(tmp_path, "\n".join(lines), "dice.csv"))


def test_fair_dice_pass_and_loaded_dice_do_not(tmp_path):
    rng = np.random.default_rng(4)
    fair = rolls(tmp_path, rng.integers(1, 7, (2000, 5)))
    assert isinstance(fair, FirstRolls)
    assert (fair.tests()["p_holm"] > 0.05).all()
    loaded = rolls(tmp_path, rng.choice(6, (2000, 5), p=[0.14, 0.16, 0.16, 0.17, 0.17, 0.2]) + 1)
    assert loaded.tests().loc["faces", "p_holm"] < 1e-4
    faces = loaded.faces()
    assert faces.loc[6, "low"] > 1 / 6


def test_dice_that_stick_together_are_found(tmp_path):
    rng = np.random.default_rng(4)
    dice = rng.integers(1, 7, (3000, 5))
    stuck = rng.random(3000) < 0.15
    dice[stuck, 1] = dice[stuck, 0]
    tests = rolls(tmp_path, dice).tests()
    assert tests.loc["patterns", "p_holm"] < 0.01
    assert tests.loc["faces", "p"] > 0.01
    repeated = rng.integers(1, 7, (3000, 5))
    for i in range(1, 3000):
        again = rng.random(5) < 0.05
        repeated[i, again] = repeated[i - 1, again]
    assert rolls(tmp_path, repeated).tests().loc["repeats", "p_holm"] < 0.01


def test_the_tests_are_those_of_scipy(tmp_path):
    rng = np.random.default_rng(6)
    dice = rng.integers(1, 7, (1200, 5))
    tests = rolls(tmp_path, dice).tests()
    counts = np.bincount(dice.ravel() - 1, minlength=6)
    expected = stats.chisquare(counts)
    assert tests.loc["faces", "statistic"] == pytest.approx(expected.statistic)
    assert tests.loc["faces", "p"] == pytest.approx(expected.pvalue)
    assert list(tests.index) == ["faces", *DICE, "patterns", "repeats"]


def test_patterns_come_as_often_as_all_7776_throws_say():
    from yahtzee_sim.own_games import _PATTERN_CHANCE

    counts = dict.fromkeys(PATTERNS, 0)
    for throw in np.ndindex(6, 6, 6, 6, 6):
        groups = sorted((throw.count(f) for f in set(throw)), reverse=True)
        name = {
            (1, 1, 1, 1, 1): "none alike",
            (2, 1, 1, 1): "pair",
            (2, 2, 1): "two pairs",
            (3, 1, 1): "three",
            (3, 2): "full house",
            (4, 1): "four",
            (5,): "five",
        }[tuple(groups)]
        counts[name] += 1
    assert pytest.approx(np.array(list(counts.values())) / 7776) == _PATTERN_CHANCE


def test_sorted_dice_are_not_tested_place_by_place(tmp_path):
    rng = np.random.default_rng(6)
    tests = rolls(tmp_path, np.sort(rng.integers(1, 7, (300, 5)), axis=1)).tests()
    assert list(tests.index) == ["faces", "patterns"]


def test_p_values_of_fair_dice_are_uniform():
    """Over 400 samples of 200 rolls, the share of p below .05 is about .05."""
    rng = np.random.default_rng(8)
    low = 0
    for _ in range(400):
        tests = FirstRolls("x", rng.integers(1, 7, (200, 5))).tests()
        low += (tests["p_holm"] < 0.05).any()
    assert low <= 0.05 * 400 + 4.5 * np.sqrt(0.05 * 0.95 * 400)


def test_rare_classes_are_put_together():
    value, freedom = _chi_square(np.array([0, 1, 50, 49]), np.array([0.01, 0.01, 0.49, 0.49]))
    assert freedom <= 2
    assert value >= 0
    assert _chi_square(np.array([1, 0]), np.array([0.5, 0.5])) == (0.0, 1)
