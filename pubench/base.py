"""The base class of PU classifiers: it checks parameters, rows and labels, so a subclass is only its mathematics.

``y`` holds two classes. ``classes_[1]``, the larger in sort order, is the labelled one: 0/1, -1/1, booleans and
strings all work. Only public names of scikit-learn are used, so a new release does not break plugins. An example::

    class Centroid(PUClassifier):
        param_rules = {"shrink": Real(low=0.0)}

        def __init__(self, shrink=0.0):
            self.shrink = shrink

        def _fit(self, X, s):
            ...

        def decision_function(self, X):
            X = validate_rows(self, X)
            ...
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from pubench.estimators.batches import mixed_batches
from pubench.estimators.rows import Estimator, Labels, RowRules, Rows
from pubench.estimators.rules import (
    PRIOR,
    SCENARIO,
    Either,
    OneOf,
    PriorName,
    Real,
    Rule,
    Whole,
    check_params,
)
from pubench.estimators.shown_scenario import scenario_to_use
from pubench.specs import Scenario

__all__ = [
    "PRIOR",
    "SCENARIO",
    "UNSTATED",
    "Either",
    "Estimator",
    "Labels",
    "OneOf",
    "PUClassifier",
    "PriorName",
    "Real",
    "RowRules",
    "Rows",
    "Rule",
    "Whole",
    "check_params",
    "encode_labels",
    "held_rows",
    "mixed_batches",
    "validate_pu",
    "validate_rows",
    "warn_of_one_decision",
]


UNSTATED = cast("Scenario", None)
"""What ``scenario`` is unless it is given: ``fit`` refuses it where the rule is SCENARIO, unless the rows show it."""


class PUClassifier(ClassifierMixin, BaseEstimator):
    """Base class of binary classifiers that learn from labelled positive and unlabelled rows.

    A subclass writes ``__init__``, ``_fit(X, s)`` and ``decision_function(X)``, which takes rows of shape (n, d) and
    returns scores of shape (n,); a score of at least 0 means positive. It declares what it takes in two attributes:

    - ``param_rules`` maps parameters to rules. scikit-learn's ``_parameter_constraints`` needs private modules.
    - ``row_rules`` says which rows ``fit`` and the predictions take. scikit-learn's tags ``sparse`` and ``allow_nan``
      follow from it.

    A subclass may also write a ``fit`` of its own that calls :func:`validate_pu`, for example to take more arguments.

    Examples
    --------
    >>> class Means(pubench.PUClassifier):
    ...     def _fit(self, X, s):
    ...         self.centre_ = (X[s == 1].mean() + X[s == 0].mean()) / 2
    ...     def decision_function(self, X):
    ...         return np.asarray(X)[:, 0] - self.centre_
    ...
    >>> Means().fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 0]).predict([[0.5], [4.5]])
    array([0, 1])
    """

    param_rules: ClassVar[Mapping[str, Rule]] = {}

    @property
    def row_rules(self) -> RowRules:
        """Which rows the classifier takes; a subclass writes ``row_rules = RowRules(...)``, or another property."""
        return RowRules()

    def __sklearn_tags__(self) -> Estimator:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = self._poor_score()
        tags.input_tags.sparse = self.row_rules.sparse is not None
        tags.input_tags.allow_nan = self.row_rules.missing
        return tags

    def _poor_score(self) -> bool:
        """Whether the classifier may score badly in scikit-learn's checks, where all positive rows are labelled.

        That suits a single training set. In case-control data it wrongly implies that the other rows contain positives.
        """
        return False

    def fit(self, X: Rows, y: ArrayLike) -> Self:
        """Fit the classifier to labelled positive and unlabelled rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            ``row_rules`` says whether rows may be sparse or contain NaN.
        y : array-like of shape (n,)
            Two classes. The larger in sort order marks labelled positive rows, the other one unlabelled rows.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter breaks its rule, if the rows are not valid, or if ``y`` does not hold two classes.
        TypeError
            If ``X`` is sparse, and ``row_rules`` does not allow sparse rows.
        """
        checked: list[Rows | Labels] = [*self._validate(X, y)]
        s = checked.pop()
        # Popped, so that only _fit refers to the checked rows, and can free them.
        self._fit(checked.pop(), s)
        return self

    def _validate(self, X: Rows, y: ArrayLike) -> tuple[Rows, Labels]:
        """Check what ``fit`` is given; return the rows and s."""
        return validate_pu(self, X, y)

    def _fit(self, X: Rows, s: Labels) -> None:
        """Learn from checked rows, shape (n, d), and s, shape (n,): 1 = labelled positive, 0 = unlabelled."""
        raise NotImplementedError(f"{type(self).__name__} has no _fit(X, s); write it to learn from X and s")

    def predict(self, X: Rows) -> NDArray[np.generic]:
        """Return ``classes_[1]`` where the decision function is at least 0, else ``classes_[0]``.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        decision = np.asarray(self.decision_function(X)) >= 0
        classes: NDArray[np.generic] = self.classes_
        return classes[decision.astype(np.intp)]


