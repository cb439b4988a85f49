"""LightGBM, silent and repeatable: trees by slopes and curvatures of our own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from pubench.errors import PubenchError
from pubench.estimators.sharing import SHARED, digest

__all__ = ["EngineError", "HeldOut", "boost", "raw_scores"]

Floats = NDArray[np.float64]
Derivatives = Callable[[Floats], tuple[Floats, Floats]]

# The same bits for any number of threads: one way of summing, whatever LightGBM would choose by trying both.
_FIXED = {
    "deterministic": True,
    "feature_pre_filter": False,
    "force_col_wise": True,
    "metric": "None",
    "verbosity": -1,
}


class EngineError(PubenchError, ImportError):
    """LightGBM cannot be loaded."""


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Rows for early stopping: ``loss`` of their scores, trees being added until ``patience`` of them do not help."""

    X: Any
    loss: Callable[[Floats], float]
    patience: int


def boost(
    X: Any,
    derivatives: Derivatives,
    options: Mapping[str, Any],
    *,
    initial_score: float,
    n_trees: int,
    held_out: HeldOut | None = None,
) -> tuple[Any, Floats]:
    """Grow trees.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
    derivatives : function of scores of shape (n,)
        Returns slopes and curvatures, both of shape (n,).
    options : mapping
        LightGBM's parameters.
    initial_score : float
        Where the score of each row starts; no tree holds it.
    n_trees : int
    held_out : HeldOut, optional

    Returns
    -------
    booster : lightgbm.Booster
        Without the training rows; with held-out rows, cut after the tree of the least loss.
    losses : ndarray of shape (t,)
        The loss of the held-out rows after each tree tried; empty without them.
    """
    lightgbm = _import_lightgbm()
    fixed = {**_FIXED, "bin_construct_sample_cnt": _rows_for_bins(X)}
    params = {**options, **fixed, "objective": lambda scores, _: derivatives(scores)}

    def dataset(rows: Any, reference: Any = None) -> Any:
        start = np.full(rows.shape[0], initial_score)
        return lightgbm.Dataset(_readable(rows), init_score=start, reference=reference, params=fixed)

    with _binned(X, initial_score, lambda: dataset(X).construct()) as train:
        return _boosted(lightgbm, params, train, n_trees, held_out, dataset)


@dataclass(frozen=True, slots=True, eq=False)
class _Bins:
    """Rows in LightGBM's bins, and who trains on them: it writes parameters into its data set while it does."""

    rows: Any
    used: Any = field(default_factory=Lock)

    @property
    def arrays(self) -> tuple[()]:
        """LightGBM's memory is not ours to lock."""
        return ()


@contextmanager
def _binned(X: Any, initial_score: float, make: Callable[[], Any]) -> Iterator[Any]:
    """Lend the binned rows, which trials of a search share; another thread's turn makes its own."""
    if not isinstance(X, np.ndarray):
        yield make()
        return
    kept = SHARED.get(
        ("novelgb", digest(X), initial_score), lambda: _Bins(make()), other_bytes=X.size + 8 * len(X)
    )
    if not kept.used.acquire(blocking=False):
        yield make()
        return
    try:
        yield kept.rows
    finally:
        kept.used.release()


def _boosted(
    lightgbm: Any,
    params: dict[str, Any],
    train: Any,
    n_trees: int,
    held_out: HeldOut | None,
    dataset: Callable[..., Any],
) -> tuple[Any, Floats]:
    n_features = train.num_feature()
    if not any(train.feature_num_bin(column) > 1 for column in range(n_features)):
        return _stump(lightgbm, n_features), np.empty(0)
    if held_out is None:
        return lightgbm.train(params, train, n_trees), np.empty(0)
    loss, losses = held_out.loss, []

    def evaluate(scores: Floats, _: Any) -> tuple[str, float, bool]:
        losses.append(loss(scores))
        return "loss", losses[-1], False

    booster = lightgbm.train(
        params,
        train,
        n_trees,
        valid_sets=[dataset(held_out.X, train)],
        feval=evaluate,
        callbacks=[lightgbm.early_stopping(held_out.patience, verbose=False)],
    )
    return booster, np.asarray(losses)


def _rows_for_bins(X: Any) -> int:
    """Return how many rows the bins are found from.

    LightGBM copies them: all of them would double the memory and, at 100,000 rows, take half of the time. 5,000 place
    255 bins of dense columns as well as any number; in sparse ones rare values matter and copies are small.
    """
    return max(5_000, X.shape[0] // 4) if isinstance(X, np.ndarray) else 200_000


def _stump(lightgbm: Any, n_features: int) -> Any:
    """Return one leaf of value 0: LightGBM fails on rows without a varying column, so two others replace them."""
    rows = np.vstack([np.zeros(n_features), np.ones(n_features)])
    params = {**_FIXED, "min_data_in_bin": 1, "min_data_in_leaf": 2}
    return lightgbm.train(params, lightgbm.Dataset(rows, label=np.zeros(2), params=params), 1)


def raw_scores(booster: Any, X: Any, *, n_threads: int, first: int = 0, n_trees: int = -1) -> Floats:
    """Return the sum of some trees for each row, shape (n,); the initial score is not in it."""
    scores = booster.predict(
        _readable(X), raw_score=True, start_iteration=first, num_iteration=n_trees, num_threads=n_threads
    )
    return np.asarray(scores, dtype=np.float64)


def _readable(X: Any) -> Any:
    """Return sparse arrays as the matrices that LightGBM knows, with indices of 32 bits; values are not copied."""
    if isinstance(X, np.ndarray):
        return X
    if max(*X.shape, X.nnz) > np.iinfo(np.int32).max:
        raise ValueError(
            f"a sparse X of shape {X.shape} with {X.nnz} values needs 64-bit indices; give fewer rows"
        )
    indices, starts = (part.astype(np.int32, copy=False) for part in (X.indices, X.indptr))
    return csr_matrix((X.data, indices, starts), shape=X.shape)


def _import_lightgbm() -> Any:
    try:
        import lightgbm
    except OSError as error:
        # Its wheels for Linux hold no OpenMP runtime: a bare machine may have none.
        raise EngineError(
            f"NovelGB needs LightGBM, which cannot be loaded here ({error}); install the system's OpenMP runtime, "
            "for example with 'apt install libgomp1' or 'dnf install libgomp'"
        ) from None
    except ImportError as error:
        raise EngineError(
            f"NovelGB needs LightGBM, which cannot be imported ({error}); install it with 'pip install lightgbm'"
        ) from None
    return lightgbm
