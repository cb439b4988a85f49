"""Skewed numbers made nearly symmetric: the transformation of Yeo and Johnson, learned from the training rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["EXPONENTS", "Unskewing", "learn_unskewing"]

EXPONENTS = (-2.0, 3.0)
"""The range of exponents; beyond it single far values would decide."""
_LEAST_DISTINCT = 11
_MOST_ROWS = 10_000
_LEAST_SCALE = 1e-6
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Unskewing:
    r"""The transformation of Yeo and Johnson (2000) of standardised numbers, standardised again.

    .. math:: u = \bigl(g(z) - m\bigr) / t, \qquad
        g(z) = \begin{cases} ((1 + z)^\lambda - 1) / \lambda & z \ge 0 \\
        -((1 - z)^{2 - \lambda} - 1) / (2 - \lambda) & z < 0 \end{cases}

    Attributes
    ----------
    exponent : float
        :math:`\lambda`; 1 changes nothing, less than 1 shortens a long right tail.
    mean, scale : float
        m and t, of the training rows.
    """

    exponent: float
    mean: float
    scale: float

    def apply(self, z: Floats) -> Floats:
        """Return the numbers of any shape transformed."""
        return (_power(z, self.exponent) - self.mean) / self.scale

    def invert(self, u: Floats) -> Floats:
        """Return what :meth:`apply` was given."""
        from scipy.special import inv_boxcox1p

        raised = u * self.scale + self.mean
        right = inv_boxcox1p(np.maximum(raised, 0.0), self.exponent)
        left = inv_boxcox1p(np.maximum(-raised, 0.0), 2.0 - self.exponent)
        found: Floats = np.where(raised >= 0, right, -left)
        return found


def learn_unskewing(z: Floats) -> Unskewing | None:
    r"""Return the transformation that makes numbers most nearly normal; None for few distinct values.

    The exponent maximises the likelihood of a normal distribution,
    :math:`-\frac n2 \log \mathrm{var}\, g(z) + (\lambda - 1) \sum \mathrm{sgn}(z) \log(1 + |z|)`.

    Parameters
    ----------
    z : ndarray of shape (n,)
        Standardised numbers, without NaN; of very many, some are looked at.
    """
    from scipy.optimize import minimize_scalar

    some = z[:: -(-len(z) // _MOST_ROWS)]
    if len(np.unique(some)) < _LEAST_DISTINCT:
        return None
    slope = float((np.sign(some) * np.log1p(np.abs(some))).mean())

    def loss(exponent: float) -> float:
        return float(np.log(_power(some, exponent).var()) / 2 - (exponent - 1.0) * slope)

    exponent = float(minimize_scalar(loss, bounds=EXPONENTS, method="bounded").x)
    raised = _power(z, exponent)
    mean, scale = float(raised.mean()), float(raised.std())
    return Unskewing(exponent, mean, scale) if np.isfinite(mean) and scale > _LEAST_SCALE else None


def _power(z: Floats, exponent: float) -> Floats:
    from scipy.special import boxcox1p

    right, left = boxcox1p(np.maximum(z, 0.0), exponent), boxcox1p(np.maximum(-z, 0.0), 2.0 - exponent)
    found: Floats = np.where(z >= 0, right, -left)
    return found
