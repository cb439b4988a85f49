"""Laws of naive Bayes from positive and unlabelled rows, and of S-EM."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pubench_classics.naive_bayes import Multinomial, fit_naive_bayes
from pubench_classics.pu_naive_bayes import PUNaiveBayes
from pubench_classics.sem import SpyEM, Step, error_change
from pubench_classics.spies import below_spies, send_spies
from scipy import sparse
from scipy.special import expit
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.utils.estimator_checks import parametrize_with_checks

SINGLE, CONTROL = "single-training-set", "case-control"
# Its rows are negative although positive_only is set.
ONLY_COUNTS = {"check_decision_proba_consistency": "fits rows that are no counts"}


@parametrize_with_checks([PUNaiveBayes(prior=0.5, scenario="case-control"), SpyEM(scenario="case-control")])
@pytest.mark.filterwarnings("ignore:none of the")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        PUNaiveBayes(scenario=SINGLE, prior=0.5),
        PUNaiveBayes(model="gaussian", prior=0.5, scenario="case-control"),
        PUNaiveBayes(model="multinomial", scenario=SINGLE, prior=0.5),
        SpyEM(scenario=SINGLE),
        SpyEM(model="multinomial", scenario="case-control"),
    ],
    expected_failed_checks=lambda model: ONLY_COUNTS if model.model == "multinomial" else {},
)
@pytest.mark.filterwarnings("ignore:none of the")
def test_scikit_learns_checks_of_variants(estimator, check):
    check(estimator)


def make_counts(seed=0, n=80, d=6):
    rng = np.random.default_rng(seed)
    s = (np.arange(n) % 3 == 0).astype(int)
    return rng.poisson(np.where(s[:, None] == 1, 3.0, 1.0) * rng.uniform(0.2, 1, d)).astype(float), s


def make_rows(seed=0, n=80, d=3):
    rng = np.random.default_rng(seed)
    s = (np.arange(n) % 3 == 0).astype(int)
    return rng.normal(np.where(s[:, None] == 1, 1.0, -0.5), np.where(s[:, None] == 1, 0.7, 1.3), (n, d)), s


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.floats(1e-3, 10.0))
def test_models_equal_scikit_learns_when_classes_are_known(seed, smoothing):
    """Sure classes are weights of 0 and 1."""
    for (X, s), model, peer in (
        (make_counts(seed), "multinomial", MultinomialNB(alpha=smoothing)),
        (make_rows(seed), "gaussian", GaussianNB(var_smoothing=smoothing)),
    ):
        weights = ((1.0 - s), s.astype(float))
        ours = fit_naive_bayes(X, weights, float(s.mean()), model, smoothing)
        np.testing.assert_allclose(expit(ours.log_odds(X)), peer.fit(X, s).predict_proba(X)[:, 1], atol=1e-9)


def test_halved_rows_counted_twice_change_nothing():
    for X, model in ((make_counts()[0], "multinomial"), (make_rows()[0], "gaussian")):
        w = np.random.default_rng(1).uniform(size=len(X))
        once = fit_naive_bayes(X, (1 - w, w), 0.3, model, 0.1)
        twice = fit_naive_bayes(
            np.concatenate([X, X]), (np.tile(1 - w, 2) / 2, np.tile(w, 2) / 2), 0.3, model, 0.1
        )
        np.testing.assert_allclose(once.log_odds(X), twice.log_odds(X), atol=1e-9)


def test_all_positives_labelled_is_naive_bayes():
    """With the prior n_p / n of a single training set, nothing is taken out of U."""
    for (X, s), peer in ((make_counts(2), MultinomialNB()), (make_rows(2), GaussianNB(var_smoothing=0.01))):
        model = "multinomial" if isinstance(peer, MultinomialNB) else "gaussian"
        ours = PUNaiveBayes(s.mean(), scenario=SINGLE, model=model).fit(X, s)
        np.testing.assert_allclose(ours.predict_proba(X), peer.fit(X, s).predict_proba(X), atol=1e-9)
        lower = PUNaiveBayes(s.mean() / 2, scenario=SINGLE, model=model).fit(X, s)
        np.testing.assert_allclose(lower.decision_function(X), ours.decision_function(X), atol=1e-9)


def sample(scenario, prior, rng, draw, n=40_000):
    """PU rows of ``draw(y)`` in a scenario, with the true classes."""
    y = rng.random(n) < prior
    if scenario == SINGLE:
        return draw(y), (y & (rng.random(n) < 0.4)).astype(int), y
    y = np.concatenate([np.ones(n // 5, dtype=bool), y])
    return draw(y), (np.arange(len(y)) < n // 5).astype(int), y


@pytest.mark.parametrize("scenario", [SINGLE, CONTROL])
def test_the_negative_class_is_recovered(scenario):
    """Means, variances and shares of terms of negatives come back from P and U; texts differ in length."""
    rng, prior = np.random.default_rng(3), 0.35
    X, s, _ = sample(
        scenario, prior, rng, lambda y: rng.normal(np.where(y, 2.0, -1.0), np.where(y, 0.5, 1.5))[:, None]
    )
    model = PUNaiveBayes(prior, scenario=scenario, var_smoothing=1e-9).fit(X, s)
    np.testing.assert_allclose(model.model_.means[:, 0], [-1.0, 2.0], atol=0.05)
    np.testing.assert_allclose(model.model_.variances[:, 0], [2.25, 0.25], atol=0.1)
    shares = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7]])
    length = np.array([4.0, 12.0])
    X, s, y = sample(
        scenario,
        prior,
        rng,
        lambda y: rng.poisson((length[:, None] * shares)[y.astype(int)]).astype(float),
    )
    share = y.mean() if scenario == SINGLE else y[s == 0].mean()
    model = PUNaiveBayes(share, scenario=scenario).fit(sparse.csr_array(X), s)
    np.testing.assert_allclose(model.model_.weights, np.log(shares[1] / shares[0]), atol=0.1)
    truth = MultinomialNB().fit(X, y)
    assert (model.predict(sparse.csr_array(X)) == truth.predict(X)).mean() > 0.99


def test_sparse_rows_are_counts_and_equal_dense_ones():
    X, s = make_counts(4)
    for thin, dense in (
        (
            PUNaiveBayes(0.4, scenario="case-control"),
            PUNaiveBayes(0.4, model="multinomial", scenario="case-control"),
        ),
        (
            SpyEM(random_state=0, scenario="case-control"),
            SpyEM(model="multinomial", random_state=0, scenario="case-control"),
        ),
    ):
        np.testing.assert_allclose(
            thin.fit(sparse.csr_array(X), s).decision_function(sparse.csr_array(X)),
            dense.fit(X, s).decision_function(X),
        )
        assert thin.model_name_ == "multinomial"
        assert isinstance(thin.model_, Multinomial)


@pytest.mark.parametrize("scenario", [SINGLE, CONTROL])
@pytest.mark.parametrize("select", [True, False])
def test_s_em_finds_classes_that_are_apart(scenario, select):
    rng, prior = np.random.default_rng(5), 0.4
    X, s, y = sample(
        scenario, prior, rng, lambda y: rng.normal(np.where(y, 2.0, -2.0)[:, None], size=(len(y), 2)), 4_000
    )
    model = SpyEM(scenario=scenario, select=select, random_state=0).fit(X, s)
    assert (model.predict(X) == y).mean() > 0.98
    if not select:
        assert model.prior_ == pytest.approx(prior, abs=0.02)
        again = SpyEM(scenario=scenario, select=False, random_state=0, max_iter=model.n_iter_ + 50).fit(X, s)
        np.testing.assert_allclose(model.decision_function(X), again.decision_function(X), rtol=1e-6)


def test_the_spies_choose_and_a_seed_chooses_the_spies():
    X, y = make_rows(6, n=300)
    s = y * (np.arange(300) % 2)
    one, same, other = (SpyEM(random_state=seed, scenario="case-control").fit(X, s) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.decision_function(X), same.decision_function(X))
    assert one.n_likely_negative_ > 0
    assert not np.array_equal(one.decision_function(X), other.decision_function(X))


def test_spies_are_a_share_never_none_never_all():
    labelled = np.arange(40) < 20
    rng = np.random.RandomState(0)
    for share, n in ((0.15, 3), (1e-6, 1), (0.999, 19)):
        spies = send_spies(labelled, share, rng)
        assert spies.sum() == n
        assert not (spies & ~labelled).any()
    scores = np.arange(40.0)[::-1]  # P scores 39 to 20, U 19 to 0
    scores[[0, 1, 2, 3]] = 5.0, 10.0, 30.0, 35.0
    below = below_spies(scores, labelled, np.arange(40) < 4, 0.0)
    np.testing.assert_array_equal(np.flatnonzero(below), np.flatnonzero(~labelled & (scores < 5.0)))
    below = below_spies(scores, labelled, np.arange(40) < 4, 0.25)
    np.testing.assert_array_equal(np.flatnonzero(below), np.flatnonzero(~labelled & (scores < 10.0)))


def test_the_change_of_error_is_that_of_the_true_error():
    """If P is all positives and the prior is their share, Delta is the change of the error itself."""
    rng = np.random.default_rng(7)
    y = rng.random(500) < 0.3
    steps = [Step(None, rng.normal(size=500) + y, float(y.mean()), i) for i in (1, 2)]
    errors = [((step.odds >= 0) != y).mean() for step in steps]
    change = error_change(*steps, y, np.ones(500, dtype=bool))
    assert change == pytest.approx(errors[1] - errors[0])


def test_without_likely_negatives_all_of_u_starts_as_negative():
    X = np.zeros((20, 1))
    with pytest.warns(UserWarning, match="none of the 15 unlabelled rows looks negative"):
        model = SpyEM(random_state=0, scenario="case-control").fit(X, (np.arange(20) < 5).astype(int))
    assert model.n_likely_negative_ == 0
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("prior", [1e-9, 1e-3, 0.999, 1 - 1e-9])
@pytest.mark.parametrize("scenario", [SINGLE, CONTROL])
def test_priors_at_the_edge_stay_finite(prior, scenario):
    for X, s in (make_rows(8), make_counts(8)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            # A single training set holds at least its labelled positives.
            warnings.filterwarnings("default", "the prior .* is below")
            model = PUNaiveBayes(prior, scenario=scenario).fit(X, s)
            assert np.isfinite(model.decision_function(X)).all()
            assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("model", "X", "told"),
    [
        (
            PUNaiveBayes(0.0, scenario="case-control"),
            np.eye(9),
            r"^prior of PUNaiveBayes must be .*; got 0.0",
        ),
        (
            PUNaiveBayes(1.0, scenario="case-control"),
            np.eye(9),
            r"^prior of PUNaiveBayes must be .*; got 1.0",
        ),
        (
            PUNaiveBayes(alpha=0, prior=0.5, scenario="case-control"),
            np.eye(9),
            r"^alpha of PUNaiveBayes must be",
        ),
        (
            PUNaiveBayes(model="multinomial", prior=0.5, scenario="case-control"),
            -np.eye(9),
            r"^Negative values in data: the multinomial model",
        ),
        (
            PUNaiveBayes(prior=0.5, scenario="case-control"),
            sparse.csr_array(-np.eye(9)),
            r"but X holds -1; use model = 'gaussian' with dense",
        ),
        (
            SpyEM(model="gaussian", scenario="case-control"),
            sparse.csr_array(np.eye(9)),
            r"^model = 'gaussian' takes dense rows",
        ),
        (
            PUNaiveBayes(prior=0.5, scenario="case-control"),
            1e200 * np.eye(9),
            r"^the features are too large to be squared",
        ),
        (SpyEM(spies=1.0, scenario="case-control"), np.eye(9), r"^spies of SpyEM must be"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid")
def test_what_cannot_be_done_is_said_in_one_sentence(model, X, told):
    with pytest.raises(ValueError, match=told) as caught:
        model.fit(X, (np.arange(9) < 4).astype(int))
    assert "\n" not in str(caught.value)


def test_spies_need_two_labelled_rows():
    with pytest.raises(ValueError, match=r"^y has 1 labelled row, but spies need at least 2"):
        SpyEM(scenario="case-control").fit(np.eye(9), (np.arange(9) < 1).astype(int))
    assert np.isfinite(
        PUNaiveBayes(prior=0.5, scenario="case-control")
        .fit(np.eye(9), np.arange(9) < 1)
        .decision_function(np.eye(9))
    ).all()
