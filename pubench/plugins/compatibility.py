"""Versions of the plugin API: discovery checks the version of each plugin that it loads.

A plugin states next to its hooks which version it was written for::

    PUBENCH_API = 1

The version is raised only when plugins have to change. Until then, old features are deprecated: they work, with a
:class:`PluginDeprecationWarning` that names the replacement, which listings show under the plugin's name.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NamedTuple

from pubench import __version__

__all__ = ["API", "CHANGES", "DECLARATION", "PluginDeprecationWarning", "Verdict", "declared_in", "verdict"]

API = 1
"""The version of the plugin API of this pubench."""
OLDEST = 1
"""The oldest supported version."""
CHANGES: Mapping[int, str] = {}
"""For each version above the first, what a plugin has to change, as one sentence without a full stop."""
DECLARATION = "PUBENCH_API"


class PluginDeprecationWarning(DeprecationWarning):
    """A deprecated feature of the plugin API; the message names the replacement."""


class Verdict(NamedTuple):
    """Why a plugin cannot be used, and what its author should change; either text may be empty."""

    refusal: str = ""
    warning: str = ""


def verdict(declared: object) -> Verdict:
    """Return whether a plugin that declares this version can be used.

    Parameters
    ----------
    declared : int or None
        None means that the plugin declares nothing; it is treated as written for the first version.
    """
    number = 1 if declared is None else declared
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        return Verdict(
            refusal=f"{DECLARATION} is {declared!r}; set it to the version of the plugin API, currently {API}"
        )
    if number > API:
        return Verdict(
            refusal=f"made for a newer pubench: it needs plugin API {number}, but pubench {__version__} has {API}; "
            "upgrade pubench, or install an older version of the plugin"
        )
    if number == API:
        return Verdict()
    remedy = "; ".join(CHANGES[step] for step in range(number + 1, API + 1) if step in CHANGES)
    advice = (
        f"made for plugin API {number}, but pubench {__version__} has {API}; to update the plugin: {remedy}; "
        f"then set {DECLARATION} = {API}"
    )
    return Verdict(refusal=advice) if number < OLDEST else Verdict(warning=advice)


def declared_in(module: str, file: str = "") -> object:
    """Return the version that a plugin's source declares, without running it; None if there is none.

    A plugin made for a newer pubench may fail to import; its version explains why.
    """
    source = Path(file) if file else _source(module)
    try:
        # A device or a pipe need not have an end; it is refused when it is loaded.
        readable = source is not None and source.is_file()
        tree = ast.parse(source.read_text(encoding="utf-8")) if source and readable else ast.Module([], [])
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(getattr(target, "id", "") == DECLARATION for target in targets):
            value = getattr(node, "value", None)
            return value.value if isinstance(value, ast.Constant) else None
    return None


def _source(module: str) -> Path | None:
    """Return the file of a module without importing the module or its parents."""
    path: list[str] | None = None
    spec = None
    for part in module.split("."):
        spec = PathFinder.find_spec(part, path)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or [])
    return Path(spec.origin) if spec is not None and spec.origin else None
