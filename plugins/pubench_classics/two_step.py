"""Two-step methods: find likely negatives, then fit a classifier on them repeatedly."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state

from pubench.base import Estimator, Labels, Real, Rows, Rule, Whole
from pubench.learners import boundary, positive_scores, score_method, seeded_clone, with_learner
from pubench_classics.answers import LearnerAnswers
from pubench_classics.spies import below_spies, or_all, send_spies

__all__ = ["TwoStepRocchio", "TwoStepSpies", "two_step_rocchio", "two_step_spies"]

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
_SECOND: dict[str, Rule] = {"max_iter": Whole(low=1), "max_missed": Real(0.0, 1.0)}


class _TwoStep(LearnerAnswers):
    """Base class of both methods: the second step, given likely negatives."""

    @staticmethod
    def default_learner() -> Estimator:
        """Return logistic regression with balanced classes."""
        # Likely negatives far outnumber P: without weights it would call all other rows negative, too.
        return LogisticRegression(max_iter=1000, class_weight="balanced")

    def _likely_negative(self, X: Rows, labelled: Mask) -> Mask:
        """Return the unlabelled rows that are probably negative; shape (n,)."""
        raise NotImplementedError

    def _fit(self, X: Rows, s: Labels) -> None:
        method = score_method(self._learner())
        labelled = s == 1
        negative = self._likely_negative(X, labelled)
        self.n_likely_negative_ = int(negative.sum())
        negative = or_all(negative, labelled)
        first = last = self._fit_learner(X, s, labelled | negative)
        called = positive_scores(last, X, method) >= boundary(method)
        self.n_iter_ = 1
        while self.n_iter_ < self.max_iter and (more := ~labelled & ~negative & ~called).any():
            negative |= more
            last = self._fit_learner(X, s, labelled | negative)
            called = positive_scores(last, X, method) >= boundary(method)
            self.n_iter_ += 1
        missed = 1.0 - float(called[labelled].mean())
        self.estimator_ = first if missed > self.max_missed else last

    def _fit_learner(self, X: Rows, s: Labels, rows: Mask) -> Estimator:
        # Signed, since learners may compute 2 s - 1.
        codes = s[rows].astype(np.int64)
        return seeded_clone(self._learner(), self.random_state).fit(X[rows], codes)


class TwoStepRocchio(_TwoStep):
    r"""Likely negatives by Rocchio's prototypes, then a learner, iterated (Li and Liu, 2003).

    With rows scaled to unit length, the prototypes are

    .. math:: p_+ = \alpha \bar x_P - \beta \bar x_U, \qquad p_- = \alpha \bar x_U - \beta \bar x_P,

    and a row of U is a likely negative if its cosine with :math:`p_-` is at least that with :math:`p_+`. The learner is
    fitted on P against the likely negatives. Other rows of U that it predicts negative join them, until there are no
    more. If the last learner misses too many rows of P, the first is kept.

    Parameters
    ----------
    estimator : scikit-learn classifier or None, default=None
        The learner; None is ``LogisticRegression(max_iter=1000, class_weight="balanced")``.
    alpha, beta : float, default=16 and 4
        The weights of the two parts of a prototype.
    max_iter : int, default=20
        The maximal number of times the learner is fitted.
    max_missed : float, default=0.08
        The share of P that the last learner may predict negative.
    random_state : int, RandomState instance or None, default=None
        If given, it replaces every ``random_state`` in the learner and its parts.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    estimator_ : classifier
        The selected learner, fitted on the codes 0 and 1.
    n_likely_negative_ : int
        The number of likely negatives after the first step. If it is 0, all unlabelled rows are used.
    n_iter_ : int
        The number of times the learner was fitted.
    n_features_in_ : int
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "alpha": Real(0.0, open_low=True),
        "beta": Real(0.0),
        **_SECOND,
    }

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        alpha: float = 16.0,
        beta: float = 4.0,
        max_iter: int = 20,
        max_missed: float = 0.08,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.alpha = alpha
        self.beta = beta
        self.max_iter = max_iter
        self.max_missed = max_missed
        self.random_state = random_state

    def _likely_negative(self, X: Rows, labelled: Mask) -> Mask:
        rows = normalize(X)
        P, U = (np.asarray(rows[mask].mean(axis=0)).ravel() for mask in (labelled, ~labelled))
        prototypes = normalize([self.alpha * P - self.beta * U, self.alpha * U - self.beta * P])
        nearness = np.asarray(rows @ prototypes.T)
        negative: Mask = ~labelled & (nearness[:, 1] >= nearness[:, 0])
        return negative


class TwoStepSpies(_TwoStep):
    """Likely negatives by spies, scored with the learner itself, then the learner, iterated.

    A share of P, the spies, joins U, and the learner is fitted on the rest of P against it. Unlabelled rows that score
    below all but a few spies are likely negatives (Liu et al., 2002, with any learner instead of naive Bayes). The
    second step is that of :class:`TwoStepRocchio`.

    Parameters
    ----------
    estimator : scikit-learn classifier or None, default=None
        The learner; None is ``LogisticRegression(max_iter=1000, class_weight="balanced")``.
    spies : float, default=0.15
        The share of P that is hidden in U.
    noise : float, default=0.15
        The share of spies that may score below likely negatives.
    max_iter, max_missed
        As in :class:`TwoStepRocchio`, for the second step.
    random_state : int, RandomState instance or None, default=None
        Seed of the choice of spies. If given, it also replaces every ``random_state`` in the learner and its parts.

    Attributes
    ----------
    classes_, estimator_, n_likely_negative_, n_iter_, n_features_in_
        As in :class:`TwoStepRocchio`.
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "spies": Real(0.0, 1.0, open_low=True, open_high=True),
        "noise": Real(0.0, 1.0, open_high=True),
        **_SECOND,
    }

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        spies: float = 0.15,
        noise: float = 0.15,
        max_iter: int = 20,
        max_missed: float = 0.08,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.spies = spies
        self.noise = noise
        self.max_iter = max_iter
        self.max_missed = max_missed
        self.random_state = random_state

    def _likely_negative(self, X: Rows, labelled: Mask) -> Mask:
        spies = send_spies(labelled, self.spies, check_random_state(self.random_state))
        learner = seeded_clone(self._learner(), self.random_state)
        learner.fit(X, (labelled & ~spies).astype(np.int64))
        return below_spies(positive_scores(learner, X, score_method(learner)), labelled, spies, self.noise)


def two_step_rocchio(classifier: str | None = None, **params: object) -> TwoStepRocchio:
    """Return :class:`TwoStepRocchio` over a classifier chosen by name; ``estimator__x`` is its parameter x."""
    return with_learner(TwoStepRocchio, classifier, params)


def two_step_spies(classifier: str | None = None, **params: object) -> TwoStepSpies:
    """Return :class:`TwoStepSpies` over a classifier chosen by name; ``estimator__x`` is its parameter x."""
    return with_learner(TwoStepSpies, classifier, params)
