"""``pubench suite``: run, check, list, show, status, schema; `pubench.cli.slurm` adds another."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pubench.cli.commands import Group
from pubench.cli.options import COSTS, SUITE, data_option, plugin_options
from pubench.cli.output import show_problems
from pubench.cli.signals import current_signals
from pubench.cli.slurm import slurm
from pubench.cli.streams import printed, say
from pubench.errors import be, counted

if TYPE_CHECKING:
    from pubench.cli.progress import Silent
    from pubench.plan.jobs import Cell
    from pubench.plan.planning import ExecutionPlan
    from pubench.results.table import Results

__all__ = ["suite"]


@click.group(cls=Group)
def suite() -> None:
    """Run suites of cells and look at them."""


suite.add_command(slurm)


@suite.command()
@click.argument("suite", type=SUITE)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Run folder [default: runs/<name of the suite>]."
)
@click.option(
    "--jobs", "-j", type=click.IntRange(1, 1024), default=1, show_default=True, help="Tasks at a time."
)
@click.option(
    "--backend", default="loky", show_default=True, help="Where tasks run: loky, threads, dask, ray."
)
@click.option("--address", help="Address of a dask or ray cluster.")
@click.option(
    "--retry-failed", is_flag=True, help="Run failed, timed out, crashed and out-of-memory cells again."
)
@click.option("--force", is_flag=True, help="Run every cell again; old records are set aside.")
@click.option(
    "--shard", metavar="I/N", help="Run only part I of N parts, for example 3/20; see pubench merge."
)
@COSTS
@click.option("--quiet", "-q", is_flag=True, help="No progress, no tables; one line if cells failed.")
@data_option
@plugin_options
def run(
    suite: str,
    out: Path | None,
    plugin_files: tuple[Path, ...],
    no_third_party: bool,
    quiet: bool,
    jobs: int,
    backend: str,
    address: str | None,
    retry_failed: bool,
    force: bool,
    shard: str | None,
    costs: Path | None,
) -> int:
    """Run SUITE (a TOML file or a bundled name), or resume it."""
    if address is None and _is_new(out):
        from pubench.sandbox.early import begin_imports

        # Its imports and those of this process go on side by side.
        begin_imports()
    from pubench.api import run_suite
    from pubench.cli.progress import make_progress

    signals = current_signals()
    progress = make_progress(signals, quiet=quiet, jobs=jobs)
    try:
        with progress:
            results = run_suite(
                suite,
                out=out,
                plugins=plugin_files,
                third_party=False if no_third_party else None,
                progress=progress,
                jobs=jobs,
                backend=backend,
                address=address,
                retry_failed=retry_failed,
                force=force,
                shard=shard,
                costs=costs,
            )
        _conclude(results, progress, quiet=quiet)
        if quiet and results.n_failed:
            without = f"{results.n_failed:,} of {counted(len(results.rows), 'cell')} ended without a result"
            say(f"{without}; pubench suite status {shlex.quote(str(results.folder))} says why")
    except BaseException as error:
        # An interrupt in the middle of a library's own clean-up may arrive here as another error.
        if signals.received is None and not isinstance(error, KeyboardInterrupt):
            raise
        total = progress.total
        stored = (
            f"{progress.finished} of {counted(total, 'cell')} {be(total)}" if total else "no new cells are"
        )
        say(f"stopped by {signals.name}; {stored} stored. Run the same command again to continue.")
        return signals.code
    return 1 if results.n_failed else 0


def _is_new(out: Path | None) -> bool:
    """Whether it is sure, before the suite is read, that a folder has no finished cells."""
    return not Path("runs").exists() if out is None else not out.exists()


def _conclude(results: Results, progress: Silent, *, quiet: bool) -> None:
    """Write and print the report, unless nothing was run and the one that is there shows everything."""
    from pubench.reporting.files import is_current

    if progress.before == progress.total and is_current(results.folder):
        if not quiet:
            click.echo(_nothing_to_do(results))
        return
    from pubench.cli.progress import making_report
    from pubench.reporting import report_of, terminal_report, write_report

    with making_report(len(results.rows), quiet=quiet):
        report = report_of(results)
        write_report(report, results.folder, ("markdown", "html"))
    if quiet:
        return

    terminal_report(report, printed())
    click.echo(f"{_summary(results.counts)}\nReport: {results.folder / 'report.html'}")


def _nothing_to_do(results: Results) -> str:
    folder, quoted = results.folder, shlex.quote(str(results.folder))
    count = len(results.rows)
    every = "the only cell is" if count == 1 else f"all {count} cells are"
    return (
        f"{every} finished ({_summary(results.counts)}); nothing to do. "
        f"Report: {folder / 'report.html'}; `pubench report {quoted} --out {quoted}` makes it again"
    )


def _summary(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {status}" for status, number in counts.most_common()) or "no cells"


@suite.command()
@click.argument("suite", type=SUITE)
@click.option(
    "--costs",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Earlier run folder, from whose times the time of SUITE is estimated.",
)
@data_option
@plugin_options
def check(suite: str, costs: Path | None, plugin_files: tuple[Path, ...], no_third_party: bool) -> int:
    """Validate SUITE, load its data, and show what would run."""
    from pubench.cli.loading import Loading
    from pubench.errors import SuiteError
    from pubench.plan.checking import parameter_problems
    from pubench.plan.planning import plan_suite
    from pubench.plugins.discovery import discover
    from pubench.suite import load_suite

    parsed = load_suite(suite)
    registry = discover(third_party=False if no_third_party else None, files=plugin_files)
    files = [str(file.resolve()) for file in plugin_files]
    with Loading():
        planned = plan_suite(parsed, registry, source=suite, files=files)
    problems = list(parameter_problems(parsed, registry))
    if problems:
        raise SuiteError("\n".join(f"{suite}: {problem}" for problem in problems))
    skips = planned.plan.skipped
    skipped, without = sum(one.cells for one in skips), planned.without_data
    click.echo(
        f"{suite}: {counted(len(planned.plan.cells), 'cell')}, {skipped} skipped, {len(without)} without data"
    )
    for sentence in (*_work(planned, costs), *planned.advice):
        click.echo(f"  {sentence}")
    for reason in (*map(str, skips), *sorted(set(without.values()))):
        click.echo(f"  {reason}")
    return 2 if without else 0


def _work(planned: ExecutionPlan, costs: Path | None) -> Iterator[str]:
    """Say how much there is to do, and how long that takes if an earlier run shows it."""
    from pubench.cli.budget import duration
    from pubench.plan.work import distinct_jobs, expected_fits
    from pubench.results.costs import read_costs

    jobs = distinct_jobs(planned.jobs).values()
    fits = f"about {counted(sum(map(expected_fits, jobs)), 'model fit')}"
    if costs is None:
        yield fits
        return
    seconds = sum(map(read_costs(costs).of, jobs))
    yield f"{fits}: about {duration(seconds)} with one job, if cells take as long as in {costs}"


@suite.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="As JSON: name to description.")
def list_suites(as_json: bool) -> None:
    """List the bundled suites."""
    from pubench.suite import bundled_suites

    found = bundled_suites()
    if as_json:
        click.echo(json.dumps(found, indent=1))
        return
    for name, description in found.items():
        click.echo(f"{name}  {description}")


@suite.command()
@click.argument("suite", type=SUITE)
def show(suite: str) -> None:
    """Print the text of SUITE."""
    from pubench.suite import load_suite, suite_text

    load_suite(suite)
    click.echo(suite_text(suite), nl=False)


@suite.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--errors", is_flag=True, help="Show each failure with its traceback and what it printed.")
@click.option("--json", "as_json", is_flag=True, help="As JSON: the number of cells in each status.")
def status(folder: Path, errors: bool, as_json: bool) -> int:
    """Show the progress of the run in FOLDER, while it runs or afterwards."""
    from pubench.results.run_status import read_status
    from pubench.results.store import read_records, read_rescored

    found = read_status(folder)
    shard = found.shard
    if as_json:
        part = {} if shard is None else {"shard": shard.number, "shards": shard.of}
        click.echo(json.dumps({"suite": found.suite, **part, "cells": found.cells, **found.counts}, indent=1))
    else:
        name = found.suite if shard is None else f"{found.suite}, {shard}"
        click.echo(f"{name}: {counted(found.cells, 'cell')}: {_summary(found.counts)}")
        added = dict.fromkeys(line.metric for line in read_rescored(folder)[0])
        if added:
            click.echo(f"  metrics added by rescore: {', '.join(added)}")
        records = read_records(folder)[0] if errors else {}
        for one in found.failed:
            click.echo(f"  {one.status}: {_place(one.cell)}: {_first_line(one.error)}")
            for name in ("traceback", "output"):
                click.echo(_indented(getattr(records.get(one.cell.key), name, "")), nl=False)
    show_problems(found.problems)
    return 1 if found.failed else 0


def _place(cell: Cell) -> str:
    names = [cell.dataset, cell.labelling, cell.algorithm, cell.criterion, f"replicate {cell.replicate}"]
    return ", ".join(name for name in names if name)


def _first_line(text: str | None) -> str:
    return (text or "").partition("\n")[0]


def _indented(text: str | None) -> str:
    return "".join(f"      {line}\n" for line in (text or "").splitlines())


@suite.command()
def schema() -> None:
    """Print the JSON schema of suite files, for editors."""
    from pubench.suite import suite_schema

    click.echo(json.dumps(suite_schema(), indent=1))
