"""Strategies by name, by file and by plug-in; what a strategy may be; what the built-in ones do."""

from __future__ import annotations

import importlib.metadata
import pickle
import random
import sys
import warnings
from dataclasses import dataclass
from itertools import count

import numpy as np
import pytest
import scipy.stats

import yahtzee_sim as ys
from yahtzee_sim import Category, decisions, registry
from yahtzee_sim.cards import encode
from yahtzee_sim.dice import KEEP_SIZE, roll_number
from yahtzee_sim.engine import Record, Seat, play

# `optimal` is not among them: to solve every rule set takes its time
BUILT_IN = ["greedy", "most-points", "random", "roll-once", "upper-first", "yahtzee-chaser"]
HEAD = """
from dataclasses import dataclass
import numpy as np
import yahtzee_sim as ys
"""
MINE = """
@dataclass(frozen=True)
class Mine(ys.Strategy):
    sees = frozenset({"open"})
    face: int = 6
    share: float = 0.5
    bold: bool = False
    note: str = "none"
    order: tuple = (1, 2)

    def keep(self, turn):
        return turn.dice == self.face

    def category(self, turn):
        return turn.points.argmax(axis=1)
"""
WRAPPER = """
@dataclass(frozen=True)
class Stubborn(ys.Strategy):
    sees = frozenset({"open", "upper", "fifty"})
    inner: ys.Strategy = ys.strategy("roll-once")
    times: int = 1

    def keep(self, turn):
        return self.inner.keep(turn)

    def category(self, turn):
        return self.inner.category(turn)
"""


def refused(call, *arguments, **options) -> str:
    with pytest.raises(ys.StrategyError) as caught:
        call(*arguments, **options)
    text = str(caught.value)
    assert text.strip()
    assert "\n" not in text
    return text


@pytest.fixture
def write(tmp_path):
    """Write a strategy file, and give its path."""

    def write(body: str, name: str = "mine.py", head: str = HEAD) -> str:
        (tmp_path / name).write_text(head + body)
        return str(tmp_path / name)

    return write


def games(strategy, n=500, **options):
    return ys.simulate(strategy, n, seed=options.pop("seed", 1), **options).games.to_numpy()


# --- names ------------------------------------------------------------------------------------


def test_the_built_in_strategies_are_found_without_a_list():
    known = ys.list_strategies()
    assert set(known) >= set(BUILT_IN)
    assert list(known) == sorted(known)
    for name, cls in known.items():
        assert cls.name == name
        assert ys.strategy(name) == cls()
        assert ys.strategy(name).label == name


def test_the_list_is_the_callers_own():
    ys.list_strategies().clear()
    assert "greedy" in ys.list_strategies()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("greddy", "greedy"),
        ("Greedy", "greedy"),
        ("yatzee-chaser", "yahtzee-chaser"),
        ("yahtzee_chaser", "yahtzee-chaser"),
        ("rollonce", "roll-once"),
        ("upperfirst", "upper-first"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(typed, meant):
    text = refused(ys.strategy, typed)
    assert repr(typed) in text
    assert f"did you mean {meant}" in text


def test_a_name_like_no_other_is_answered_with_all_of_them():
    text = refused(ys.strategy, "zzzzzzz")
    assert all(name in text for name in BUILT_IN)


@pytest.mark.parametrize("spec", ["", " ", ",", "greedy,", "greedy,fast", "greedy,=1", "a=1", None])
def test_what_is_no_spec_is_refused(spec):
    refused(ys.strategy, spec)


@pytest.mark.parametrize(
    "spec", [5, 1.5, object, object(), len, ["greedy"], ys.Strategy, ys.LookaheadStrategy, dict]
)
def test_what_is_no_strategy_is_refused(spec):
    refused(ys.strategy, spec)


def test_a_class_and_a_strategy_are_taken_as_they_are():
    cls = ys.list_strategies()["greedy"]
    made = cls()
    assert ys.strategy(cls) == made
    assert ys.strategy(made) is made


# --- parameters -------------------------------------------------------------------------------


def test_fields_are_set_in_the_spec_or_by_keyword(write):
    path = write(MINE)
    spec = f"{path}:Mine,face=2,share=0.25,bold=true,note=hello,order=(3, 4)"
    made = ys.strategy(spec)
    assert made.parameters == {
        "face": 2,
        "share": 0.25,
        "bold": True,
        "note": "hello",
        "order": [3, 4],
    }
    by_keyword = ys.strategy(
        f"{path}:Mine", face=2, share=0.25, bold=True, note="hello", order=(3, 4)
    )
    assert made == by_keyword
    assert hash(made) == hash(by_keyword)
    assert ys.strategy(f"{path}:Mine,face=2", face=3).face == 3
    assert ys.strategy(made, face=5) == ys.strategy(f"{path}:Mine", **{**vars(made), "face": 5})


def test_a_label_shows_only_what_is_not_at_its_default(write):
    path = write(MINE)
    assert ys.strategy(f"{path}:Mine").label == "mine"
    assert ys.strategy(f"{path}:Mine,face=6,bold=false").label == "mine"
    assert ys.strategy(f"{path}:Mine,bold=true,face=2").label == "mine,face=2,bold=True"
    assert ys.strategy(f"{path}:Mine,order=(3,4,5)").label == "mine,order=(3,4,5)"


def test_an_unknown_field_is_answered_with_the_nearest(write):
    text = refused(ys.strategy, f"{write(MINE)}:Mine,fase=2")
    assert "'fase'" in text
    assert "face" in text
    assert "no parameters" in refused(ys.strategy, "greedy", patience=2)
    assert "twice" in refused(ys.strategy, f"{write(MINE)}:Mine,face=2,face=3")


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, {1}, np.array([1, 2]), object(), len, 1j])
def test_a_parameter_is_a_value(write, value):
    text = refused(ys.strategy, f"{write(MINE)}:Mine", face=value)
    assert "Mine.face" in text
    assert "Mine.order" in refused(ys.strategy, f"{write(MINE)}:Mine", order=(1, value))


