"""Import strings and plugin files: from a name in a spec to the object, in the process that needs it."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from pubench.errors import PubenchError
from pubench.interpreter import require_compiled

__all__ = ["import_all", "load_file", "load_files", "resolve"]


@lru_cache(maxsize=1024)
def resolve(reference: str) -> Any:  # edge: the object may be of any type
    """Return the object named by ``"package.module:attribute"``."""
    module_name, colon, attribute = reference.partition(":")
    if not colon or not module_name or not attribute:
        raise PubenchError(f"import string '{reference}' must look like 'package.module:attribute'")
    value: object = _import(module_name)
    for part in attribute.split("."):
        try:
            value = getattr(value, part)
        except AttributeError:
            raise PubenchError(f"import string '{reference}': {module_name} has no '{attribute}'") from None
    return value


def _import(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        require_compiled(error.name or "")
        raise


def load_file(path: str | Path) -> ModuleType:
    """Import one Python file under its own name (``my_method.py`` as ``my_method``), once per process."""
    file = Path(os.path.realpath(path))
    if not file.is_file() or file.suffix != ".py":
        problem = "is not a Python file" if file.exists() else "does not exist, so it is not a Python file"
        raise PubenchError(f"plugin file '{path}' {problem}; name an existing .py file")
    name = file.stem
    loaded = sys.modules.get(name)
    if loaded is not None and getattr(loaded, "__file__", None) == str(file):
        return loaded
    spec = importlib.util.find_spec(name) if loaded is None else None
    if spec is not None and spec.origin == str(file):
        return importlib.import_module(name)
    if loaded is not None or spec is not None:
        raise PubenchError(f"plugin file '{path}': a module named '{name}' already exists; rename the file")
    return _execute(name, file)


def _execute(name: str, file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def load_files(paths: Iterable[str]) -> None:
    """Import single plugin files so that their import strings resolve in this process."""
    for path in paths:
        load_file(path)


def import_all(files: Iterable[str], references: Iterable[str]) -> None:
    """Import plugin files, then what import strings name, so that nothing is left to import when it is used."""
    load_files(files)
    for reference in references:
        resolve(reference)
