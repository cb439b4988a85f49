"""Any scikit-learn classifier, told that unlabelled rows are negative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from pubench.base import PUClassifier, check_params, encode_labels

__all__ = ["UnlabeledAsNegative", "naive_lr"]


def _learner_has(method: str) -> Callable[[UnlabeledAsNegative], bool]:
    def check(model: UnlabeledAsNegative) -> bool:
        return hasattr(getattr(model, "estimator_", model._learner()), method)

    return check


class UnlabeledAsNegative(MetaEstimatorMixin, PUClassifier):
    """The naive PU classifier: a supervised learner fitted on s as if it were the class.

    Rows are handed to the learner unchanged, so it decides whether they may be sparse or hold missing values.

    Parameters
    ----------
    estimator : scikit-learn classifier or None, default=None
        The learner, cloned before fitting; None is ``LogisticRegression()``.
    random_state : int, RandomState instance or None, default=None
        If given, takes the place of every ``random_state`` in the learner and its parts.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    estimator_ : classifier
        The learner fitted on s in {0, 1}.
    n_features_in_ : int
    """

    def __init__(
        self, estimator: Any = None, *, random_state: int | np.random.RandomState | None = None
    ) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        learner = get_tags(self._learner())
        tags.input_tags = learner.input_tags
        tags.non_deterministic = learner.non_deterministic
        return tags

    def _learner(self) -> Any:
        return LogisticRegression() if self.estimator is None else self.estimator

    def fit(self, X: Any, y: Any) -> Self:
        """Fit a clone of the learner on s.

        Parameters
        ----------
        X : whatever the learner takes, of shape (n, d)
        y : array-like of shape (n,)
            Two classes, the larger in sort order being the labelled one.

        Returns
        -------
        self
        """
        check_params(self)
        y = validate_data(self, y=y)
        self.classes_, s = encode_labels(y)
        learner = clone(self._learner())
        if self.random_state is not None:
            learner.set_params(**dict.fromkeys(_random_state_names(learner), self.random_state))
        # Signed, since learners may compute 2 s - 1.
        self.estimator_ = learner.fit(X, s.astype(np.int64))
        # Records the number and names of features; the rows themselves were the learner's to check.
        validate_data(self, X, y, skip_check_array=True)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the learner's own decisions as ``classes_``; shape (n,)."""
        codes = self._fitted().predict(X)
        classes: NDArray[Any] = self.classes_
        return classes[np.asarray(codes, dtype=np.intp)]

    @available_if(_learner_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the learner's decision function; shape (n,)."""
        return np.asarray(self._fitted().decision_function(X))

    @available_if(_learner_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the learner's probabilities of s = 0 and s = 1; shape (n, 2)."""
        return np.asarray(self._fitted().predict_proba(X))

    def _fitted(self) -> Any:
        check_is_fitted(self)
        return self.estimator_


def _random_state_names(learner: Any) -> list[str]:
    names = learner.get_params(deep=True)
    return [name for name in names if name == "random_state" or name.endswith("__random_state")]


def naive_lr(C: float = 1.0, *, tol: float = 1e-4, max_iter: int = 1000) -> UnlabeledAsNegative:
    """Return logistic regression with unlabelled rows as negative.

    Parameters
    ----------
    C : float, default=1.0
        Inverse of the penalty on the weights.
    tol : float, default=1e-4
    max_iter : int, default=1000

    Returns
    -------
    UnlabeledAsNegative
    """
    return UnlabeledAsNegative(LogisticRegression(C=C, tol=tol, max_iter=max_iter))
