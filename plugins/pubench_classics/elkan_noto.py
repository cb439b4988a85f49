"""Elkan and Noto (2008): a classifier of labelled against unlabelled rows, corrected by the label frequency."""

from __future__ import annotations

import warnings
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack
from sklearn.linear_model import LogisticRegression

from pubench.base import (
    SCENARIO,
    UNSTATED,
    Either,
    Estimator,
    Labels,
    OneOf,
    Real,
    Rows,
    Rule,
    Whole,
    validate_rows,
)
from pubench.learners import LearnerClassifier, positive_scores, seeded_clone, weight_name, with_learner
from pubench.specs import Scenario
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
    """Base class of both forms: the parameters and the estimate of c."""

    param_rules: ClassVar[dict[str, Rule]] = {
        "c": Either(Real(0.0, 1.0, open_low=True), OneOf((None,))),
        "c_from": OneOf(("mean", "ratio", "max")),
        "folds": Whole(low=2),
        "scenario": SCENARIO,
    }

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        c: float | None = None,
        c_from: CFrom = "mean",
        folds: int = 5,
        scenario: Scenario = UNSTATED,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.c = c
        self.c_from = c_from
        self.folds = folds
        self.scenario = scenario
        self.random_state = random_state

    @staticmethod
    def default_learner() -> Estimator:
        """Return logistic regression."""
        return LogisticRegression(max_iter=1000)

    def _poor_score(self) -> bool:
        return self.scenario == "case-control"

    def _fit(self, X: Rows, s: Labels) -> None:
        check_probabilities(self._learner())
        # Signed, since learners may compute 2 s - 1.
        self._fit_learner(X, s.astype(np.int64))

    def _fit_learner(self, X: Rows, s: NDArray[np.int64]) -> None:
        """Set ``c_``, ``prior_`` and ``estimator_``, given rows and s in {0, 1}."""
        raise NotImplementedError

    def _held_out(self, X: Rows, s: NDArray[np.int64]) -> Floats:
        learner = seeded_clone(self._learner(), self.random_state)
        return held_out_probabilities(learner, X, s, self.folds, self.random_state)

    def _keep(self, c: float, s: NDArray[np.int64]) -> None:
        n_p = int(s.sum())
        self.c_, self.prior_ = c, prior_of(c, n_p, len(s) - n_p, self.scenario_)
        if self.scenario_ == "single-training-set" and c < n_p / len(s):
            kind = "c" if self.c is not None else "the estimated c"
            warnings.warn(
                f"{kind} = {c:.3g} is below {n_p / len(s):.3g}, the share of labelled rows, which would mean "
                "more positives than rows; the prior is set to 1: check c and the scenario",
                UserWarning,
                stacklevel=5,
            )


class ElkanNoto(_LabelFrequency):
    r"""Pr(s = 1 | x) of a learner fitted on P against U, scaled to Pr(y = 1 | x).

    In a single training set labelled at random, :math:`g(x) = \Pr(s = 1 | x) = c \Pr(y = 1 | x)`, so that

    .. math:: \Pr(y = 1 | x) = g(x) / c, \qquad c = \Pr(s = 1 | y = 1).

    This does not hold in case-control data. There g / (1 - g) is proportional to Pr(y = 1 | x), and if c is g at a
    certain positive,

    .. math:: \Pr(y = 1 | x) = \frac{1 - c}{c} \frac{g(x)}{1 - g(x)}.

    c is estimated by cross-validation: each row's g comes from a learner fitted on the other folds. The final learner
    is fitted on all rows.

    Parameters
    ----------
    estimator : scikit-learn classifier or None, default=None
        The learner of g, with ``predict_proba``; None is ``LogisticRegression(max_iter=1000)``.
    c : float or None, default=None
        The value of c if it is known, in (0, 1].
    c_from : {"mean", "ratio", "max"}, default="mean"
        The paper's estimators e1, e2 and e3: the mean of g over P, P's share of all g, the largest g.
    folds : int, default=5
        The number of folds, reduced to the number of rows of the rarer kind if necessary.
    scenario : {"case-control", "single-training-set"}
        The correction for case-control data is an addition; Elkan and Noto consider single training sets.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds. If given, it also replaces every ``random_state`` in the learner.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    c_ : float
    prior_ : float
        The Pr(y = 1) that follows from c, at most 1.
    estimator_ : classifier
        The learner fitted on s in {0, 1}.
    n_features_in_ : int
    """

    def _fit_learner(self, X: Rows, s: NDArray[np.int64]) -> None:
        c = label_frequency(self._held_out(X, s), s, self.c_from) if self.c is None else float(self.c)
        self._keep(c, s)
        self.estimator_ = seeded_clone(self._learner(), self.random_state).fit(X, s)

    def decision_function(self, X: Rows) -> Floats:
        """Return the estimate of Pr(y = 1 | x), which may exceed 1, minus one half; shape (n,)."""
        return self._posterior(X) - 0.5

    def predict_proba(self, X: Rows) -> Floats:
        """Return the estimates of Pr(y = 0 | x) and Pr(y = 1 | x), the latter at most 1; shape (n, 2)."""
        positive = np.minimum(self._posterior(X), 1.0)
        return np.column_stack([1.0 - positive, positive])

    def _posterior(self, X: Rows) -> Floats:
        X = validate_rows(self, X)
        g = positive_scores(self.estimator_, X, "predict_proba")
        return unlabeled_posterior(g, self.c_) if self.scenario_ == "case-control" else g / self.c_


