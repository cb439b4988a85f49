r"""Labels that depend on x: Pr(s = 1 | x) = f(x) e(x), with f the class probability and e the propensity.

The likelihood sees the product alone, so f and e are not identified without more: other columns in e than in f, a given
prior, or a start near the truth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit, rel_entr

__all__ = ["class_posterior", "divergence", "log_likelihood", "tilted"]

Floats = NDArray[np.float64]
Labels = NDArray[np.uint8]

_SMALL = 1e-12
# A shift of log odds that turns any posterior of double precision into 0 or 1.
_FARTHEST = 60.0


def class_posterior(f: Floats, e: Floats, s: Labels) -> Floats:
    r"""Return :math:`\Pr(y = 1 | x, s)`, shape (n,): 1 for labelled rows, else :math:`f (1 - e) / (1 - f e)`."""
    unlabelled = f * (1.0 - e) / np.maximum(1.0 - f * e, _SMALL)
    return np.where(s == 1, 1.0, np.clip(unlabelled, 0.0, 1.0))


def log_likelihood(f: Floats, e: Floats, s: Labels) -> float:
    """Return the mean log-likelihood of labels s, shape (n,), under class probabilities f and propensities e."""
    labelled = np.clip(f * e, _SMALL, 1.0 - _SMALL)
    return float(np.where(s == 1, np.log(labelled), np.log1p(-labelled)).mean())


def divergence(q: Floats, posterior: Floats) -> float:
    """Return the mean relative entropy of probabilities q to those of the posterior, both of shape (n,)."""
    p = np.clip(posterior, _SMALL, 1.0 - _SMALL)
    return float((rel_entr(q, p) + rel_entr(1.0 - q, 1.0 - p)).mean())


def tilted(posterior: Floats, s: Labels, prior: float) -> Floats:
    """Return posteriors of shape (n,) whose mean is the prior: log odds of unlabelled rows are shifted by a constant.

    Of all posteriors with this mean they are the nearest to the given ones in relative entropy. If fewer rows are
    positive than are labelled, unlabelled rows have 0.
    """
    unlabelled = s == 0
    wanted = prior * len(s) - (len(s) - int(unlabelled.sum()))
    odds = logit(np.clip(posterior[unlabelled], _SMALL, 1.0 - _SMALL))

    def excess(shift: float) -> float:
        return float(expit(odds + shift).sum()) - wanted

    if excess(-_FARTHEST) >= 0.0:
        shift = -_FARTHEST
    elif excess(_FARTHEST) <= 0.0:
        shift = _FARTHEST
    else:
        shift = float(brentq(excess, -_FARTHEST, _FARTHEST, xtol=1e-10))
    found = posterior.copy()
    found[unlabelled] = expit(odds + shift)
    return found
