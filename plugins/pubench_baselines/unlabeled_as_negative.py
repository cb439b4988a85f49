"""A scikit-learn classifier that treats unlabelled rows as negative."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from pubench.base import Estimator
from pubench.learners import classifier_named
from pubench_baselines.delegate import Delegate

__all__ = ["UnlabeledAsNegative", "naive", "naive_lr"]


class UnlabeledAsNegative(Delegate):
    """The naive PU classifier: a supervised learner fitted on s as if it were the class.

    Rows are handed to the learner unchanged, so it decides whether they may be sparse or hold missing values.

    Parameters
    ----------
    estimator : scikit-learn classifier or None, default=None
        The learner, cloned before fitting; None is ``LogisticRegression()``.
    random_state : int, RandomState instance or None, default=None
        If given, it replaces every ``random_state`` in the learner and its parts.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    estimator_ : classifier
        The learner fitted on s in {0, 1}.
    n_features_in_ : int
    """

    def __init__(
        self, estimator: Estimator = None, *, random_state: int | np.random.RandomState | None = None
    ) -> None:
        self.estimator = estimator
        self.random_state = random_state


def naive_lr(C: float = 1.0, *, tol: float = 1e-4, max_iter: int = 1000) -> UnlabeledAsNegative:
    """Return logistic regression with unlabelled rows as negative.

    Parameters
    ----------
    C : float, default=1.0
        Inverse of the penalty on the weights.
    tol : float, default=1e-4
        The tolerance of the solver.
    max_iter : int, default=1000
        The maximal number of the solver's iterations.

    Returns
    -------
    UnlabeledAsNegative
    """
    return UnlabeledAsNegative(LogisticRegression(C=C, tol=tol, max_iter=max_iter))


def naive(
    classifier: str = "sklearn.linear_model:LogisticRegression",
    *,
    random_state: int | np.random.RandomState | None = None,
    **params: Any,
) -> UnlabeledAsNegative:
    """Return a classifier chosen by name, with unlabelled rows as negative.

    Parameters
    ----------
    classifier : str
        ``"package.module:Class"`` of a scikit-learn classifier.
    random_state : int, RandomState instance or None, default=None
        If given, it replaces every ``random_state`` in the classifier and its parts.
    **params
        Parameters of the classifier.

    Returns
    -------
    UnlabeledAsNegative
    """
    return UnlabeledAsNegative(classifier_named(classifier)(**params), random_state=random_state)
