"""Strategies by name: those in `strategies/`, those of other packages, and users' own files.

A strategy is named by a spec: ``name`` or ``path/to/file.py:Class``, then ``,field=value``. The
files of `yahtzee_sim.strategies` need no list: a class in them is found by its being there.
Other packages add theirs through the entry-point group ``yahtzee_sim.strategies``.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import importlib.util
import pkgutil
import sys
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from yahtzee_sim.errors import StrategyError, YahtzeeError
from yahtzee_sim.specs import parse_spec, unknown
from yahtzee_sim.strategy_types import (
    AnyStrategy,
    LookaheadStrategy,
    SingleGameStrategy,
    Strategy,
    _Strategy,
    check_parameters,
    is_strategy,
)

GROUP = "yahtzee_sim.strategies"
_KINDS = (_Strategy, Strategy, LookaheadStrategy, SingleGameStrategy)


def list_strategies() -> dict[str, type[AnyStrategy]]:
    """Every strategy that can be named: the library's, and those that plug-ins bring.

    Returns
    -------
    dict of str to class
        By name, in alphabetical order. A plug-in that fails to load is left out with a
        `RuntimeWarning` that names it.
    """
    return dict(_registry())


def strategy(spec: object, **parameters: Any) -> AnyStrategy:
    """A strategy by its name, file, class or itself, with parameters changed if wanted.

    Parameters
    ----------
    spec : str, class or strategy
        A name (see `list_strategies`), ``"path/to/mine.py:Mine"``, either followed by
        ``",field=value"``; a strategy class; or a strategy.
    **parameters
        Fields of the strategy.

    Returns
    -------
    Strategy, LookaheadStrategy or SingleGameStrategy

    Raises
    ------
    StrategyError
        For an unknown name (with the nearest known ones), a file that cannot be loaded, an
        unknown field, or a value that no parameter can have.

    Examples
    --------
    >>> strategy("greedy").name
    'greedy'
    """
    typed: dict[str, Any] = {}
    if isinstance(spec, str):
        try:
            head, typed = parse_spec(spec)
        except YahtzeeError as error:
            raise StrategyError(str(error)) from None
        found: Any = _class_of(head)
    else:
        found = spec
    parameters = typed | parameters
    if isinstance(found, type) and issubclass(found, _Strategy) and found not in _KINDS:
        made = _construct(found, parameters)
    elif is_strategy(found):
        made = _changed(found, parameters) if parameters else found
    else:
        raise StrategyError(
            f"a strategy is a name, 'file.py:Class', a strategy class or a strategy, not {spec!r}"
        )
    check_parameters(made)
    return made


def labelled(strategies: object) -> dict[str, AnyStrategy]:
    """Several strategies by label, from a list of specs or a ``{label: spec}`` mapping.

    Labels of a list are those of the strategies; the same one twice gets ``(2)``.
    """
    if isinstance(strategies, Mapping):
        named = {}
        for label, spec in strategies.items():
            if str(label) in named:
                raise YahtzeeError(
                    f"two strategies have the label {str(label)!r}; give each its own"
                )
            named[str(label)] = strategy(spec)
    elif isinstance(strategies, str) or not isinstance(strategies, Iterable):
        named = {(s := strategy(strategies)).label: s}
    else:
        named = {}
        for spec in strategies:
            made = strategy(spec)
            label, n = made.label, 1
            while label in named:
                n += 1
                label = f"{made.label} ({n})"
            named[label] = made
    if not named:
        raise YahtzeeError("no strategy was given; name at least one")
    return named


def _construct(cls: type[_Strategy], parameters: dict[str, Any]) -> Any:
    known = {f.name: f for f in fields(cls)}
    for name in parameters:
        if name not in known:
            if not known:
                raise StrategyError(f"{cls.name or cls.__name__} has no parameters; got {name!r}")
            raise StrategyError(f"{cls.name or cls.__name__}: {unknown('field', name, known)}")
    for f in known.values():
        if f.default is MISSING and f.default_factory is MISSING and f.name not in parameters:
            raise StrategyError(f"{cls.__name__}.{f.name} has no default; a parameter needs one")
    values = {name: _as_field(known[name], value) for name, value in parameters.items()}
    try:
        return cls(**values)
    except StrategyError:
        raise
    except Exception as error:
        raise StrategyError(
            f"{cls.name or cls.__name__} cannot be made: {type(error).__name__}: {error}"
        ) from error


def _changed(made: Any, parameters: dict[str, Any]) -> Any:
    current = {f.name: getattr(made, f.name) for f in fields(made)}
    checked = _construct(type(made), current | parameters)
    return replace(made, **{name: getattr(checked, name) for name in parameters})


def _as_field(field: Any, value: Any) -> Any:
    """A spec's text, where the field is a strategy, as that strategy."""
    wants_strategy = is_strategy(field.default) or "Strategy" in str(field.type)
    if isinstance(value, str) and wants_strategy:
        return strategy(value[1:-1] if value.startswith("(") else value)
    return value


