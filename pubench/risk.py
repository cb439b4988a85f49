r"""The risk of a classifier, estimated from positive and unlabelled rows.

A PU sample is a signed weighted sample: a labelled row counts as a positive with one weight and as a negative
with another, which may be below zero; an unlabelled row counts as a negative. Every method and criterion that
estimates a risk takes the weights from :func:`signed_weights`: each works in both scenarios, and they agree.

**The convention for decisions.** A row is classified as positive when its score is at or above zero. Margin
losses are functions of ``m = y * score`` alone; the zero-one loss is not: at score 0 it is right about a
positive and wrong about a negative. So :func:`loss_pair` takes scores, and returns the loss for both classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pubench.numerics.losses import MARGIN_LOSSES
from pubench.specs import SCENARIOS, Scenario

__all__ = [
    "LOSSES",
    "Loss",
    "SignedWeights",
    "check_scenario",
    "labelled_rows",
    "loss_pair",
    "nnpu_risk",
    "pu_risk",
    "risk_parts",
    "signed_weights",
]

Floats = NDArray[np.float64]
Loss = Literal["zero-one", "logistic", "sigmoid", "quadratic", "savage", "double-hinge"]
LOSSES: tuple[Loss, ...] = get_args(Loss)


@dataclass(frozen=True, slots=True)
class SignedWeights:
    """The weight of each row in the risk, by what the row is and the class it is counted for.

    Attributes
    ----------
    positive_P : float
        Of a labelled row counted as a positive, ``w(+1|P)``.
    negative_P : float
        Of a labelled row counted as a negative, ``w(-1|P)``; usually below zero.
    negative_U : float
        Of an unlabelled row counted as a negative, ``w(-1|U)``.

    Examples
    --------
    >>> from pubench.risk import signed_weights
    >>> weights = signed_weights([1, 1, 0, 0], prior=0.4, scenario="case-control")
    >>> weights.rows([1, 0])
    (array([0.2, 0. ]), array([-0.2,  0.5]))
    """

    # P and U are the names of the two samples everywhere else, too.
    positive_P: float  # noqa: N815
    negative_P: float  # noqa: N815
    negative_U: float  # noqa: N815

    def rows(self, s: ArrayLike) -> tuple[Floats, Floats]:
        """Spread the weights over the rows.

        Parameters
        ----------
        s : array of shape (n,)
            1 = labelled positive, 0 = unlabelled.

        Returns
        -------
        positive, negative : float arrays of shape (n,)
            The weight of each row as a positive (0 for unlabelled rows) and as a negative.
        """
        labelled = labelled_rows(s)
        positive = np.where(labelled, self.positive_P, 0.0)
        return positive, np.where(labelled, self.negative_P, self.negative_U)


def signed_weights(s: ArrayLike, prior: float, scenario: Scenario) -> SignedWeights:
    r"""Return the weights that turn a PU sample into an unbiased estimate of the supervised risk.

    With :math:`\pi` the prior and :math:`n = n_p + n_u`, :math:`w(+1|P) = \pi/n_p` and

    - case-control: :math:`w(-1|P) = -\pi/n_p`, :math:`w(-1|U) = 1/n_u`;
    - single-training-set: :math:`w(-1|P) = 1/n - \pi/n_p`, :math:`w(-1|U) = 1/n`.

    The difference is what stands for the population: U alone, or P and U together.

    Parameters
    ----------
    s : array of shape (n,)
        1 = labelled positive, 0 = unlabelled; at least one of each.
    prior : float
        Pr(y = 1), strictly between 0 and 1.
    scenario : {"case-control", "single-training-set"}

    Raises
    ------
    ValueError
        If ``s`` lacks a kind of row, the prior is out of range, or the scenario is unknown.

    Examples
    --------
    >>> from pubench.risk import signed_weights
    >>> signed_weights([1, 1, 0, 0], prior=0.4, scenario="case-control")
    SignedWeights(positive_P=0.2, negative_P=-0.2, negative_U=0.5)
    """
    check_scenario(scenario)
    if not 0.0 < prior < 1.0:
        raise ValueError(f"the prior must lie strictly between 0 and 1, not {prior!r}")
    labelled = labelled_rows(s)
    n = labelled.size
    n_p = int(np.count_nonzero(labelled))
    positive = float(prior) / n_p
    if scenario == "case-control":
        return SignedWeights(positive, -positive, 1.0 / (n - n_p))
    return SignedWeights(positive, 1.0 / n - positive, 1.0 / n)


def check_scenario(scenario: str) -> None:
    """Raise ValueError unless the scenario is one of the two known.

    Examples
    --------
    >>> from pubench.risk import check_scenario
    >>> check_scenario("case-control")
    """
    if scenario not in SCENARIOS:
        raise ValueError(f"scenario must be one of {', '.join(SCENARIOS)}, not {scenario!r}")


def labelled_rows(s: ArrayLike) -> NDArray[np.bool_]:
    """Return the mask of labelled rows, shape (n,); ValueError unless ``s`` holds 0s and 1s, both of them.

    Examples
    --------
    >>> from pubench.risk import labelled_rows
    >>> labelled_rows([1, 0, 0])
    array([ True, False, False])
    """
    values = np.asarray(s)
    if values.ndim != 1:
        raise ValueError(f"s must have one dimension, not {values.ndim}")
    labelled: NDArray[np.bool_] = values == 1
    n_p, n_u = int(np.count_nonzero(labelled)), int(np.count_nonzero(values == 0))
    if n_p + n_u != values.size:
        raise ValueError("s must hold 1 for labelled and 0 for unlabelled rows, and nothing else")
    if n_p == 0 or n_u == 0:
        raise ValueError(f"s must have a labelled and an unlabelled row at least, not {n_p} and {n_u}")
    return labelled


def loss_pair(scores: ArrayLike, loss: Loss) -> tuple[Floats, Floats]:
    r"""Return the loss of each score if the row were positive, and if it were negative.

    With :math:`m = y \cdot score`: logistic :math:`\ln(1+e^{-m})`, sigmoid :math:`1/(1+e^m)`, quadratic
    :math:`(1-m)^2`, savage :math:`4/(1+e^m)^2`, double-hinge :math:`\max(-m, 0, (1-m)/2)`; zero-one is 1
    where the decision (positive when the score is at or above 0) differs from y. The scaling is that of
    Wilton et al. (2022), section 2.

    Parameters
    ----------
    scores : array of shape (n,)
    loss : str
        One of :data:`LOSSES`.

    Returns
    -------
    positive, negative : float arrays of shape (n,)
        :math:`\ell(score, +1)` and :math:`\ell(score, -1)`.

    Examples
    --------
    >>> from pubench.risk import loss_pair
    >>> loss_pair([2.0, -1.0], "double-hinge")
    (array([0., 1.]), array([2., 0.]))
    """
    values = np.asarray(scores, dtype=np.float64)
    if loss == "zero-one":
        wrong_if_negative = (values >= 0).astype(np.float64)
        return 1.0 - wrong_if_negative, wrong_if_negative
    if loss not in MARGIN_LOSSES:
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}, not {loss!r}")
    function = MARGIN_LOSSES[loss]
    return function(values), function(-values)


def risk_parts(
    scores: ArrayLike, s: ArrayLike, *, prior: float, scenario: Scenario, loss: Loss = "zero-one"
) -> tuple[float, float]:
    r"""Return the two estimates that the PU risks add up.

    Parameters
    ----------
    scores : array of shape (n,)
        Finite real scores; at or above 0 means positive.
    s : array of shape (n,)
    prior : float
    scenario : {"case-control", "single-training-set"}
    loss : str
        One of :data:`LOSSES`.

    Returns
    -------
    positive : float
        :math:`\sum_P w(+1|P)\,\ell(f, +1)`, which estimates :math:`\pi R_p^+`.
    negative : float
        :math:`\sum_P w(-1|P)\,\ell(f, -1) + \sum_U w(-1|U)\,\ell(f, -1)`, which estimates
        :math:`(1-\pi) R_n^-` and can fall below zero by chance or by over-fitting.

    Examples
    --------
    >>> from pubench.risk import risk_parts
    >>> risk_parts([2.0, 1.0, 0.5, -1.0], [1, 1, 0, 0], prior=0.25, scenario="case-control")
    (0.0, 0.25)
    """
    weights = signed_weights(s, prior, scenario)
    labelled = labelled_rows(s)
    values = _finite_scores(scores, labelled.size)
    if_positive, if_negative = loss_pair(values, loss)
    positive = weights.positive_P * if_positive[labelled].sum()
    negative = (
        weights.negative_P * if_negative[labelled].sum() + weights.negative_U * if_negative[~labelled].sum()
    )
    return float(positive), float(negative)


def pu_risk(
    scores: ArrayLike, s: ArrayLike, *, prior: float, scenario: Scenario, loss: Loss = "zero-one"
) -> float:
    r"""Estimate the supervised risk without bias (uPU; du Plessis et al., 2014; Wilton et al., 2022, Eq. 5).

    It is the sum of the two parts, with the weights of :func:`signed_weights`, and can be negative.
    Parameters as in :func:`risk_parts`.

    Examples
    --------
    >>> from pubench.risk import pu_risk
    >>> pu_risk([2.0, 1.0, 0.5, -1.0], [1, 1, 0, 0], prior=0.25, scenario="case-control")
    0.25
    """
    positive, negative = risk_parts(scores, s, prior=prior, scenario=scenario, loss=loss)
    return positive + negative


def nnpu_risk(
    scores: ArrayLike, s: ArrayLike, *, prior: float, scenario: Scenario, loss: Loss = "zero-one"
) -> float:
    r"""Estimate the supervised risk, never below zero (nnPU; Kiryo et al., 2017; Wilton et al., 2022, Eq. 6).

    As :func:`pu_risk`, but the part that estimates the risk on negatives counts as 0 where it is below 0:
    :math:`\pi \hat R_p^+ + \max(0, \hat R^-)`. Parameters as in :func:`risk_parts`.

    Examples
    --------
    >>> from pubench.risk import nnpu_risk
    >>> nnpu_risk([2.0, 1.0, 0.5, -1.0], [1, 1, 0, 0], prior=0.25, scenario="case-control")
    0.25
    """
    positive, negative = risk_parts(scores, s, prior=prior, scenario=scenario, loss=loss)
    return positive + max(0.0, negative)


def _finite_scores(scores: ArrayLike, n: int) -> Floats:
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != (n,):
        raise ValueError(f"scores and s must have the same length, not shapes {values.shape} and ({n},)")
    if not np.isfinite(values).all():
        raise ValueError("scores must be finite: a risk of infinite or missing scores has no value")
    return values
