"""Fitted trees: plain arrays, which pickle, and what can be read from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench_extratrees._walk import walk_dense, walk_sparse

__all__ = ["Grown", "Trees", "as_rows"]

Grown = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]
_MOST_NODES = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """One or more trees, their nodes one after another, each root before its tree.

    Attributes
    ----------
    steps : int32 ndarray of shape (n_nodes, 4)
        Feature, threshold, left child and share of positives, as the kernels read them.
    roots : int32 ndarray of shape (n_trees,)
    n_labelled, n_unlabelled : int32 ndarrays of shape (n_nodes,)
        Rows of P and U in each node, repeated ones counted as often as drawn.
    risk : float64 ndarray of shape (n_nodes,)
        The least PU risk of a constant prediction in each node; -inf where uPU has no least.
    """

    steps: NDArray[np.int32]
    roots: NDArray[np.int32]
    n_labelled: NDArray[np.int32]
    n_unlabelled: NDArray[np.int32]
    risk: NDArray[np.float64]

    @classmethod
    def join(cls, grown: Iterable[Grown]) -> Trees:
        """Put trees together as they come, so that none is held twice; children are numbered again."""
        columns = _Growing(np.int32, 4), _Growing(np.int32), _Growing(np.int32), _Growing(np.float64)
        roots = []
        for tree in grown:
            start = columns[0].size
            if start + len(tree[0]) > _MOST_NODES:
                raise ValueError(
                    f"the trees have more than {_MOST_NODES} nodes in all; "
                    "grow fewer trees, or limit max_depth or max_leaf_nodes"
                )
            roots.append(start)
            tree[0][:, 2] += start
            parts: Sequence[NDArray[Any]] = tree
            for column, part in zip(columns, parts, strict=True):
                column.append(part)
        steps, n_labelled, n_unlabelled, risk = (column.finish() for column in columns)
        return cls(steps, np.array(roots, dtype=np.int32), n_labelled, n_unlabelled, risk)

    @property
    def feature(self) -> NDArray[np.int32]:
        """The feature each node asks about, shape (n_nodes,); it has no meaning in a leaf."""
        return self.steps[:, 0]

    @property
    def threshold(self) -> NDArray[np.float32]:
        """Rows at or below it go left, shape (n_nodes,); infinite in a leaf."""
        return self.steps.view(np.float32)[:, 1]

    @property
    def left(self) -> NDArray[np.int32]:
        """The left child, shape (n_nodes,), the right one being the next node; a leaf is its own."""
        return self.steps[:, 2]

    @property
    def share(self) -> NDArray[np.float32]:
        """The estimated share of positives v* in [0, 1], shape (n_nodes,)."""
        return self.steps.view(np.float32)[:, 3]

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each node is a leaf, shape (n_nodes,)."""
        return np.asarray(self.left == np.arange(len(self.left)))

    def sum_shares(self, X: Any) -> NDArray[np.float64]:
        """Return, for rows as :func:`as_rows` gives them, the sum of their leaves' shares; shape (n,)."""
        sums = np.zeros(X.shape[0])
        self._walk(X, sums, None)
        return sums

    def find_leaves(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree, shape (n, n_trees)."""
        leaves = np.empty((X.shape[0], len(self.roots)), dtype=np.int32)
        self._walk(X, None, leaves)
        return leaves

    def _walk(self, X: Any, sums: NDArray[np.float64] | None, leaves: NDArray[np.int32] | None) -> None:
        if isinstance(X, np.ndarray):
            walk_dense(self.steps, self.roots, X, sums, leaves)
        else:
            parts = (X.data, X.indices, X.indptr)
            walk_sparse(self.steps, self.roots, *parts, X.shape[1], sums, leaves)


class _Growing:
    """An array that grows at its end: large blocks are moved by the operating system, without a second copy."""

    def __init__(self, dtype: type[np.generic], *width: int) -> None:
        self._array: NDArray[Any] = np.empty((0, *width), dtype=dtype)
        self.size = 0

    def append(self, part: NDArray[Any]) -> None:
        end = self.size + len(part)
        if end > len(self._array):
            self._resize(max(end, len(self._array) + len(self._array) // 8))
        self._array[self.size : end] = part
        self.size = end

    def finish(self) -> NDArray[Any]:
        self._resize(self.size)
        return self._array

    def _resize(self, length: int) -> None:
        # Nobody else refers to it yet.
        self._array.resize((length, *self._array.shape[1:]), refcheck=False)


def as_rows(X: Any) -> Any:
    """Return checked rows as the kernels want them: as they are if dense, else sorted and with 32-bit indices."""
    if isinstance(X, np.ndarray):
        return X
    if max(*X.shape, X.nnz) > _MOST_NODES:
        raise ValueError(
            f"a sparse X of shape {X.shape} with {X.nnz} values needs 64-bit indices; give fewer rows"
        )
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return type(X)(
        (X.data, X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int32, copy=False)), shape=X.shape
    )
