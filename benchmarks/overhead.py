"""What pubench costs: per cell, to resume a finished run, and to print its help. Prints figures and ratios.

Run:  python benchmarks/overhead.py [--jobs N]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import joblib
import numpy as np

import pubench
from pubench.child.fitting import Recipe, fit, predict, take_rows
from pubench.data.preprocess import fit_preprocess
from pubench.data.stored import read_features
from pubench.plan.jobs import Job
from pubench.plan.planning import plan_suite
from pubench.plugins.discovery import discover
from pubench.plugins.imports import load_file, resolve
from pubench.run.labels import label_job
from pubench.scoring import finite, score_metric
from pubench.suite import parse_suite

PLUGIN = Path(__file__).with_name("do_nothing.py")
BUDGET_MS = {"task": 20.0, "package": 3.0}
BUDGET_RESUME, BUDGET_HELP = 3.0, 3.0

SUITE = """
name = "overhead"
replicates = {replicates}
[[datasets]]
use = "two-gaussians"
[[labellings]]
scenario = "case-control"
positives = 50
[limits]
isolation = "{isolation}"
"""
ALGORITHM = """
[[algorithms]]
use = "do-nothing"
name = "nothing-{number}"
params = {{ number = {number} }}
"""


def suite_text(replicates: int, algorithms: int, isolation: str = "task") -> str:
    return SUITE.format(replicates=replicates, isolation=isolation) + "".join(
        ALGORITHM.format(number=i) for i in range(algorithms)
    )


def bare(job: Job) -> dict[str, float | None]:
    """Do the work of one cell without isolation, keys, limits or store."""
    load_file(PLUGIN)
    labelled = label_job(job)
    X = read_features(job.data.stored.for_child())
    X_train = take_rows(X, labelled.train)
    scaler = fit_preprocess(job.data.preprocess, X_train, {})
    recipe = Recipe(resolve(job.algorithm.estimator), job.algorithm.params, {})
    model = fit(recipe, {}, scaler.transform(X_train), labelled.assignment.s, job.seeds.fit % 2**32)
    predictions = predict(model, scaler.transform(take_rows(X, labelled.test)))
    y = labelled.truth.test
    return {metric.name: finite(score_metric(metric, y, predictions)) for metric in job.metrics}


def per_cell(folder: Path, jobs: int, isolation: str, cells: int = 500) -> float:
    """Return the milliseconds that one more cell takes above a bare joblib loop; start-up is stated separately."""
    path = folder / "overhead.toml"
    path.write_text(suite_text(cells, 1, isolation))
    few = folder / "few.toml"
    few.write_text(suite_text(4 * jobs, 1, isolation))
    planned = plan_suite(
        parse_suite(path.read_text(), "overhead"), discover(files=[PLUGIN]), source="", files=[str(PLUGIN)]
    )
    parallel = joblib.Parallel(
        n_jobs=jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="3 * n_jobs"
    )
    list(parallel(joblib.delayed(bare)(job) for job in planned.jobs[: 4 * jobs]))
    start = time.perf_counter()
    list(parallel(joblib.delayed(bare)(job) for job in planned.jobs))
    loop = time.perf_counter() - start
    start = time.perf_counter()
    pubench.run_suite(few, out=folder / f"few-{isolation}-{jobs}", jobs=jobs, plugins=[PLUGIN])
    startup = time.perf_counter() - start
    start = time.perf_counter()
    results = pubench.run_suite(path, out=folder / f"run-{isolation}-{jobs}", jobs=jobs, plugins=[PLUGIN])
    whole = time.perf_counter() - start
    assert results.counts["ok"] == cells, results.counts
    each = 1000 * (whole - startup) / (cells - 4 * jobs)
    above = each - 1000 * loop / cells
    print(
        f"jobs={jobs}, a process for each {isolation}: bare loop {1000 * loop / cells:.2f} ms a cell, "
        f"pubench {each:.2f} ms, "
        f"above it {above:.2f} ms (at most {BUDGET_MS[isolation]:g}); a run of {4 * jobs} cells {startup:.2f} s"
    )
    return above


def resume(folder: Path, cells: int = 10_000) -> float:
    """Return the seconds that a finished run of many cells takes to find that nothing is left to do."""
    path, out = folder / "resume.toml", folder / "resume"
    path.write_text(suite_text(cells // 100, 100))
    command = [
        sys.executable,
        "-m",
        "pubench",
        "suite",
        "run",
        str(path),
        "--out",
        str(out),
        "--plugin",
        str(PLUGIN),
        "-q",
    ]
    subprocess.run([*command, "-j", str(os.cpu_count())], check=True)
    start = time.perf_counter()
    subprocess.run(command, check=True)
    seconds = time.perf_counter() - start
    print(f"a finished run of {cells} cells resumes in {seconds:.2f} s (at most {BUDGET_RESUME:g})")
    return seconds


def help_ratio(repeats: int = 15) -> float:
    """Return the time of ``pubench --help`` over that of importing click, medians of alternating runs."""

    def seconds(command: list[str]) -> float:
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    script = str(Path(sys.executable).with_name("pubench"))
    pairs = [
        (seconds([script, "--help"]), seconds([sys.executable, "-c", "import click"])) for _ in range(repeats)
    ]
    ours, click = np.median(pairs, axis=0)
    print(
        f"pubench --help {1000 * ours:.0f} ms, import click {1000 * click:.0f} ms, "
        f"ratio {ours / click:.2f} (at most {BUDGET_HELP:g})"
    )
    return float(ours / click)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ.setdefault("PUBENCH_CACHE", str(folder / "cache"))
        within = [
            per_cell(folder, jobs, isolation) <= budget
            for isolation, budget in BUDGET_MS.items()
            for jobs in arguments.jobs
        ]
        within += [resume(folder) <= BUDGET_RESUME, help_ratio() <= BUDGET_HELP]
    print("within all budgets" if all(within) else "OVER BUDGET")
    sys.exit(not all(within))


if __name__ == "__main__":
    main()
