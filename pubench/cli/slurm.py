"""``pubench suite slurm``: the script of a job array that runs a suite in shards."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from pubench.cli.options import COSTS, SUITE, data_option, plugin_options

__all__ = ["slurm"]

_SCRIPT = """\
#!/bin/bash
#SBATCH --job-name=pubench-{name}
#SBATCH --array=1-{shards}
#SBATCH --cpus-per-task={cpus}
{limits}\
# Runs a suite as {shards} shards, one for each task of the array. Save it as shards.sh, then:
#
#   array=$(sbatch --parsable shards.sh)
#   sbatch --dependency=afterany:"$array" --array=1 shards.sh merge
#
# The second line merges the shards once all tasks have ended. Submit both again to continue after a time limit:
# nothing that is finished runs twice.
set -euo pipefail

out={out}
if [ "${{1-}}" = merge ]; then
    folders=()
    for shard in {{1..{shards}}}; do
        if [ -e "$out/shard-$shard/plan.json" ]; then folders+=("$out/shard-$shard"); fi
    done
    exec {program} merge "${{folders[@]}}" --out "$out/merged"
fi
exec {run} --shard "$SLURM_ARRAY_TASK_ID/{shards}" --out "$out/shard-$SLURM_ARRAY_TASK_ID"
"""


class _Pattern(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A text of a given form, which goes into a line that the shell does not read."""

    def __init__(self, name: str, pattern: str, example: str) -> None:
        self.name, self._pattern, self._example = name, pattern, example

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what SLURM would not understand."""
        if not re.fullmatch(self._pattern, value, re.ASCII):
            self.fail(f"{value!r} is not a {self.name}; write it as {self._example}.", param, ctx)
        return value


@click.command()
@click.argument("suite", type=SUITE)
@click.option("--shards", type=click.IntRange(1, 10_000), required=True, help="Number of tasks of the array.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder for the run folders of the shards [default: runs/shards/<name of the suite>].",
)
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(1, 1024),
    default=1,
    show_default=True,
    help="Cells at a time in a task.",
)
@click.option(
    "--time",
    "limit",
    type=_Pattern("time", r"(\d+-)?\d+(:\d+){0,2}", "04:00:00 or 2-12"),
    help="Time limit of a task, as SLURM writes it.",
)
@click.option(
    "--memory", type=_Pattern("size", r"\d+[KMGT]?", "8G"), help="Memory of a task, as SLURM writes it."
)
@COSTS
@data_option
@plugin_options
def slurm(
    suite: str,
    shards: int,
    out: Path | None,
    jobs: int,
    limit: str | None,
    memory: str | None,
    costs: Path | None,
    plugin_files: tuple[Path, ...],
    no_third_party: bool,
) -> None:
    """Print a script for sbatch that runs SUITE in shards, one for each task of a job array."""
    from pubench.suite import load_suite

    parsed = load_suite(suite)
    folder = (out or Path("runs/shards") / parsed.name).absolute()
    limits = [f"#SBATCH --time={limit}\n" if limit else "", f"#SBATCH --mem={memory}\n" if memory else ""]
    program = [sys.executable, "-m", "pubench"]
    # The options that are the same for all shards; paths in full, since a task may start anywhere.
    run = [*program, "suite", "run", _in_full(suite), "--jobs", str(jobs), "--quiet"]
    run += [part for file in plugin_files for part in ("--plugin", str(file.absolute()))]
    run += ["--no-third-party"] if no_third_party else []
    data = os.environ.get("PUBENCH_DATA")
    run += ["--data", os.path.abspath(data)] if data else []
    run += ["--costs", str(costs.absolute())] if costs is not None else []
    script = _SCRIPT.format(
        name=re.sub(r"[^A-Za-z0-9]+", "-", parsed.name),
        shards=shards,
        cpus=jobs * parsed.limits.threads,
        limits="".join(limits),
        out=shlex.quote(str(folder)),
        program=_quoted(program),
        run=_quoted(run),
    )
    click.echo(script, nl=False)


def _in_full(suite: str) -> str:
    """Return the path of a suite file, or the name of a bundled suite."""
    return str(Path(suite).absolute()) if Path(suite).exists() else suite


def _quoted(words: Sequence[str]) -> str:
    return " ".join(map(shlex.quote, words))
