"""Several methods as one: the mean of the ranks that they give to a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import check_random_state

from pubench.base import (
    PRIOR,
    UNSTATED,
    Either,
    Estimator,
    Labels,
    OneOf,
    PUClassifier,
    RowRules,
    Rows,
    Rule,
    validate_rows,
)
from pubench.estimators.out_of_fold import ranking_scores
from pubench.estimators.rank_shares import rank_shares
from pubench.learners import seeded_clone
from pubench.plugins.discovery import discover
from pubench.plugins.imports import resolve
from pubench.plugins.requirements import unmet
from pubench.priors import prior_to_use
from pubench.specs import Algorithm, Scenario

__all__ = ["MemberEntry", "RankMean"]

MemberEntry: TypeAlias = "str | Mapping[str, object] | Estimator"
"""A registered algorithm by name, one with parameters as ``{"use": name, ...}``, or an estimator."""


class RankMean(PUClassifier):
    r"""The mean of ranks of several PU classifiers.

    With :math:`R_j` the rank share of a score among the scores that member j gives to the unlabelled training rows,

    .. math:: f(x) = \frac{1}{m} \sum_{j=1}^{m} R_j(f_j(x)) - t.

    The ranks of a row do not depend on other new rows. The cut t maximises recall on P less the share of U that is
    called positive, the sum of sensitivity and specificity with U in the place of negatives. The order of rows does not
    depend on it.

    Parameters
    ----------
    members : sequence, default=("rf-down", "brt")
        Names of registered algorithms, ``{"use": name, ...}`` with parameters, or estimators. A member that takes no
        codes is given one-hot columns.
    prior : float, str or None, default=None
        Given to members that receive it; ``"estimate"`` or the name of a prior estimator is estimated once for all.
    scenario : {"case-control", "single-training-set"}
        Given to members that receive it.
    categorical_features : sequence of int or None, default=None
        The columns that hold codes.
    random_state : int, RandomState instance or None, default=None
        Seed of the seeds of the members.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the labelled class.
    members_ : list of estimators
        Fitted.
    references_ : list of ndarray of shape (n_u,)
        The scores of the unlabelled training rows, in increasing order, by each member.
    prior_ : float or None
        The prior that members are given.
    cut_ : float
        t.
    n_features_in_ : int

    Examples
    --------
    >>> X = np.linspace(0.0, 1.0, 60)[:, None]
    >>> s = (np.arange(60) % 4 == 0) & (X[:, 0] > 0.5)
    >>> model = pubench.RankMean(["pu-bagging-tree", "naive-lr"], scenario="single-training-set", random_state=0)
    >>> bool(model.fit(X, s).decision_function([[0.9]]) > model.decision_function([[0.1]]))
    True
    """

    param_rules: ClassVar[dict[str, Rule]] = {"prior": Either(PRIOR, OneOf((None,)))}
    row_rules = RowRules(dtype=np.float64)

    def __init__(
        self,
        members: Sequence[MemberEntry] = ("rf-down", "brt"),
        *,
        prior: float | str | None = None,
        scenario: Scenario = UNSTATED,
        categorical_features: Sequence[int] | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.members = members
        self.prior = prior
        self.scenario = scenario
        self.categorical_features = categorical_features
        self.random_state = random_state

    def _fit(self, X: Rows, s: Labels) -> None:
        if isinstance(self.members, str) or not self.members:
            raise ValueError("members must be a list of at least one algorithm, such as ['rf-down', 'brt']")
        self.prior_ = None if self.prior is None else prior_to_use(self, X, s)
        rng = check_random_state(self.random_state)
        seeds = rng.randint(2**31 - 1, size=len(self.members))
        # Signed, since learners may compute 2 s - 1.
        labels = s.astype(np.int64)
        self.members_ = [
            self._made(entry, int(seed)).fit(X, labels)
            for entry, seed in zip(self.members, seeds, strict=True)
        ]
        self.references_ = [np.sort(ranking_scores(model, X[s == 0])) for model in self.members_]
        self.cut_ = _best_cut(self._mean_share(X), s)

    def _made(self, entry: MemberEntry, seed: int) -> Estimator:
        """Return a member that is not fitted."""
        if not isinstance(entry, str | Mapping):
            return seeded_clone(entry, seed)
        given = {"use": entry} if isinstance(entry, str) else dict(entry)
        spec = discover().algorithm(str(given.pop("use", ""))).spec
        lacking = unmet(spec.requires)
        if lacking:
            raise ValueError(f"member '{spec.name}' {lacking}")
        if spec.labels == "true" or "propensity" in spec.receives:
            raise ValueError(f"member '{spec.name}' is a reference that learns from the truth; remove it")
        return self._encoded(
            spec, resolve(spec.estimator)(**{**self._filled(spec, seed), **spec.params, **given})
        )

    def _filled(self, spec: Algorithm, seed: int) -> dict[str, object]:
        """Return what the member receives of what the ensemble was given."""
        have = {
            "prior": self.prior_,
            "scenario": self.scenario,
            "categorical_features": self.categorical_features,
            "random_state": seed,
        }
        return {name: have[name] for name in spec.receives if have.get(name) is not None}

    def _encoded(self, spec: Algorithm, model: Estimator) -> Estimator:
        """Return the member behind a one-hot encoding, if it takes no codes."""
        codes = list(self.categorical_features or ())
        if not codes or "categorical" in spec.accepts:
            return model
        one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        return make_pipeline(ColumnTransformer([("codes", one_hot, codes)], remainder="passthrough"), model)

    def _mean_share(self, X: Rows) -> NDArray[np.float64]:
        shares = [
            rank_shares(ranking_scores(model, X), reference)
            for model, reference in zip(self.members_, self.references_, strict=True)
        ]
        return np.asarray(np.mean(shares, axis=0), dtype=np.float64)

    def decision_function(self, X: Rows) -> NDArray[np.float64]:
        """Return the mean rank share less the cut, shape (n,); at least 0 means positive."""
        return self._mean_share(validate_rows(self, X)) - self.cut_


def _best_cut(scores: NDArray[np.float64], s: Labels) -> float:
    """Return a t with the largest Pr(f >= t | P) - Pr(f >= t | U), midway between two scores."""
    cuts = np.unique(scores)
    of_p, of_u = (np.sort(scores[s == label]) for label in (1, 0))
    below = [np.searchsorted(part, cuts) / len(part) for part in (of_p, of_u)]
    best = int(np.argmax(below[1] - below[0]))
    return float(cuts[max(best - 1, 0)] + cuts[best]) / 2.0
