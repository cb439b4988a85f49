"""PU estimators of other packages as algorithms: classes that follow scikit-learn, whatever they call their labels.

:func:`pubench.wrap` names such a class in a spec; this module creates its estimators where they are needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from pubench.base import Estimator, Labels, PUClassifier, RowRules, Rows, validate_rows
from pubench.errors import PubenchError, did_you_mean
from pubench.estimators.nesting import Columns, build
from pubench.learners import if_learner_has
from pubench.plugins.imports import resolve

__all__ = ["ForeignClassifier", "foreign"]

_SIZES = ("n_labelled", "n_unlabelled")


class ForeignClassifier(MetaEstimatorMixin, PUClassifier):
    """A PU estimator of another package, with labels and predictions translated to the conventions of pubench.

    Parameters
    ----------
    estimator : estimator
        It has ``fit``, ``predict`` and, optionally, ``decision_function`` and ``predict_proba``.
    labels : pair, default=(0, 1)
        Its labels of unlabelled and labelled rows.
    sizes : mapping of str to str, optional
        Its parameters that are the number of labelled or unlabelled rows: ``{"labeled": "n_labelled"}``.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    estimator_ : estimator
        The fitted clone.
    """

    def __init__(
        self,
        estimator: Estimator,
        *,
        labels: Sequence[object] = (0, 1),
        sizes: Mapping[str, str] | None = None,
    ) -> None:
        self.estimator = estimator
        self.labels = labels
        self.sizes = sizes

    @property
    def row_rules(self) -> RowRules:
        """Rows may be sparse if the estimator takes sparse rows."""
        return RowRules(sparse="csr" if get_tags(self.estimator).input_tags.sparse else None)

    def _learner(self) -> Estimator:
        return self.estimator

    def _fit(self, X: Rows, s: Labels) -> None:
        counts = {"n_labelled": int(s.sum()), "n_unlabelled": int(s.size - s.sum())}
        copy = clone(self.estimator).set_params(
            **{name: counts[size] for name, size in (self.sizes or {}).items()}
        )
        fitted = copy.fit(X, np.asarray(self.labels)[s])
        self.estimator_ = copy if fitted is None else fitted

    def predict(self, X: Rows) -> NDArray[np.generic]:
        """Return the estimator's own decisions as ``classes_``; shape (n,)."""
        answer = np.asarray(self._fitted().predict(validate_rows(self, X)))
        decided: NDArray[np.generic] = np.where(answer == self.labels[1], self.classes_[1], self.classes_[0])
        return decided

    @if_learner_has("decision_function")
    def decision_function(self, X: Rows) -> NDArray[np.float64]:
        """Return the estimator's decision function; shape (n,)."""
        scores = self._fitted().decision_function(validate_rows(self, X))
        return np.asarray(scores, dtype=np.float64).ravel()

    @if_learner_has("predict_proba")
    def predict_proba(self, X: Rows) -> NDArray[np.float64]:
        """Return the estimator's probabilities of both classes, clipped to [0, 1]; shape (n, 2).

        The estimate of Elkan and Noto, a probability divided by a frequency, may exceed 1.
        """
        answer = np.asarray(self._fitted().predict_proba(validate_rows(self, X)), dtype=np.float64)
        positive = np.clip(answer if answer.ndim == 1 else answer[:, -1], 0.0, 1.0)
        return np.column_stack([1 - positive, positive])

    def _fitted(self) -> Estimator:
        check_is_fitted(self)
        return self.estimator_


def foreign(
    classifier: str,
    *,
    labels: Sequence[object] = (0, 1),
    sizes: Mapping[str, str] | None = None,
    categorical_features: Sequence[int] | None = None,
    **params: object,
) -> ForeignClassifier:
    """Return a :class:`ForeignClassifier` over the class that an import string names.

    Parameters
    ----------
    classifier : str
        ``"package.module:Class"``.
    labels, sizes
        See :class:`ForeignClassifier`.
    categorical_features : sequence of int, optional
        The columns that hold codes, where parameters name ``"@categorical"`` or ``"@numeric"`` columns.
    **params
        Parameters of the class. A string of the form ``"package.module:Class"`` stands for an estimator of that class,
        in lists too: the steps of a pipeline. Parameters of parts follow as ``estimator__x``. See
        :func:`pubench.estimators.nesting.build`.

    Returns
    -------
    ForeignClassifier
    """
    columns = Columns(tuple(categorical_features or ()))
    given = {name: build(value, columns) for name, value in params.items() if "__" not in name}
    for name, size in (sizes or {}).items():
        if size not in _SIZES:
            raise PubenchError(f"sizes.{name} is '{size}'{did_you_mean(size, _SIZES)}")
    try:
        inner = resolve(classifier)(**{**dict.fromkeys(sizes or {}, 1), **given})
    except ImportError as error:
        raise PubenchError(f"'{classifier}' cannot be imported: {error}; install its package") from None
    own = {name: build(value, columns) for name, value in params.items() if "__" in name}
    return ForeignClassifier(
        inner.set_params(**own),
        labels=labels,
        sizes=sizes,
    )
