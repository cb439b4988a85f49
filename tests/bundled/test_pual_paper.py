"""The paper's experiments: PUAL beside GLLC where positives lie on both sides, or near and far (Tables 1 and 3).

All choices are made by PUF on unlabelled data; true classes are seen by the last line only. The figures of a run, which
``docs/pual.md`` discusses, are printed: ``pytest -m slow -s tests/bundled/test_pual_paper.py``.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from pubench_datasets.papers import paper
from pubench_datasets.synthetic import trifurcate
from pubench_pual import pubench_algorithms
from pubench_pual.pual import PUAL
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, train_test_split

from pubench import run_suite
from pubench.criteria import Validation, puf
from pubench.protocol.parts import CriterionPlan, SearchPlan
from pubench.protocol.replies import Trial
from pubench.run.search import Search, choose
from pubench.specs import SCENARIOS, Choice, Float
from pubench.suite.samplers import SAMPLERS

CC, STS = SCENARIOS
MEANS = (50, 100, 200, 500, 1000)
TRIALS, FOLDS, DRAWS = 40, 4, 10
# Losses are means, and lambda is in the upper decade of the paper's 0.1 to 500: beyond, GLLC catches up, as its
# direction is then that of the means of P and U. C_u is not below a quarter, where the constant 1 wins.
LINEAR = {"C_u": Float(0.25, 0.4), "ridge": Float(100.0, 300.0, log=True)}
# The paper's objective and ranges: sums, C_u on a logarithmic scale as its good values lie between 0.03 and 0.05.
PRINTED = {"C_u": Float(0.01, 0.5, log=True), "ridge": Float(0.1, 500.0, log=True)}
# Algorithm 2 as printed knows no ridge; sums as in the equations, the paper's C_u.
LITERAL = {"C_u": Float(0.01, 0.5, log=True), "width": Choice((0.125, 0.25, 0.5, 1.0))}


@dataclass(frozen=True)
class Split:
    """PU data to learn from and rows to be judged on."""

    X: np.ndarray
    s: np.ndarray
    held_out: np.ndarray
    truth: np.ndarray
    scenario: str


def synthetic(mean, seed):
    """Section 4.1: 70 % to train on, a quarter of whose positives are labelled; single training set."""
    data = trifurcate(mean_p2=float(mean), seed=seed)
    X, held_out, y, truth = train_test_split(
        data.X, np.asarray(data.target), test_size=0.3, random_state=seed
    )
    positive = np.random.default_rng(seed).permutation(np.flatnonzero(y == 1))
    s = np.zeros(len(y), dtype=int)
    s[positive[: round(len(positive) / 4)]] = 1
    return Split(X, s, held_out, truth, STS)


def real(X, y, label_frequency, seed):
    """Section 4.2.3: some positives are labelled; 70 % of the rest is U, the others are the test rows; case-control."""
    rng = np.random.default_rng(seed)
    share = 0.7 * label_frequency / (1 - 0.3 * label_frequency)
    positive = rng.permutation(np.flatnonzero(y == 1))
    labelled = positive[: round(share * len(positive))]
    rest = rng.permutation(np.setdiff1d(np.arange(len(y)), labelled))
    U, test = np.split(rest, [round(0.7 * len(rest))])
    s = np.repeat([1, 0], [len(labelled), len(U)])
    return Split(X[np.append(labelled, U)], s, X[test], y[test], CC)


def tuned_f1(split, space, seed, trials=TRIALS, **fixed):
    """Tune by PUF with cross-validation, fit again, return the F1 score in percent."""
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(split.X, split.s))

    def model(params):
        return PUAL(scenario=split.scenario, max_iter=2000, **fixed, **params)

    def evaluate(params):
        values = []
        for train, validation in folds:
            score = model(params).fit(split.X[train], split.s[train]).decision_function(split.X[validation])
            decision = (score >= 0).astype(int)
            values.append(puf(Validation(split.s[validation], score, decision, None, split.scenario)))
        return {"puf": float(np.mean(values))}

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", ".* predicts all rows of the fit")
        plan = SearchPlan(
            sampler="tpe",
            engine=SAMPLERS["tpe"].engine,
            trials=trials,
            batch=1,
            folds=None,
            validation=None,
        )
        search = Search(space, plan, guide=CriterionPlan(name="puf"), seed=seed)
        while batch := search.ask():
            search.tell([Trial(params=params, folds={"puf": (evaluate(params)["puf"],)}) for params in batch])
        best = model(choose(search.trials, "puf", maximise=True).params).fit(split.X, split.s)
    return 100 * f1_score(split.truth, best.predict(split.held_out))


def compared(name, splits, space, **fixed):
    """Return the F1 scores of PUAL and of GLLC, a row for each data set, and print them."""
    scores = np.array(
        [
            [tuned_f1(split, space, i, loss=loss, **fixed) for loss in ("pual", "gllc")]
            for i, split in enumerate(splits)
        ]
    )
    mean, deviation = scores.mean(axis=0), scores.std(axis=0, ddof=1)
    print(f"\n{name}: PUAL {mean[0]:.1f} +- {deviation[0]:.1f}, GLLC {mean[1]:.1f} +- {deviation[1]:.1f}")
    return scores


def test_a_far_group_of_positives_turns_gllc_but_not_pual():
    """Without tuning, at parameters within the paper's range."""
    scores = []
    for seed in range(20):
        split = synthetic(1000, seed)
        fits = [
            PUAL(loss, C_u=0.4, ridge=500.0, scenario=STS).fit(split.X, split.s) for loss in ("pual", "gllc")
        ]
        scores.append([100 * f1_score(split.truth, fit.predict(split.held_out)) for fit in fits])
    pual, gllc = np.mean(scores, axis=0)
    assert pual > 88
    assert pual - gllc > 10


