"""Weighted logistic regression of Lee and Liu (2003)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from pubench.base import (
    Labels,
    OneOf,
    PUClassifier,
    Real,
    RowRules,
    Rows,
    Rule,
    Whole,
    check_params,
    validate_pu,
    validate_rows,
)
from pubench_linear.newton import Minimum, minimise
from pubench_linear.path import minimise_path

__all__ = ["WeightedLogisticRegression", "wlr_path"]

# The step eta (Delta_t + 0.99 Delta_{t-1}), 0.99 being the paper's momentum, is eta 1.99 Delta when at rest.
_STEP_WITH_MOMENTUM = 1.99


class WeightedLogisticRegression(PUClassifier):
    r"""Logistic regression with unlabelled rows as negative, both classes weighted to the same total.

    The cost printed in section 3 of the paper, with :math:`\ell(m) = \ln(1 + e^{-m})`, is

    .. math::

        \sum_{i \in P} \frac{n^-}{n^+} \ell(g(x_i)) + \sum_{i \in U} \ell(-g(x_i)) + c (\|w\|^2 + b^2),
        \qquad g(x) = w^\top x + b.

    The paper's experiments run the update
    :math:`w_t = (1 - c) w_{t-1} + \eta (\Delta_t + 0.99 \Delta_{t-1})`, where :math:`\Delta` is the negative
    gradient of the losses, :math:`\eta = 1 / N` and :math:`N = n^+ + n^-`. Its fixed point minimises the same
    losses with another penalty, :math:`\frac{c N}{2 \cdot 1.99} (\|w\|^2 + b^2)`.

    Parameters
    ----------
    c : float, default=1.0
        The strength of the penalty, 1e-100 to 1e100; the paper tries 0.005, 0.01, 0.05 and 0.1. The default was
        the best of six powers of ten on standardised tables; unit-length rows, such as texts, need about 1e-4.
    cost : {"update", "printed"}, default="update"
        Which of the two penalties ``c`` belongs to. The default is that of the update: the paper's values of c were
        used with it, and it grows with N like the losses, so a c chosen on some of the rows suits all of them.
    tol : float, default=1e-6
        The fit ends when a Newton step, measured by the curvature of the cost, is this small relative to the
        first one and to the cost: see `pubench_linear.newton.minimise`. The scale of columns does not matter.
    max_iter : int, default=1000
        The maximal number of Newton steps; a ConvergenceWarning says when they did not suffice.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    coef_ : ndarray of shape (1, d)
    intercept_ : ndarray of shape (1,)
        The bias b, penalised like the weights.
    n_iter_ : int
        Newton steps taken.
    n_features_in_ : int
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "c": Real(1e-100, 1e100),
        "cost": OneOf(("update", "printed")),
        "tol": Real(low=0.0, open_low=True),
        "max_iter": Whole(low=1),
    }

    row_rules = RowRules(sparse="csr", dtype=np.float64, order="C")

    def __init__(
        self,
        c: float = 1.0,
        *,
        cost: Literal["update", "printed"] = "update",
        tol: float = 1e-6,
        max_iter: int = 1000,
    ) -> None:
        self.c = c
        self.cost = cost
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, X: Rows, s: Labels) -> None:
        self._keep(minimise(X, s, self._penalty(s), tol=self.tol, max_iter=self.max_iter))

    def _keep(self, found: Minimum) -> None:
        if not found.reached:
            warnings.warn(
                f"{type(self).__name__} stopped after {found.steps} Newton steps short of tol={self.tol}; "
                "raise max_iter, or scale the columns of X",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.coef_ = found.theta[np.newaxis, :-1]
        self.intercept_ = found.theta[-1:]
        self.n_iter_ = found.steps

    def _penalty(self, s: Labels) -> float:
        """Return the penalty for ``minimise``: twice the factor of ||w||^2 + b^2 if the weights of rows sum to 1."""
        n_unlabelled = int(s.size - s.sum())
        if self.cost == "printed":
            return self.c / n_unlabelled
        return self.c * s.size / (2 * _STEP_WITH_MOMENTUM * n_unlabelled)

    def decision_function(self, X: Rows) -> NDArray[np.float64]:
        """Return g(x) = w'x + b, shape (n,); at least 0 means positive."""
        X = validate_rows(self, X)
        return np.asarray(X @ self.coef_[0] + self.intercept_[0])

    def predict_proba(self, X: Rows) -> NDArray[np.float64]:
        """Return the probabilities of both classes under the weighted model, shape (n, 2).

        They belong to a population in which P and U have the same weight: right for a threshold of one half, but not
        estimates of Pr(y = 1 | x).
        """
        decision = self.decision_function(X)
        return np.column_stack([expit(-decision), expit(decision)])


def wlr_path(X: Rows, y: ArrayLike, c: Sequence[float], **params: Any) -> list[WeightedLogisticRegression]:
    """Fit the same rows with several strengths of the penalty, each from the minimum of the one before.

    The minima are those of separate fits, to the same tolerance. Dense rows with up to 300 columns take about a third
    of the time; others are fitted one by one.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
    y : array-like of shape (n,)
        Two classes. The larger in sort order marks labelled positive rows.
    c : sequence of float
        The strengths, in any order.
    **params
        The other parameters of :class:`WeightedLogisticRegression`.

    Returns
    -------
    list of WeightedLogisticRegression
        Fitted, one for each strength.
    """
    models = [WeightedLogisticRegression(strength, **params) for strength in c]
    if not models:
        return []
    first, *others = models
    rows, s = validate_pu(first, X, y)
    # Rows are checked once: the other models learn of them what the first did.
    learned = {name: value for name, value in vars(first).items() if name.endswith("_")}
    for model in others:
        check_params(model)
        model.__dict__.update(learned)
    penalties = [model._penalty(s) for model in models]
    found = minimise_path(rows, s, penalties, tol=models[0].tol, max_iter=models[0].max_iter)
    for model, minimum in zip(models, found, strict=True):
        model._keep(minimum)
    return models
