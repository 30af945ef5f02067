"""What a result says of its games, against the same figures worked out from the frame."""

from __future__ import annotations

import re
import warnings
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import yahtzee_sim as ys
from yahtzee_sim import statistics
from yahtzee_sim.engine import Record, Seat, play
from yahtzee_sim.results import Table

METRICS = [
    "mean",
    "sd",
    "median",
    "q05",
    "q25",
    "q75",
    "q95",
    "min",
    "max",
    "p_upper_bonus",
    "p_yahtzee",
    "yahtzee_bonuses",
    "yahtzees_paid",
    "yahtzees_rolled",
    "p_200",
    "p_250",
    "p_300",
    "p_400",
]
QUANTILES = {"median": 0.5, "q05": 0.05, "q25": 0.25, "q75": 0.75, "q95": 0.95}
HOUSE = ys.Rules(
    name="house", upper_bonus=50, upper_bonus_threshold=40, yahtzee_bonus=7, joker="any"
)
PLAYED = {
    "chased": ("yahtzee-chaser", "official", 12_000),
    "upper": ("upper-first", "kniffel", 5_000),
    "house": ("yahtzee-chaser", HOUSE, 5_000),
    "few": ("most-points", "free-choice", 7),
}
SEED = 99


@pytest.fixture(scope="module")
def results():
    return {
        name: ys.simulate(strategy, n, rules=rules, seed=SEED)
        for name, (strategy, rules, n) in PLAYED.items()
    }


@pytest.fixture(scope="module", params=list(PLAYED))
def result(request, results):
    return results[request.param]


@pytest.fixture(scope="module")
def chased(results):
    return results["chased"]


@pytest.fixture(scope="module")
def chased_turns():
    """The same games as `chased`, with every turn on record."""
    strategy, rules, n = PLAYED["chased"]
    seat, record = Seat(ys.strategy(strategy), ys.rules(rules), SEED, width=n), Record.empty(n)
    play([seat], 0, n, [record])
    return record


def refused(call, *arguments, **options) -> str:
    with pytest.raises(ys.YahtzeeError) as caught:
        call(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- definitions, in numpy and scipy ----------------------------------------------------------


def t_interval(values, level):
    se = scipy.stats.sem(values)
    low, high = scipy.stats.t.interval(level, len(values) - 1, np.mean(values), se)
    return [np.mean(values), se, low, high]


def sd_interval(values, level):
    values = np.asarray(values, float)
    s = values.std(ddof=1)
    m4 = ((values - values.mean()) ** 4).mean()
    with np.errstate(invalid="ignore"):  # m4 may be below s^4 in very few games: no formula then
        se = np.sqrt((m4 - s**4) / len(values)) / (2 * s)
    z = scipy.stats.norm.ppf((1 + level) / 2)
    return [s, se, max(s - z * se, 0), s + z * se]


def wilson(flags, level):
    k, n = int(np.sum(flags)), len(flags)
    interval = scipy.stats.binomtest(k, n).proportion_ci(level, method="wilson")
    return [k / n, np.sqrt(k / n * (1 - k / n) / n), interval.low, interval.high]


def quantile_interval(values, q, level, lowest, highest):
    ordered, n = np.sort(values), len(values)
    value = next(t for t in ordered if (ordered <= t).sum() / n >= q)
    low, high = (int(scipy.stats.binom.ppf(p, n, q)) for p in ((1 - level) / 2, (1 + level) / 2))
    x = [lowest, *ordered, highest]  # X(0) to X(n + 1)
    return [value, np.nan, x[low], x[high + 1]]


def expected_summary(frame, rules, level=0.95):
    """All metrics but yahtzees_rolled, which a frame of points does not tell."""
    total = frame["total"].to_numpy().astype(int)
    bonus = rules.yahtzee_bonus
    hundreds = frame["yahtzee_bonus"].to_numpy() // bonus if bonus else np.zeros(len(frame))
    fifty = (frame["yahtzee"] == 50).to_numpy()
    upper = frame.iloc[:, :6].sum(axis=1) >= rules.upper_bonus_threshold
    rows = {
        "mean": t_interval(total, level),
        "sd": sd_interval(total, level),
        "min": [total.min(), np.nan, np.nan, np.nan],
        "max": [total.max(), np.nan, np.nan, np.nan],
        "p_upper_bonus": wilson(upper, level),
        "p_yahtzee": wilson(fifty, level),
        **{f"p_{t}": wilson(total >= t, level) for t in (200, 250, 300, 400)},
    }
    for name, counts in (("yahtzee_bonuses", hundreds), ("yahtzees_paid", hundreds + fifty)):
        constant = np.ptp(counts) == 0
        rows[name] = [counts[0], 0, *counts[[0, 0]]] if constant else t_interval(counts, level)
    for name, q in QUANTILES.items():
        rows[name] = quantile_interval(total, q, level, 5, rules.maximum)
    return rows


# --- the summary ------------------------------------------------------------------------------


def test_a_summary_has_its_metrics_in_their_order_and_spelling(result):
    summary = result.summary()
    assert list(summary.index) == METRICS
    assert summary.index.name == "metric"
    assert list(summary.columns) == ["value", "se", "low", "high", "n"]
    assert (summary["n"] == result.n).all()


@pytest.mark.parametrize("level", [0.95, 0.5, 0.999])
def test_every_figure_is_what_numpy_and_scipy_make_of_the_frame(result, level):
    summary = result.summary(level=level)
    for metric, expected in expected_summary(result.games, result.rules, level).items():
        found = summary.loc[metric, ["value", "se", "low", "high"]].to_numpy(float)
        if metric == "sd" and result.n < 10:
            found, expected = found[:1], expected[:1]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12, err_msg=metric)


