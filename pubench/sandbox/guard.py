"""The rule that processes which run algorithms load no data set: a mark in their environment, and who heeds it.

The mark is a variable, so that programs which a plugin starts carry it too. It guards against mistakes, not malice.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from pubench.errors import DataError

__all__ = ["MARK", "child_environment", "mark_process", "refuse_in_child"]

MARK, _HIDDEN = "PUBENCH_TRUTH", "hidden"
# Where files with true classes are: the cache, and the folder of the papers' data.
_PLACES = ("PUBENCH_CACHE", "PUBENCH_DATA")


def child_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a process that runs algorithms: with the mark, and without places of true classes."""
    kept = {name: value for name, value in environment.items() if name not in _PLACES}
    return kept | {MARK: _HIDDEN}


def mark_process() -> None:
    """Make this process, and all that it starts, one that runs algorithms."""
    for name in _PLACES:
        os.environ.pop(name, None)
    os.environ[MARK] = _HIDDEN


def refuse_in_child() -> None:
    """Raise a DataError in a process that runs algorithms; a loader calls this first.

    Data sets that are loaded through pubench are refused anyway. The call protects a loader that an algorithm imports
    from its plugin and calls itself.
    """
    if os.environ.get(MARK) == _HIDDEN:
        raise DataError(
            "a process that runs an algorithm must not load data sets: they come with their true classes"
        )
