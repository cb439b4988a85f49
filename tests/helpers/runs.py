"""Run folders with invented results, for tests of reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pubench.plan.jobs import Cell, Plan, PlannedMetric
from pubench.results.record import Record
from pubench.results.run_folder import write_plan
from pubench.results.store import Store
from pubench.status import Status

NAMES = ("a", "b<i>&_%", "😀" * 9)


def write_run(
    folder: Path,
    datasets: int = 8,
    replicates: int = 3,
    names: Sequence[str] = NAMES,
    statuses: Sequence[str | None] = ("ok",),
    prefix: str = "",
) -> Path:
    """Write a run folder with invented results; None as a status is a cell that has not run.

    ``prefix`` begins the keys of its cells.
    """
    rng = np.random.default_rng(0)
    folder.mkdir()
    cells, store = [], Store(folder)
    for number in range(datasets * replicates * len(names)):
        rest, j = divmod(number, len(names))
        i, replicate = divmod(rest, replicates)
        cells.append(
            Cell(f"{prefix}k{number}", f"d{i}", "case-control", "l", replicate, names[j], None, False)
        )
        status = statuses[number % len(statuses)]
        if status is not None:
            metrics = {"accuracy": float(rng.normal(0.8 + 0.05 * j, 0.02))} if status == "ok" else {}
            error = None if status == "ok" else "it broke"
            key, counts = f"{prefix}k{number}", {"n_p": 9, "n_u": 51, "n_test": 30}
            store.append(Record(key=key, status=Status(status), metrics=metrics, error=error, **counts))
    store.close()
    metrics = {"accuracy": PlannedMetric(True, "1")}
    write_plan(folder, Plan("s", "", metrics, ("accuracy",), tuple(cells)), 'name = "s"\n')
    return folder
