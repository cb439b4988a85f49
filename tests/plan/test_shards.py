"""Shards: every cell in one of them, jobs whole, and the same parts wherever they are computed."""

from dataclasses import replace

import pytest
from helpers.recorded import plan_recorded
from helpers.suites import plan

from pubench.errors import PubenchError
from pubench.plan.jobs import Shard
from pubench.plan.shards import MOST_SHARDS, parse_shard, partition, restricted
from pubench.plan.work import expected_work
from pubench.plugins.discovery import discover

# With prior factors, cells that use no prior have one key in several jobs.
SHARED = {
    "replicates": 3,
    "algorithms": [
        {"use": "toy", "tune": True, "search": {"shift": {"low": 0.0, "high": 1.0}}},
        {"use": "toy", "name": "plain"},
    ],
    "prior": {"factors": [0.5, 1.0]},
    "tuning": {"criteria": ["puf", "pu-risk"], "sampler": "random", "trials": 3, "folds": 2},
}


@pytest.fixture(scope="module")
def planned():
    return plan(**SHARED)


def test_a_shard_is_a_number_and_a_count():
    assert parse_shard("3/20") == (3, 20)
    assert parse_shard("1/1") == (1, 1)


@pytest.mark.parametrize(
    "text", ["0/3", "4/3", "x", "", "1", "1/", "1/2/3", "-1/3", " 1/3", "1/0", f"1/{MOST_SHARDS + 1}"]
)
def test_what_is_no_shard_is_refused_in_one_sentence(text):
    with pytest.raises(
        PubenchError, match="is not a shard; give its number and how many there are"
    ) as refused:
        parse_shard(text)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("of", [1, 2, 3, 7, 100])
def test_every_cell_is_in_one_shard_and_every_job_is_whole(planned, of):
    parts = partition(planned, of)
    keys = [cell.key for cell in planned.plan.cells]
    assert len(parts) == of
    assert sorted(key for part in parts for key in part) == sorted(set(keys))
    shards = [restricted(planned, Shard(i, of, part)) for i, part in enumerate(parts, start=1)]
    assert sorted(id(job) for shard in shards for job in shard.jobs) == sorted(map(id, planned.jobs))
    for shard in shards:
        assert {cell.key for job in shard.jobs for cell in job.cells} <= shard.plan.shard.keys


def test_the_parts_do_not_depend_on_the_order_of_the_plan(planned):
    turned = replace(
        planned, jobs=planned.jobs[::-1], plan=replace(planned.plan, cells=planned.plan.cells[::-1])
    )
    assert partition(turned, 3) == partition(planned, 3)


def test_skipped_cells_and_cells_without_data_are_in_a_shard_too():
    planned = plan_recorded("quickstart", discover(third_party=False))
    lost = replace(planned, jobs=(), without_data={cell.key: "no data" for cell in planned.plan.cells})
    parts = partition(lost, 5)
    assert set().union(*parts) == {cell.key for cell in planned.plan.cells}
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    shard = restricted(lost, Shard(1, 5, parts[0]))
    assert set(shard.without_data) == parts[0]


@pytest.mark.parametrize("of", [2, 5])
def test_loads_differ_by_at_most_one_group(of):
    planned = plan_recorded("quickstart", discover(third_party=False))
    parts = partition(planned, of)
    loads = [sum(expected_work(job) for job in planned.jobs if job.cells[0].key in part) for part in parts]
    assert max(loads) - min(loads) <= max(map(expected_work, planned.jobs))


def test_costs_outweigh_what_the_plan_says(planned):
    dear = planned.jobs[-1]
    parts = partition(planned, 2, lambda job: 1000.0 if job is dear else 1.0)
    (with_dear,) = [part for part in parts if dear.cells[0].key in part]
    others = [job for job in planned.jobs if job.cells[0].key in with_dear]
    group = [job for job in others if {c.key for c in job.cells} & {c.key for c in dear.cells}]
    assert len(group) == len(others)
