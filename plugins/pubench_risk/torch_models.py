"""uPU and nnPU trained by PyTorch: importing this module imports PyTorch, once for all cells of a worker."""

from __future__ import annotations

import inspect
from typing import Any

from pubench_risk import torch_engine
from pubench_risk.classifier import PURiskClassifier

__all__ = ["network"]

_NEEDED = torch_engine


def network(**params: Any) -> PURiskClassifier:
    """Return a :class:`pubench_risk.classifier.PURiskClassifier` with engine="torch" unless another one is named."""
    return PURiskClassifier(**{"engine": "torch", **params})


# What a suite may set is what the class takes.
network.__signature__ = inspect.signature(PURiskClassifier)  # type: ignore[attr-defined]
