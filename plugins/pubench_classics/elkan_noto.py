"""Elkan and Noto (2008): a classifier of labelled against unlabelled rows, corrected by the label frequency."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack
from sklearn.linear_model import LogisticRegression

from pubench.base import Either, OneOf, Real, Rule, Whole
from pubench.learners import LearnerClassifier, positive_scores, seeded_clone, weight_name, with_learner
from pubench.specs import SCENARIOS, Scenario
from pubench_classics.answers import LearnerAnswers
from pubench_classics.label_frequency import (
    CFrom,
    check_probabilities,
    held_out_probabilities,
    label_frequency,
    prior_of,
    unlabeled_posterior,
)

__all__ = ["ElkanNoto", "WeightedElkanNoto", "elkan_noto", "weighted_elkan_noto"]

Floats = NDArray[np.float64]


class _LabelFrequency(LearnerClassifier):
    """Base of both forms: parameters, and the estimate of c."""

    param_rules: ClassVar[dict[str, Rule]] = {
        "c": Either(Real(0.0, 1.0, open_low=True), OneOf((None,))),
        "c_from": OneOf(("mean", "ratio", "max")),
        "folds": Whole(low=2),
        "scenario": OneOf(SCENARIOS),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        c: float | None = None,
        c_from: CFrom = "mean",
        folds: int = 5,
        scenario: Scenario = "case-control",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.c = c
        self.c_from = c_from
        self.folds = folds
        self.scenario = scenario
        self.random_state = random_state

    @staticmethod
    def default_learner() -> Any:
        """Return logistic regression."""
        return LogisticRegression(max_iter=1000)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn's checks have no positives among the unlabelled rows, as is so in a single training set only.
        tags.classifier_tags.poor_score = self.scenario == "case-control"
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Estimate c, unless it is given, and fit the learner.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : array-like of shape (n,)
            Two classes, the larger in sort order being the labelled one.

        Returns
        -------
        self
        """
        X, codes = self._validate(X, y)
        check_probabilities(self._learner())
        # Signed, since learners may compute 2 s - 1.
        self._fit_learner(X, codes.astype(np.int64))
        return self

    def _fit_learner(self, X: Any, s: NDArray[np.int64]) -> None:
        """Set ``c_``, ``prior_`` and ``estimator_``, given rows and s in {0, 1}."""
        raise NotImplementedError

    def _held_out(self, X: Any, s: NDArray[np.int64]) -> Floats:
        learner = seeded_clone(self._learner(), self.random_state)
        return held_out_probabilities(learner, X, s, self.folds, self.random_state)

    def _keep(self, c: float, s: NDArray[np.int64]) -> None:
        n_p = int(s.sum())
        self.c_, self.prior_ = c, prior_of(c, n_p, len(s) - n_p, self.scenario)
        if self.scenario == "single-training-set" and c < n_p / len(s):
            kind = "c" if self.c is not None else "the estimated c"
            warnings.warn(
                f"{kind} = {c:.3g} is below {n_p / len(s):.3g}, the share of labelled rows, so that there would be "
                "more positives than rows; the prior is cut off at 1: check c and the scenario",
                UserWarning,
                stacklevel=4,
            )