# --- where strategies are found ---------------------------------------------------------------


def _classes_in(module: ModuleType) -> dict[str, type]:
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, _Strategy)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    }


@cache
def _registry() -> dict[str, type[AnyStrategy]]:
    found: dict[str, Any] = {}
    package = importlib.import_module("yahtzee_sim.strategies")
    sources: list[tuple[str, Any]] = [
        (f"strategies/{info.name}.py", info.name) for info in pkgutil.iter_modules(package.__path__)
    ]
    sources += [
        (f"plug-in {point.name} = {point.value}", point)
        for point in importlib.metadata.entry_points(group=GROUP)
    ]
    for shown, source in sources:
        try:
            if isinstance(source, str):
                loaded: Any = importlib.import_module(f"{package.__name__}.{source}")
            else:
                loaded = source.load()
            classes = _classes_in(loaded).values() if isinstance(loaded, ModuleType) else [loaded]
            for cls in classes:
                if not (isinstance(cls, type) and issubclass(cls, _Strategy)):
                    raise StrategyError(f"{cls!r} is no strategy class")
                if cls.name in found:
                    raise StrategyError(f"the name {cls.name!r} is already taken")
                found[cls.name] = cls
        except (Exception, SystemExit) as error:
            warnings.warn(
                f"{shown} was left out: {type(error).__name__}: {error}",
                RuntimeWarning,
                stacklevel=3,
            )
    return dict(sorted(found.items()))


def _class_of(head: str) -> type:
    path, separator, class_name = head.rpartition(".py:")
    if separator:
        return _class_in_file(path + ".py", class_name)
    if head.endswith(".py"):
        return _class_in_file(head, "")
    known = _registry()
    if head not in known:
        raise StrategyError(unknown("strategy", head, known))
    return known[head]


def _class_in_file(path: str, class_name: str) -> type:
    classes = _classes_in(module_of_file(path))
    if not class_name and len(classes) == 1:
        return next(iter(classes.values()))
    if class_name not in classes:
        has = ", ".join(classes) or "no strategy class"
        wanted = f"has no strategy class {class_name!r}" if class_name else "needs :Class after it"
        raise StrategyError(f"{path} {wanted}; the file has {has}")
    return classes[class_name]


def module_of_file(path: str) -> ModuleType:
    """Load a user's file, once for each content it has."""
    try:
        file = Path(path).expanduser().resolve()
        source = file.read_bytes()
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StrategyError(f"cannot read the strategy file {path}: {reason}") from None
    return _module_of_source(str(file), source)


def _module_of_source(file: str, source: bytes) -> ModuleType:
    """A module whose name is made from stable hashes of path and content, so that every process
    gives it the same one, and a file that is edited becomes another module."""
    digests = [hashlib.sha256(b).hexdigest()[:12] for b in (file.encode(), source)]
    name = f"yahtzee_sim_file_{'_'.join(digests)}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = file
    module.__dict__["__yahtzee_source__"] = source
    sys.modules[name] = module
    try:
        exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:
        sys.modules.pop(name, None)
        if not isinstance(error, Exception | SystemExit):
            raise
        raise StrategyError(f"cannot load {file}: {_one_line(error, file)}") from error
    return module


def _one_line(error: BaseException, file: str) -> str:
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)
    line = None
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    where = f"line {line}: " if line else ""
    return f"{where}{type(error).__name__}: {' '.join(str(error).split())}"


def rebuild(file: str, source: bytes, class_name: str, values: dict[str, Any]) -> Any:
    """Unpickle a strategy from a user's file: load its source, make the object."""
    return vars(_module_of_source(file, source))[class_name](**values)
