"""Decisions whose share of positives is the class prior, for any classifier that ranks rows."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from pubench.base import Labels, Rows
from pubench.estimators.calibration import fit_sigmoid
from pubench.estimators.out_of_fold import OutOfFoldClassifier, ranking_scores
from pubench.specs import Scenario

__all__ = ["PriorCut", "cut_at", "population_cut", "separating_cut"]

Floats = NDArray[np.float64]

_TOLERANCE = 0.2
"""How far the share of rows called positive may be from the prior, as a part of it, before a person is told."""


class PriorCut(OutOfFoldClassifier):
    r"""A classifier that calls as many rows positive as the class prior says.

    The learner is fitted on P against U, which ranks rows well and says little of where positives end. Out-of-fold
    scores of the rows that represent the population (U in case-control data, P and U in a single training set) give
    the cut: of m such rows, the k = round(prior * m) with the largest scores are positive,

    .. math:: f(x) = g(x) - g_{(k)},

    where g is the score of the learner, fitted again on all rows, and :math:`g_{(k)}` the k-th largest out-of-fold
    score. Where scores are tied there, the cut is the one whose share is nearest to the prior. Decisions do not change
    if g is replaced by an increasing function of it. A copy of a labelled row in U is left out together with it.

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
    sigmoid_ : Sigmoid
        Turns scores into probabilities.
    n_features_in_ : int

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(2, 1, (50, 2)), rng.normal(2, 1, (60, 2)), rng.normal(-1, 1, (140, 2))])
    >>> s = np.repeat([1, 0], [50, 200])
    >>> model = pubench.PriorCut(LogisticRegression(), prior=0.3, scenario="case-control", random_state=0).fit(X, s)
    >>> round(float(model.predict(X[50:]).mean()), 1)
    0.3
    """

    def _poor_score(self) -> bool:
        # In scikit-learn's checks all positive rows are labelled.
        return self.scenario != "single-training-set"

    def _learn(self, scores: Floats, s: Labels) -> None:
        self.cut_ = population_cut(scores, s, prior=self.prior_, scenario=self.scenario_)
        positive = _population(scores, s, self.scenario_) >= self.cut_
        share = float(positive.mean())
        if abs(share - self.prior_) > max(_TOLERANCE * self.prior_, 1.0 / len(positive)):
            warnings.warn(
                f"scores are tied: the cut calls {share:.3f} of the rows positive, and the prior is {self.prior_:.3f}; "
                "take a classifier with finer scores",
                stacklevel=3,
            )
        self.sigmoid_ = fit_sigmoid(scores, s, prior=self.prior_, scenario=self.scenario_)

    def _adjust(self, X: Rows, s: Labels) -> None:
        scores = ranking_scores(self.estimator_, X)
        self.cut_ = separating_cut(self.cut_, scores, s, prior=self.prior_, scenario=self.scenario_)

    def decision_function(self, X: Rows) -> Floats:
        """Return the score of the learner minus the cut; shape (n,)."""
        scores = self._scores(X)
        return scores - self.cut_

    def predict_proba(self, X: Rows) -> Floats:
        """Return the probabilities of both classes in the population, shape (n, 2).

        They are those of :func:`pubench.calibrate`, except that a row's probability does not contradict its decision:
        between the cut and the score whose probability is one half, it is held at one half.
        """
        scores = self._scores(X)
        found, half = self.sigmoid_.probability(scores), 0.5
        # Of two equal probabilities the first one, of the negative class, counts as the larger.
        above = np.nextafter(half, 1.0)
        positive = np.where(scores >= self.cut_, np.maximum(found, above), np.minimum(found, half))
        return np.column_stack([1.0 - positive, positive])


def population_cut(scores: Floats, s: Labels, *, prior: float, scenario: Scenario) -> float:
    """Return the cut for out-of-fold scores of shape (n,), by the rows that represent the population."""
    return cut_at(_population(scores, s, scenario), prior)


def separating_cut(cut: float, scores: Floats, s: Labels, *, prior: float, scenario: Scenario) -> float:
    """Return the cut, or another one where the last fit puts all of its own rows on the same side of it.

    A learner that interpolates its rows may give new rows scores on another scale each time that it is fitted. Then
    out-of-fold scores are not comparable with those of the last fit, and its own scores of the rows it was fitted on
    give the cut.

    Parameters
    ----------
    cut : float
        By out-of-fold scores.
    scores : ndarray of shape (n,)
        Scores of all training rows by the last fit.
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    prior, scenario
        See :class:`PriorCut`.

    Returns
    -------
    float
    """
    population = _population(scores, s, scenario)
    positive = np.count_nonzero(population >= cut)
    return cut if 0 < positive < len(population) else cut_at(population, prior)


def _population(scores: Floats, s: Labels, scenario: Scenario) -> Floats:
    """Return the scores of the rows that represent the population: U, or all rows of a single training set."""
    return scores if scenario == "single-training-set" else scores[s == 0]


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
