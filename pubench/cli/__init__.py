"""The command line: commands parse arguments, call the API and print; they import heavy modules when they run."""

from __future__ import annotations

import contextlib
import os
import sys

import click

from pubench import __version__
from pubench.cli.commands import LazyGroup
from pubench.cli.signals import Signals
from pubench.cli.streams import is_of_output, output_problem, prepare_streams, say, silence_output
from pubench.errors import PubenchError, StoreError

__all__ = ["main"]

FAILED, USAGE, PIPE_CLOSED = 1, 2, 141


class _Commands(LazyGroup):
    """Ends a command that was interrupted, or whose output nobody reads (for example ``| head``), with its own code."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            silence_output()
            return PIPE_CLOSED
        except KeyboardInterrupt:
            # Here, since click would print an empty line.
            return interrupted(ctx.ensure_object(Signals))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pubench")
def cli() -> None:
    """Benchmark learning from positive and unlabelled data.

    Start with:  pubench suite run quickstart

    For a table of your own:  pubench recommend TABLE.csv --label COLUMN
    """


def main() -> None:
    """Run the command line; every expected error is one sentence on standard error."""
    prepare_streams()
    with Signals() as signals:
        try:
            code = cli(prog_name="pubench", standalone_mode=False, obj=signals)
            problem = output_problem()
            if problem:
                code = _output_lost(problem)
        except BaseException as error:
            code = _code_of(error, signals)
        if signals.received is not None:
            signals.ignore_from_now_on()
    sys.exit(code)


def _code_of(error: BaseException, signals: Signals) -> int:
    """Say in one sentence what went wrong, and return the exit code."""
    # An interrupt in the middle of a library's own clean-up may arrive here as another error.
    if signals.received is not None or isinstance(error, KeyboardInterrupt):
        return interrupted(signals)
    match error:
        case click.exceptions.Abort():
            say("no answer was given; nothing was done")
            return FAILED
        case click.ClickException():
            with contextlib.suppress(OSError):
                error.show()
            return USAGE
        case PubenchError():
            for line in str(error).splitlines():
                say(line)
            return FAILED if isinstance(error, StoreError) else USAGE
        case BrokenPipeError():
            silence_output()
            return PIPE_CLOSED
        case OSError():
            return _code_of_os(error)
        case MemoryError():
            say("there is not enough memory; use fewer --jobs or smaller data, or free some")
            return FAILED
        case RecursionError():
            say("the input is nested too deeply; flatten its lists and tables")
            return USAGE
        case SystemExit():
            raise error
    if os.environ.get("PUBENCH_DEBUG"):
        raise error
    say(f"internal error, {type(error).__name__}: {error}; set PUBENCH_DEBUG=1 to see where")
    return USAGE


def _code_of_os(error: OSError) -> int:
    if is_of_output(error):
        return _output_lost(error.strerror or str(error))
    if isinstance(error, FileNotFoundError) and error.filename is None and not _has_folder():
        say("the current folder does not exist any more; change to another one")
        return USAGE
    where = f" {os.fsdecode(error.filename)}" if isinstance(error.filename, str | bytes) else ""
    say(f"cannot read or write{where}: {error.strerror or error}")
    return FAILED


def _has_folder() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def interrupted(signals: Signals) -> int:
    """Say that a signal ended the command, and return the exit code."""
    say(f"interrupted by {signals.name}; nothing was left half-written")
    return signals.code


def _output_lost(problem: str) -> int:
    silence_output()
    say(f"cannot write to standard output: {problem}")
    return FAILED
