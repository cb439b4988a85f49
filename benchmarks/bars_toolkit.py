"""Limits of the toolkit itself: the command's help, the import, and `make demo` from nothing."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from measure import Ratio
from table import Figure

ROOT = Path(__file__).resolve().parents[1]


def cpu_of(*command: str) -> float:
    """Return the CPU seconds of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def figures() -> Iterator[Figure]:
    python, script = sys.executable, str(Path(sys.executable).with_name("pubench"))
    cpu_of(script, "--help")
    helps = sorted(cpu_of(script, "--help") / cpu_of(python, "-c", "import click") for _ in range(15))
    yield Figure("pubench --help", "import click", 1.5, Ratio(helps[7], helps[0], helps[-1]))
    imports = sorted(cpu_of(python, "-c", "import pubench") - cpu_of(python, "-c", "pass") for _ in range(15))
    yield Figure("import pubench", "seconds", 0.1, Ratio(imports[7], imports[0], imports[-1]))
    yield demo()


def demo() -> Figure:
    """Return the wall time of ``make demo`` in a new clone of the last commit; packages come over the network."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        start = time.perf_counter()
        subprocess.run(["make", "demo"], cwd=clone, check=True, stdout=subprocess.DEVNULL)
        taken = time.perf_counter() - start
    once = Ratio(taken, taken, taken)
    return Figure(
        "make demo, from nothing, wall", "seconds", 75.0, once, why="compiling, and what pip downloads"
    )
