"""Whether a run folder holds what its suite gives: its files, what it states, and a sample of its cells run again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pubench.errors import DamagedFileError, PubenchError, RunFolderError
from pubench.plan.jobs import Plan
from pubench.plugins.discovery import discover
from pubench.results.arithmetic import arithmetic
from pubench.results.lock import is_running
from pubench.results.run_folder import read_plan, read_suite
from pubench.results.table import Results, read_results
from pubench.results.verification import Verified, check_files, check_provenance, file_digests
from pubench.run.backends import Execution, Workers
from pubench.run.detail_differences import detail_differences
from pubench.run.driver import Progress
from pubench.run.limited_cells import LimitedCells, limited_cells
from pubench.run.plan_problems import plan_problems, suite_problems
from pubench.run.row_differences import is_exact, row_differences
from pubench.run.running_again import (
    plan_again,
    read_computed,
    run_again,
    sampled_keys,
    software_differences,
)
from pubench.status import Status

__all__ = ["Verification", "verify"]


@dataclass(frozen=True, slots=True)
class Verification:
    """What came of verifying a run.

    Attributes
    ----------
    folder : Path
    finished, cells : int
        How many cells have ended, and how many there are.
    rerun : tuple of str
        The keys of the cells that were run again.
    exact : bool
        Whether rows were compared to the bit, because the run was computed with this machine's arithmetic; else to six
        digits.
    seed : int
        What the sample was drawn with.
    limited : LimitedCells
        Cells that ended at a limit or crashed, which another machine may not repeat.
    problems : tuple of str
        One sentence for each thing that does not hold; empty if the run is verified.
    """

    folder: Path
    finished: int
    cells: int
    rerun: tuple[str, ...] = ()
    exact: bool = False
    seed: int = 0
    limited: LimitedCells = field(default_factory=LimitedCells)
    problems: tuple[str, ...] = ()

    @property
    def is_verified(self) -> bool:
        """Whether nothing was found that does not hold."""
        return not self.problems

    def to_write(self) -> Verified:
        """Return what is written next to the run."""
        from pubench import __version__

        return Verified(
            pubench=__version__,
            arithmetic=arithmetic(),
            files=file_digests(self.folder),
            cells=self.finished,
            rerun=self.rerun,
            exact=self.exact,
            seed=self.seed if self.rerun else None,
            limited=self.limited.count,
            limited_rerun=self.limited.rerun,
        )


def verify(
    folder: str | os.PathLike[str],
    *,
    sample: int = 3,
    seed: int = 0,
    rerun: bool = True,
    jobs: int = 1,
    plugins: Sequence[str | Path] = (),
    third_party: bool | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Check a run folder that somebody else has made.

    Every file is compared with its digests, versions and data sets must be stated, the plan must be what the suite
    gives here, and a sample of the cells is run again in a temporary folder. Without the re-run, the plan is compared
    with the suite only as far as neither plugins nor data are needed.

    Parameters
    ----------
    folder : path
        The run folder; it is not changed.
    sample : int
        How many cells are drawn, and as many of those that ended at a limit or crashed. Cells that share a search with
        one of them are run again with it.
    seed : int
        Random seed of the sample. Choose one that the author of the run did not know.
    rerun : bool
        Whether cells are run again; without that, only files and what is stated are checked.
    jobs : int
        How many tasks run at the same time.
    plugins : sequence of paths
        Single plugin files to load: those of the run.
    third_party : bool, optional
        As for :func:`pubench.run_suite`.
    progress : Progress, optional
        Is notified of each cell.

    Returns
    -------
    Verification

    Raises
    ------
    PubenchError
        If the folder is not a run folder, or a run is using it.

    Examples
    --------
    >>> results = pubench.run_suite("quickstart-smoke")
    >>> pubench.verify("runs/quickstart-smoke", sample=1).is_verified
    True
    """
    folder = Path(folder)
    if sample < 1:
        raise PubenchError(f"sample is {sample}; draw at least one cell, or leave the re-run out")
    if is_running(folder):
        raise RunFolderError(f"{folder} is still in use by a run; verify it when the run has ended")
    try:
        plan = read_plan(folder)
    except DamagedFileError as error:
        return Verification(folder, 0, 0, problems=(str(error),))
    results = read_results(folder)
    finished = sum(Status(row["status"]).is_finished for row in results.rows)
    limited = limited_cells(results, None, (), None)
    found = Verification(folder, finished, len(results.rows), seed=seed, limited=limited)
    problems = (*check_files(folder), *check_provenance(folder, plan))
    # A suite that was altered, or is missing, is among the problems of files.
    problems = problems or tuple(suite_problems(folder, plan, read_suite(folder)))
    if not finished:
        problems += (f"{folder} has no finished cell; run its suite first",)
    if problems or not rerun:
        return replace(found, problems=problems)
    options = _Rerun(sample, Execution(jobs), tuple(plugins), third_party, progress)
    return _run_again(found, plan, results, options)


@dataclass(frozen=True, slots=True)
class _Rerun:
    sample: int
    execution: Execution
    plugins: tuple[str | Path, ...]
    third_party: bool | None
    progress: Progress | None

    def note(self, text: str) -> None:
        """Hand on a sentence that the user should read."""
        if self.progress is not None:
            self.progress.note(text)


def _run_again(found: Verification, plan: Plan, results: Results, options: _Rerun) -> Verification:
    """Run a sample of the cells again, if they are defined here as they were there."""
    folder = found.folder
    registry = discover(third_party=options.third_party, files=options.plugins)
    try:
        planned = plan_again(folder, registry, options.plugins)
    except PubenchError as error:
        remedy = "give its plugin files with --plugin, and the folder of its data with --data"
        sentence = f"the suite of {folder} cannot be planned here, {remedy}: {error}"
        return replace(found, problems=(sentence, *software_differences(folder, registry)))
    problems = plan_problems(folder, plan, results.plan.metrics, planned)
    if problems:
        return replace(found, problems=(*problems, *software_differences(folder, registry)))
    keys = sampled_keys(results, planned, options.sample, found.seed)
    with Workers(options.execution, options.note) as workers:
        again = run_again(folder, planned, keys, registry, workers, options.progress)
    exact = is_exact(folder, results, keys)
    limited = limited_cells(results, again.results, keys, planned)
    differences = (
        *row_differences(results, again.results, exact=exact),
        *detail_differences(read_computed(folder), again, exact=exact),
        *limited.problems,
    )
    if differences:
        differences += tuple(software_differences(folder, registry))
    return replace(found, rerun=tuple(sorted(keys)), exact=exact, limited=limited, problems=differences)