def encode_labels(y: ArrayLike) -> tuple[NDArray[np.generic], Labels]:
    """Return the two sorted classes and s, which is 1 where ``y`` is the larger of them.

    Parameters
    ----------
    y : array-like of shape (n,)

    Returns
    -------
    classes : ndarray of shape (2,)
    s : uint8 ndarray of shape (n,)

    Raises
    ------
    ValueError
        If ``y`` does not hold exactly two classes.
    """
    labels = column_or_1d(y, warn=True)
    # Whole numbers are by far the most frequent labels; scikit-learn's general checks would sort or hash them thrice.
    if labels.dtype.kind in "biu" and labels.size:
        classes, s = np.array([labels.min(), labels.max()]), labels == labels.max()
        if classes[0] != classes[1] and (s | (labels == classes[0])).all():
            return classes, s.astype(np.uint8)
    check_classification_targets(labels)
    kind = type_of_target(labels, input_name="y", raise_unknown=True)
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}; "
            "give two classes, of which the larger in sort order marks labelled rows"
        )
    classes = np.unique(labels)
    if len(classes) < 2:
        found = f"one class only, {classes[0]}" if len(classes) else "no class, because it is empty"
        raise ValueError(f"y holds {found}; give both labelled and unlabelled rows, for example 1 and 0")
    return classes, (labels == classes[1]).astype(np.uint8)


def validate_pu(estimator: Estimator, X: Rows, y: ArrayLike, **check: object) -> tuple[Rows, Labels]:
    """Check parameters, rows and labels in ``fit``; set ``classes_``, ``n_features_in_`` and ``scenario_``.

    ``scenario_``, for classifiers with the parameter ``scenario``, is the one to use: the one that was given or, if it
    is None, the one that the rows show; see :func:`pubench.estimators.shown_scenario.shows_case_control`.

    Parameters
    ----------
    estimator : PUClassifier
    X : array or sparse matrix of shape (n, d)
    y : array-like of shape (n,)
    **check
        Options of :func:`sklearn.utils.validation.validate_data` that override the estimator's ``row_rules``, such as
        ``accept_sparse="csr"``.

    Returns
    -------
    X : array or sparse matrix of shape (n, d)
        The checked rows.
    s : uint8 ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    """
    check_params(estimator, unless_none=("scenario",))
    rules: RowRules = estimator.row_rules
    X, y = validate_data(estimator, X, y, **{**rules.options(), "order": rules.order, **check})
    estimator.classes_, s = encode_labels(y)
    if hasattr(estimator, "scenario"):
        estimator.scenario_ = scenario_to_use(estimator, X, s)
    return rules.finished(X), s


def validate_rows(estimator: Estimator, X: Rows, **check: object) -> Rows:
    """Check, outside ``fit``, that the estimator is fitted and that ``X`` has the columns seen in ``fit``.

    Parameters
    ----------
    estimator : PUClassifier
    X : array or sparse matrix of shape (n, d)
    **check
        Options that override the estimator's ``row_rules``, as in :func:`validate_pu`.

    Returns
    -------
    array or sparse matrix of shape (n, d)
    """
    check_is_fitted(estimator)
    rules: RowRules = estimator.row_rules
    return rules.finished(validate_data(estimator, X, reset=False, **{**rules.options(), **check}))


def held_rows(s: Labels, share: float, seed: int) -> NDArray[np.bool_]:
    """Return a mask of held-out rows, shape (n,): a share of P and of U, at least one row of each and never all."""
    rng = np.random.default_rng(seed)
    held = np.zeros(len(s), dtype=bool)
    for kind in (0, 1):
        rows = np.flatnonzero(s == kind)
        if len(rows) < 2:
            raise ValueError(
                "early stopping needs at least two labelled and two unlabelled rows; set early_stopping to False"
            )
        size = min(max(1, round(share * len(rows))), len(rows) - 1)
        held[rng.choice(rows, size, replace=False)] = True
    return held


def warn_of_one_decision(scores: NDArray[np.float64], causes: str) -> None:
    """Warn, from ``_fit``, if the scores of all its rows, shape (n,), are on one side of 0; ``causes`` may be why."""
    share = float(np.mean(scores >= 0))
    if share in (0.0, 1.0):
        side = "positive" if share else "negative"
        warnings.warn(
            f"all rows of the fit are predicted {side}: check {causes}, which put all scores on one side of 0",
            stacklevel=4,
        )
