"""What the baselines share: a scikit-learn learner that fits and answers for them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from pubench.base import PUClassifier, check_params, encode_labels
from pubench.errors import PubenchError

__all__ = ["Delegate", "classifier_named"]


def _learner_has(method: str) -> Callable[[Delegate], bool]:
    def check(model: Delegate) -> bool:
        return hasattr(getattr(model, "estimator_", model._learner()), method)

    return check


class Delegate(MetaEstimatorMixin, PUClassifier):
    """Base of classifiers whose ``estimator`` is fitted on the codes 0 and 1, and answers for them.

    Subclasses have the parameters ``estimator`` (None is ``LogisticRegression()``) and ``random_state``, which, if
    given, takes the place of every ``random_state`` in the learner and its parts; and may say in ``_training_rows``
    what the learner is shown.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        learner = get_tags(self._learner())
        tags.input_tags = learner.input_tags
        tags.non_deterministic = learner.non_deterministic
        return tags

    def _learner(self) -> Any:
        return LogisticRegression() if self.estimator is None else self.estimator

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
        y = validate_data(self, y=y)
        self.classes_, s = encode_labels(y)
        learner = clone(self._learner())
        if self.random_state is not None:
            learner.set_params(**dict.fromkeys(_random_state_names(learner), self.random_state))
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

    @available_if(_learner_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the learner's decision function; shape (n,)."""
        return np.asarray(self._fitted().decision_function(X))

    @available_if(_learner_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the learner's probabilities of both codes; shape (n, 2)."""
        return np.asarray(self._fitted().predict_proba(X))

    def _fitted(self) -> Any:
        check_is_fitted(self)
        return self.estimator_


def _random_state_names(learner: Any) -> list[str]:
    names = learner.get_params(deep=True)
    return [name for name in names if name == "random_state" or name.endswith("__random_state")]


def classifier_named(reference: str) -> Any:
    """Return the class of scikit-learn classifiers named by ``"package.module:Class"``.

    Suites name it, so nothing but such a class is accepted, and nothing is called to find out.
    """
    module, colon, name = reference.partition(":") if isinstance(reference, str) else ("", "", "")
    if not (module and colon and name):
        raise PubenchError(
            f"classifier {reference!r} must look like 'package.module:Class', for example 'sklearn.svm:SVC'"
        )
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise PubenchError(
            f"classifier '{reference}' cannot be imported: {error}; check its spelling and that it is installed"
        ) from None
    if not (
        isinstance(found, type) and issubclass(found, BaseEstimator) and issubclass(found, ClassifierMixin)
    ):
        raise PubenchError(f"classifier '{reference}' is no class of scikit-learn classifiers; name one")
    return found
