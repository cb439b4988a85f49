"""``pubench audit``: what in a person's table could make every later result wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pubench.cli.table_options import PRIOR, table_options

if TYPE_CHECKING:
    from pubench.advise.auditing import Audit
    from pubench.advise.findings import Finding
    from pubench.specs import Scenario

__all__ = ["audit"]

_SCENARIOS: dict[Scenario, str] = {
    "single-training-set": (
        "Scenario: single-training-set (one table, in which some positives are labelled). If the labelled rows were "
        "collected separately from the unlabelled ones, give --scenario case-control."
    ),
    "case-control": "Scenario: case-control (labelled rows were collected separately from the unlabelled ones).",
}
_TITLES = {"serious": "Serious", "check": "To check", "note": "Notes"}


@click.command()
@table_options
@PRIOR
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def audit(
    file: Path,
    label: str,
    ids: tuple[str, ...],
    scenario: Scenario,
    prior: float | None,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Look for leaks, wrong labels, copies and ids in FILE, and check what its labels can show.

    FILE is a table (CSV, TSV, Parquet, ARFF, JSON lines, NumPy or SVMlight) in which some positives are labelled: 1/0,
    yes/no, or a value and blank cells in the column that --label names. The file is not changed.
    """
    from pubench.advise.auditing import audit as look
    from pubench.advise.reading import read_table

    with _progress(quiet=quiet) as on_step:
        on_step("reading the table")
        frame = read_table(file, text=ids)
        found = look(frame, label=label, ids=ids, scenario=scenario, prior=prior, seed=seed, on_step=on_step)
    if as_json:
        click.echo(json.dumps(found.to_json(), indent=1))
    else:
        click.echo("\n".join(_lines(file, label, ids, found, given=prior is not None)))


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show the current step in one line of a terminal, and not at all elsewhere."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console
    from rich.status import Status

    with Status("starting", console=Console(stderr=True)) as status:
        yield status.update


def _lines(file: Path, label: str, ids: tuple[str, ...], found: Audit, *, given: bool) -> Iterator[str]:
    yield (
        f"{file.name}: {found.rows:,} rows, {found.labelled:,} labelled ({found.labelled / found.rows:.1%}), "
        f"{found.rows - found.labelled:,} unlabelled"
    )
    yield _SCENARIOS[found.scenario]
    if found.audited < found.rows:
        yield f"A random sample of {found.audited:,} rows was examined."
    yield ""
    yield from found.remarks
    for level, title in _TITLES.items():
        findings = [finding for finding in found.findings if finding.level == level]
        if findings:
            yield ""
            yield f"{title}:"
            for finding in findings:
                yield from _finding(finding)
    if given and found.prior is not None:
        yield ""
        yield f"The share of positives (prior) was given: {found.prior.value:.3f}"
    elif found.prior is not None:
        yield ""
        yield "The share of positives (prior):"
        yield from (f"  {line}" for line in found.prior.lines())
    yield ""
    yield _next(file, label, ids, found)


def _next(file: Path, label: str, ids: tuple[str, ...], found: Audit) -> str:
    from pubench.advise.commands import table_command

    leaks = [one for one in found.findings if one.subject == "leak" and one.level == "serious"]
    aside = dict.fromkeys(name for leak in leaks for name in leak.columns)
    command = table_command(
        "recommend", str(file), label=label, ids=(*ids, *aside), scenario=found.scenario, seed=0
    )
    return f"Next, without the columns that reveal the label: {command}" if aside else f"Next: {command}"


def _finding(finding: Finding) -> Iterator[str]:
    yield f"  - {finding.sentence}"
    if finding.rows:
        more = ", ..." if finding.count > len(finding.rows) else ""
        yield f"    {', '.join(map(str, finding.rows))}{more}"
    if finding.remedy:
        yield f"    {finding.remedy}"
