"""The base class of PU trees: from rows and parameters to fitted trees, and from these to predictions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import check_random_state, gen_even_slices
from sklearn.utils.validation import check_is_fitted

from pubench.base import (
    PRIOR,
    SCENARIO,
    Either,
    Labels,
    OneOf,
    PUClassifier,
    Real,
    RowRules,
    Rows,
    Rule,
    Whole,
    validate_pu,
    validate_rows,
)
from pubench.priors import prior_to_use
from pubench.risk import signed_weights
from pubench.specs import Scenario
from pubench_extratrees._grow import grow
from pubench_extratrees.columns import Columns
from pubench_extratrees.importance import Importance, risk_decrease
from pubench_extratrees.trees import Trees, as_rows

__all__ = ["LOSSES", "PUTrees"]

LOSSES = ("quadratic", "logistic", "savage", "sigmoid")
_NONE = OneOf((None,))
_NO_LIMIT = np.iinfo(np.int64).max
_MOST = 2**31 - 1


class PUTrees(PUClassifier):
    """Base class of classifiers made of trees that minimise a PU risk; subclasses decide how many, and their splits."""

    param_rules: ClassVar[dict[str, Rule]] = {
        "prior": PRIOR,
        "scenario": SCENARIO,
        "risk": OneOf(("nnpu", "upu")),
        "loss": OneOf(LOSSES),
        "max_features": Either(
            OneOf(("sqrt", "log2", None)), Whole(low=1), Real(low=0.0, high=1.0, open_low=True)
        ),
        # More random thresholds take longer than trying all.
        "n_thresholds": Either(Whole(low=1, high=100_000), _NONE),
        "max_depth": Either(Whole(low=1, high=_MOST), _NONE),
        "min_samples_split": Whole(low=2, high=_MOST),
        "min_samples_leaf": Whole(low=1, high=_MOST),
        "max_leaf_nodes": Either(Whole(low=2, high=_MOST), _NONE),
        "min_risk_decrease": Either(Real(), _NONE),
    }

    # Trees are grown column by column, hence the layout.
    row_rules = RowRules(sparse="csc", dtype=np.float32, order="F")

    # Set by the __init__ of every subclass.
    prior: float | str
    scenario: Scenario
    risk: str
    loss: str
    max_features: str | int | float | None
    n_thresholds: int | None
    max_depth: int | None
    min_samples_split: int
    min_samples_leaf: int
    max_leaf_nodes: int | None
    min_risk_decrease: float | None
    random_state: int | np.random.RandomState | None

    def _validate(self, X: Rows, y: ArrayLike) -> tuple[Rows, Labels]:
        # Columns converts dense rows: their order depends on how many features nodes try.
        return validate_pu(
            self, X, y, **({} if issparse(X) else {"dtype": (np.float64, np.float32), "order": None})
        )

    def _fit(self, X: Rows, s: Labels) -> None:
        columns = Columns.of(X, self._n_features(X.shape[1]))
        self.prior_ = prior_to_use(self, columns.narrow(X) if isinstance(self.prior, str) else X, s)
        weights = signed_weights(s, self.prior_, self.scenario_)
        measure = (
            weights.positive_P,
            weights.negative_P,
            weights.negative_U,
            LOSSES.index(self.loss),
            self.risk == "nnpu",
        )
        kinds = [np.flatnonzero(s == kind).astype(np.int32) for kind in (1, 0)]
        rules = self._rules(X.shape[1])
        seeds = check_random_state(self.random_state).randint(
            np.iinfo(np.int64).max, size=self._n_trees(), dtype=np.int64
        )
        tasks = (
            delayed(grow)(
                columns.values,
                columns.rows,
                columns.starts,
                *self._draw(kinds, seed),
                self.n_features_in_,
                measure,
                rules,
                int(seed),
                columns.by_row,
            )
            for seed in seeds
        )
        # In order, each as soon as it is there.
        grown = Parallel(n_jobs=self._n_jobs(), require="sharedmem", return_as="generator")(tasks)
        self.trees_ = Trees.join(grown)
        self.importance_ = risk_decrease(self.trees_, weights, self.n_features_in_)

    def _n_trees(self) -> int:
        return 1

    def _n_jobs(self) -> int | None:
        return None

    def _draw(
        self, kinds: Sequence[NDArray[np.int32]], seed: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the rows of P and of U for one tree, which reorders them in place."""
        labelled, unlabelled = kinds
        return labelled.copy(), unlabelled.copy()

    def _rules(self, d: int) -> tuple[int, int, int, int, int, int, float]:
        return (
            self._n_features(d),
            self.n_thresholds or 0,
            self.max_depth or _NO_LIMIT,
            self.max_leaf_nodes or 0,
            self.min_samples_split,
            self.min_samples_leaf,
            -np.inf if self.min_risk_decrease is None else self.min_risk_decrease,
        )

    def _n_features(self, d: int) -> int:
        wanted = self.max_features
        if wanted is None:
            return d
        if isinstance(wanted, str):
            return max(1, math.ceil(math.sqrt(d) if wanted == "sqrt" else math.log2(d)))
        # A float, 1.0 included, is a share; a whole number is a count.
        return min(math.ceil(wanted * d) if isinstance(wanted, float) else int(wanted), d)

    def decision_function(self, X: Rows) -> NDArray[np.float64]:
        """Return the estimated Pr(y = 1 | x) minus one half, shape (n,); at least 0 means positive."""
        decision = self._share(X) - 0.5
        # A tie is negative (the paper's Proposition 4): just below 0, so that predict agrees.
        decision[decision == 0.0] = -np.finfo(np.float64).tiny
        return decision

    def _share(self, X: Rows) -> NDArray[np.float64]:
        sums: NDArray[np.float64] = self._in_parts(self._rows(X), self.trees_.sum_shares)
        return sums / len(self.trees_.roots)

    def predict_proba(self, X: Rows) -> NDArray[np.float64]:
        r"""Return the probabilities of both classes, shape (n, 2).

        That of the positive class is the mean over trees of :math:`v^* = W_p / (W_p + W_n)` in the row's leaf, clipped
        to [0, 1].
        """
        positive = self._share(X)
        return np.column_stack([1.0 - positive, positive])

    def _rows(self, X: Rows) -> Rows:
        return as_rows(validate_rows(self, X, accept_sparse="csr", dtype=np.float32, order="C"))

    def _in_parts(self, X: Rows, action: Callable[[Rows], NDArray[Any]]) -> NDArray[Any]:
        n_jobs = effective_n_jobs(self._n_jobs())
        if n_jobs == 1:
            return action(X)
        parts = [X[rows] for rows in gen_even_slices(X.shape[0], min(n_jobs, X.shape[0]))]
        done: Sequence[NDArray[Any]] = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(action)(part) for part in parts
        )
        return np.concatenate(done)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The risk reduction importance, shape (d,): the mean over trees of the risk removed by splits on a feature.

        The sum is the risk of the root minus that of the leaves. Splits that make a uPU risk -inf are excluded.
        """
        check_is_fitted(self)
        importance: Importance = self.importance_
        return importance.total

    @property
    def normalized_feature_importances_(self) -> NDArray[np.float64]:
        """Like :attr:`feature_importances_`, with each split divided by its node's share of the population."""
        check_is_fitted(self)
        importance: Importance = self.importance_
        return importance.normalized