@pytest.mark.parametrize("field", ["bold=no", "bold=yes", "face=six", "face=1.5", "share=half"])
def test_a_value_of_another_type_than_the_field_is_refused(write, field):
    # `bold=no` is text, and text is true
    text = refused(ys.strategy, f"{write(MINE)}:Mine,{field}")
    assert field.partition("=")[0] in text


def test_numbers_may_be_of_numpy_and_whole_where_fractions_are_allowed(write):
    path = write(MINE)
    assert ys.strategy(f"{path}:Mine", face=np.int64(3)).parameters["face"] == 3
    assert ys.strategy(f"{path}:Mine,share=1").share == 1


def test_a_strategy_that_refuses_its_parameters_is_one_line(write):
    path = write(
        MINE
        + """
    def __post_init__(self):
        super().__post_init__()
        if not 1 <= self.face <= 6:
            raise ValueError("a die has six faces,\\nno more")
"""
    )
    assert ys.strategy(f"{path}:Mine,face=3").face == 3
    assert "six faces" in refused(ys.strategy, f"{path}:Mine,face=7")


def test_an_array_is_refused_when_the_class_is_made():
    with pytest.raises(ys.StrategyError, match="array"):

        class Heavy(ys.Strategy):
            weights: np.ndarray = None

    with pytest.raises(ys.StrategyError, match="array"):

        class Heavier(ys.Strategy):
            weights: object = np.zeros(3)


def test_annotated_fields_need_a_dataclass():
    class Forgetful(ys.Strategy):
        target: int = 4

        def keep(self, turn):
            return turn.dice == self.target

        def category(self, turn):
            return turn.points.argmax(axis=1)

    assert "dataclass" in refused(Forgetful)
    assert "dataclass" in refused(ys.strategy, Forgetful)


def test_a_class_with_a_constructor_of_its_own_plays_by_its_parameters_or_is_refused():
    # two such strategies are equal, whatever they hold: one must not play the other's decisions
    class Own(ys.Strategy):
        sees = frozenset({"open"})

        def __init__(self, face=1):
            self.face = face

        def keep(self, turn):
            return turn.dice == self.face

        def category(self, turn):
            return turn.points.argmax(axis=1)

    try:
        ones, sixes = (ys.simulate(Own(face), 2_000, seed=1) for face in (1, 6))
    except ys.StrategyError as error:
        text = str(error)
    else:
        text = "Own"
        assert sixes.games["sixes"].mean() > ones.games["sixes"].mean() + 5
    assert "Own" in text


def test_a_constructor_of_its_own_is_not_passed_by_the_check():
    class Own(ys.Strategy):
        sees = frozenset({"open"})

        def __init__(self, face=1):
            self.face = face

        def keep(self, turn):
            return turn.dice == self.face

        def category(self, turn):
            return turn.points.argmax(axis=1)

    assert "Own" in caught(Own(6))


def test_every_field_has_a_default():
    @dataclass(frozen=True)
    class Bare(ys.Strategy):
        face: int

    assert "Bare.face" in refused(ys.strategy, Bare)


def test_the_name_is_the_class_in_kebab_case_unless_given():
    class YahtzeeOrNothing2(ys.Strategy):
        pass

    class Other(ys.Strategy):
        name = "something-else"

    assert YahtzeeOrNothing2.name == "yahtzee-or-nothing2"
    assert Other.name == "something-else"


@pytest.mark.parametrize("sees", [{"opn"}, "open", ("open",), {"open", "dice"}, None, 5])
def test_what_a_strategy_sees_is_out_of_a_known_set(sees):
    class Odd(ys.Strategy):
        pass

    Odd.sees = sees
    assert "sees" in refused(ys.strategy, Odd)


def test_a_strategy_cannot_be_changed(write):
    made = ys.strategy(f"{write(MINE)}:Mine")
    with pytest.raises(AttributeError):
        made.face = 3


# --- strategies as parameters -----------------------------------------------------------------