def test_yahtzees_rolled_are_the_turns_that_end_on_five_of_a_kind(chased, chased_turns):
    is_five = np.array([len(set(dice)) == 1 for dice in combinations_with_replacement(range(6), 5)])
    rolled = is_five[chased_turns.rolls[2]].sum(axis=0)
    found = chased.summary().loc["yahtzees_rolled", ["value", "se", "low", "high"]]
    np.testing.assert_allclose(found.to_numpy(float), t_interval(rolled, 0.95), rtol=1e-9)
    assert found["value"] > chased.summary().loc["yahtzees_paid", "value"] - 1e-12


def test_yahtzees_paid_are_the_fifties_and_the_bonuses(result):
    value = result.summary()["value"]
    assert value["yahtzees_paid"] == pytest.approx(value["p_yahtzee"] + value["yahtzee_bonuses"])


def test_min_and_max_have_neither_error_nor_interval(result):
    assert result.summary().loc[["min", "max"], ["se", "low", "high"]].isna().all(axis=None)


def test_quantiles_have_an_interval_and_no_standard_error(result):
    rows = result.summary().loc[list(QUANTILES)]
    assert rows["se"].isna().all()
    assert (rows["low"] <= rows["value"]).all()
    assert (rows["value"] <= rows["high"]).all()


def test_the_error_of_the_sd_is_that_of_heavy_tails(chased):
    # over and over in runs of 300 games, the sd scatters as its error says
    total = ys.simulate("yahtzee-chaser", 60_000, seed=5).games["total"].to_numpy(float)
    runs = total.reshape(200, 300)
    scatter = runs.std(axis=1, ddof=1).std(ddof=1)
    said = chased.summary().loc["sd", "se"] * np.sqrt(chased.n / 300)
    assert scatter == pytest.approx(said, rel=0.2)
    normal = chased.summary().loc["sd", "value"] / np.sqrt(2 * 300)
    assert abs(scatter - normal) > 0.3 * scatter, "s / sqrt(2n) would be far off"


