"""The base of PU classifiers: one label convention, one way to declare what parameters may be.

``y`` holds two classes and ``classes_[1]``, the larger in sort order, is the labelled one: 0/1, -1/1,
booleans and text all work. Only public scikit-learn names are used, so a new release breaks no plugin.

A classifier is then its mathematics::

    class Centroid(PUClassifier):
        param_rules = {"shrink": Real(low=0.0)}

        def __init__(self, shrink=0.0):
            self.shrink = shrink

        def fit(self, X, y):
            X, s = validate_pu(self, X, y)
            ...

        def decision_function(self, X):
            X = validate_rows(self, X)
            ...
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from numbers import Real as RealNumber
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

__all__ = [
    "PRIOR",
    "Either",
    "OneOf",
    "PUClassifier",
    "PriorName",
    "Real",
    "Rule",
    "Whole",
    "check_params",
    "encode_labels",
    "held_rows",
    "validate_pu",
    "validate_rows",
    "warn_of_one_decision",
]


class Rule(Protocol):
    """What a parameter may be: ``allows`` decides, ``text`` completes "must be ..."."""

    @property
    def text(self) -> str:
        """The allowed values in words."""

    def allows(self, value: object) -> bool:
        """Whether the parameter may have this value."""


@dataclass(frozen=True, slots=True)
class Real:
    """A finite real number in [low, high]; ``open_low`` and ``open_high`` leave the ends out."""

    low: float = -np.inf
    high: float = np.inf
    open_low: bool = False
    open_high: bool = False

    @property
    def text(self) -> str:
        """The allowed values in words."""
        return "a finite number" + _bounds(self.low, self.high, self.open_low, self.open_high)

    def allows(self, value: object) -> bool:
        """Whether ``value`` is a number (no boolean) within the bounds."""
        if not isinstance(value, RealNumber) or isinstance(value, bool | np.bool_):
            return False
        number = float(value)
        above = number > self.low if self.open_low else number >= self.low
        below = number < self.high if self.open_high else number <= self.high
        return bool(np.isfinite(number)) and above and below


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number in low..high, both included."""

    low: int
    high: float = np.inf

    @property
    def text(self) -> str:
        """The allowed values in words."""
        return "a whole number" + _bounds(self.low, self.high)

    def allows(self, value: object) -> bool:
        """Whether ``value`` is a whole number (no boolean) within the bounds."""
        return (
            isinstance(value, Integral)
            and not isinstance(value, bool)
            and self.low <= int(value) <= self.high
        )


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of the listed values; of the same type too, so that 1 and True differ."""

    values: tuple[str | int | float | bool | None, ...]

    @property
    def text(self) -> str:
        """The allowed values in words."""
        listed = ", ".join(repr(value) for value in self.values)
        return listed if len(self.values) == 1 else f"one of {listed}"

    def allows(self, value: object) -> bool:
        """Whether ``value`` is listed."""
        # NumPy's texts and booleans come from grids that are arrays.
        plain = value.item() if isinstance(value, np.generic) else value
        return any(type(plain) is type(known) and plain == known for known in self.values)


@dataclass(frozen=True, slots=True, init=False)
class Either:
    """What any of several rules allows, such as ``Either(Whole(low=1), OneOf((None,)))``."""

    rules: tuple[Rule, ...]

    def __init__(self, *rules: Rule) -> None:
        object.__setattr__(self, "rules", rules)

    @property
    def text(self) -> str:
        """The allowed values in words."""
        return " or ".join(rule.text for rule in self.rules)

    def allows(self, value: object) -> bool:
        """Whether one of the rules allows ``value``."""
        return any(rule.allows(value) for rule in self.rules)


@dataclass(frozen=True, slots=True)
class PriorName:
    """The name of a prior estimator, or "estimate" for the default one; whether it is registered, ``fit`` finds out."""

    @property
    def text(self) -> str:
        """The allowed values in words."""
        return "'estimate' or the name of a prior estimator"

    def allows(self, value: object) -> bool:
        """Whether ``value`` has the form of a name."""
        return isinstance(value, str) and bool(re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", value))


PRIOR = Either(Real(0.0, 1.0, open_low=True, open_high=True), PriorName())
"""What a parameter ``prior`` may be; :func:`pubench.priors.prior_to_use` makes a number of it."""


def _bounds(low: float, high: float, open_low: bool = False, open_high: bool = False) -> str:
    lower = "" if low == -np.inf else f" {'above' if open_low else 'of at least'} {low}"
    upper = "" if high == np.inf else f" {'below' if open_high else 'at most'} {high}"
    return lower + (" and" if lower and upper else "") + upper


class PUClassifier(ClassifierMixin, BaseEstimator):
    """Base of binary classifiers that learn from labelled positive and unlabelled rows.

    A subclass writes ``fit`` (which calls :func:`validate_pu`) and ``decision_function``, and declares in
    ``param_rules`` what its parameters may be. scikit-learn's own ``_parameter_constraints`` needs private
    modules, hence a table, and a name, of our own.
    """

    param_rules: ClassVar[Mapping[str, Rule]] = {}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def predict(self, X: Any) -> NDArray[Any]:
        """Return ``classes_[1]`` where the decision function is at least 0, else ``classes_[0]``.

        Parameters
        ----------
        X : array or CSR matrix of shape (n, d)

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        decision = np.asarray(self.decision_function(X)) >= 0
        classes: NDArray[Any] = self.classes_
        return classes[decision.astype(np.intp)]


