"""Shards: parts of a plan that run separately, on machines that need not know of each other.

Every shard computes the whole partition and takes its part. So the partition follows from the plan, and from costs
that are the same for all shards, alone.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from pubench.errors import PubenchError
from pubench.plan.jobs import Job, Shard
from pubench.plan.planning import ExecutionPlan
from pubench.plan.work import distinct_jobs, expected_work

__all__ = ["MOST_SHARDS", "parse_shard", "partition", "restricted"]

MOST_SHARDS = 10_000


def parse_shard(text: str) -> tuple[int, int]:
    """Return the number of a shard, and how many there are, from a text such as ``3/20``."""
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    number, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= of <= MOST_SHARDS:
        raise PubenchError(
            f"{text!r} is not a shard; give its number and how many there are, for example 3/20: "
            f"numbers begin at 1, and there are at most {MOST_SHARDS} shards"
        )
    return number, of


def partition(
    planned: ExecutionPlan, of: int, cost: Callable[[Job], float] | None = None
) -> tuple[frozenset[str], ...]:
    """Return the keys of the cells of each shard: each key is in one of them.

    Cells of one job stay together, and so do jobs that have a cell in common. The most expensive go first, each to the
    shard with the least to do.

    Parameters
    ----------
    planned : ExecutionPlan
    of : int
        How many shards there are.
    cost : callable, optional
        The expected cost of a job, in any unit; default: `pubench.plan.work.expected_work`.
    """
    parts: list[set[str]] = [set() for _ in range(of)]
    queue = [(0.0, 0, index) for index in range(of)]
    for group in _groups(planned.jobs, cost or expected_work):
        load, count, index = heapq.heappop(queue)
        parts[index] |= group.keys
        heapq.heappush(queue, (load + group.cost, count + len(group.keys), index))
    # Skipped cells, and those without data, cost nothing.
    free = {cell.key for cell in planned.plan.cells}.difference(*parts)
    for number, key in enumerate(sorted(free)):
        parts[number % of].add(key)
    return tuple(map(frozenset, parts))


def restricted(planned: ExecutionPlan, shard: Shard) -> ExecutionPlan:
    """Return the plan of one shard: the jobs and cells of its keys."""
    return replace(
        planned,
        plan=replace(planned.plan, shard=shard),
        jobs=tuple(job for job in planned.jobs if job.cells[0].key in shard.keys),
        without_data={key: error for key, error in planned.without_data.items() if key in shard.keys},
    )


@dataclass(frozen=True, slots=True)
class _Group:
    """Keys of cells that stay together, and what they cost."""

    keys: frozenset[str]
    cost: float


def _groups(jobs: Sequence[Job], cost: Callable[[Job], float]) -> list[_Group]:
    """Return the groups of a plan's jobs, the most expensive first; equal ones by key."""
    once = distinct_jobs(jobs)
    costs: dict[frozenset[str], float] = {}
    together = _connected(once)
    for keys, job in once.items():
        group = together[keys[0]]
        costs[group] = costs.get(group, 0.0) + cost(job)
    groups = [_Group(keys, total) for keys, total in costs.items()]
    return sorted(groups, key=lambda group: (-group.cost, min(group.keys)))


def _connected(bundles: Iterable[Sequence[str]]) -> dict[str, frozenset[str]]:
    """Return for each key all keys that bundles with a key in common connect it with."""
    groups: dict[str, frozenset[str]] = {}
    for bundle in bundles:
        group = frozenset(bundle).union(*(groups[key] for key in bundle if key in groups))
        groups |= dict.fromkeys(group, group)
    return groups
