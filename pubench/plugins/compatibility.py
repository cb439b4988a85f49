"""The plugin API: its number, what changed from one to the next, and what an older or newer plugin is told.

A plugin says beside its hooks which number it was written for::

    PUBENCH_API = 1

A number is raised only when a plugin has to change. Until then what is to go is deprecated: it works, with a
:class:`PluginDeprecationWarning` that says what to write instead, which the listings show under the plugin's name.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from pubench import __version__

__all__ = ["API", "CHANGES", "DECLARATION", "PluginDeprecationWarning", "declared_in", "verdict"]

API = 1
"""The number of the plugin API of this pubench."""
OLDEST = 1
"""The oldest number that still works."""
CHANGES: Mapping[int, str] = {}
"""For each number above the first, what a plugin has to change to get there, as one sentence without a full stop."""
DECLARATION = "PUBENCH_API"


class PluginDeprecationWarning(DeprecationWarning):
    """Something in the plugin API that still works and will go; the message says what to write instead."""


def verdict(declared: Any) -> tuple[str, str]:
    """Return why a plugin that declares this number cannot be used, and what it is warned of; texts may be empty.

    Parameters
    ----------
    declared : int or None
        None is a plugin that declares nothing: it is taken for one of the first API.
    """
    number = 1 if declared is None else declared
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        return (
            f"{DECLARATION} is {declared!r}; write the number of the plugin API there, {API} at present",
            "",
        )
    if number > API:
        return (
            f"made for a newer pubench: it needs plugin API {number}, and pubench {__version__} has {API}; "
            "upgrade pubench, or install an older version of the plugin"
        ), ""
    if number == API:
        return "", ""
    remedy = "; ".join(CHANGES[step] for step in range(number + 1, API + 1) if step in CHANGES)
    told = (
        f"made for plugin API {number}, and pubench {__version__} has {API}; to bring it up to date: {remedy}; "
        f"then set {DECLARATION} = {API}"
    )
    return (told, "") if number < OLDEST else ("", told)


def declared_in(module: str, file: str = "") -> Any:
    """Return the number that a plugin's source declares, without running it; None if there is none.

    A plugin made for a newer pubench may fail to import: this tells why.
    """
    source = Path(file) if file else _source(module)
    try:
        tree = ast.parse(source.read_text(encoding="utf-8")) if source is not None else ast.Module([], [])
    except (OSError, SyntaxError, ValueError):
        return None
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(getattr(target, "id", "") == DECLARATION for target in targets):
            value = getattr(node, "value", None)
            return value.value if isinstance(value, ast.Constant) else None
    return None


def _source(module: str) -> Path | None:
    """Return the file of a module, importing neither it nor its parents."""
    path: list[str] | None = None
    found = None
    for part in module.split("."):
        found = PathFinder.find_spec(part, path)
        if found is None:
            return None
        path = list(found.submodule_search_locations or [])
    return Path(found.origin) if found is not None and found.origin else None