class ElkanNoto(_LabelFrequency):
    r"""Pr(s = 1 | x) of a learner fitted on P against U, scaled to Pr(y = 1 | x).

    In a single training set labelled at random, :math:`g(x) = \Pr(s = 1 | x) = c \Pr(y = 1 | x)`, so that

    .. math:: \Pr(y = 1 | x) = g(x) / c, \qquad c = \Pr(s = 1 | y = 1).

    In case-control data that is wrong. There g / (1 - g) is what is proportional to Pr(y = 1 | x), and with c the g of
    a certain positive

    .. math:: \Pr(y = 1 | x) = \frac{1 - c}{c} \frac{g(x)}{1 - g(x)}.

    c is estimated from rows held out: each row's g comes from a learner fitted on the other folds. The model itself is
    fitted on all rows.

    Parameters
    ----------
    estimator : scikit-learn classifier or None, default=None
        The learner of g, with ``predict_proba``; None is ``LogisticRegression(max_iter=1000)``.
    c : float or None, default=None
        c if it is known, in (0, 1].
    c_from : {"mean", "ratio", "max"}, default="mean"
        The paper's estimators e1, e2 and e3: the mean of g over P, P's share of all g, the largest g.
    folds : int, default=5
        Into how many parts rows are held out in turn; as many as there are rows of a kind at most.
    scenario : {"case-control", "single-training-set"}, default="case-control"
        The correction for case-control data is ours; Elkan and Noto have single training sets.
    random_state : int, RandomState instance or None, default=None
        Makes the folds, and if given takes the place of every ``random_state`` in the learner.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    c_ : float
    prior_ : float
        The Pr(y = 1) that follows from c, 1 at most.
    estimator_ : classifier
        The learner fitted on s in {0, 1}.
    n_features_in_ : int
    """

    def _fit_learner(self, X: Any, s: NDArray[np.int64]) -> None:
        c = label_frequency(self._held_out(X, s), s, self.c_from) if self.c is None else float(self.c)
        self._keep(c, s)
        self.estimator_ = seeded_clone(self._learner(), self.random_state).fit(X, s)

    def decision_function(self, X: Any) -> Floats:
        """Return the estimate of Pr(y = 1 | x), not cut off at 1, less one half; at least 0 means positive.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._posterior(X) - 0.5

    def predict_proba(self, X: Any) -> Floats:
        """Return the estimates of Pr(y = 0 | x) and Pr(y = 1 | x).

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        ndarray of shape (n, 2)
        """
        positive = np.minimum(self._posterior(X), 1.0)
        return np.column_stack([1.0 - positive, positive])

    def _posterior(self, X: Any) -> Floats:
        X = self._validate_rows(X)
        g = positive_scores(self.estimator_, X, "predict_proba")
        return unlabeled_posterior(g, self.c_) if self.scenario == "case-control" else g / self.c_


class WeightedElkanNoto(LearnerAnswers, _LabelFrequency):
    r"""A learner fitted on unlabelled rows that count for both classes, by the weights of Elkan and Noto.

    Each row of U is passed as a positive with the weight :math:`w(x)` and as a negative with :math:`1 - w(x)`, where

    .. math:: w(x) = \Pr(y = 1 | x, s = 0) = \frac{1 - c}{c} \frac{g(x)}{1 - g(x)},

    cut off at 1; g is estimated with the row held out. Rows of P are positives of weight 1 in a single training set. In
    case-control data U alone is the population, and P has done its part in g.

    Parameters
    ----------
    estimator : scikit-learn classifier or None, default=None
        The learner, with ``predict_proba``, whose ``fit`` takes sample weights; None is
        ``LogisticRegression(max_iter=1000)``.
    c, c_from, folds, scenario, random_state
        As in :class:`ElkanNoto`.

    Attributes
    ----------
    classes_, c_, prior_, n_features_in_
        As in :class:`ElkanNoto`.
    estimator_ : classifier
        The learner fitted on the weighted rows.
    """

    def _fit_learner(self, X: Any, s: NDArray[np.int64]) -> None:
        name = weight_name(self._learner())
        if name is None:
            raise ValueError(
                f"{type(self._learner()).__name__} takes no sample weights, so rows cannot count for both classes; "
                "take a classifier whose fit does, or the scaling form, elkan-noto"
            )
        g = self._held_out(X, s)
        self._keep(label_frequency(g, s, self.c_from) if self.c is None else float(self.c), s)
        w = np.minimum(unlabeled_posterior(g[s == 0], self.c_), 1.0)
        rows, classes, weights = self._weighted(X, s, w)
        learner = seeded_clone(self._learner(), self.random_state)
        self.estimator_ = learner.fit(rows, classes, **{name: weights})

    def _weighted(self, X: Any, s: NDArray[np.int64], w: Floats) -> tuple[Any, NDArray[np.int64], Floats]:
        """Return rows, classes and weights; rows without weight are left out."""
        P, U = X[s == 1], X[s == 0]
        parts = [(U[w > 0], 1, w[w > 0]), (U[w < 1], 0, 1.0 - w[w < 1])]
        if self.scenario == "single-training-set":
            parts.append((P, 1, np.ones(P.shape[0])))
        totals = np.bincount([k for _, k, _ in parts], [v.sum() for _, _, v in parts], minlength=2)
        if totals[1] == 0 and self.c is None:
            warnings.warn(
                f"with the estimated c of {self.c_:g} no unlabelled row counts as positive; the labelled rows stand "
                "for the positives: look whether the unlabelled rows hold any",
                stacklevel=3,
            )
            parts.append((P, 1, np.ones(P.shape[0])))
        elif not (totals > 0).all():
            kind = "positive" if totals[0] == 0 else "negative"
            raise ValueError(
                f"with c = {self.c_:g} every unlabelled row counts as {kind} alone; take another c or c_from"
            )
        rows = [rows for rows, _, _ in parts]
        joined = vstack(rows, format="csr") if issparse(X) else np.concatenate(rows)
        codes = np.concatenate([np.full(len(weights), k) for _, k, weights in parts])
        return joined, codes, np.concatenate([weights for _, _, weights in parts])


def elkan_noto(classifier: str | None = None, **params: Any) -> ElkanNoto:
    """Return :class:`ElkanNoto` over a classifier chosen by name; ``estimator__x`` is the classifier's parameter x."""
    made: ElkanNoto = with_learner(ElkanNoto, classifier, params)
    return made


def weighted_elkan_noto(classifier: str | None = None, **params: Any) -> WeightedElkanNoto:
    """Return :class:`WeightedElkanNoto` over a classifier chosen by name; ``estimator__x`` is its parameter x."""
    made: WeightedElkanNoto = with_learner(WeightedElkanNoto, classifier, params)
    return made
