"""PU bagging of Mordelet and Vert (2014)."""

from __future__ import annotations

import warnings
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from pubench.base import Either, Estimator, Labels, OneOf, Real, Rows, Rule, Whole, validate_rows
from pubench.learners import (
    LearnerClassifier,
    boundary,
    if_learner_has,
    positive_scores,
    score_method,
    with_learner,
)
from pubench_bagging.bags import Bags, LabeledWeight, check_weighting, fit_bags
from pubench_bagging.workers import Backend, in_order

__all__ = ["PUBagging", "pu_bagging"]

_MAX_SEED = 2**31 - 1
# Enough to keep a large machine busy, and few enough that processes return sums of scores, not all scores.
_MOST_GROUPS = 32


class PUBagging(LearnerClassifier):
    r"""Learners fitted on the labelled rows against random samples of the unlabelled ones, averaged.

    Bag t holds all of P and K rows drawn from U, with replacement by default. A copy of the learner is fitted on it as
    if the K rows were negative. Few of them are in fact positive, and different ones in each bag, so these errors
    average out:

    .. math:: f(x) = \frac{1}{T} \sum_{t=1}^T f_t(x).

    :math:`f_t` is the learner's Pr(s = 1 | x) minus one half or, without ``predict_proba``, its decision function.

    Parameters
    ----------
    estimator : scikit-learn classifier or None, default=None
        The learner, cloned and seeded for each bag; None is ``DecisionTreeClassifier()``.
    n_estimators : int, default=100
        T, the number of bags.
    max_samples : int, float or None, default=None
        K: a number of rows, a share of U in (0, 1], or None for the number of labelled rows.
    bootstrap : bool, default=True
        Whether to draw rows of U with replacement; K may then exceed their number.
    bootstrap_labeled : bool, default=False
        Whether to draw n_p rows of P with replacement for each bag, instead of using each of them once.
    labeled_weight : float or "balanced", default=1.0
        The weight of a labelled row in a bag; an unlabelled row has the weight 1. ``"balanced"`` gives both kinds the
        same total. Unless it is 1, the learner must take sample weights or have a parameter ``class_weight``.
    oob_scores : bool, default=True
        Whether to compute ``unlabeled_scores_``.
    n_jobs : int or None, default=None
        The number of bags fitted, and of models that predict, in parallel. Results do not depend on it.
    backend : {"processes", "threads"}, default="processes"
        Where bags are fitted. Threads start faster and suit learners that release the interpreter's lock, such as
        trees. Predictions always use threads.
    random_state : int, RandomState instance or None, default=None
        Draws one seed for each bag, which decides its rows and every ``random_state`` in its learner.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    estimators_ : list of classifiers
        The learners, fitted on s in {0, 1}.
    seeds_ : ndarray of shape (T,)
        The seed of each bag.
    max_samples_ : int
        K.
    unlabeled_scores_ : ndarray of shape (n_u,)
        The out-of-bag scores of the unlabelled rows, in their order: as ``decision_function``, but averaged over the
        bags that do not hold the row. A row that is in every bag gets the average over all bags.
    unlabeled_counts_ : ndarray of shape (n_u,)
        The number of bags that do not hold each unlabelled row; 0 marks scores that are not out of bag.
    n_features_in_ : int

    Notes
    -----
    A row drawn k times is passed once with the weight k to learners whose ``fit`` takes ``sample_weight``, and k times
    to other learners.
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "n_estimators": Whole(low=1),
        "max_samples": Either(Whole(low=1), Real(0.0, 1.0, open_low=True), OneOf((None,))),
        "bootstrap": OneOf((True, False)),
        "bootstrap_labeled": OneOf((True, False)),
        "labeled_weight": Either(Real(0.0, open_low=True), OneOf(("balanced",))),
        "oob_scores": OneOf((True, False)),
        "n_jobs": Either(Whole(low=1), Whole(low=-(2**31), high=-1), OneOf((None,))),
        "backend": OneOf(("processes", "threads")),
    }

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_estimators: int = 100,
        max_samples: int | float | None = None,
        bootstrap: bool = True,
        bootstrap_labeled: bool = False,
        labeled_weight: LabeledWeight = 1.0,
        oob_scores: bool = True,
        n_jobs: int | None = None,
        backend: Backend = "processes",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.bootstrap_labeled = bootstrap_labeled
        self.labeled_weight = labeled_weight
        self.oob_scores = oob_scores
        self.n_jobs = n_jobs
        self.backend = backend
        self.random_state = random_state

    @staticmethod
    def default_learner() -> Estimator:
        """Return a decision tree."""
        return DecisionTreeClassifier()

    def _fit(self, X: Rows, s: Labels) -> None:
        learner = self._learner()
        method = score_method(learner)
        check_weighting(learner, self.labeled_weight)
        unlabelled = np.flatnonzero(s == 0)
        bags = self._bags(int(s.sum()), len(unlabelled))
        self.max_samples_ = bags.size
        self.seeds_ = check_random_state(self.random_state).randint(_MAX_SEED, size=self.n_estimators)
        asked = method if self.oob_scores else None
        # The grouping of bags decides how sums are rounded, so it depends only on their number.
        groups = np.array_split(self.seeds_, min(self.n_estimators, _MOST_GROUPS))
        calls = [(learner, X, s, bags, group.tolist(), self.labeled_weight, asked) for group in groups]
        totals, counts = np.zeros(len(unlabelled)), np.zeros(len(unlabelled), dtype=np.int64)
        self.estimators_ = []
        for found in in_order(fit_bags, calls, self.n_jobs, self.backend):
            self.estimators_ += found.learners
            totals += found.totals
            counts += found.counts
        if self.oob_scores:
            self._keep_scores(X[unlabelled[counts == 0]], totals, counts)

    def _bags(self, n_p: int, n_u: int) -> Bags:
        if self.max_samples is None:
            size = n_p if self.bootstrap else min(n_p, n_u)
        elif isinstance(self.max_samples, int | np.integer):
            size = int(self.max_samples)
        else:
            size = max(1, int(self.max_samples * n_u))
        if size > n_u and not self.bootstrap:
            raise ValueError(
                f"max_samples = {size} rows cannot be drawn without replacement from {n_u} unlabelled ones; "
                f"use at most {n_u}, or bootstrap = True"
            )
        return Bags(size, self.bootstrap, self.bootstrap_labeled)

    def _keep_scores(
        self, never_outside: Rows, totals: NDArray[np.float64], counts: NDArray[np.int64]
    ) -> None:
        scores = totals / np.maximum(counts, 1) - self._boundary()
        if n_inside := never_outside.shape[0]:
            scores[counts == 0] = self._mean_scores(never_outside) - self._boundary()
            warnings.warn(
                f"{n_inside} of {len(counts)} unlabelled rows are in every bag, so their unlabeled_scores_ are not "
                "out of bag (unlabeled_counts_ is 0 there); use more bags or a smaller max_samples",
                stacklevel=4,
            )
        self.unlabeled_scores_, self.unlabeled_counts_ = scores, counts

    def _boundary(self) -> float:
        return boundary(score_method(self._learner()))

    def _mean_scores(self, X: Rows) -> NDArray[np.float64]:
        method = score_method(self._learner())
        calls = [(fitted, X, method) for fitted in self.estimators_]
        total = np.zeros(X.shape[0])
        for scores in in_order(positive_scores, calls, self.n_jobs, "threads"):
            total += scores
        return total / len(self.estimators_)

    def decision_function(self, X: Rows) -> NDArray[np.float64]:
        """Return the mean probability minus one half, or the mean decision, shape (n,); at least 0 means positive."""
        return self._mean_scores(validate_rows(self, X)) - self._boundary()

    @if_learner_has("predict_proba")
    def predict_proba(self, X: Rows) -> NDArray[np.float64]:
        """Return the learners' mean probabilities of s = 0 and s = 1 in a bag, shape (n, 2).

        They are not estimates of Pr(y = 1 | x), because they depend on the number of unlabelled rows in a bag.
        """
        positive = self._mean_scores(validate_rows(self, X))
        return np.column_stack([1.0 - positive, positive])


def pu_bagging(classifier: str | None = None, **params: object) -> PUBagging:
    """Return PU bagging of a classifier chosen by name.

    Parameters
    ----------
    classifier : str or None, default=None
        ``"package.module:Class"`` of a scikit-learn classifier; None is a decision tree.
    **params
        Parameters of :class:`PUBagging`; ``estimator__x`` is the parameter x of the classifier.

    Returns
    -------
    PUBagging
    """
    return with_learner(PUBagging, classifier, params)
