"""The suite of a run folder, planned and run again in part: what a run must follow from."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pubench.plan.jobs import Shard
from pubench.plan.planning import ExecutionPlan, plan_suite
from pubench.plan.shards import restricted
from pubench.plugins.registry import Registry
from pubench.results.predictions import StoredPredictions
from pubench.results.provenance import gather
from pubench.results.record import ModelRecord, TrialRecord
from pubench.results.run_folder import read_provenance, read_source, read_suite, read_suite_text, write_plan
from pubench.results.store import read_inside, read_predictions_index
from pubench.results.table import Results, read_results
from pubench.results.trials import read_judged, read_trials
from pubench.run.backends import Workers
from pubench.run.driver import Progress
from pubench.run.folder import run_folder
from pubench.specs import JSONValue
from pubench.status import Status

__all__ = [
    "AT_A_LIMIT",
    "REPEATABLE",
    "Computed",
    "plan_again",
    "read_computed",
    "run_again",
    "sampled_keys",
    "software_differences",
]

REPEATABLE = (Status.OK, Status.FAILED)
"""What ends in the same way on every machine."""
AT_A_LIMIT = (Status.TIMEOUT, Status.CRASHED, Status.OUT_OF_MEMORY)
"""What may end in another way elsewhere, because a machine is faster or has more memory."""


def plan_again(folder: Path, registry: Registry, plugins: Sequence[str | Path]) -> ExecutionPlan:
    """Plan the suite of a run folder again; data files are looked for where the suite was, or else in the folder."""
    source = read_source(folder)
    if not Path(source).exists():
        source = str(folder / "suite.toml")
    files = [str(Path(file).resolve()) for file in plugins]
    return plan_suite(read_suite(folder), registry, source=source, files=files)


@dataclass(frozen=True, slots=True)
class Computed:
    """What a run folder holds of its cells: rows, the introspection of models, trials, and digests of predictions.

    ``judged`` has the metrics of trials on test rows, by the key of a cell and the number of the trial.
    """

    results: Results
    inside: Mapping[str, ModelRecord]
    trials: Mapping[str, tuple[TrialRecord, ...]]
    judged: Mapping[str, Mapping[int, Mapping[str, float | None]]]
    predictions: Mapping[str, StoredPredictions]


def read_computed(folder: Path) -> Computed:
    """Read what a run folder holds of its cells."""
    return Computed(
        read_results(folder),
        read_inside(folder),
        read_trials(folder),
        read_judged(folder),
        read_predictions_index(folder)[0],
    )


def sampled_keys(results: Results, planned: ExecutionPlan, sample: int, seed: int) -> frozenset[str]:
    """Draw so many cells that can be repeated, and so many that ended at a limit, with those that share a search."""
    rng = np.random.default_rng(seed)
    ended: set[str] = set()
    drawn: set[str] = set()
    for statuses in (REPEATABLE, AT_A_LIMIT):
        keys = list(dict.fromkeys(row["key"] for row in results.rows if row["status"] in statuses))
        ended.update(keys)
        drawn.update(keys[place] for place in rng.permutation(len(keys))[:sample].tolist())
    together = [{cell.key for cell in job.cells} for job in planned.jobs]
    return frozenset(key for group in together if group & drawn for key in group if key in ended)


def run_again(
    folder: Path,
    planned: ExecutionPlan,
    keys: frozenset[str],
    registry: Registry,
    workers: Workers,
    progress: Progress | None,
) -> Computed:
    """Run some cells in a temporary folder, from nothing, and return what came of them."""
    jobs = [job for job in planned.jobs if any(cell.key in keys for cell in job.cells)]
    part = restricted(planned, Shard(1, 1, frozenset(cell.key for job in jobs for cell in job.cells)))
    with tempfile.TemporaryDirectory(prefix="pubench-verify-") as name:
        temporary = Path(name)
        write_plan(temporary, part.plan, read_suite_text(folder))
        run_folder(temporary, part, registry, workers, retry_failed=False, progress=progress)
        return read_computed(temporary)


def software_differences(folder: Path, registry: Registry) -> Iterator[str]:
    """Say in one sentence which versions of the last run into a folder are not those here."""
    entries = read_provenance(folder)
    there = _versions(entries[-1]) if entries else {}
    here = _versions(gather(registry, {}, {}))
    differ = [
        f"{name} {there.get(name, 'none')} there, {here.get(name, 'none')} here"
        for name in dict.fromkeys((*there, *here))
        if there.get(name) != here.get(name)
    ]
    if differ:
        yield f"{folder}: versions differ, which may be the cause: {'; '.join(differ)}"


def _versions(entry: JSONValue) -> dict[str, str]:
    """Return the software of an entry of the provenance, by name."""
    if not isinstance(entry, dict):
        return {}
    packages, plugins = entry.get("packages"), entry.get("plugins")
    found = {name: str(entry.get(name, "none")) for name in ("python", "arithmetic")}
    found |= {name: str(value) for name, value in packages.items()} if isinstance(packages, dict) else {}
    for plugin in plugins if isinstance(plugins, list) else ():
        if isinstance(plugin, dict):
            found[f"plugin {plugin.get('plugin')}"] = str(plugin.get("version"))
    return found
