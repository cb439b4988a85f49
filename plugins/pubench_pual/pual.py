"""The estimator of the PUAL family (Wang et al., 2024)."""

from __future__ import annotations

import warnings
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from pubench.base import (
    SCENARIO,
    UNSTATED,
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
)
from pubench.estimators.sharing import SHARED, digest
from pubench.specs import Scenario
from pubench_pual.graph import laplacian, mutual_neighbours
from pubench_pual.intercept import enough_labelled, least_difference, puf_intercept
from pubench_pual.kernels import expansion
from pubench_pual.losses import MEMBERS, Goal, make_goal
from pubench_pual.models import EXACT_ROWS, LANDMARKS, Kernel, Model, linear_model, rbf_model, run
from pubench_pual.systems import Solution

__all__ = ["PUAL"]

Floats = NDArray[np.float64]


class PUAL(PUClassifier):
    r"""Support vector machines for P and U with a hinge or squared loss on either, and a local term.

    The score is :math:`f(x) = \beta^\top x + \beta_0`, or a function in the space of a kernel. The objective is

    .. math::

        \frac{\lambda}{2} \|\beta\|^2 + \frac{C_p}{n_p} \sum_{i \in P} \ell_p(1 - f_i)
        + \frac{C_u}{n_u} \sum_{i \in U} \ell_u(1 + f_i) + f^\top R f,

    where R is the Laplacian of the graph of mutual nearest neighbours (equations 5 and 6):

    - ``"pual"``: hinge on P, squared on U, local term (equation 7; kernels: 26). Labelled rows far on the right
      side of the boundary cost nothing, so a distant second group of positives does not shift it;
    - ``"gllc"``: squared on both, local term (equation 4);
    - ``"blssvm"``: squared on both, no local term (equation 3);
    - ``"bsvm"``: hinge on both, no local term (equation 2).

    Hinge losses are minimised by ADMM (Algorithm 1) with one factorisation; squared losses need one solve.

    Parameters
    ----------
    loss : {"pual", "gllc", "blssvm", "bsvm"}, default="pual"
        Which of the four objectives above is minimised.
    kernel : {"linear", "rbf"}, default="linear"
        Linear scores, or an expansion in radial basis functions.
    losses : {"mean", "sum"}, default="mean"
        Whether losses are averaged over P and over U, like the local term, or summed as in the equations. With means,
        the same parameters suit any number of rows, and the ranges of the paper's experiments work.
    C_p, C_u : float, default=1.0 and 0.3
        The weights of the losses, above 0. The paper fixes C_p. With means and squared losses on U, C_u below
        a quarter of C_p makes the constant score 1 optimal, since it satisfies every hinge.
    ridge : float, default=0.01
        The paper's lambda, above 0. The default suits standardised features and the kernel; it should grow with the
        square of the features' scale.
    n_neighbors : int, default=5
        Neighbours in the graph; exact up to 10,000 rows or 8 columns, approximate beyond both.
    sigma : float, default=1.0
        The width of the graph's weights, in units of the median squared distance between neighbours.
    width : float, default=0.5
        The radial basis kernel is exp(-squared distance / (2 width^2)), with the width in units of the root mean
        squared distance of two rows. 0.5 corresponds to ``gamma="scale"`` in scikit-learn. From 1e-10 to 1e10.
    form : {"rkhs", "literal"}, default="rkhs"
        For kernels: the minimum in the kernel's space, or Algorithm 2 as printed, which solves no linear system and
        uses neither ridge nor local term.
    n_components : int or "auto", default="auto"
        The maximal number of rows in a kernel expansion; they are drawn at random (Nystroem). "auto" uses all rows up
        to 10,000, and 1,000 beyond. The literal form always uses all rows, at most 10,000.
    intercept : {"auto", "fit", "puf"}, default="auto"
        "fit" minimises the objective; "puf" then moves the intercept to where PUF is highest on the training rows.
        That helps linear scores much, but only with many labelled rows. With few of them, or with a kernel expansion,
        training rows score higher than other rows, and "puf" is harmful. "auto" is "puf" for linear scores with at
        least 30 labelled rows and 5 for each feature, else "fit". The intercept stays if all scores are the same up
        to the tolerance.
    tol : float, default=1e-5
        ADMM stops when its primal and dual residuals, relative to the sizes of their terms, reach this value, and the
        duality gap reaches 0.001.
    max_iter : int, default=5000
        The maximal number of iterations; a ConvergenceWarning says when they did not suffice.
    scenario : {"case-control", "single-training-set"}
        Which rows represent the population in PUF: U, or P and U together. The objective does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the draw of ``n_components`` rows; nothing else is random.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    coef_ : ndarray of shape (1, d)
        The weights of linear scores.
    intercept_ : ndarray of shape (1,)
    shift_ : float
        How far ``intercept="puf"`` moved the intercept.
    dual_coef_ : ndarray of shape (m,)
        The coefficients of a kernel expansion.
    centers_ : ndarray of shape (m, d)
        The rows of a kernel expansion, minus ``offset_``.
    offset_ : ndarray of shape (d,)
    gamma_ : float
        1 / (2 width^2) in the units of the features.
    n_iter_ : int
        The number of iterations of ADMM; 1 if a single solve suffices.
    residuals_ : ndarray of shape (2,)
        The last primal and dual residuals; 0 if a single solve suffices.
    residual_curve_ : ndarray of shape (c, 3)
        Iteration, primal and dual residual of ADMM, every ten iterations and at the end. It has no rows if a single
        solve suffices.
    n_features_in_ : int
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "loss": OneOf(tuple(MEMBERS)),
        "kernel": OneOf(("linear", "rbf")),
        "losses": OneOf(("mean", "sum")),
        "C_p": Real(low=0.0, open_low=True),
        "C_u": Real(low=0.0, open_low=True),
        "ridge": Real(low=0.0, open_low=True),
        "n_neighbors": Whole(low=1),
        "sigma": Real(low=0.0, open_low=True),
        "width": Real(low=1e-10, high=1e10),
        "form": OneOf(("rkhs", "literal")),
        "n_components": Either(Whole(low=1), OneOf(("auto",))),
        "intercept": OneOf(("auto", "fit", "puf")),
        "tol": Real(low=0.0, open_low=True),
        "max_iter": Whole(low=1),
        "scenario": SCENARIO,
    }

    row_rules = RowRules(dtype=np.float64)

    def __init__(
        self,
        loss: Literal["pual", "gllc", "blssvm", "bsvm"] = "pual",
        *,
        kernel: Literal["linear", "rbf"] = "linear",
        losses: Literal["mean", "sum"] = "mean",
        C_p: float = 1.0,
        C_u: float = 0.3,
        ridge: float = 0.01,
        n_neighbors: int = 5,
        sigma: float = 1.0,
        width: float = 0.5,
        form: Literal["rkhs", "literal"] = "rkhs",
        n_components: int | Literal["auto"] = "auto",
        intercept: Literal["auto", "fit", "puf"] = "auto",
        tol: float = 1e-5,
        max_iter: int = 5000,
        scenario: Scenario = UNSTATED,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.loss = loss
        self.kernel = kernel
        self.losses = losses
        self.C_p = C_p
        self.C_u = C_u
        self.ridge = ridge
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.width = width
        self.form = form
        self.n_components = n_components
        self.intercept = intercept
        self.tol = tol
        self.max_iter = max_iter
        self.scenario = scenario
        self.random_state = random_state

    def _fit(self, X: Rows, s: Labels) -> None:
        Z, s, offset = _arranged(X, s)
        key = digest(Z)
        goal = self._goal(Z, s, key)
        model = self._model(Z, key, goal)
        solution, ending = run(model, goal, self.tol, self.max_iter)
        self.n_iter_, self.residual_curve_ = ending.n_iter, ending.curve
        self.residuals_ = ending.curve[-1, 1:] if len(ending.curve) else np.zeros(2)
        if not ending.converged:
            warnings.warn(
                f"ADMM stopped after max_iter = {self.max_iter} iterations with residuals {self.residuals_[0]:.1e} "
                f"and {self.residuals_[1]:.1e} (tol = {self.tol:g}) and a duality gap of {ending.gap:.1e}; raise "
                "max_iter, tol or ridge, scale the features, or bring C_p and C_u nearer to each other",
                ConvergenceWarning,
                stacklevel=3,
            )
        size = float(np.einsum("ij,ij->i", Z, Z).max()) if self.kernel == "linear" else 1.0
        intercept = self._intercept(solution, s, least_difference(goal, size, self.ridge, self.tol))
        self.shift_ = intercept - solution.intercept
        self._warn_of_one_decision(solution.scores - solution.intercept + intercept)
        self._keep(model, solution, intercept, offset)

    def _warn_of_one_decision(self, scores: Floats) -> None:
        positive = scores >= 0
        if positive.any() and not positive.all():
            return
        side, remedy = ("positive", "raise C_u") if positive.all() else ("negative", "lower C_u")
        flat = "lower ridge, or scale the features" if self.kernel == "linear" else "lower ridge or width"
        warnings.warn(
            f"{self.loss} predicts all rows of the fit {side}: with C_p = {self.C_p:g}, C_u = {self.C_u:g} and ridge = "
            f"{self.ridge:g} their scores hardly differ, or lie on one side of 0; {remedy}, {flat}",
            UserWarning,
            stacklevel=4,
        )

    def _goal(self, Z: Floats, s: Labels, key: bytes) -> Goal:
        member, k = MEMBERS[self.loss], self.n_neighbors
        graph = None
        if member.local:
            edges = SHARED.get(("pual", key, "edges", k), lambda: mutual_neighbours(Z, k))
            graph = laplacian(edges, self.sigma)
        return make_goal(member, s, self.C_p, self.C_u, graph, mean=self.losses == "mean")

    def _model(self, Z: Floats, key: bytes, goal: Goal) -> Model:
        if self.kernel == "linear":
            if self.form == "literal":
                raise ValueError(
                    "form='literal' of PUAL is defined only for kernel='rbf'; use kernel='rbf' or form='rkhs'"
                )
            return linear_model(Z, goal, self.ridge)
        if self.form == "literal" and len(Z) > EXACT_ROWS:
            raise ValueError(
                f"form='literal' of PUAL needs the kernel of all rows and takes at most {EXACT_ROWS} rows; "
                f"got {len(Z)}: use form='rkhs'"
            )
        kernel = Kernel(
            self.width, self.form, self._components(len(Z)), check_random_state(self.random_state)
        )
        self.gamma_ = kernel.gamma(Z)
        return rbf_model(Z, key, goal, self.ridge, kernel)

    def _components(self, n: int) -> int:
        if self.n_components == "auto":
            return n if n <= EXACT_ROWS else LANDMARKS
        return min(self.n_components, n)

    def _intercept(self, solution: Solution, s: Labels, least: float) -> float:
        choice = self.intercept
        if choice == "auto":
            suits = self.kernel == "linear" and enough_labelled(s, self.n_features_in_)
            choice = "puf" if suits else "fit"
        if choice == "fit" or np.ptp(solution.scores) <= least:
            return solution.intercept
        return puf_intercept(solution.scores - solution.intercept, s, self.scenario_)

    def _keep(self, model: Model, solution: Solution, intercept: float, offset: Floats) -> None:
        coefficients = model.coefficients(solution.weights)
        if not (np.isfinite(coefficients).all() and np.isfinite(intercept)):
            raise ValueError("the fit overflowed: the features, C_p or C_u are too large; scale them down")
        if model.centres is None:
            self.coef_ = coefficients[None, :]
            intercept -= float(coefficients @ offset)
        else:
            self.dual_coef_, self.centers_, self.offset_ = coefficients, model.centres, offset
        self.intercept_ = np.array([intercept])

    def decision_function(self, X: Rows) -> Floats:
        """Return the scores f(x) (equations 1 and 27), shape (n,); at least 0 means positive."""
        X = validate_rows(self, X)
        if self.kernel == "linear":
            return np.asarray(X @ self.coef_[0] + self.intercept_[0])
        scores = expansion(X - self.offset_, self.centers_, self.gamma_, self.dual_coef_)
        return np.asarray(scores + self.intercept_[0])

    def ranking_score(self, X: Rows) -> Floats:
        """Return the scores with the intercept that minimises the objective, shape (n,).

        Where PUF is highest depends on few rows, so the intercept that was moved there varies much between fits.
        """
        return self.decision_function(X) - self.shift_


def _arranged(X: Floats, s: Labels) -> tuple[Floats, Labels, Floats]:
    """Return the rows, centred and with labelled rows last as the systems expect, their labels and the mean."""
    offset = X.mean(axis=0)
    order = np.argsort(s, kind="stable")
    Z = X[order]
    Z -= offset
    if not np.isfinite(float(np.einsum("ij,ij->", Z, Z))):
        raise ValueError("the features are too large to be squared; scale them down")
    return Z, s[order], offset
