# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""One pass over ranked rows gives the area under the ROC curve and the average precision."""

import numpy as np

cdef struct Measures:
    double auc
    double average_precision


cdef Measures _measure(
    const double[::1] score, const unsigned char[::1] label, const Py_ssize_t[::1] ascending
) noexcept nogil:
    # Rows of equal score form one group: no order within it may matter. Pairs are counted twice over
    # (2 for a win, 1 for a tie), so the count stays a whole number and exact.
    cdef Py_ssize_t i = ascending.shape[0] - 1
    cdef long long positives = 0, negatives = 0, group_positives, group_negatives, twice_won = 0
    cdef double precision_sum = 0.0, group_score
    cdef Measures result
    while i >= 0:
        group_score = score[ascending[i]]
        group_positives = 0
        group_negatives = 0
        while i >= 0 and score[ascending[i]] == group_score:
            if label[ascending[i]]:
                group_positives += 1
            else:
                group_negatives += 1
            i -= 1
        twice_won += group_negatives * (2 * positives + group_positives)
        positives += group_positives
        negatives += group_negatives
        precision_sum += group_positives * (<double> positives / <double> (positives + negatives))
    # 0/0 is the IEEE nan that the callers document.
    result.auc = <double> twice_won / (2.0 * <double> positives * <double> negatives)
    result.average_precision = precision_sum / <double> positives
    return result


def auc_and_ap(score, label):
    """Return the area under the ROC curve and the average precision, ties handled.

    Parameters
    ----------
    score : array of shape (n,)
        Real scores, without NaN; the higher, the more positive.
    label : array of shape (n,)
        1 = positive, 0 = negative.

    Returns
    -------
    auc, average_precision : float
        nan where undefined: the first without both classes, the second without a positive.
    """
    scores = np.ascontiguousarray(score, dtype=np.float64)
    labels = np.ascontiguousarray(label, dtype=np.uint8)
    if scores.ndim != 1 or scores.shape != labels.shape:
        raise ValueError(f"scores and labels must have the same length, not shapes {scores.shape} and {labels.shape}")
    # NaN equals nothing, itself included: the pass would never leave its group.
    if np.isnan(scores).any():
        raise ValueError("scores must not be NaN: such rows have no rank")
    order = np.argsort(scores)
    cdef const double[::1] score_view = scores
    cdef const unsigned char[::1] label_view = labels
    cdef const Py_ssize_t[::1] order_view = order
    cdef Measures result
    with nogil:
        result = _measure(score_view, label_view, order_view)
    return result.auc, result.average_precision