def test_more_totals_and_quantiles_on_request(chased):
    summary = chased.summary(at_least=[275, 5, 1575, 2000, -3], quantiles=[0.1, 0.333, 0.995])
    assert list(summary.index) == [
        *METRICS,
        *("q10", "q33.3", "q99.5"),
        *("p_275", "p_5", "p_1575", "p_2000", "p_-3"),
    ]
    total = chased.games["total"].to_numpy().astype(int)
    for t in (275, 5, 1575, 2000, -3):
        np.testing.assert_allclose(
            summary.loc[f"p_{t}", ["value", "se", "low", "high"]].to_numpy(float),
            wilson(total >= t, 0.95),
            atol=1e-12,
        )
    for name, q in (("q10", 0.1), ("q33.3", 0.333), ("q99.5", 0.995)):
        np.testing.assert_array_equal(
            summary.loc[name, ["value", "se", "low", "high"]].to_numpy(float),
            quantile_interval(total, q, 0.95, 5, 1575),
        )


def test_two_different_quantiles_have_two_rows(chased):
    summary = chased.summary(quantiles=[0.00001, 0.99999, 0.12341, 0.12342])
    assert len(summary) == len(METRICS) + 4


@pytest.mark.parametrize("level", [0, 1, -0.5, 1.5, 95, "0.95", True, None, float("nan"), [0.9]])
def test_a_level_lies_between_0_and_1(chased, level):
    for call in (chased.summary, chased.categories):
        assert "level" in refused(call, level=level)


@pytest.mark.parametrize("level", [2, 0, "0.95", None, float("nan")])
def test_a_level_lies_between_0_and_1_for_a_frame_of_games_too(chased, level):
    assert "level" in refused(ys.summary, chased.games, level=level)


@pytest.mark.parametrize("q", [0, 1, -0.1, 2, 50, "x", True, None, float("nan"), [0.5]])
def test_a_quantile_lies_between_0_and_1(chased, q):
    assert "quantile" in refused(chased.summary, quantiles=[q])


@pytest.mark.parametrize("total", [1.5, "300", True, None, float("nan"), [300]])
def test_at_least_takes_whole_totals(chased, total):
    assert "at_least" in refused(chased.summary, at_least=[total])


@pytest.mark.parametrize(
    "options", [{"at_least": 275}, {"quantiles": 0.1}], ids=["at_least", "quantiles"]
)
def test_a_single_number_for_a_list_is_taken_or_refused_in_one_line(chased, options):
    name, value = next(iter(options.items()))
    try:
        found = chased.summary(**options)
    except ys.YahtzeeError as error:
        text = str(error)
    else:
        text = name
        pd.testing.assert_frame_equal(found, chased.summary(**{name: [value]}))
    assert name in text
    assert "\n" not in text


# --- the summary of a frame -------------------------------------------------------------------


def test_the_summary_of_the_whole_frame_is_that_of_the_result(result):
    found, own = ys.summary(result.games, at_least=[123]), result.summary(at_least=[123])
    known = [metric for metric in own.index if metric != "yahtzees_rolled"]
    pd.testing.assert_frame_equal(
        found.loc[known], own.loc[known], check_exact=True, check_dtype=False
    )
    assert list(found.index) == list(own.index)
    assert found.loc["yahtzees_rolled"].isna().all(), "a frame does not say"


def test_a_subset_keeps_its_rules_and_is_summarised_by_them(results):
    for name in ("chased", "house", "upper"):
        result = results[name]
        games = result.games
        subset = games[games["total"] >= games["total"].median()]
        assert subset.attrs["rules"] == result.rules.to_dict()
        expected = expected_summary(subset, result.rules)
        found = ys.summary(subset)
        for metric, row in expected.items():
            np.testing.assert_allclose(
                found.loc[metric, ["value", "se", "low", "high"]].to_numpy(float),
                row,
                rtol=1e-9,
                atol=1e-12,
                err_msg=metric,
            )


