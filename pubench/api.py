"""The toolkit from Python: estimators and data sets by name, whole suites, and their reports."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pubench.data import refuse_in_child
from pubench.data.loading import as_loaded, load_stored
from pubench.data.values import Data
from pubench.errors import DataError, PubenchError, RunFolderError, SuiteError
from pubench.plan.datasets import with_paths
from pubench.plan.jobs import Plan, SkippedCells
from pubench.plan.planning import plan_suite
from pubench.plan.reruns import reruns
from pubench.plan.scorers import resolve_scorer
from pubench.plan.shards import parse_shard
from pubench.plugins.discovery import discover, discover_once
from pubench.plugins.imports import resolve
from pubench.results.lock import locked
from pubench.results.run_folder import (
    read_plan,
    read_source,
    read_suite,
    repair_provenance,
    write_plan,
)
from pubench.results.shards import folder_name, folder_part, stored_plan
from pubench.results.store import RESCORED, is_new, read_endings, repair, set_aside
from pubench.results.table import Results, read_results
from pubench.run import Execution, Progress, Rescoring, Workers, rescore_cells, run_folder, store_maps
from pubench.specs import JSONValue
from pubench.suite import load_suite, suite_text
from pubench.suite.reporting import TableWidth

__all__ = ["load_dataset", "make", "report", "rescore", "run_suite"]

_SHOWN_REASONS = 10


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
    >>> model = pubench.make("wlr", c=0.1)
    >>> X, s = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 0])
    >>> model.fit(X, s).predict([[0.5], [4.5]])
    array([0, 1])
    """
    spec = discover_once().algorithm(name).spec
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

    Examples
    --------
    >>> pubench.load_dataset("iris").X.shape
    (150, 4)
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
    shard: str | None = None,
    costs: str | os.PathLike[str] | None = None,
    plugins: Sequence[str | Path] = (),
    third_party: bool | None = None,
    progress: Progress | None = None,
) -> Results:
    """Run a suite, or resume it, and return its results.

    Parameters
    ----------
    suite : str or path
        A TOML file, or the name of a bundled suite.
    out : path, optional
        The run folder; default: ``runs/<name of the suite>``, of a shard with ``-shard-3-of-20``. Its cells are kept.
    jobs : int
        How many tasks, trials of one search included, run at the same time. Results do not depend on it.
    backend, address : str
        Where they run (``loky``, ``threads``, ``dask``, ``ray``), and the address of a cluster.
    retry_failed : bool
        Run again what ended as failed, timeout, crashed or out-of-memory.
    force : bool
        Run everything again; earlier records are kept under another name.
    shard : str, optional
        Run only a part of the cells, for example ``"3/20"``: the third of twenty parts, which are the same on every
        machine. :func:`pubench.results.merged_folder.merge_folders` puts their folders together.
    costs : path, optional
        An earlier run folder, the same for all shards, whose times say how to balance them.
    plugins : sequence of paths
        Single plugin files to load.
    third_party : bool, optional
        Whether plugins of other distributions are loaded; see :func:`pubench.plugins.discovery.discover`.
    progress : Progress, optional
        Is notified of each cell.

    Examples
    --------
    >>> results = pubench.run_suite("quickstart-smoke")
    >>> results.rows[0]["status"]
    'ok'
    """
    execution = Execution(jobs, backend, address)
    asked = None if shard is None else parse_shard(shard)
    text, parsed = suite_text(suite), load_suite(suite)
    folder = Path(out) if out is not None else Path("runs") / folder_name(parsed.name, asked)
    note = progress.note if progress is not None else lambda text: None
    with Workers(execution, note) as workers:
        if is_new(folder):
            # There is work to do: workers make their imports while it is planned.
            workers.start_early(tuning=any(one.tune for one in parsed.algorithms))
        registry = discover(third_party=third_party, files=plugins, describe=workers.describe)
        for warning in registry.warnings():
            note(warning)
        files = [str(Path(file).resolve()) for file in plugins]
        planned = plan_suite(parsed, registry, source=os.fspath(suite), files=files)
        with locked(folder):
            planned = folder_part(folder, planned, asked, None if costs is None else Path(costs))
            for sentence in (
                *planned.advice,
                *_skipped(planned.plan.skipped),
                *_reruns(folder, planned.plan),
            ):
                note(sentence)
            if force:
                set_aside(folder)
            write_plan(folder, planned.plan, text, str(Path(suite).absolute()))
            for problem in (*repair(folder), *repair_provenance(folder)):
                note(problem)
            run_folder(folder, planned, registry, workers, retry_failed=retry_failed, progress=progress)
            store_maps(folder, planned, progress)
    return read_results(folder)


