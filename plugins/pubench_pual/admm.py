r"""ADMM for hinge losses (Algorithm 1), in the margins of the hinge rows only.

What the quadratic part of an objective has to say about the hinge rows' margins is an affine map: if a penalty pulls
them towards z, they end at ``offset + penalty * T z``. :class:`Margins` holds that map, made from one factorisation of
the whole system, and :func:`minimise` iterates on it: an iteration costs a matrix-vector product or two, whether the
score is linear or a kernel expansion, and a change of the penalty costs a factorisation as small as the map.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, cholesky, solve_triangular

from pubench_pual.losses import hinge_step
from pubench_pual.matrices import inverse_from_factor

__all__ = ["Hinge", "Margins", "Result", "minimise"]

Floats = NDArray[np.float64]
Respond = Callable[[Floats], Floats]

_RELAXATION = 1.6
_FIRST_CHECK = 10
# Beyond these the map's factorisation would lose digits; balanced penalties lie far inside.
_LEAST, _MOST = 1e-8, 1e8
# Residuals are relative to terms that outgrow the rest where weights differ by orders of magnitude; then they are small
# far from the minimum, but the gap is not.
_GAP = 1e-3


@dataclass(frozen=True, slots=True)
class Margins:
    """The map from targets to margins at one penalty, ``base``.

    Attributes
    ----------
    offset : array of shape (h,)
        The margins when the targets are 0.
    factor : array of shape (h, r)
        B with T = B B'; or
    matrix : array of shape (h, h)
        T itself, for h of at most r.
    base : float
    adapts : bool
        Whether T is the inverse of a Hessian, so that the map at other penalties follows from it.
    """

    offset: Floats
    base: float
    factor: Floats | None = None
    matrix: Floats | None = None
    adapts: bool = True

    def at(self, penalty: float) -> Respond:
        """Return the map at another penalty.

        By the matrix inversion lemma it is (I + change T)^-1 (offset + penalty T z), change being the penalty less
        the base.
        """
        change = penalty - self.base
        if self.factor is not None:
            return _respond_by_factor(self.factor, self.offset, penalty, change)
        assert self.matrix is not None
        return _respond_by_matrix(self.matrix, self.offset, penalty, change)


def _respond_by_factor(B: Floats, offset: Floats, penalty: float, change: float) -> Respond:
    if change:
        # (I + change B B')^-1 B B' = B (I + change B'B)^-1 B'
        inner = change * (B.T @ B)
        inner[np.diag_indices_from(inner)] += 1.0
        lower = cholesky(inner, lower=True, check_finite=False)
        projected = B.T @ offset
        offset = offset - change * (B @ cho_solve((lower, True), projected, check_finite=False))
        B = np.ascontiguousarray(solve_triangular(lower, B.T, lower=True, check_finite=False).T)
    return lambda z: offset + B @ (penalty * (B.T @ z))


def _respond_by_matrix(T: Floats, offset: Floats, penalty: float, change: float) -> Respond:
    if change:
        inner = change * T
        inner[np.diag_indices_from(inner)] += 1.0
        inverse = inverse_from_factor(cholesky(inner, lower=True, overwrite_a=True, check_finite=False))
        offset = inverse @ offset
        # (I + change T)^-1 T, for a third of what solving for all columns of T would take.
        inverse *= -1.0 / change
        inverse[np.diag_indices_from(inverse)] += 1.0 / change
        T = inverse
    scaled = penalty * T
    return lambda z: offset + scaled @ z


@dataclass(frozen=True, slots=True)
class Hinge:
    """The sum of weight [one - margin]_+ over h rows, in units in which the penalty is the same for all.

    A row with weight C enters with margins times the root of C: then ``one`` and ``weight`` are both that root.
    """

    one: Floats
    weight: Floats


@dataclass(frozen=True, slots=True)
class Result:
    """Where the iterations ended.

    Attributes
    ----------
    pull : array of shape (h,)
        The linear term that, with the penalty at its base, reproduces the final margins.
    n_iter : int
    curve : array of shape (c, 3)
        A row for each time that the residuals were looked at: the iteration, the primal and the dual residual, each
        relative to its tolerance at tol = 1. The last row is where the iterations ended.
    gap : float
        How far the objective is from its minimum at most, relative to its part in the hinge rows.
    converged : bool
        Whether both residuals of the last row are at most tol, and the gap is small, too.
    """

    pull: Floats
    n_iter: int
    curve: Floats
    gap: float
    converged: bool


def minimise(margins: Margins, hinge: Hinge, *, tol: float, max_iter: int) -> Result:
    r"""Minimise a quadratic plus hinge losses by ADMM (equations 11 to 18), scaled form, over-relaxed.

    With h for ``one`` less the margin, the primal residual is one - m - h and the dual one
    :math:`\mu (h^{k+1} - h^k)`, both as in Boyd et al. (2011), section 3.3, but taken among the hinge rows, so
    that they do not depend on how the quadratic part is written. Each is divided by the sum of an absolute
    scale, the norm of ``one`` (of the weights for the dual), and a relative one, the largest norm among its terms.

    Every time the number of iterations has doubled the penalty moves to balance the two: a change each time would
    cost factorisations, and a finite number of changes leaves convergence to the minimum proved.
    """
    penalty = margins.base
    respond = margins.at(penalty)
    relaxation = _RELAXATION if margins.adapts else 1.0
    one, weight = hinge.one, hinge.weight
    h, u = one.copy(), np.zeros_like(one)
    curve: list[tuple[int, float, float]] = []
    check = _FIRST_CHECK
    target = one - h + u
    m = respond(target)
    for k in range(1, max_iter + 1):
        before = h
        relaxed = relaxation * m + (1.0 - relaxation) * (one - h)
        d = one - relaxed + u
        h = hinge_step(d, weight / penalty)
        u = d - h
        if k % _FIRST_CHECK == 0 or k == max_iter:
            curve.append((k, *_residuals(m, h, before, u, hinge, penalty)))
            # The literal form minimises nothing that a gap could be of.
            gap = _gap(m, penalty * (target - m), hinge) if margins.adapts else 0.0
            if converged := max(curve[-1][1:]) <= tol and gap <= _GAP:
                break
        if margins.adapts and k == check and k < max_iter:
            check *= 2
            changed = _balanced(penalty, curve[-1][1:])
            if changed != penalty:
                u *= penalty / changed
                penalty, respond = changed, margins.at(changed)
        target = one - h + u
        m = respond(target)
    pull = penalty * (target - m) + margins.base * m
    return Result(pull, k, np.array(curve), gap, converged)


def _residuals(
    m: Floats, h: Floats, before: Floats, u: Floats, hinge: Hinge, penalty: float
) -> tuple[float, float]:
    norm = np.linalg.norm
    scale = norm(hinge.one)
    primal = norm(hinge.one - m - h) / (scale + max(norm(m), norm(h), scale))
    dual = penalty * norm(h - before) / (norm(hinge.weight) + penalty * norm(u))
    return float(primal), float(dual)


def _gap(m: Floats, multipliers: Floats, hinge: Hinge) -> float:
    r"""Return the duality gap: of the sum over rows of :math:`C [1 - m]_+ - \alpha (1 - m)`, relative to its parts.

    The margins m are those to which the quadratic part answers multipliers :math:`\alpha`; within [0, C] these are a
    point of the dual, and what they leave is a bound on the distance to the minimum.
    """
    within = np.clip(multipliers, 0.0, hinge.weight)
    short = hinge.one - m
    loss = hinge.weight * np.maximum(short, 0.0)
    left = np.abs(loss - within * short).sum() + np.abs(multipliers - within) @ np.abs(short)
    return float(left / (loss.sum() + within @ hinge.one + np.finfo(float).tiny))


def _balanced(penalty: float, residuals: tuple[float, float]) -> float:
    primal, dual = (max(residual, 1e-300) for residual in residuals)
    ratio = math.sqrt(primal / dual)
    if 0.5 < ratio < 2.0:
        return penalty
    return min(max(penalty * min(max(ratio, 0.1), 10.0), _LEAST), _MOST)
