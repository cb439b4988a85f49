"""What a worker asks: of the child that runs algorithms, of the evaluator that runs metrics, and of both to fork."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from pubench.protocol.parts import (
    AlgorithmPlan,
    CriterionPlan,
    Features,
    MetricPlan,
    Preprocess,
    Pruning,
    SearchPlan,
    Seeds,
)
from pubench.specs import Params, Scenario

__all__ = [
    "DescribePlugin",
    "Enter",
    "EvaluateRequest",
    "FitRequest",
    "Fork",
    "Limit",
    "Listen",
    "LoadRequest",
    "OracleValues",
    "Prepare",
    "PriorRequest",
    "RankRequest",
    "Reap",
    "Request",
    "Setting",
    "StagesRequest",
    "StoreRequest",
    "TrialRequest",
    "WarmUp",
]


class Limit(msgspec.Struct, frozen=True, kw_only=True, tag="limit"):
    """Limit the memory of the process, and set how many threads its libraries may use, and which GPU it sees."""

    memory_mb: int
    threads: int
    gpu: str = ""


class Fork(msgspec.Struct, frozen=True, kw_only=True, tag="fork"):
    """Fork, and limit the new process. Two descriptors come along: its channel and its output."""

    limit: Limit | None


class Listen(msgspec.Struct, frozen=True, kw_only=True, tag="listen"):
    """Let a copy of this process serve each worker that connects. A descriptor comes along: the socket to listen on."""


class Enter(msgspec.Struct, frozen=True, kw_only=True, tag="enter"):
    """Take on the environment of a run: variables, where modules are found, the current folder; then hide places."""

    environment: Mapping[str, str]
    path: tuple[str, ...]
    folder: str
    hidden: tuple[str, ...]


class Reap(msgspec.Struct, frozen=True, kw_only=True, tag="reap"):
    """Wait some seconds for a forked process, then end it and all that it started; say how it ended."""

    pid: int
    patience: float = 0.0


class Prepare(msgspec.Struct, frozen=True, kw_only=True, tag="prepare"):
    """Load plugin files and import what tasks will need."""

    files: tuple[str, ...]
    imports: tuple[str, ...]


class WarmUp(msgspec.Struct, frozen=True, kw_only=True, tag="warm-up"):
    """Fit an estimator once to fixed rows, so that its lazy imports are paid once; what it is given is fixed too."""

    estimator: str
    receives: tuple[str, ...]
    labels: Literal["pu", "true"]
    scenario: Scenario


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """What all fits of a job share; ``prior_error`` says why a prior that was asked for is missing."""

    data: Features
    preprocess: Preprocess
    scenario: Scenario
    algorithm: AlgorithmPlan
    prior: float | None
    prior_error: str
    seeds: Seeds


class TrialRequest(msgspec.Struct, frozen=True, kw_only=True, tag="trial"):
    """Score one set of parameters by criteria on each fold, within some seconds.

    Arrays: training rows, s, test rows; and, for a reference algorithm, true labels or true propensities.
    """

    setting: Setting
    search: SearchPlan
    criteria: tuple[CriterionPlan, ...]
    params: Params
    seconds: float
    pruning: Pruning | None = None


class FitRequest(msgspec.Struct, frozen=True, kw_only=True, tag="fit"):
    """Fit on all training rows and predict the test rows. Arrays: as for a trial."""

    setting: Setting
    params: Params
    training: tuple[CriterionPlan, ...]
    seconds: float


class RankRequest(msgspec.Struct, frozen=True, kw_only=True, tag="rank"):
    """Fit on all training rows, and rank and decide the test rows. Arrays: as for a trial."""

    setting: Setting


class StoreRequest(msgspec.Struct, frozen=True, kw_only=True, tag="store"):
    """Fit on all training rows, and send the fitted model itself. Arrays: as for a trial; test rows are not used."""

    setting: Setting


class PriorRequest(msgspec.Struct, frozen=True, kw_only=True, tag="prior"):
    """Estimate the prior. Arrays: rows, s."""

    data: Features
    preprocess: Preprocess
    scenario: Scenario
    seed: int
    name: str
    function: str
    params: Params


class LoadRequest(msgspec.Struct, frozen=True, kw_only=True, tag="load"):
    """Load a data set into ``folder``; ``asked`` is what the user wrote, ``params`` adds the plugin's defaults."""

    name: str
    loader: str
    card: str
    params: Params
    asked: Params
    files: tuple[str, ...]
    folder: str


class DescribePlugin(msgspec.Struct, frozen=True, kw_only=True, tag="describe"):
    """Load a plugin file and say which algorithms it has."""

    file: str


class OracleValues(msgspec.Struct, frozen=True, kw_only=True, tag="values"):
    """The worker's answer to an oracle question; None where a metric is undefined."""

    values: Mapping[str, float | None]


class EvaluateRequest(msgspec.Struct, frozen=True, kw_only=True, tag="evaluate"):
    """Score predictions by metrics, and by PU criteria where true classes are unknown. Arrays: y, predictions."""

    metrics: tuple[MetricPlan, ...]
    criteria: tuple[CriterionPlan, ...] = ()
    prior: float | None = None
    scenario: Scenario = "case-control"


class StagesRequest(msgspec.Struct, frozen=True, kw_only=True, tag="stages"):
    """Score a model after each of its k stages. Arrays: y, scores of shape (k, n)."""

    metrics: tuple[MetricPlan, ...]


Request: TypeAlias = (
    Limit
    | Fork
    | Enter
    | Reap
    | Listen
    | Prepare
    | WarmUp
    | TrialRequest
    | FitRequest
    | RankRequest
    | StoreRequest
    | PriorRequest
    | LoadRequest
    | DescribePlugin
    | OracleValues
    | EvaluateRequest
    | StagesRequest
)
