"""The suite of a run folder, planned and run again in part: what a run must follow from."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from pubench.plan.jobs import Cell, Plan, Shard
from pubench.plan.planning import ExecutionPlan, plan_suite
from pubench.plan.shards import restricted
from pubench.plugins.registry import Registry
from pubench.results.provenance import gather
from pubench.results.run_folder import read_provenance, read_source, read_suite, read_suite_text, write_plan
from pubench.results.table import Results, read_results
from pubench.run.backends import Workers
from pubench.run.driver import Progress
from pubench.run.folder import run_folder
from pubench.specs import JSONValue
from pubench.status import Status

__all__ = ["plan_again", "plan_problems", "run_again", "sampled_keys", "software_differences"]

_REPEATABLE = (Status.OK, Status.FAILED)
"""What ends in the same way on every machine; a limit of time or memory may not be reached elsewhere."""
_REMEDY = "install the versions that provenance.json names, and give the same data and plugin files"


def plan_again(folder: Path, registry: Registry, plugins: Sequence[str | Path]) -> ExecutionPlan:
    """Plan the suite of a run folder again; data files are looked for where the suite was, or else in the folder."""
    source = read_source(folder)
    if not Path(source).exists():
        source = str(folder / "suite.toml")
    files = [str(Path(file).resolve()) for file in plugins]
    return plan_suite(read_suite(folder), registry, source=source, files=files)


def plan_problems(folder: Path, plan: Plan, planned: ExecutionPlan) -> tuple[str, ...]:
    """Return why the cells of a folder are not those that its suite defines here, or cannot be run here."""
    fresh = {_names(cell): cell for cell in planned.plan.cells}
    problems = [*_other_cells(folder, plan, fresh)]
    for name, metric in plan.metrics.items():
        here = planned.plan.metrics.get(name)
        if here != metric:
            other = (
                "is unknown here"
                if here is None
                else f"is version {metric.version} there and {here.version} here"
            )
            problems.append(f"{folder}: metric '{name}' {other}, so its values cannot be checked; {_REMEDY}")
    failed = dict.fromkeys(planned.without_data.values())
    problems += [f"{folder}: its data cannot be loaded here: {reason}" for reason in failed]
    return tuple(problems)


def _other_cells(folder: Path, plan: Plan, fresh: dict[tuple[object, ...], Cell]) -> Iterator[str]:
    own = plan.own_cells
    other = [cell for cell in own if fresh.get(_names(cell)) != cell]
    absent = len(fresh) - len(plan.cells)
    if other:
        first = ", ".join(str(name) for name in _names(other[0]) if name is not None)
        yield (
            f"{folder}: {len(other)} of {len(own)} cells are not what its suite defines here, for example {first}: "
            f"data, versions or reasons to skip differ; {_REMEDY}"
        )
    elif absent:
        yield f"{folder}: its plan has {len(plan.cells)} cells and its suite defines {len(fresh)}; {_REMEDY}"


def _names(cell: Cell) -> tuple[object, ...]:
    return cell.dataset, cell.labelling, cell.replicate, cell.algorithm, cell.criterion


def sampled_keys(results: Results, planned: ExecutionPlan, sample: int, seed: int) -> frozenset[str]:
    """Draw cells that have ended and can be repeated, and add those that share a search with one of them."""
    ended = dict.fromkeys(row["key"] for row in results.rows if row["status"] in _REPEATABLE)
    keys = list(ended)
    places = np.random.default_rng(seed).permutation(len(keys))[:sample]
    drawn = {keys[place] for place in places.tolist()}
    together = [{cell.key for cell in job.cells} for job in planned.jobs]
    return frozenset(key for group in together if group & drawn for key in group if key in ended)


def run_again(
    folder: Path,
    planned: ExecutionPlan,
    keys: frozenset[str],
    registry: Registry,
    workers: Workers,
    progress: Progress | None,
) -> Results:
    """Run some cells in a temporary folder, from nothing, and return their rows."""
    jobs = [job for job in planned.jobs if any(cell.key in keys for cell in job.cells)]
    part = restricted(planned, Shard(1, 1, frozenset(cell.key for job in jobs for cell in job.cells)))
    with tempfile.TemporaryDirectory(prefix="pubench-verify-") as name:
        temporary = Path(name)
        write_plan(temporary, part.plan, read_suite_text(folder))
        run_folder(temporary, part, registry, workers, retry_failed=False, progress=progress)
        return read_results(temporary)


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