def test_a_strategy_may_be_the_parameter_of_another(write):
    path = write(WRAPPER, "stubborn.py")
    mine = write(MINE)
    made = ys.strategy(f"{path}:Stubborn,inner=yahtzee-chaser")
    assert made.inner == ys.strategy("yahtzee-chaser")
    assert made.label == "stubborn,inner=yahtzee-chaser"
    nested = ys.strategy(f"{path}:Stubborn,inner=({mine}:Mine,face=2,order=(3,4)),times=3")
    assert nested.inner == ys.strategy(f"{mine}:Mine,face=2,order=(3,4)")
    assert nested.times == 3
    assert nested.label == "stubborn,inner=(mine,face=2,order=(3,4)),times=3"
    assert nested.parameters["inner"] == "mine,face=2,order=(3,4)"
    text = refused(ys.strategy, f"{path}:Stubborn,inner=chaser")
    assert "yahtzee-chaser" in text


@pytest.mark.parametrize("inner", ["yahtzee-chaser", "greedy", "upper-first"])
def test_a_wrapper_plays_the_games_of_what_it_wraps(write, inner):
    path = write(WRAPPER, "stubborn.py")
    wrapped = games(f"{path}:Stubborn,inner={inner}", 200)
    np.testing.assert_array_equal(wrapped, games(inner, 200))


def test_a_wrapper_in_a_wrapper_plays_the_same_games(write):
    path = write(WRAPPER, "stubborn.py")
    made = ys.strategy(
        f"{path}:Stubborn", inner=ys.strategy(f"{path}:Stubborn,inner=upper-first,times=2")
    )
    np.testing.assert_array_equal(games(made, 200), games("upper-first", 200))


def test_a_wrapper_must_see_what_it_lets_others_see(write):
    path = write(WRAPPER.replace('{"open", "upper", "fifty"}', '{"open"}'), "stubborn.py")
    assert games(f"{path}:Stubborn,inner=upper-first", 50).shape == (50, 16)
    text = refused(ys.simulate, f"{path}:Stubborn,inner=greedy", 10, seed=1)
    assert "greedy" in text
    assert "sees" in text


# --- several at once --------------------------------------------------------------------------


def test_the_same_strategy_twice_has_a_number():
    compared = ys.compare(["roll-once", "roll-once", "random", "roll-once"], 10, seed=1)
    assert list(compared.results) == ["roll-once", "roll-once (2)", "random", "roll-once (3)"]


def test_a_mapping_gives_labels():
    compared = ys.compare({"A": "roll-once", "B": "random", "C": "roll-once"}, 10, seed=1)
    assert list(compared.results) == ["A", "B", "C"]
    assert [r.label for r in compared.results.values()] == ["A", "B", "C"]
    assert [r.spec for r in compared.results.values()] == ["roll-once", "random", "roll-once"]


def test_labels_that_read_alike_lose_no_strategy():
    try:
        compared = ys.compare({1: "roll-once", "1": "random"}, 10, seed=1)
    except ys.YahtzeeError as error:
        text = str(error)
    else:
        text = "1"
        assert len(compared.results) == 2
    assert "1" in text


@pytest.mark.parametrize("strategies", [[], {}, (), iter([])], ids=["list", "dict", "tuple", "it"])
def test_no_strategies_are_too_few(strategies):
    with pytest.raises(ys.YahtzeeError, match="at least one"):
        ys.compare(strategies, 10)


def test_one_strategy_may_stand_for_a_list():
    assert list(ys.compare("roll-once", 10, seed=1).results) == ["roll-once"]


# --- files ------------------------------------------------------------------------------------


def test_a_file_with_one_class_needs_no_class_name(write):
    path = write(MINE)
    assert ys.strategy(path) == ys.strategy(f"{path}:Mine")
    assert ys.strategy(f"{path},face=3") == ys.strategy(f"{path}:Mine,face=3")
    both = write(MINE + MINE.replace("Mine", "Yours"), "both.py")
    text = refused(ys.strategy, both)
    assert "Mine" in text
    assert "Yours" in text
    assert ys.strategy(f"{both}:Yours").name == "yours"


