"""The one-class support vector machine, which learns from labelled rows alone."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.svm import OneClassSVM

from pubench.base import (
    Either,
    Labels,
    OneOf,
    PUClassifier,
    Real,
    RowRules,
    Rows,
    Rule,
    validate_rows,
)

__all__ = ["OneClass"]

_FOLDS = 5


class OneClass(PUClassifier):
    """The support of P (Schoelkopf et al., 2001), by scikit-learn's OneClassSVM; unlabelled rows are not used.

    Parameters
    ----------
    nu : float, default=0.5
        Approximately the share of P that is left outside, in (0, 1].
    kernel : {"rbf", "linear", "poly", "sigmoid"}, default="rbf"
        The kernel of scikit-learn's OneClassSVM.
    gamma : float, "scale" or "auto", default="scale"
        The kernel coefficient; the linear kernel has none.
    tol : float, default=1e-3
        The tolerance of the solver.
    border : {"held-out", "fitted"}, default="held-out"
        Where the support ends. "fitted" takes the machine's own border, which has a share nu of the rows it was fitted
        on outside; in high dimensions nearly all new rows are then outside. "held-out" scores P by machines fitted on
        four fifths of it, and has a share nu of these scores outside.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    estimator_ : OneClassSVM
        Fitted on P.
    border_ : float
        The least score of the machine that means "positive".
    n_features_in_ : int
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "nu": Real(0.0, 1.0, open_low=True),
        "kernel": OneOf(("rbf", "linear", "poly", "sigmoid")),
        "gamma": Either(Real(0.0, open_low=True), OneOf(("scale", "auto"))),
        "tol": Real(0.0, open_low=True),
        "border": OneOf(("held-out", "fitted")),
    }

    row_rules = RowRules(sparse="csr", dtype=np.float64, narrow=True)

    def __init__(
        self,
        nu: float = 0.5,
        *,
        kernel: Literal["rbf", "linear", "poly", "sigmoid"] = "rbf",
        gamma: float | Literal["scale", "auto"] = "scale",
        tol: float = 1e-3,
        border: Literal["held-out", "fitted"] = "held-out",
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.gamma = gamma
        self.tol = tol
        self.border = border

    def _poor_score(self) -> bool:
        # By design, a share nu of the labelled rows is left outside.
        return True

    def _fit(self, X: Rows, s: Labels) -> None:
        positives = X[s == 1]
        machine = OneClassSVM(nu=self.nu, kernel=self.kernel, gamma=self.gamma, tol=self.tol)
        self.border_ = 0.0
        folds = min(_FOLDS, positives.shape[0])
        if self.border == "held-out" and folds > 1:
            scores = cross_val_predict(machine, positives, cv=KFold(folds), method="decision_function")
            self.border_ = float(np.quantile(scores, self.nu))
        self.estimator_ = machine.fit(positives)

    def decision_function(self, X: Rows) -> NDArray[np.float64]:
        """Return the signed distance to the border of the support, shape (n,); at least 0 is inside, so positive."""
        return self.ranking_score(X) - self.border_

    def ranking_score(self, X: Rows) -> NDArray[np.float64]:
        """Return the signed distance to the machine's own border, shape (n,), which varies less between fits."""
        X = validate_rows(self, X)
        return np.asarray(self.estimator_.decision_function(X), dtype=np.float64)
