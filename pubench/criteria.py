r"""PU-only scores for choosing hyper-parameters: functions of labels s, scores and decisions, never of y.

Each function takes a :class:`Validation` and returns a float; its spec in :mod:`pubench.plugins.builtins` says which
direction is better. Below, f = 1 is a positive decision, r is the recall Pr[f = 1 | y = 1], and means over P
and U are taken in the validation rows. A model that decides all rows alike can score well (PUF gives 1 to
all-positive): :func:`pubench.metrics.collapsed` tells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pubench import risk
from pubench._ranking import auc_and_ap
from pubench.risk import Loss
from pubench.specs import Array, Scenario

__all__ = ["Validation", "fp_fn", "nnpu_risk", "pa", "pauc", "pu_risk", "puf"]


@dataclass(frozen=True, slots=True)
class Validation:
    """What a criterion may see of a model on validation rows.

    Attributes
    ----------
    s : array of shape (n,)
        1 = labelled positive, 0 = unlabelled; at least one of each.
    score : array of shape (n,)
        Real margins, no NaN; at or above 0 means positive.
    decision : array of shape (n,)
        0/1 decisions.
    prior : float or None
        Pr(y = 1), where it is known or estimated.
    scenario : {"case-control", "single-training-set"}

    Examples
    --------
    >>> from pubench.criteria import Validation
    >>> seen = Validation(np.array([1, 0]), np.array([2.0, -1.0]), np.array([1, 0]), 0.4, "case-control")
    >>> seen.prior
    0.4
    """

    s: Array
    score: Array
    decision: Array
    prior: float | None
    scenario: Scenario

    def __post_init__(self) -> None:
        risk.check_scenario(self.scenario)
        n = risk.labelled_rows(self.s).size
        for name, values in (("score", self.score), ("decision", self.decision)):
            if values.shape != (n,):
                raise ValueError(
                    f"{name} and s must have the same length, not shapes {values.shape} and ({n},)"
                )
        if np.isnan(self.score).any():
            raise ValueError("score must not be NaN: a row without a score cannot be judged")
        if not ((self.decision == 0) | (self.decision == 1)).all():
            raise ValueError("decision must hold 1 for positive and 0 for negative, and nothing else")


def puf(validation: Validation) -> float:
    r"""Return the PUF score :math:`r^2 / \Pr[f = 1]` (Criteria I of Lee & Liu, 2003, section 4).

    In the population it is precision times recall over the prior. Pr[f = 1] is taken over what stands for the
    population: P and U together in single-training-set, U alone in case-control.

    If nothing there is predicted positive, the score is 0: precision times recall tends to 0 with the recall.
    In case-control the ratio of the estimates would be infinite if rows of P, yet none of U, are predicted
    positive; such a model retrieves nothing and must not win a search, so it gets 0 too.

    Examples
    --------
    >>> from pubench.criteria import Validation, puf
    >>> s, score = np.array([1, 1, 0, 0]), np.array([2.0, 1.0, 0.5, -1.0])
    >>> puf(Validation(s, score, (score >= 0).astype(int), 0.25, "case-control"))
    2.0
    """
    on_p, on_u = _positive_rates(validation)
    rate = on_u if validation.scenario == "case-control" else float(np.mean(validation.decision))
    return on_p**2 / rate if rate else 0.0


def pu_risk(validation: Validation, *, loss: Loss = "zero-one") -> float:
    """Return the unbiased PU risk, :func:`pubench.risk.pu_risk`; lower is better.

    The zero-one loss judges decisions; the other losses judge scores, whose scale therefore matters.

    Examples
    --------
    >>> from pubench.criteria import Validation, pu_risk
    >>> s, score = np.array([1, 1, 0, 0]), np.array([2.0, 1.0, 0.5, -1.0])
    >>> pu_risk(Validation(s, score, (score >= 0).astype(int), 0.25, "case-control"))
    0.25
    """
    return risk.pu_risk(
        _judged(validation, loss),
        validation.s,
        prior=_prior(validation),
        scenario=validation.scenario,
        loss=loss,
    )


def nnpu_risk(validation: Validation, *, loss: Loss = "zero-one") -> float:
    """Return the non-negative PU risk, :func:`pubench.risk.nnpu_risk`; lower is better.

    The zero-one loss judges decisions; the other losses judge scores, whose scale therefore matters.

    Examples
    --------
    >>> from pubench.criteria import Validation, nnpu_risk
    >>> s, score = np.array([1, 1, 0, 0]), np.array([2.0, 1.0, 0.5, -1.0])
    >>> nnpu_risk(Validation(s, score, (score >= 0).astype(int), 0.25, "case-control"))
    0.25
    """
    return risk.nnpu_risk(
        _judged(validation, loss),
        validation.s,
        prior=_prior(validation),
        scenario=validation.scenario,
        loss=loss,
    )


def fp_fn(validation: Validation) -> float:
    r"""Return :math:`\Pr[f = 1 | U] + \Pr[f = 0 | P]` (Criteria II of Lee & Liu, 2003, section 3).

    Lower is better. With q the share of positives in U (see :func:`pauc`) it equals
    :math:`q + (1 - q)(FPR + FNR)` in the population, in both scenarios.

    Examples
    --------
    >>> from pubench.criteria import Validation, fp_fn
    >>> s, score = np.array([1, 1, 0, 0]), np.array([2.0, 1.0, 0.5, -1.0])
    >>> fp_fn(Validation(s, score, (score >= 0).astype(int), 0.25, "case-control"))
    0.5
    """
    on_p, on_u = _positive_rates(validation)
    return on_u + 1.0 - on_p


def pa(validation: Validation) -> float:
    r"""Return the proxy accuracy, whose expectation is the accuracy plus the prior (Wang et al., 2025).

    :math:`2 \pi\, mean_P[f = 1] + mean[f = 0]`, the second mean over U in case-control, and over P and U in
    single-training-set.

    Examples
    --------
    >>> from pubench.criteria import Validation, pa
    >>> s, score = np.array([1, 1, 0, 0]), np.array([2.0, 1.0, 0.5, -1.0])
    >>> pa(Validation(s, score, (score >= 0).astype(int), 0.25, "case-control"))
    1.0
    """
    prior = _prior(validation)
    on_p, on_u = _positive_rates(validation)
    rate = on_u if validation.scenario == "case-control" else float(np.mean(validation.decision))
    return 2.0 * prior * on_p + 1.0 - rate


def pauc(validation: Validation) -> float:
    r"""Return the area under the ROC curve of P against U, ties counted half (Wang et al., 2025).

    In the population it equals :math:`q/2 + (1 - q) AUC` with q the share of positives in U: :math:`\pi` in
    case-control, :math:`(1 - c) \pi / (1 - c \pi)` in single-training-set with label frequency c. So it ranks
    models as the AUC does, and needs no prior.

    Examples
    --------
    >>> from pubench.criteria import Validation, pauc
    >>> s, score = np.array([1, 1, 0, 0]), np.array([2.0, 1.0, 0.5, -1.0])
    >>> pauc(Validation(s, score, (score >= 0).astype(int), 0.25, "case-control"))
    1.0
    """
    return auc_and_ap(validation.score, validation.s)[0]


def _positive_rates(validation: Validation) -> tuple[float, float]:
    """Return mean_P[f = 1] and mean_U[f = 1]."""
    labelled = validation.s == 1
    return float(np.mean(validation.decision[labelled])), float(np.mean(validation.decision[~labelled]))


def _judged(validation: Validation, loss: Loss) -> Array:
    # A classifier's decisions may differ from the sign of its scores; the zero-one loss is about decisions.
    return np.where(validation.decision == 1, 1.0, -1.0) if loss == "zero-one" else validation.score


def _prior(validation: Validation) -> float:
    if validation.prior is None:
        raise ValueError("this criterion needs the class prior: give one, or choose puf, fp-fn or pauc")
    # As strict as the risks are, so that all criteria that use a prior accept the same ones.
    if not 0.0 < validation.prior < 1.0:
        raise ValueError(f"the prior must lie strictly between 0 and 1, not {validation.prior!r}")
    return float(validation.prior)