@pytest.mark.slow
@pytest.mark.parametrize("mean", MEANS)
def test_table_1(mean):
    """Twenty data sets for each mean, as single ones vary by many points."""
    splits = [synthetic(mean, 7000 + draw) for draw in range(2 * DRAWS)]
    pual, gllc = compared(f"mean_p2 = {mean}", splits, LINEAR).mean(axis=0)
    assert pual > 90
    if mean >= 500:
        assert pual - gllc >= 10


@pytest.mark.slow
@pytest.mark.parametrize("mean", [500, 1000])
def test_table_1_in_the_papers_own_scale(mean):
    """There PUAL is about a point lower, and GLLC near the paper's 73.6 and 71.3."""
    splits = [synthetic(mean, 7000 + draw) for draw in range(DRAWS)]
    scores = compared(f"mean_p2 = {mean}, sums", splits, PRINTED, losses="sum")
    pual, gllc = scores.mean(axis=0)
    assert pual > 85
    assert pual - gllc >= 10


SUITE = """
name = "trifurcate"
replicates = 1
preprocess = {{ scale = "{scale}" }}
algorithms = [{{ use = "pual", tune = true }}, {{ use = "gllc", tune = true }}]
labellings = [{{ scenario = "single-training-set", frequency = 0.25 }}]
datasets = [{datasets}]
"""
DATASET = '{{ use = "trifurcate", name = "{seed}", params = {{ mean_p2 = {mean}.0, seed = {seed} }} }}'


@pytest.mark.slow
@pytest.mark.parametrize("scale", ["none", "standard"])
def test_the_registered_entries_show_it_in_a_suite(tmp_path, scale):
    """Tuned as a user tunes them. Standardised features let GLLC's penalty be strong enough."""
    datasets = ", ".join(DATASET.format(seed=6000 + draw, mean=1000) for draw in range(DRAWS))
    suite = tmp_path / "suite.toml"
    suite.write_text(SUITE.format(scale=scale, datasets=datasets), encoding="utf-8")
    rows = run_suite(suite, out=tmp_path / "run").rows
    pual, gllc = (
        100 * np.mean([row["f1"] for row in rows if row["algorithm"] == name]) for name in ("pual", "gllc")
    )
    print(f"\nscale = {scale}: PUAL {pual:.1f}, GLLC {gllc:.1f}")
    assert pual > 90
    assert pual - gllc >= 10 if scale == "none" else abs(pual - gllc) < 5


@pytest.mark.slow
def test_with_a_ridge_of_the_size_of_the_squared_spread_gllc_is_as_good():
    """The gap of Table 1 is one of weak penalties: scaled features, or a large lambda, close it."""
    splits = [synthetic(1000, 7000 + draw) for draw in range(DRAWS)]
    for split in splits:
        fits = [
            PUAL(loss, ridge=1e5, C_u=0.4, scenario=STS).fit(split.X, split.s) for loss in ("pual", "gllc")
        ]
        pual, gllc = (100 * f1_score(split.truth, fit.predict(split.held_out)) for fit in fits)
        assert min(pual, gllc) > 85
        assert abs(pual - gllc) < 5


def digits():
    data = load_digits()
    kept = np.isin(data.target, [1, 4, 8])
    return data.data[kept], (data.target[kept] != 4).astype(int)


def pens():
    data = paper("pual-pen")
    return np.asarray(data.X, dtype=float), np.isin(data.target, ["1", "8"]).astype(int)


@pytest.mark.slow
@pytest.mark.parametrize("load", [digits, pens])
def test_table_3(load, data_root):
    """Kernel PUAL above GLLC, by the kernel algorithm that the paper prints."""
    X, y = load()
    assert 0.4 < y.mean() < 0.7
    fixed = {"kernel": "rbf", "form": "literal", "losses": "sum"}
    scores = [
        compared(
            f"{load.__name__}, label frequency {frequency}",
            [real(X, y, frequency, draw) for draw in range(DRAWS)],
            LITERAL,
            **fixed,
        )
        for frequency in (0.5, 0.25)
    ]
    pual, gllc = np.concatenate(scores).mean(axis=0)
    assert pual > gllc
    assert pual > 92.5  # the paper's best for pen digits


@pytest.mark.slow
@pytest.mark.parametrize("frequency", [0.5, 0.25])
@pytest.mark.parametrize("load", [digits, pens])
def test_the_registered_kernel_form_shows_it_too(load, frequency, data_root):
    """On pen digits both members then leave the paper's figures, 92.5 and 88.9, far behind."""
    X, y = load()
    (spec,) = (spec for spec in pubench_algorithms() if spec.name == "pual-rbf")
    splits = [real(X, y, frequency, draw) for draw in range(DRAWS)]
    scores = compared(
        f"{load.__name__}, label frequency {frequency}, rkhs",
        splits,
        dict(spec.space),
        trials=20,
        kernel="rbf",
    )
    pual, gllc = scores.mean(axis=0)
    assert pual > gllc > 90