def test_a_path_may_be_relative_or_that_of_home(write, tmp_path, monkeypatch):
    path = write(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    around = f"../{tmp_path.name}/mine.py"
    for same in ("mine.py:Mine", "./mine.py:Mine", "~/mine.py:Mine", around):
        assert ys.strategy(same) == ys.strategy(f"{path}:Mine")


def test_only_strategies_of_the_file_itself_are_in_it(write):
    path = write("from yahtzee_sim.strategies.greedy import Greedy\n" + MINE)
    assert ys.strategy(path).name == "mine"
    assert "Mine" in refused(ys.strategy, f"{path}:Greedy")


def test_a_missing_class_or_file_is_told_with_what_is_there(write):
    path = write(MINE)
    text = refused(ys.strategy, f"{path}:Yours")
    assert "Yours" in text
    assert "Mine" in text
    empty = write("x = 1\n", "empty.py")
    assert "no strategy class" in refused(ys.strategy, empty)
    assert "No such file" in refused(ys.strategy, f"{path[:-3]}-2.py:Mine")


def test_a_folder_is_no_strategy_file(tmp_path):
    (tmp_path / "folder.py").mkdir()
    assert "folder.py" in refused(ys.strategy, f"{tmp_path}/folder.py:Mine")


@pytest.mark.parametrize(
    "spec", ["~no-such-user/mine.py:Mine", "a\0b.py:Mine", "x" * 300 + ".py:Mine"]
)
def test_a_file_that_cannot_be_named_is_one_line(spec):
    refused(ys.strategy, spec)


def test_a_syntax_error_is_told_with_its_line(write):
    text = refused(ys.strategy, write("\ndef keep(self, turn)\n    pass\n", head="") + ":Mine")
    assert "line 2" in text
    assert "mine.py" in text


def test_an_error_at_import_is_told_with_its_line(write):
    text = refused(ys.strategy, write("x = 1\n\ny = {}['key']\n", head="") + ":Mine")
    assert "line 3" in text
    assert "KeyError" in text
    text = refused(ys.strategy, write("import not_a_module_at_all\n", head="") + ":Mine")
    assert "line 1" in text
    assert "not_a_module_at_all" in text
    text = refused(ys.strategy, write("raise ValueError('two\\nlines')\n", head="") + ":Mine")
    assert "two lines" in text


def test_a_file_that_is_no_text_is_one_line(tmp_path):
    (tmp_path / "binary.py").write_bytes(b"\x00\x01\xff\x00")
    text = refused(ys.strategy, f"{tmp_path}/binary.py:Mine")
    assert "binary.py" in text
    assert "None" not in text


def test_a_file_that_exits_when_it_is_loaded_is_one_line(write):
    path = write("import sys\nsys.exit(0)\n", head="")
    assert "exit" in refused(ys.strategy, f"{path}:Mine").lower()


def test_what_a_script_does_when_it_is_run_is_not_done(write):
    path = write(MINE + "\nif __name__ == '__main__':\n    raise SystemExit(1)\n")
    assert ys.strategy(path).name == "mine"


def test_an_edited_file_is_read_anew(write):
    path = write(MINE)
    before = ys.strategy(f"{path}:Mine")
    assert ys.strategy(f"{path}:Mine") == before, "and only then"
    old = games(before)
    edited = MINE.replace("turn.dice == self.face", "turn.dice == 1")
    write(edited.replace("face: int = 6", "face: int = 5"))
    after = ys.strategy(f"{path}:Mine")
    assert after.face == 5
    assert after != before
    assert not np.array_equal(games(after), old)
    write("1/0\n")
    refused(ys.strategy, f"{path}:Mine")
    write(MINE)
    np.testing.assert_array_equal(games(f"{path}:Mine"), old)


def test_two_files_of_one_name_are_two_modules(tmp_path):
    made = []
    for folder, face in (("a", 1), ("b", 6)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(HEAD + MINE.replace("= 6", f"= {face}"))
        made.append(ys.strategy(f"{tmp_path}/{folder}/mine.py:Mine"))
    assert made[0] != made[1]
    assert [m.face for m in made] == [1, 6]
    assert type(pickle.loads(pickle.dumps(made[0]))) is type(made[0])
    assert not np.array_equal(games(made[0]), games(made[1]))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_strategy_of_a_file_comes_back_from_a_pickle(write, protocol):
    path = write(WRAPPER, "stubborn.py")
    inner = ys.strategy(f"{write(MINE)}:Mine,face=4")
    made = ys.strategy(f"{path}:Stubborn", inner=inner, times=2)
    stored = pickle.dumps(made, protocol)
    assert pickle.loads(stored) == made
    for module in [m for m in sys.modules if m.startswith("yahtzee_sim_file_")]:
        del sys.modules[module]  # as in another process
    again = pickle.loads(stored)
    assert again.parameters == made.parameters
    assert again.inner.face == 4


def test_a_dataclass_with_slots_is_a_strategy_too(write):
    path = write(MINE.replace("frozen=True", "frozen=True, slots=True"))
    made = ys.strategy(f"{path}:Mine,face=4")
    assert pickle.loads(pickle.dumps(made)) == made
    ys.check_strategy(made, rules="official", cards=20)


# --- plug-ins ---------------------------------------------------------------------------------


@pytest.fixture
def plug_in(monkeypatch, tmp_path):
    """Install plug-ins by name: the text of a module, and what of it is named."""
    monkeypatch.syspath_prepend(str(tmp_path))
    registry._registry.cache_clear()

    def install(**plug_ins):
        points = []
        for name, (text, value) in plug_ins.items():
            module = f"plug_in_{name}_{tmp_path.name}".replace("-", "_")
            (tmp_path / f"{module}.py").write_text(text)
            value = f"{module}{value}"
            points.append(importlib.metadata.EntryPoint(name, value, "yahtzee_sim.strategies"))
        monkeypatch.setattr(
            importlib.metadata,
            "entry_points",
            lambda group: points if group == "yahtzee_sim.strategies" else [],
        )

    yield install
    registry._registry.cache_clear()


def test_a_plug_in_brings_its_strategies(plug_in):
    plug_in(one=(HEAD + MINE, ":Mine"), all=(HEAD + MINE.replace("Mine", "Yours"), ""))
    known = ys.list_strategies()
    assert {"mine", "yours"} <= set(known)
    assert list(known) == sorted(known)
    assert games("mine,face=3", 50).shape == (50, 16)


@pytest.mark.parametrize(
    ("text", "value", "reason"),
    [
        ("import not_there_at_all", ":Mine", "not_there_at_all"),
        ("def broken(:", ":Mine", "SyntaxError"),
        ("1 / 0", ":Mine", "ZeroDivisionError"),
        (HEAD + MINE, ":Yours", "Yours"),
        ("Mine = 5", ":Mine", "no strategy"),
        (HEAD + MINE.replace("class Mine", "class Greedy"), ":Greedy", "already taken"),
        ("raise SystemExit(1)", ":Mine", "SystemExit"),
    ],
    ids=["import", "syntax", "raises", "missing", "no class", "name taken", "exits"],
)
def test_a_plug_in_that_fails_is_one_warning_and_the_others_are_there(plug_in, text, value, reason):
    plug_in(broken=(text, value), sound=(HEAD + MINE.replace("Mine", "Sound"), ":Sound"))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        known = ys.list_strategies()
        ys.list_strategies()
    (warning,) = told
    assert issubclass(warning.category, RuntimeWarning)
    assert "broken" in str(warning.message)
    assert reason in str(warning.message)
    assert "\n" not in str(warning.message)
    assert set(known) >= {*BUILT_IN, "sound"}
    assert known["greedy"].__module__ == "yahtzee_sim.strategies.greedy"


# --- check_strategy ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_built_in_strategies_keep_every_promise(name):
    ys.check_strategy(name, cards=100)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(ys.list_strategies()) - set(BUILT_IN)))
