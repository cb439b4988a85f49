"""The parts of a task: what ``plan/`` resolves from a suite is what the child receives, in the same shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import msgspec

from pubench.errors import did_you_mean
from pubench.specs import SCENARIOS, Param, Params, Scenario, TuningRule

__all__ = [
    "THRESHOLD",
    "AlgorithmPlan",
    "Categorical",
    "CriterionPlan",
    "Curve",
    "EarlierTrial",
    "Features",
    "Impute",
    "MetricPlan",
    "Norm",
    "OwnPrior",
    "Preprocess",
    "PriorPlan",
    "Pruning",
    "Scale",
    "SearchPlan",
    "Seeds",
]


THRESHOLD = "threshold"
"""The name under which searches try both thresholds."""
Impute = Literal["mean", "median", "most-frequent", "none"]
Scale = Literal["standard", "minmax", "maxabs", "robust", "none"]
Categorical = Literal["one-hot", "codes"]
Norm = Literal["none", "l1", "l2"]
Resample = Literal["none", "smote-tomek"]
OwnPrior = Literal["none", "fixed", "named", "searched"]
_PREPROCESSING = {
    "impute": get_args(Impute),
    "scale": get_args(Scale),
    "categorical": get_args(Categorical),
    "norm": get_args(Norm),
    "resample": get_args(Resample),
}


@dataclass(frozen=True, slots=True)
class Preprocess:
    """What to do to features before a learner sees them.

    Attributes
    ----------
    impute : str
        What replaces a missing number: the training rows' ``"mean"``, ``"median"`` or ``"most-frequent"``
        value (the smallest of several); ``"none"`` leaves NaN.
    scale : str
        ``"standard"`` (mean 0, sd 1), ``"minmax"`` (0 to 1), ``"maxabs"`` (largest size 1), ``"robust"``
        (median 0, interquartile range 1) or ``"none"``. Sparse data are never shifted: see
        :func:`pubench.data.preprocess.fit_preprocess`.
    categorical : str
        ``"one-hot"``, or ``"codes"`` to leave codes, missing ones included, as they are.
    min_count : int
        Columns whose training rows add up to less than this are dropped; for counts such as term frequencies.
    norm : str
        ``"l2"`` or ``"l1"`` gives each row that length, after scaling; ``"none"`` leaves rows as they are.
    resample : str
        ``"smote-tomek"`` balances the labels of the rows that are fitted; see
        :func:`pubench.data.preprocess.resampling.resample_rows`.
    """

    impute: Impute = "median"
    scale: Scale = "standard"
    categorical: Categorical = "one-hot"
    min_count: int = 0
    norm: Norm = "none"
    resample: Resample = "none"

    def __post_init__(self) -> None:
        for name, choices in _PREPROCESSING.items():
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(f"{name} = {value!r} is unknown{did_you_mean(str(value), choices)}")
        if self.min_count < 0:
            raise ValueError(f"min_count = {self.min_count} must be 0 or more")


class AlgorithmPlan(msgspec.Struct, frozen=True, kw_only=True):
    """An algorithm: its estimator, fixed parameters, search space, what pubench fills in, its scenarios and dtype.

    ``threshold`` says where its decisions come from: the estimator itself, or the cut at which the share of positives
    is the prior; ``"search"`` tries both, as the parameter ``threshold``. ``probability`` says whether the estimator's
    own probabilities, if it has any, are replaced by calibrated ones. ``own_prior`` says whether the algorithm's own
    parameters give the prior: as a number, as the name of a prior estimator, or as a part of the search. The cut and
    the probabilities use that prior, too.
    """

    estimator: str
    params: Params
    space: Mapping[str, Param]
    receives: tuple[str, ...]
    labels: Literal["pu", "true"]
    scenarios: tuple[Scenario, ...] = SCENARIOS
    dtype: Literal["float64", "float32", "uint8"] = "float64"
    gpu: bool = False
    threshold: Literal["own", "prior", "search"] = "own"
    probability: Literal["own", "calibrated"] = "own"
    own_prior: OwnPrior = "none"

    @property
    def learns_decisions(self) -> bool:
        """Whether decisions or probabilities come from out-of-fold scores and the prior."""
        return self.threshold != "own" or self.probability != "own"

    @property
    def uses_propensity(self) -> bool:
        """Whether it is a reference that is given the true propensity of each training row."""
        return "propensity" in self.receives

    @property
    def uses_prior(self) -> bool:
        """Whether it is given a prior."""
        return "prior" in self.receives or (self.learns_decisions and self.own_prior == "none")


class MetricPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A metric and what it is computed from."""

    name: str
    function: str
    uses: Literal["decision", "score", "probability"]
    version: str = ""


class CriterionPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A criterion; ``oracle`` is the metric behind an ``oracle-*`` one, which only the worker computes.

    ``name`` is None for the model of an algorithm that is not tuned.
    """

    name: str | None
    function: str = ""
    params: Params = {}
    maximise: bool = True
    oracle: MetricPlan | None = None
    needs_prior: bool = False


class SearchPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How hyper-parameters are searched; ``engine`` is the sampler's import string, empty for a grid.

    ``trials`` is None for the whole grid. With ``defaults`` the first trial sets no parameter. ``rule`` says which
    trial is chosen: the best one, or the first one unless the best is better by more than one standard error.
    ``pruner`` gives up trials early; empty for none. ``spatial`` makes folds of blocks of the map.
    """

    sampler: str
    engine: str
    trials: int | None
    batch: int
    folds: int | None
    validation: float | None
    rule: TuningRule = "best"
    defaults: bool = False
    pruner: Literal["", "median", "hyperband"] = ""
    spatial: bool = False


Curve: TypeAlias = tuple[tuple[int, float], ...]
"""What a fit had reached after some steps: the lower a value, the better."""


class EarlierTrial(msgspec.Struct, frozen=True, kw_only=True):
    """A trial that of an earlier batch: its number, the curve of each fit, whether it was given up."""

    number: int
    curves: tuple[Curve, ...]
    pruned: bool


class Pruning(msgspec.Struct, frozen=True, kw_only=True):
    """When a trial is given up: the rule, the trial's number in its search, and the trials before its batch."""

    rule: Literal["median", "hyperband"]
    number: int
    earlier: tuple[EarlierTrial, ...]


class PriorPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Where the prior comes from: a value, or an estimator's function; and the factor that multiplies it."""

    source: Literal["true", "fixed", "none", "estimated"]
    value: float | None = None
    name: str = ""
    function: str = ""
    params: Params = {}
    factor: float = 1.0


class Seeds(msgspec.Struct, frozen=True, kw_only=True):
    """A seed for each source of randomness of a job."""

    sample: int
    split: int
    label: int
    folds: int
    prior: int
    search: int
    fit: int


class Features(msgspec.Struct, frozen=True, kw_only=True):
    """What a process that sees the features, and no class, must know of a stored data set."""

    folder: str
    sparse: bool
    n_features: int
    categorical: tuple[tuple[int, int], ...]
    missing: int
    image_shape: tuple[int, ...]
    coordinates: bool = False
