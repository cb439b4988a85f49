"""Which system suits a fit: by features or by rows, exact or by landmarks; and what is kept for the next fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from pubench.estimators.sharing import SHARED, Matrix
from pubench_pual.admm import Result, minimise
from pubench_pual.dual import Dual
from pubench_pual.inverse import Inverse, kernel_inverse, suits
from pubench_pual.kernels import distances, gram, nystroem_root, rbf, rbf_gram, unit_distance
from pubench_pual.literal import Literal
from pubench_pual.losses import Goal
from pubench_pual.primal import Primal
from pubench_pual.systems import HingeRows, Solution, System

__all__ = ["EXACT_ROWS", "LANDMARKS", "Form", "Kernel", "Model", "linear_model", "rbf_model", "run"]

Floats = NDArray[np.float64]
Form = OneOf["rkhs", "literal"]

# Three matrices of so many rows take 2.4 gigabytes, and their factorisation some 20 seconds.
EXACT_ROWS = 10_000
LANDMARKS = 1_000
# Below, inverses are kept: a first fit costs three factorisations more, every other much less than one.
_INVERSE_ROWS = 1_000
# In units of a row's weight; ADMM moves it from here.
_PENALTY = 1.0


@dataclass(frozen=True, slots=True)
class Model:
    """A system and what its weights mean.

    Attributes
    ----------
    system : System
    coefficients : callable
        From the system's weights to the coefficients of features, or of the centres.
    centres : array of shape (m, d) or None
        The rows that a kernel expansion is over.
    """

    system: System
    coefficients: Callable[[Floats], Floats]
    centres: Floats | None = None


@dataclass(frozen=True, slots=True)
class Kernel:
    """The parameters of the radial basis kernel exp(-gamma * squared distance), and how it is to be used."""

    width: float
    form: Form
    n_components: int
    generator: np.random.RandomState

    def gamma(self, Z: Floats) -> float:
        """Return 1 / (2 width^2), the width being in units of the root mean squared distance of two rows."""
        return 1.0 / (2.0 * self.width**2 * unit_distance(Z))


def linear_model(Z: Floats, goal: Goal, ridge: float) -> Model:
    """Return the system with fewer unknowns: d + 1 weights, or n coefficients if there are as many features."""
    if Z.shape[1] < Z.shape[0]:
        return Model(Primal(Z, goal, ridge, _PENALTY), lambda weights: weights)
    return Model(Dual(Z @ Z.T, goal, ridge, _PENALTY), lambda weights: Z.T @ weights)


def rbf_model(Z: Floats, key: bytes, goal: Goal, ridge: float, kernel: Kernel) -> Model:
    """Return the system for a kernel expansion over all rows, or over landmarks where there are too many.

    Parameters
    ----------
    Z : array of shape (n, d)
        Centred.
    key : bytes
        The digest of Z.
    goal : Goal
    ridge : float
    kernel : Kernel
    """
    n, gamma = len(Z), kernel.gamma(Z)
    if kernel.form == "literal":
        return _over_rows(Literal(_gram(Z, key, gamma), goal), Z)
    if kernel.n_components < n:
        return _nystroem(Z, goal, ridge, gamma, kernel)
    if n <= _INVERSE_ROWS and suits(goal, ridge, _PENALTY):
        Q = SHARED.get(("pual", key, "inverse", gamma), lambda: Matrix(kernel_inverse(_gram(Z, key, gamma))))
        return _over_rows(Inverse(Q.values, goal, ridge, _PENALTY), Z)
    return _over_rows(Dual(_gram(Z, key, gamma), goal, ridge, _PENALTY), Z)


def run(model: Model, goal: Goal, tol: float, max_iter: int) -> tuple[Solution, Result]:
    """Minimise the objective: by ADMM, or at once where no row has the hinge loss."""
    hinge = HingeRows(goal)
    if not hinge.count:
        empty = np.zeros(0)
        return model.system.solve(empty), Result(empty, 1, np.zeros((0, 3)), gap=0.0, converged=True)
    margins = model.system.margins()
    result = minimise(margins, hinge.hinge, tol=tol, max_iter=max_iter)
    return model.system.solve(result.pull), result


def _over_rows(system: System, Z: Floats) -> Model:
    return Model(system, lambda weights: weights, Z)


def _gram(Z: Floats, key: bytes, gamma: float) -> Floats:
    """Return the Gram matrix, kept; of few rows from distances that are kept, too, for other widths."""
    if len(Z) > _INVERSE_ROWS:
        return SHARED.get(("pual", key, "gram", gamma), lambda: Matrix(rbf_gram(Z, gamma))).values
    squared = SHARED.get(("pual", key, "distances"), lambda: Matrix(distances(Z)))
    return gram(squared.values, gamma)


def _nystroem(Z: Floats, goal: Goal, ridge: float, gamma: float, kernel: Kernel) -> Model:
    chosen = np.sort(kernel.generator.choice(len(Z), kernel.n_components, replace=False))
    landmarks = Z[chosen]
    root = nystroem_root(rbf_gram(landmarks, gamma))
    features = rbf(Z, landmarks, gamma) @ root
    return Model(Primal(features, goal, ridge, _PENALTY), lambda weights: root @ weights, landmarks)