def test_the_others_keep_every_promise_too(name, tmp_path, monkeypatch):
    monkeypatch.setenv("YAHTZEE_SIM_CACHE", str(tmp_path))
    ys.check_strategy(name, rules="official", cards=100)
    ys.check_strategy(name, rules="free-choice", cards=100)


class Good(ys.Strategy):
    """What the faulty ones below are made of."""

    sees = frozenset({"open"})

    def keep(self, turn):
        return turn.dice == 6

    def category(self, turn):
        return turn.points.argmax(axis=1)


def findable(strategy):
    """The strategy, its class put where pickle looks for it."""
    cls = type(strategy)
    if cls.__module__ == __name__:
        cls.__qualname__ = cls.__name__
        globals()[cls.__name__] = cls
    return strategy


def caught(strategy, **options) -> str:
    options = {"rules": "official", "cards": 60} | options
    return refused(ys.check_strategy, findable(strategy), **options)


def test_what_the_faulty_ones_are_made_of_is_sound():
    ys.check_strategy(Good(), cards=60)


def test_a_class_that_another_process_could_not_find_is_told():
    class Hidden(Good):
        pass

    assert "pickle" in refused(ys.check_strategy, Hidden())
    ys.check_strategy(findable(Hidden()), rules="plain", cards=10)


def test_a_decision_that_depends_on_the_batch_is_caught():
    class Average(Good):
        def keep(self, turn):
            return turn.dice > turn.dice.mean()

    class First(Good):
        def category(self, turn):
            return np.where(turn.dice[:, 0] == turn.dice[0, 0], *best_two(turn))

    assert "batch" in caught(Average())
    assert "batch" in caught(First())


def best_two(turn):
    """The first and the last box that the roll may go to."""
    allowed = turn.points >= 0
    return allowed.argmax(axis=1), 12 - allowed[:, ::-1].argmax(axis=1)


def test_calls_for_luck_that_depend_on_the_batch_are_caught():
    class Extra(Good):
        sees = frozenset({"open", "luck"})

        def keep(self, turn):
            for _ in range(1 + (len(turn) > 5)):
                turn.random()
            return turn.dice == 6

    assert "random()" in caught(Extra())


def test_luck_that_is_not_the_strategys_own_is_caught():
    class Dealer(Good):
        def keep(self, turn):
            return np.random.default_rng().random(turn.dice.shape) < 0.5

    caught(Dealer())


@pytest.mark.parametrize("what", ["upper", "to_bonus", "fifty", "total", "rivals"])
def test_reading_what_is_not_declared_is_caught(what):
    class Peeks(Good):
        def category(self, turn):
            getattr(turn, what)
            return turn.points.argmax(axis=1)

    text = caught(Peeks())
    assert what in text
    assert "sees" in text


def test_luck_that_is_not_declared_is_caught():
    class Peeks(Good):
        def category(self, turn):
            turn.random()
            return turn.points.argmax(axis=1)

    assert "random()" in caught(Peeks())


@pytest.mark.parametrize("what", ["open", "round"])
def test_boxes_that_are_not_declared_are_caught(what):
    class Blind(Good):
        sees = frozenset({"fifty"})

        def category(self, turn):
            getattr(turn, what)
            return turn.points.argmax(axis=1)

    assert what in caught(Blind())


@pytest.mark.parametrize("what", ["dice", "counts", "open", "points", "round"])
def test_changing_what_is_shown_is_caught(what):
    class Scribbler(Good):
        def keep(self, turn):
            getattr(turn, what)[0] = 1
            return turn.dice == 6

    caught(Scribbler())


@pytest.mark.parametrize("what", ["dice", "counts", "points", "rolls_left", "rules"])
def test_putting_something_else_in_its_place_is_caught(what):
    class Swaps(Good):
        def keep(self, turn):
            setattr(turn, what, getattr(turn, what))
            return turn.dice == 6

    caught(Swaps())


