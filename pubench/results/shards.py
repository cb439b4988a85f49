"""Run folders of shards: which part of a plan a folder is for, and what readers are told of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pubench.errors import PubenchError, RunFolderError, counted
from pubench.plan.jobs import Plan, Shard
from pubench.plan.planning import ExecutionPlan
from pubench.plan.shards import partition, restricted
from pubench.results.costs import read_costs
from pubench.results.run_folder import read_plan

__all__ = ["folder_name", "folder_part", "part_sentence", "stored_plan"]


def folder_name(suite: str, asked: tuple[int, int] | None) -> str:
    """Return the name of the run folder of a suite, or of one of its shards, where none is given."""
    return suite if asked is None else f"{suite}-shard-{asked[0]}-of-{asked[1]}"


def folder_part(
    folder: Path, planned: ExecutionPlan, asked: tuple[int, int] | None, costs: Path | None
) -> ExecutionPlan:
    """Return the part of a plan that is run into a folder.

    A folder keeps its part as long as the cells of the plan stay the same, whatever happens to the costs.

    Parameters
    ----------
    folder : Path
    planned : ExecutionPlan
        Of the whole suite.
    asked : tuple of int or None
        The number of the shard, and how many there are; None for the whole plan.
    costs : Path, optional
        The folder of an earlier run that says what cells cost.

    Raises
    ------
    RunFolderError
        If the folder holds another shard, or a shard where the whole is asked for, or the other way round.
    """
    if asked is None and costs is not None:
        raise PubenchError("costs balance shards; give --shard too, or leave out --costs")
    stored = stored_plan(folder)
    if stored is not None:
        _refuse_other_part(folder, stored.shard, asked)
    if asked is None:
        return planned
    if stored is not None and stored.shard is not None and _keys(stored) == _keys(planned.plan):
        return restricted(planned, stored.shard)
    number, of = asked
    cost = None if costs is None else read_costs(costs).of
    return restricted(planned, Shard(number, of, partition(planned, of, cost)[number - 1]))


def stored_plan(folder: Path) -> Plan | None:
    """Return the plan that a folder holds; None if there is none that can be read."""
    if not (folder / "plan.json").exists():
        return None
    try:
        return read_plan(folder)
    except RunFolderError:
        # Damaged, or of another version: the run writes it again.
        return None


def _keys(plan: Plan) -> set[str]:
    return {cell.key for cell in plan.cells}


def _refuse_other_part(folder: Path, stored: Shard | None, asked: tuple[int, int] | None) -> None:
    if stored is None and asked is not None:
        raise RunFolderError(
            f"{folder} holds a run of a whole suite, not shard {asked[0]} of {asked[1]}; choose another --out"
        )
    if stored is not None and asked != (stored.number, stored.of):
        raise RunFolderError(
            f"{folder} holds {stored}; continue it with --shard {stored.number}/{stored.of}, or choose another --out"
        )


def part_sentence(plans: Sequence[Plan]) -> str:
    """Say which part of a suite the plans of some folders are, and how to get the whole; empty if it is the whole."""
    shards = [plan.shard for plan in plans if plan.shard is not None]
    if len(shards) < len(plans) or any(plan.cells != plans[0].cells for plan in plans):
        return ""
    total = len(plans[0].cells)
    found = frozenset[str]().union(*(shard.keys for shard in shards))
    count = sum(1 for cell in plans[0].cells if cell.key in found)
    if count == total:
        return "" if len(shards) > 1 else f"{_listed(shards)}: all of {counted(total, 'cell')}."
    return f"{_listed(shards)}: {count} of {counted(total, 'cell')}; see pubench merge."


def _listed(shards: Sequence[Shard]) -> str:
    texts = []
    for of in sorted({shard.of for shard in shards}):
        numbers = sorted({shard.number for shard in shards if shard.of == of})
        noun = "shard" if len(numbers) == 1 else "shards"
        texts.append(f"{noun} {', '.join(map(str, numbers))} of {of}")
    text = "; ".join(texts)
    return text[0].upper() + text[1:]
