"""Laws of Elkan and Noto's method, scaling and weighting."""

from __future__ import annotations

import numpy as np
import pytest
from pubench_classics.elkan_noto import ElkanNoto, WeightedElkanNoto
from pubench_classics.label_frequency import label_frequency, prior_of, unlabeled_posterior
from scipy.integrate import quad
from scipy.special import expit, logit
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

SINGLE, CONTROL = "single-training-set", "case-control"


class Known(ClassifierMixin, BaseEstimator):
    """Is told Pr(s = 1 | x): it is the first column."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.seen_ = X, y, sample_weight
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])

    def predict(self, X):
        return (X[:, 0] >= 0.5).astype(int)


@parametrize_with_checks([ElkanNoto(scenario="case-control"), WeightedElkanNoto(scenario="case-control")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        ElkanNoto(scenario=SINGLE),
        ElkanNoto(GaussianNB(), c_from="max", scenario="case-control"),
        WeightedElkanNoto(scenario=SINGLE),
        WeightedElkanNoto(GaussianNB(), scenario="case-control"),
    ]
)
def test_scikit_learns_checks_of_variants(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("how", "c"), [("mean", 0.7), ("ratio", 1.4 / 2.0), ("max", 0.8)])
def test_a_case_worked_by_hand(how, c):
    """g = 0.8, 0.6 on P and 0.1, 0.3, 0.2 on U: n_p = 2 of n = 5."""
    g, s = np.array([0.8, 0.6, 0.1, 0.3, 0.2]), np.array([1, 1, 0, 0, 0])
    assert label_frequency(g, s, how) == pytest.approx(c)
    model = ElkanNoto(Known(), c_from=how, scenario=SINGLE).fit(g[:, None], s)
    assert model.c_ == pytest.approx(c)
    assert model.prior_ == pytest.approx(2 / (5 * c))
    np.testing.assert_allclose(model.predict_proba(g[:, None])[:, 1], np.minimum(g / c, 1))
    np.testing.assert_array_equal(model.predict(g[:, None]), g / c >= 0.5)
    other = ElkanNoto(Known(), c=0.7, scenario=CONTROL).fit(g[:, None], s)
    # (1 - c) / c = 3/7; g / (1 - g) = 4, 1.5, 1/9, 3/7, 1/4.
    np.testing.assert_allclose(
        other.decision_function(g[:, None]) + 0.5, np.array([4, 1.5, 1 / 9, 3 / 7, 1 / 4]) * 3 / 7
    )
    assert other.prior_ == pytest.approx(2 / 3 * 3 / 7)


def gaussians(mu, prior, n, rng):
    """Rows of two unit Gaussians at +mu and -mu, their classes, and Pr(y = 1 | x)."""
    y = rng.random(n) < prior
    x = rng.normal(np.where(y, mu, -mu))
    return x, y, expit(2 * mu * x + logit(prior))


@pytest.mark.parametrize("mu", [0.7, 1.5, 4.0])
def test_c_agrees_with_closed_form_gaussians(mu):
    """e1 is c times the mean Pr(y = 1 | x) of positives: c itself once the classes are apart."""
    prior, c, rng = 0.4, 0.3, np.random.default_rng(0)
    _, y, posterior = gaussians(mu, prior, 100_000, rng)
    s = (y & (rng.random(len(y)) < c)).astype(int)
    model = ElkanNoto(Known(), scenario=SINGLE, folds=2).fit(c * posterior[:, None], s)
    mean, _ = quad(lambda t: expit(2 * mu * t + logit(prior)) * norm.pdf(t, mu), mu - 12, mu + 12, points=[0])
    assert model.c_ == pytest.approx(c * mean, abs=0.002)
    assert ElkanNoto(Known(), c_from="max", scenario=SINGLE).fit(
        c * posterior[:, None], s
    ).c_ == pytest.approx(c, abs=0.03)
    if mu == 4.0:
        assert model.c_ == pytest.approx(c, abs=0.002)
        assert model.prior_ == pytest.approx(prior, abs=0.01)


@pytest.mark.parametrize("scenario", [SINGLE, CONTROL])
def test_c_prior_and_posterior_are_right_when_learned(scenario):
    prior, rng = 0.4, np.random.default_rng(1)
    x, y, _ = gaussians(4.0, prior, 20_000, rng)
    if scenario == SINGLE:
        s, c = (y & (rng.random(len(y)) < 0.3)).astype(int), 0.3
    else:
        x = np.concatenate([x, rng.normal(4.0, size=3_000)])
        s, c = np.repeat([0, 1], [20_000, 3_000]), 3_000 / (3_000 + prior * 20_000)
    X = np.column_stack([x > 0, rng.normal(size=len(x))]).astype(float)
    for form in (ElkanNoto, WeightedElkanNoto):
        model = form(scenario=scenario, random_state=0).fit(X, s)
        assert model.c_ == pytest.approx(c, abs=0.01)
        assert model.prior_ == pytest.approx(prior, abs=0.02)
        assert (model.predict(X[: len(y)]) == y).mean() > 0.999
        assert model.predict_proba(X[: len(y)])[:, 1].mean() == pytest.approx(prior, abs=0.02)


@pytest.mark.parametrize("scenario", [SINGLE, CONTROL])
def test_the_posterior_is_exact_where_g_and_c_are(scenario):
    """The true g and c give back the true Pr(y = 1 | x), however much the classes overlap."""
    prior, n_p, n_u = 0.3, 500, 2_000
    x, _, posterior = gaussians(0.8, prior, n_u, np.random.default_rng(2))
    if scenario == SINGLE:
        c = 0.4
        g = c * posterior
    else:
        positive, population = norm.pdf(x, 0.8), 0.3 * norm.pdf(x, 0.8) + 0.7 * norm.pdf(x, -0.8)
        g = n_p * positive / (n_p * positive + n_u * population)
        c = n_p / (n_p + prior * n_u)
    s = (np.arange(n_u) < n_p).astype(int)
    model = ElkanNoto(Known(), c=c, scenario=scenario).fit(g[:, None], s)
    np.testing.assert_allclose(model.predict_proba(g[:, None])[:, 1], posterior, rtol=1e-9)


@pytest.mark.parametrize("scenario", [SINGLE, CONTROL])
def test_unlabelled_rows_count_for_both_classes_and_none_has_weight_zero(scenario):
    rng = np.random.default_rng(3)
    g, s = rng.uniform(0.0, 0.6, 50), (np.arange(50) < 10).astype(int)
    g[10] = 0.0
    model = WeightedElkanNoto(Known(), c=0.5, scenario=scenario).fit(g[:, None], s)
    rows, codes, weights = model.estimator_.seen_
    assert (weights > 0).all()
    w = np.minimum(unlabeled_posterior(g, 0.5), 1)
    for row in range(50):
        here = rows[:, 0] == g[row]
        total = [weights[here & (codes == code)].sum() for code in (0, 1)]
        counted = [0.0, float(scenario == SINGLE)] if s[row] else [1 - w[row], w[row]]
        np.testing.assert_allclose(total, counted)


def test_all_positives_labelled_is_supervised_learning():
    """With c = 1 no unlabelled row is positive: both forms are the learner fitted on s."""
    rng = np.random.default_rng(4)
    X, s = rng.normal(size=(80, 3)), (np.arange(80) % 4 == 0).astype(int)
    plain = LogisticRegression(tol=1e-10).fit(X, s).predict_proba(X)
    for form in (ElkanNoto, WeightedElkanNoto):
        model = form(LogisticRegression(tol=1e-10), c=1.0, scenario=SINGLE).fit(X, s)
        np.testing.assert_allclose(model.predict_proba(X), plain, atol=1e-6)


def test_pipelines_take_the_weights():
    rng = np.random.default_rng(5)
    X, s = rng.normal(size=(80, 3)), (np.arange(80) % 4 == 0).astype(int)
    learner = make_pipeline(StandardScaler(), LogisticRegression())
    model = WeightedElkanNoto(learner, random_state=0, scenario="case-control").fit(X, s)
    assert np.isfinite(model.decision_function(X)).all()


def test_the_priors_of_both_scenarios():
    assert prior_of(0.5, 10, 90, SINGLE) == pytest.approx(0.2)
    assert prior_of(10 / (10 + 0.2 * 90), 10, 90, CONTROL) == pytest.approx(0.2)
    assert prior_of(0.01, 50, 50, SINGLE) == 1.0


@pytest.mark.parametrize(
    ("model", "labelled", "told"),
    [
        (
            ElkanNoto(LinearSVC(), scenario="case-control"),
            10,
            r"^LinearSVC has no predict_proba.*wrap this one in CalibratedClassif",
        ),
        (WeightedElkanNoto(LinearSVC(), scenario="case-control"), 10, r"^LinearSVC has no predict_proba"),
        (
            WeightedElkanNoto(KNeighborsClassifier(), scenario="case-control"),
            10,
            r"^KNeighborsClassifier takes no sample weights",
        ),
        (
            ElkanNoto(scenario="case-control"),
            1,
            r"^y has 1 labelled row, but cross-validation needs at least 2",
        ),
        (ElkanNoto(scenario="case-control"), 39, r"^y has 1 unlabelled row, but"),
        (
            ElkanNoto(Known(), scenario="case-control"),
            10,
            r"^c cannot be estimated: the learner gives held-out labelled rows.*or give c$",
        ),
        (
            WeightedElkanNoto(c=1.0, scenario="case-control"),
            10,
            r"^with c = 1 every unlabelled row counts as negative only",
        ),
        (ElkanNoto(c=0.0, scenario="case-control"), 10, r"^c of ElkanNoto must be .*; got 0.0"),
        (ElkanNoto(c=1.1, scenario="case-control"), 10, r"^c of ElkanNoto must be"),
        (ElkanNoto(folds=1, scenario="case-control"), 10, r"^folds of ElkanNoto must be"),
        (ElkanNoto(scenario="other"), 10, r"^scenario of ElkanNoto must be 'case-control' \("),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(model, labelled, told):
    X = np.random.default_rng(0).normal(size=(40, 2))
    X[:, 0] = 0.0
    with pytest.raises(ValueError, match=told) as caught:
        model.fit(X, (np.arange(40) < labelled).astype(int))
    assert "\n" not in str(caught.value)


def test_one_labelled_row_is_enough_if_c_is_known():
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = ElkanNoto(c=0.5, scenario=SINGLE).fit(X, (np.arange(40) < 1).astype(int))
    assert np.isfinite(model.decision_function(X)).all()


def test_without_positives_among_the_unlabelled_the_labelled_stand_for_them():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(50.0, 1.0, (40, 2)), rng.normal(0.0, 1.0, (120, 2))])
    s = np.repeat([1, 0], [40, 120])
    with pytest.warns(UserWarning, match="no unlabelled row counts as positive"):
        model = WeightedElkanNoto(GaussianNB(), scenario="case-control").fit(X, s)
    np.testing.assert_array_equal(model.predict(X), s)
