"""The page of a run that goes on, made anew whenever cells have ended."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pubench.cli.output import with_problems
from pubench.cli.report import html_page, make_report, read_runs

if TYPE_CHECKING:
    from pubench.results.table import Results

__all__ = ["watch"]

LOOK = 1.0
"""Seconds between two looks at the run."""
RELOAD = 5
"""Seconds after which the page loads itself again."""


def watch(folders: Sequence[Path], page: Path) -> int:
    """Keep the page of some runs up to date until they have ended; return the command's exit code.

    The last page does not reload itself any more, whether the runs ended or this command was told to stop.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        last = _follow(folders, page)
    except KeyboardInterrupt:
        last = _write(folders, page, reload=0)
        click.echo(f"pubench: stopped; {page} stays as it is now.", err=True)
        return 130
    with_problems(last)
    left = last.counts["pending"]
    rest = f"; {left} cells are still to come: run the suite again to go on" if left else ""
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
            click.echo(f"{total - results.counts['pending']} of {total} cells have ended", err=True)
            seen = state
        # A page that takes long to make leaves the run as much time as it took.
        time.sleep(max(LOOK, time.monotonic() - start))
    # Made after the end, so that it has all that the run left behind.
    return _write(folders, page, reload=0)


def _state(folders: Sequence[Path]) -> tuple[tuple[int, int], ...]:
    """Return what changes when cells are added to a run, or its plan is another one."""
    files = (folder / name for folder in folders for name in ("plan.json", "cells.jsonl"))
    found = (file.stat() if file.exists() else None for file in files)
    return tuple((stat.st_mtime_ns, stat.st_size) if stat else (0, 0) for stat in found)


def _write(folders: Sequence[Path], page: Path, *, reload: int) -> Results:
    from pubench.data.cache import write_atomically

    results = read_runs(folders)
    write_atomically(page, html_page(results, make_report(results, folders), folders, reload=reload))
    return results
