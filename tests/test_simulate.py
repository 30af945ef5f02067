"""`simulate`: the same games whoever plays them, and a mean that can be worked out by hand."""

from __future__ import annotations

import contextlib
import itertools
import math
import multiprocessing
import os
import tracemalloc
from collections import Counter
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import fields
from fractions import Fraction
from functools import cache, reduce

import numpy as np
import pandas as pd
import pytest

import yahtzee_sim as ys
from yahtzee_sim import batches, decisions
from yahtzee_sim.tallies import Tally

COLUMNS = [
    "ones",
    "twos",
    "threes",
    "fours",
    "fives",
    "sixes",
    "three_of_a_kind",
    "four_of_a_kind",
    "full_house",
    "small_straight",
    "large_straight",
    "yahtzee",
    "chance",
    "upper_bonus",
    "yahtzee_bonus",
    "total",
]
SEED = 20_240_601

FROM_A_FILE = """
from dataclasses import dataclass
import yahtzee_sim as ys

@dataclass(frozen=True)
class Collector(ys.Strategy):
    sees = frozenset({"open"})
    face: int = 6

    def keep(self, turn):
        return turn.dice == self.face

    def category(self, turn):
        return turn.points.argmax(axis=1)
"""
DIES = """
import os
from dataclasses import dataclass
import yahtzee_sim as ys

@dataclass(frozen=True)
class Dies(ys.Strategy):
    parent: int = 0

    def keep(self, turn):
        if os.getpid() != self.parent:
            os._exit(3)
        return turn.dice == 6

    def category(self, turn):
        return turn.points.argmax(axis=1)
"""


def refused(call, *arguments, **options) -> str:
    """The one line with which the library refuses."""
    with pytest.raises(ys.YahtzeeError) as caught:
        call(*arguments, **options)
    text = str(caught.value)
    assert text.strip()
    assert "\n" not in text
    return text


def same_games(a, b) -> bool:
    return bool((a.games.to_numpy() == b.games.to_numpy()).all())


def assert_same_bits(a, b) -> None:
    """Games, tallies and every table read from them."""
    pd.testing.assert_frame_equal(a.games, b.games, check_exact=True)
    for f in fields(Tally):
        np.testing.assert_array_equal(getattr(a.tally, f.name), getattr(b.tally, f.name))
    pd.testing.assert_frame_equal(a.summary(), b.summary(), check_exact=True)
    pd.testing.assert_frame_equal(a.categories(), b.categories(), check_exact=True)


# --- a player whose mean can be worked out ----------------------------------------------------


def paid_for(dice: tuple[int, ...]) -> dict[str, int]:
    """What each box pays for five dice, without any joker."""
    count = Counter(dice)
    most, faces = max(count.values()), set(dice)
    runs = {length: any(set(range(f, f + length)) <= faces for f in (1, 2, 3)) for length in (4, 5)}
    return {
        **{box: (i + 1) * count[i + 1] for i, box in enumerate(COLUMNS[:6])},
        "three_of_a_kind": sum(dice) if most >= 3 else 0,
        "four_of_a_kind": sum(dice) if most >= 4 else 0,
        "full_house": 25 if sorted(count.values()) == [2, 3] else 0,
        "small_straight": 30 if runs[4] else 0,
        "large_straight": 40 if runs[5] else 0,
        "yahtzee": 50 if most == 5 else 0,
        "chance": sum(dice),
    }


@cache
def box_distributions() -> dict[str, dict[int, Fraction]]:
    """For each box, the chances of its points when one roll of five dice goes to it."""
    found: dict[str, Counter] = {box: Counter() for box in COLUMNS[:13]}
    for dice in itertools.product(range(1, 7), repeat=5):
        for box, points in paid_for(dice).items():
            found[box][points] += 1
    return {
        box: {points: Fraction(n, 6**5) for points, n in counts.items()}
        for box, counts in found.items()
    }


def convolved(a: dict[int, Fraction], b: dict[int, Fraction]) -> dict[int, Fraction]:
    both: dict[int, Fraction] = {}
    for (x, p), (y, q) in itertools.product(a.items(), b.items()):
        both[x + y] = both.get(x + y, Fraction(0)) + p * q
    return both


