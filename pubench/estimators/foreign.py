"""Other people's PU estimators as algorithms: any class that follows scikit-learn, whatever it calls its labels.

:func:`pubench.wrap` names such a class in a spec; here are its estimators, made where they are needed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from pubench.base import PUClassifier, Rule, validate_pu, validate_rows
from pubench.errors import PubenchError, did_you_mean
from pubench.plugins.imports import resolve

__all__ = ["ForeignClassifier", "foreign"]

_REFERENCE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_SIZES = ("n_labelled", "n_unlabelled")


def _has(method: str) -> Any:
    return available_if(lambda model: hasattr(getattr(model, "estimator_", model.estimator), method))


class ForeignClassifier(MetaEstimatorMixin, PUClassifier):
    """A PU estimator of another package, shown labels as it wants them and asked for answers as pubench wants them.

    Parameters
    ----------
    estimator : estimator
        With ``fit``, ``predict`` and, if it likes, ``decision_function`` and ``predict_proba``.
    labels : pair, default=(0, 1)
        What it calls unlabelled and labelled rows.
    sizes : mapping of str to str, optional
        Its parameters that are the number of labelled or unlabelled rows: ``{"labeled": "n_labelled"}``.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    estimator_ : estimator
        The fitted clone.
    """

    param_rules: ClassVar[Mapping[str, Rule]] = {}

    def __init__(
        self, estimator: Any, *, labels: Sequence[Any] = (0, 1), sizes: Mapping[str, str] | None = None
    ) -> None:
        self.estimator = estimator
        self.labels = labels
        self.sizes = sizes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Fit a clone of the estimator.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : array-like of shape (n,)
            Two classes, the larger in sort order being the labelled one.

        Returns
        -------
        self
        """
        X, s = validate_pu(self, X, y, **self._rules())
        counts = {"n_labelled": int(s.sum()), "n_unlabelled": int(s.size - s.sum())}
        copy = clone(self.estimator).set_params(
            **{name: counts[size] for name, size in (self.sizes or {}).items()}
        )
        fitted = copy.fit(X, np.asarray(self.labels)[s])
        self.estimator_ = copy if fitted is None else fitted
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the estimator's own decisions as ``classes_``; shape (n,)."""
        answer = np.asarray(self._fitted().predict(self._rows(X)))
        decided: NDArray[Any] = np.where(answer == self.labels[1], self.classes_[1], self.classes_[0])
        return decided

    @_has("decision_function")
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the estimator's decision function; shape (n,)."""
        return np.asarray(self._fitted().decision_function(self._rows(X)), dtype=np.float64).ravel()

    @_has("predict_proba")
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the estimator's probabilities of both classes, those beyond [0, 1] cut off; shape (n, 2).

        Elkan and Noto's estimate, a probability over a frequency, may be above 1.
        """
        told = np.asarray(self._fitted().predict_proba(self._rows(X)), dtype=np.float64)
        positive = np.clip(told if told.ndim == 1 else told[:, -1], 0.0, 1.0)
        return np.column_stack([1 - positive, positive])

    def _rules(self) -> dict[str, Any]:
        return {"accept_sparse": "csr" if get_tags(self.estimator).input_tags.sparse else False}

    def _rows(self, X: Any) -> Any:
        return validate_rows(self, X, **self._rules())

    def _fitted(self) -> Any:
        check_is_fitted(self)
        return self.estimator_


def foreign(
    classifier: str, *, labels: Sequence[Any] = (0, 1), sizes: Mapping[str, str] | None = None, **params: Any
) -> ForeignClassifier:
    """Return a :class:`ForeignClassifier` over the class that an import string names.

    Parameters
    ----------
    classifier : str
        ``"package.module:Class"``.
    labels, sizes
        See :class:`ForeignClassifier`.
    **params
        Parameters of the class. A text of the form ``"package.module:Class"`` stands for an estimator of that class,
        whose own parameters follow as ``estimator__x``.
    """
    made = {name: _estimator(value) for name, value in params.items() if "__" not in name}
    for name, size in (sizes or {}).items():
        if size not in _SIZES:
            raise PubenchError(f"sizes.{name} is '{size}'{did_you_mean(size, _SIZES)}")
    try:
        inner = resolve(classifier)(**{**dict.fromkeys(sizes or {}, 1), **made})
    except ImportError as error:
        raise PubenchError(f"'{classifier}' cannot be imported: {error}; install its package") from None
    return ForeignClassifier(
        inner.set_params(**{name: value for name, value in params.items() if "__" in name}),
        labels=labels,
        sizes=sizes,
    )


def _estimator(value: Any) -> Any:
    return resolve(value)() if isinstance(value, str) and _REFERENCE.fullmatch(value) else value
