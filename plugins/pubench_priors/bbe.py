"""Best bin estimation (Garg et al., 2021)."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pubench.errors import PriorError
from pubench.priors import PriorEstimate
from pubench.specs import SCENARIOS, Scenario
from pubench_priors.estimating import estimate_by_scores
from pubench_priors.places import tally
from pubench_priors.problem import Floats, Settings, read_problem

__all__ = ["bbe", "best_bin", "tail_shares"]

_GAMMA = 0.01


def bbe(
    X: Any,
    s: ArrayLike,
    *,
    scenario: Scenario,
    random_state: Any = None,
    delta: float = 0.1,
    **settings: Any,
) -> PriorEstimate:
    r"""Estimate the prior by the bin of highest scores in which positives look purest.

    Above a threshold t lie the shares :math:`q_p(t)` of P and :math:`q_u(t) \ge \alpha q_p(t)` of U. Their ratio is
    at least the share :math:`\alpha` of positives in U, and equal to it where only positives lie above t. The
    threshold has the least upper confidence bound,

    .. math::

        \hat t = \arg\min_t \frac{\hat q_u(t)}{\hat q_p(t)} + \frac{1 + \gamma}{\hat q_p(t)}
        \left(\sqrt{\frac{\ln(4 / \delta)}{2 n_u}} + \sqrt{\frac{\ln(4 / \delta)}{2 n_p}}\right)

    with :math:`\gamma = 0.01`, and :math:`\hat\alpha = \hat q_u(\hat t) / \hat q_p(\hat t)`.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        NaN is a missing value, in dense rows.
    s : array-like of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    scenario : {"case-control", "single-training-set"}
    random_state : int, RandomState, Generator or None
    delta : float, default=0.1
        Of the confidence bound: smaller values take larger bins.
    **settings
        ``classifier``, ``folds``, ``level`` and ``n_resamples``: see :class:`pubench_priors.problem.Settings`.

    Returns
    -------
    PriorEstimate
    """
    if not (isinstance(delta, Real) and 0.0 < delta < 1.0):
        raise PriorError(
            f"delta = {delta!r} of prior estimator 'bbe' must lie strictly between 0 and 1; give 0.1"
        )
    problem = read_problem("bbe", X, s, scenario, random_state, claimed=SCENARIOS)
    return estimate_by_scores(
        problem,
        Settings.of("bbe", settings),
        share=lambda labelled, unlabelled: best_bin(labelled, unlabelled, delta),
    )


def best_bin(labelled: Floats, unlabelled: Floats, delta: float = 0.1) -> float:
    """Return the share of positives among the unlabelled scores (m,), given those of P (n,)."""
    on_p, on_u = tail_shares(labelled, unlabelled)
    noise = sum(math.sqrt(math.log(4.0 / delta) / (2.0 * len(part))) for part in (labelled, unlabelled))
    best = int(np.argmin((on_u + (1.0 + _GAMMA) * noise) / on_p))
    return min(1.0, float(on_u[best] / on_p[best]))


def tail_shares(labelled: Floats, unlabelled: Floats) -> tuple[Floats, Floats]:
    """Return the shares of P and of U with scores of at least t, for each score t of P in rising order: shapes (n,)."""
    found = tally(labelled, unlabelled)
    on_p, on_u = (
        1.0 - np.repeat(below, found.of_p) / len(part)
        for below, part in ((found.below_p, labelled), (found.below_u, unlabelled))
    )
    return on_p, on_u
