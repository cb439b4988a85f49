"""The command line: commands parse arguments, call the API and print; they import heavy modules when they run."""

from __future__ import annotations

import io
import os
import sys

import click

from pubench import __version__
from pubench.cli.data import data
from pubench.cli.listing import list_specs, plugins
from pubench.cli.output import completion, export
from pubench.cli.plugin import plugin
from pubench.cli.prior import prior
from pubench.cli.report import report
from pubench.cli.suite import suite
from pubench.errors import PubenchError, StoreError

__all__ = ["main"]

FAILED, USAGE, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141


class _Commands(click.Group):
    """Exits quietly, with its own code, when the reader of a pipe has closed it (for example ``| head``)."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Python would otherwise complain when it flushes standard output at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return PIPE_CLOSED


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pubench")
def cli() -> None:
    """Benchmark learning from positive and unlabeled data.

    Start with:  pubench suite run quickstart
    """


for command in (suite, data, prior, report, export, list_specs, plugins, plugin, completion):
    cli.add_command(command)


def main() -> None:
    """Run the command line; every expected error is one sentence on standard error."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows a replacement instead of failing.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = cli(prog_name="pubench", standalone_mode=False)
    except click.exceptions.Abort:
        code = INTERRUPTED
    except click.ClickException as error:
        error.show()
        code = USAGE
    except PubenchError as error:
        for line in str(error).splitlines():
            click.echo(f"pubench: {line}", err=True)
        code = FAILED if isinstance(error, StoreError) else USAGE
    except OSError as error:
        click.echo(f"pubench: cannot read or write: {error}", err=True)
        code = FAILED
    except Exception as error:
        if os.environ.get("PUBENCH_DEBUG"):
            raise
        click.echo(
            f"pubench: internal error, {type(error).__name__}: {error}; set PUBENCH_DEBUG=1 to see where",
            err=True,
        )
        code = USAGE
    sys.exit(code)
