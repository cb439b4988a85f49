"""``pubench report --live``: write the page of a run again whenever cells have ended."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pubench.cli.output import show_problems
from pubench.cli.signals import current_signals
from pubench.cli.streams import say
from pubench.errors import counted, have
from pubench.status import Status

if TYPE_CHECKING:
    from pubench.results.table import Results

__all__ = ["watch"]

LOOK = 1.0
"""Seconds between two checks of the run."""
RELOAD = 5
"""Seconds after which the page loads itself again."""


def watch(folders: Sequence[Path], page: Path) -> int:
    """Keep the page of some runs up to date until they have ended; return the command's exit code.

    The last page does not reload itself, whether the runs ended or this command was stopped.
    """
    try:
        last = _follow(folders, page)
    except KeyboardInterrupt:
        signals = current_signals()
        last = _write(folders, page, reload=0)
        say(f"stopped by {signals.name}; {page} is no longer updated.")
        return signals.code
    show_problems(last.problems)
    left = last.counts[Status.PENDING]
    rest = f"; {counted(left, 'cell')} {have(left)} not run: run the suite again to continue" if left else ""
    click.echo(f"No run is going on{rest}.\nReport: {page}")
    return 0


def _follow(folders: Sequence[Path], page: Path) -> Results:
    # Imported when the command runs: other commands should not wait for it.
    from pubench.results.lock import is_running

    seen = None
    while any(map(is_running, folders)):
        state, start = _state(folders), time.monotonic()
        if state != seen:
            results = _write(folders, page, reload=RELOAD)
            total = len(results.rows)
            if seen is None:
                click.echo(f"Report: {page}")
            ended = total - results.counts["pending"]
            click.echo(f"{ended} of {counted(total, 'cell')} {have(total)} ended", err=True)
            seen = state
        # A page that takes long to write must not take more than half of the time from the run.
        time.sleep(max(LOOK, time.monotonic() - start))
    # Written after the end, so that it has everything.
    return _write(folders, page, reload=0)


def _state(folders: Sequence[Path]) -> tuple[tuple[int, int], ...]:
    """Return a value that changes when a run gets new cells or another plan."""
    files = (folder / name for folder in folders for name in ("plan.json", "cells.jsonl", "training.json"))
    found = (file.stat() if file.exists() else None for file in files)
    return tuple((stat.st_mtime_ns, stat.st_size) if stat else (0, 0) for stat in found)


def _write(folders: Sequence[Path], page: Path, *, reload: int) -> Results:
    from pubench.reporting import read_runs, report_of, write_page
    from pubench.results.under_way import read_under_way

    results = read_runs(folders)
    training = [one for folder in folders for one in read_under_way(folder)] if reload else []
    write_page(report_of(results, folders), page, reload=reload, training=training)
    return results