def test_a_strategy_that_differs_from_its_pickled_self_is_caught():
    class Unequal(Good):
        def __eq__(self, other):
            return self is other

        __hash__ = None

    @dataclass(frozen=True)
    class Lost(Good):
        share: float = 0.5

        def __reduce__(self):
            return Lost, ()

    assert "pickle" in caught(Unequal())
    ys.check_strategy(findable(Lost()), rules="plain", cards=10)
    assert "pickle" in caught(Lost(0.25))


def test_a_strategy_that_counts_its_questions_is_caught():
    questions = count()

    class Counts(Good):
        def category(self, turn):
            first, last = best_two(turn)
            return first if next(questions) % 2 else last

    caught(Counts())


def test_a_box_that_only_a_rare_joker_may_not_go_to_is_caught():
    class Careless(Good):
        """Takes the first open box, which a joker may not always do."""

        def category(self, turn):
            return turn.open.argmax(axis=1)

    text = caught(Careless())
    assert "the roll may not go there" in text
    ys.check_strategy(findable(Careless()), rules="plain", cards=60)


@pytest.mark.parametrize(
    ("rules", "fifty"), [("official", False), ("official", True), ("yardzee", True)]
)
def test_a_fault_on_one_kind_of_joker_is_caught(rules, fifty):
    class Rare(Good):
        sees = frozenset({"open", "fifty"})

        def category(self, turn):
            five = turn.counts.max(axis=1) == 5
            rare = five & ~turn.open[:, 11] & (turn.fifty == fifty)
            return np.where(rare & (turn.round == 13), 13, turn.points.argmax(axis=1))

    assert "a category is 0 to 12" in caught(Rare(), rules=rules)


def test_a_single_game_strategy_that_answers_differently_each_time_is_caught():
    class Moody(ys.SingleGameStrategy):
        def keep_one(self, dice, rolls_left, card):
            return [d for d in dice if random.random() < 0.5]

        def category_one(self, dice, card):
            return random.choice(list(card.legal(dice)))

    class MoodyBox(ys.SingleGameStrategy):
        def keep_one(self, dice, rolls_left, card):
            return dice

        def category_one(self, dice, card):
            return random.choice(list(card.legal(dice)))

    assert "same question" in caught(Moody())
    assert "same question" in caught(MoodyBox())


@pytest.mark.parametrize(
    "answer", ["(7,)", "(1, 1, 1, 1, 1, 1)", "None", "'x'", "(0,)", "5", "1.5", "np.zeros((3, 5))"]
)
def test_a_single_game_strategy_that_keeps_what_is_not_there_is_caught(write, answer):
    path = write(
        f"""
class Wrong(ys.SingleGameStrategy):
    def keep_one(self, dice, rolls_left, card):
        return {answer}

    def category_one(self, dice, card):
        return next(iter(card.legal(dice)))
"""
    )
    text = caught(path)
    assert "keep_one" in text
    assert "dice" in text


@pytest.mark.parametrize("answer", ["13", "-1", "'ace'", "None", "True", "1.0", "'ones'"])
def test_a_single_game_strategy_that_scores_where_it_may_not_is_caught(write, answer):
    path = write(
        f"""
class Wrong(ys.SingleGameStrategy):
    def keep_one(self, dice, rolls_left, card):
        return dice

    def category_one(self, dice, card):
        return {answer}
"""
    )
    assert "dice" in caught(path)


@pytest.mark.parametrize("what", ["upper", "to_bonus", "fifty"])
def test_a_single_game_strategy_that_peeks_is_caught(what):
    class Peeks(ys.SingleGameStrategy):
        sees = frozenset({"open"})

        def keep_one(self, dice, rolls_left, card):
            getattr(card, what)
            return dice

        def category_one(self, dice, card):
            return next(iter(card.legal(dice)))

    assert what in caught(Peeks())


@pytest.mark.parametrize(
    "worth",
    [
        "np.full(len(cards), np.nan)",
        "np.where(cards.round == 13, np.inf, 0.0)",
        "np.zeros(3)",
        "np.zeros((len(cards), 1))",
        "0.0",
        "None",
        "['a'] * len(cards)",
        "np.zeros(len(cards), bool)",
        "np.zeros(len(cards), complex)",
        "np.random.default_rng().random(len(cards))",
        "[[1], [1, 2]]",
        "cards.total",
        "1 / 0",
    ],
)
def test_a_worth_that_is_no_number_a_card_is_caught(write, worth):
    path = write(
        f"""
class Odd(ys.LookaheadStrategy):
    def worth(self, cards):
        return {worth}
"""
    )
    assert "worth" in caught(path)


def test_a_worth_that_is_nan_on_one_card_names_the_card():
    class Almost(ys.LookaheadStrategy):
        def worth(self, cards):
            worth = np.zeros(len(cards))
            only_chance = (cards.open.sum(axis=1) == 1) & cards.open[:, 12]
            worth[np.flatnonzero(only_chance & cards.fifty & (cards.upper == 17))] = np.nan
            return worth

    text = caught(Almost())
    assert "chance" in text
    assert "17" in text


