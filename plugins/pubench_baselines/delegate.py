"""The base class of the baselines: a scikit-learn learner fits and predicts for them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from pubench.base import Estimator, Labels, Rows, check_params, encode_labels
from pubench.learners import LearnerClassifier, check_learner, if_learner_has, seeded_clone

__all__ = ["Delegate"]


class Delegate(LearnerClassifier):
    """Base class of classifiers whose learner is fitted on the codes 0 and 1, and predicts for them.

    Subclasses have the parameters ``estimator`` (None is ``LogisticRegression()``) and ``random_state``, which, if
    given, replaces every ``random_state`` in the learner and its parts. They may override ``_training_rows``, which
    selects the rows that the learner sees. The learner receives rows unchanged, and checks them.
    """

    def _training_rows(self, X: Rows, codes: NDArray[np.int64]) -> tuple[Rows, NDArray[np.int64]]:
        """Return the rows and codes that the learner sees: all of them, unchanged."""
        return X, codes

    def _validate(self, X: Rows, y: ArrayLike) -> tuple[Rows, Labels]:
        check_params(self)
        check_learner(self._learner(), type(self).__name__)
        self.classes_, s = encode_labels(validate_data(self, y=y))
        return X, s

    def _fit(self, X: Rows, s: Labels) -> None:
        learner = seeded_clone(self._learner(), self.random_state)
        # Signed, since learners may compute 2 s - 1.
        self.estimator_ = learner.fit(*self._training_rows(X, s.astype(np.int64)))
        # Records the number and names of features, once the learner has checked the rows.
        validate_data(self, X, s, skip_check_array=True)

    def predict(self, X: Rows) -> NDArray[np.generic]:
        """Return the learner's own decisions as ``classes_``; shape (n,)."""
        codes = self._fitted().predict(X)
        classes: NDArray[np.generic] = self.classes_
        return classes[np.asarray(codes, dtype=np.intp)]

    @if_learner_has("decision_function")
    def decision_function(self, X: Rows) -> NDArray[np.floating]:
        """Return the learner's decision function; shape (n,)."""
        return np.asarray(self._fitted().decision_function(X))

    @if_learner_has("staged_decision_function")
    def staged_decision_function(self, X: Rows) -> Iterator[NDArray[np.floating]]:
        """Yield the learner's decision function after each of its stages; each of shape (n,)."""
        for stage in self._fitted().staged_decision_function(X):
            yield np.asarray(stage).reshape(-1)

    @if_learner_has("predict_proba")
    def predict_proba(self, X: Rows) -> NDArray[np.floating]:
        """Return the learner's probabilities of both codes; shape (n, 2)."""
        return np.asarray(self._fitted().predict_proba(X))

    def _fitted(self) -> Estimator:
        check_is_fitted(self)
        return self.estimator_
