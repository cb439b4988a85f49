"""Whether a plugin can be loaded at all, tried in a child: a file that hangs or crashes on import is a finding."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from pubench.errors import PubenchError
from pubench.testing.bounded import ended_badly, run_python
from pubench.testing.running import Outcome
from pubench.testing.subjects import find_subjects

__all__ = ["SECONDS", "load_problem"]

SECONDS = 60.0
"""The time limit of loading, if the limit of a check is not lower: hooks should be there within 0.3 seconds."""


def load_problem(wanted: str, *, seconds: float) -> Outcome | None:
    """Return a finding if loading what is to be checked ends its process or takes too long, else None."""
    limit = min(seconds, SECONDS)
    code, written = run_python(["-m", "pubench.testing.loading", wanted], seconds=limit)
    if not code:
        return None
    last = written.splitlines()[-1] if written else "no message"
    what = f"importing '{wanted}'" if Path(wanted).exists() else "loading the installed plugins"
    sentence = f"{what}: {ended_badly(code, limit, last)}; only define the hooks at import"
    return Outcome("plugins", Path(wanted).name, "load", "It can be loaded", "finding", sentence)


if __name__ == "__main__":
    # What is wrong in words is said by the process that asks, which finds the same.
    with contextlib.suppress(PubenchError):
        find_subjects(sys.argv[1])
