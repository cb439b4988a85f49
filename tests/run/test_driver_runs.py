"""Running: the same bits whatever the number of workers, the backend or the order."""

from __future__ import annotations

import importlib.util

import pytest
from helpers.suites import plan, run

from pubench.errors import PubenchError
from pubench.results.export import export_text
from pubench.results.record import Record
from pubench.results.store import Store
from pubench.run import Execution
from pubench.run.backends import Finished
from pubench.run.backends.inline import Inline
from pubench.run.driver import pending_jobs, run_jobs
from pubench.status import Status

SUITE = {
    "replicates": 2,
    "datasets": [{"use": "toy-blobs"}, {"use": "toy-holed"}],
    "labellings": [
        {"scenario": "case-control", "positives": 10},
        {"scenario": "single-training-set", "frequency": 0.5, "mechanism": "sar"},
    ],
    "algorithms": [{"use": "toy-seeded", "tune": True}, {"use": "toy-prior"}, {"use": "pn-toy"}],
    "tuning": {"sampler": "tpe", "trials": 5, "folds": 2, "criteria": ["puf", "oracle-accuracy"]},
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    results = run(tmp_path_factory.mktemp("jobs1"), **SUITE)
    assert results.counts == {"ok": 32}
    return export_text(results, "json", times=False)


BACKENDS = [
    ("loky", 2),
    pytest.param("threads", 1, marks=pytest.mark.slow),
    pytest.param("threads", 2, marks=pytest.mark.slow),
    pytest.param(
        "dask",
        2,
        marks=[
            pytest.mark.slow,
            pytest.mark.skipif(
                importlib.util.find_spec("distributed") is None, reason="dask's distributed is not installed"
            ),
        ],
    ),
]


@pytest.mark.parametrize(("backend", "jobs"), BACKENDS)
def test_results_do_not_depend_on_workers_or_backend(tmp_path, expected, backend, jobs):
    found = run(tmp_path, jobs=jobs, backend=backend, **SUITE)
    assert export_text(found, "json", times=False) == expected


@pytest.mark.slow
def test_results_do_not_depend_on_the_order_or_on_what_ran_before(tmp_path, expected):
    backwards = SUITE | {name: SUITE[name][::-1] for name in ("datasets", "labellings", "algorithms")}
    for part in (backwards | {"replicates": 1}, backwards, SUITE):
        found = run(tmp_path, **part)
    assert export_text(found, "json", times=False) == expected


def test_progress_hears_of_every_cell_once(tmp_path):
    heard = []

    class Watch:
        def begin(self, total, finished):
            heard.append((total, finished))

        def note(self, text):
            pass

        def done(self, cell, record):
            heard.append(record.key)
            assert cell.key == record.key

    run(tmp_path, replicates=2, progress=Watch())
    run(tmp_path, replicates=3, progress=Watch())
    cells = plan(replicates=3).plan.cells
    assert heard[0] == (2, 0)
    assert heard[3] == (3, 2)
    assert [heard[1], heard[2], heard[4]] == [cell.key for cell in cells]


def record(status):
    return Record(key="k", status=Status(status))


def test_only_cells_without_a_usable_record_are_pending():
    planned = plan(
        algorithms=[{"use": "toy", "tune": True}], tuning={"sampler": "grid", "criteria": ["puf", "pa"]}
    )
    first, second = (cell.key for cell in planned.plan.cells)
    assert pending_jobs(planned, {}, retry_failed=False) == list(planned.jobs)
    (job,) = pending_jobs(planned, {first: record("ok")}, retry_failed=False)
    assert [cell.key for cell in job.cells] == [second]
    assert [criterion.name for criterion in job.criteria] == ["pa"]
    done = {first: record("ok"), second: record("ok")}
    assert pending_jobs(planned, done, retry_failed=True) == []
    for status in (status for status in Status if status.is_failure):
        ended = done | {second: record(status)}
        assert pending_jobs(planned, ended, retry_failed=False) == []
        assert len(pending_jobs(planned, ended, retry_failed=True)) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"backend": "lokky"}, "did you mean 'loky'"),
        ({"backend": "loky", "address": "tcp://1"}, "backend 'loky' takes no address"),
        ({"backend": "dask", "address": ""}, "the address is empty"),
        ({"jobs": 0}, "jobs = 0"),
    ],
)
def test_an_impossible_execution_is_refused(options, words):
    with pytest.raises(PubenchError, match=words):
        Execution(**options)


def test_jobs_that_share_one_cell_leave_no_other_out():
    planned = plan(
        algorithms=[{"use": "toy-seeded", "tune": True}],
        prior={"factors": [0.5, 1.0]},
        tuning={"sampler": "random", "trials": 2, "folds": 2, "criteria": ["puf", "pu-risk"]},
    )
    keys = [cell.key for job in pending_jobs(planned, {}, retry_failed=False) for cell in job.cells]
    assert sorted(keys) == sorted({cell.key for cell in planned.plan.cells})
    # The one without a prior is the same for both factors.
    assert len(keys) == 3


class Dying(Inline):
    """Workers of which one dies while all of them have tasks: all are lost at once, and run again one by one."""

    workers = 2

    def __init__(self):
        super().__init__()
        self.deaths, self.lost = 1, 0

    def wait(self):
        if not self.deaths or len(self._tasks) < 4:
            return super().wait()
        self.deaths -= 1
        found = [Finished(number, None) for number, _ in self._tasks]
        self.lost = len(found)
        self._tasks.clear()
        return found


def test_tasks_that_are_lost_at_once_are_all_run_again(tmp_path):
    planned = plan(replicates=6)
    backend, keys = Dying(), []
    store = Store(tmp_path)
    try:
        run_jobs(planned.jobs, store, backend, lambda cell, record: keys.append(cell.key))
    finally:
        backend.close()
        store.close()
    assert backend.lost == 4
    assert sorted(keys) == sorted(cell.key for cell in planned.plan.cells)
