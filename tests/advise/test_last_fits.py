"""Laws of the last fits: in processes of their own, on the scale of the comparison, and what is left after Ctrl-C."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
from helpers.trained import some_table

from pubench.advise import last_fits as module
from pubench.advise.archive import save
from pubench.advise.comparing import compare
from pubench.advise.last_fits import last_fits
from pubench.advise.settings import Settings
from pubench.advise.training import train
from pubench.errors import PubenchError
from pubench.estimators.out_of_fold import ranking_scores
from pubench.status import Problem, Status

SCENARIO = "single-training-set"


def some_rows(n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.5
    return rng.normal(size=(n, 3)) + 1.5 * y[:, None], (y & (rng.random(n) < 0.5)).astype(np.uint8)


def fitted(names, **more):
    X, s = some_rows()
    asked = {"groups": (), "explaining": names[:1], "seen": np.arange(0, len(s), 2), "prior": 0.6}
    return last_fits(X, s, names, settings=Settings(SCENARIO), **asked | more)


@pytest.mark.slow
def test_scores_of_the_model_are_on_the_scale_of_the_comparison():
    # Extra trees have probabilities only, which could be taken for log-odds.
    name = "naive-et-prior"
    X, s = some_rows()
    compared = compare(X, s, names=(name,), prior=0.6, scenario=SCENARIO, repeats=1)
    found = fitted((name,))
    own = ranking_scores(found.models[name], X)
    assert 0 <= compared.margins.min() <= compared.margins.max() <= 1
    assert compared.margins.mean() == pytest.approx(own.mean(), abs=0.1)
    assert found.partial[name].n_features_in_ == 3


def test_methods_that_cannot_be_fitted_are_named(monkeypatch):
    def failing(self, tasks, allowed):
        yield from ((task, Problem(Status.FAILED, "no luck")) for task in tasks)

    monkeypatch.setattr(module.FoldFits, "run", failing)
    with pytest.raises(PubenchError, match="no method could be fitted; wlr: no luck"):
        fitted(("wlr",))


def test_ctrl_c_leaves_the_models_fitted_until_then(monkeypatch):
    def interrupting(progress):
        if progress.done == 1:
            os.kill(os.getpid(), signal.SIGINT)

    # One at a time, so that the second has not ended.
    monkeypatch.setattr("pubench.advise.fold_fits._JOBS", 1)
    found = fitted(("naive-lr-prior", "wlr"), on_progress=interrupting)
    assert found.is_interrupted
    assert set(found.models) == {"naive-lr-prior"}
    assert not found.partial


def test_ctrl_c_before_the_first_model_ends_it(monkeypatch):
    def interrupted(*asked):
        raise KeyboardInterrupt

    monkeypatch.setattr(module.FoldFits, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fitted(("naive-lr-prior",))


@pytest.mark.slow
def test_two_fits_of_one_seed_give_the_same_bytes(tmp_path):
    frame, _ = some_table(n=150)
    # Its trees have fields with gaps between them.
    settings = Settings(SCENARIO, method="naive-et-prior", prior=0.5, seed=3)
    for name in ("a.pub", "b.pub"):
        save(train(frame, settings, label="known", ids=["name"]), tmp_path / name)
    assert (tmp_path / "a.pub").read_bytes() == (tmp_path / "b.pub").read_bytes()


@pytest.mark.slow
def test_two_ensembles_of_one_seed_give_the_same_bytes(tmp_path):
    frame, _ = some_table(n=150)
    for name in ("a.pub", "b.pub"):
        save(train(frame, Settings(SCENARIO), label="known", ids=["name"]), tmp_path / name)
    assert (tmp_path / "a.pub").read_bytes() == (tmp_path / "b.pub").read_bytes()
