"""What `import yahtzee_sim` gives, and which module may know which."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import yahtzee_sim as ys

PACKAGE = Path(ys.__file__).parent
MODULES = sorted(info.name for info in pkgutil.iter_modules(ys.__path__))
STRATEGIES = Path(importlib.import_module("yahtzee_sim.strategies").__file__).parent
NAMES = [name for name in ys.__all__ if name != "__version__"]
FACE = {
    *("simulate", "compare", "replay", "load", "summary", "solve", "evaluate"),
    *("strategy", "list_strategies", "rules", "list_rules", "check_strategy"),
    *("Rules", "Scorecard", "Category", "Card", "Cards", "Turn"),
    *("Strategy", "LookaheadStrategy", "SingleGameStrategy"),
    *("YahtzeeError", "StrategyError"),
}
FLOORS = (
    {"errors", "specs", "sharing"},
    {"categories", "rulesets", "dice", "scoring", "cards", "scorecard", "dicestream"},
    {"strategy_types", "registry"},
    {"expectimax", "asking", "decisions", "checking"},
    {"engine"},
    {"backward", "policy", "reckoning", "endgame"},
    {"tallies", "statistics", "results", "files", "progress", "solutions", "known", "paired"},
    {"batches", "simulation", "comparison", "verdicts", "replaying", "evaluation", "questions"}
    | {"lost_points", "tuning", "playing_together", "own_games", "percentiles"},
    {"chart_look", "chart_totals", "chart_boxes", "chart_comparing", "plots", "report_page"},
    {"cli"},
)
FLOOR_OF = {module: i for i, floor in enumerate(FLOORS) for module in sorted(floor)}


def is_file(module: str) -> bool:
    return (PACKAGE / f"{module}.py").is_file()


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- names ------------------------------------------------------------------------------------


def test_the_public_names_are_there():
    assert set(NAMES) >= FACE


def test_no_module_has_the_name_of_a_public_function():
    assert not set(MODULES) & set(NAMES)
    assert MODULES, "there are modules"


def test_every_public_name_works_twice_after_every_module_was_imported():
    output = python(
        "import importlib, pkgutil\n"
        "import yahtzee_sim as ys\n"
        "for info in pkgutil.walk_packages(ys.__path__, 'yahtzee_sim.'):\n"
        "    importlib.import_module(info.name)\n"
        "for _ in range(2):\n"
        "    r = ys.simulate('roll-once', 20, seed=1)\n"
        "    ys.compare(['roll-once'], 20, seed=1)\n"
        "    ys.replay('roll-once', 3, 1)\n"
        "    ys.summary(r.games)\n"
        "    ys.strategy('roll-once')\n"
        "    ys.list_strategies()\n"
        "    ys.rules('plain')\n"
        "    ys.list_rules()\n"
        "    ys.check_strategy('roll-once', rules='plain', cards=1)\n"
        "    ys.Rules()\n"
        "    ys.Scorecard(ones=3)\n"
        "    ys.Category(3)\n"
        "    try:\n"
        "        ys.load('nowhere-at-all')\n"
        "    except ys.YahtzeeError:\n"
        "        pass\n"
        "    for name in ys.__all__:\n"
        "        assert name == '__version__' or callable(getattr(ys, name)), name\n"
        "print('fine')\n"
    )
    assert output == "fine\n"


def test_a_star_import_brings_every_public_name():
    namespace: dict = {}
    exec("from yahtzee_sim import *", namespace)
    assert set(ys.__all__) <= set(namespace)


def test_dir_shows_the_public_names():
    assert set(ys.__all__) <= set(dir(ys))


def test_dir_shows_them_before_they_are_used():
    output = python("import yahtzee_sim; print(*dir(yahtzee_sim))")
    assert set(ys.__all__) <= set(output.split())


@pytest.mark.parametrize("name", ["simulat", "optimal", "_nothing", "Simulate"])
def test_an_unknown_name_is_an_attribute_error(name):
    with pytest.raises(AttributeError, match=name):
        getattr(ys, name)
    assert not hasattr(ys, name)


def test_a_name_is_the_same_object_each_time():
    for name in NAMES:
        assert getattr(ys, name) is getattr(ys, name)


def test_the_version_is_that_of_the_package():
    assert ys.__version__ == importlib.metadata.version("yahtzee-sim")


def test_every_public_name_comes_from_the_module_it_says():
    for name in NAMES:
        module = getattr(ys, name).__module__
        assert module.startswith("yahtzee_sim."), name
        assert getattr(sys.modules[module], name) is getattr(ys, name)


# --- lazy -------------------------------------------------------------------------------------


def test_importing_the_package_imports_no_heavy_library():
    heavy = ["pandas", "scipy", "matplotlib", "pyarrow", "loky", "tqdm", "click", "numpy"]
    code = f"import sys, yahtzee_sim; print([m for m in {heavy} if m in sys.modules])"
    assert python(code) == "[]\n"


def test_naming_a_strategy_needs_neither_pandas_nor_scipy():
    output = python(
        "import sys, yahtzee_sim as ys\n"
        "ys.strategy('greedy'); ys.rules(); ys.Scorecard(ones=3)\n"
        "print([m for m in ('pandas', 'scipy', 'matplotlib') if m in sys.modules])\n"
    )
    assert output == "[]\n"


def test_help_on_the_command_line_needs_no_heavy_library():
    output = python(
        "import sys\n"
        "from yahtzee_sim import cli\n"
        "sys.argv = ['yahtzee-sim', 'simulate', '--help']\n"
        "cli.main()\n"
        "print([m for m in ('numpy', 'pandas', 'scipy', 'matplotlib') if m in sys.modules])\n"
    )
    assert output.splitlines()[-1] == "[]"


def test_the_strategies_are_no_top_level_package_of_their_own(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "import importlib.util as u; print(u.find_spec('strategies'))"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "None\n"
    assert importlib.import_module("yahtzee_sim.strategies").__path__


# --- docstrings -------------------------------------------------------------------------------


def public_members(cls):
    for name, member in vars(cls).items():
        if name.startswith("_"):
            continue
        function = getattr(member, "fget", None) or getattr(member, "func", None) or member
        function = getattr(function, "__func__", function)
        if inspect.isfunction(function):
            yield name, function


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_a_docstring_of_its_own(name):
    thing = getattr(ys, name)
    text = vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__
    assert text
    first = text.strip().splitlines()[0]
    assert len(first) > 15
    assert not first.startswith(f"{name}("), "that is what a dataclass says of itself"


@pytest.mark.parametrize(
    "cls", ["results.Result", "results.Table", "verdicts.Comparison", "replaying.Replay"]
)
def test_what_the_verbs_return_is_documented(cls):
    module, name = cls.split(".")
    thing = getattr(importlib.import_module(f"yahtzee_sim.{module}"), name)
    assert vars(thing)["__doc__"].strip()
    for method, function in public_members(thing):
        assert function.__doc__, method


@pytest.mark.parametrize("module", MODULES)
def test_every_module_opens_by_saying_what_it_is(module):
    tree = ast.parse((PACKAGE / f"{module}.py").read_text()) if is_file(module) else None
    assert tree is None or (ast.get_docstring(tree) or "").strip()


@pytest.mark.parametrize("name", list(ys.list_strategies()))
def test_every_strategy_says_where_its_idea_comes_from(name):
    text = inspect.getdoc(ys.list_strategies()[name]) or ""
    assert "Idea:" in text
    assert "Origin:" in text


def test_verbs_take_their_options_by_keyword_only():
    for verb, positional in ((ys.simulate, 2), (ys.compare, 2), (ys.replay, 3), (ys.summary, 1)):
        kinds = [p.kind for p in inspect.signature(verb).parameters.values()]
        assert kinds[positional:], verb
        assert all(kind is inspect.Parameter.KEYWORD_ONLY for kind in kinds[positional:]), verb


# --- floors -----------------------------------------------------------------------------------


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def imports(path: Path, everywhere: bool = False) -> set[str]:
    """Dotted names that a file imports: at its top level, or anywhere in it."""
    tree = ast.parse(path.read_text())
    nodes = list(ast.walk(tree)) if everywhere else []
    if not everywhere:
        waiting = [node for node in tree.body if not is_type_checking(node)]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Import | ast.ImportFrom):
                nodes.append(node)
            elif isinstance(node, ast.If | ast.Try | ast.With):
                waiting += [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.stmt)]
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def own(names: set[str]) -> set[str]:
    return {
        parts[1]
        for parts in (name.split(".") for name in names)
        if parts[0] == "yahtzee_sim" and len(parts) > 1 and parts[1] in MODULES
    }


def test_every_module_has_its_floor():
    homeless = {m for m in MODULES if is_file(m)} - set(FLOOR_OF)
    assert not homeless, "a new module is put on its floor in this test"


@pytest.mark.parametrize("module", [m for m in FLOOR_OF if is_file(m)])
def test_an_import_only_ever_points_down(module):
    for other in own(imports(PACKAGE / f"{module}.py")):
        assert FLOOR_OF[other] <= FLOOR_OF[module], f"{module} imports {other}"


def test_modules_of_one_floor_do_not_import_each_other_in_a_circle():
    graph = {m: own(imports(PACKAGE / f"{m}.py")) for m in FLOOR_OF if is_file(m)}
    assert any(graph.values())
    while graph:
        leaves = [m for m, others in graph.items() if not others & set(graph)]
        assert leaves, f"a circle among {', '.join(graph)}"
        for leaf in leaves:
            del graph[leaf]


@pytest.mark.parametrize(
    "module", [m for m, floor in FLOOR_OF.items() if floor <= 5 and is_file(m)]
)
def test_the_exact_floor_and_all_below_it_never_import_pandas(module):
    names = {name.split(".")[0] for name in imports(PACKAGE / f"{module}.py", everywhere=True)}
    assert not names & {"pandas", "pyarrow", "matplotlib", "loky", "tqdm", "click", "distributed"}


@pytest.mark.parametrize(
    ("module", "unknown"),
    [
        ("dice", {"rulesets", "scoring", "cards", "dicestream"}),
        ("dicestream", {"rulesets", "scoring", "cards", "dice", "strategy_types"}),
        ("scoring", {"cards", "strategy_types", "dicestream"}),
        ("scorecard", {"strategy_types", "dicestream", "engine"}),
        ("decisions", {"dicestream", "engine"}),
        ("engine", {"files", "batches", "results", "tallies"}),
        ("tallies", {"results", "engine"}),
        ("statistics", {"rulesets", "scoring", "tallies", "dice"}),
        ("results", {"engine", "simulation", "batches", "decisions", "strategy_types"}),
        ("batches", {"results", "files"}),
    ],
)
def test_a_module_knows_nothing_of_what_it_says_it_does_not_know(module, unknown):
    path = PACKAGE / f"{module}.py"
    assert not own(imports(path, everywhere=True)) & unknown


def test_the_library_reaches_its_strategies_by_name_only():
    for module in filter(is_file, FLOOR_OF):
        for name in imports(PACKAGE / f"{module}.py", everywhere=True):
            assert not name.startswith("yahtzee_sim.strategies"), module


def test_strategies_import_nothing_above_the_exact_floor_but_its_answers():
    paths = [p for p in STRATEGIES.glob("*.py") if p.name != "__init__.py"]
    assert len(paths) >= 6
    for path in paths:
        for other in own(imports(path, everywhere=True)):
            assert FLOOR_OF[other] <= 5 or other == "solutions", f"{path.name} imports {other}"
