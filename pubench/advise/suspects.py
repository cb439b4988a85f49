"""Rows to look at: labels that look wrong, unlabelled rows that look positive, and copies of labelled rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pubench.advise.findings import Finding, Level, Suspect
from pubench.estimators.calibration import fit_sigmoid
from pubench.estimators.copies import units_of_copies
from pubench.estimators.out_of_fold import out_of_fold_scores
from pubench.estimators.rows import Estimator, Labels, Rows

__all__ = ["RowNames", "find_copies", "find_suspects", "scores_of"]

_SHOWN = 10
_LOW = 0.25
"""A label looks wrong if its row's probability is less than this share of the labelled rows' median."""
_CERTAIN = 0.95
_CLEAR = 0.8
"""If half of the labelled rows are at least this probable, the classes are clearly separated."""
_USUAL = 0.1
"""The share of correct labels that looked wrong by this rule, at most, in tables with clearly separated classes."""
_REPEATED = 0.2
"""Where more rows than this repeat another one, equal rows do not mean the same object."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RowNames:
    """How to name the audited rows: their places in the table from 0, and their ids, one tuple each."""

    places: NDArray[np.int64]
    ids: Sequence[tuple[str, ...]]

    def suspect(self, row: int, probability: float | None = None) -> Suspect:
        """Return the row at a place among the audited ones."""
        return Suspect(int(self.places[row]) + 1, self.ids[row], probability)


def scores_of(X: Floats, s: Labels, seed: int) -> Floats:
    """Return how positive rows look, shape (n,), by forests of P against U that did not see them."""
    from sklearn.ensemble import ExtraTreesClassifier

    def fitted(rows: Rows, labels: Labels) -> Estimator:
        forest = ExtraTreesClassifier(100, min_samples_leaf=3, class_weight="balanced", random_state=seed)
        return forest.fit(rows, labels)

    return out_of_fold_scores(fitted, X, s, seed=seed)


def find_suspects(
    scores: Floats, s: Labels, *, share: float, least: float, names: RowNames
) -> Iterator[Finding]:
    """Find labels that look wrong and unlabelled rows that look like certain positives.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Out-of-fold scores.
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    share, least : float
        The share of positives among unlabelled rows, which gives the probabilities of labelled rows; and the least
        plausible one, which gives, for caution, those of unlabelled rows.
    names : RowNames
    """
    # As in case-control data, probabilities are those of rows of U, whatever part of U is examined.
    likely = fit_sigmoid(scores, s, prior=share, scenario="case-control").probability(scores)
    cautious = fit_sigmoid(scores, s, prior=least, scenario="case-control").probability(scores)
    median = float(np.median(likely[s == 1]))
    wrong = np.flatnonzero((s == 1) & (likely < _LOW * median))
    if len(wrong):
        yield _wrong_labels(wrong[np.argsort(likely[wrong], kind="stable")], likely, median, s, names)
    certain = np.flatnonzero((s == 0) & (cautious >= _CERTAIN))
    if len(certain):
        ranked = certain[np.argsort(-scores[certain], kind="stable")]
        yield Finding(
            "positive",
            "note",
            f"{_rows(len(certain))} unlabelled and very likely positive: their probability is {_CERTAIN} or more even "
            "at the low end of the prior's range.",
            "Label them if you can confirm them; leave them unlabelled otherwise.",
            rows=tuple(names.suspect(row, float(cautious[row])) for row in ranked[:_SHOWN]),
            count=len(certain),
        )


def _wrong_labels(
    rows: NDArray[np.int64], likely: Floats, median: float, s: Labels, names: RowNames
) -> Finding:
    level: Level = "check" if median >= _CLEAR else "note"
    doubt = (
        f"Of correct labels, too, up to {_USUAL:.0%} look like this where classes are clearly separated."
        if level == "check"
        else "The classes overlap, so that such rows may well be positive."
    )
    return Finding(
        "label",
        level,
        f"{_rows(len(rows))} labelled but unlike the other labelled rows: their probability is below "
        f"{_LOW * median:.2f}, that of half of the {int(s.sum()):,} labelled rows above {median:.2f}. {doubt}",
        "Look at them; if a label is wrong, clear it, which makes the row unlabelled.",
        rows=tuple(names.suspect(row, float(likely[row])) for row in rows[:_SHOWN]),
        count=len(rows),
    )


def find_copies(X: Floats, s: Labels, names: RowNames) -> Iterator[Finding]:
    """Find unlabelled rows that are equal to a labelled row in all encoded columns, shape (n, d)."""
    if not X.shape[1]:
        return
    units, _ = units_of_copies(X, s)
    copies = np.flatnonzero((units >= 0) & (s == 0))
    if not len(copies):
        return
    repeated = 1.0 - len(np.unique(X, axis=0)) / len(X)
    usual = repeated > _REPEATED
    yield Finding(
        "copy",
        "note" if usual else "check",
        f"{_rows(len(copies))} unlabelled and equal to a labelled row in all columns."
        + (f" This is usual here: {repeated:.0%} of all rows repeat another one." if usual else ""),
        "" if usual else "If they are the same objects, label them too, or keep one row of each object.",
        rows=tuple(names.suspect(row) for row in copies[:_SHOWN]),
        count=len(copies),
    )


def _rows(count: int) -> str:
    return "1 row is" if count == 1 else f"{count:,} rows are"
