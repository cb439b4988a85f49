"""Methods that talk while they train: everyone who watches hears it, trials are pruned alike, deadlines arrive."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from helpers import talking

from pubench import run_suite
from pubench.plan.jobs import Cell
from pubench.reporting import report_of
from pubench.reporting.render.html import html_report
from pubench.results.store import read_searches
from pubench.results.under_way import Training, UnderWay, read_under_way
from pubench.run.news import Mailbox, TrainingNews, sender

PLUGIN = Path(talking.__file__)
SUITE = """
name = "talk"
replicates = 1
[[datasets]]
use = "iris"
[[labellings]]
scenario = "single-training-set"
frequency = 0.5
[[algorithms]]
use = "talking"
tune = true
[tuning]
criteria = ["puf"]
trials = 15
batch = 3
folds = 2
pruner = "PRUNER"
[prior]
source = "true"
"""


class Watching:
    def __init__(self):
        self.heard = []

    def begin(self, total, finished):
        pass

    def done(self, cell, record):
        pass

    def note(self, text):
        pass

    def training(self, cell, news):
        self.heard.append((cell.algorithm, news))


def run(folder, text, **options):
    suite = folder / "suite.toml"
    suite.write_text(text)
    watching = Watching()
    results = run_suite(suite, plugins=[PLUGIN], progress=watching, **options)
    return results, watching.heard


def trials_of(folder):
    """Return the stored trials without their times."""
    return {
        key: [msgspec.structs.replace(line.trial, seconds=0.0) for line in lines]
        for key, lines in read_searches(folder).items()
    }


@pytest.mark.parametrize("pruner", ["median", "hyperband"])
def test_the_same_trials_are_pruned_by_any_number_of_workers(tmp_path, pruner):
    text = SUITE.replace("PRUNER", pruner)
    ways = {"one": {"jobs": 1}, "two": {"jobs": 2}, "threads": {"jobs": 2, "backend": "threads"}}
    found = {}
    for name, options in ways.items():
        results, heard = run(tmp_path, text, out=tmp_path / name, **options)
        assert results.counts["ok"] == 1
        found[name] = results.rows[0]["params"], trials_of(tmp_path / name)
        assert {algorithm for algorithm, _ in heard} == {"talking"}
        assert all(news.total == talking.STEPS for _, news in heard)
    assert found["one"] == found["two"] == found["threads"]
    (trials,) = found["one"][1].values()
    assert 0 < sum(trial.pruned for trial in trials) < 12
    assert not any(trial.pruned for trial in trials[:3])
    assert "pruned trials" in html_report(report_of(results))


def test_a_method_can_stop_in_time(tmp_path):
    text = SUITE.replace('pruner = "PRUNER"', "").replace("tune = true", "params = { until_deadline = true }")
    results, _ = run(tmp_path, text + "[limits]\nseconds = 2\n", out=tmp_path / "run")
    assert results.counts["ok"] == 1
    assert results.rows[0]["fit_seconds"] > 1.0


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_workers_of_a_cluster_are_heard(tmp_path, backend):
    pytest.importorskip({"dask": "distributed"}.get(backend, backend))
    # The last step of each fit is always told.
    text = SUITE.replace("PRUNER", "none").replace("trials = 15", "trials = 2")
    results, heard = run(tmp_path, text, out=tmp_path / "run", jobs=1, backend=backend)
    assert results.counts["ok"] == 1
    assert {algorithm for algorithm, _ in heard} == {"talking"}
    assert {news.step for _, news in heard} >= {talking.STEPS}


def test_news_travel_between_processes_and_never_stop_anyone():
    mailbox = Mailbox()
    send = sender(mailbox.address)
    news = TrainingNews(key="a", trial=True, step=1, total=3, value=0.5)
    send(news)
    assert list(mailbox.collect()) == [news]
    for _ in range(10_000):
        send(news)
    assert set(mailbox.collect()) == {news}
    mailbox.close()
    send(news)


def test_the_page_shows_what_is_being_trained_until_it_ends(tmp_path):
    cell = Cell("k", "data", "case-control", "n_p=1", 0, "net", None, False)
    now = iter([10.0, 10.0, 10.5, 12.0, 12.0])
    under_way = UnderWay(tmp_path, clock=lambda: next(now))
    under_way.note(cell, 1, 9, 0.25)
    under_way.note(cell, 2, 9, 0.2)
    assert read_under_way(tmp_path) == [Training("data, n_p=1, net, replicate 0", 1, 9, 0.25)]
    under_way.note(cell, 9, 9, 0.1)
    assert read_under_way(tmp_path) == []
    under_way.clear()
    assert not list(tmp_path.iterdir())
