"""`report`: one HTML page for a comparison, for a write-up or to send to somebody.

The page holds everything: tables that sort, charts as SVG, the rules, the seed, the versions, and
how to make it again. It needs no network, fits a phone, and prints.
"""

from __future__ import annotations

import io
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, StrictUndefined
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

import yahtzee_sim
from yahtzee_sim import plots
from yahtzee_sim.chart_look import style
from yahtzee_sim.errors import YahtzeeError
from yahtzee_sim.verdicts import Comparison

MANY = 8
"""From so many strategies on, pairs are shown in the table and not in a chart."""


def report(
    comparison: Comparison, path: str | Path = "report.html", *, overwrite: bool = False
) -> Path:
    """Write a comparison as one HTML page.

    Parameters
    ----------
    comparison : Comparison
        From ``ys.compare``, or loaded.
    path : str or Path
        The file; its folder is made if need be.
    overwrite : bool
        Whether a file that is there may be replaced.

    Returns
    -------
    Path

    Raises
    ------
    YahtzeeError
        If it is no comparison, or the file is there already or cannot be written.
    """
    if not isinstance(comparison, Comparison):
        raise YahtzeeError(f"a report shows what ys.compare gives, not {type(comparison).__name__}")
    file = check_page(path, overwrite)
    page = html_of(comparison)
    aside = file.with_name(f".{file.name}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        aside.write_text(page, encoding="utf-8")
        aside.replace(file)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise YahtzeeError(f"cannot write {file}: {error.strerror or error}") from error
    return file


def check_page(path: str | Path, overwrite: bool) -> Path:
    """A file that a page can be written to, or one clear line."""
    file = Path(path).expanduser()
    if file.suffix not in (".html", ".htm"):
        raise YahtzeeError(f"a report is an .html file, not {str(path)!r}")
    if file.is_dir():
        raise YahtzeeError(f"{path} is a folder; give a file for the report")
    if file.exists() and not overwrite:
        raise YahtzeeError(f"{path} is already there; choose another file, or overwrite")
    return file


def html_of(comparison: Comparison) -> str:
    """The page, as text."""
    one = next(iter(comparison.results.values()))
    several = len(comparison.results) > 1
    tables = [_table("ranking", "Ranking", comparison.ranking(), _RANKING)]
    charts = [
        ("Mean totals", plots.ranking(comparison)),
        ("Distribution of totals", plots.distribution(comparison)),
        ("Cumulative", plots.cumulative(comparison)),
        ("Upper bonus and Yahtzees", plots.frequencies(comparison)),
    ]
    if several:
        pairs = comparison.pairs()
        note = _PAIRS + f" Margin: {comparison.margin:g} points."
        tables.append(_table("pairs", "Every two", pairs, note))
        if len(comparison.results) < MANY:
            charts.insert(1, ("Differences", plots.forest(comparison)))
        charts.append(("Head to head", plots.head_to_head(comparison)))
    charts.append(("Boxes", plots.categories(comparison)))
    boxes = pd.concat(
        {label: r.categories()[_BOX_COLUMNS] for label, r in comparison.results.items()},
        names=["strategy", "category"],
    )
    tables.append(
        _table("boxes", "Boxes", boxes, "Points, and the round in which a box is filled.")
    )
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    return environment.from_string(_PAGE).render(
        title="Yahtzee: "
        + ", ".join(list(comparison.results)[:6])
        + ("…" if len(comparison.results) > 6 else ""),
        caption=comparison.caption,
        tables=tables,
        charts=[(name, _svg(axes, i)) for i, (name, axes) in enumerate(charts)],
        rules=one.rules.to_dict(),
        made=one.made,
        python=_python(comparison),
        command=_command(comparison),
        version=yahtzee_sim.__version__,
    )


_BOX_COLUMNS = ["mean", "mean_se", "sd", "zero_rate", "mean_round"]
_RANKING = (
    "Mean total with its standard error (se) and interval; p_best, the probability of being the "
    "best of these; ranks, those that all comparisons leave open; exact means where known; sd, the "
    "standard deviation of one game."
)
_PAIRS = (
    "First less second, with intervals alone (low, high) and for all pairs together; p adjusted by "
    "Holm's method; shows, the smallest difference that these games would show in 80 of 100 runs."
)


def _table(name: str, title: str, frame: pd.DataFrame, note: str) -> dict[str, Any]:
    """A frame as rows of (text, number to sort by)."""
    flat = frame.reset_index()
    rows = [[_cell(value) for value in row] for row in flat.itertuples(index=False, name=None)]
    return {"name": name, "title": title, "note": note, "head": list(flat.columns), "rows": rows}


def _cell(value: Any) -> tuple[str, str, bool]:
    """(shown, sorted by, whether it is a number)."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        if value != value:
            return "", "", True
        return f"{value:.5g}" if abs(value) < 1e5 else f"{value:,.0f}", repr(value), True
    if isinstance(value, int):
        return f"{value:,}", str(value), True
    return str(value), str(value), False


def _svg(axes: Axes, number: int) -> str:
    """A chart as SVG that can stand in a page with others."""
    text, figure = io.StringIO(), axes.get_figure(root=True)
    assert figure is not None
    with style():
        figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    # names inside a chart must not meet those of another
    svg = re.sub(r'\bid="([^"]+)"', rf'id="c{number}-\1"', svg)
    svg = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>c{number}-", svg)
    return re.sub(r'<svg ([^>]*?)width="[^"]*" height="[^"]*"', r"<svg \1", svg, count=1)


def _specs(comparison: Comparison) -> dict[str, str]:
    specs = {}
    for label, result in comparison.results.items():
        player = comparison.players.get(label)
        specs[label] = player.label if player is not None else result.label
    return specs


def _python(comparison: Comparison) -> str:
    one = next(iter(comparison.results.values()))
    specs = _specs(comparison)
    plain = all(label.partition(" (")[0] == spec for label, spec in specs.items())
    given = list(specs.values()) if plain else specs
    more = ", luck=True" if one.luck is not None else ""
    more += "" if comparison.paired else ", paired=False"
    rules = _rules_spec(comparison)
    return (
        "import yahtzee_sim as ys\n\n"
        f"c = ys.compare({json.dumps(given)}, {one.n:_}, rules={rules!r}, seed={one.seed}{more})\n"
        'ys.report(c, "report.html")'
    )


def _rules_spec(comparison: Comparison) -> str:
    from yahtzee_sim.rulesets import list_rules

    rules = next(iter(comparison.results.values())).rules
    if list_rules().get(rules.name) == rules:
        return rules.name
    base = list_rules()["official"].to_dict()
    fields = {k: v for k, v in rules.to_dict().items() if k != "name" and v != base[k]}
    return ",".join(["official", *(f"{k}={v}" for k, v in fields.items())])


def _command(comparison: Comparison) -> str:
    one = next(iter(comparison.results.values()))
    words = ["yahtzee-sim", "report", *_specs(comparison).values()]
    words += ["--games", str(one.n), "--seed", str(one.seed), "--rules", _rules_spec(comparison)]
    words += ["--luck"] if one.luck is not None else []
    words += [] if comparison.paired else ["--unpaired"]
    return shlex.join([*words, "--out", "report.html"])


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; margin: 0 auto;
       max-width: 70rem; padding: 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
p.note { color: #555; font-size: .9rem; max-width: 50rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #ddd; white-space: nowrap; }
td.number { text-align: right; }
th button { font: inherit; font-weight: 600; border: 0; background: none; cursor: pointer;
            padding: 0; color: inherit; }
th[aria-sort=ascending] button::after { content: " \\25B2"; }
th[aria-sort=descending] button::after { content: " \\25BC"; }
tbody tr:hover { background: #f4f7fb; }
figure { margin: 1rem 0; } figcaption { font-weight: 600; }
figure svg { width: 100%; height: auto; max-height: 85vh; }
pre { background: #f5f5f5; padding: .8rem; overflow-x: auto; font-size: .85rem; }
@media (min-width: 60rem) {
  .charts { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; } }
@media print { body { max-width: none; font-size: 11px; } figure, tr { break-inside: avoid; }
               .scroll { overflow: visible; } }
</style>
</head>
<body>
<h1>{{ title }}</h1>
<p>{{ caption }}</p>
{% for table in tables[:-1] %}
<h2 id="{{ table.name }}-title">{{ table.title }}</h2>
<p class="note">{{ table.note }} Click a heading to sort.</p>
{{ rows(table) }}
{% endfor %}
<h2>Charts</h2>
<div class="charts">
{% for name, svg in charts %}
<figure role="img" aria-label="{{ name }}"><figcaption>{{ name }}</figcaption>
{{ svg|safe }}</figure>
{% endfor %}
</div>
<h2>{{ tables[-1].title }}</h2>
<p class="note">{{ tables[-1].note }} Click a heading to sort.</p>
{{ rows(tables[-1]) }}
<h2>Rules</h2>
<div class="scroll"><table id="rules"><tbody>
{% for name, value in rules.items() %}
<tr><th scope="row">{{ name }}</th><td>{{ value }}</td></tr>
{% endfor %}
</tbody></table></div>
<h2>How to make this again</h2>
<pre id="command">{{ command }}</pre>
<p>or in Python</p>
<pre id="python">{{ python }}</pre>
<p class="note">
{%- for name, value in made.items() %}{{ name }} {{ value }}{{ "; " if not loop.last }}
{%- endfor %}</p>
<script>
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.querySelectorAll("th[scope=col]")];
  heads.forEach((head, column) => head.firstElementChild.addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") === "descending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const key = (row) => row.cells[column].dataset.key;
    const number = [...body.rows].every((row) => key(row) === "" || !isNaN(key(row)));
    const order = (a, b) => number ? Number(key(a)) - Number(key(b)) : key(a).localeCompare(key(b));
    const rows = [...body.rows].sort((a, b) =>
      (key(a) === "") - (key(b) === "") || (up ? order(a, b) : order(b, a)));
    body.append(...rows);
  }));
}
</script>
</body>
</html>
"""
_ROWS = """{% macro rows(table) %}
<div class="scroll"><table class="sortable" id="{{ table.name }}">
<thead><tr>{% for head in table.head %}
<th scope="col"><button type="button">{{ head }}</button></th>{% endfor %}</tr></thead>
<tbody>
{% for row in table.rows %}<tr>{% for shown, key, number in row -%}
<td data-key="{{ key }}"{% if number %} class="number"{% endif %}>{{ shown }}</td>
{%- endfor %}</tr>
{% endfor %}</tbody></table></div>
{% endmacro %}
"""
_PAGE = _ROWS + _PAGE