@cache
def roll_once_totals() -> dict[int, Fraction]:
    """The distribution of the total of thirteen single rolls, each in the next box, under plain."""
    by_box = box_distributions()
    upper = reduce(convolved, (by_box[box] for box in COLUMNS[:6]))
    lower = reduce(convolved, (by_box[box] for box in COLUMNS[6:13]))
    with_bonus: dict[int, Fraction] = {}
    for points, p in upper.items():
        total = points + (35 if points >= 63 else 0)
        with_bonus[total] = with_bonus.get(total, Fraction(0)) + p
    return convolved(with_bonus, lower)


def mean_of(distribution: dict[int, Fraction]) -> Fraction:
    return sum((x * p for x, p in distribution.items()), Fraction(0))


@pytest.fixture(scope="module")
def rolled_once():
    return ys.simulate("roll-once", 1_000_000, rules="plain", seed=SEED)


def test_thirteen_single_rolls_are_worth_59545_1296_without_the_upper_bonus():
    assert sum(mean_of(d) for d in box_distributions().values()) == Fraction(59545, 1296)


def test_thirteen_single_rolls_are_worth_45_945256_with_the_upper_bonus():
    totals = roll_once_totals()
    assert sum(totals.values()) == 1
    assert round(float(mean_of(totals)), 6) == 45.945256


def test_a_million_games_of_roll_once_meet_the_exact_mean_and_sd(rolled_once):
    totals = roll_once_totals()
    mean = float(mean_of(totals))
    sd = math.sqrt(float(sum(x * x * p for x, p in totals.items())) - mean**2)
    found = rolled_once.summary()
    assert abs(found.loc["mean", "value"] - mean) < 4 * sd / 1000
    assert abs(found.loc["mean", "value"] - mean) < 4 * found.loc["mean", "se"]
    assert abs(found.loc["sd", "value"] - sd) < 4 * found.loc["sd", "se"]


def test_the_points_of_every_box_of_roll_once_have_their_exact_mean(rolled_once):
    games = rolled_once.games
    for box, distribution in box_distributions().items():
        mean = float(mean_of(distribution))
        variance = float(sum(x * x * p for x, p in distribution.items())) - mean**2
        assert abs(games[box].mean() - mean) < 4 * math.sqrt(variance) / 1000, box


def test_every_total_of_roll_once_comes_as_often_as_it_should(rolled_once):
    from scipy.stats import chi2

    exact, n = roll_once_totals(), rolled_once.n
    shares = rolled_once.distribution()
    assert shares[[t for t in shares.index if t not in exact]].sum() == 0
    expected = np.array([float(exact.get(t, 0)) for t in shares.index]) * n
    often = expected >= 10
    found = shares.to_numpy() * n
    distance = ((found - expected)[often] ** 2 / expected[often]).sum()
    assert chi2.sf(distance, often.sum() - 1) > 1e-4


# --- the same bits ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chased():
    """A hundred thousand games of one player in this process: what all others must equal."""
    return ys.simulate("yahtzee-chaser", 100_000, seed=SEED)


@pytest.mark.parametrize("name", ["yahtzee-chaser", "random", "greedy"])
def test_games_do_not_depend_on_how_many_the_engine_plays_at_a_time(name):
    n = 9_000 if name == "yahtzee-chaser" else 3_000
    task = {"rules": ys.rules("official"), "seed": SEED, "stream": 0, "first": 0, "n": n}
    strategy = ys.strategy(name)
    runs = [
        batches.play_task(batches.Task(strategy, **task, keep_games=True, batch=batch))
        for batch in (n, 1_000, 4_096)
    ]
    games, tally, _ = runs[0]
    assert games.shape == (16, n)
    for other, counts, _ in runs[1:]:
        np.testing.assert_array_equal(other, games)
        for f in fields(Tally):
            np.testing.assert_array_equal(getattr(counts, f.name), getattr(tally, f.name))


def test_two_processes_play_the_same_games_as_one(chased):
    assert_same_bits(ys.simulate("yahtzee-chaser", 100_000, seed=SEED, workers=2), chased)


def test_two_threads_play_the_same_games_as_one(chased):
    with ThreadPoolExecutor(2) as executor:
        several = ys.simulate("yahtzee-chaser", 100_000, seed=SEED, workers=executor)
    assert_same_bits(several, chased)