@pytest.mark.parametrize("kind", [ys.LookaheadStrategy, ys.SingleGameStrategy])
@pytest.mark.parametrize("beyond", ["total", "rivals", "luck"])
def test_only_a_batch_strategy_sees_more_than_the_card(kind, beyond):
    class Greedy(kind):
        sees = frozenset({"open", beyond})

    assert beyond in caught(Greedy())


@pytest.mark.parametrize("kind", [ys.Strategy, ys.LookaheadStrategy, ys.SingleGameStrategy])
def test_a_strategy_without_answers_says_which_are_missing(kind):
    class Silent(kind):
        pass

    assert "does not define" in caught(Silent())


# --- what the built-in strategies do ----------------------------------------------------------


def code_of(open_boxes="all", upper=0, fifty=False) -> int:
    boxes = range(13) if open_boxes == "all" else [Category[b.upper()] for b in open_boxes]
    filled = 0b1111111111111 ^ sum(1 << b for b in boxes)
    return int(encode(filled, upper, int(fifty)))


def ask(name, dice, rolls_left, rules="official", **card):
    strategy, which = ys.strategy(name), ys.rules(rules)
    code, roll = np.array([code_of(**card)]), np.array([roll_number(dice)])
    turn = decisions.make_turn(strategy, which, code, roll, rolls_left)
    answer = decisions.ask(strategy, turn)[0]
    if rolls_left == 0:
        return Category(int(answer)).column
    return "".join(d for i, d in enumerate(sorted(dice)) if answer >> i & 1)


def recorded(name, n=3_000, rules="plain", seed=12):
    seat, record = Seat(ys.strategy(name), ys.rules(rules), seed, width=n), Record.empty(n)
    play([seat], 0, n, [record])
    return record


def test_roll_once_never_rolls_again_and_goes_down_the_sheet():
    record = recorded("roll-once")
    np.testing.assert_array_equal(record.rolls[0], record.rolls[1])
    np.testing.assert_array_equal(record.rolls[0], record.rolls[2])
    assert (KEEP_SIZE[record.keeps] == 5).all()
    np.testing.assert_array_equal(record.boxes, np.arange(13)[:, None] + np.zeros((1, 3_000)))


def test_random_keeps_each_die_for_a_coin():
    keeps = KEEP_SIZE[recorded("random").keeps]
    for stage in (0, 1):
        found = np.bincount(keeps[stage].ravel(), minlength=6)
        expected = scipy.stats.binom.pmf(range(6), 5, 0.5) * found.sum()
        assert scipy.stats.chisquare(found, expected).pvalue > 1e-4
    assert abs(np.corrcoef(keeps[0].ravel(), keeps[1].ravel())[0, 1]) < 0.03


def test_random_treats_all_five_dice_alike():
    strategy, n = ys.strategy("random"), 20_000
    turn = decisions.make_turn(
        strategy,
        ys.rules(),
        np.zeros(n, np.int64),
        np.full(n, roll_number("12345")),
        2,
        luck=lambda call: np.random.default_rng(call).random(n),
    )
    masks = np.bincount(decisions.ask(strategy, turn), minlength=32)
    assert scipy.stats.chisquare(masks).pvalue > 1e-4


def test_random_chooses_evenly_among_the_open_boxes():
    boxes = recorded("random").boxes
    table = np.array([np.bincount(round_, minlength=13) for round_ in boxes])
    expected = boxes.shape[1] / 13
    distance = ((table - expected) ** 2 / expected).sum()
    assert scipy.stats.chi2.sf(distance, 144) > 1e-4


def test_random_chooses_evenly_among_the_boxes_a_joker_may_go_to():
    strategy, n = ys.strategy("random"), 20_000
    card = code_of(["ones", "full_house", "large_straight", "chance"])
    turn = decisions.make_turn(
        strategy,
        ys.rules(),
        np.full(n, card),
        np.full(n, roll_number("44444")),
        0,
        luck=lambda call: np.random.default_rng(call).random(n),
    )
    boxes = np.bincount(decisions.ask(strategy, turn), minlength=13)
    assert set(np.flatnonzero(boxes)) == {8, 10, 12}, "ones only when no lower box is open"
    assert scipy.stats.chisquare(boxes[boxes > 0]).pvalue > 1e-4


@pytest.mark.parametrize(
    ("dice", "kept"),
    [("22255", "222"), ("22551", "55"), ("12345", "5"), ("66661", "6666"), ("33333", "33333")],
)
def test_the_largest_group_is_kept_and_the_higher_face_of_two(dice, kept):
    assert ask("most-points", dice, 2) == kept
    assert ask("yahtzee-chaser", dice, 1) == kept


@pytest.mark.parametrize(
    ("dice", "card", "box"),
    [
        ("33366", {}, "full_house"),
        ("23456", {}, "large_straight"),
        ("66665", {}, "three_of_a_kind"),  # 29, as four of a kind and chance: the first
        ("66666", {}, "yahtzee"),
        ("11246", {"open_boxes": ["ones", "yahtzee"]}, "ones"),
        ("22346", {"open_boxes": ["ones", "yahtzee"]}, "ones"),  # both 0: the first
        ("44444", {"open_boxes": ["fours", "full_house"], "fifty": True}, "fours"),  # forced
        ("44444", {"open_boxes": ["ones", "full_house"], "fifty": True}, "full_house"),
    ],
)
def test_most_points_takes_what_pays_most_now(dice, card, box):
    assert ask("most-points", dice, 0, **card) == box


