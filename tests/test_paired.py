"""Verdicts: pairs, intervals, p-values, ranks, luck adjustment, and when to stop."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import yahtzee_sim as ys
from yahtzee_sim.paired import (
    METRICS,
    PairTally,
    Traits,
    chance_of_best,
    chances_to_win,
    games_for,
    holm,
    smallest_shown,
)
from yahtzee_sim.tallies import BLOCK, Sums

NAMES = ["most-points", "upper-first", "yahtzee-chaser", "roll-once"]


@pytest.fixture(scope="module")
def compared():
    return ys.compare(NAMES, 4000, seed=11)


@pytest.fixture(scope="module")
def apart():
    return ys.compare(NAMES[:3], 4000, seed=11, paired=False)


def numbers(result, metric):
    games = result.games
    if metric == "mean":
        return games["total"].to_numpy(float)
    if metric == "yahtzee_bonuses":
        return games["yahtzee_bonus"].to_numpy(float) / 100
    if metric == "yahtzees_paid":
        return games["yahtzee_bonus"].to_numpy(float) / 100 + (games["yahtzee"] == 50)
    if metric == "p_upper_bonus":
        return (games["upper_bonus"] > 0).to_numpy(float)
    if metric == "p_yahtzee":
        return (games["yahtzee"] == 50).to_numpy(float)
    return (games["total"] >= int(metric[2:])).to_numpy(float)


# --- against scipy, game by game ---------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS)
def test_differences_and_correlations_are_those_of_the_games(compared, metric):
    frame = compared.pairs(metric)
    for (a, b), row in frame.iterrows():
        x, y = (numbers(compared.results[label], metric) for label in (a, b))
        d = x - y
        assert row["difference"] == pytest.approx(d.mean(), abs=1e-12)
        ddof = 0 if metric.startswith("p_") else 1
        assert row["se"] == pytest.approx(d.std(ddof=ddof) / math.sqrt(len(d)), rel=1e-9, abs=1e-12)
        if x.std() and y.std():
            assert row["correlation"] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-9)
        else:
            assert np.isnan(row["correlation"])


def test_paired_means_are_tested_by_students_t(compared):
    frame = compared.pairs()
    for (a, b), row in frame.iterrows():
        x, y = (numbers(compared.results[label], "mean") for label in (a, b))
        found = stats.ttest_rel(x, y)
        interval = found.confidence_interval(0.95)
        assert row["p"] == pytest.approx(found.pvalue, rel=1e-6, abs=1e-300)
        assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))
        every = found.confidence_interval(1 - 0.05 / len(frame))
        assert (row["low_all"], row["high_all"]) == pytest.approx((every.low, every.high))
        assert row["won"] == np.mean(x > y)
        assert row["tied"] == np.mean(x == y)
        assert row["lost"] == pytest.approx(np.mean(x < y))


def test_shares_of_games_are_tested_by_mcnemar(compared):
    for (a, b), row in compared.pairs("p_upper_bonus").iterrows():
        x, y = (numbers(compared.results[label], "p_upper_bonus") for label in (a, b))
        only = int(((x == 1) & (y == 0)).sum()), int(((x == 0) & (y == 1)).sum())
        expected = stats.binomtest(only[0], sum(only)).pvalue if sum(only) else 1
        assert row["p"] == pytest.approx(expected, rel=1e-6, abs=1e-300)
        assert row["low"] <= row["difference"] <= row["high"] or row["difference"] == 0


def test_players_with_dice_of_their_own_are_tested_by_welch(apart):
    for (a, b), row in apart.pairs().iterrows():
        x, y = (numbers(apart.results[label], "mean") for label in (a, b))
        found = stats.ttest_ind(x, y, equal_var=False)
        interval = found.confidence_interval(0.95)
        assert row["p"] == pytest.approx(found.pvalue, rel=1e-6, abs=1e-300)
        assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))
        assert np.isnan(row["correlation"])
        won = np.mean(x[:, None] > y[None, :])
        assert row["won"] == pytest.approx(won)


def test_shares_with_dice_of_their_own_are_compared_as_two_proportions(apart):
    for (a, b), row in apart.pairs("p_upper_bonus").iterrows():
        x, y = (numbers(apart.results[label], "p_upper_bonus") for label in (a, b))
        pooled = (x.mean() + y.mean()) / 2
        z = (x.mean() - y.mean()) / math.sqrt(2 * pooled * (1 - pooled) / len(x))
        assert row["p"] == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-6, abs=1e-300)


@pytest.mark.parametrize(
    "p", [[0.01, 0.04, 0.03, 0.005], [1.0, 1.0], [0.2], [0.0, 0.0, 0.5], [0.02, 0.02, 0.02]]
)
def test_holm_by_its_definition(p):
    found = holm(p)
    for alpha in (0.01, 0.05, 0.1):
        rejected = set()
        for k, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
            if p[i] > alpha / (len(p) - k):
                break
            rejected.add(i)
        assert {i for i in range(len(p)) if found[i] <= alpha} == rejected
    assert (found >= p).all()


def test_holm_keeps_what_is_not_known():
    found = holm([0.01, np.nan, 0.02])
    assert np.isnan(found[1])
    assert found[0] == pytest.approx(0.03)


# --- identical, equivalent, unresolved ---------------------------------------------------------


def test_the_same_strategy_twice_is_identical():
    c = ys.compare(["greedy", "greedy", "most-points"], 300, seed=1)
    for metric in METRICS:
        row = c.pairs(metric).loc[("greedy", "greedy (2)")]
        assert row["verdict"] == "identical"
        assert row[["difference", "low", "high", "low_all", "high_all", "se"]].tolist() == [0] * 6
        assert row["p"] == row["p_holm"] == 1
        assert row["shows"] == 0
    ranking = c.ranking()
    assert ranking["p_best"].tolist() == pytest.approx([0.5, 0.5, 0], abs=0.01)
    assert ranking["ranks"].tolist() == ["1-2", "1-2", "3"]


def test_two_copies_of_the_best_share_the_chance_of_being_best():
    c = ys.compare(["most-points"] * 4, 100, seed=1)
    assert c.ranking()["p_best"].tolist() == pytest.approx([0.25] * 4, abs=0.01)


def test_a_verdict_needs_the_whole_interval_within_the_margin():
    c = ys.compare(["upper-first", "upper-first"], 3000, seed=5, paired=False)
    row = c.pairs(margin=50).iloc[0]
    assert row["verdict"] == "equivalent"
    wide = max(abs(row["low_all"]), abs(row["high_all"]))
    assert c.pairs(margin=float(wide) * 1.001).iloc[0]["verdict"] == "equivalent"
    assert c.pairs(margin=float(wide) * 0.999).iloc[0]["verdict"] == "unresolved"
    assert c.pairs(margin=0).iloc[0]["verdict"] == "unresolved"
    assert np.isnan(c.pairs(margin=0).iloc[0]["games_needed"])


def test_verdicts_say_who_is_better(compared):
    frame = compared.pairs()
    assert frame.loc[("most-points", "upper-first"), "verdict"] == "better"
    assert frame.loc[("most-points", "yahtzee-chaser"), "verdict"] == "worse"
    ranking = compared.ranking()
    assert ranking.index.tolist() == ["yahtzee-chaser", "most-points", "upper-first", "roll-once"]
    assert ranking["ranks"].tolist() == ["1", "2", "3", "4"]
    assert ranking["p_best"].sum() == pytest.approx(1)


def test_the_games_that_a_margin_needs_show_it():
    se, n = 0.4, 10_000
    needed = games_for(se, n, 0.5, 0.95)
    assert smallest_shown(se * math.sqrt(n / needed), 0.95) == pytest.approx(0.5, rel=1e-3)
    # by simulation: a normal estimate with this error is significant in 80 % of all runs
    rng = np.random.default_rng(1)
    error = se * math.sqrt(n / needed)
    z = rng.normal(0.5, error, 40_000) / error
    assert abs((np.abs(z) > 1.959964).mean() - 0.8) < 4.5 * math.sqrt(0.16 / 40_000)


def test_the_chance_of_being_best_of_two_is_that_of_a_normal():
    means, se = np.array([10.0, 10.5]), 0.4
    covariance = np.array([[0.5, 0.42], [0.42, 0.5]])
    covariance[0, 1] = covariance[1, 0] = 0.5 - se**2 / 2
    found = chance_of_best(means, covariance)
    assert found[1] == pytest.approx(stats.norm.cdf(0.5 / se), abs=0.006)
    assert found.sum() == pytest.approx(1)


# --- tallies -----------------------------------------------------------------------------------


def test_pairs_answer_the_same_without_the_games(compared, tmp_path):
    lean = ys.compare(NAMES, 4000, seed=11, store="summary")
    for metric in METRICS:
        pd.testing.assert_frame_equal(lean.pairs(metric), compared.pairs(metric))
    folder = compared.save(tmp_path / "c")
    loaded = ys.load(folder)
    pd.testing.assert_frame_equal(loaded.pairs(), compared.pairs())
    pd.testing.assert_frame_equal(loaded.ranking(), compared.ranking())
    assert loaded.caption == compared.caption


def test_pairs_do_not_depend_on_how_games_are_cut(compared, monkeypatch):
    monkeypatch.setattr("yahtzee_sim.comparison.CHUNK", 1500)
    cut = ys.compare(NAMES, 4000, seed=11, store="summary", luck=True)
    whole = ys.compare(NAMES, 4000, seed=11, luck=True)
    pd.testing.assert_frame_equal(cut.pairs(), whole.pairs())
    pd.testing.assert_frame_equal(cut.ranking(), whole.ranking())


def test_damaged_pairs_are_refused(compared, tmp_path):
    folder = compared.save(tmp_path / "c")
    (folder / "pairs.npz").write_bytes(b"nothing")
    with pytest.raises(ys.YahtzeeError, match="damaged"):
        ys.load(folder)


def test_a_pair_tally_counts_by_hand():
    rules = ys.rules()
    games = np.zeros((2, 16, 2), np.int16)
    games[0, 15], games[1, 15] = (200, 310), (200, 180)
    games[0, 14], games[0, 11] = (0, 100), (0, 50)
    games[1, 0:6] = np.array([[3, 6, 9, 12, 15, 18], [0] * 6]).T
    one, other = (Traits.of(g, rules) for g in games)
    tally = PairTally.empty(rules)
    tally.add(one, other)
    assert tally.n == 2
    middle = rules.maximum
    assert tally.differences["mean"][[middle, middle + 130]].tolist() == [1, 1]
    assert tally.only["p_yahtzee"].tolist() == [1, 0]
    assert tally.only["p_upper_bonus"].tolist() == [0, 1]
    assert tally.only["p_200"].tolist() == [1, 0]
    assert tally.only["p_300"].tolist() == [1, 0]
    assert tally.differences["yahtzees_paid"][14:].tolist()[:3] == [1, 0, 1]


def test_chances_to_win_by_enumeration():
    p, q = np.array([0.5, 0.0, 0.5]), np.array([0.25, 0.25, 0.25, 0.25])
    won, tied, lost = chances_to_win(p, q)
    cases = list(itertools.product(range(3), range(4)))
    assert won == pytest.approx(sum(p[i] * q[j] for i, j in cases if i > j))
    assert tied == pytest.approx(sum(p[i] * q[j] for i, j in cases if i == j))
    assert lost == pytest.approx(sum(p[i] * q[j] for i, j in cases if i < j))


def test_sums_of_floats_do_not_depend_on_batches():
    rng = np.random.default_rng(3)
    numbers = rng.exponential(size=(2, 2 * BLOCK + 777))
    whole, parts = Sums(2), Sums(2)
    whole.add(numbers)
    cuts = [0, 1000, 3000, 70_000, 70_001, BLOCK + 40_000, numbers.shape[1]]
    for start, end in itertools.pairwise(cuts):
        parts.add(numbers[:, start:end])
    assert [x.tolist() for x in whole.sums()] == [x.tolist() for x in parts.sums()]
    assert whole.sums()[0] == pytest.approx(numbers.sum(axis=1))
    assert whole.sums()[1] == pytest.approx((numbers**2).sum(axis=1))
    assert whole.n == numbers.shape[1]


# --- luck --------------------------------------------------------------------------------------


def test_adjusted_means_meet_the_exact_ones():
    c = ys.compare(["greedy", "optimal"], 8000, seed=3, luck=True)
    ranking = c.ranking()
    greedy = ranking.loc["greedy"]
    assert abs(greedy["mean"] - 217.380439) < 4.5 * greedy["se"]
    assert greedy["games_saved"] > 12
    assert greedy["mean_raw"] == c.results["greedy"].games["total"].mean()
    optimal = ranking.loc["optimal"]
    assert optimal["mean"] == ys.solve().expected
    assert optimal["se"] == 0
    assert np.isinf(optimal["games_saved"])
    row = c.pairs().loc[("greedy", "optimal")]
    assert row["se"] < row["se_raw"]
    assert row["difference"] == pytest.approx(greedy["mean"] - optimal["mean"], abs=1e-9)
    assert row["verdict"] == "worse"
    assert row["difference_raw"] == pytest.approx(
        ranking.loc["greedy", "mean_raw"] - ranking.loc["optimal", "mean_raw"], abs=1e-9
    )


def test_accounts_add_up_to_the_totals_in_every_game(tmp_path):
    r = ys.simulate("most-points", 3000, seed=2, luck=True, rules="yardzee")
    total = r.luck.start + r.accounts["luck"] - r.accounts["cost"]
    assert np.abs(total - r.games["total"]).max() < 1e-9
    summary = r.summary()
    assert list(summary.index[:4]) == ["mean", "mean_raw", "games_saved", "sd"]
    assert summary.loc["mean", "value"] == pytest.approx(
        (r.luck.start - r.accounts["cost"]).mean(), abs=1e-9
    )
    assert summary.loc["mean", "se"] == pytest.approx(r.accounts["cost"].std() / math.sqrt(3000))
    loaded = ys.load(r.save(tmp_path / "r"))
    pd.testing.assert_frame_equal(loaded.summary(), summary)
    pd.testing.assert_frame_equal(loaded.accounts, r.accounts)


@pytest.mark.slow
def test_luck_is_the_same_for_any_number_of_workers():
    one = ys.simulate("random", 70_000, seed=2, luck=True, store="summary")
    two = ys.simulate("random", 70_000, seed=2, luck=True, store="summary", workers=2)
    assert one.luck == two.luck
    with pytest.raises(ys.YahtzeeError, match="luck=True"):
        one.accounts  # noqa: B018


def test_without_luck_there_are_no_accounts():
    r = ys.simulate("roll-once", 100, seed=2)
    assert "mean_raw" not in r.summary().index
    assert np.isnan(r.games_saved)
    with pytest.raises(ys.YahtzeeError, match="luck=True"):
        r.accounts  # noqa: B018


def test_adjusted_means_of_players_with_dice_of_their_own():
    c = ys.compare(["most-points", "upper-first"], 2000, seed=3, luck=True, paired=False)
    row = c.pairs().iloc[0]
    errors = c.ranking()["se"]
    assert row["se"] == pytest.approx(math.hypot(*errors))
    assert row["se"] < row["se_raw"]


# --- until -------------------------------------------------------------------------------------


def test_until_stops_at_the_first_look_that_is_narrow_enough():
    c = ys.compare(["most-points", "upper-first"], until=3, seed=4)
    assert c.results["most-points"].n in {1000 * 2**k for k in range(12)}
    ranking, pairs = c.ranking(), c.pairs()
    widths = [*(ranking["high"] - ranking["low"]), *(pairs["high"] - pairs["low"])]
    assert max(widths) / 2 <= 3
    half = ys.compare(["most-points", "upper-first"], c.results["most-points"].n // 2, seed=4)
    ranking, pairs = half.ranking(), half.pairs()
    widths = [*(ranking["high"] - ranking["low"]), *(pairs["high"] - pairs["low"])]
    assert max(widths) / 2 > 3
    assert "stopped at look" in c.caption
    same = ys.compare(["most-points", "upper-first"], c.results["most-points"].n, seed=4)
    assert same.results["most-points"].games.equals(c.results["most-points"].games)


def test_until_gives_up_at_the_most_games():
    c = ys.compare(["most-points", "upper-first"], until=0.001, seed=4, max_games=3000)
    assert c.results["most-points"].n == 3000
    assert "not within 0.001 by then" in c.caption
    r = ys.simulate("most-points", until=0.001, max_games=1500, seed=1)
    assert r.n == 1500


def test_separated_spends_its_error_look_by_look():
    c = ys.compare(["most-points", "upper-first"], until="separated", seed=4)
    assert c.results["most-points"].n == 1000
    assert c.level == pytest.approx(1 - 0.05 * 6 / math.pi**2)
    assert "intervals at 96.96 %" in c.caption
    assert sum(6 / (math.pi * k) ** 2 for k in range(1, 10_000)) < 1
    default, wide = c.pairs(), c.pairs(level=c.level)
    pd.testing.assert_frame_equal(default, wide)


def test_separated_does_not_wait_for_identical_players():
    c = ys.compare(["most-points", "most-points", "roll-once"], until="separated", seed=4)
    assert c.results["roll-once"].n == 1000


def test_a_single_mean_until():
    r = ys.simulate("most-points", until=2.0, seed=3)
    mean = r.summary().loc["mean"]
    assert (mean["high"] - mean["low"]) / 2 <= 2
    assert r.games.equals(ys.simulate("most-points", r.n, seed=3).games)


# --- losses beside each other, exact means -----------------------------------------------------


def test_exact_means_stand_beside():
    c = ys.compare(["greedy", "roll-once", "par"], 200, seed=3)
    exact = c.ranking()["exact"]
    assert exact["greedy"] == pytest.approx(217.380439, abs=1e-6)
    assert "exact" not in c.ranking(exact=False)
    other = ys.compare({"mine": "roll-once"}, 200, seed=3, rules="plain")
    assert "exact" not in other.ranking()
    found = other.ranking(exact=True)["exact"]["mine"]
    assert found == ys.evaluate("roll-once", "plain", only="mean").mean


def test_losses_beside_each_other():
    c = ys.compare(["roll-once", "epsilon,base=roll-once"], 500, seed=3)
    frame = c.losses()
    assert list(frame.columns) == ["first_keep", "second_keep", "category", "all", "se"]
    assert frame.loc["roll-once", "all"] == pytest.approx(254.587729 - 45.945315, abs=1e-5)
    assert frame.loc["roll-once", "se"] == 0
    assert frame.iloc[1]["se"] > 0


# --- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"until": 0}, "above 0"),
        ({"until": -1}, "above 0"),
        ({"until": "soon"}, "'separated'"),
        ({"until": True}, "above 0"),
        ({"until": 1, "max_games": 0}, "max_games is a whole number"),
        ({"margin": -1}, "margin is a number from 0 up"),
        ({"margin": "wide"}, "margin is a number from 0 up"),
        ({"luck": 1}, "luck is True or False"),
        ({"paired": None}, "paired is True or False"),
    ],
)
def test_a_comparison_that_cannot_be_is_refused(arguments, reason):
    with pytest.raises(ys.YahtzeeError, match=reason):
        ys.compare(["roll-once"], 100, **arguments)


def test_figures_that_cannot_be_compared_are_refused(compared):
    with pytest.raises(ys.YahtzeeError, match="unknown metric of a pair 'median'"):
        compared.pairs("median")
    with pytest.raises(ys.YahtzeeError, match="margin"):
        compared.pairs(margin=-0.5)
    with pytest.raises(ys.YahtzeeError, match="level"):
        compared.pairs(level=95)
    with pytest.raises(ys.YahtzeeError, match="pairs need two"):
        ys.compare(["roll-once"], 10, seed=1).pairs()
    with pytest.raises(ys.YahtzeeError, match="not among the strategies"):
        compared.difference("roll-once", "greedy")


def test_one_game_has_no_error_and_no_verdict():
    c = ys.compare(["roll-once", "most-points"], 1, seed=1)
    row = c.pairs().iloc[0]
    assert np.isnan(row["se"])
    assert row["verdict"] == "unresolved"
    assert c.ranking()["p_best"].isna().all()


# --- coverage (slow) ---------------------------------------------------------------------------

BLOCKS, SIZE = 20_000, 500


@pytest.fixture(scope="module")
def blocks():
    """20,000 disjoint blocks of 500 games of `greedy` and `most-points`, on the same dice."""
    n = BLOCKS * SIZE
    greedy = ys.simulate("greedy", n, seed=77, luck=True, workers=2)
    other = ys.simulate("most-points", n, seed=77, workers=2)
    return {
        "greedy": greedy.games["total"].to_numpy().reshape(BLOCKS, SIZE),
        "adjusted": (greedy.luck.start - greedy.accounts["cost"].to_numpy()).reshape(BLOCKS, SIZE),
        "most-points": other.games["total"].to_numpy().reshape(BLOCKS, SIZE),
        "bonus": (other.games["yahtzee"].to_numpy() == 50).reshape(BLOCKS, SIZE),
    }


def covers(low, high, exact):
    return float(((low <= exact) & (exact <= high)).mean())


def student(values):
    half = stats.t.ppf(0.975, SIZE - 1) * values.std(axis=1, ddof=1) / math.sqrt(SIZE)
    mean = values.mean(axis=1)
    return mean - half, mean + half


@pytest.mark.slow
def test_intervals_cover_as_often_as_they_say(blocks):
    """The library's own intervals on some blocks; the same formula on all of them."""
    from yahtzee_sim import statistics

    greedy, most = ys.evaluate("greedy"), ys.evaluate("most-points")
    for i in range(20):
        counts = np.bincount(blocks["greedy"][i])
        low, high = student(blocks["greedy"][i : i + 1])
        assert statistics.mean(counts)[2:4] == pytest.approx((low[0], high[0]))
    exact = {
        "mean": (student(blocks["greedy"]), greedy.mean),
        "adjusted": (student(blocks["adjusted"]), greedy.mean),
        "difference": (student(blocks["greedy"] - blocks["most-points"]), greedy.mean - most.mean),
    }
    p = most.summary().loc["p_yahtzee", "value"]
    wilson = [statistics.proportion(k, SIZE) for k in range(SIZE + 1)]
    lows, highs = (np.array([e[j] for e in wilson]) for j in (2, 3))
    k = blocks["bonus"].sum(axis=1)
    exact["proportion"] = ((lows[k], highs[k]), p)
    for name, ((low, high), value) in exact.items():
        found = covers(low, high, value)
        print(f"coverage of the {name}: {found:.4f}")
        assert 0.943 <= found <= 0.957, name