def test_rules_survive_what_people_do_to_a_frame(chased):
    games = chased.games
    for subset in (
        games.head(100),
        games.query("yahtzee == 50"),
        games.loc[10:50],
        games.iloc[::7],
        games.sample(50, random_state=1),
        games.sort_values("total"),
        games.reset_index(drop=True),
        games.drop_duplicates(),
        games.copy(),
    ):
        assert ys.summary(subset).loc["mean", "value"] == pytest.approx(subset["total"].mean())


def test_further_columns_and_other_orders_do_not_disturb(chased):
    games = chased.games.head(500)
    more = games[games.columns[::-1]].assign(player="me", lower=games["chance"])
    pd.testing.assert_frame_equal(ys.summary(more), ys.summary(games))
    wide = games.astype("int64")
    pd.testing.assert_frame_equal(ys.summary(wide), ys.summary(games))
    pd.testing.assert_frame_equal(ys.summary(games.astype(float)), ys.summary(games))


def test_a_frame_without_rules_needs_them(chased):
    bare = pd.DataFrame(chased.games.to_numpy(), columns=chased.games.columns)
    assert "rules" in refused(ys.summary, bare)
    pd.testing.assert_frame_equal(ys.summary(bare, rules="official"), ys.summary(chased.games))


def spoilt(games, column, value):
    frame = games.head(20).astype(object if isinstance(value, str) else float)
    frame.loc[3, column] = value
    return frame


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("total", np.nan),
        ("ones", np.nan),
        ("total", 4),
        ("total", 1576),
        ("total", 100.5),
        ("total", "many"),
        ("yahtzee_bonus", -100),
        ("yahtzee_bonus", 5_000),
        ("ones", -200),
        ("sixes", 9_000),
    ],
)
def test_a_frame_of_games_that_cannot_be_is_refused(chased, column, value):
    refused(ys.summary, spoilt(chased.games, column, value))


def test_a_frame_with_missing_columns_or_no_games_is_refused(chased):
    assert "upper_bonus" in refused(ys.summary, chased.games.drop(columns="upper_bonus"))
    assert "no games" in refused(ys.summary, chased.games.head(0))


@pytest.mark.parametrize("what", ["result", "series", "array", "text", "none"])
def test_what_is_no_frame_is_refused(chased, what):
    games = chased.games
    other = {"result": chased, "series": games["total"], "array": games.to_numpy()}
    refused(ys.summary, other.get(what, "games.parquet" if what == "text" else None))


# --- categories and rounds --------------------------------------------------------------------


def test_categories_say_of_each_box_what_the_frame_says(result):
    categories = result.categories()
    assert list(categories.index) == list(result.games.columns[:13])
    assert categories.index.name == "category"
    names = [n + e for n in ("mean", "sd", "zero_rate") for e in ("", "_se", "_low", "_high")]
    for box, points in result.games.iloc[:, :13].items():
        row = categories.loc[box]
        assert row["n"] == result.n
        if np.ptp(points) == 0:
            assert row["mean"] == points.iloc[0]
            assert row["sd"] == 0
            continue
        expected = t_interval(points, 0.95) + sd_interval(points, 0.95) + wilson(points == 0, 0.95)
        found = row[names].to_numpy(float)
        if result.n < 10:
            found, expected = np.delete(found, [5, 6, 7]), np.delete(expected, [5, 6, 7])
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12, err_msg=box)


def test_the_round_of_a_box_is_that_of_the_turns_on_record(chased, chased_turns):
    categories, rounds = chased.categories(), chased.rounds()
    names = ["mean_round" + e for e in ("", "_se", "_low", "_high")]
    for i, box in enumerate(chased.games.columns[:13]):
        filled_in = (chased_turns.boxes == i).argmax(axis=0) + 1
        np.testing.assert_allclose(
            categories.loc[box, names].to_numpy(float), t_interval(filled_in, 0.95), rtol=1e-9
        )
        shares = np.bincount(filled_in, minlength=14)[1:] / chased.n
        np.testing.assert_allclose(rounds.loc[box].to_numpy(float), shares, rtol=1e-12)


