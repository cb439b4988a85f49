"""The parts of a task: what ``plan/`` resolves from a suite is what the child receives, in the same shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from pubench.specs import Param

if TYPE_CHECKING:
    from pubench.specs import Params
else:
    # edge: msgspec cannot read recursive aliases; it takes any JSON here.
    Params = Mapping[str, Any]

__all__ = ["AlgorithmPlan", "CriterionPlan", "Features", "MetricPlan", "PriorPlan", "SearchPlan", "Seeds"]


class AlgorithmPlan(msgspec.Struct, frozen=True, kw_only=True):
    """An algorithm: its estimator, fixed parameters, search space, and what pubench fills in."""

    estimator: str
    params: Params
    space: Mapping[str, Param]
    receives: tuple[str, ...]
    labels: Literal["pu", "true"]


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

    ``trials`` is None for the whole grid.
    """

    sampler: str
    engine: str
    trials: int | None
    batch: int
    folds: int | None
    validation: float | None


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