@pytest.mark.slow
def test_quantile_intervals_cover_at_least_as_often_as_they_say(blocks):
    from yahtzee_sim import statistics

    distribution = ys.evaluate("greedy").distribution()
    cumulative = distribution.cumsum()
    highest = ys.rules().maximum
    for q in (0.05, 0.5, 0.95):
        exact = int(cumulative.index[np.searchsorted(cumulative.to_numpy(), q - 1e-12)])
        low_rank, high_rank = stats.binom.ppf([0.025, 0.975], SIZE, q)
        at, below = cumulative[exact], cumulative.get(exact - 1, 0.0)
        expected = (
            1 - stats.binom.cdf(low_rank - 1, SIZE, at) - stats.binom.sf(high_rank, SIZE, below)
        )
        covered = 0
        for block in blocks["greedy"]:
            e = statistics.quantile(np.bincount(block, minlength=highest + 1), q, 5, highest)
            covered += e.low <= exact <= e.high
        found = covered / BLOCKS
        print(f"coverage of the {q} quantile: {found:.4f}, expected {expected:.4f}")
        assert expected >= 0.95
        assert abs(found - expected) < 4 * math.sqrt(expected * (1 - expected) / BLOCKS)


@pytest.mark.slow
def test_intervals_after_stopping_cover_as_often_as_they_say():
    """`until` on one mean, 2,000 runs of disjoint games: at least 94 %."""
    exact = ys.evaluate("most-points").mean
    size, runs = 16_000, 2000
    totals = ys.simulate("most-points", size * runs, seed=5, workers=2).games["total"].to_numpy()
    totals = totals.reshape(runs, size).astype(float)
    want = 3.1  # reached after 1,000, 2,000 or 4,000 games
    covered, looks = 0, set()
    for run in totals:
        n = 1000
        while True:
            part = run[:n]
            half = stats.t.ppf(0.975, n - 1) * part.std(ddof=1) / math.sqrt(n)
            if half <= want or n == size:
                break
            n *= 2
        looks.add(n)
        covered += abs(part.mean() - exact) <= half
    print(f"coverage after stopping: {covered / runs:.4f}; looks {sorted(looks)}")
    assert len(looks) > 1
    assert covered / runs >= 0.94


@pytest.mark.slow
def test_equal_players_are_not_told_apart():
    """500 comparisons of six copies, dice of their own: at most 41 with a false verdict."""
    false = 0
    for seed in range(500):
        c = ys.compare(["most-points"] * 6, 400, seed=seed, paired=False, store="summary")
        false += c.pairs()["verdict"].isin(["better", "worse"]).any()
    print(f"{false} of 500 with a false verdict")
    assert false <= 41
