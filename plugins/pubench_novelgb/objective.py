r"""The PU risk of the logistic loss as gradient boosting sees it: a slope and a curvature for each row.

Everything here is multiplied by one over the weight of an unlabelled row (n rows in a single training set, the
unlabelled ones in case-control): an unlabelled row counts 1, so that leaf sizes and the penalty on leaf values mean
what they mean in supervised boosting. With :math:`c = \pi n / n_p` the unbiased risk is then
:math:`\sum_{P \cup U} \mathrm{softplus}(f) - c \sum_P f` in a single training set, and the same with U in the place
of the union in case-control.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from pubench.risk import signed_weights
from pubench.specs import Scenario

__all__ = ["Objective", "Risk"]

Floats = NDArray[np.float64]
Risk = Literal["upu", "nnpu"]


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    r"""The risk of one training sample (Timmons et al., Eq. 2, with the binary cross entropy).

    Attributes
    ----------
    positive, negative : float arrays of shape (n,)
        The scaled weights of each row as a positive and as a negative.
    max_score : float
        Beyond it, on either side, the risk goes on in a straight line: its slope and curvature are those at the
        bound. An unbiased risk falls for ever as the scores of a leaf with many labelled rows grow, and its
        curvature vanishes there: without a bound Newton's steps explode.
    risk : {"upu", "nnpu"}
    beta : float
        nnPU: how far below zero, in units of :func:`pubench.risk.risk_parts`, the negative part may fall.
    gamma : float
        nnPU: the length of the step that leads back.
    scale : float
        What the weights of :func:`pubench.risk.signed_weights` were multiplied by.
    """

    positive: Floats
    negative: Floats
    max_score: float
    risk: Risk
    beta: float
    gamma: float
    scale: float

    @classmethod
    def of(
        cls,
        s: ArrayLike,
        *,
        prior: float,
        scenario: Scenario,
        max_score: float,
        risk: Risk = "upu",
        beta: float = 0.0,
        gamma: float = 1.0,
    ) -> Self:
        """Return the objective of the rows labelled by ``s``, of shape (n,)."""
        weights = signed_weights(s, prior, scenario)
        scale = 1.0 / weights.negative_U
        positive, negative = weights.rows(s)
        return cls(positive * scale, negative * scale, max_score, risk, beta, gamma, scale)

    def derivatives(self, scores: ArrayLike) -> tuple[Floats, Floats]:
        r"""Return the slope and the curvature of the scaled risk in the score of each row.

        With :math:`\sigma` the logistic function and :math:`w_\pm` the scaled weights, the slope is
        :math:`w_+ (\sigma - 1) + w_- \sigma`. nnPU follows it while the negative part
        :math:`\sum w_- \mathrm{softplus}(f)` is at least :math:`-\beta`, and otherwise climbs that part again:
        the slope is then :math:`-\gamma w_- \sigma` (Kiryo et al., 2017, Algorithm 1).

        The curvature is :math:`\sigma (1 - \sigma)` for every row. It is exact in a single training set, where
        the weights of a row add up to 1, and for unlabelled rows in case-control. There, the loss of a labelled row is
        the straight line :math:`-c f`: its true curvature, 0, would make the step of a leaf of labelled rows
        infinite, and LightGBM, which counts the rows of a leaf by their curvature, would not see them.

        Parameters
        ----------
        scores : array of shape (n,)

        Returns
        -------
        slope, curvature : float arrays of shape (n,)
        """
        inside = np.clip(scores, -self.max_score, self.max_score)
        share = expit(inside)
        curvature = share * expit(-inside)
        if self.risk == "nnpu" and self._negative_part(inside) < -self.beta:
            return -self.gamma * self.negative * share, curvature
        return (self.positive + self.negative) * share - self.positive, curvature

    def _negative_part(self, scores: Floats) -> float:
        # The sum of NumPy's own order: the same whatever the number of threads.
        return float(np.sum(self.negative * np.logaddexp(0.0, scores))) / self.scale
