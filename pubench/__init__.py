"""Benchmark learning from positive and unlabeled data.

>>> import pubench
>>> results = pubench.run_suite("quickstart-smoke")
>>> results.rows[0]["status"]
'ok'

Names are imported when they are first used, so that ``import pubench`` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pubench.interpreter import require_compiled

if TYPE_CHECKING:
    from pubench.advise.model import PUModel
    from pubench.api import load_dataset, make, report, rescore, run_suite
    from pubench.base import PUClassifier
    from pubench.data.values import Data, GivenLabels
    from pubench.estimators.calibrated import calibrate
    from pubench.estimators.deep import TorchPUClassifier
    from pubench.estimators.prior_cut import PriorCut
    from pubench.estimators.prior_statement import PriorStatement, state_prior
    from pubench.estimators.progress import progress
    from pubench.estimators.rank_mean import RankMean
    from pubench.estimators.wrapping import wrap
    from pubench.plugins.hookspecs import hookimpl
    from pubench.priors import PriorEstimate, estimate_prior
    from pubench.reporting.comparing import compare
    from pubench.results.table import Results, read_results
    from pubench.run.verifying import verify
    from pubench.specs import (
        Algorithm,
        Choice,
        Criterion,
        Dataset,
        Float,
        Int,
        LazyReference,
        Metric,
        PriorEstimator,
    )

__version__ = "0.1.0"

# Said here, once: almost everything in pubench needs it sooner or later.
require_compiled("pubench._ranking")

_WHERE = {
    "compare": "reporting.comparing",
    "load_dataset": "api",
    "make": "api",
    "report": "api",
    "rescore": "api",
    "run_suite": "api",
    "PUClassifier": "base",
    "Data": "data.values",
    "GivenLabels": "data.values",
    "hookimpl": "plugins.hookspecs",
    "PriorCut": "estimators.prior_cut",
    "TorchPUClassifier": "estimators.deep",
    "calibrate": "estimators.calibrated",
    "RankMean": "estimators.rank_mean",
    "progress": "estimators.progress",
    "PriorEstimate": "priors",
    "PriorStatement": "estimators.prior_statement",
    "state_prior": "estimators.prior_statement",
    "estimate_prior": "priors",
    "Results": "results.table",
    "read_results": "results.table",
    "Algorithm": "specs",
    "Choice": "specs",
    "Criterion": "specs",
    "Dataset": "specs",
    "Float": "specs",
    "Int": "specs",
    "LazyReference": "specs",
    "Metric": "specs",
    "PriorEstimator": "specs",
    "PUModel": "advise.model",
    "verify": "run.verifying",
    "wrap": "estimators.wrapping",
}

__all__ = [
    "Algorithm",
    "Choice",
    "Criterion",
    "Data",
    "Dataset",
    "Float",
    "GivenLabels",
    "Int",
    "LazyReference",
    "Metric",
    "PUClassifier",
    "PUModel",
    "PriorCut",
    "PriorEstimate",
    "PriorEstimator",
    "PriorStatement",
    "RankMean",
    "Results",
    "TorchPUClassifier",
    "calibrate",
    "compare",
    "estimate_prior",
    "hookimpl",
    "load_dataset",
    "make",
    "progress",
    "read_results",
    "report",
    "rescore",
    "run_suite",
    "state_prior",
    "verify",
    "wrap",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'pubench' has no attribute '{name}'")
    return getattr(importlib.import_module(f"pubench.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_WHERE])