def check_params(estimator: Any) -> None:
    """Raise ValueError, naming parameter, value and remedy, where a rule of ``param_rules`` is broken."""
    for name, rule in estimator.param_rules.items():
        value = getattr(estimator, name)
        if not rule.allows(value):
            raise ValueError(f"{name} of {type(estimator).__name__} must be {rule.text}; got {value!r}")


def encode_labels(y: ArrayLike) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """Return the two sorted classes and s, which is 1 where ``y`` is the larger of them.

    Parameters
    ----------
    y : array-like of shape (n,)

    Returns
    -------
    classes : ndarray of shape (2,)
    s : uint8 ndarray of shape (n,)
    """
    labels = column_or_1d(y, warn=True)
    check_classification_targets(labels)
    kind = type_of_target(labels, input_name="y", raise_unknown=True)
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}; "
            "give two classes, the labelled one being the larger in sort order"
        )
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        held = f"one class only, {classes[0]}" if len(classes) else "no class, as it is empty"
        raise ValueError(f"y holds {held}; give both labelled and unlabelled rows, for example 1 and 0")
    return classes, codes.astype(np.uint8)


def validate_pu(estimator: Any, X: Any, y: Any, **check: Any) -> tuple[Any, NDArray[np.uint8]]:
    """Check parameters, rows and labels in ``fit``; set ``classes_`` and ``n_features_in_``.

    Parameters
    ----------
    estimator : PUClassifier
    X : array or sparse matrix of shape (n, d)
    y : array-like of shape (n,)
    **check
        Options of :func:`sklearn.utils.validation.validate_data`, such as ``accept_sparse="csr"``.

    Returns
    -------
    X : the checked rows
    s : uint8 ndarray of shape (n,), 1 = labelled positive, 0 = unlabelled
    """
    check_params(estimator)
    X, y = validate_data(estimator, X, y, **check)
    estimator.classes_, s = encode_labels(y)
    return _summed(X), s


def validate_rows(estimator: Any, X: Any, **check: Any) -> Any:
    """Check, outside ``fit``, that the estimator is fitted and that ``X`` has the columns seen in ``fit``."""
    check_is_fitted(estimator)
    return _summed(validate_data(estimator, X, reset=False, **check))


def _summed(X: Any) -> Any:
    """Return rows with each sparse entry once, in a copy: some learners would count duplicates, or sum in place."""
    if getattr(X, "has_canonical_format", True):
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def held_rows(s: NDArray[np.uint8], share: float, seed: int) -> NDArray[np.bool_]:
    """Return a mask of held-out rows, shape (n,): a share of P and of U, one row of each at least and never all."""
    rng = np.random.default_rng(seed)
    held = np.zeros(len(s), dtype=bool)
    for kind in (0, 1):
        rows = np.flatnonzero(s == kind)
        if len(rows) < 2:
            raise ValueError(
                "early stopping needs two labelled and two unlabelled rows at least; set early_stopping to False"
            )
        size = min(max(1, round(share * len(rows))), len(rows) - 1)
        held[rng.choice(rows, size, replace=False)] = True
    return held


def warn_of_one_decision(scores: NDArray[np.float64], causes: str) -> None:
    """Warn, from ``fit``, where the scores of all its rows, shape (n,), lie on one side of 0; ``causes`` may be why."""
    share = float(np.mean(scores >= 0))
    if share in (0.0, 1.0):
        side = "positive" if share else "negative"
        said = f"all rows of the fit are called {side}: look at {causes}, which leave the scores on one side"
        warnings.warn(said, stacklevel=3)
