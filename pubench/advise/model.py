"""The whole journey in one estimator: from a DataFrame with labelled positives to ranks, probabilities, decisions."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pubench.advise.advice import GOALS, Goal
from pubench.advise.archive import load, save
from pubench.advise.comparing import Progress
from pubench.advise.explaining import reasons
from pubench.advise.predicting import Predicted, predict_rows, predict_unlabelled, ranks
from pubench.advise.settings import Settings, Source
from pubench.advise.trained import TrainedModel
from pubench.advise.training import train
from pubench.base import SCENARIO, UNSTATED, Either, OneOf, PUClassifier, Real, Rule, Whole, check_params
from pubench.errors import DataError
from pubench.specs import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PUModel"]

_LABEL = "labelled"


class PUModel(PUClassifier):
    """A model of a table in which some positive rows are labelled and the others are not.

    Columns may hold numbers, text, categories, dates, and missing cells. Methods are compared by repeated resampling
    in processes of their own, and combined by their weights; see :class:`pubench.advise.ensemble.Ensemble`.

    Parameters
    ----------
    goal : {"ranking", "decision", "probability"}, default="ranking"
        What the model is for. It is noted in the model; the same ensemble serves all three.
    method : str, default="auto"
        ``"auto"`` for the weighted ensemble, ``"single"`` for one method chosen among all, or the name of a method.
    prior : float or "estimate", default="estimate"
        Pr(y = 1) in the population.
    scenario : {"case-control", "single-training-set"}
        Whether the unlabelled rows are a sample of the population, or all rows together are; there is no default.
    budget : float or None, default=None
        Seconds for the comparison of methods.
    random_state : int, default=0
        The same seed gives the same bits, unless a budget ends the comparison early.

    Attributes
    ----------
    model_ : TrainedModel
        Everything that was learned.
    classes_ : ndarray of shape (2,)
        0 and 1; 1 is positive.

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> size = np.concatenate([rng.normal(3, 1, 100), rng.normal(0, 1, 200)])
    >>> table = pd.DataFrame({"size": size, "known": ["yes"] * 50 + [""] * 250})
    >>> model = pubench.PUModel(scenario="single-training-set", method="wlr", prior=1 / 3)
    >>> model.fit(table, label="known").rank(pd.DataFrame({"size": [-1.0, 4.0]}))
    array([2, 1])
    """

    param_rules: ClassVar[dict[str, Rule]] = {
        "goal": OneOf(GOALS),
        "prior": Either(Real(low=0.0, high=1.0, open_low=True, open_high=True), OneOf(("estimate",))),
        "scenario": SCENARIO,
        "budget": Either(Real(low=0.0, open_low=True), OneOf((None,))),
        "random_state": Whole(low=0),
    }

    def __init__(
        self,
        goal: Goal = "ranking",
        *,
        method: str = "auto",
        prior: float | str = "estimate",
        scenario: Scenario = UNSTATED,
        budget: float | None = None,
        random_state: int = 0,
    ) -> None:
        self.goal = goal
        self.method = method
        self.prior = prior
        self.scenario = scenario
        self.budget = budget
        self.random_state = random_state

    def fit(
        self,
        X: pd.DataFrame,
        y: ArrayLike | None = None,
        *,
        label: str | None = None,
        ids: Sequence[str] = (),
        source: Source | None = None,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> Self:
        """Learn from a table.

        Parameters
        ----------
        X : DataFrame
        y : array-like of shape (n,), optional
            Which rows are labelled: 1 and 0, or in any other form that a label column may have.
        label : str, optional
            The column of X that says so; give this or ``y``.
        ids : sequence of str
            Columns that only name rows.
        source : Source, optional
            Where the table comes from, for the model's card.
        on_progress : callable
            Is notified of each fit.

        Returns
        -------
        self
        """
        check_params(self)
        frame, name = _with_labels(X, y, label)
        settings = Settings(
            scenario=self.scenario,
            goal=self.goal,
            method=self.method,
            prior=None if isinstance(self.prior, str) else float(self.prior),
            budget=self.budget,
            seed=int(self.random_state),
        )
        trained = train(frame, settings, label=name, ids=ids, source=source, on_progress=on_progress)
        return self._take(trained)

    def _take(self, trained: TrainedModel) -> Self:
        self.model_, self.classes_ = trained, np.array([0, 1])
        return self

    def _fitted(self) -> TrainedModel:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "model_")
        return self.model_

    def _predicted(self, X: pd.DataFrame) -> Predicted:
        model = self._fitted()
        return predict_rows(model, model.schema.encode(_table(X)).X)

    def predict(self, X: pd.DataFrame) -> NDArray[np.generic]:
        """Return 1 for rows that are called positive, else 0; shape (n,)."""
        return self._predicted(X).decision.astype(np.int64)

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Return the probabilities of both classes in the population, shape (n, 2)."""
        positive = self._predicted(X).probability[:, 0]
        return np.column_stack([1.0 - positive, positive])

    def decision_function(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Return the score by which rows are ranked, shape (n,), between 0 and 1."""
        return self._predicted(X).score

    def predictions(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return rank, probability, its interval (low, high) and decision of each row."""
        return self._predicted(X).frame().set_index(X.index)

    def rank(self, X: pd.DataFrame) -> NDArray[np.int64]:
        """Return the rank of each row among these rows, shape (n,): 1 for the row most likely to be positive."""
        return ranks(self._predicted(X).score)

    def unlabelled(self) -> pd.DataFrame:
        """Return predictions for the unlabelled rows of the fit, by models that did not see them."""
        return predict_unlabelled(self._fitted())

    def leaderboard(self) -> pd.DataFrame:
        """Return the methods that were compared, the best first, with their weights."""
        import pandas as pd

        return pd.DataFrame(list(self._fitted().card.leaderboard))

    def explain(self, X: pd.DataFrame | None = None) -> pd.DataFrame:
        """Return the importance of columns, or for given rows the three columns that matter most for each.

        Parameters
        ----------
        X : DataFrame, optional
            Rows to explain; one row of the result for each row and column, with the effect on the log-odds.
        """
        import pandas as pd

        model = self._fitted()
        card = model.card
        if X is None:
            return pd.DataFrame(list(card.importance))
        columns = [one.column for one in card.importance]
        found = reasons(
            model.ensemble, model.schema, model.schema.encode(_table(X)).X, model.typical, columns
        )
        rows = [
            (index, one.column, one.effect) for index, row in zip(X.index, found, strict=True) for one in row
        ]
        return pd.DataFrame(rows, columns=["row", "column", "effect"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file, which holds no code."""
        save(self._fitted(), Path(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PUModel:
        """Read a model that :meth:`save` or ``pubench fit`` wrote; an altered file is refused."""
        trained = load(Path(path))
        card = trained.card
        made = cls(card.goal, method=card.method, scenario=card.scenario, random_state=card.seed)
        return made._take(trained)


def _table(X: object) -> pd.DataFrame:
    """Return a table with rows.

    Raises
    ------
    DataError
        If it is no DataFrame, or has no rows.
    """
    import pandas as pd

    if not isinstance(X, pd.DataFrame):
        raise DataError(f"X is of type {type(X).__name__}; give a pandas DataFrame with named columns")
    if X.empty:
        raise DataError("the table has no rows or no columns; there is nothing to use")
    return X


def _with_labels(X: pd.DataFrame, y: ArrayLike | None, label: str | None) -> tuple[pd.DataFrame, str]:
    """Return the table with a column of labels, and its name."""
    if (y is None) == (label is None):
        raise DataError("give the labels once: as y, or as label, the name of a column")
    X = _table(X)
    if label is not None:
        return X, label
    name = _LABEL
    while name in X.columns:
        name += "_"
    return X.assign(**{name: np.asarray(y)}), name
