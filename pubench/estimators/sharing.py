"""A bounded memory of what fits on the same rows share: neighbours, Gram matrices, binned columns, scores.

Trials of a search fit the same rows with other parameters, in one process. What depends on the rows alone, or on
them and a parameter that trials repeat, is kept here under a digest of the rows' contents. Results are the same
with and without it: a kept value is the one that would be computed again. An example::

    from pubench.estimators.sharing import SHARED, Matrix, digest

    squares = SHARED.get(("mine", digest(X)), lambda: Matrix(X @ X.T)).values

The key begins with a name of the plugin's own and holds all that the value depends on.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

__all__ = ["SHARED", "Kept", "Matrix", "Store", "digest"]


class Kept(Protocol):
    """What can be kept: anything that lists the arrays it holds."""

    @property
    def arrays(self) -> Iterable[NDArray[Any]]:
        """The arrays that are not to be changed."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """An array that can be kept."""

    values: NDArray[Any]

    @property
    def arrays(self) -> tuple[NDArray[Any]]:
        """The array."""
        return (self.values,)


Value = TypeVar("Value", bound=Kept)


class Store:
    """Values by key, the least recently used dropped first; safe to share among threads.

    Parameters
    ----------
    entries : int
        How many values are kept at most.
    megabytes : float
        How much memory their arrays take at most; 0 keeps nothing. A value that is larger is never kept.
    """

    def __init__(self, entries: int, megabytes: float) -> None:
        self._entries = entries
        self._bytes = int(megabytes * 2**20)
        self._values: OrderedDict[Hashable, tuple[Kept, int]] = OrderedDict()
        self._used = 0
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value], *, other_bytes: int = 0) -> Value:
        """Return the value of a key, made again unless it is kept; its arrays are read-only.

        ``other_bytes`` is the memory that a value takes outside its arrays. Two threads that ask at once may both make
        it: they get equal values, and none waits.
        """
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return cast(Value, self._values[key][0])
        value = make()
        for array in value.arrays:
            array.flags.writeable = False
        self._keep(key, value, other_bytes + sum(array.nbytes for array in value.arrays))
        return value

    def __len__(self) -> int:
        """How many values are kept."""
        return len(self._values)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._values.clear()
            self._used = 0

    def _keep(self, key: Hashable, value: Kept, size: int) -> None:
        with self._lock:
            if size > self._bytes or key in self._values:
                return
            self._values[key] = (value, size)
            self._used += size
            while len(self._values) > self._entries or self._used > self._bytes:
                self._used -= self._values.popitem(last=False)[1][1]


def digest(*arrays: NDArray[Any]) -> bytes:
    """Return a digest of arrays: their shapes, types and the bytes of their numbers."""
    state = sha256()
    for array in arrays:
        state.update(repr((array.shape, array.dtype.str)).encode())
        state.update(np.ascontiguousarray(array).data)
    return state.digest()


# The one object that fits have in common. Sixty-four entries hold the folds of a cross-validation with a dozen widths
# each; 256 megabytes, five Gram matrices of 2,500 rows.
SHARED = Store(entries=64, megabytes=256)
