"""The one-class support vector machine: labelled rows alone."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import OneClassSVM

from pubench.base import Either, OneOf, PUClassifier, Real, Rule, validate_pu, validate_rows
from pubench.learners import narrow_indices

__all__ = ["OneClass"]


class OneClass(PUClassifier):
    """The support of P (Schoelkopf et al., 2001), by scikit-learn's OneClassSVM; unlabelled rows are not used.

    Parameters
    ----------
    nu : float, default=0.5
        About the share of P that is left outside, in (0, 1].
    kernel : {"rbf", "linear", "poly", "sigmoid"}, default="rbf"
    gamma : float, "scale" or "auto", default="scale"
        Of all kernels but the linear one.
    tol : float, default=1e-3
        Of the solver.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    estimator_ : OneClassSVM
        Fitted on P.
    n_features_in_ : int
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "nu": Real(0.0, 1.0, open_low=True),
        "kernel": OneOf(("rbf", "linear", "poly", "sigmoid")),
        "gamma": Either(Real(0.0, open_low=True), OneOf(("scale", "auto"))),
        "tol": Real(0.0, open_low=True),
    }

    def __init__(
        self,
        nu: float = 0.5,
        *,
        kernel: Literal["rbf", "linear", "poly", "sigmoid"] = "rbf",
        gamma: float | Literal["scale", "auto"] = "scale",
        tol: float = 1e-3,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.gamma = gamma
        self.tol = tol

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        # By design the share nu of the labelled rows is left outside.
        tags.classifier_tags.poor_score = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the support of the labelled rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : array-like of shape (n,)
            Two classes, the larger in sort order being the labelled one.

        Returns
        -------
        self
        """
        X, s = validate_pu(self, X, y, accept_sparse="csr", dtype=np.float64)
        machine = OneClassSVM(nu=self.nu, kernel=self.kernel, gamma=self.gamma, tol=self.tol)
        self.estimator_ = machine.fit(narrow_indices(X[s == 1]))
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the signed distance to the border of the support; at least 0 is inside and means positive.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        ndarray of shape (n,)
        """
        X = narrow_indices(validate_rows(self, X, accept_sparse="csr", dtype=np.float64))
        return np.asarray(self.estimator_.decision_function(X), dtype=np.float64)