@pytest.mark.parametrize("name", ["greedy", "upper-first"])
def test_threads_that_learn_the_same_decisions_do_not_disturb_each_other(name):
    alone = ys.simulate(name, 20_000, seed=3)
    for _ in range(2):
        decisions._ROWS.clear()
        with ThreadPoolExecutor(3) as executor:
            together = ys.simulate(name, 20_000, seed=3, workers=executor)
        assert_same_bits(together, alone)


def test_a_spawn_pool_of_the_standard_library_plays_the_same_games(chased):
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        assert_same_bits(
            ys.simulate("yahtzee-chaser", 100_000, seed=SEED, workers=executor), chased
        )


def test_all_cores_play_the_same_games_as_one(chased):
    assert same_games(ys.simulate("yahtzee-chaser", 100_000, seed=SEED, workers=-1), chased)


def test_the_first_ten_thousand_games_of_a_hundred_thousand_are_the_first_ten_thousand(chased):
    fewer = ys.simulate("yahtzee-chaser", 10_000, seed=SEED)
    pd.testing.assert_frame_equal(fewer.games, chased.games.head(10_000), check_exact=True)


@pytest.mark.slow
def test_a_dask_client_plays_the_same_games(chased):
    from distributed import Client

    with Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None
    ) as client:
        assert_same_bits(ys.simulate("yahtzee-chaser", 100_000, seed=SEED, workers=client), chased)
        lent = client.get_executor()
        assert_same_bits(ys.simulate("yahtzee-chaser", 100_000, seed=SEED, workers=lent), chased)
        assert client.submit(sum, [1, 2]).result() == 3, "the client still works"


@pytest.mark.parametrize("kind", ["thread", "spawn"])
def test_an_executor_that_was_lent_is_not_shut_down(kind):
    spawn = multiprocessing.get_context("spawn")
    lent = ThreadPoolExecutor(1) if kind == "thread" else ProcessPoolExecutor(1, mp_context=spawn)
    with lent as executor:
        first = ys.simulate("roll-once", 500, seed=1, workers=executor)
        second = ys.simulate("roll-once", 500, seed=1, workers=executor)
        assert executor.submit(sum, [1, 2]).result() == 3
    assert same_games(first, second)


# --- strategies that are not the library's ----------------------------------------------------


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    file = tmp_path_factory.mktemp("mine") / "collector.py"
    file.write_text(FROM_A_FILE)
    return ys.strategy(f"{file}:Collector", face=5)


def test_a_class_written_in_a_notebook_cell_plays_in_two_processes():
    cell: dict = {"__name__": "__main__"}
    exec(FROM_A_FILE, cell)
    mine = cell["Collector"](face=2)
    assert same_games(
        ys.simulate(mine, 30_000, seed=4, workers=2), ys.simulate(mine, 30_000, seed=4)
    )


def test_a_strategy_from_a_users_file_plays_in_two_processes(collector):
    assert same_games(
        ys.simulate(collector, 30_000, seed=4, workers=2), ys.simulate(collector, 30_000, seed=4)
    )


def test_a_strategy_from_a_users_file_plays_in_a_spawn_pool(collector):
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        elsewhere = ys.simulate(collector, 10_000, seed=4, workers=executor)
    assert same_games(elsewhere, ys.simulate(collector, 10_000, seed=4))


@pytest.mark.parametrize("sees", ["open", "total"])
def test_a_file_edited_after_its_strategy_was_made_does_not_change_what_workers_play(
    tmp_path, sees
):
    text = FROM_A_FILE.replace('{"open"}', f'{{"open", "{sees}"}}')
    untouched, edited = tmp_path / "untouched.py", tmp_path / "edited.py"
    for file in (untouched, edited):
        file.write_text(text)
    mine = ys.strategy(f"{edited}:Collector")
    edited.write_text(text.replace("== self.face", "== 1"))
    there = None
    with contextlib.suppress(ys.YahtzeeError):  # to refuse is as good
        there = ys.simulate(mine, 20_000, seed=4, workers=2)
    assert there is None or same_games(there, ys.simulate(f"{untouched}:Collector", 20_000, seed=4))