def _reruns(folder: Path, plan: Plan) -> tuple[str, ...]:
    """Say before a run which finished cells are run again, and why."""
    before = stored_plan(folder)
    if before is None or {cell.key for cell in plan.cells} <= {cell.key for cell in before.cells}:
        return ()
    finished = {key for key, end in read_endings(folder)[0].items() if end.status.is_finished}
    return tuple(reruns(before, plan, finished))


def _skipped(skipped: Sequence[SkippedCells]) -> Iterator[str]:
    """Say before a run what it leaves out, and why."""
    yield from map(str, skipped[:_SHOWN_REASONS])
    rest = sum(one.cells for one in skipped[_SHOWN_REASONS:])
    if rest:
        yield f"{rest} more {'cell is' if rest == 1 else 'cells are'} skipped: `pubench suite check` lists all reasons"


def report(
    folders: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    formats: Sequence[str] = ("html", "markdown"),
    out: str | os.PathLike[str] | None = None,
    width: TableWidth | None = None,
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
    width : {"column", "single", "page"}, optional
        The width of LaTeX tables, as ``width`` under ``[report]`` of a suite; default: what the suite says.

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
    >>> results = pubench.run_suite("quickstart-smoke")
    >>> [path.name for path in pubench.report("runs/quickstart-smoke", formats=["markdown"], out="report")]
    ['report.md']
    """
    from pubench.reporting import read_runs, report_of, write_report

    paths = [Path(folders)] if isinstance(folders, str | os.PathLike) else [Path(one) for one in folders]
    if not paths:
        raise RunFolderError("there is no run to report: give at least one run folder")
    made = report_of(read_runs(paths), paths, width)
    return write_report(made, Path(out) if out is not None else paths[0], formats)


def rescore(
    folder: str | os.PathLike[str],
    metrics: str | Sequence[str],
    *,
    plugins: Sequence[str | Path] = (),
    third_party: bool | None = None,
) -> Rescoring:
    """Add metrics to the finished cells of a run, from their stored predictions: nothing is fitted again.

    The run must have kept predictions (``[store] predictions = true`` in its suite). Cells that have a metric already
    keep it, so that a second call does nothing.

    Parameters
    ----------
    folder : path
        The run folder.
    metrics : str or sequence of str
        Names of metrics; for real PU data, of criteria.
    plugins : sequence of paths
        Single plugin files to load: those of the run, and of the metrics.
    third_party : bool, optional
        As for :func:`run_suite`.

    Returns
    -------
    Rescoring
        How many cells each metric was added to, and why it is missing elsewhere.

    Raises
    ------
    PubenchError
        If a metric is unknown, the folder is not a run folder or in use, or its suite cannot be planned any more.

    Examples
    --------
    >>> results = pubench.run_suite("quickstart-smoke")
    >>> pubench.rescore("runs/quickstart-smoke", "recall").missing
    {'recall': 0}
    """
    folder, names = Path(folder), dict.fromkeys([metrics] if isinstance(metrics, str) else metrics)
    if not names:
        raise PubenchError("there is no metric to add; name at least one")
    read_plan(folder)
    registry = discover(third_party=third_party, files=plugins)
    scorers = [resolve_scorer(name, registry) for name in names]
    files = [str(Path(file).resolve()) for file in plugins]
    with locked(folder):
        repaired = repair(folder, [RESCORED])
        try:
            planned = plan_suite(read_suite(folder), registry, source=read_source(folder), files=files)
        except SuiteError as error:
            raise SuiteError(
                f"{error}\n{folder}: to rescore it, give its plugin files with --plugin"
            ) from None
        found = rescore_cells(folder, planned, scorers)
    return replace(found, problems=(*repaired, *found.problems))