class WeightedElkanNoto(LearnerAnswers, _LabelFrequency):
    r"""A learner fitted on unlabelled rows that count for both classes, with the weights of Elkan and Noto.

    Each row of U is passed as a positive with the weight :math:`w(x)` and as a negative with :math:`1 - w(x)`, where

    .. math:: w(x) = \Pr(y = 1 | x, s = 0) = \frac{1 - c}{c} \frac{g(x)}{1 - g(x)},

    at most 1; g is estimated with the row held out. In a single training set, rows of P are positives of weight 1. In
    case-control data U alone represents the population, and P enters only through g.

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

    def _fit_learner(self, X: Rows, s: NDArray[np.int64]) -> None:
        name = weight_name(self._learner())
        if name is None:
            raise ValueError(
                f"{type(self._learner()).__name__} takes no sample weights, so rows cannot count for both classes; "
                "use a classifier whose fit takes them, or the scaling form, elkan-noto"
            )
        g = self._held_out(X, s)
        self._keep(label_frequency(g, s, self.c_from) if self.c is None else float(self.c), s)
        w = np.minimum(unlabeled_posterior(g[s == 0], self.c_), 1.0)
        rows, classes, weights = self._weighted(X, s, w)
        learner = seeded_clone(self._learner(), self.random_state)
        self.estimator_ = learner.fit(rows, classes, **{name: weights})

    def _weighted(self, X: Rows, s: NDArray[np.int64], w: Floats) -> tuple[Rows, NDArray[np.int64], Floats]:
        """Return rows, classes and weights; rows with a weight of 0 are left out."""
        P, U = X[s == 1], X[s == 0]
        parts = [(U[w > 0], 1, w[w > 0]), (U[w < 1], 0, 1.0 - w[w < 1])]
        if self.scenario_ == "single-training-set":
            parts.append((P, 1, np.ones(P.shape[0])))
        totals = np.bincount([k for _, k, _ in parts], [v.sum() for _, _, v in parts], minlength=2)
        if totals[1] == 0 and self.c is None:
            warnings.warn(
                f"with the estimated c of {self.c_:g} no unlabelled row counts as positive, so the labelled rows are "
                "used as positives: check whether the unlabelled rows contain any",
                stacklevel=5,
            )
            parts.append((P, 1, np.ones(P.shape[0])))
        elif not (totals > 0).all():
            kind = "positive" if totals[0] == 0 else "negative"
            raise ValueError(
                f"with c = {self.c_:g} every unlabelled row counts as {kind} only; choose another c or c_from"
            )
        rows = [rows for rows, _, _ in parts]
        joined = vstack(rows, format="csr") if issparse(X) else np.concatenate(rows)
        codes = np.concatenate([np.full(len(weights), k) for _, k, weights in parts])
        return joined, codes, np.concatenate([weights for _, _, weights in parts])


def elkan_noto(classifier: str | None = None, **params: object) -> ElkanNoto:
    """Return :class:`ElkanNoto` over a classifier chosen by name; ``estimator__x`` is the classifier's parameter x."""
    return with_learner(ElkanNoto, classifier, params)


def weighted_elkan_noto(classifier: str | None = None, **params: object) -> WeightedElkanNoto:
    """Return :class:`WeightedElkanNoto` over a classifier chosen by name; ``estimator__x`` is its parameter x."""
    return with_learner(WeightedElkanNoto, classifier, params)
