"""What large suites cost: CPU seconds to check, start, show, export and report them. Prints figures and growth.

A suite is 100 algorithms that do nothing on one data set, or on 20, with as many replicates as its cells need. The
finished run is written through the store, with made-up scores: what is measured is pubench alone.

Run:  python benchmarks/scale.py [--cells 10000 30000 100000]
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from measure import exponent, line

from pubench.plan.planning import plan_suite
from pubench.plugins.discovery import discover
from pubench.results.lock import locked
from pubench.results.record import Record
from pubench.results.run_folder import write_plan
from pubench.results.store import Store
from pubench.status import Status
from pubench.suite import parse_suite

PLUGIN = Path(__file__).with_name("do_nothing.py")
ALGORITHMS = 100
DATASETS = (1, 20)
FULL = 100_000
BUDGETS = {"check": 6.0, "first cell": 15.0, "status": 2.0, "export": 10.0, "report": 60.0}
"""CPU seconds at 100,000 cells; smaller suites have the same budgets."""

HEAD = """
name = "scale"
replicates = {replicates}
[[labellings]]
scenario = "case-control"
positives = 50
"""
DATASET = """
[[datasets]]
use = "two-gaussians"
name = "gaussians-{number}"
params = {{ n = {rows} }}
"""
ALGORITHM = """
[[algorithms]]
use = "do-nothing"
name = "nothing-{number}"
params = {{ number = {number} }}
"""


def suite_text(cells: int, datasets: int) -> str:
    """Return a suite of so many cells."""
    replicates = cells // (ALGORITHMS * datasets)
    return (
        HEAD.format(replicates=replicates)
        + "".join(DATASET.format(number=i, rows=300 + 2 * i) for i in range(datasets))
        + "".join(ALGORITHM.format(number=i) for i in range(ALGORITHMS))
    )


def write_finished(suite: Path, folder: Path) -> None:
    """Write the run folder of a finished run: algorithms and data sets differ a little, replicates by chance."""
    text = suite.read_text(encoding="utf-8")
    registry = discover(files=[PLUGIN])
    planned = plan_suite(parse_suite(text, "scale"), registry, source=str(suite), files=[str(PLUGIN)])
    plan = planned.plan
    versions = {name: metric.version for name, metric in plan.metrics.items()}
    rng = np.random.default_rng(0)
    skill = {name: rng.normal(0.7, 0.05) for name in dict.fromkeys(cell.algorithm for cell in plan.cells)}
    noise = np.clip(rng.normal(0.0, 0.03, (len(plan.cells), len(versions))), -0.2, 0.2).tolist()
    with locked(folder):
        write_plan(folder, plan, text)
        store = Store(folder)
        for cell, values in zip(plan.cells, noise, strict=True):
            scores = {
                name: skill[cell.algorithm] + value for name, value in zip(versions, values, strict=True)
            }
            store.append(_record(cell.key, scores, versions))
        store.close()


def _record(key: str, scores: Mapping[str, float], versions: Mapping[str, str]) -> Record:
    return Record(
        key=key,
        status=Status.OK,
        n_p=50,
        n_u=160,
        n_test=90,
        true_prior=0.5,
        params={"number": 1},
        metrics=scores,
        metric_versions=versions,
        collapsed=False,
        fit_seconds=0.001,
        score_seconds=0.001,
        peak_memory_mb=90.0,
    )


def command_seconds(*arguments: str) -> float:
    """Return the CPU seconds of a command of pubench and of the processes that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(_command(*arguments), check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_cell_seconds(suite: Path, folder: Path) -> float:
    """Return the CPU seconds of ``suite run`` until its first cell is stored; the run is interrupted then."""
    command = _command("suite", "run", str(suite), "--out", str(folder), "--plugin", str(PLUGIN), "-q")
    cells = folder / "cells.jsonl"
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        while not (cells.exists() and cells.stat().st_size) and process.poll() is None:
            time.sleep(0.02)
        seconds = _cpu_seconds(process.pid)
        process.send_signal(signal.SIGINT)
    return seconds


def _cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process, and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pubench", *arguments]


def measured(folder: Path, cells: int, datasets: int) -> Iterator[tuple[str, float]]:
    """Yield the CPU seconds of each command on a suite of so many cells; the cache is warm."""
    suite, run = folder / f"scale-{cells}-{datasets}.toml", folder / f"run-{cells}-{datasets}"
    suite.write_text(suite_text(cells, datasets), encoding="utf-8")
    write_finished(suite, run)
    plugin = ("--plugin", str(PLUGIN))
    yield "check", command_seconds("suite", "check", str(suite), *plugin)
    yield "first cell", first_cell_seconds(suite, folder / f"first-{cells}-{datasets}")
    yield "status", command_seconds("suite", "status", str(run))
    yield "export", command_seconds("export", str(run), "--out", str(folder / "cells.csv"))
    yield "report", command_seconds("report", str(run), "--out", str(folder / "report"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, nargs="*", default=[10_000, 30_000, FULL])
    parser.add_argument("--datasets", type=int, nargs="*", default=list(DATASETS))
    arguments = parser.parse_args()
    within = True
    with tempfile.TemporaryDirectory() as name:
        os.environ.setdefault("PUBENCH_CACHE", f"{name}/cache")
        for datasets in arguments.datasets:
            found: dict[str, list[float]] = {}
            for cells in arguments.cells:
                for what, seconds in measured(Path(name), cells, datasets):
                    found.setdefault(what, []).append(seconds)
                    within &= seconds <= BUDGETS[what]
                    text = f"{what}: {cells} cells on {datasets} data sets, CPU seconds"
                    print(line(text, seconds, BUDGETS[what]), flush=True)
            if len(arguments.cells) > 1:
                for what, times in found.items():
                    print(
                        line(
                            f"{what}: growth with the number of cells, exponent",
                            exponent(arguments.cells, times),
                        )
                    )
    print("within all budgets" if within else "OVER BUDGET")
    sys.exit(not within)


if __name__ == "__main__":
    main()
