"""A plugin file for tests: metrics that are installed after a run, some of which the run itself computed."""

from __future__ import annotations

import os
import time

from pubench import Metric, hookimpl


def raises(y, values):
    raise ValueError("not for me")


def hangs(y, values):
    time.sleep(600)


def crashes(y, values):
    os._exit(3)


@hookimpl
def pubench_metrics():
    known = {
        "accuracy": "decision",
        "roc-auc": "score",
        "average-precision": "score",
        "log-loss": "probability",
    }
    again = [
        Metric(
            name=f"later-{name}", function=f"pubench.metrics:{name.replace('-', '_')}", uses=uses, version="1"
        )
        for name, uses in known.items()
    ]
    broken = [
        Metric(name=f"later-{function.__name__}", function=f"later_metrics:{function.__name__}", version="1")
        for function in (raises, hangs, crashes)
    ]
    return [*again, *broken]
