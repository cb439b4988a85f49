"""Maps of data sets: made once by a run, the same bits again, drawn by the page, with numbers that mean something."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pubench import run_suite
from pubench.errors import SuiteError
from pubench.reporting import report_of
from pubench.reporting.render.html import html_report
from pubench.reporting.render.markdown import markdown_report
from pubench.reporting.sections.maps import between_positives, same_class_neighbours
from pubench.results.store import read_maps
from pubench.run.maps import place_rows
from pubench.suite import parse_suite

SUITE = """
name = "mapped"
replicates = 1
[[datasets]]
use = "iris"
positive = ["setosa"]
[[labellings]]
scenario = "single-training-set"
frequency = 0.5
[[algorithms]]
use = "naive-lr-prior"
[report]
metrics = ["accuracy"]
maps = { iris = 15 }
"""


def test_a_run_stores_the_map_once_and_the_page_draws_it(tmp_path: Path) -> None:
    suite, run = tmp_path / "mapped.toml", tmp_path / "run"
    suite.write_text(SUITE, encoding="utf-8")
    results = run_suite(suite, out=run)
    stored = (run / "maps.jsonl").read_bytes()
    (found,) = read_maps(run).values()
    row = results.rows[0]
    assert found.total == len(found.points) == row["n_p"] + row["n_u"]
    assert found.kinds.count("l") == row["n_p"]
    # Half of the positives are labelled, and the others are drawn by their true class.
    assert found.kinds.count("p") == pytest.approx(row["n_p"], abs=1)
    report = report_of(results)
    assert "t-SNE of iris" in html_report(report)
    *_, line = (one for one in markdown_report(report).splitlines() if one.startswith("| iris | single"))
    # Setosa is far from the others: its neighbours are of its class.
    assert float(line.split("|")[5]) > 0.95
    run_suite(suite, out=run)
    assert (run / "maps.jsonl").read_bytes() == stored
    (run / "maps.jsonl").unlink()
    run_suite(suite, out=run)
    assert (run / "maps.jsonl").read_bytes() == stored


def test_a_map_of_an_unknown_data_set_is_refused() -> None:
    with pytest.raises(SuiteError, match="'irsi' is not a label under datasets"):
        parse_suite(SUITE.replace("maps = { iris", "maps = { irsi"), "mapped.toml")


def test_groups_that_are_apart_stay_apart_in_the_plane() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    group = np.repeat([0, 1, 2], 40)
    X[:, 0] += 20.0 * group
    Z = place_rows(X, 10.0, 3).astype(np.float64)
    assert same_class_neighbours(Z, group == 1) > 0.99
    np.testing.assert_array_equal(Z, place_rows(X, 10.0, 3))


def test_negatives_between_two_groups_of_positives_are_counted() -> None:
    rng = np.random.default_rng(0)
    left, middle, right = (np.array([x, 0.0]) + rng.normal(size=(50, 2)) for x in (-10.0, 0.0, 10.0))
    assert between_positives(np.vstack([left, right]), middle) == 1.0
    # One group of positives on one side: hardly any negative is between its two halves.
    assert between_positives(left, right) == 0.0
    assert np.isnan(between_positives(left, np.empty((0, 2))))
