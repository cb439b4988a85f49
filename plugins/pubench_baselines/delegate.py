"""What the baselines share: a scikit-learn learner that fits and answers for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from pubench.base import check_params, encode_labels
from pubench.learners import LearnerClassifier, check_learner, if_learner_has, seeded_clone

__all__ = ["Delegate"]


class Delegate(LearnerClassifier):
    """Base of classifiers whose ``estimator`` is fitted on the codes 0 and 1, and answers for them.

    Subclasses have the parameters ``estimator`` (None is ``LogisticRegression()``) and ``random_state``, which, if
    given, takes the place of every ``random_state`` in the learner and its parts; and may say in ``_training_rows``
    what the learner is shown.
    """

    def _training_rows(self, X: Any, codes: NDArray[np.int64]) -> tuple[Any, NDArray[np.int64]]:
        """Return the rows and codes that the learner is shown: all of them, as they are."""
        return X, codes

    def fit(self, X: Any, y: Any) -> Self:
        """Fit a clone of the learner.

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
        check_learner(self._learner(), type(self).__name__)
        y = validate_data(self, y=y)
        self.classes_, s = encode_labels(y)
        learner = seeded_clone(self._learner(), self.random_state)
        # Signed, since learners may compute 2 s - 1.
        self.estimator_ = learner.fit(*self._training_rows(X, s.astype(np.int64)))
        # Records the number and names of features; the rows themselves were the learner's to check.
        validate_data(self, X, y, skip_check_array=True)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the learner's own decisions as ``classes_``; shape (n,)."""
        codes = self._fitted().predict(X)
        classes: NDArray[Any] = self.classes_
        return classes[np.asarray(codes, dtype=np.intp)]

    @if_learner_has("decision_function")
    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the learner's decision function; shape (n,)."""
        return np.asarray(self._fitted().decision_function(X))

    @if_learner_has("staged_decision_function")
    def staged_decision_function(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the learner's decision function after each of its stages; each of shape (n,)."""
        for stage in self._fitted().staged_decision_function(X):
            yield np.asarray(stage).reshape(-1)

    @if_learner_has("predict_proba")
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the learner's probabilities of both codes; shape (n, 2)."""
        return np.asarray(self._fitted().predict_proba(X))

    def _fitted(self) -> Any:
        check_is_fitted(self)
        return self.estimator_
