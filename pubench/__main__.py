"""``pubench`` and ``python -m pubench`` are the command line."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> None:
    """Run the command line in a process of its own."""
    # Before and after the command itself, while modules are imported and threads end, Ctrl-C ends the process at once:
    # Python's own handler would print a traceback.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from pubench.cli import main as run_command

    try:
        run_command()
    except SystemExit as ended:
        if isinstance(ended.code, int | None):
            _end(ended.code or 0)
        raise


def _end(code: int) -> NoReturn:
    """End this process without freeing what is in memory: with scientific packages that takes a third of a second.

    What was registered for the end is done: files that libraries keep for a process are removed.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
