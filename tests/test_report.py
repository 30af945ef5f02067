"""The page of a comparison: what is on it, and that a browser shows it."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser

import matplotlib as mpl
import pytest

mpl.use("Agg")

import yahtzee_sim as ys
from yahtzee_sim.report_page import html_of

NAMES = ["roll-once", "most-points", "random"]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def compared():
    return ys.compare(NAMES, 500, seed=3)


@pytest.fixture(scope="module")
def page(compared):
    return html_of(compared)


class Tags(HTMLParser):
    """The tags, the ids and the links of a page."""

    void = frozenset({"meta", "link", "br", "img", "input", "hr"})

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if "id" in values:
            self.ids.append(values["id"])
        self.links += [v for k, v in attrs if k in ("href", "src", "xlink:href")]
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.void:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_reaches_for_nothing(page):
    tags = Tags(page)
    assert not tags.open
    assert len(tags.ids) == len(set(tags.ids)), "two things with one name"
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in tags.links)
    targets = {link[1:] for link in tags.links if link.startswith("#")} | set(
        re.findall(r"url\(#([^)]+)\)", page)
    )
    assert targets <= set(tags.ids)
    assert "@import" not in page


def test_the_page_shows_every_figure_of_the_tables(page, compared):
    for label, row in compared.ranking().iterrows():
        assert f">{label}<" in page
        assert f">{row['mean']:.5g}<" in page
    for verdict in compared.pairs()["verdict"]:
        assert f">{verdict}<" in page
    assert page.count("<svg") == 7
    assert compared.caption in page
    assert "joker_needs_upper_filled" in page


def test_the_page_says_how_to_make_it_again(page, compared):
    (command,) = re.findall(r'<pre id="command">(.*?)</pre>', page)
    assert command == (
        "yahtzee-sim report roll-once most-points random --games 500 --seed 3 --rules official "
        "--out report.html"
    )
    (code,) = re.findall(r'<pre id="python">(.*?)</pre>', page, re.S)
    import html

    lines = html.unescape(code).splitlines()
    namespace: dict = {}
    exec("\n".join(lines[:-1]), namespace)
    assert namespace["c"].ranking().equals(compared.ranking())


def test_other_rules_labels_luck_and_streams_are_said_as_well():
    c = ys.compare(
        {"<b>": "roll-once", "x": "epsilon,base=roll-once"},
        50,
        rules="kniffel,upper_bonus=50",
        seed=1,
        luck=True,
        paired=False,
    )
    page = html_of(c)
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert "upper_bonus=50" in page
    assert "--luck" in page
    assert "--unpaired" in page


def test_one_strategy_has_no_pairs_and_many_no_forest():
    assert html_of(ys.compare(["roll-once"], 20, seed=1)).count("<svg") == 5
    many = ys.compare({f"player {i}": "roll-once" for i in range(9)}, 20, seed=1)
    assert html_of(many).count("<svg") == 6


def test_the_file_is_written_whole_or_not_at_all(compared, tmp_path):
    path = ys.report(compared, tmp_path / "new" / "page.html")
    assert (
        path.read_text(encoding="utf-8").startswith("\n") is False or path.stat().st_size > 10_000
    )
    with pytest.raises(ys.YahtzeeError, match="already there"):
        ys.report(compared, path)
    ys.report(compared, path, overwrite=True)
    assert [p.name for p in path.parent.iterdir()] == ["page.html"]
    for wrong, reason in (("page.txt", r"an \.html file"), (".html", r"an \.html file")):
        with pytest.raises(ys.YahtzeeError, match=reason):
            ys.report(compared, tmp_path / wrong)
    with pytest.raises(ys.YahtzeeError, match=r"what ys\.compare gives"):
        ys.report(compared.ranking(), tmp_path / "x.html")


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here; CI installs it")
def test_a_browser_shows_it_without_complaint_and_tables_sort(compared, tmp_path):
    from playwright.sync_api import sync_playwright

    path = ys.report(compared, tmp_path / "page.html")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=flags)
        for width in (1200, 390):
            tab = browser.new_page(viewport={"width": width, "height": 800})
            said, asked = [], []
            tab.on("console", lambda message, said=said: said.append(message.text))
            tab.on("pageerror", lambda error, said=said: said.append(str(error)))
            tab.on("request", lambda request, asked=asked: asked.append(request.url))
            tab.goto(path.as_uri())
            assert said == []
            assert asked == [path.as_uri()]
            assert tab.evaluate("document.documentElement.scrollWidth") <= width
            for chart in tab.query_selector_all("figure svg"):
                box = chart.bounding_box()
                assert box["width"] > 150
                assert box["height"] > 40
            rows = (
                "[...document.querySelectorAll('#ranking tbody tr')].map(r => r.cells[0].innerText)"
            )
            by_mean = compared.ranking().index.tolist()
            assert tab.evaluate(rows) == by_mean
            head = tab.locator("#ranking th:has-text('mean') button").first
            head.click()
            assert tab.evaluate(rows) == by_mean
            head.click()
            assert tab.evaluate(rows) == by_mean[::-1]
            tab.locator("#ranking th:has-text('strategy') button").click()
            assert tab.evaluate(rows) == sorted(by_mean, reverse=True)
        browser.close()


def test_the_command_writes_a_page(compared, tmp_path, monkeypatch, capsys):
    from yahtzee_sim import cli

    monkeypatch.chdir(tmp_path)
    compared.save(tmp_path / "run")
    monkeypatch.setattr("sys.argv", ["yahtzee-sim", "report", "--from", "run", "--out", "a.html"])
    cli.main()
    assert "written to a.html" in capsys.readouterr().out
    assert (tmp_path / "a.html").is_file()
    for args, reason in (
        (
            ["--from", "run", "--out", "a.html"],
            "already there; choose another file, or give --over",
        ),
        ([], "name strategies"),
        (["roll-once", "--from", "run"], "name strategies"),
        (["roll-once", "--out", "a.txt"], "an .html file"),
    ):
        monkeypatch.setattr("sys.argv", ["yahtzee-sim", "report", *args])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        assert stopped.value.code == 2
        assert reason in capsys.readouterr().err
