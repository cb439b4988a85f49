"""Calibrated probabilities for any classifier that ranks rows, learned from positive and unlabelled rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pubench.base import UNSTATED, Estimator, Labels, Rows
from pubench.estimators.calibration import fit_sigmoid
from pubench.estimators.out_of_fold import FOLDS, OutOfFoldClassifier
from pubench.specs import Scenario

__all__ = ["CalibratedPU", "calibrate"]

Floats = NDArray[np.float64]


class CalibratedPU(OutOfFoldClassifier):
    r"""A classifier with probabilities :math:`\sigma(a g(x) + b)` of the population; g is the score of the learner.

    a and b maximise the likelihood of P against U on out-of-fold scores, see
    :func:`pubench.estimators.calibration.fit_sigmoid`. No negatives are needed, but the prior is: probabilities scale
    with it. A probability of at least one half means positive.

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
    sigmoid_ : Sigmoid
        a as ``slope`` and b as ``offset``.
    n_features_in_ : int
    """

    def _learn(self, scores: Floats, s: Labels) -> None:
        self.sigmoid_ = fit_sigmoid(scores, s, prior=self.prior_, scenario=self.scenario_)

    def decision_function(self, X: Rows) -> Floats:
        """Return the log-odds of the positive class in the population, shape (n,)."""
        scores = self._scores(X)
        return self.sigmoid_.log_odds(scores)

    def predict_proba(self, X: Rows) -> Floats:
        """Return the probabilities of both classes in the population, shape (n, 2)."""
        scores = self._scores(X)
        positive = self.sigmoid_.probability(scores)
        return np.column_stack([1.0 - positive, positive])


def calibrate(
    estimator: Estimator,
    *,
    prior: float | str = "estimate",
    scenario: Scenario = UNSTATED,
    n_folds: int = FOLDS,
    random_state: int | np.random.RandomState | None = None,
) -> CalibratedPU:
    """Return a classifier that gives the scores of another one as probabilities; fit it on P and U.

    Parameters
    ----------
    estimator : scikit-learn or PU classifier
        Not fitted yet, or to be fitted again: the probabilities come from scores of rows that a fit did not see.
    prior, scenario, n_folds, random_state
        See :class:`CalibratedPU`.

    Returns
    -------
    CalibratedPU
        Not fitted.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(2, 1, (50, 2)), rng.normal(2, 1, (60, 2)), rng.normal(-1, 1, (140, 2))])
    >>> s = np.repeat([1, 0], [50, 200])
    >>> model = pubench.calibrate(pubench.make("wlr"), prior=0.3, scenario="case-control").fit(X, s)
    >>> model.predict_proba([[3.0, 3.0], [-2.0, -2.0]])[:, 1].round(1)
    array([1., 0.])
    """
    return CalibratedPU(estimator, prior=prior, scenario=scenario, n_folds=n_folds, random_state=random_state)
