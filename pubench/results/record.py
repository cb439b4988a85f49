"""A finished cell as it is stored, and the columns of exports: a new column is declared here and filled in ``run/``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec

from pubench.protocol.replies import PixelWeights, Plane, Trial
from pubench.results.predictions import PackedPredictions
from pubench.specs import Params
from pubench.status import Problem, Status

__all__ = [
    "AFTER_METRICS",
    "BEFORE_METRICS",
    "COLUMNS",
    "MEASURED",
    "Column",
    "Ending",
    "EvaluatedTrial",
    "InsideRecord",
    "ModelRecord",
    "PixelWeights",
    "PropensityRecord",
    "Record",
    "RescoredValue",
    "StoredTrial",
    "TrialRecord",
]


class TrialRecord(NamedTuple):
    """A trial of a cell's search: parameters, value of the cell's criterion, seconds, and why it has none."""

    params: Params
    value: float | None
    seconds: float
    error: str
    pruned: bool = False


class StoredTrial(msgspec.Struct, frozen=True, kw_only=True):
    """A finished trial: the search that it belongs to, its number in there, and what came of it."""

    search: str
    number: int
    trial: Trial

    @property
    def key(self) -> tuple[str, int]:
        """What a later line replaces: the same trial, scored by further criteria."""
        return self.search, self.number


class EvaluatedTrial(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A trial whose setting was fitted on all training rows and judged on the test rows, by true classes.

    ``number`` is that of the first trial with this setting. ``error`` says why there are no metrics. ``predictions``
    are stored in a file of their own.
    """

    search: str
    number: int
    metrics: Mapping[str, float | None] = {}
    collapsed: bool | None = None
    error: str = ""
    predictions: PackedPredictions | None = None

    @property
    def key(self) -> tuple[str, int]:
        """What a later line replaces: the same trial."""
        return self.search, self.number

    @property
    def prediction_key(self) -> str:
        """The key of its predictions, which is none of a cell."""
        return f"{self.search}/{self.number}"


class RescoredValue(msgspec.Struct, frozen=True, kw_only=True):
    """The value of a metric that was computed from stored predictions, after the run of its cell.

    ``note`` says why there is none where the metric raised. What tables must know of the metric stands in each line.
    """

    cell: str
    metric: str
    version: str
    greater_is_better: bool | None
    value: float | None
    note: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What a later line replaces: the same metric of the same cell."""
        return self.cell, self.metric


class PropensityRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A model's propensities of the training positives next to the true ones.

    ``points`` holds, for groups of positives with similar true propensities, their number, mean true and mean estimated
    propensity. ``error`` is the mean absolute difference; ``correlation`` is None where either does not vary.
    """

    points: tuple[tuple[int, float, float], ...]
    error: float
    correlation: float | None


class ModelRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The introspection of a cell's model: weights by column name, and each metric after each of its stages.

    ``reliability`` holds, for bins of its probabilities, test rows, mean probability and share of positives.
    """

    of: str = ""
    size: int = 0
    errors: tuple[str, ...] = ()
    image: PixelWeights | None = None
    normalized: PixelWeights | None = None
    plane: Plane | None = None
    weights: tuple[tuple[str, float], ...] = ()
    stages: tuple[int, ...] = ()
    metrics: Mapping[str, tuple[float | None, ...]] = {}
    reliability: tuple[tuple[int, float, float], ...] = ()
    propensity: PropensityRecord | None = None


class MapRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of a data set in the plane, as t-SNE places them.

    ``kinds`` has a letter for each point: l is labelled, p an unlabelled positive, n a negative, u an unlabelled row
    whose class is unknown. ``total`` is the number of training rows that the points were drawn from.
    """

    dataset: str
    labelling: str
    perplexity: float
    total: int
    kinds: str
    points: tuple[tuple[float, float], ...]

    @property
    def key(self) -> str:
        """What a later line replaces: the map of the same data set."""
        return self.dataset


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a cell ended, with all that was measured; what is None was not measured or does not apply.

    ``search`` is the key of the search that chose its parameters by ``criterion``, among ``n_trials`` finished trials.
    ``inside`` and ``predictions`` are stored in files of their own.
    """

    key: str
    status: Status
    error: str | None = None
    traceback: str = ""
    output: str = ""
    n_p: int | None = None
    n_u: int | None = None
    n_test: int | None = None
    true_prior: float | None = None
    prior: float | None = None
    prior_low: float | None = None
    prior_high: float | None = None
    params: Params | None = None
    metrics: Mapping[str, float | None] = {}
    metric_versions: Mapping[str, str] = {}
    collapsed: bool | None = None
    regret: float | None = None
    tune_seconds: float | None = None
    fit_seconds: float | None = None
    score_seconds: float | None = None
    peak_memory_mb: float | None = None
    notes: tuple[str, ...] = ()
    search: str = ""
    criterion: str = ""
    n_trials: int | None = None
    inside: ModelRecord | None = None
    predictions: PackedPredictions | None = None

    @classmethod
    def of_problem(cls, key: str, problem: Problem) -> Record:
        """Return the record of a cell without a result."""
        return cls(
            key=key,
            status=problem.status,
            error=problem.error,
            traceback=problem.traceback,
            output=problem.output,
        )


@dataclass(frozen=True, slots=True)
class Column:
    """A column of exports; ``measured`` ones (times, memory) differ from run to run and can be left out."""

    name: str
    origin: Literal["plan", "cell", "record"]
    unit: str = ""
    measured: bool = False


BEFORE_METRICS = (
    Column("suite", "plan"),
    Column("dataset", "cell"),
    Column("scenario", "cell"),
    Column("labelling", "cell"),
    Column("replicate", "cell"),
    Column("algorithm", "cell"),
    Column("criterion", "cell"),
    Column("status", "record"),
    Column("error", "record"),
)
AFTER_METRICS = (
    Column("collapsed", "record"),
    Column("regret", "record"),
    Column("prior_factor", "cell"),
    Column("prior", "record"),
    Column("prior_low", "record"),
    Column("prior_high", "record"),
    Column("true_prior", "record"),
    Column("n_p", "record", unit="rows"),
    Column("n_u", "record", unit="rows"),
    Column("n_test", "record", unit="rows"),
    Column("params", "record"),
    Column("reference", "cell"),
    Column("notes", "record"),
    Column("tune_seconds", "record", unit="s", measured=True),
    Column("fit_seconds", "record", unit="s", measured=True),
    Column("score_seconds", "record", unit="s", measured=True),
    Column("peak_memory_mb", "record", unit="MB", measured=True),
    Column("key", "cell"),
)
COLUMNS = (*BEFORE_METRICS, *AFTER_METRICS)
"""The columns of exports in order; one for each metric of the plan stands between the two groups."""
MEASURED = tuple(column.name for column in COLUMNS if column.measured)
"""The columns that differ from run to run."""


class Ending(msgspec.Struct, frozen=True, gc=False):
    """How a cell ended: the part of a record that tells how far a run is."""

    key: str
    status: Status
    error: str | None = None


class InsideRecord(msgspec.Struct):
    """The introspection of the model of a cell."""

    key: str
    inside: ModelRecord
