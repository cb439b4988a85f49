r"""The members of the family: which loss falls on labelled rows, which on unlabelled ones, and the local term.

All four minimise, over the score :math:`f(x) = \beta^\top x + \beta_0` (equation 1 of the paper),

.. math::

    \frac{\lambda}{2} \|\beta\|^2 + C_p \sum_{i \in P} \ell_p(1 - f_i) + C_u \sum_{i \in U} \ell_u(1 + f_i)
    + f^\top R f,

and differ in the losses alone, each :math:`h^2` or :math:`[h]_+`, and in whether R is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

__all__ = ["MEMBERS", "Goal", "Member", "hinge_step", "make_goal"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Member:
    """One objective of the family.

    Attributes
    ----------
    hinge_on_P, hinge_on_U : bool
        The hinge loss, where true; the squared loss elsewhere.
    local : bool
        Whether neighbours are pulled together by R (equations 5 and 6).
    """

    # P and U are the names of the two samples everywhere else, too.
    hinge_on_P: bool  # noqa: N815
    hinge_on_U: bool  # noqa: N815
    local: bool


MEMBERS: Mapping[str, Member] = MappingProxyType(
    {
        "pual": Member(hinge_on_P=True, hinge_on_U=False, local=True),  # equation 7
        "gllc": Member(hinge_on_P=False, hinge_on_U=False, local=True),  # equation 4
        "blssvm": Member(hinge_on_P=False, hinge_on_U=False, local=False),  # equation 3
        "bsvm": Member(hinge_on_P=True, hinge_on_U=True, local=False),  # equation 2
    }
)


@dataclass(frozen=True, slots=True)
class Goal:
    """A member's objective as a function of the scores of n rows; the ridge is not in it.

    Attributes
    ----------
    sign : array of shape (n,)
        1 for rows of P, -1 for rows of U.
    weight : array of shape (n,)
        C_p or C_u.
    hinge : boolean array of shape (n,)
        The rows with the hinge loss.
    laplacian : csr_array of shape (n, n) or None
        R of equation 6; None where there is no local term.
    """

    sign: Floats
    weight: Floats
    hinge: NDArray[np.bool_]
    laplacian: csr_array | None

    def value(self, scores: Floats) -> float:
        """Return the losses and the local term at the scores, shape (n,)."""
        gap = 1.0 - self.sign * scores
        losses = np.where(self.hinge, np.maximum(gap, 0.0), np.square(gap))
        total = float(self.weight @ losses)
        return total if self.laplacian is None else total + float(scores @ (self.laplacian @ scores))

    def curvature(self, penalty: float) -> Floats:
        """Return the diagonal, shape (n,), of the Hessian in the scores, without R.

        Rows with the squared loss have 2C. Those with the hinge have the curvature of ADMM's penalty (equation
        10), whose mu_1 is ``penalty`` times C: in such units one penalty suits C_p and C_u alike.
        """
        return np.where(self.hinge, penalty, 2.0) * self.weight

    def slope(self) -> Floats:
        """Return the gradient in the scores at 0, shape (n,), of what is not a hinge."""
        return np.where(self.hinge, 0.0, -2.0 * self.weight * self.sign)


def hinge_step(d: Floats, c: Floats) -> Floats:
    """Minimise c [x]_+ + (x - d)^2 / 2 over x, element by element (equation 16)."""
    result: Floats = np.maximum(d - c, np.minimum(d, 0.0))
    return result


def make_goal(
    member: Member,
    s: NDArray[np.uint8],
    C_p: float,
    C_u: float,
    laplacian: csr_array | None,
    *,
    mean: bool,
) -> Goal:
    """Return a member's objective for labels s of shape (n,), 1 = labelled.

    With ``mean`` the losses are averaged over P and over U, as the local term is over all rows; without, they are
    summed, as in the equations.
    """
    labelled = s == 1
    n_p = int(np.count_nonzero(labelled))
    per_p, per_u = (n_p, len(s) - n_p) if mean else (1, 1)
    return Goal(
        sign=np.where(labelled, 1.0, -1.0),
        weight=np.where(labelled, C_p / per_p, C_u / per_u),
        hinge=np.where(labelled, member.hinge_on_P, member.hinge_on_U),
        laplacian=laplacian if member.local else None,
    )
