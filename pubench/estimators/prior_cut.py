"""Decisions whose share of positives is the class prior, for any classifier that ranks rows."""

from __future__ import annotations

import warnings
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

__all__ = ["PriorCut", "cut_at"]

_MAX_SEED = 2**31 - 1


class PriorCut(LearnerClassifier):
    r"""A classifier that calls as many rows positive as the class prior says.

    The learner is fitted on P against U, which ranks rows well and says little of where positives end. Out-of-fold
    scores of the rows that stand for the population (U in case-control data, P and U in a single training set) give
    the cut: of m such rows, the k = round(prior * m) with the largest scores are positive,

    .. math:: f(x) = g(x) - g_{(k)},

    where g is the score of the learner, fitted again on all rows, and :math:`g_{(k)}` the k-th largest out-of-fold
    score. Where scores are tied there, the cut is the one whose share is nearest to the prior. Decisions do not change
    if g is replaced by an increasing function of it.

    Parameters
    ----------
    estimator : scikit-learn or PU classifier, or None, default=None
        What ranks the rows, cloned before fitting; None is ``LogisticRegression(class_weight="balanced")``.
    prior : float or str, default="estimate"
        Pr(y = 1) in the population, or the name of a prior estimator.
    scenario : {"case-control", "single-training-set"}
        How the rows were drawn; there is no default.
    n_folds : int, default=5
        The number of folds, and at most that of labelled rows.
    random_state : int, RandomState instance or None, default=None
        Decides the folds, and every ``random_state`` in the learner.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    estimator_ : classifier
        The learner fitted on s in {0, 1}.
    prior_ : float
        The prior that was used.
    prior_interval_ : tuple of float
        The ends of its interval; both are the prior if it was given.
    cut_ : float
        The least score that means "positive".
    n_features_in_ : int
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
        n_folds: int = 5,
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

    def _poor_score(self) -> bool:
        # In scikit-learn's checks all positive rows are labelled.
        return self.scenario != "single-training-set"

    def _fit(self, X: Rows, s: Labels) -> None:
        self.prior_ = prior_to_use(self, X, s)
        random = check_random_state(self.random_state)
        seed = int(random.randint(_MAX_SEED))
        scores = self._out_of_fold(X, s, seed)
        population = scores if self.scenario == "single-training-set" else scores[s == 0]
        self.cut_ = cut_at(population, self.prior_)
        self.estimator_ = self._fitted_on(X, s, seed)

    def _fitted_on(self, X: Rows, s: Labels, seed: int) -> Estimator:
        # Signed, since learners may compute 2 s - 1.
        return seeded_clone(self._learner(), seed).fit(X, s.astype(np.int64))

    def _out_of_fold(self, X: Rows, s: Labels, seed: int) -> NDArray[np.float64]:
        """Return the score of each row by a learner that did not see it, shape (n,)."""
        folds = min(self.n_folds, *np.bincount(s, minlength=2))
        if folds < 2:
            warnings.warn(
                "there is a single labelled or unlabelled row: the cut is that of scores of the rows of the fit, which "
                "are too sure; give more rows",
                stacklevel=3,
            )
            return _scores(self._fitted_on(X, s, seed), X)
        scores = np.empty(len(s))
        for train, test in StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(s)), s):
            scores[test] = _scores(self._fitted_on(X[train], s[train], seed), X[test])
        return scores

    def decision_function(self, X: Rows) -> NDArray[np.float64]:
        """Return the score of the learner minus the cut; shape (n,)."""
        X = validate_rows(self, X)
        return _scores(self.estimator_, X) - self.cut_


def cut_at(scores: NDArray[np.float64], share: float) -> float:
    """Return the score from which on rows are positive, so that their share is as near to ``share`` as ties allow.

    Parameters
    ----------
    scores : ndarray of shape (m,)
    share : float
        Between 0 and 1.

    Returns
    -------
    float
        The next number below one of the scores, so that this one is above it, or above all of them.
    """
    values, counts = np.unique(scores, return_counts=True)
    # The number of rows from each value on, and none beyond the last one.
    above = np.append(np.cumsum(counts[::-1])[::-1], 0)
    nearest = len(above) - 1 - int(np.argmin(np.abs(above - share * len(scores))[::-1]))
    if nearest == len(values):
        return float(np.nextafter(values[-1], np.inf))
    return float(np.nextafter(values[nearest], -np.inf))


def _scores(fitted: Estimator, X: Rows) -> NDArray[np.float64]:
    """Return how positive a fitted classifier takes rows for, shape (n,): its decision function if it has one."""
    has_decision = hasattr(fitted, "decision_function")
    return positive_scores(fitted, X, "decision_function" if has_decision else "predict_proba").ravel()
