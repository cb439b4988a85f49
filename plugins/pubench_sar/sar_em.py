"""SAR-EM: classes and propensities by expectation maximisation (Bekker, Robberechts and Davis, 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pubench_risk.scaling import Scaling

from pubench.base import (
    PRIOR,
    Either,
    Labels,
    OneOf,
    PUClassifier,
    Real,
    RowRules,
    Rows,
    Rule,
    Whole,
    validate_rows,
    warn_of_one_decision,
)
from pubench.priors import prior_to_use
from pubench.specs import Scenario
from pubench_sar.expectation import Problem, maximise

__all__ = ["SAREM"]

Floats = NDArray[np.float64]

# Of log odds, before the labels are seen.
_VARIANCE = 8.0


class SAREM(PUClassifier):
    r"""Logistic models of the class and of the propensity, fitted together to a single training set.

    The labels have :math:`\Pr(s = 1 | x) = f(x) e(x)`. The E-step is :func:`pubench_sar.likelihood.class_posterior`.
    The M-step fits f to these posteriors, and e to the labels with these posteriors as weights.

    **Only the product f e is in the data.** If both models use the same columns, they can be exchanged without a change
    of the likelihood. ``propensity_columns`` that leave out columns of the class, and a given ``prior`` help; nothing
    in the fit shows whether they are right.

    Parameters
    ----------
    prior : float, str or None, default=None
        Pr(y = 1), or the name of a prior estimator (which all assume labels at random); None leaves it free.
    propensity_columns : sequence of int or None, default=None
        The columns of X that the propensity depends on, from 0; None means all. In a suite X is the preprocessed table,
        where one-hot columns take the place of a column of categories.
    l2 : float or "auto", default="auto"
        The penalty on weights of standardised columns, beside mean losses. "auto" is d / (8 n) for a model of d columns
        and n rows: a normal prior under which log odds have the variance 8, however many columns there are. With a
        fixed penalty, wide tables are learned by heart.
    max_iter, tol : int, default=300, and float, default=1e-6
        The number of rounds, and the gain of a round that ends them.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    prior_ : float
        The prior that was given, or the mean of the class probabilities.
    class_model_, propensity_model_ : Logistic
        Both on scaled rows.
    likelihood_curve_ : ndarray of shape (t,)
        What is maximised, before each round: see :func:`pubench_sar.expectation.maximise`. It rises.
    n_iter_ : int
    n_features_in_ : int
    """

    scenario: ClassVar[Scenario] = "single-training-set"
    param_rules: ClassVar[dict[str, Rule]] = {
        "prior": Either(PRIOR, OneOf((None,))),
        "l2": Either(Real(low=0.0, open_low=True), OneOf(("auto",))),
        "max_iter": Whole(low=1),
        "tol": Real(low=0.0),
    }
    row_rules = RowRules(sparse="csr", dtype=np.float64)

    def __init__(
        self,
        prior: float | str | None = None,
        *,
        propensity_columns: Sequence[int] | None = None,
        l2: float | Literal["auto"] = "auto",
        max_iter: int = 300,
        tol: float = 1e-6,
    ) -> None:
        self.prior = prior
        self.propensity_columns = propensity_columns
        self.l2 = l2
        self.max_iter = max_iter
        self.tol = tol

    def _fit(self, X: Rows, s: Labels) -> None:
        prior = None if self.prior is None else prior_to_use(self, X, s)
        self._columns = self._checked_columns(X.shape[1])
        self.scaling_ = Scaling.of(X, True)
        A = self.scaling_.apply(X)
        Z = self._of_propensity(A)
        problem = Problem(A, Z, s, prior, self._penalty(A), self._penalty(Z))
        found = maximise(problem, max_iter=self.max_iter, tol=self.tol)
        self.class_model_, self.propensity_model_ = found.classes, found.propensities
        self.likelihood_curve_, self.n_iter_ = np.array(found.curve), len(found.curve)
        self.prior_ = float(found.classes.probability(A).mean()) if prior is None else prior
        warn_of_one_decision(found.classes.scores(A), "the prior, l2 or the features")

    def _penalty(self, rows: Any) -> float:
        if self.l2 != "auto":
            return float(self.l2)
        n, d = rows.shape
        return float(d / (_VARIANCE * n))

    def _checked_columns(self, d: int) -> NDArray[np.intp]:
        if self.propensity_columns is None:
            return np.arange(d)
        columns = np.asarray(self.propensity_columns)
        if columns.ndim != 1 or not len(columns) or columns.dtype.kind not in "iu":
            raise ValueError("propensity_columns must be a list of column numbers, or None for all columns")
        if columns.min() < 0 or columns.max() >= d:
            raise ValueError(f"propensity_columns must lie between 0 and {d - 1}, since X has {d} columns")
        return columns.astype(np.intp)

    def _of_propensity(self, A: Any) -> Any:
        return A if len(self._columns) == A.shape[1] else A[:, self._columns]

    def decision_function(self, X: Rows) -> Floats:
        """Return the log odds of the positive class, shape (n,)."""
        X = validate_rows(self, X)
        return self.class_model_.scores(self.scaling_.apply(X))

    def predict_proba(self, X: Rows) -> Floats:
        """Return the probabilities of both classes, shape (n, 2)."""
        X = validate_rows(self, X)
        positive = self.class_model_.probability(self.scaling_.apply(X))
        return np.column_stack([1.0 - positive, positive])

    def predict_propensity(self, X: Rows) -> Floats:
        """Return the estimated Pr(s = 1 | y = 1, x), shape (n,)."""
        X = validate_rows(self, X)
        A = self.scaling_.apply(X)
        return self.propensity_model_.probability(self._of_propensity(A))
