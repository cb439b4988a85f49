"""Limits of the toolkit itself: the command's help, and the import."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from measure import Ratio
from table import Figure


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
