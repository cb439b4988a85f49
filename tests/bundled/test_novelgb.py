"""Laws of NovelGB, the estimator."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pubench_novelgb
import pytest
from pubench_novelgb.novelgb import NovelGB
from scipy import sparse
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from pubench.estimators.sharing import SHARED
from pubench.risk import pu_risk, risk_parts
from pubench.specs import SCENARIOS

CC, STS = SCENARIOS


def make_pu(seed=0, n=400, d=4, gap=1.2):
    """A quarter of the rows labelled; of the others half like them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[: 5 * n // 8, 0] += gap
    return X, (np.arange(n) < n // 4).astype(int)


@parametrize_with_checks([NovelGB(prior=0.5, scenario="case-control")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([NovelGB(0.3, scenario=STS, risk="nnpu", early_stopping=True, min_samples_leaf=1)])
def test_scikit_learns_checks_of_variants(estimator, check):
    check(estimator)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("risk", ["upu", "nnpu"])
def test_it_learns_what_no_label_says(scenario, risk):
    """The unlabelled rows that look like labelled ones are found, and the others are not."""
    X, s = make_pu(gap=4.0)
    prior = 0.5 if scenario == CC else 5 / 8
    model = NovelGB(prior, scenario=scenario, risk=risk).fit(X, s)
    found = model.predict(X)
    assert found[:250].mean() > 0.9
    assert found[250:].mean() < 0.1


def test_the_prior_is_where_scores_start():
    X, s = make_pu()
    for prior in (0.1, 0.5, 0.9):
        model = NovelGB(prior, learning_rate=1e-9, scenario="case-control").fit(X, s)
        np.testing.assert_allclose(model.decision_function(X), logit(prior), atol=1e-6)
    assert NovelGB(1e-9, max_score=5.0, scenario="case-control").fit(X, s).initial_score_ == -5.0


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_higher_prior_gives_more_positives(scenario):
    X, s = make_pu()
    shares = [NovelGB(p, scenario=scenario).fit(X, s).predict(X).mean() for p in (0.3, 0.5, 0.7, 0.9)]
    assert shares == sorted(shares)
    assert shares[0] < shares[-1]


def test_the_scenario_matters():
    X, s = make_pu()
    one, other = (NovelGB(0.5, scenario=scenario).fit(X, s).decision_function(X) for scenario in SCENARIOS)
    assert np.abs(one - other).max() > 0.1


def test_the_non_negative_risk_stays_near_zero_where_the_unbiased_one_falls_below():
    X, s = make_pu(n=200)
    parts = {}
    for risk in ("upu", "nnpu"):
        scores = (
            NovelGB(risk=risk, l2=1.0, max_depth=6, n_estimators=300, prior=0.5, scenario="case-control")
            .fit(X, s)
            .decision_function(X)
        )
        parts[risk] = risk_parts(scores, s, prior=0.5, scenario=CC, loss="logistic")[1]
    assert parts["upu"] < -0.5
    assert abs(parts["nnpu"]) < 0.1


@pytest.mark.parametrize("options", [{}, {"subsample": 0.6, "max_features": 0.5}, {"early_stopping": True}])
def test_threads_change_no_bit_and_seeds_say_it_all(options):
    X, s = make_pu(n=2000, d=8)
    options = {"n_estimators": 12, **options}
    one = NovelGB(random_state=3, n_jobs=1, **{"prior": 0.5, "scenario": "case-control"} | options).fit(X, s)
    for n_jobs in (2, 3):
        other = NovelGB(
            random_state=3, n_jobs=n_jobs, **{"prior": 0.5, "scenario": "case-control"} | options
        ).fit(X, s)
        np.testing.assert_array_equal(other.decision_function(X), one.decision_function(X))
    again = NovelGB(
        random_state=np.random.RandomState(3), **{"prior": 0.5, "scenario": "case-control"} | options
    ).fit(X, s)
    np.testing.assert_array_equal(again.decision_function(X), one.decision_function(X))
    differs = NovelGB(random_state=4, **{"prior": 0.5, "scenario": "case-control"} | options).fit(
        X, s
    ).decision_function(X) != one.decision_function(X)
    assert differs.any() == (len(options) > 1)


def test_stages_lead_to_the_decision_and_probabilities_follow_it():
    X, s = make_pu()
    model = NovelGB(n_estimators=20, prior=0.5, scenario="case-control").fit(X, s)
    stages = list(model.staged_decision_function(X))
    assert len(stages) == model.n_estimators_ == 20
    np.testing.assert_array_equal(stages[-1], model.decision_function(X))
    short = NovelGB(n_estimators=7, prior=0.5, scenario="case-control").fit(X, s)
    np.testing.assert_array_equal(stages[6], short.decision_function(X))
    probability = model.predict_proba(X)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    np.testing.assert_allclose(probability[:, 1], expit(stages[-1]))
    np.testing.assert_array_equal(model.predict(X), stages[-1] >= 0)


def test_a_pickle_has_the_same_bits():
    X, s = make_pu()
    model = NovelGB(subsample=0.5, random_state=0, prior=0.5, scenario="case-control").fit(X, s)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(copy.feature_importances_, model.feature_importances_)
    assert copy.n_estimators_ == model.n_estimators_


def test_importances_are_shares_and_name_the_column_that_tells():
    X, s = make_pu()
    importances = NovelGB(prior=0.5, scenario="case-control").fit(X, s).feature_importances_
    assert importances.sum() == pytest.approx(1)
    assert importances.argmax() == 0
    assert importances.min() >= 0


@pytest.mark.parametrize("early_stopping", [False, True])
@pytest.mark.parametrize(
    "X",
    [
        np.zeros((60, 3)),
        np.ones((60, 3)),
        np.full((60, 2), np.nan),
        np.arange(60.0)[:, None],
        sparse.csr_array((60, 4)),
    ],
    ids=["zeros", "ones", "missing", "too few", "empty"],
)
def test_rows_that_cannot_be_split_have_the_score_of_the_prior(X, early_stopping):
    model = NovelGB(0.3, min_samples_leaf=40, early_stopping=early_stopping, scenario="case-control").fit(
        X, np.arange(60) % 2
    )
    np.testing.assert_allclose(model.decision_function(X), logit(0.3))
    np.testing.assert_array_equal(model.feature_importances_, 0)
    assert len(list(model.staged_decision_function(X))) == model.n_estimators_


def test_early_stopping_keeps_the_trees_up_to_the_least_risk():
    X, s = make_pu(gap=0.8)
    model = NovelGB(
        early_stopping=True,
        l2=1.0,
        n_estimators=500,
        n_iter_no_change=8,
        random_state=0,
        prior=0.5,
        scenario="case-control",
    ).fit(X, s)
    risks = model.validation_risk_
    assert model.n_estimators_ == 1 + np.argmin(risks) < 500
    assert len(risks) == model.n_estimators_ + 8
    assert len(NovelGB(prior=0.5, scenario="case-control").fit(X, s).validation_risk_) == 0


def test_early_stopping_measures_the_unbiased_risk_of_rows_it_did_not_fit():
    X, s = make_pu()
    model = NovelGB(
        early_stopping=True,
        n_estimators=5,
        validation_fraction=0.3,
        random_state=0,
        prior=0.5,
        scenario="case-control",
    ).fit(X, s)
    from pubench.base import held_rows

    held = held_rows(s, 0.3, np.random.RandomState(0).randint(2**31 - 1))
    assert (held[s == 1].sum(), held[s == 0].sum()) == (30, 90)
    last = list(model.staged_decision_function(X[held]))[-1]
    risk = pu_risk(last, s[held], prior=0.5, scenario=CC, loss="logistic")
    assert model.validation_risk_[model.n_estimators_ - 1] == pytest.approx(risk)
    rest = NovelGB(n_estimators=model.n_estimators_, prior=0.5, scenario="case-control").fit(
        X[~held], s[~held]
    )
    np.testing.assert_array_equal(model.decision_function(X), rest.decision_function(X))


def test_early_stopping_without_enough_rows_is_refused():
    X, _ = make_pu(n=20)
    with pytest.raises(ValueError, match="two labelled and two unlabelled rows; set early_stopping"):
        NovelGB(early_stopping=True, prior=0.5, scenario="case-control").fit(X, np.arange(20) == 0)


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csr_array, sparse.csc_array])
def test_sparse_equals_dense_and_is_never_made_dense(container, monkeypatch):
    X, s = make_pu()
    X[np.abs(X) < 0.7] = 0
    dense = NovelGB(prior=0.5, scenario="case-control").fit(X, s).decision_function(X)
    rows = container(X)

    def refuse(*args, **kwargs):
        raise AssertionError("made dense")

    for kind in (sparse.csr_matrix, sparse.csr_array, sparse.csc_array):
        monkeypatch.setattr(kind, "toarray", refuse)
        monkeypatch.setattr(kind, "todense", refuse)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        thin = NovelGB(prior=0.5, scenario="case-control").fit(rows, s).decision_function(rows)
    np.testing.assert_allclose(thin, dense, atol=1e-6)


def test_missing_values_are_learned_from():
    X, s = make_pu()
    X[:, 0] = np.where(np.arange(len(X)) < 250, np.nan, X[:, 0])
    found = NovelGB(prior=0.5, scenario="case-control").fit(X, s).predict(X)
    assert found[:250].mean() > 0.97
    assert found[250:].mean() < 0.03


def test_rows_are_not_written_to_and_need_no_layout():
    X, s = make_pu()
    plain = NovelGB(prior=0.5, scenario="case-control").fit(X, s).decision_function(X)
    frozen = X.copy()
    frozen.flags.writeable = False
    for rows in (frozen, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        np.testing.assert_array_equal(
            NovelGB(prior=0.5, scenario="case-control").fit(rows, s).decision_function(rows), plain
        )


@pytest.mark.parametrize(("unlabelled", "labelled"), [(-1, 1), (False, True), ("U", "p"), (1, 2)])
def test_how_classes_are_written_does_not_matter(unlabelled, labelled):
    X, s = make_pu()
    plain, other = (
        NovelGB(prior=0.5, scenario="case-control").fit(X, s),
        NovelGB(prior=0.5, scenario="case-control").fit(X, np.where(s == 1, labelled, unlabelled)),
    )
    np.testing.assert_array_equal(other.decision_function(X), plain.decision_function(X))
    np.testing.assert_array_equal(other.predict(X), np.where(plain.predict(X) == 1, labelled, unlabelled))


WRONG = [
    *[{"prior": value} for value in (0.0, 1.0, "0.3", None)],
    *[{"scenario": "other"}, {"risk": "pn"}, {"n_estimators": 0}, {"learning_rate": 0.0}],
    *[{"learning_rate": 1.5}, {"max_depth": 0}, {"max_depth": 17}, {"max_leaf_nodes": 1}],
    *[{"min_samples_leaf": 0}, {"l2": -1.0}, {"l2": np.inf}, {"max_score": 0.0}, {"max_score": 16.0}],
    *[{"subsample": 0.0}, {"max_features": 1.1}, {"beta": -1.0}, {"gamma": 2.0}, {"early_stopping": 1}],
    *[{"validation_fraction": 1.0}, {"n_iter_no_change": 0}, {"n_jobs": 0}, {"n_jobs": 1.5}],
]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_wrong_parameters_are_named(wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match=f"^{name} of NovelGB must be .*; got"):
        clone(NovelGB(prior=0.5, scenario="case-control")).set_params(**wrong).fit(*make_pu())


def test_every_parameter_but_the_seed_has_a_rule():
    assert set(NovelGB(prior=0.5, scenario="case-control").get_params()) - {"random_state"} == set(
        NovelGB.param_rules
    )


def test_the_spec_names_a_constructible_estimator():
    (spec,) = pubench_novelgb.pubench_algorithms()
    assert (spec.name, spec.estimator) == ("novelgb", "pubench_novelgb.novelgb:NovelGB")
    parameters = NovelGB(**{"prior": 0.5, "scenario": "case-control"} | spec.params).get_params()
    assert set(spec.space) | set(spec.receives) <= set(parameters)
    for name, param in spec.space.items():
        assert param.low <= parameters[name] <= param.high
        assert all(NovelGB.param_rules[name].allows(end) for end in (param.low, param.high))


def test_sparse_rows_may_have_indices_of_64_bits():
    X, s = make_pu(0)
    wide = sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    narrow = NovelGB(random_state=0, prior=0.5, scenario="case-control").fit(sparse.csr_array(X), s)
    np.testing.assert_array_equal(
        NovelGB(random_state=0, prior=0.5, scenario="case-control").fit(wide, s).decision_function(wide),
        narrow.decision_function(X),
    )


@pytest.mark.parametrize("options", [{}, {"early_stopping": True}, {"subsample": 0.5, "max_features": 0.5}])
def test_fits_that_find_bins_kept_are_the_same_to_the_bit(options):
    X, s = np.random.default_rng(0).standard_normal((400, 4)), np.arange(400) % 5 == 0
    trials = [
        NovelGB(0.4, scenario="case-control", max_depth=depth, l2=l2, random_state=0, **options)
        for depth in (1, 4)
        for l2 in (1.0, 50.0)
    ]
    SHARED.clear()
    shared = [trial.fit(X, s).decision_function(X) for trial in [*trials, *trials[::-1]]]
    assert len(SHARED) == 1
    for trial, *found in zip(trials, shared[: len(trials)], shared[: len(trials) - 1 : -1], strict=True):
        SHARED.clear()
        alone = trial.fit(X, s).decision_function(X)
        for one in found:
            np.testing.assert_array_equal(alone, one)