@pytest.mark.parametrize(
    ("dice", "card", "box"),
    [
        ("22255", {}, "twos"),
        ("22551", {}, "fives"),
        ("66666", {}, "yahtzee"),
        ("66666", {"open_boxes": ["sixes", "chance"], "fifty": True}, "sixes"),
        ("22255", {"open_boxes": ["ones", "full_house", "chance", "yahtzee"]}, "full_house"),
        ("12346", {"open_boxes": ["chance", "yahtzee"]}, "chance"),
        ("12346", {"open_boxes": ["ones", "yahtzee"]}, "ones"),
        ("22346", {"open_boxes": ["ones", "yahtzee"]}, "ones"),
        ("12346", {"open_boxes": ["yahtzee"]}, "yahtzee"),
    ],
)
def test_the_chaser_takes_yahtzees_and_crosses_the_box_out_last(dice, card, box):
    assert ask("yahtzee-chaser", dice, 0, **card) == box


def test_the_chaser_crosses_the_yahtzee_box_out_in_the_last_round_only():
    result = ys.simulate("yahtzee-chaser", 5_000, rules="plain", seed=4)
    record = recorded("yahtzee-chaser", 5_000, seed=4)
    zeroed = (record.boxes == Category.YAHTZEE) & (result.games["yahtzee"].to_numpy() == 0)
    assert zeroed[12].any()
    assert not zeroed[:12].any()


@pytest.mark.parametrize(
    ("dice", "card", "kept"),
    [
        ("22255", {}, "222"),
        ("22255", {"open_boxes": ["fives", "chance"]}, "55"),
        ("22255", {"open_boxes": ["ones", "chance"]}, ""),
        ("11446", {"open_boxes": ["ones", "fours"]}, "44"),
        ("22255", {"open_boxes": ["chance", "full_house"]}, "222"),
    ],
)
def test_upper_first_collects_an_open_face(dice, card, kept):
    assert ask("upper-first", dice, 2, **card) == kept


@pytest.mark.parametrize(
    ("dice", "card", "box"),
    [
        ("22255", {}, "twos"),
        ("22551", {}, "fives"),
        ("66666", {}, "sixes"),
        ("12345", {"open_boxes": ["ones", "large_straight"]}, "ones"),
        ("23456", {"open_boxes": ["ones", "large_straight"]}, "ones"),
        ("23456", {"open_boxes": ["chance", "large_straight"]}, "large_straight"),
        ("44444", {"open_boxes": ["ones", "large_straight"], "fifty": True}, "large_straight"),
    ],
)
def test_upper_first_fills_the_upper_section_first(dice, card, box):
    assert ask("upper-first", dice, 0, **card) == box


def test_upper_first_has_filled_the_upper_section_after_six_rounds():
    boxes = recorded("upper-first").boxes
    assert (boxes[:6] < 6).all()
    assert (boxes[6:] >= 6).all()


@pytest.mark.parametrize(
    ("dice", "rolls_left", "card", "kept"),
    [
        # chance alone: a die is worth 3.5 thrown once, 4.25 thrown twice
        ("13456", 1, {"open_boxes": ["chance"]}, "456"),
        ("13456", 2, {"open_boxes": ["chance"]}, "56"),
        ("33356", 2, {"open_boxes": ["yahtzee"]}, "333"),
        ("11223", 1, {"open_boxes": ["yahtzee"]}, "11"),  # as good as 22: the first
        ("12345", 1, {"open_boxes": ["yahtzee"]}, "1"),  # any one die, or none: most dice, first
        ("23456", 2, {"open_boxes": ["large_straight"]}, "23456"),
        ("34566", 1, {"open_boxes": ["large_straight"]}, "3456"),
        ("13456", 1, {"open_boxes": ["large_straight"]}, "1345"),  # as good as 3456: the first
        ("11136", 2, {"open_boxes": ["sixes"]}, "6"),
        ("33355", 1, {"open_boxes": ["full_house"]}, "33355"),
        ("11234", 1, {"open_boxes": ["small_straight"]}, "11234"),
    ],
)
def test_greedy_keeps_what_is_best_for_this_turn(dice, rolls_left, card, kept):
    assert ask("greedy", dice, rolls_left, **card) == kept


@pytest.mark.parametrize(
    ("dice", "card", "box"),
    [
        ("66612", {"open_boxes": ["sixes", "three_of_a_kind"], "upper": 45}, "sixes"),  # 18 + 35
        ("66612", {"open_boxes": ["sixes", "three_of_a_kind"], "upper": 44}, "three_of_a_kind"),
        ("66612", {"open_boxes": ["sixes", "three_of_a_kind"], "upper": 63}, "three_of_a_kind"),
        ("23456", {"open_boxes": ["small_straight", "large_straight"]}, "large_straight"),
        ("66665", {"open_boxes": ["four_of_a_kind", "chance"]}, "four_of_a_kind"),
    ],
)
def test_greedy_counts_the_upper_bonus_in_the_turn_that_reaches_it(dice, card, box):
    assert ask("greedy", dice, 0, **card) == box