def test_every_game_fills_every_box_once_and_one_box_a_round(result):
    rounds = result.rounds()
    assert rounds.shape == (13, 13)
    assert list(rounds.columns) == list(range(1, 14))
    np.testing.assert_allclose(rounds.sum(axis=0), 1)
    np.testing.assert_allclose(rounds.sum(axis=1), 1)


def test_the_means_of_the_boxes_and_bonuses_add_up_to_the_mean(result):
    summary, games = result.summary(), result.games
    boxes = result.categories()["mean"].sum()
    bonuses = games["upper_bonus"].mean() + games["yahtzee_bonus"].mean()
    assert boxes + bonuses == pytest.approx(summary.loc["mean", "value"])
    assert result.categories()["mean_round"].sum() == pytest.approx(91)
    upper_bonus = summary.loc["p_upper_bonus", "value"] * result.rules.upper_bonus
    assert upper_bonus == pytest.approx(games["upper_bonus"].mean())


# --- the distribution -------------------------------------------------------------------------


def test_a_distribution_has_every_total_from_5_to_the_highest_and_sums_to_1(result):
    shares = result.distribution()
    assert list(shares.index) == list(range(5, result.rules.maximum + 1))
    assert shares.index.name == "total"
    assert shares.name == "probability"
    assert shares.sum() == pytest.approx(1)
    counts = result.games["total"].value_counts().reindex(shares.index, fill_value=0)
    np.testing.assert_allclose(shares.to_numpy(), counts.to_numpy() / result.n, rtol=1e-12)
    assert (shares == 0).any()


@pytest.mark.parametrize(
    ("rules", "highest"),
    [
        ("official", 1575),
        ("yardzee", 1575),
        ("free-choice", 1575),
        ("verhoeff", 1575),
        ("no-joker", 1480),
        ("plain", 375),
        ("kniffel", 375),
    ],
)
def test_the_highest_total_is_that_of_the_rule_set(rules, highest):
    assert ys.simulate("roll-once", 5, rules=rules, seed=1).distribution().index[-1] == highest


# --- one game, two games ----------------------------------------------------------------------


def test_one_game_has_no_errors_and_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = ys.simulate("greedy", 1, seed=3)
        summary, categories = result.summary(), result.categories()
        assert repr(result)
        assert result._repr_html_()
        assert result.distribution().sum() == 1
        assert result.rounds().sum(axis=None) == 13
        assert ys.summary(result.games).loc["mean", "value"] == result.games["total"].iloc[0]
    total = result.games["total"].iloc[0]
    assert (summary.loc[["mean", "median", "q05", "q95", "min", "max"], "value"] == total).all()
    assert summary.loc["mean", ["se", "low", "high"]].isna().all()
    assert summary.loc["sd", ["value", "se", "low", "high"]].isna().all()
    assert categories["sd"].isna().all()
    assert (categories["mean"] == result.games.iloc[0, :13]).all()
    assert summary.loc["median", "low"] == 5
    assert summary.loc["median", "high"] == 1575


def test_the_sd_of_two_different_games_is_not_known_exactly():
    result = ys.simulate("roll-once", 2, seed=1)
    assert result.games["total"].nunique() == 2
    row = result.summary().loc["sd"]
    assert row["value"] == pytest.approx(result.games["total"].std())
    assert not row["high"] - row["low"] <= 0, "an interval of no width claims certainty"


def test_a_run_of_equal_games_has_an_error_of_zero():
    result = ys.simulate("roll-once", 1, seed=3)
    twice = pd.concat([result.games] * 5)
    row = ys.summary(twice).loc["mean"]
    assert row["se"] == 0
    assert row["low"] == row["high"] == row["value"]


# --- captions and how results are shown -------------------------------------------------------


def tables_of(result):
    return {
        "summary": result.summary(),
        "categories": result.categories(),
        "rounds": result.rounds(),
        "distribution": result.distribution(),
    }


