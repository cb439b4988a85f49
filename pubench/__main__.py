"""``pubench`` and ``python -m pubench`` are the command line."""

from __future__ import annotations

import signal

__all__ = ["main"]


def main() -> None:
    """Run the command line in a process of its own."""
    # Before and after the command itself, while modules are imported and threads end, Ctrl-C ends the process at once:
    # Python's own handler would print a traceback.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from pubench.cli import main as run_command

    run_command()


if __name__ == "__main__":
    main()
