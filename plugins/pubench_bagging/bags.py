"""Bags: which rows they hold, and the learners fitted on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import has_fit_parameter

from pubench.learners import ScoreMethod, positive_scores, seeded_clone, weight_name

__all__ = ["Bag", "Bags", "Fitted", "LabeledWeight", "check_weighting", "fit_bags"]

Rows = NDArray[np.int64]
LabeledWeight = float | Literal["balanced"]
_MAX_SEED = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Bag:
    """One bag.

    Attributes
    ----------
    rows : int array of shape (m,)
        The indices of the rows in the bag, in ascending order, each once.
    counts : int array of shape (m,)
        How often each row is in the bag.
    outside : bool array of shape (n_u,)
        Which unlabelled rows are not in the bag.
    outside_rows : int array
        The indices of these rows.
    seed : int
        The random state of its learner.
    """

    rows: Rows
    counts: Rows
    outside: NDArray[np.bool_]
    outside_rows: Rows
    seed: int


@dataclass(frozen=True, slots=True)
class Bags:
    """How bags are drawn: all of P, or a bootstrap of it, and ``size`` rows of U."""

    size: int
    bootstrap: bool
    bootstrap_labeled: bool

    def draw(self, s: NDArray[np.uint8], seed: int) -> Bag:
        """Return the bag of a seed; it depends on nothing else."""
        rng = np.random.default_rng(seed)
        labelled, unlabelled = np.flatnonzero(s == 1), np.flatnonzero(s == 0)
        n_u = len(unlabelled)
        drawn = rng.choice(n_u, size=self.size, replace=self.bootstrap)
        if self.bootstrap_labeled:
            labelled = rng.choice(labelled, size=len(labelled))
        rows, counts = np.unique(np.concatenate([labelled, unlabelled[drawn]]), return_counts=True)
        outside = np.ones(n_u, dtype=np.bool_)
        outside[drawn] = False
        return Bag(rows, counts, outside, unlabelled[outside], int(rng.integers(_MAX_SEED)))


@dataclass(frozen=True, slots=True)
class Fitted:
    """The learners of some bags, and their scores of unlabelled rows that are not in their bags.

    Attributes
    ----------
    learners : list of classifiers
        One for each bag.
    totals : float array of shape (n_u,)
        Sums of the scores of unlabelled rows, over the bags without the row.
    counts : int array of shape (n_u,)
        The number of these bags.
    """

    learners: list[Any]
    totals: NDArray[np.float64]
    counts: Rows


def check_weighting(learner: Any, labeled_weight: LabeledWeight) -> None:
    """Raise ValueError if labelled rows need a weight other than 1, but the learner takes no weights."""
    if labeled_weight == 1 or weight_name(learner) or "class_weight" in learner.get_params():
        return
    raise ValueError(
        f"labeled_weight = {labeled_weight!r} needs a learner that takes sample weights or has a parameter "
        f"class_weight; {type(learner).__name__} does neither: use 1, and max_samples = None for balanced bags"
    )


def fit_bags(
    learner: Any,
    X: Any,
    s: NDArray[np.uint8],
    bags: Bags,
    seeds: Sequence[int],
    labeled_weight: LabeledWeight,
    method: ScoreMethod | None,
) -> Fitted:
    """Draw a bag for each seed and fit a copy of the learner on it.

    Parameters
    ----------
    learner : classifier
    X : array or CSR matrix of shape (n, d)
    s : uint8 array of shape (n,)
        In few bytes, since it is sent with every call to a process.
    bags : Bags
    seeds : sequence of int
    labeled_weight : float or "balanced"
    method : "predict_proba", "decision_function" or None
        The method that scores the unlabelled rows outside a bag; None skips them.

    Returns
    -------
    Fitted
        The scores as sums, so that a process returns as many numbers for many bags as for one.
    """
    n_u = int((s == 0).sum())
    found = Fitted([], np.zeros(n_u), np.zeros(n_u, dtype=np.int64))
    for seed in seeds:
        bag = bags.draw(s, seed)
        fitted = seeded_clone(learner, bag.seed)
        _fit(fitted, X, s, bag, labeled_weight)
        found.learners.append(fitted)
        if method is not None and len(bag.outside_rows):
            found.totals[bag.outside] += positive_scores(fitted, X[bag.outside_rows], method)
            found.counts[bag.outside] += 1
    return found


def _fit(learner: Any, X: Any, s: NDArray[np.uint8], bag: Bag, labeled_weight: LabeledWeight) -> None:
    """Fit a learner on a bag; a row drawn k times has the weight k, or is repeated if the learner takes no weights."""
    rows, counts = bag.rows, bag.counts
    takes_counts = has_fit_parameter(learner, "sample_weight")
    if not takes_counts:
        # The steps of a pipeline before the last take no weights, so rows are repeated for all steps.
        rows, counts = np.repeat(rows, counts), np.ones(int(counts.sum()), dtype=np.int64)
    # Signed, since learners may compute 2 s - 1.
    codes = s[rows].astype(np.int64)
    of_class = _class_weights(codes, counts, labeled_weight)
    weights = counts * np.asarray(of_class)[codes]
    if (weights == 1).all():
        learner.fit(X[rows], codes)
    elif (name := weight_name(learner)) is not None:
        learner.fit(X[rows], codes, **{name: weights})
    else:
        learner.set_params(class_weight=dict(enumerate(of_class))).fit(X[rows], codes)


def _class_weights(codes: Rows, counts: Rows, labeled_weight: LabeledWeight) -> tuple[float, float]:
    """Return the weights of an unlabelled and of a labelled row."""
    if labeled_weight == "balanced":
        n_u, n_p = np.bincount(codes, weights=counts, minlength=2).tolist()
        return (n_u + n_p) / (2.0 * n_u), (n_u + n_p) / (2.0 * n_p)
    return 1.0, float(labeled_weight)
