r"""Evaluations with true classes, in plain NumPy: small tables are scored in microseconds.

Every function is called ``function(y, values)`` with ``y`` of shape (n,), 1 = positive and 0 = negative, and
``values`` of shape (n,): 0/1 decisions, real scores, or probabilities of the positive class.

**Undefined values.** What ``y`` makes undefined is nan: recall, F1, average precision and the Boyce index without a
positive, balanced accuracy, both AUCs and the correlation without both classes. What the model makes undefined counts
against it: precision is 0 when nothing is predicted positive, and correlations are 0 when all scores are equal. Empty,
unequal, non-binary or NaN input is a ValueError.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pubench._ranking import auc_and_ap
from pubench.numerics import judged

__all__ = [
    "accuracy",
    "auc_prg",
    "average_precision",
    "balanced_accuracy",
    "boyce",
    "brier",
    "calibration_error",
    "collapsed",
    "cor",
    "f1",
    "log_loss",
    "precision",
    "predicted_positive_rate",
    "recall",
    "reliability",
    "roc_auc",
]

_BINS = 10
_WINDOWS, _WINDOW = 101, 0.1


def accuracy(y: ArrayLike, decision: ArrayLike) -> float:
    """Return the share of rows decided rightly, (TP + TN) / n.

    Examples
    --------
    >>> from pubench.metrics import accuracy
    >>> accuracy([1, 1, 0, 0], [1, 0, 0, 0])
    0.75
    """
    tp, fp, fn, tn = judged.confusion(y, decision)
    return (tp + tn) / (tp + fp + fn + tn)


def balanced_accuracy(y: ArrayLike, decision: ArrayLike) -> float:
    """Return the mean of the two classes' accuracies, (TPR + TNR) / 2; nan unless ``y`` has both classes.

    Examples
    --------
    >>> from pubench.metrics import balanced_accuracy
    >>> balanced_accuracy([1, 1, 0, 0], [1, 0, 0, 0])
    0.75
    """
    tp, fp, fn, tn = judged.confusion(y, decision)
    return (judged.ratio(tp, tp + fn) + judged.ratio(tn, tn + fp)) / 2.0


def precision(y: ArrayLike, decision: ArrayLike) -> float:
    """Return the share of positives among those predicted positive, TP / (TP + FP); 0 if there are none.

    Examples
    --------
    >>> from pubench.metrics import precision
    >>> precision([1, 1, 0, 0], [1, 0, 0, 0])
    1.0
    """
    tp, fp, _, _ = judged.confusion(y, decision)
    return tp / (tp + fp) if tp + fp else 0.0


def recall(y: ArrayLike, decision: ArrayLike) -> float:
    """Return the share of positives predicted positive, TP / (TP + FN); nan if ``y`` has no positive.

    Examples
    --------
    >>> from pubench.metrics import recall
    >>> recall([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    tp, _, fn, _ = judged.confusion(y, decision)
    return judged.ratio(tp, tp + fn)


def f1(y: ArrayLike, decision: ArrayLike) -> float:
    """Return the harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN); nan without a positive.

    Examples
    --------
    >>> from pubench.metrics import f1
    >>> f1([1, 1, 0, 0], [1, 0, 0, 0])
    0.6666666666666666
    """
    tp, fp, fn, _ = judged.confusion(y, decision)
    return 2 * tp / (2 * tp + fp + fn) if tp + fn else float("nan")


def predicted_positive_rate(y: ArrayLike, decision: ArrayLike) -> float:
    """Return the share of rows predicted positive, (TP + FP) / n; ``y`` is only checked.

    Examples
    --------
    >>> from pubench.metrics import predicted_positive_rate
    >>> predicted_positive_rate([1, 1, 0, 0], [1, 0, 0, 0])
    0.25
    """
    tp, fp, fn, tn = judged.confusion(y, decision)
    return (tp + fp) / (tp + fp + fn + tn)


def roc_auc(y: ArrayLike, score: ArrayLike) -> float:
    """Return the chance that a positive outscores a negative, ties counted half; nan without both classes.

    Examples
    --------
    >>> from pubench.metrics import roc_auc
    >>> roc_auc([1, 1, 0, 0], [2.0, 0.5, 1.0, -1.0])
    0.75
    """
    return auc_and_ap(score, judged.binary("y", y))[0]


def average_precision(y: ArrayLike, score: ArrayLike) -> float:
    r"""Return :math:`\sum_k (R_k - R_{k-1}) P_k` over the distinct scores; nan if ``y`` has no positive.

    Examples
    --------
    >>> from pubench.metrics import average_precision
    >>> average_precision([1, 1, 0, 0], [2.0, 0.5, 1.0, -1.0])
    0.8333333333333333
    """
    return auc_and_ap(score, judged.binary("y", y))[1]


def auc_prg(y: ArrayLike, score: ArrayLike) -> float:
    r"""Return the area under the precision-recall-gain curve (Flach and Kull, 2015); nan without both classes.

    With :math:`\pi` the share of positives among the rows, the gains of precision and recall are

    .. math:: G(v) = \frac{v - \pi}{(1 - \pi) v}, \qquad
       G(\mathrm{prec}) = 1 - \frac{\pi}{1 - \pi} \frac{FP}{TP}, \qquad
       G(\mathrm{rec}) = 1 - \frac{\pi}{1 - \pi} \frac{FN}{TP}.

    The area lies over recall gains from 0, where the recall is :math:`\pi`, to 1. Both gains are linear in 1 / TP along
    a piece of the ROC curve, so that straight pieces between scores, and within ties, are exact. A perfect ranking has
    1, equal scores have 0, and the reverse of a perfect ranking has :math:`(1 - 1 / \pi) / 2`.

    Examples
    --------
    >>> from pubench.metrics import auc_prg
    >>> auc_prg([1, 1, 0, 0], [2.0, 0.5, 1.0, -1.0])
    0.25
    """
    positive, scores = judged.checked_scores(y, score)
    n_p, n_n = int(np.count_nonzero(positive)), int(np.count_nonzero(~positive))
    if not (n_p and n_n):
        return float("nan")
    tp, fp = judged.roc_counts(positive, scores)
    start = n_p * n_p / (n_p + n_n)
    before = int(np.searchsorted(tp, start, side="right")) - 1
    share = (start - tp[before]) / (tp[before + 1] - tp[before])
    crossing = fp[before] + share * (fp[before + 1] - fp[before])
    tp, fp = np.append(start, tp[before + 1 :]), np.append(crossing, fp[before + 1 :])
    precision_gain = 1.0 - n_p / n_n * fp / tp
    recall_gain = 1.0 - n_p / n_n * (n_p - tp) / tp
    return float(np.trapezoid(precision_gain, recall_gain))


def cor(y: ArrayLike, score: ArrayLike) -> float:
    """Return the point-biserial correlation of the true class and the score; nan without both classes.

    Examples
    --------
    >>> from pubench.metrics import cor
    >>> round(cor([1, 1, 0, 0], [2.0, 0.5, 1.0, -1.0]), 3)
    0.577
    """
    positive, scores = judged.checked_scores(y, score)
    if positive.all() or not positive.any():
        return float("nan")
    return judged.correlation(positive.astype(np.float64), scores)


def boyce(y: ArrayLike, score: ArrayLike) -> float:
    r"""Return the continuous Boyce index (Hirzel et al., 2006) of presences among all rows; nan without a positive.

    101 windows, each a tenth of the range of the scores wide, slide over that range at equal steps. In window w the
    ratio of the share of positives and the share of all rows is

    .. math:: F_w = \frac{|\{i : y_i = 1, f_i \in w\}| / n_p}{|\{i : f_i \in w\}| / n}.

    The index is Spearman's correlation of :math:`F_w` with the place of w, over windows that hold a row. It needs
    presences and a sample of all sites, no absences, so negatives count as sites only.

    Examples
    --------
    >>> from pubench.metrics import boyce
    >>> round(boyce([1, 1, 0, 0], [2.0, 0.5, 1.0, -1.0]), 3)
    -0.6
    """
    positive, scores = judged.checked_scores(y, score)
    if not positive.any():
        return float("nan")
    low, width = float(scores.min()), float(np.ptp(scores))
    start = low + (1.0 - _WINDOW) * width * np.linspace(0.0, 1.0, _WINDOWS)
    of_all, of_positives = (
        judged.counts_in(start, _WINDOW * width, rows) for rows in (scores, scores[positive])
    )
    held = of_all > 0
    ratio = of_positives[held] / of_all[held]
    return judged.correlation(judged.middle_ranks(start[held]), judged.middle_ranks(ratio))


def log_loss(y: ArrayLike, probability: ArrayLike) -> float:
    r"""Return the mean of :math:`-\ln \Pr(y)`, probabilities clipped to [eps, 1 - eps] of a double.

    Examples
    --------
    >>> from pubench.metrics import log_loss
    >>> round(log_loss([1, 1, 0, 0], [0.9, 0.6, 0.4, 0.1]), 3)
    0.308
    """
    positive, p = judged.checked_probabilities(y, probability)
    eps = np.finfo(np.float64).eps
    of_truth = np.where(positive, p, 1.0 - p).clip(eps, 1.0 - eps)
    return float(-np.log(of_truth).mean())


def calibration_error(y: ArrayLike, probability: ArrayLike) -> float:
    r"""Return the expected calibration error over ten bins of equal width.

    :math:`\sum_b \frac{n_b}{n} |\bar y_b - \bar p_b|`, with bins [0, 0.1), ..., [0.9, 1].

    Examples
    --------
    >>> from pubench.metrics import calibration_error
    >>> round(calibration_error([1, 1, 0, 0], [0.9, 0.6, 0.4, 0.1]), 3)
    0.25
    """
    positive, p = judged.checked_probabilities(y, probability)
    bins = judged.bin_of(p, _BINS)
    # n_b |mean y - mean p| is |sum (y - p)| over the bin, so no bin is divided by its count.
    gaps = np.bincount(bins, weights=positive - p, minlength=_BINS)
    return float(np.abs(gaps).sum() / p.size)


def reliability(y: ArrayLike, probability: ArrayLike) -> tuple[tuple[int, float, float], ...]:
    r"""Return the points of a reliability curve: :math:`(n_b, \bar p_b, \bar y_b)` of each bin that holds rows.

    The bins are those of :func:`calibration_error`, which is the mean gap between the last two, weighted by the first.

    Examples
    --------
    >>> from pubench.metrics import reliability
    >>> reliability([1, 0], [0.75, 0.25])
    ((1, 0.25, 0.0), (1, 0.75, 1.0))
    """
    positive, p = judged.checked_probabilities(y, probability)
    bins = judged.bin_of(p, _BINS)
    rows = np.bincount(bins, minlength=_BINS)
    sums = (np.bincount(bins, weights=values, minlength=_BINS) for values in (p, positive))
    return tuple(
        (int(n), float(of_p / n), float(of_y / n)) for n, of_p, of_y in zip(rows, *sums, strict=True) if n
    )


def brier(y: ArrayLike, probability: ArrayLike) -> float:
    r"""Return the Brier score :math:`\frac{1}{n} \sum_i (p_i - y_i)^2`.

    Examples
    --------
    >>> from pubench.metrics import brier
    >>> round(brier([1, 1, 0, 0], [0.9, 0.6, 0.4, 0.1]), 3)
    0.085
    """
    positive, p = judged.checked_probabilities(y, probability)
    return float(np.mean((p - positive) ** 2))


def collapsed(decision: ArrayLike) -> bool:
    """Tell whether every row is decided alike: such a model separates nothing, whatever it scores.

    Examples
    --------
    >>> from pubench.metrics import collapsed
    >>> collapsed([1, 1, 1])
    True
    """
    positive = judged.binary("decisions", decision)
    return int(np.count_nonzero(positive)) in (0, positive.size)
