"""What metrics share: arrays of classes, decisions, scores and probabilities, checked, counted and ranked."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "bin_of",
    "binary",
    "checked_probabilities",
    "checked_scores",
    "confusion",
    "correlation",
    "counts_in",
    "middle_ranks",
    "ratio",
    "roc_counts",
]


def roc_counts(
    positive: NDArray[np.bool_], scores: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the counts TP and FP, from no row to all, after each distinct score in decreasing order."""
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), scores.size - 1)
    tp = np.cumsum(positive[order], dtype=np.float64)[ends]
    return np.append(0.0, tp), np.append(0.0, ends + 1.0 - tp)


def counts_in(start: NDArray[np.float64], width: float, values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Count the values in each window [start, start + width]."""
    ordered = np.sort(values)
    return np.searchsorted(ordered, start + width, side="right") - np.searchsorted(ordered, start)


def middle_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ranks of values from 1 on; equal ones share the mean of theirs."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    middle: NDArray[np.float64] = np.cumsum(sizes) - (sizes - 1) / 2.0
    return middle[group]


def correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return Pearson's correlation, 0 if an array is constant."""
    if np.ptp(one) == 0.0 or np.ptp(other) == 0.0:
        return 0.0
    return float(np.clip(np.corrcoef(one, other)[0, 1], -1.0, 1.0))


def confusion(y: ArrayLike, decision: ArrayLike) -> tuple[int, int, int, int]:
    """Return the counts TP, FP, FN, TN."""
    truth, decided = binary("y", y), binary("decisions", decision)
    if truth.size != decided.size:
        raise ValueError(f"y and decisions must have the same length, not {truth.size} and {decided.size}")
    tp = int(np.count_nonzero(truth & decided))
    fp = int(np.count_nonzero(decided)) - tp
    fn = int(np.count_nonzero(truth)) - tp
    return tp, fp, fn, truth.size - tp - fp - fn


def binary(what: str, values: ArrayLike) -> NDArray[np.bool_]:
    """Return where 0/1 values are 1; ``what`` names them in errors."""
    array = np.asarray(values)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{what} must be a non-empty array of one dimension, not one of shape {array.shape}")
    ones: NDArray[np.bool_] = array == 1
    if np.count_nonzero(ones) + np.count_nonzero(array == 0) != array.size:
        raise ValueError(f"{what} must hold 1 for positive and 0 for negative, and nothing else")
    return ones


def checked_scores(y: ArrayLike, score: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return the positives and their finite scores."""
    positive, scores = binary("y", y), np.asarray(score, dtype=np.float64)
    if scores.shape != positive.shape:
        raise ValueError(
            f"y and scores must have the same length, not shapes {positive.shape} and {scores.shape}"
        )
    if not np.isfinite(scores).all():
        raise ValueError("scores must be finite numbers")
    return positive, scores


def checked_probabilities(
    y: ArrayLike, probability: ArrayLike
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return the positives and the probabilities, between 0 and 1."""
    positive, p = binary("y", y), np.asarray(probability, dtype=np.float64)
    if p.shape != positive.shape:
        raise ValueError(
            f"y and probabilities must have the same length, not shapes {positive.shape} and {p.shape}"
        )
    # Written so that NaN fails it too.
    if not (p.min() >= 0.0 and p.max() <= 1.0):
        raise ValueError("probabilities must lie between 0 and 1")
    return positive, p


def ratio(part: int, whole: int) -> float:
    """Return part / whole; nan of nothing."""
    return part / whole if whole else float("nan")


def bin_of(p: NDArray[np.float64], bins: int) -> NDArray[np.intp]:
    """Return the bin of each probability, of so many of equal width."""
    return np.minimum((p * bins).astype(np.intp), bins - 1)