@pytest.mark.parametrize("kind", ["loky", "spawn"])
def test_a_worker_that_dies_is_one_clear_line(kind, tmp_path):
    file = tmp_path / "dies.py"
    file.write_text(DIES)
    mine = ys.strategy(f"{file}:Dies", parent=os.getpid())
    if kind == "loky":
        text = refused(ys.simulate, mine, 50_000, seed=1, workers=2)
        assert ys.simulate("roll-once", 20_000, seed=1, workers=2).n == 20_000, "and the next runs"
    else:
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=spawn) as executor:
            text = refused(ys.simulate, mine, 50_000, seed=1, workers=executor)
            again = refused(ys.simulate, "roll-once", 100, seed=1, workers=executor)
        assert "worker" in again
    assert "worker" in text


def test_a_wrong_answer_in_a_worker_is_told_as_if_it_had_been_given_here(tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(FROM_A_FILE.replace("turn.points.argmax(axis=1)", "turn.points[:, 0] * 0"))
    mine = ys.strategy(f"{file}:Collector")
    here = refused(ys.simulate, mine, 20_000, seed=1)
    assert refused(ys.simulate, mine, 20_000, seed=1, workers=2) == here
    assert "ones" in here
    assert "is filled" in here


# --- seeds ------------------------------------------------------------------------------------


def test_seed_zero_is_a_seed_like_any_other():
    first, second = (ys.simulate("roll-once", 300, seed=0) for _ in range(2))
    assert first.seed == second.seed == 0
    assert same_games(first, second)
    assert not same_games(first, ys.simulate("roll-once", 300, seed=1))


def test_without_a_seed_one_is_drawn_and_recorded():
    first, second = (ys.simulate("roll-once", 300) for _ in range(2))
    assert isinstance(first.seed, int)
    assert first.seed != second.seed
    assert not same_games(first, second)
    assert same_games(first, ys.simulate("roll-once", 300, seed=first.seed))


def test_the_strategies_of_a_comparison_share_the_seed_that_was_drawn():
    results = ys.compare(["roll-once", "random"], 100).results.values()
    assert len({result.seed for result in results}) == 1


def test_the_largest_seed_plays_other_games_than_the_smallest():
    largest = ys.simulate("roll-once", 300, seed=2**64 - 1)
    assert largest.seed == 2**64 - 1
    assert not same_games(largest, ys.simulate("roll-once", 300, seed=0))


@pytest.mark.parametrize("seed", [2**32, 2**63])
def test_the_high_bits_of_a_seed_count(seed):
    assert not same_games(
        ys.simulate("roll-once", 300, seed=seed), ys.simulate("roll-once", 300, seed=0)
    )


# --- games are different games ----------------------------------------------------------------


def test_the_blocks_of_two_workers_are_not_the_same_games(chased):
    size = next(iter(batches.cut(0, 100_000, 2)))[1]
    games = chased.games.to_numpy()
    starts = range(size, 100_000 - size, size)
    assert len(starts) >= 3
    for start in starts:
        equal = (games[start : start + size] == games[:size]).all(axis=1).mean()
        assert equal < 0.01, f"the block from game {start} on repeats the first one"


def test_the_games_of_a_batch_differ(chased):
    batch = chased.games.head(8_192)
    assert len(batch.drop_duplicates()) > 0.95 * len(batch)


def test_the_thirteen_rounds_of_a_game_have_dice_of_their_own():
    # alike, thirteen rounds of roll-once would pay a sixth of the games the same in every box
    games = ys.simulate("roll-once", 2_000, rules="plain", seed=5).games
    dice_in_upper = games[COLUMNS[:6]].to_numpy() // np.arange(1, 7)
    assert (dice_in_upper.sum(axis=1) == 5).mean() < 0.5, "six rounds of one roll: always five"
    pairs = np.corrcoef(games[["three_of_a_kind", "chance", "small_straight"]].to_numpy().T)
    assert abs(pairs[0, 1]) < 0.1
    assert abs(pairs[1, 2]) < 0.1


# --- what comes back --------------------------------------------------------------------------


@pytest.mark.parametrize("rules", list(ys.list_rules()))
def test_a_frame_has_sixteen_columns_of_points_that_sum_to_the_total(rules):
    games = ys.simulate("yahtzee-chaser", 2_000, rules=rules, seed=8).games
    assert list(games.columns) == COLUMNS
    assert (games.dtypes == np.int16).all()
    assert games.index.name == "game"
    assert list(games.index) == list(range(2_000))
    sums = games[COLUMNS[:15]].sum(axis=1)
    np.testing.assert_array_equal(sums, games["total"])
    assert games["total"].between(5, ys.rules(rules).maximum).all()


def test_points_of_house_rules_with_large_bonuses_fit_their_columns():
    rules = ys.Rules(name="steep", yahtzee_bonus=1000, upper_bonus=1000, upper_bonus_threshold=1)
    result = ys.simulate("yahtzee-chaser", 20_000, rules=rules, seed=8)
    games = result.games
    assert games["yahtzee_bonus"].max() >= 3_000
    np.testing.assert_array_equal(
        games[COLUMNS[:15]].to_numpy().astype(int).sum(axis=1), games["total"]
    )
    assert result.summary().loc["mean", "value"] == pytest.approx(games["total"].mean())


def test_a_summary_only_run_answers_the_same_as_one_that_keeps_its_games(chased):
    short = ys.simulate("yahtzee-chaser", 100_000, seed=SEED, store="summary")
    assert short.n == chased.n
    pd.testing.assert_frame_equal(
        short.summary(at_least=[275], quantiles=[0.1]),
        chased.summary(at_least=[275], quantiles=[0.1]),
        check_exact=True,
    )
    pd.testing.assert_frame_equal(short.categories(), chased.categories(), check_exact=True)
    pd.testing.assert_frame_equal(short.rounds(), chased.rounds(), check_exact=True)
    pd.testing.assert_series_equal(short.distribution(), chased.distribution(), check_exact=True)


def test_a_summary_only_run_has_no_games_and_says_so():
    short = ys.simulate("roll-once", 100, seed=1, store="summary")
    assert short.frame is None
    with pytest.raises(ys.YahtzeeError, match="kept no games") as caught:
        _ = short.games
    assert "\n" not in str(caught.value)


def peak_memory(**options) -> int:
    tracemalloc.start()
    try:
        ys.simulate("roll-once", seed=1, **options)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_summary_only_run_needs_the_same_memory_for_any_number_of_games():
    few, many = 65_536, 262_144  # one block and four
    ys.simulate("roll-once", 100, seed=1)  # tables that are made once
    growth = peak_memory(games=many, store="summary") - peak_memory(games=few, store="summary")
    assert growth < 2**20
    kept = peak_memory(games=many) - peak_memory(games=few)
    assert kept > 5 * 2**20, "the measure sees 32 bytes a game where games are kept"


class Lazy(Executor):
    """Plays a task when its result is asked for, and counts what is under way."""

    _max_workers = 2

    def __init__(self):
        self.under_way = self.most = self.submitted = 0

    def submit(self, function, *arguments):
        self.submitted += 1
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        executor = self

        class Asked(Future):
            def result(self, timeout=None):
                executor.under_way -= 1
                return function(*arguments)

        return Asked()


def test_only_a_few_tasks_are_under_way_at_a_time():
    executor, drawn = Lazy(), []

    def tasks():
        for i in range(1, 1001):
            drawn.append(i)
            yield i

    results = batches.run(math.sqrt, tasks(), executor, ahead=5)
    assert [next(results) for _ in range(10)] == [math.sqrt(i) for i in range(1, 11)]
    assert len(drawn) < 20, "tasks are made when they are wanted"
    assert list(results) == [math.sqrt(i) for i in range(11, 1001)]
    assert executor.submitted == 1000
    assert executor.most <= 5


def test_a_long_run_hands_out_few_blocks_at_a_time(monkeypatch):
    monkeypatch.setattr(batches, "BLOCK", 1_000)
    monkeypatch.setattr(batches, "BATCH", 1_000)
    executor = Lazy()
    result = ys.simulate("roll-once", 60_000, seed=1, workers=executor)
    assert executor.submitted == 60
    assert executor.most <= 2 * Lazy._max_workers + 1
    assert same_games(result, ys.simulate("roll-once", 60_000, seed=1))


def test_tasks_cover_every_game_once():
    for games, workers in itertools.product((1, 8_191, 8_193, 70_000, 1_000_001), (1, 2, 7)):
        parts = list(batches.cut(0, games, workers))
        later = [(first + 5, n) for first, n in parts]
        assert list(batches.cut(5, games, workers)) == later
        assert [first for first, _ in parts] == [0, *np.cumsum([n for _, n in parts])[:-1]]
        assert sum(n for _, n in parts) == games
        assert all(n > 0 for _, n in parts)


# --- arguments are checked at the door --------------------------------------------------------


@pytest.mark.parametrize(
    "games", [0, -1, 1.5, 10.0, "many", "100", True, None, [100], np.array([100]), math.nan]
)
def test_a_number_of_games_that_cannot_be_is_refused(games):
    assert "games" in refused(ys.simulate, "roll-once", games, seed=1)


@pytest.mark.parametrize("games", [10**15, 2**53, 2**60])
def test_more_games_than_memory_holds_are_refused_in_one_line(games):
    refused(ys.simulate, "roll-once", games, seed=1)


@pytest.mark.parametrize("workers", [0, -2, "two", 1.5, True, None, [1]])
def test_workers_that_cannot_be_are_refused(workers):
    assert "workers" in refused(ys.simulate, "roll-once", 10, seed=1, workers=workers)


@pytest.mark.parametrize("store", ["parquet", "", None, True, 3])
def test_an_unknown_store_is_refused(store):
    assert "games, summary" in refused(ys.simulate, "roll-once", 10, seed=1, store=store)


def test_a_misspelt_store_is_answered_with_the_nearest():
    assert "did you mean summary?" in refused(ys.simulate, "roll-once", 10, store="sumary")


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", True, [7], np.array([7]), math.nan])
def test_a_seed_that_cannot_be_is_refused(seed):
    assert "seed" in refused(ys.simulate, "roll-once", 10, seed=seed)


@pytest.mark.parametrize("rules", ["oficial", 5, None, "official,bonus=3", "official,joker=wild"])
def test_rules_that_cannot_be_are_refused(rules):
    refused(ys.simulate, "roll-once", 10, rules=rules)


def test_numpy_numbers_are_numbers():
    result = ys.simulate("roll-once", np.int64(50), seed=np.uint64(7), workers=np.int64(1))
    assert same_games(result, ys.simulate("roll-once", 50, seed=7))
    assert type(result.seed) is int


@pytest.mark.parametrize("paired", ["no", None, 1])
def test_a_comparison_is_paired_or_not(paired):
    assert "paired" in refused(ys.compare, ["roll-once"], 10, paired=paired)


# --- comparisons ------------------------------------------------------------------------------


def test_a_comparison_plays_the_games_that_simulate_plays():
    compared = ys.compare(["yahtzee-chaser", "roll-once"], 3_000, seed=6, rules="kniffel")
    for label, result in compared.results.items():
        alone = ys.simulate(label, 3_000, seed=6, rules="kniffel")
        pd.testing.assert_frame_equal(result.games, alone.games, check_exact=True)


def test_a_comparison_is_the_same_for_two_workers():
    one, two = (
        ys.compare(["yahtzee-chaser", "upper-first"], 20_000, seed=6, workers=n) for n in (1, 2)
    )
    for label in one.results:
        assert same_games(one.results[label], two.results[label])


def test_unpaired_strategies_have_dice_of_their_own():
    paired, unpaired = (
        ys.compare({"a": "roll-once", "b": "roll-once"}, 1_000, seed=6, paired=paired)
        for paired in (True, False)
    )
    assert same_games(*paired.results.values())
    assert not same_games(*unpaired.results.values())


def test_a_ranking_goes_by_the_mean_and_shows_what_the_summaries_say():
    compared = ys.compare(["roll-once", "yahtzee-chaser", "random"], 2_000, seed=6)
    ranking = compared.ranking()
    assert list(ranking["rank"]) == [1, 2, 3]
    assert ranking["mean"].is_monotonic_decreasing
    assert set(ranking.index) == set(compared.results)
    for label, result in compared.results.items():
        summary, row = result.summary(), ranking.loc[label]
        assert [row["mean"], row["se"], row["low"], row["high"]] == list(
            summary.loc["mean", ["value", "se", "low", "high"]]
        )
        for metric in ("sd", "median", "p_upper_bonus", "p_yahtzee", "yahtzee_bonuses"):
            assert row[metric] == summary.loc[metric, "value"], metric
        assert row["n"] == 2_000
    for part in ("3 strategies", "2,000 games", "seed 6", "official", ys.__version__):
        assert part in compared.caption
