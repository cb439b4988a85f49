"""Classifiers that wrap a learner and look at its scores of rows that it did not see."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

from pubench.base import PRIOR, SCENARIO, UNSTATED, Estimator, Labels, Rows, Rule, Whole, validate_rows
from pubench.learners import LearnerClassifier, positive_scores, seeded_clone
from pubench.priors import prior_to_use
from pubench.specs import Scenario

__all__ = ["FOLDS", "OutOfFoldClassifier", "out_of_fold_scores", "ranking_scores"]

FOLDS = 5
_MAX_SEED = 2**31 - 1
Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def out_of_fold_scores(
    score: Callable[[Indices | None, Indices], Floats], s: Labels, *, n_folds: int = FOLDS, seed: int
) -> Floats:
    """Return the score of each row by a learner that did not see it.

    Parameters
    ----------
    score : callable
        Takes the rows of a fit, None for all of them, and the rows to score; returns their scores.
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    n_folds : int
        The number of folds, and at most that of labelled or of unlabelled rows.
    seed : int
        Decides the folds.

    Returns
    -------
    ndarray of shape (n,)
    """
    folds = min(n_folds, *np.bincount(s, minlength=2))
    if folds < 2:
        warnings.warn(
            "there is a single labelled or unlabelled row: out-of-fold scores cannot be made, and the scores of the "
            "fit itself are too confident; give more rows",
            stacklevel=5,
        )
        return score(None, np.arange(len(s)))
    scores = np.empty(len(s))
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(s)), s):
        scores[test] = score(train, test)
    return scores


class OutOfFoldClassifier(LearnerClassifier):
    """Base class of wrappers around any classifier that ranks rows.

    A subclass writes ``_learn(scores, s)``, which is given out-of-fold scores of shape (n,), before the learner is
    fitted again on all rows. Parameters and attributes are those of :class:`pubench.PriorCut`.
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "prior": PRIOR,
        "scenario": SCENARIO,
        "n_folds": Whole(low=2),
    }

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        prior: float | str = "estimate",
        scenario: Scenario = UNSTATED,
        n_folds: int = FOLDS,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.prior = prior
        self.scenario = scenario
        self.n_folds = n_folds
        self.random_state = random_state

    @staticmethod
    def default_learner() -> Estimator:
        """Return the learner that None stands for."""
        return LogisticRegression(class_weight="balanced", max_iter=1000)

    def _fit(self, X: Rows, s: Labels) -> None:
        self.prior_ = prior_to_use(self, X, s)
        seed = int(check_random_state(self.random_state).randint(_MAX_SEED))

        def fitted(rows: Indices | None) -> Estimator:
            # Signed, since learners may compute 2 s - 1.
            labels = s.astype(np.int64)
            some, of_them = (X, labels) if rows is None else (X[rows], labels[rows])
            return seeded_clone(self._learner(), seed).fit(some, of_them)

        scores = out_of_fold_scores(
            lambda train, test: ranking_scores(fitted(train), X[test]), s, n_folds=self.n_folds, seed=seed
        )
        self._learn(scores, s)
        self.estimator_ = fitted(None)

    @abstractmethod
    def _learn(self, scores: Floats, s: Labels) -> None:
        """Learn from out-of-fold scores, shape (n,), and s, shape (n,)."""

    def _scores(self, X: Rows) -> Floats:
        """Return the scores of the learner that was fitted on all rows, shape (n,)."""
        X = validate_rows(self, X)
        return ranking_scores(self.estimator_, X)


def ranking_scores(fitted: Estimator, X: Rows) -> Floats:
    """Return how positive a fitted classifier takes rows for, shape (n,): its decision function if it has one."""
    has_decision = hasattr(fitted, "decision_function")
    return positive_scores(fitted, X, "decision_function" if has_decision else "predict_proba").ravel()
