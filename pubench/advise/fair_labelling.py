"""Weak evidence on whether labelled rows are a fair sample of all positives (SCAR)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pubench.advise.findings import Finding
from pubench.advise.remarks import listed
from pubench.advise.schema import Encoded
from pubench.estimators.out_of_fold import out_of_fold_scores
from pubench.estimators.rows import Estimator, Labels, Rows

__all__ = ["FairnessCheck", "check_fairness", "fairness_finding"]

_DRAWS = 19
_FOLDS = 3
_LEAST = 20
"""Below this many labelled rows, or rows that look positive, the comparison shows nothing."""
_NAMED = 3
_STANDS_OUT = 3.0
_NOT_A_TEST = "This is weak evidence, not a test."
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FairnessCheck:
    """How labelled rows compare with unlabelled ones that look positive.

    Attributes
    ----------
    auc : float
        How well the two can be distinguished on rows left out; about one half or less if labels are a fair sample.
    fair : tuple of float
        The same for labels drawn at random from both together, refitted each time.
    columns : tuple of str
        The columns in which they differ most.
    """

    auc: float
    fair: tuple[float, ...]
    columns: tuple[str, ...]

    @property
    def unusual(self) -> bool:
        """Whether the labels stand out: three standard deviations above the mean of the random ones."""
        return self.auc > float(np.mean(self.fair) + _STANDS_OUT * np.std(self.fair))


def check_fairness(
    encoded: Encoded, names: tuple[str, ...], s: Labels, share: float, seed: int
) -> FairnessCheck | None:
    """Compare labelled rows with as many of U as are thought to be positive, those with the largest scores.

    The rows of U are chosen by a model, so that they differ from P even if labels are fair. Labels drawn at random from
    both together, with all steps repeated, show how much.

    Parameters
    ----------
    encoded : Encoded of n rows
    names : tuple of str
        The names of the columns that ``encoded.source`` counts.
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    share : float
        The share of positives among unlabelled rows.
    seed : int

    Returns
    -------
    FairnessCheck or None
        None if there are too few rows.
    """
    n_top = round(share * int(np.count_nonzero(s == 0)))
    if min(n_top, int(s.sum())) < _LEAST:
        return None
    auc, rows = _separation(encoded.X, s, n_top, seed)
    random = np.random.default_rng(seed)
    fair = []
    for draw in range(1, _DRAWS + 1):
        labels = np.zeros_like(s)
        labels[random.choice(rows, int(s.sum()), replace=False)] = 1
        fair.append(_separation(encoded.X, labels, n_top, seed + draw)[0])
    return FairnessCheck(auc, tuple(fair), _differing(encoded, names, rows, s))


def _separation(X: Floats, s: Labels, n_top: int, seed: int) -> tuple[float, NDArray[np.int64]]:
    """Return the AUC of P against the top rows of U, and both together as places of rows."""
    from sklearn.metrics import roc_auc_score

    scores = out_of_fold_scores(_fitted, X, s, n_folds=_FOLDS, seed=seed)
    unlabelled = np.flatnonzero(s == 0)
    top = unlabelled[np.argsort(-scores[unlabelled], kind="stable")[:n_top]]
    rows = np.concatenate([np.flatnonzero(s == 1), top])
    again = out_of_fold_scores(_fitted, X[rows], s[rows], n_folds=_FOLDS, seed=seed)
    return float(roc_auc_score(s[rows], again)), rows


def _fitted(rows: Rows, labels: Labels) -> Estimator:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=0.1, class_weight="balanced", max_iter=200).fit(rows, labels)


def _differing(
    encoded: Encoded, names: tuple[str, ...], rows: NDArray[np.int64], s: Labels
) -> tuple[str, ...]:
    """Return the columns in which labelled rows differ most from the others, in standard deviations."""
    X, labelled = encoded.X[rows], s[rows] == 1
    spread = np.where((deviation := X.std(axis=0)) > 0, deviation, 1.0)
    gaps = np.abs(X[labelled].mean(axis=0) - X[~labelled].mean(axis=0)) / spread
    largest = [encoded.source[place] for place in np.argsort(-gaps, kind="stable")]
    return tuple(names[place] for place in dict.fromkeys(largest))[:_NAMED]


def fairness_finding(check: FairnessCheck | None, *, prior_given: bool = False) -> Finding:
    """Return what the comparison says, in words that do not promise a test."""
    if check is None:
        return Finding(
            "labelling",
            "note",
            "Whether the labelled rows are a fair sample of all positives (SCAR) cannot be examined: too few rows.",
        )
    labels = f"an AUC of {check.auc:.2f}, and randomly drawn labels with {min(check.fair):.2f} to {max(check.fair):.2f}"
    if not check.unusual:
        return Finding(
            "labelling",
            "note",
            "Nothing speaks against a fair sample of positives (SCAR): labelled rows are distinguished from unlabelled "
            f"ones that look positive with {labels}. This does not confirm it: if easy positives were "
            "labelled first, the estimated prior is too low and the two look alike.",
            ""
            if prior_given
            else "If you know the prior from elsewhere, give it: the comparison then sees more.",
        )
    return Finding(
        "labelling",
        "check",
        "The labelled rows may not be a fair sample of all positives (SCAR): they are distinguished from unlabelled "
        f"rows that look positive with {labels}. They differ most in {listed(check.columns)}. {_NOT_A_TEST}",
        "Find out how the rows were labelled. If some positives had no chance to be labelled, the prior and all "
        "probabilities are unreliable; the ranking suffers less.",
        check.columns,
    )
