"""S-EM: naive Bayes and EM, started from likely negatives found with spies (Liu, Lee, Yu and Li, 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils import check_random_state

from pubench.base import SCENARIO, UNSTATED, Labels, OneOf, Real, Rows, Rule, Whole
from pubench.specs import Scenario
from pubench_classics.naive_bayes import ModelName, NaiveBayes, fit_naive_bayes, model_for
from pubench_classics.pu_naive_bayes import BayesClassifier
from pubench_classics.spies import below_spies, or_all, send_spies

__all__ = ["SpyEM", "Step", "error_change"]

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
_EDGE = 1e-9


class SpyEM(BayesClassifier):
    r"""Naive Bayes by expectation maximisation, started from likely negatives found with spies.

    1. A share of P, the spies, joins U, and naive Bayes learns "P is positive, all others are negative". Unlabelled
       rows that score below all but a few spies are likely negatives.
    2. The spies return to P. EM starts from "P is positive, likely negatives are negative"; the other unlabelled rows
       take part from the second step on. P stays positive throughout.
    3. EM continues while the estimated error decreases: the selected model is the last before

       .. math:: \Delta_i = \Pr[f_i = 1] - \Pr[f_{i-1} = 1] + 2 \pi_i (\Pr[f_i = 0 | P] - \Pr[f_{i-1} = 0 | P])

       exceeds 0, since :math:`\Pr[f \ne y] = \Pr[f = 1] - \pi + 2 \pi \Pr[f = 0 | y = 1]`.

    Parameters
    ----------
    spies : float, default=0.15
        The share of P that is hidden in U.
    noise : float, default=0.15
        The share of spies that may score below likely negatives.
    spy_iter : int, default=1
        Steps of EM before the spies are scored. The paper runs EM to convergence; if one model is too simple for all
        negatives, each step calls more of them positive, and the spies reveal less.
    scenario : {"case-control", "single-training-set"}
        Whether :math:`\pi_i` is the share of positives in U, or in P and U.
    model : {"auto", "multinomial", "gaussian"}, default="auto"
        ``"auto"`` is multinomial for sparse rows, which are assumed to be counts, and Gaussian for dense ones.
    alpha : float, default=0.1
        Additive smoothing of counts, in the multinomial model; Lee and Liu (2003) use 0.1.
    var_smoothing : float, default=0.01
        The share of the largest variance of a feature that is added to all variances, in the Gaussian model.
    select : bool, default=True
        Whether to take step 3; otherwise EM runs to convergence.
    tol : float, default=1e-4
        EM has converged when the mean change of Pr(1 | x) is below this.
    max_iter : int, default=100
        The maximal number of EM steps.
    random_state : int, RandomState instance or None, default=None
        Seed of the choice of spies.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    model_ : Multinomial or Gaussian
    model_name_ : str
        ``"multinomial"`` or ``"gaussian"``.
    prior_ : float
        The model's Pr(y = 1).
    n_likely_negative_ : int
        The number of likely negatives found with the spies. If it is 0, EM starts from all of U.
    n_iter_ : int
        The EM step of the selected model.
    n_features_in_ : int
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "spies": Real(0.0, 1.0, open_low=True, open_high=True),
        "noise": Real(0.0, 1.0, open_high=True),
        "spy_iter": Whole(low=1),
        "scenario": SCENARIO,
        "model": OneOf(("auto", "multinomial", "gaussian")),
        "alpha": Real(0.0, open_low=True),
        "var_smoothing": Real(0.0, open_low=True),
        "select": OneOf((True, False)),
        "tol": Real(0.0, open_low=True),
        "max_iter": Whole(low=1),
    }

    def __init__(
        self,
        *,
        spies: float = 0.15,
        noise: float = 0.15,
        spy_iter: int = 1,
        scenario: Scenario = UNSTATED,
        model: ModelName = "auto",
        alpha: float = 0.1,
        var_smoothing: float = 0.01,
        select: bool = True,
        tol: float = 1e-4,
        max_iter: int = 100,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.spies = spies
        self.noise = noise
        self.spy_iter = spy_iter
        self.scenario = scenario
        self.model = model
        self.alpha = alpha
        self.var_smoothing = var_smoothing
        self.select = select
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit(self, X: Rows, s: Labels) -> None:
        self.model_name_ = model_for(self.model, X)
        labelled = s == 1
        spies = send_spies(labelled, self.spies, check_random_state(self.random_state))
        search = _EM(X, self.scenario_, self.model_name_, self._smoothing(), float(self.tol))
        first = search.run(labelled & ~spies, ~labelled | spies, self.spy_iter, select=False)
        negative = below_spies(first.model.log_odds(X), labelled, spies, self.noise)
        self.n_likely_negative_ = int(negative.sum())
        final = search.run(labelled, or_all(negative, labelled), self.max_iter, select=self.select)
        self.model_, self.prior_, self.n_iter_ = final.model, final.prior, final.step


@dataclass(frozen=True, slots=True)
class Step:
    """The model of one step of EM, its log odds of all rows, and its Pr(1)."""

    model: NaiveBayes
    odds: Floats
    prior: float
    step: int


@dataclass(frozen=True, slots=True)
class _EM:
    X: Rows
    scenario: Scenario
    model: Literal["multinomial", "gaussian"]
    smoothing: float
    tol: float

    def run(self, fixed: Mask, negative: Mask, max_iter: int, *, select: bool) -> Step:
        """Run EM; ``fixed`` rows stay positive, ``negative`` rows start as negative, others join in the second step."""
        positive, members = fixed.astype(np.float64), fixed | negative
        population = ~fixed if self.scenario == "case-control" else np.ones_like(fixed)
        # No row of U is positive yet: a prior estimated from U would keep all of it negative forever.
        now = self._maximise(positive, members.astype(np.float64), members, 1)
        for step in range(2, max_iter + 1):
            expected = np.where(fixed, 1.0, expit(now.odds))
            after = self._maximise(expected, np.ones_like(expected), population, step)
            if select and error_change(now, after, fixed, population) > 0:
                break
            change = float(np.abs(expected - positive).mean())
            positive, now = expected, after
            if change < self.tol:
                break
        return now

    def _maximise(self, positive: Floats, members: Floats, population: Mask, step: int) -> Step:
        """Fit naive Bayes to expected classes; ``members`` are 1, or 0 for rows that do not take part."""
        prior = float(np.clip(positive[population].mean(), _EDGE, 1.0 - _EDGE))
        # A class without any weight would have no moments.
        weights = (members * (1.0 - positive) + _EDGE / len(positive), members * positive)
        model = fit_naive_bayes(self.X, weights, prior, self.model, self.smoothing)
        return Step(model, model.log_odds(self.X), prior, step)


def error_change(before: Step, after: Step, fixed: Mask, population: Mask) -> float:
    """Return Delta, the change of the estimated error from one step of EM to another.

    Parameters
    ----------
    before, after : Step
    fixed : bool array of shape (n,)
        The rows known to be positive.
    population : bool array of shape (n,)
        The rows that are a sample of the population.
    """
    called = [float((step.odds[population] >= 0).mean()) for step in (before, after)]
    missed = [float((step.odds[fixed] < 0).mean()) for step in (before, after)]
    return called[1] - called[0] + 2.0 * after.prior * (missed[1] - missed[0])
