"""Decoys: true labels in variables that a plugin must not read; contracts check that its results ignore them."""

from __future__ import annotations

import builtins
import contextlib
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["beside"]

T = TypeVar("T")
_WORDS = (
    "y",
    "y_true",
    "true_y",
    "y_train",
    "truth",
    "target",
    "targets",
    "labels",
    "true_labels",
    "classes",
)
NAMES = tuple(
    dict.fromkeys(form for word in _WORDS for form in (word, word.upper(), f"_{word}", f"_{word.upper()}"))
)


def beside(decoy: NDArray[np.int64], package: str, call: Callable[[], T]) -> T:
    """Return the result of ``call()`` while ``decoy`` is bound to names such as y where a plugin could find it.

    These places are the local variables of the caller, the main module, Python's builtins, and the modules of the
    plugin's ``package``. A name that is bound to something other than data is not changed.
    """
    modules = [builtins, sys.modules["__main__"], *_modules_of(package)]
    with contextlib.ExitStack() as stack:
        for module in modules:
            stack.enter_context(_planted(vars(module), decoy))
        return _from_a_frame(call, decoy)


def _from_a_frame(call: Callable[[], T], y: NDArray[np.int64]) -> T:
    y_true = y_train = truth = target = labels = y
    result = call()
    # The names are used after the call, so that they exist while it runs.
    assert all(name is y for name in (y_true, y_train, truth, target, labels))
    return result


def _modules_of(package: str) -> list[ModuleType]:
    return [
        module
        for name, module in list(sys.modules.items())
        if (name == package or name.startswith(f"{package}.")) and module is not None
    ]


@contextlib.contextmanager
def _planted(variables: dict[str, object], decoy: NDArray[np.int64]) -> Iterator[None]:
    before = {name: variables[name] for name in NAMES if name in variables}
    free = [name for name in NAMES if isinstance(before.get(name), np.ndarray | list | None)]
    variables.update(dict.fromkeys(free, decoy))
    try:
        yield
    finally:
        for name in free:
            if name in before:
                variables[name] = before[name]
            else:
                variables.pop(name, None)
