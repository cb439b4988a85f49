"""The priors that several estimators find in one data set, beside the truth where it is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench.data.labelling import Labelling, label_all
from pubench.data.stored import read_features
from pubench.data.truth import read_sides
from pubench.data.values import Assignment
from pubench.errors import DataError
from pubench.plan.datasets import ResolvedDataset
from pubench.plan.jobs import DataPlan
from pubench.plugins.registry import Registered
from pubench.sandbox.process import Sandbox, SandboxError
from pubench.specs import PriorEstimator, Scenario

__all__ = ["PriorRow", "PriorTable", "prior_table"]


@dataclass(frozen=True, slots=True)
class PriorRow:
    """What one estimator says: its estimate and interval, or why there is none (``error``)."""

    estimator: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    seconds: float | None = None
    doubts: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class PriorTable:
    """The data as they were labelled, the true prior (None if nobody knows it), and a row for each estimator."""

    dataset: str
    scenario: Scenario
    labelling: str
    n_p: int
    n_u: int
    truth: float | None
    rows: tuple[PriorRow, ...]


def prior_table(
    part: ResolvedDataset,
    labelling: Labelling,
    estimators: Sequence[Registered[PriorEstimator]],
    *,
    seed: int = 0,
    files: Sequence[str] = (),
    seconds: float = 3600,
    memory_mb: int = 16_384,
) -> PriorTable:
    """Label a data set and ask each estimator, in a process that holds no true class.

    Parameters
    ----------
    part : ResolvedDataset
    labelling : Labelling
        No rows are kept for testing, whatever it says.
    estimators : sequence of Registered
        Those that are not made for the scenario or the rows are told so in their row.
    seed : int
        Of the labels and of the estimators.
    files : sequence of str
        Plugin files that the estimators need.
    seconds, memory_mb
        What each estimator may use.
    """
    data = part.plan
    refused = data if isinstance(data, str) else part.unfit(labelling)
    if isinstance(data, str) or refused:
        raise DataError(refused)
    rows, made = _labelled(data, labelling, seed)
    request = {
        "kind": "prior",
        "files": list(files),
        "data": data.prepared.for_child(),
        "preprocess": asdict(data.preprocess),
        "scenario": labelling.scenario,
        "seed": seed,
    }
    sandbox = Sandbox(memory_mb=memory_mb)
    try:
        answers = tuple(
            _refusal(spec, part, labelling.scenario)
            or _asked(spec, sandbox, request, [rows[made.train], made.s], seconds)
            for spec in (entry.spec for entry in estimators)
        )
    finally:
        sandbox.close()
    n_p = int(made.s.sum())
    counts = n_p, len(made.s) - n_p
    return PriorTable(part.label, labelling.scenario, labelling.label, *counts, made.prior, answers)


def _labelled(data: DataPlan, labelling: Labelling, seed: int) -> tuple[NDArray[np.int64], Assignment]:
    """Return the rows of the classes in use, and which of them are labelled."""
    prepared = data.prepared
    sides = read_sides(prepared.truth, data.classes)
    rows = np.flatnonzero(sides >= 0)
    made = label_all(
        sides[rows].astype(np.uint8),
        labelling,
        rng=np.random.default_rng(seed),
        features=lambda: read_features(prepared.folder, prepared.sparse, prepared.n_features)[rows],
    )
    return rows, made


def _refusal(spec: PriorEstimator, part: ResolvedDataset, scenario: Scenario) -> PriorRow | None:
    reason = part.refused_by(f"prior estimator '{spec.name}'", spec.accepts)
    if scenario not in spec.scenarios:
        reason = f"prior estimator '{spec.name}' is not made for {scenario} data"
    return PriorRow(spec.name, error=reason) if reason else None


def _asked(
    spec: PriorEstimator,
    sandbox: Sandbox,
    request: dict[str, Any],
    arrays: Sequence[NDArray[Any]],
    seconds: float,
) -> PriorRow:
    wanted = {"name": spec.name, "function": spec.function, "params": dict(spec.params)}
    try:
        sandbox.send(request | wanted, arrays, seconds=seconds)
        told = sandbox.receive(seconds=seconds).header
    except SandboxError as failure:
        return PriorRow(spec.name, error=failure.reason)
    if told["kind"] == "failed":
        return PriorRow(spec.name, error=str(told["error"]))
    value, low, high, level, took = (
        float(told[name]) for name in ("value", "low", "high", "level", "seconds")
    )
    return PriorRow(spec.name, value, low, high, level, took, tuple(told["doubts"]))
