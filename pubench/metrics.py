r"""Evaluations with true classes, in plain NumPy: small tables are scored in microseconds.

Every function is called ``function(y, values)`` with ``y`` of shape (n,), 1 = positive and 0 = negative, and
``values`` of shape (n,): 0/1 decisions, real scores, or probabilities of the positive class.

**Undefined values.** What ``y`` makes undefined is nan: recall, F1 and average precision without a positive,
balanced accuracy and ROC AUC without both classes. What the model makes undefined counts against it:
precision is 0 when nothing is predicted positive. Empty, unequal, non-binary or NaN input is a ValueError.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pubench._ranking import auc_and_ap

__all__ = [
    "accuracy",
    "average_precision",
    "balanced_accuracy",
    "brier",
    "calibration_error",
    "collapsed",
    "f1",
    "log_loss",
    "precision",
    "predicted_positive_rate",
    "recall",
    "reliability",
    "roc_auc",
]

_BINS = 10


def accuracy(y: ArrayLike, decision: ArrayLike) -> float:
    """Return the share of rows decided rightly, (TP + TN) / n."""
    tp, fp, fn, tn = _confusion(y, decision)
    return (tp + tn) / (tp + fp + fn + tn)


def balanced_accuracy(y: ArrayLike, decision: ArrayLike) -> float:
    """Return the mean of the two classes' accuracies, (TPR + TNR) / 2; nan unless ``y`` has both classes."""
    tp, fp, fn, tn = _confusion(y, decision)
    return (_ratio(tp, tp + fn) + _ratio(tn, tn + fp)) / 2.0


def precision(y: ArrayLike, decision: ArrayLike) -> float:
    """Return the share of positives among those predicted positive, TP / (TP + FP); 0 if there are none."""
    tp, fp, _, _ = _confusion(y, decision)
    return tp / (tp + fp) if tp + fp else 0.0


def recall(y: ArrayLike, decision: ArrayLike) -> float:
    """Return the share of positives predicted positive, TP / (TP + FN); nan if ``y`` has no positive."""
    tp, _, fn, _ = _confusion(y, decision)
    return _ratio(tp, tp + fn)


def f1(y: ArrayLike, decision: ArrayLike) -> float:
    """Return the harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN); nan without a positive."""
    tp, fp, fn, _ = _confusion(y, decision)
    return 2 * tp / (2 * tp + fp + fn) if tp + fn else float("nan")


def predicted_positive_rate(y: ArrayLike, decision: ArrayLike) -> float:
    """Return the share of rows predicted positive, (TP + FP) / n; ``y`` is only checked."""
    tp, fp, fn, tn = _confusion(y, decision)
    return (tp + fp) / (tp + fp + fn + tn)


def roc_auc(y: ArrayLike, score: ArrayLike) -> float:
    """Return the chance that a positive outscores a negative, ties counted half; nan without both classes."""
    return auc_and_ap(score, _binary("y", y))[0]


def average_precision(y: ArrayLike, score: ArrayLike) -> float:
    r"""Return :math:`\sum_k (R_k - R_{k-1}) P_k` over the distinct scores; nan if ``y`` has no positive."""
    return auc_and_ap(score, _binary("y", y))[1]


def log_loss(y: ArrayLike, probability: ArrayLike) -> float:
    r"""Return the mean of :math:`-\ln \Pr(y)`, probabilities clipped to [eps, 1 - eps] of a double."""
    positive, p = _probabilities(y, probability)
    eps = np.finfo(np.float64).eps
    of_truth = np.where(positive, p, 1.0 - p).clip(eps, 1.0 - eps)
    return float(-np.log(of_truth).mean())


def calibration_error(y: ArrayLike, probability: ArrayLike) -> float:
    r"""Return the expected calibration error over ten bins of equal width.

    :math:`\sum_b \frac{n_b}{n} |\bar y_b - \bar p_b|`, with bins [0, 0.1), ..., [0.9, 1].
    """
    positive, p = _probabilities(y, probability)
    bins = _bin_of(p)
    # n_b |mean y - mean p| is |sum (y - p)| over the bin, so no bin is divided by its count.
    gaps = np.bincount(bins, weights=positive - p, minlength=_BINS)
    return float(np.abs(gaps).sum() / p.size)


def reliability(y: ArrayLike, probability: ArrayLike) -> tuple[tuple[int, float, float], ...]:
    r"""Return the points of a reliability curve: :math:`(n_b, \bar p_b, \bar y_b)` of each bin that holds rows.

    The bins are those of :func:`calibration_error`, which is the mean gap between the last two, weighted by the first.
    """
    positive, p = _probabilities(y, probability)
    bins = _bin_of(p)
    rows = np.bincount(bins, minlength=_BINS)
    sums = (np.bincount(bins, weights=values, minlength=_BINS) for values in (p, positive))
    return tuple(
        (int(n), float(of_p / n), float(of_y / n)) for n, of_p, of_y in zip(rows, *sums, strict=True) if n
    )


def _bin_of(p: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.minimum((p * _BINS).astype(np.intp), _BINS - 1)


def brier(y: ArrayLike, probability: ArrayLike) -> float:
    r"""Return the Brier score :math:`\frac{1}{n} \sum_i (p_i - y_i)^2`."""
    positive, p = _probabilities(y, probability)
    return float(np.mean((p - positive) ** 2))


def collapsed(decision: ArrayLike) -> bool:
    """Tell whether every row is decided alike: such a model separates nothing, whatever it scores."""
    positive = _binary("decisions", decision)
    return int(np.count_nonzero(positive)) in (0, positive.size)


def _confusion(y: ArrayLike, decision: ArrayLike) -> tuple[int, int, int, int]:
    """Return the counts TP, FP, FN, TN."""
    truth, decided = _binary("y", y), _binary("decisions", decision)
    if truth.size != decided.size:
        raise ValueError(f"y and decisions must have the same length, not {truth.size} and {decided.size}")
    tp = int(np.count_nonzero(truth & decided))
    fp = int(np.count_nonzero(decided)) - tp
    fn = int(np.count_nonzero(truth)) - tp
    return tp, fp, fn, truth.size - tp - fp - fn


def _binary(what: str, values: ArrayLike) -> NDArray[np.bool_]:
    array = np.asarray(values)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{what} must be a non-empty array of one dimension, not one of shape {array.shape}")
    ones: NDArray[np.bool_] = array == 1
    if np.count_nonzero(ones) + np.count_nonzero(array == 0) != array.size:
        raise ValueError(f"{what} must hold 1 for positive and 0 for negative, and nothing else")
    return ones


def _probabilities(y: ArrayLike, probability: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    positive, p = _binary("y", y), np.asarray(probability, dtype=np.float64)
    if p.shape != positive.shape:
        raise ValueError(
            f"y and probabilities must have the same length, not shapes {positive.shape} and {p.shape}"
        )
    # Written so that NaN fails it too.
    if not (p.min() >= 0.0 and p.max() <= 1.0):
        raise ValueError("probabilities must lie between 0 and 1")
    return positive, p


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
