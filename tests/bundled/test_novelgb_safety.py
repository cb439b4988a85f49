"""NovelGB neither diverges, aborts nor chatters, and says in one sentence when its engine cannot be loaded."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from helpers.suites import run
from pubench_novelgb.novelgb import NovelGB

from pubench.specs import SCENARIOS

HARSH = {"l2": 0.0, "max_depth": 6, "max_leaf_nodes": 64, "min_samples_leaf": 1, "n_estimators": 300}


def python(code, **environment):
    """Run code in a process of its own, where an abort can be seen."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
        timeout=600,
    )


def separable(n, gap, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    y = X[:, 0] > 0
    X[:, 0] += np.where(y, gap, -gap)
    return X, (y & (rng.random(n) < 0.3)).astype(int)


MORE = ({}, {"learning_rate": 1.0, "max_score": 15.0}, {"subsample": 0.3})
COMBINATIONS = [*itertools.product(SCENARIOS, ["upu", "nnpu"], [0.02, 0.5, 0.98], MORE)]


# Every seventh combination has each value of each parameter, and most of the pairs.
@pytest.mark.parametrize(
    ("scenario", "risk", "prior", "more"),
    [pytest.param(*c, marks=[] if i % 7 == 0 else pytest.mark.slow) for i, c in enumerate(COMBINATIONS)],
    ids=str,
)
def test_without_any_penalty_separable_rows_have_finite_scores(scenario, risk, prior, more, capfd):
    for n, gap in ((40, 3.0), (400, 0.0), (400, 1e6)):
        X, s = separable(n, gap)
        model = NovelGB(prior, scenario=scenario, risk=risk, random_state=0, **HARSH | more).fit(X, s)
        raw = model.booster_.predict(X)
        assert np.isfinite(raw).all()
        assert np.abs(raw).max() <= model.learning_rate * model.max_score * model.n_estimators_
        assert np.abs(model.decision_function(X)).max() <= model.max_score
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_process_lives_and_is_silent(scenario):
    done = python(
        f"""
        import warnings
        warnings.simplefilter("error")
        import numpy as np
        from pubench_novelgb.novelgb import NovelGB
        rng = np.random.default_rng(0)
        X = rng.normal(size=(2000, 5))
        y = X[:, 0] > 0
        X[:, 0] += np.where(y, 3, -3)
        s = (y & (rng.random(2000) < 0.3)).astype(int)
        for l2 in (0.0, 1.0):
            model = NovelGB(0.5, scenario="{scenario}", **({HARSH!r} | {{"l2": l2}})).fit(X, s)
            assert np.isfinite(model.decision_function(X)).all()
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_tiny_and_constant_data_are_silent(capfd):
    for X in (np.ones((6, 2)), np.arange(12.0).reshape(6, 2)):
        NovelGB(early_stopping=True, prior=0.5, scenario="case-control").fit(
            X, [0, 0, 0, 1, 1, 1]
        ).predict_proba(X)
    assert capfd.readouterr() == ("", "")


FIT = """
    from pubench_novelgb.novelgb import NovelGB
    try:
        NovelGB(0.5, scenario="case-control").fit([[0.0], [1.0]] * 5, [0, 1] * 5)
    except ImportError as error:
        print(error)
    """
GOMP = "libgomp.so.1: cannot open shared object file: No such file or directory"


@pytest.fixture(params=["OSError", "ImportError"])
def broken_engine(tmp_path, request):
    """A lightgbm that cannot be loaded, before the real one on the path."""
    (tmp_path / "lightgbm").mkdir()
    (tmp_path / "lightgbm" / "__init__.py").write_text(f"raise {request.param}({GOMP!r})\n")
    return str(tmp_path), request.param


@pytest.mark.slow
def test_an_engine_that_cannot_be_loaded_is_told_in_one_sentence_with_the_remedy(broken_engine):
    path, kind = broken_engine
    done = python(FIT, PYTHONPATH=path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
    assert GOMP in done.stdout
    assert ("apt install libgomp1" if kind == "OSError" else "pip install lightgbm") in done.stdout


@pytest.mark.slow
def test_in_a_suite_only_the_cells_of_novelgb_fail_with_that_sentence(broken_engine, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(broken_engine[0])
    results = run(tmp_path, algorithms=[{"use": "novelgb"}, {"use": "toy"}], prior={"source": "true"})
    rows = {row["algorithm"]: row for row in results.rows}
    assert rows["toy"]["status"] == "ok"
    assert rows["novelgb"]["error"].startswith("NovelGB needs LightGBM, which cannot be ")


@pytest.mark.slow
def test_the_engine_is_imported_by_fit_alone():
    done = python(
        """
        import sys
        import pubench_novelgb
        pubench_novelgb.pubench_algorithms()
        assert "sklearn" not in sys.modules
        from pubench_novelgb.novelgb import NovelGB
        model = NovelGB(0.5, scenario="case-control")
        assert "lightgbm" not in sys.modules
        model.fit([[0.0], [1.0]] * 5, [0, 1] * 5)
        assert "lightgbm" in sys.modules
        """
    )
    assert (done.returncode, done.stderr) == (0, "")
