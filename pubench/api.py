"""The toolkit from Python: estimators and data sets by name, whole suites, and their reports."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pubench.data import refuse_in_child
from pubench.data.loading import as_loaded, load_stored
from pubench.data.values import Data
from pubench.errors import DataError, RunFolderError
from pubench.plan.datasets import problem_card, with_paths
from pubench.plan.planning import ExecutionPlan, plan_suite
from pubench.plugins.discovery import discover
from pubench.plugins.imports import resolve
from pubench.plugins.registry import Registry
from pubench.results.lock import locked
from pubench.results.provenance import gather
from pubench.results.record import Record
from pubench.results.run_folder import (
    cards_of,
    read_provenance,
    repair_provenance,
    write_plan,
    write_provenance,
)
from pubench.results.store import Store, read_records, read_searches, repair, set_aside
from pubench.results.table import Results, read_results
from pubench.run import Execution, Progress, TaskProgress, pending_jobs, run_jobs
from pubench.specs import JSONValue
from pubench.status import Problem, Status
from pubench.suite import load_suite, suite_text

__all__ = ["load_dataset", "make", "report", "run_suite"]


def make(name: str, **params: object) -> Any:  # edge: scikit-learn ships no types
    """Return a new scikit-learn estimator by its registered name.

    Parameters
    ----------
    name : str
        For example ``"wlr"``; ``pubench list algorithms`` shows what there is.
    **params
        Parameters of the estimator; they outrank those that the plugin's entry fixes.

    Examples
    --------
    >>> model = pubench.make("wlr", c=0.1).fit(X, s)  # doctest: +SKIP
    """
    spec = discover().algorithm(name).spec
    return resolve(spec.estimator)(**{**spec.params, **params})


def load_dataset(name: str, **params: JSONValue | os.PathLike[str]) -> Data:
    """Return a data set by its registered name, with its true classes: ``X`` (n, d) and ``target`` (n,).

    Parameters
    ----------
    name : str
        For example ``"iris"``; ``pubench list datasets`` shows what there is.
    **params
        Its arguments, as under ``params`` in a suite. Files are relative to the current folder.

    Returns
    -------
    Data
        Rows in the order in which they are loaded. They come from the cache if it holds them; suites use the same.
    """
    refuse_in_child()
    registered = discover().dataset(name)
    plain: dict[str, JSONValue] = {
        key: os.fspath(value) if isinstance(value, os.PathLike) else value for key, value in params.items()
    }
    arguments = with_paths(registered.spec, plain, Path.cwd())
    try:
        json.dumps(arguments)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"data set '{name}': arguments are texts, numbers, lists and tables: {error}"
        ) from None
    return as_loaded(load_stored(registered, arguments))


def run_suite(
    suite: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    backend: str = "loky",
    address: str | None = None,
    retry_failed: bool = False,
    force: bool = False,
    plugins: Sequence[str | Path] = (),
    third_party: bool | None = None,
    progress: Progress | None = None,
) -> Results:
    """Run a suite, or go on with it, and return its results.

    Parameters
    ----------
    suite : str or path
        A TOML file, or the name of a bundled suite.
    out : path, optional
        The run folder; ``runs/<name of the suite>`` by default. Cells that it already holds are not run again.
    jobs : int
        How many cells run at the same time. Results do not depend on it.
    backend, address : str
        joblib's backend (``loky``, ``threading``, ``dask``, ``ray``) and the address of a cluster.
    retry_failed : bool
        Run again what ended as failed, timeout, crashed or out-of-memory.
    force : bool
        Run everything again; earlier records are kept under another name.
    plugins : sequence of paths
        Single plugin files to load.
    third_party : bool, optional
        Whether plugins of other distributions are loaded; see :func:`pubench.plugins.discovery.discover`.
    progress : Progress, optional
        Is notified of each cell.
    """
    execution = Execution(jobs, backend, address)
    text, parsed = suite_text(suite), load_suite(suite)
    registry = discover(third_party=third_party, files=plugins)
    if progress is not None:
        for warning in registry.warnings():
            progress.note(warning)
    files = [str(Path(file).resolve()) for file in plugins]
    planned = plan_suite(parsed, registry, source=os.fspath(suite), files=files)
    folder = Path(out) if out is not None else Path("runs") / parsed.name
    with locked(folder):
        if force:
            set_aside(folder)
        write_plan(folder, planned.plan, text)
        for problem in (*repair(folder), *repair_provenance(folder)):
            if progress is not None:
                progress.note(problem)
        _run(folder, planned, registry, execution, retry_failed=retry_failed, progress=progress)
    return read_results(folder)


def report(
    folders: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    formats: Sequence[str] = ("html", "markdown"),
    out: str | os.PathLike[str] | None = None,
) -> tuple[Path, ...]:
    """Write the report of a run, finished or not, or of several runs together.

    Parameters
    ----------
    folders : path or sequence of paths
        The run folder, as ``out`` of :func:`run_suite`; the runs of several folders are merged.
    formats : sequence of str
        One or more of ``html``, ``markdown``, ``csv`` and ``latex``; default: the two that every run leaves in its
        folder.
    out : path, optional
        The folder for the files, which is made if it does not exist; default: the first run folder.

    Returns
    -------
    tuple of Path
        The files that were written. Each is written whole or not at all.

    Raises
    ------
    PubenchError
        If a format is unknown, a folder is not a run folder, or two runs contradict each other.

    Examples
    --------
    >>> pubench.report("runs/quickstart", formats=("html", "latex"))  # doctest: +SKIP
    >>> pubench.report(["runs/mine", "runs/theirs"], formats=["csv"], out="report")  # doctest: +SKIP
    """
    from pubench.reporting import read_runs, report_of, write_report

    paths = [Path(folders)] if isinstance(folders, str | os.PathLike) else [Path(one) for one in folders]
    if not paths:
        raise RunFolderError("there is no run to report: give at least one run folder")
    made = report_of(read_runs(paths), paths)
    return write_report(made, Path(out) if out is not None else paths[0], formats)


def _run(
    folder: Path,
    planned: ExecutionPlan,
    registry: Registry,
    execution: Execution,
    *,
    retry_failed: bool,
    progress: Progress | None,
) -> None:
    records, _ = read_records(folder)
    jobs = pending_jobs(planned, records, retry_failed=retry_failed)
    open_cells = sum(len(job.cells) for job in jobs)
    failed = {key: error for key, error in planned.without_data.items() if retry_failed or key not in records}
    if progress is not None:
        runnable = len({cell.key for cell in planned.plan.cells if not cell.skip})
        progress.begin(runnable, runnable - open_cells - len(failed))
    cards = {
        label: problem_card(registry.dataset(data.stored.name), data) for label, data in planned.data.items()
    }
    known = read_provenance(folder)
    if not jobs and not failed and cards.keys() <= cards_of(known).keys():
        return
    options: dict[str, JSONValue] = {"jobs": execution.jobs, "backend": execution.backend}
    if jobs:
        options["isolation"] = jobs[0].limits.isolation
    write_provenance(folder, [*known, gather(registry, cards, options)])
    store = Store(folder)
    try:
        _store_failed(planned, failed, store, progress)
        close = progress if isinstance(progress, TaskProgress) else None
        if close is not None:
            close.expect(jobs)
        run_jobs(
            jobs,
            store,
            execution,
            progress.done if progress is not None else lambda cell, record: None,
            trials=read_searches(folder) if any(job.tuning is not None for job in jobs) else {},
            retried=retry_failed,
            on_tasks=close.tasks if close is not None else None,
        )
    finally:
        store.close()


def _store_failed(
    planned: ExecutionPlan, failed: Mapping[str, str], store: Store, progress: Progress | None
) -> None:
    """Record the cells of data sets that cannot be loaded: they fail, the run goes on."""
    cells = {cell.key: cell for cell in planned.plan.cells if cell.key in failed}
    for key, cell in cells.items():
        record = Record.of_problem(key, Problem(Status.FAILED, failed[key]))
        store.append(record)
        if progress is not None:
            progress.done(cell, record)
