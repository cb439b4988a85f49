"""Several PU classifiers as one: their rank shares are averaged, their decisions vote, one sigmoid calibrates them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pubench.advise.category_codes import Groups, with_codes
from pubench.base import UNSTATED, Estimator, Labels, PUClassifier, RowRules, Rows, validate_pu, validate_rows
from pubench.estimators.calibration import Sigmoid, fit_sigmoid
from pubench.estimators.out_of_fold import out_of_fold_scores, ranking_scores
from pubench.estimators.prior_cut import population_cut, separating_cut
from pubench.estimators.rank_shares import rank_shares
from pubench.learners import seeded_clone
from pubench.specs import Scenario

__all__ = ["Blend", "Calibration", "Candidate", "Ensemble", "Member"]

Floats = NDArray[np.float64]
_MOST_QUANTILES = 1000


@dataclass(frozen=True, slots=True)
class Candidate:
    """A classifier to be fitted, and its share of the vote.

    Attributes
    ----------
    name : str
    estimator : classifier
        Not fitted.
    weight : float
    cut_at_prior : bool
        Whether its decisions are cut where the prior says, and not where the classifier puts them itself.
    takes_codes : bool
        Whether it takes categories as codes; see :func:`pubench.advise.category_codes.with_codes`.
    """

    name: str
    estimator: Estimator
    weight: float = 1.0
    cut_at_prior: bool = False
    takes_codes: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """A fitted classifier of an ensemble.

    Attributes
    ----------
    name : str
    weight : float
        The weights of all members sum to 1.
    cut : float
        The least score that means "positive".
    reference : ndarray of shape (at most 1000,)
        Its out-of-fold scores in increasing order, thinned to quantiles.
    model : classifier
    takes_codes : bool
    """

    name: str
    weight: float
    cut: float
    reference: Floats
    model: Estimator
    takes_codes: bool = False

    def shares(self, scores: Floats) -> Floats:
        """Return the rank share of scores among the out-of-fold scores; see :func:`rank_shares`."""
        return rank_shares(scores, self.reference)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Probabilities at the prior, and at both ends of its interval."""

    at_prior: Sigmoid
    at_low: Sigmoid
    at_high: Sigmoid

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probability and the ends of its interval for scores of shape (n,); shape (n, 3)."""
        found = np.column_stack(
            [one.probability(scores) for one in (self.at_prior, self.at_low, self.at_high)]
        )
        return np.column_stack([found[:, 0], found.min(axis=1), found.max(axis=1)])


@dataclass(frozen=True, slots=True)
class Blend:
    """What the members say of rows together: the score and the share of the vote, each of shape (n,)."""

    score: Floats
    vote: Floats


class Ensemble(PUClassifier):
    r"""A weighted ensemble of PU classifiers.

    With :math:`R_j` the rank share of a score among the out-of-fold scores of member j, the score of a row is
    :math:`\sum_j w_j R_j(f_j(x))`. A row is positive if the members that call it positive have more than half of the
    weight. Probabilities are fitted to the out-of-fold scores of the ensemble by
    :func:`pubench.estimators.calibration.fit_sigmoid`, at the prior and at both ends of its interval.

    Parameters
    ----------
    candidates : sequence of Candidate
        What to fit. Weights are divided by their sum.
    prior : float
        Pr(y = 1) in the population.
    interval : tuple of float or None, default=None
        The ends of the interval of the prior; None: the prior itself.
    scenario : {"case-control", "single-training-set"}
        How the rows were drawn; there is no default.
    groups : tuple of tuple of int
        The columns of each category, for members that take codes.
    random_state : int, default=0
        Decides the folds.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    members_ : tuple of Member
    calibration_ : Calibration
    cut_ : float or None
        The least score that means "positive", if it replaces the vote.
    out_of_fold_ : Blend
        What models that did not see them say of the rows of the fit.
    n_features_in_ : int
    """

    def __init__(
        self,
        candidates: Sequence[Candidate] = (),
        *,
        prior: float = 0.5,
        interval: tuple[float, float] | None = None,
        scenario: Scenario = UNSTATED,
        groups: Groups = (),
        random_state: int = 0,
    ) -> None:
        self.candidates = candidates
        self.prior = prior
        self.interval = interval
        self.scenario = scenario
        self.groups = groups
        self.random_state = random_state

    row_rules = RowRules(dtype=np.float64)

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        *,
        out_of_fold: Floats | None = None,
        models: Sequence[Estimator] | None = None,
    ) -> Self:
        """Fit all members.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array-like of shape (n,)
            Two classes; the larger marks labelled positive rows.
        out_of_fold : ndarray of shape (members, n), optional
            Scores of the rows by models of each method that did not see them; default: they are made here.
        models : sequence of classifiers, optional
            The candidates, fitted elsewhere with the labels 0 and 1; default: they are fitted here.

        Returns
        -------
        self
        """
        X, s = validate_pu(self, X, y)
        if not self.candidates:
            raise ValueError("candidates is empty; give at least one Candidate")
        total = sum(one.weight for one in self.candidates)
        rows = [self._rows(one, X) for one in self.candidates]
        taken = list(zip(self.candidates, rows, strict=True))
        scores = [self._unseen(one, R, s) for one, R in taken] if out_of_fold is None else out_of_fold
        fitted = [self._fitted(one, R, s) for one, R in taken] if models is None else models
        self.members_ = tuple(
            self._member(replace(one, weight=one.weight / total), model, found, R, s)
            for (one, R), model, found in zip(taken, fitted, scores, strict=True)
        )
        self.out_of_fold_ = _blend(self.members_, scores)
        self.cut_: float | None = None
        low, high = self.interval or (self.prior, self.prior)
        self.calibration_ = Calibration(*(self._sigmoid(s, prior) for prior in (self.prior, low, high)))
        return self

    def restore(
        self,
        members: tuple[Member, ...],
        calibration: Calibration,
        out_of_fold: Blend,
        *,
        cut: float | None,
        n_features: int,
    ) -> Self:
        """Take over what an earlier fit learned, as from a file; the labels of that fit were 0 and 1."""
        self.members_, self.calibration_, self.out_of_fold_ = members, calibration, out_of_fold
        self.cut_, self.n_features_in_, self.classes_ = cut, n_features, np.array([0, 1])
        return self

    def _rows(self, taker: Candidate | Member, X: Rows) -> Rows:
        return with_codes(X, self.groups) if taker.takes_codes else X

    def _unseen(self, candidate: Candidate, X: Rows, s: Labels) -> Floats:
        return out_of_fold_scores(
            lambda rows, labels: self._fitted(candidate, rows, labels), X, s, seed=self.random_state
        )

    @staticmethod
    def _fitted(candidate: Candidate, X: Rows, s: Labels) -> Estimator:
        # Signed, since learners may compute 2 s - 1.
        return seeded_clone(candidate.estimator, None).fit(X, s.astype(np.int64))

    def _member(self, candidate: Candidate, model: Estimator, unseen: Floats, X: Rows, s: Labels) -> Member:
        cut = 0.0 if hasattr(model, "decision_function") else 0.5
        if candidate.cut_at_prior:
            cut = population_cut(unseen, s, prior=self.prior, scenario=self.scenario)
            own = ranking_scores(model, X)
            cut = separating_cut(cut, own, s, prior=self.prior, scenario=self.scenario)
        return Member(candidate.name, candidate.weight, cut, _quantiles(unseen), model, candidate.takes_codes)

    def _sigmoid(self, s: Labels, prior: float) -> Sigmoid:
        return fit_sigmoid(self.out_of_fold_.score, s, prior=prior, scenario=self.scenario)

    def blend(self, X: Rows) -> Blend:
        """Return the score and the share of the vote of rows of shape (n, d)."""
        X = validate_rows(self, X)
        return _blend(self.members_, [ranking_scores(one.model, self._rows(one, X)) for one in self.members_])

    def decide(self, blend: Blend) -> NDArray[np.bool_]:
        """Return which rows are positive, shape (n,): by the vote, or by the cut that replaces it."""
        return blend.vote > 0.5 if self.cut_ is None else blend.score >= self.cut_

    @property
    def cut_probability(self) -> float | None:
        """The probability from which rows are positive; None where a vote of several members decides."""
        if self.cut_ is None and len(self.members_) > 1:
            return None
        member = self.members_[0]
        score = member.shares(np.array([member.cut]))[0] if self.cut_ is None else self.cut_
        return float(self.calibration_.at_prior.probability(np.array([score]))[0])

    def decision_function(self, X: Rows) -> Floats:
        """Return scores whose sign is the decision, shape (n,): the share of the vote or the score, less its cut."""
        found = self.blend(X)
        if self.cut_ is not None:
            return found.score - self.cut_
        # A vote of exactly one half is negative, and 0 would mean positive.
        return np.where(
            found.vote > 0.5, found.vote - 0.5, np.minimum(found.vote - 0.5, -np.finfo(float).tiny)
        )

    def log_odds(self, X: Rows) -> Floats:
        """Return the log-odds of the positive class in the population, shape (n,)."""
        return self.calibration_.at_prior.log_odds(self.blend(X).score)

    def predict_proba(self, X: Rows) -> Floats:
        """Return the probabilities of both classes in the population, shape (n, 2)."""
        positive = self.calibration_.at_prior.probability(self.blend(X).score)
        return np.column_stack([1.0 - positive, positive])


def _blend(members: Sequence[Member], scores: Sequence[Floats] | Floats) -> Blend:
    """Join the scores of the members, one array of shape (n,) each."""
    score = sum(one.weight * one.shares(found) for one, found in zip(members, scores, strict=True))
    vote = sum(one.weight * (found >= one.cut) for one, found in zip(members, scores, strict=True))
    return Blend(np.asarray(score, dtype=np.float64), np.asarray(vote, dtype=np.float64))


def _quantiles(scores: Floats) -> Floats:
    """Return scores in increasing order, thinned to at most 1000 of them, the least and the largest included."""
    ordered = np.sort(scores)
    if len(ordered) <= _MOST_QUANTILES:
        return ordered
    return ordered[np.linspace(0, len(ordered) - 1, _MOST_QUANTILES).round().astype(np.intp)]
