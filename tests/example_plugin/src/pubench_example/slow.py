"""A plugin that takes its time to import."""

from __future__ import annotations

import time

from pubench import Metric, hookimpl

__all__ = ["pubench_metrics"]

time.sleep(1.0)


@hookimpl
def pubench_metrics() -> list[Metric]:
    """Return a metric of pubench under another name."""
    return [Metric(name="example-accuracy", function="pubench.metrics:accuracy", summary="Accuracy")]
