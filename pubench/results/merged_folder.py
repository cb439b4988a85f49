"""Run folders of one suite, for example its shards, put together in one folder, from which the run can go on."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from pubench.errors import DamagedFileError, RunFolderError, StoreError, be, counted
from pubench.plan.jobs import Cell
from pubench.results.draws import difference_of_draws
from pubench.results.lock import is_running, locked
from pubench.results.predictions import PackedPredictions, read_packed
from pubench.results.record import MEASURED, EvaluatedTrial, Record, RescoredValue, StoredTrial
from pubench.results.run_content import RunContent, read_content
from pubench.results.run_folder import read_suite_text, write_plan, write_provenance
from pubench.results.store import Store
from pubench.results.table import Results, read_results

__all__ = ["MergedFolder", "merge_folders"]

_PARTS = ("suite", "description", "metrics", "shown", "report", "paper")
_NAMED = 5
"""How many missing cells a merge names."""


@dataclass(frozen=True, slots=True)
class MergedFolder:
    """What came of a merge.

    Attributes
    ----------
    results : Results
        Of the merged folder.
    conflicts : tuple of str
        One sentence for each cell of which two folders have different results, times aside.
    notes : tuple of str
        What else a reader should know: damaged records, runs that go on, what is not finished.
    """

    results: Results
    conflicts: tuple[str, ...]
    notes: tuple[str, ...]


def merge_folders(folders: Sequence[Path], out: Path) -> MergedFolder:
    """Put the run folders of one suite together.

    The first record of a cell wins, in the order of the folders. A new folder appears whole or not at all. A run folder
    of the same suite gets what it lacks; its own records stay.

    Raises
    ------
    RunFolderError
        If a folder is no run folder, two of them are not of the same suite with the same cells, or ``out`` holds
        something else.
    StoreError
        If the merged folder cannot be written.
    """
    sources = [read_content(folder) for folder in dict.fromkeys(folders)]
    for other in sources[1:]:
        _refuse_other_plan(sources[0], other)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        return _add(sources, out)
    try:
        lost = _create(sources, out)
    except (OSError, StoreError) as error:
        # Not the name of the temporary folder, which is gone.
        cause = error.__context__ if isinstance(error, StoreError) else error
        reason = getattr(cause, "strerror", None) or str(error)
        blocked = isinstance(cause, FileExistsError | NotADirectoryError)
        remedy = "a folder on the way to it is a file; choose" if blocked else "make room, or choose"
        raise StoreError(f"cannot write {out}: {reason}; {remedy} another --out") from None
    return _merged(sources, sources, out, lost)


def _create(sources: Sequence[RunContent], out: Path) -> list[str]:
    out.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name[:40]}."))
    try:
        os.chmod(temporary, 0o755)
        plan = replace(sources[0].plan, shard=None)
        write_plan(temporary, plan, read_suite_text(sources[0].folder))
        lost = _fill(temporary, sources)
        os.rename(temporary, out)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return lost


def _add(sources: Sequence[RunContent], out: Path) -> MergedFolder:
    """Append to a run folder what it lacks: a merge that is killed in between is completed by the next one."""
    if not out.is_dir():
        raise RunFolderError(f"{out} is not a folder; choose another --out")
    with locked(out):
        known = read_content(out)
        if known.plan.shard is not None:
            raise RunFolderError(f"{out} holds {known.plan.shard}; choose another --out")
        _refuse_other_plan(known, sources[0])
        others = [source for source in sources if source.folder.resolve() != out.resolve()]
        lost = _fill(out, [known, *others], have=known)
    return _merged([known, *others], others, out, lost)


def _fill(folder: Path, sources: Sequence[RunContent], have: RunContent | None = None) -> list[str]:
    """Write what the sources hold into a folder that already has the content of one of them; return what was lost."""
    lost: list[str] = []
    entries = [entry for source in sources for entry in source.provenance]
    write_provenance(folder, [entry for number, entry in enumerate(entries) if entry not in entries[:number]])
    store = Store(folder)
    try:
        for key, trial in _trials(sources).items():
            if have is None or key not in have.trials:
                store.append_trial(trial)
        for source, judged in _evaluated(sources):
            if source is not have:
                packed = _packed(source, judged.prediction_key, lost)
                store.append_evaluated(msgspec.structs.replace(judged, predictions=packed))
        for source, record in _winners(sources):
            if source is not have:
                inside, packed = source.inside.get(record.key), _packed(source, record.key, lost)
                store.append(msgspec.structs.replace(record, inside=inside, predictions=packed))
        for value in _rescored(sources).values():
            if have is None or value.key not in have.rescored:
                store.append_rescored(value)
    finally:
        store.close()
    return lost


def _packed(source: RunContent, key: str, lost: list[str]) -> PackedPredictions | None:
    """Return the predictions of a cell; those that cannot be read are lost, and the merge goes on."""
    line = source.predictions.get(key)
    if line is None:
        return None
    try:
        return read_packed(source.folder, line)
    except (DamagedFileError, RunFolderError) as error:
        lost.append(str(error))
        return None


def _rescored(sources: Sequence[RunContent]) -> dict[tuple[str, str], RescoredValue]:
    """Return the metrics that were added to cells after their run, from folders that have the result that is kept."""
    kept = {record.key: _result(record) for _, record in _winners(sources)}
    found: dict[tuple[str, str], RescoredValue] = {}
    for source in reversed(sources):
        same = {key for key, record in source.records.items() if _result(record) == kept[key]}
        found |= {key: value for key, value in source.rescored.items() if value.cell in same}
    return found


def _winners(sources: Sequence[RunContent]) -> Iterator[tuple[RunContent, Record]]:
    """Yield the first record of each cell, in the order of the plan, and where it comes from."""
    planned = (cell.key for cell in sources[0].plan.cells)
    # Records of an earlier form of the suite are kept: it may come back.
    for key in dict.fromkeys([*planned, *(key for source in sources for key in source.records)]):
        found = ((source, source.records[key]) for source in sources if key in source.records)
        yield from [first] if (first := next(found, None)) is not None else []


def _trials(sources: Sequence[RunContent]) -> dict[tuple[str, int], StoredTrial]:
    """Return each trial once: from the folder whose record it led to, else from the first that has it."""
    led = {(record.search, id(source)) for source, record in _winners(sources)}
    found: dict[tuple[str, int], StoredTrial] = {}
    for source in sources:
        found |= {key: trial for key, trial in source.trials.items() if (trial.search, id(source)) in led}
    for source in sources:
        found = source.trials | found
    return dict(sorted(found.items()))


def _evaluated(sources: Sequence[RunContent]) -> list[tuple[RunContent, EvaluatedTrial]]:
    """Return each trial that was judged on test rows once, from the first folder that has it."""
    found: dict[tuple[str, int], tuple[RunContent, EvaluatedTrial]] = {}
    for source in sources:
        for key, judged in source.evaluated.items():
            found.setdefault(key, (source, judged))
    return list(found.values())


def _refuse_other_plan(first: RunContent, other: RunContent) -> None:
    where = f"{first.folder} and {other.folder} do not belong together"
    remedy = "merge runs of the same suite file with the same data and plugins"
    for name in _PARTS:
        if getattr(first.plan, name) != getattr(other.plan, name):
            raise RunFolderError(f"{where}: their suites differ in '{name}'; {remedy}")
    drawn = difference_of_draws(first.plan, other.plan)
    if drawn:
        raise RunFolderError(
            f"{where}: they draw different splits of {drawn}; run both with the same suite file, seed and data, or "
            "look at what they have in common with pubench compare"
        )
    if first.plan.cells != other.plan.cells:
        differing = {*first.plan.cells} ^ {*other.plan.cells}
        plans = first.plan.cells, other.plan.cells
        cell = next((cell for cells in plans for cell in cells if cell in differing), plans[0][0])
        raise RunFolderError(f"{where}: they plan different cells, for example {_name(cell)}; {remedy}")


def _merged(
    sources: Sequence[RunContent], added: Sequence[RunContent], out: Path, lost: Sequence[str]
) -> MergedFolder:
    notes = [problem for source in added for problem in source.problems] + list(lost)
    notes += [
        f"{one.folder} is still in use by a run; merge again later" for one in added if is_running(one.folder)
    ]
    notes += _unfinished(sources)
    return MergedFolder(read_results(out), tuple(_conflicts(sources)), tuple(notes))


def _conflicts(sources: Sequence[RunContent]) -> Iterator[str]:
    names = {cell.key: _name(cell) for cell in sources[0].plan.cells}
    for winner, record in _winners(sources):
        for other in sources:
            if record.key in other.records and _result(other.records[record.key]) != _result(record):
                yield (
                    f"{winner.folder} and {other.folder} have different results for "
                    f"{names.get(record.key, record.key)}; that of {winner.folder} is kept"
                )


def _result(record: Record) -> Record:
    """Return a record without what differs from run to run."""
    measured = dict.fromkeys(MEASURED)
    return msgspec.structs.replace(record, **measured, traceback="", output="", inside=None)


def _name(cell: Cell) -> str:
    names = (cell.dataset, cell.labelling, cell.algorithm, cell.criterion, f"replicate {cell.replicate}")
    return ", ".join(name for name in names if name)


def _unfinished(sources: Sequence[RunContent]) -> Iterator[str]:
    """Say what is missing: shards that were not given, and cells that have no record."""
    finished = {key for source in sources for key in source.records}
    shards = [source.plan.shard for source in sources if source.plan.shard is not None]
    if len(shards) == len(sources) and len({shard.of for shard in shards}) == 1:
        absent = sorted({*range(1, shards[0].of + 1)} - {shard.number for shard in shards})
        if absent:
            yield f"missing shards of {shards[0].of}: {', '.join(map(str, absent))}"
    else:
        missing = [cell for cell in sources[0].plan.cells if not cell.skip and cell.key not in finished]
        named = [_name(cell) for cell in missing[:_NAMED]]
        if len(missing) > _NAMED:
            named.append(f"and {counted(len(missing) - _NAMED, 'more cell')}")
        if missing:
            yield f"missing cells: {'; '.join(named)}"
    for source in sources:
        left = {cell.key for cell in source.plan.own_cells if not cell.skip} - finished
        if left and source.plan.shard is not None:
            yield f"{source.folder}, {source.plan.shard}: {counted(len(left), 'cell')} {be(len(left))} not finished"
