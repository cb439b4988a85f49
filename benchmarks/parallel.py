"""What workers gain: trials of one search at the same time, and very many cells on a local dask cluster.

The first part runs one tuned cell of 64 trials of 0.2 s with one and with two workers, as a command from its start to
its end, and as a later run in a process that has made its imports. The second part runs cells that do nothing: how
many a second, and the largest memory of the driver until the last one is stored.

Run:  python benchmarks/parallel.py [--cells 20000]
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from measure import line
from scale import PLUGIN, suite_text

from pubench import run_suite

NAPPING = Path(__file__).with_name("napping.py")
GAIN, MEMORY_MB, PAIRS = 1.8, 300.0, 3
SUITE = """
name = "naps"
replicates = 1
[[datasets]]
use = "wine"
[[labellings]]
scenario = "single-training-set"
frequency = 0.5
[[algorithms]]
use = "nap"
tune = true
[tuning]
criteria = ["puf"]
sampler = "random"
trials = 64
folds = 2
"""


def command(suite: Path, plugin: Path, folder: Path, *more: str) -> list[str]:
    """Return the command that runs a suite into a new folder."""
    arguments = ["suite", "run", str(suite), "--plugin", str(plugin), "--out", str(folder), "-q", *more]
    return [sys.executable, "-m", "pubench", *arguments]


def gains(folder: Path) -> tuple[float, float]:
    """Return how many times as fast two workers are as one: as a command, and in a process that ran it before.

    Each is the median of three pairs, so that a noisy machine does not decide.
    """
    suite = folder / "naps.toml"
    suite.write_text(SUITE, encoding="utf-8")
    # The first run makes the imports, and loads the data.
    run_suite(suite, out=folder / "first", jobs=2, plugins=[NAPPING])
    commands, warm = [], []
    for turn in range(PAIRS):
        whole = [_seconds(_command, suite, folder / f"command-{jobs}-{turn}", jobs) for jobs in (1, 2)]
        inside = [_seconds(_here, suite, folder / f"warm-{jobs}-{turn}", jobs) for jobs in (1, 2)]
        commands.append(whole[0] / whole[1])
        warm.append(inside[0] / inside[1])
    return statistics.median(commands), statistics.median(warm)


def _seconds(run: Callable[[Path, Path, int], None], suite: Path, out: Path, jobs: int) -> float:
    start = time.perf_counter()
    run(suite, out, jobs)
    return time.perf_counter() - start


def _command(suite: Path, out: Path, jobs: int) -> None:
    subprocess.run(command(suite, NAPPING, out, "-j", str(jobs)), check=True)


def _here(suite: Path, out: Path, jobs: int) -> None:
    run_suite(suite, out=out, jobs=jobs, plugins=[NAPPING])


def on_dask(folder: Path, cells: int) -> tuple[float, float]:
    """Return the cells a second of a local dask cluster of two workers, and the most memory of the driver in MB."""
    suite, out = folder / "many.toml", folder / "many"
    suite.write_text(suite_text(cells, 1), encoding="utf-8")
    stored, memory, start = out / "cells.jsonl", 0.0, 0.0
    with subprocess.Popen(command(suite, PLUGIN, out, "--backend", "dask", "-j", "2")) as process:
        while process.poll() is None and _lines(stored) < cells:
            start = start or (time.perf_counter() if _lines(stored) else 0.0)
            memory = max(memory, _peak_mb(process.pid))
            time.sleep(0.5)
        seconds = time.perf_counter() - start
    if (stored_cells := _lines(stored)) < cells:
        sys.exit(f"the run on dask ended with {stored_cells} of {cells} cells")
    return cells / seconds, memory


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _peak_mb(pid: int) -> float:
    """Return the largest resident memory that a process has had."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=20_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        os.environ.setdefault("PUBENCH_CACHE", f"{name}/cache")
        whole, warm = gains(Path(name))
        print(line("two workers against one, whole command", whole, GAIN, at_least=True))
        print(line("two workers against one, imports made", warm, GAIN, at_least=True), flush=True)
        speed, memory = on_dask(Path(name), arguments.cells)
        print(line(f"dask: {arguments.cells} cells that do nothing, cells a second", speed))
        print(line("dask: most memory of the driver, MB", memory, MEMORY_MB))
    within = min(whole, warm) >= GAIN and memory <= MEMORY_MB
    print("within all budgets" if within else "OVER BUDGET")
    sys.exit(not within)


if __name__ == "__main__":
    main()