@pytest.mark.parametrize("name", ["summary", "categories", "rounds", "distribution"])
def test_every_table_says_what_its_numbers_rest_on(chased, name):
    caption = tables_of(chased)[name].attrs["caption"]
    for part in ("12,000 games", "seed 99", "official", ys.__version__, "yahtzee-chaser"):
        assert part in caption
    assert "\n" not in caption


def test_the_summary_of_a_frame_says_what_its_numbers_rest_on(chased):
    caption = ys.summary(chased.games.head(1_000)).attrs["caption"]
    for part in ("1,000 games", "official", ys.__version__):
        assert part in caption


def test_a_ranking_and_a_replay_say_what_they_rest_on():
    ranking = ys.compare(["roll-once"], 50, seed=4).ranking()
    for part in ("50 games", "seed 4", "official", ys.__version__):
        assert part in ranking.attrs["caption"]
    caption = ys.replay("roll-once", 17, 4).frame.attrs["caption"]
    for part in ("game 17", "seed 4", "official", ys.__version__):
        assert part in caption


def test_parts_of_a_table_keep_its_caption(chased):
    summary = chased.summary()
    for part in (
        summary.head(3),
        summary.round(2),
        summary[["value", "se"]],
        summary.loc[["mean", "sd"]],
        summary[summary["se"] > 0],
        summary.T,
        summary.rename(index={"mean": "average"}),
    ):
        assert part.attrs["caption"] == chased.caption
        assert isinstance(part, Table)


def test_latex_keeps_the_caption(chased):
    house = ys.simulate(
        "roll-once", 40, rules=ys.Rules(name="50%_of & #1 $x", upper_bonus=50), seed=1
    )
    for table in (house.summary(), house.categories(), house.summary().head(2)):
        text = table.to_latex()
        assert r"\caption{" in text
        assert r"50\%\_of \& \#1 \$x" in text
    assert r"\caption{mine}" in chased.summary().to_latex(caption="mine")
    assert "seed 99" not in chased.summary().to_latex(caption="mine")


def test_no_letter_of_a_caption_means_something_else_to_latex():
    rules = ys.Rules(name="A^2 ~ {x} \\b", upper_bonus=50)
    text = ys.simulate("roll-once", 40, rules=rules, seed=1).summary().head(1).to_latex()
    caption = re.search(r"\\caption\{(.*)\}", text)[1]
    for letter in ("^", "~"):
        assert not re.search(rf"(?<!\\){re.escape(letter)}", caption), letter
    assert r"\b" not in caption, "that is a command"
    assert r"\{x\}" in caption


def test_the_names_in_a_latex_table_are_text(chased):
    for table in (chased.summary(), chased.categories()):
        body = re.sub(r"\\caption\{.*\}", "", table.to_latex())
        assert not re.search(r"(?<!\\)_", body), "an underscore ends the compilation"


def test_a_result_shows_its_caption_and_every_metric(result):
    lines = repr(result).splitlines()
    assert lines[0] == result.caption
    shown = {line.split()[0] for line in lines[1:] if line.split()}
    assert set(METRICS) <= shown
    page = result._repr_html_()
    assert all(f"<th>{metric}</th>" in page for metric in METRICS)
    assert "nan" not in repr(result).lower()
    assert "nan" not in page.lower()


def test_labels_are_no_markup_on_a_page():
    compared = ys.compare({"<b>bold</b> & co": "roll-once"}, 20, seed=1)
    pages = [compared._repr_html_(), *(r._repr_html_() for r in compared.results.values())]
    for page in pages:
        assert "<b>" not in page
        assert "&lt;b&gt;bold&lt;/b&gt; &amp; co" in page


def test_a_comparison_shows_its_caption_and_every_strategy():
    compared = ys.compare(["roll-once", "random"], 20, seed=1)
    for shown in (repr(compared), compared._repr_html_()):
        assert compared.caption in shown
        assert "roll-once" in shown
        assert "random" in shown


