"""Runs with networks: the same bits for any number of workers, bytes in the cache, colours in the report."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pubench import run_suite
from pubench.reporting import report_of
from pubench.reporting.render.html import html_report
from pubench.results.store import read_searches

SUITE = """
name = "squares"
replicates = 2
[[datasets]]
use = "npz"
name = "squares"
params = { path = "squares.npz" }
positive = ["1"]
[[datasets]]
use = "iris"
name = "no images"
positive = ["setosa"]

[[labellings]]
scenario = "case-control"
positives = 20
[[algorithms]]
use = "nnpu-cnn"
params = { epochs = 4, average_epochs = 1, channels = 4, units = 8, batch_size = 64 }
[prior]
source = "true"
"""


def squares(path):
    """Save coloured noise, brighter in the middle where the class is 1."""
    rng = np.random.default_rng(0)
    target = rng.integers(0, 2, 200)
    X = rng.integers(0, 120, size=(200, 8, 8, 3))
    X[target == 1, 2:6, 2:6] += 120
    np.savez(path, data=X.astype(np.uint8), target=target)


def test_a_cnn_has_the_same_bits_with_two_workers(tmp_path):
    squares(tmp_path / "squares.npz")
    (tmp_path / "s.toml").write_text(SUITE)
    results = [run_suite(tmp_path / "s.toml", out=tmp_path / f"jobs{jobs}", jobs=jobs) for jobs in (1, 2)]
    counts = results[0].counts
    assert (counts["ok"], counts["skipped"]) == (2, 2)
    assert [row["roc-auc"] for row in results[0].rows] == [row["roc-auc"] for row in results[1].rows]
    page = html_report(report_of(results[0]))
    assert "as these colours" in page
    assert "nnpu-cnn needs images" in page


@pytest.mark.slow
@pytest.mark.skipif("PUBENCH_DATA" not in os.environ, reason="PUBENCH_DATA is not set")
def test_cnns_on_cifar_and_mnist(tmp_path):
    text = SUITE.replace("replicates = 2", "replicates = 1").partition("[[datasets]]")[0]
    for name in ("puet-cifar10", "puet-mnist"):
        text += f'[[datasets]]\nuse = "{name}"\nsample = {{ positive = 600, negative = 600 }}\n'
    text += "[[labellings]]\n" + SUITE.partition("[[labellings]]\n")[2].replace(
        "positives = 20", "positives = 300"
    )
    (tmp_path / "s.toml").write_text(text)
    results = [run_suite(tmp_path / "s.toml", out=tmp_path / f"jobs{jobs}", jobs=jobs) for jobs in (1, 2)]
    assert results[0].counts["ok"] == 2
    assert [row["roc-auc"] for row in results[0].rows] == [row["roc-auc"] for row in results[1].rows]
    assert all(row["roc-auc"] > 0.75 for row in results[0].rows)
    assert "as these colours" in html_report(report_of(results[0]))


PAGE = Path(__file__).parents[2] / "docs" / "deep-methods.md"


def written(page, folder):
    """Write the files that a page shows, as a reader would."""
    for title, text in re.findall(r'^```\w+ title="([\w.-]+)"\n(.*?)^```$', page.read_text(), re.M | re.S):
        (folder / title).write_text(text)


@pytest.mark.slow
def test_a_method_written_from_the_docs_alone_is_checked_pruned_and_run_by_two_workers(tmp_path):
    written(PAGE, tmp_path)
    check = [sys.executable, "-m", "pubench", "plugin", "check", "my_vpu.py"]
    done = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=False)
    # Only that it imports PyTorch: a package would name its class by an import string.
    assert done.stdout.count("FOUND") <= done.stdout.count("FOUND Importing it is quick"), done.stdout
    found = []
    for jobs in (1, 2):
        out = tmp_path / f"run{jobs}"
        results = run_suite(tmp_path / "my-vpu.toml", plugins=[tmp_path / "my_vpu.py"], out=out, jobs=jobs)
        assert results.counts["ok"] == 4
        trials = {
            key: [(one.trial.params, one.trial.pruned) for one in lines]
            for key, lines in read_searches(out).items()
        }
        found.append(([row["roc-auc"] for row in results.rows], trials))
    assert found[0] == found[1]
    assert any(pruned for lines in found[0][1].values() for _, pruned in lines)
