"""A command line's TARGET: a figure number, a file or a module."""

import ast
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from pgm_rnn.catalog import figure, names
from pgm_rnn.errors import TargetError
from pgm_rnn.reference import Reference


@dataclass(frozen=True)
class Target:
    """A program to look at, and how to call it."""

    name: str
    model: Callable
    args: tuple = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    reference: Reference | None = None  # of a figure


def parse_arguments(pairs: Iterable[str], option: str = "--arg") -> dict[str, Any]:
    """`name=value` pairs; a value is a Python literal, else a string.

    >>> parse_arguments(["tau=7", "cell=relu"])
    {'tau': 7, 'cell': 'relu'}
    """
    found = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.isidentifier():
            raise TargetError(f"{option} {pair!r} should be NAME=VALUE, for example {option} tau=7")
        try:
            found[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            found[name] = text
    return found


def resolve(target: str, arguments: dict[str, Any]) -> Target:
    """Find a target; `arguments` are a figure's options or a function's keyword arguments.

    A file or module may define `args` and `kwargs` beside its function: they are passed first.
    Raises UnknownFigure, BadOption, TargetError.
    """
    path, _, function = target.partition(":")
    if path.endswith(".py"):
        return _from_module(target, _load_file(Path(path)), function or "model", arguments)
    if _is_module(path, function):
        return _from_module(target, _load_module(path), function or "model", arguments)
    try:
        f = figure(target, **arguments)
    except TypeError:
        options = list(figure.__kwdefaults__ or {})
        unknown = sorted(set(arguments) - set(options))
        if not unknown:
            raise
        raise TargetError(
            f"fig {target} has no option {unknown[0]!r}; it takes {', '.join(options)}"
        ) from None
    return Target(f.stem, f.model, f.args, f.kwargs, f.reference)


def _is_module(path: str, function: str) -> bool:
    if path in names():
        return False
    dotted = all(part.isidentifier() for part in path.split("."))
    return bool(function) or (dotted and "." in path)


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise TargetError(
            f"no file {str(path)!r}; a target is a figure number, FILE.py or a module"
        )
    name = f"_pgm_target_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


def _load_module(name: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise TargetError(
                f"no module {name!r}; a target is a figure number ({', '.join(names())}), "
                "FILE.py:function or package.module:function"
            ) from None
        raise
    finally:
        sys.path.pop(0)


def _from_module(
    target: str, module: ModuleType, function: str, arguments: dict[str, Any]
) -> Target:
    model = getattr(module, function, None)
    if not callable(model):
        there = [
            n
            for n, value in vars(module).items()
            if callable(value)
            and not n.startswith("_")
            and getattr(value, "__module__", None) == module.__name__
        ]
        listed = f"; it has {', '.join(there)}" if there else ""
        raise TargetError(
            f"{target.partition(':')[0]} has no function {function!r}{listed}. "
            "Name one with FILE.py:FUNCTION"
        )
    args = tuple(getattr(module, "args", ()))
    kwargs = {**getattr(module, "kwargs", {}), **arguments}
    return Target(function, model, args, kwargs)
