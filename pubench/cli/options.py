"""Options and completions that several commands share."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from pubench.specs import JSONValue

__all__ = [
    "COSTS",
    "FOLDERS",
    "SCENARIO",
    "SUITE",
    "data_option",
    "parsed_params",
    "plugin_options",
    "refuse_overwriting",
]

F = TypeVar("F", bound=Callable[..., object])
# Those of pubench.specs, written again: the specs take longer to import than click.
SCENARIO = click.Choice(("case-control", "single-training-set"))


class SuiteType(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A TOML file, or the name of a bundled suite."""

    name = "suite"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer bundled names and local files."""
        from pubench.suite import bundled_suites

        names = [
            CompletionItem(name, help=text)
            for name, text in bundled_suites().items()
            if name.startswith(incomplete)
        ]
        files = [
            CompletionItem(str(path)) for path in Path().glob("**/*.toml") if str(path).startswith(incomplete)
        ]
        return names + files


SUITE = SuiteType()
FOLDERS = click.argument(
    "folders", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="FOLDER [FOLDER ...]"
)
COSTS = click.option(
    "--costs",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Earlier run folder, the same for all shards, whose times balance them.",
)


def plugin_options(command: F) -> F:
    """Add the two options that choose which plugins are loaded."""
    command = click.option(
        "--no-third-party",
        is_flag=True,
        help="Load only pubench's own plugins (also: PUBENCH_THIRD_PARTY=0).",
    )(command)
    return click.option(
        "--plugin",
        "plugin_files",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Also load a single plugin file; may be repeated.",
    )(command)


def data_option(command: F) -> F:
    """Add the option that sets the data root, for this process and its children."""
    return click.option(
        "--data",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        metavar="FOLDER",
        expose_value=False,
        callback=_set_data_root,
        help="Folder of data files with a catalog, for the papers' data sets (also: PUBENCH_DATA).",
    )(command)


def parsed_params(params: str) -> dict[str, JSONValue]:
    """Return the arguments of a data set, given as JSON."""
    try:
        value = json.loads(params)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise click.UsageError('--params must be a JSON object such as {"id": 37}')
    return value


def _set_data_root(ctx: click.Context, param: click.Parameter, value: Path | None) -> None:
    if value is not None:
        os.environ["PUBENCH_DATA"] = str(value.absolute())


def refuse_overwriting(out: Path | None, *inputs: Path | None) -> None:
    """Refuse to write a result over a file that the command reads."""
    for file in inputs:
        if out is not None and file is not None and out.exists() and file.exists() and out.samefile(file):
            raise click.UsageError(
                f"'{out}' is read by this command and would be lost; name another file to write"
            )