# --- the statistics, on any sample ------------------------------------------------------------


samples = st.lists(st.integers(0, 40), min_size=2, max_size=60)
levels = st.sampled_from([0.5, 0.8, 0.95, 0.99])


def histogram(values, size=41):
    return np.bincount(values, minlength=size)


@given(samples, levels)
def test_the_mean_of_any_sample_has_its_t_interval(values, level):
    found = statistics.mean(histogram(values), level)
    if len(set(values)) == 1:
        assert found == (values[0], 0, values[0], values[0], len(values))
    else:
        np.testing.assert_allclose(found[:4], t_interval(values, level), rtol=1e-9, atol=1e-12)
    assert found.n == len(values)


@given(samples)
def test_the_sd_of_any_sample_is_that_of_numpy(values):
    found = statistics.standard_deviation(histogram(values))
    assert found.value == pytest.approx(np.std(values, ddof=1), abs=1e-12)
    assert not found.se < 0
    assert not found.low > found.value
    assert not found.high < found.value


@given(st.integers(1, 2_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), levels)
def test_any_proportion_has_its_wilson_interval(counts, level):
    k, n = counts
    found = statistics.proportion(k, n, level)
    interval = scipy.stats.binomtest(k, n).proportion_ci(level, method="wilson")
    np.testing.assert_allclose(found[2:4], [interval.low, interval.high], rtol=1e-9, atol=1e-12)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.value == k / n


@given(samples, st.integers(1, 999), levels)
def test_a_quantile_of_any_sample_is_the_smallest_value_with_that_share(values, thousandth, level):
    q = thousandth / 1000
    found = statistics.quantile(histogram(values), q, 0, 40, level)
    expected = quantile_interval(values, q, level, 0, 40)
    np.testing.assert_array_equal(found[:4], expected)
    assert found.n == len(values)


@pytest.mark.parametrize("n", [10, 100, 1_000, 10**6, 10**9])
@pytest.mark.parametrize("tenth", range(1, 10))
def test_a_quantile_that_falls_on_a_game_is_that_game(n, tenth):
    # of n games in ten equal steps, tenths / 10 have at most this value, exactly
    counts = np.full(10, n // 10, dtype=np.int64)
    assert statistics.quantile(counts, tenth / 10, 0, 9).value == tenth - 1


def test_no_games_give_no_figures_and_no_warnings():
    empty = np.zeros(10, np.int64)
    for found in (
        statistics.mean(empty),
        statistics.standard_deviation(empty),
        statistics.quantile(empty, 0.5, 0, 9),
        statistics.proportion(0, 0),
    ):
        assert np.isnan(found[:4]).all()
        assert found.n == 0


def test_a_thousand_million_games_lose_no_digits():
    counts = np.zeros(1576, np.int64)
    counts[[250, 251]] = 5 * 10**8
    found = statistics.mean(counts)
    assert found.value == 250.5
    assert found.se == pytest.approx(0.5 / np.sqrt(10**9 - 1), rel=1e-9)
    assert statistics.standard_deviation(counts).value == pytest.approx(0.5, rel=1e-8)


def test_an_exact_figure_has_no_error():
    exact = statistics.Estimate.exact(254.5877)
    assert exact[:4] == (254.5877, 0.0, 254.5877, 254.5877)
    assert np.isnan(exact.n)


@given(st.integers(2, 30), st.integers(0, 2**32 - 1))
def test_intervals_grow_with_their_level(n, seed):
    counts = histogram(np.random.default_rng(seed).integers(0, 41, n))
    for estimate in (
        lambda level: statistics.mean(counts, level),
        lambda level: statistics.quantile(counts, 0.5, 0, 40, level),
        lambda level: statistics.proportion(n // 2, n, level),
    ):
        narrow, wide = estimate(0.5), estimate(0.99)
        assert wide.low <= narrow.low
        assert narrow.high <= wide.high
