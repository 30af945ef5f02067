"""Charts: what is drawn, not pixels."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")
from matplotlib import pyplot as plt

import yahtzee_sim as ys
from yahtzee_sim.chart_look import FORMATS, STYLE, look, short
from yahtzee_sim.known import figures

NAMES = ["roll-once", "most-points", "upper-first"]


@pytest.fixture(scope="module")
def compared():
    return ys.compare(NAMES, 1500, seed=3)


@pytest.fixture(scope="module")
def played(compared):
    return compared.results["most-points"]


@pytest.fixture(scope="module")
def exact():
    return ys.evaluate("most-points")


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()] if ax.get_legend() else []


def texts(ax):
    return [text.get_text() for text in ax.texts]


# --- every chart -------------------------------------------------------------------------------


def every_chart(compared, played, exact):
    plots = ys.plots
    swept = ys.sweep("epsilon,base=most-points", {"rate": [0.0, 0.5]}, games=200)
    lucky = ys.simulate("most-points", 200, seed=1, luck=True)
    robin = ys.round_robin(["random", "epsilon,base=roll-once"], 10, seed=1)
    lost = ys.losses("most-points", games=200, seed=1)
    return {
        "distribution": lambda **k: plots.distribution([played, exact], **k),
        "cumulative": lambda **k: plots.cumulative(compared, score=150, **k),
        "split": lambda **k: plots.split(played, **k),
        "running_mean": lambda **k: plots.running_mean(compared, exact=exact, **k),
        "luck_and_cost": lambda **k: plots.luck_and_cost(lucky, **k),
        "upper": lambda **k: plots.upper(compared, **k),
        "yahtzees": lambda **k: plots.yahtzees([played, exact], **k),
        "categories": lambda **k: plots.categories(compared, **k),
        "rounds": lambda **k: plots.rounds(played, **k),
        "correlation": lambda **k: plots.correlation(played, **k),
        "losses": lambda **k: plots.losses(lost, **k),
        "openings": lambda **k: plots.openings(ys.openings(), **k),
        "ranking": lambda **k: plots.ranking(compared, **k),
        "forest": lambda **k: plots.forest(compared, **k),
        "head_to_head": lambda **k: plots.head_to_head(robin, **k),
        "frequencies": lambda **k: plots.frequencies(compared, **k),
        "sweep": lambda **k: plots.sweep(swept, **k),
    }


def test_every_chart_draws_on_the_axes_it_is_given_and_says_what_they_are(compared, played, exact):
    charts = every_chart(compared, played, exact)
    drawable = set(ys.plots.__all__) - {"save", "style"}
    assert set(charts) == drawable
    before = dict(mpl.rcParams)
    for name, draw in charts.items():
        _, given = plt.subplots(figsize=(5, 5))
        ax = draw(ax=given)
        assert ax is given, name
        assert ax.figure.get_size_inches().tolist() == [5, 5], name
        new = draw()
        assert new is not given, name
        assert new.get_xlabel() or name in ("correlation", "head_to_head"), name
        new.figure.canvas.draw()
        plt.close("all")
    assert dict(mpl.rcParams) == before, "the style is applied in context only"


# --- what is drawn -----------------------------------------------------------------------------


def test_a_distribution_has_bars_for_games_and_a_line_for_exact_chances(played, exact):
    ax = ys.plots.distribution([played, exact], width=5)
    heights = np.array([bar.get_height() for bar in ax.patches])
    assert heights.sum() * 5 == pytest.approx(1)
    (line,) = ax.lines
    assert line.get_ydata().sum() * 5 == pytest.approx(1)
    assert labels(ax) == ["most-points (exact)", "most-points (1,500 games)"]
    assert ax.get_xlabel() == "total (points)"
    at = [bar.get_x() for bar in ax.patches].index(149.5)
    expected = played.games["total"].between(150, 154).mean() / 5
    assert heights[at] == pytest.approx(expected)


def test_several_distributions_are_lines_with_bands(compared):
    ax = ys.plots.distribution(compared)
    assert len(ax.lines) == 3
    assert len(ax.collections) == 3
    assert not ax.patches
    assert {line.get_color() for line in ax.lines} == {look(name).colour for name in NAMES}


def test_ones_own_score_is_marked_with_what_it_beats(played):
    ax = ys.plots.cumulative(played, score=150)
    totals = played.games["total"]
    beats = (totals < 150).mean() + (totals == 150).mean() / 2
    assert f"your 150\nbeats {beats:.1%} of most-points" in texts(ax)


def test_the_parts_of_a_split_distribution_are_all_games(played):
    ax = ys.plots.split(played)
    assert len(ax.containers) == 6
    shares = [float(text.split("(")[1].rstrip("%)")) for text in labels(ax)]
    assert sum(shares) == pytest.approx(100, abs=0.4)


def test_a_running_mean_ends_at_the_mean(played, exact):
    ax = ys.plots.running_mean(played, exact=exact)
    assert ax.lines[0].get_ydata()[-1] == pytest.approx(played.games["total"].mean())
    assert ax.lines[0].get_xdata()[-1] == 1500
    assert ax.lines[1].get_ydata()[0] == exact.mean
    assert ax.get_xscale() == "log"


def test_the_ranking_shows_means_intervals_and_exact_values(compared):
    ax = ys.plots.ranking(compared)
    frame = compared.ranking()
    assert [t.get_text() for t in ax.get_yticklabels()] == list(frame.index)
    assert texts(ax) == [f"{mean:.1f}" for mean in frame["mean"]]
    (bars,) = [line for line in ax.lines if line.get_label() == "exact"]
    assert bars.get_xdata().tolist() == frame["exact"].tolist()


def test_the_forest_shows_every_pair_with_both_intervals_and_its_verdict(compared):
    ax = ys.plots.forest(compared)
    frame = compared.pairs()
    assert len(texts(ax)) == 3
    for text, (_, row) in zip(texts(ax), frame.iterrows(), strict=True):
        assert text == f"{row['difference']:+.2f}  {row['verdict']}"
    spans = [c.get_segments()[0][:, 0].tolist() for c in ax.collections]
    expected = []
    for _, row in frame.iterrows():
        expected += [[row["low_all"], row["high_all"]], [row["low"], row["high"]]]
    assert spans == expected
    rates = ys.plots.forest(compared, metric="p_upper_bonus")
    assert "%" in texts(rates)[0]


def test_head_to_head_is_who_wins_the_games(compared):
    ax = ys.plots.head_to_head(compared)
    (image,) = ax.images
    table = image.get_array()
    totals = {name: r.games["total"].to_numpy() for name, r in compared.results.items()}
    for i, a in enumerate(NAMES):
        for j, b in enumerate(NAMES):
            if i != j:
                share = (totals[a] > totals[b]).mean() + (totals[a] == totals[b]).mean() / 2
                assert table[i, j] == pytest.approx(share)
    assert table.mask.trace() == 3


def test_boxes_rounds_and_correlations_are_those_of_the_games(played):
    ax = ys.plots.categories(played)
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(
        played.games.iloc[:, :13].mean().tolist()
    )
    table = ys.plots.rounds(played).images[0].get_array()
    np.testing.assert_allclose(table.filled().sum(axis=1), 1)
    table = ys.plots.correlation(played).images[0].get_array()
    expected = played.games.iloc[:, :15].corr().to_numpy().copy()
    np.fill_diagonal(expected, np.nan)
    np.testing.assert_allclose(table.filled(9), np.ma.masked_invalid(expected).filled(9))


def test_upper_totals_and_yahtzees_are_shares_of_games(played):
    ax = ys.plots.upper(played)
    assert sum(bar.get_height() for bar in ax.patches) == pytest.approx(1)
    assert f"bonus in {(played.games['upper_bonus'] > 0).mean():.1%}" in ax.get_title(loc="left")
    ax = ys.plots.yahtzees(played)
    paid = (played.games["yahtzee"] == 50) + played.games["yahtzee_bonus"] // 100
    assert [bar.get_height() for bar in ax.patches][:4] == pytest.approx(
        [(paid == k).mean() for k in range(4)]
    )


def test_losses_are_stacked_to_the_cost_of_each_round():
    lost = ys.losses("most-points", games=300, seed=1)
    ax = ys.plots.losses(lost)
    tops = np.sum([[bar.get_height() for bar in c.patches] for c in ax.containers[:3]], axis=0)
    assert tops == pytest.approx(lost.rounds()["all"].to_numpy())


# --- looks -------------------------------------------------------------------------------------


def test_every_strategy_has_one_look_that_no_other_has():
    found = [look(name) for name in figures()]
    assert found == [look(name) for name in figures()]
    assert len(set(found)) == len(found)
    assert look("somebody new") == look("somebody new")


def test_more_than_six_are_named_beside_the_chart():
    many = ys.compare(
        {f"a strategy with a long name, number {i}": "roll-once" for i in range(8)}, 30
    )
    ax = ys.plots.distribution(many)
    assert len(labels(ax)) == 8
    ax.figure.canvas.draw()
    box = ax.get_legend().get_window_extent()
    assert box.x0 >= ax.get_window_extent().x1 - 1
    assert max(map(len, labels(ax))) < 50


def test_long_labels_are_cut_where_they_end():
    assert short("greedy") == "greedy"
    assert short("epsilon,base=better-heuristic,rate=0.123456", 20) == "epsilon,base=better…"


@pytest.mark.parametrize("n", [1, 2])
def test_tiny_results_are_drawn(n):
    c = ys.compare(["roll-once", "random"], n, seed=1)
    one = c.results["roll-once"]
    plots = ys.plots
    for draw in (plots.distribution, plots.cumulative, plots.running_mean, plots.upper):
        draw(one).figure.canvas.draw()
    for draw in (plots.yahtzees, plots.categories, plots.rounds, plots.split, plots.correlation):
        draw(one).figure.canvas.draw()
    for draw in (plots.ranking, plots.forest, plots.head_to_head, plots.frequencies):
        draw(c).figure.canvas.draw()
    plots.luck_and_cost(ys.simulate("roll-once", n, seed=1, luck=True)).figure.canvas.draw()


def test_a_chart_is_written_as_pdf_svg_and_png(played, tmp_path):
    ax = ys.plots.distribution(played)
    written = ys.plots.save(ax, tmp_path / "charts" / "totals")
    assert [path.suffix for path in written] == [f".{ending}" for ending in FORMATS]
    assert all(path.stat().st_size > 1000 for path in written)
    svg = (tmp_path / "charts" / "totals.svg").read_text()
    assert "total (points)" in svg
    (again,) = ys.plots.save(ys.plots.distribution(played), tmp_path / "again.svg", "svg")
    (first,) = ys.plots.save(ys.plots.distribution(played), tmp_path / "first.svg", "svg")
    assert again.read_text() == first.read_text(), "the same chart is the same file"


# --- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("draw", "reason"),
    [
        (lambda c: ys.plots.distribution([]), "nothing to draw"),
        (lambda c: ys.plots.distribution("greedy"), "not str"),
        (lambda c: ys.plots.distribution(c, ax=3), "an Axes of matplotlib"),
        (lambda c: ys.plots.distribution(c, width=0), "width is a whole number"),
        (lambda c: ys.plots.cumulative(c, score="high"), "score is a whole number"),
        (lambda c: ys.plots.split(c), "one simulated result"),
        (lambda c: ys.plots.rounds(c), "shows one result, not 3"),
        (lambda c: ys.plots.ranking(c.results["roll-once"]), "what ys.compare gives"),
        (lambda c: ys.plots.forest(c, metric="median"), "unknown metric"),
        (lambda c: ys.plots.losses(c), "what ys.losses gives"),
        (lambda c: ys.plots.luck_and_cost(c.results["roll-once"]), "luck=True"),
        (lambda c: ys.plots.sweep(c.ranking()), "no column mean_low"),
        (lambda c: ys.plots.openings([1]), "shows a frame"),
        (lambda c: ys.plots.save(3, "x"), "an Axes or a Figure"),
        (lambda c: ys.plots.save(plt.figure(), "x", "gif"), "unknown format 'gif'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(compared, draw, reason):
    with pytest.raises(ys.YahtzeeError, match=reason):
        draw(compared)


def test_the_style_is_our_own_and_stays_inside():
    before = mpl.rcParams["axes.grid"]
    with ys.plots.style():
        assert mpl.rcParams["axes.grid"] == STYLE["axes.grid"]
    assert mpl.rcParams["axes.grid"] == before


def test_games_and_exact_chances_of_one_strategy_are_told_apart(played, exact):
    ax = ys.plots.yahtzees([played, exact])
    assert labels(ax) == ["most-points (1,500 games)", "most-points (exact)"]
    filled, hatched = (
        container.patches[0] for container in ax.containers if hasattr(container, "patches")
    )
    assert not filled.get_hatch()
    assert hatched.get_hatch()
    ax = ys.plots.cumulative([played, exact])
    assert labels(ax) == ["most-points (1,500 games)", "most-points (exact)"]
