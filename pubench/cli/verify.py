"""``pubench verify``: whether a run folder holds what its suite gives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pubench.cli.options import data_option, plugin_options
from pubench.cli.output import show_problems
from pubench.cli.streams import show
from pubench.errors import be, counted, have

if TYPE_CHECKING:
    from pubench.plan.jobs import Cell
    from pubench.results.record import Record
    from pubench.run.verifying import Verification

__all__ = ["verify"]


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Number of cells to run again, and of cells that ended at a limit.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed of the sample."
)
@click.option("--no-rerun", is_flag=True, help="Check files and versions only; run nothing.")
@click.option(
    "--jobs", "-j", type=click.IntRange(1, 1024), default=1, show_default=True, help="Tasks at a time."
)
@click.option(
    "--write", is_flag=True, help="Write verified.json into FOLDER, or remove it if it no longer holds."
)
@data_option
@plugin_options
def verify(
    folder: Path,
    sample: int,
    seed: int,
    no_rerun: bool,
    jobs: int,
    write: bool,
    plugin_files: tuple[Path, ...],
    no_third_party: bool,
) -> int:
    """Check the run in FOLDER: digests of its files, stated versions, and a sample of its cells run again."""
    from pubench.cli.loading import Loading
    from pubench.run.verifying import verify as verify_folder

    with Loading():
        found = verify_folder(
            folder,
            sample=sample,
            seed=seed,
            rerun=not no_rerun,
            jobs=jobs,
            plugins=plugin_files,
            third_party=False if no_third_party else None,
            progress=_Shown(),
        )
    show_problems(line for problem in found.problems for line in problem.splitlines())
    for remark in found.limited.remarks:
        show(f"pubench: {remark}")
    click.echo(_sentence(found))
    if write:
        _write(found)
    return 0 if found.is_verified else 1


class _Shown:
    """Says on standard error which cells are run again, and how they ended."""

    def __init__(self) -> None:
        self._total = self._ended = 0

    def begin(self, total: int, finished: int) -> None:
        """Take the number of cells."""
        self._total = total
        show(f"pubench: {counted(total, 'cell')} {be(total)} run again")

    def done(self, cell: Cell, record: Record) -> None:
        """Show the cell that has ended."""
        self._ended += 1
        names = " / ".join(filter(None, (cell.dataset, cell.labelling, cell.algorithm, cell.criterion)))
        show(f"{self._ended} of {self._total}: {names}, replicate {cell.replicate}: {record.status.value}")

    def note(self, text: str) -> None:
        """Show a sentence that the user should read."""
        show(f"pubench: {text}")


def _sentence(found: Verification) -> str:
    if not found.is_verified:
        return f"{found.folder}: not verified ({counted(len(found.problems), 'problem')})"
    ended = f"{found.finished} of {counted(found.cells, 'cell')} {have(found.cells)} ended"
    checked = f"its files are as they were written; versions and data are stated; {ended}"
    if not found.rerun:
        unknown = "it was not checked whether its cells and metrics follow from its suite"
        return f"{found.folder}: verified without running anything: {checked}{_limited(found)}; {unknown}"
    how = (
        "to the bit"
        if found.exact
        else "to six digits, because this machine computes with another arithmetic"
    )
    repeated = len(found.rerun) - found.limited.rerun
    rows = (
        "1 of them was run again and its row is"
        if repeated == 1
        else f"{repeated} of them were run again and their rows are"
    )
    again = f"; {rows} equal {how}" if repeated else ""
    return f"{found.folder}: verified: {checked}{again}{_limited(found)}"


def _limited(found: Verification) -> str:
    """Say how many cells are exempt from an exact re-run, and why."""
    limited = found.limited
    if not limited.count:
        return ""
    many = counted(limited.count, "cell")
    again = f"{limited.rerun or 'none'} of them {'was' if limited.rerun <= 1 else 'were'} run again"
    other = len(limited.remarks)
    ended = f", {other} of which ended in another way" if other else " and ended in the same way"
    return (
        f"; {many} ended at a limit of time or memory or crashed, which another machine may not repeat: {again}"
        f"{ended if limited.rerun else ''}"
    )


def _write(found: Verification) -> None:
    from pubench.results.verification import remove_verified, write_verified

    if found.is_verified:
        click.echo(write_verified(found.folder, found.to_write()))
    elif remove_verified(found.folder):
        click.echo(f"{found.folder}: the verified.json of an earlier check was removed")
