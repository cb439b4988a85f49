r"""What a PU risk says about scores: its two parts, and its slope in every score.

A labelled row enters the risk as a positive and, with a weight that is usually below zero, as a negative; an
unlabelled row as a negative. Only the total weight of each of the three matters here, so that a batch estimates the
same risk as the whole sample, whatever share of P and of U it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from pubench.risk import labelled_rows, loss_pair, signed_weights
from pubench.specs import Scenario

__all__ = ["CONVEX", "LOSSES", "Evaluation", "Loss", "Masses", "Objective", "Risk", "slope_pair"]

Floats = NDArray[np.float64]
Risk = Literal["nnpu", "upu"]
Loss = Literal["sigmoid", "logistic", "quadratic", "double-hinge"]
LOSSES: tuple[Loss, ...] = get_args(Loss)
# Losses whose difference l(m) - l(-m) is linear in m, which makes the unbiased risk convex, and its slope.
CONVEX: Mapping[str, float] = MappingProxyType({"quadratic": -4.0, "logistic": -1.0, "double-hinge": -1.0})


def slope_pair(scores: Floats, loss: Loss) -> tuple[Floats, Floats]:
    r"""Return the slopes :math:`\partial \ell(f, +1) / \partial f` and :math:`\partial \ell(f, -1) / \partial f`.

    The losses are those of :func:`pubench.risk.loss_pair`; at the corners of the double hinge the slope is the mean of
    both sides.

    Parameters
    ----------
    scores : array of shape (n,)
    loss : {"sigmoid", "logistic", "quadratic", "double-hinge"}

    Returns
    -------
    positive, negative : arrays of shape (n,)
    """
    slope = _SLOPES[loss]
    return slope(scores), -slope(-scores)


@dataclass(frozen=True, slots=True)
class Masses:
    """The total weight of P as positives (the prior), of P as negatives and of U as negatives."""

    positive: float
    negative: float
    unlabelled: float

    @classmethod
    def of(cls, s: NDArray[np.uint8], prior: float, scenario: Scenario) -> Self:
        """Add up the signed weights of a sample."""
        weights, labelled = signed_weights(s, prior, scenario), labelled_rows(s)
        n_p = int(np.count_nonzero(labelled))
        n_u = labelled.size - n_p
        return cls(weights.positive_P * n_p, weights.negative_P * n_p, weights.negative_U * n_u)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The two parts of a risk, its slope in every score, and whether that is a step back."""

    positive: float
    negative: float
    slopes: Floats
    corrected: bool


@dataclass(frozen=True, slots=True)
class Objective:
    r"""A PU risk to be lowered step by step (Kiryo et al., 2017, Algorithm 1).

    With :math:`r` the part that estimates the risk on negatives, a step follows the slope of the whole risk; for nnPU,
    where :math:`r < -\beta`, it follows :math:`-\gamma \nabla r` instead: back to where r could be a risk.
    """

    masses: Masses
    loss: Loss
    risk: Risk
    beta: float = 0.0
    gamma: float = 1.0

    def __call__(self, scores: Floats, n_p: int) -> Evaluation:
        """Evaluate a batch.

        Parameters
        ----------
        scores : array of shape (n,)
        n_p : int
            The first so many rows are labelled, the others are not; there are both.
        """
        in_p, in_u = self.masses.negative / n_p, self.masses.unlabelled / (len(scores) - n_p)
        as_positive = self.masses.positive / n_p
        if_positive, if_negative = loss_pair(scores, self.loss)
        positive = as_positive * float(if_positive[:n_p].sum())
        negative = in_p * float(if_negative[:n_p].sum()) + in_u * float(if_negative[n_p:].sum())
        up, down = slope_pair(scores, self.loss)
        slopes = np.concatenate([in_p * down[:n_p], in_u * down[n_p:]])
        corrected = self.risk == "nnpu" and negative < -self.beta
        if corrected:
            slopes *= -self.gamma
        else:
            slopes[:n_p] += as_positive * up[:n_p]
        return Evaluation(positive, negative, slopes, corrected)

    def value(self, parts: tuple[float, float]) -> float:
        """Return the risk that the two parts make: their sum, the second counting as 0 below 0 for nnPU."""
        positive, negative = parts
        return positive + (max(0.0, negative) if self.risk == "nnpu" else negative)


def _sigmoid_slope(m: Floats) -> Floats:
    value: Floats = expit(-m)
    return -value * (1.0 - value)


def _logistic_slope(m: Floats) -> Floats:
    slope: Floats = -expit(-m)
    return slope


def _quadratic_slope(m: Floats) -> Floats:
    return 2.0 * (m - 1.0)


def _double_hinge_slope(m: Floats) -> Floats:
    # Half of the two steps, at m = -1 and at m = 1.
    slope: Floats = 0.25 * (np.sign(m + 1.0) + np.sign(m - 1.0)) - 0.5
    return slope


_SLOPES: Mapping[Loss, Callable[[Floats], Floats]] = MappingProxyType(
    {
        "sigmoid": _sigmoid_slope,
        "logistic": _logistic_slope,
        "quadratic": _quadratic_slope,
        "double-hinge": _double_hinge_slope,
    }
)
