"""Standard streams that are closed, full, or cannot show a character."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["is_of_output", "output_problem", "prepare_streams", "printed", "say", "show", "silence_output"]


def prepare_streams() -> None:
    """Make the standard streams safe to use.

    A closed one is opened on ``/dev/null``: the next file that is opened would take its number, and receive what
    libraries and children print. What this process itself prints to a closed output is an error. A terminal that cannot
    show a character shows a replacement.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def say(sentence: str) -> None:
    """Print what a command has to say at its end to standard error, if that is possible."""
    with contextlib.suppress(BrokenPipeError):
        show(f"pubench: {sentence}")


def show(text: str) -> None:
    """Print a line to standard error; a run must not end because its terminal is gone, or the disk of its log is full.

    Only a reader who closed the pipe on purpose, for example ``head``, ends the command by a BrokenPipeError.
    """
    try:
        click.echo(text, err=True)
    except BrokenPipeError:
        raise
    except (OSError, ValueError):
        return


def printed(*, highlight: bool = True) -> Console:
    """Return standard output as rich sees it, but for a closed pipe, of which all commands make the same."""
    from rich.console import Console

    class Printed(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Printed(highlight=highlight)


def is_of_output(error: OSError) -> bool:
    """Tell whether an error was raised by what prints, so that it means standard output."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    raised_by = trace.tb_frame.f_globals.get("__name__", "") if trace is not None else ""
    return str(raised_by).partition(".")[0] in {"click", "rich"}


def output_problem() -> str:
    """Return why standard output cannot be written; empty if it can."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        return error.strerror or str(error)
    except ValueError:
        return "it is closed"
    return ""


def silence_output() -> None:
    """Send what is left in standard output nowhere: Python would complain when it flushes it at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.stdout.flush()
