"""A model trained on a person's own table, as a value: everything that its file holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pubench.advise.advice import Goal
from pubench.advise.ensemble import Blend, Ensemble
from pubench.advise.labels import few_doubt
from pubench.advise.schema import Schema
from pubench.estimators.prior_statement import PriorStatement
from pubench.specs import Scenario

__all__ = [
    "Card",
    "Curve",
    "Importance",
    "Provenance",
    "ReviewResult",
    "Standing",
    "TrainedModel",
    "TrainingRows",
]


@dataclass(frozen=True, slots=True)
class Standing:
    """How one method did in the comparison, and its weight in the model.

    Attributes
    ----------
    name : str
    pauc : float or None
        The area under the ROC curve of P against U, mean over folds; None if the method was not compared.
    error : float or None
        Its standard error over folds.
    weight : float
    failure : str
        Why the method was left out; empty if it was not.
    """

    name: str
    pauc: float | None
    error: float | None
    weight: float
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Importance:
    """How much a column matters: the loss of P-against-U AUC when its values are shuffled, and its spread."""

    column: str
    loss: float
    spread: float


@dataclass(frozen=True, slots=True)
class Curve:
    """Partial dependence: the mean probability of some rows if a column had each of these values in all of them."""

    column: str
    values: tuple[str, ...]
    positions: tuple[float, ...]
    probability: tuple[float, ...]
    ordered: bool


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a model comes from: the table by its name and digest, and the software."""

    source: str
    digest: str
    rows: int
    labelled: int
    software: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """What answers by hand say: how many, and the precision of positive decisions in U with its interval."""

    answers: int
    positives: int
    precision: float | None
    precision_low: float
    precision_high: float
    share: float
    share_low: float
    share_high: float
    level: float


@dataclass(frozen=True, slots=True)
class Card:
    """All facts about a model that a person can read."""

    goal: Goal
    method: str
    scenario: Scenario
    label: str
    seed: int
    prior: PriorStatement
    leaderboard: tuple[Standing, ...]
    importance: tuple[Importance, ...]
    curves: tuple[Curve, ...]
    remarks: tuple[str, ...]
    limits: tuple[str, ...]
    provenance: Provenance
    review: ReviewResult | None = None

    @property
    def doubts(self) -> tuple[str, ...]:
        """What speaks against trusting any prediction: few labelled rows, and a prior that is not determined."""
        few, prior = few_doubt(self.provenance.labelled), self.prior
        undetermined = (
            f"The prior cannot be determined from these data: probabilities and decisions rest on {prior.value:.3f}; "
            f"{prior.low:.3f} to {prior.high:.3f} agree with the data, too."
        )
        return (*([few] if few else []), *([] if prior.determined else [undetermined]))


@dataclass(frozen=True, slots=True, eq=False)
class TrainingRows:
    """What the model keeps of the rows of its fit: their ids, labels, and out-of-fold scores and votes.

    Attributes
    ----------
    ids : ndarray of str, shape (number of id columns, n)
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    unseen : Blend
        By models that did not see the row.
    decided : ndarray of shape (n,)
        What the model as it was fitted decides by that: 1 = positive. A review does not change it.
    """

    ids: NDArray[np.str_]
    s: NDArray[np.uint8]
    unseen: Blend
    decided: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class TrainedModel:
    """A fitted ensemble, how it reads a table, what it knows of its training rows, and its card.

    Attributes
    ----------
    card : Card
    schema : Schema
    ensemble : Ensemble
    training : TrainingRows
    typical : ndarray of shape (d,)
        An encoded row in which every column has its most common value.
    """

    card: Card
    schema: Schema
    ensemble: Ensemble
    training: TrainingRows
    typical: NDArray[np.float64]
