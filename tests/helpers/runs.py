"""Run folders with invented results, for tests of reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pubench.plan.jobs import Cell, Plan, PlannedMetric, Shard
from pubench.results.record import Record
from pubench.results.run_folder import read_plan, write_plan
from pubench.results.store import Store, read_records
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


def write_shard(folder: Path, number: int, of: int = 2, **keys: Any) -> Path:
    """Write a shard of such a run: every ``of``-th cell."""
    write_run(folder, datasets=2, replicates=1, **keys)
    plan, records = read_plan(folder), read_records(folder)[0]
    own = [cell.key for cell in plan.cells[number - 1 :: of]]
    (folder / "cells.jsonl").unlink()
    store = Store(folder)
    for key in own:
        if key in records:
            store.append(records[key])
    store.close()
    write_plan(folder, replace(plan, shard=Shard(number, of, frozenset(own))), 'name = "s"\n')
    return folder
