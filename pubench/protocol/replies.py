"""What the processes that run plugins answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeAlias

import msgspec
import numpy as np

from pubench.protocol.parts import Curve
from pubench.specs import Algorithm, Params
from pubench.status import Problem

__all__ = [
    "Done",
    "End",
    "Ended",
    "EstimatedPropensity",
    "Evaluated",
    "Failed",
    "Forked",
    "Introspection",
    "LogLine",
    "OracleQuestion",
    "PixelWeights",
    "Plane",
    "PluginDescription",
    "Prepared",
    "PriorFound",
    "Ranked",
    "Reply",
    "Result",
    "Scoring",
    "Stages",
    "Started",
    "Stored",
    "TrainingStep",
    "Trial",
]


class Started(msgspec.Struct, frozen=True, kw_only=True, tag="started"):
    """The process runs and can be asked."""


class Forked(msgspec.Struct, frozen=True, kw_only=True, tag="forked"):
    """A process was forked."""

    pid: int


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag="ended"):
    """A forked process ended: its exit code, or minus the number of a signal."""

    code: int


class Prepared(msgspec.Struct, frozen=True, kw_only=True, tag="prepared"):
    """Imports are done; ``can_fork`` says whether that left neither a thread nor a process behind."""

    can_fork: bool


class Done(msgspec.Struct, frozen=True, kw_only=True, tag="done"):
    """A warm-up has ended, or a data set is stored."""


class Scoring(msgspec.Struct, frozen=True, kw_only=True, tag="scoring"):
    """A criterion or metric is about to be called, or none of them (None) any more: it takes the blame for a crash."""

    name: str | None


class TrainingStep(msgspec.Struct, frozen=True, kw_only=True, tag="step"):
    """How far a fit is: so many steps of all, and the value after them."""

    step: int
    total: int
    value: float | None = None


class Trial(msgspec.Struct, frozen=True, kw_only=True, tag="trial"):
    """One set of parameters with the value of each criterion on each fold; ``error`` says why there are none.

    ``problems`` holds the first problem of each criterion that raised. A trial that was given up early is ``pruned``;
    where a search has a pruner, ``curves`` is what each fit said while it trained.
    """

    params: Params
    folds: Mapping[str, tuple[float | None, ...]] = {}
    seconds: float = 0.0
    error: str = ""
    problems: Mapping[str, str] = {}
    pruned: bool = False
    curves: tuple[Curve, ...] = ()

    def value(self, criterion: str) -> float | None:
        """Return the mean of a criterion over the folds, or None where it has no value on one of them."""
        values = self.folds.get(criterion, ())
        if not values or None in values:
            return None
        mean = float(np.mean([value for value in values if value is not None]))
        return mean if math.isfinite(mean) else None


class OracleQuestion(msgspec.Struct, frozen=True, kw_only=True, tag="oracle"):
    """Asks for the values of oracle criteria. Arrays: validation rows, then predictions."""

    criteria: tuple[str, ...]


class Result(msgspec.Struct, frozen=True, kw_only=True, tag="result"):
    """A fitted model. Arrays: its predictions for the test rows."""

    fit_seconds: float
    score_seconds: float
    peak_memory_mb: float
    training: Mapping[str, float | None]
    training_notes: tuple[str, ...]


class Ranked(msgspec.Struct, frozen=True, kw_only=True, tag="ranked"):
    """A model was fitted and has ranked rows. Arrays: scores that are comparable between fits, and decisions."""

    seconds: float


class Stored(msgspec.Struct, frozen=True, kw_only=True, tag="stored"):
    """A fitted model. Arrays: its bytes, as :mod:`pubench.estimators.stored_models` writes them."""


class PixelWeights(msgspec.Struct, frozen=True, kw_only=True):
    """Weights of the pixels of an image, line by line."""

    shape: tuple[int, ...]
    pixels: tuple[float, ...]


class Plane(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a model says of each place of a plane, for rows of two columns.

    ``positive`` has a 1 or a 0 for each place of a square grid between the ends ``x`` and ``y``, line by line from
    the lowest ``y``. ``labelled`` are some of the training rows that were given as positive, ``unlabelled`` of others.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    positive: str
    labelled: tuple[tuple[float, float], ...] = ()
    unlabelled: tuple[tuple[float, float], ...] = ()
    columns: tuple[str, str] | None = None


class Introspection(msgspec.Struct, frozen=True, kw_only=True, tag="inside"):
    """The stages and weights of a model. Arrays: with stages, their scores, shape (k, n).

    ``weights`` are (column, value) pairs, the largest first; ``of`` says what they are, ``size`` how many columns
    there are. ``normalized`` are the pixels' importances with each split divided by the weight of its node.
    ``training`` has criteria on the training rows after each stage.
    """

    stages: tuple[int, ...] = ()
    of: str = ""
    weights: tuple[tuple[int, float], ...] = ()
    size: int = 0
    image: PixelWeights | None = None
    normalized: PixelWeights | None = None
    plane: Plane | None = None
    training: Mapping[str, tuple[float | None, ...]] = {}
    errors: tuple[str, ...] = ()


class EstimatedPropensity(msgspec.Struct, frozen=True, kw_only=True, tag="propensity"):
    """A model's propensities. Arrays: one number for each training row, or none where ``error`` says why."""

    error: str = ""


class Evaluated(msgspec.Struct, frozen=True, kw_only=True, tag="evaluated"):
    """The value of each metric and criterion, None where it has none, and a note for each problem."""

    values: Mapping[str, float | None]
    notes: tuple[str, ...] = ()


class Stages(msgspec.Struct, frozen=True, kw_only=True, tag="stages"):
    """Each metric after each stage."""

    values: Mapping[str, tuple[float | None, ...]]


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag="failed"):
    """The request has no result."""

    problem: Problem


class End(msgspec.Struct, frozen=True, kw_only=True, tag="end"):
    """Everything about a request has been said."""


class LogLine(msgspec.Struct, frozen=True, kw_only=True, tag="log"):
    """A line that a loader logged."""

    level: int
    text: str


class PriorFound(msgspec.Struct, frozen=True, kw_only=True, tag="prior"):
    """An estimate of the prior and the seconds it took."""

    value: float
    low: float
    high: float
    level: float
    doubts: tuple[str, ...]
    seconds: float
    upper: float | None = None


class PluginDescription(msgspec.Struct, frozen=True, kw_only=True, tag="plugin"):
    """The algorithms of a plugin file that has nothing else, and advice for its author."""

    algorithms: tuple[Algorithm, ...]
    advice: tuple[str, ...]


Reply: TypeAlias = (
    Started
    | Forked
    | Ended
    | Prepared
    | Done
    | Scoring
    | TrainingStep
    | Trial
    | OracleQuestion
    | Result
    | Ranked
    | Stored
    | Introspection
    | EstimatedPropensity
    | Evaluated
    | Stages
    | Failed
    | End
    | LogLine
    | PriorFound
    | PluginDescription
)
