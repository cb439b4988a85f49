"""True labels laid out where a plugin has no business to look: its answers must not change with them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

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
    """Return ``call()``, made while ``decoy`` stands under y-like names where a plugin could find it.

    These are the local variables of the caller, the main module, and the modules of the plugin's ``package``. A name
    that holds something else than data there is left alone.
    """
    modules = [sys.modules["__main__"], *_modules_of(package)]
    with contextlib.ExitStack() as stack:
        for module in modules:
            stack.enter_context(_planted(vars(module), decoy))
        return _from_a_frame(call, decoy)


def _from_a_frame(call: Callable[[], T], y: NDArray[np.int64]) -> T:
    y_true = y_train = truth = target = labels = y
    made = call()
    # Used after the call, so that they are there while it runs.
    assert all(found is y for found in (y_true, y_train, truth, target, labels))
    return made


def _modules_of(package: str) -> list[Any]:
    return [
        module
        for name, module in list(sys.modules.items())
        if (name == package or name.startswith(f"{package}.")) and module is not None
    ]


@contextlib.contextmanager
def _planted(variables: dict[str, Any], decoy: NDArray[np.int64]) -> Iterator[None]:
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
