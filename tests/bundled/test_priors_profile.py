"""The profile likelihood and the bound without purity: their formulas, and that they hold what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from pubench_priors import bound, profile, scoring
from pubench_priors.problem import Problem, read_problem
from scipy.optimize import approx_fprime, minimize
from scipy.special import expit, logit
from scipy.stats import beta

from pubench import estimate_prior
from pubench.errors import PriorError
from pubench.specs import SCENARIOS


def sample(n_p=300, n_u=1500, slope=2.0, level=-1.0, seed=0):
    """Return logits f and s: U is normal with Pr(y = 1 | f) = sigma(slope f + level), P is as U's positives; and q."""
    rng = np.random.default_rng(seed)
    f = rng.standard_normal(n_u + 40 * n_p)
    y = rng.random(len(f)) < expit(slope * f + level)
    P, q = f[n_u:][y[n_u:]][:n_p], y[:n_u].mean()
    return np.r_[P, f[:n_u]], (np.arange(len(P) + n_u) < len(P)).astype(np.uint8), q


def test_the_likelihood_is_that_of_its_formula():
    f, s, _ = sample(40, 100)
    groups = profile.grouped(expit(f), s)
    z = (f - f.mean()) / f.std()
    for q, (b, a1, a2) in ((0.2, (0.3, 1.2, 0.0)), (0.9, (-2.0, 0.1, 3.0))):
        expected = -0.05 * (a1**2 + a2**2)
        for one, label in zip(z, s, strict=True):
            p = 1 / (1 + np.exp(-(b + a1 * one + a2 * max(one, 0))))
            odds = 40 / 100 / q * p
            expected += np.log(odds / (1 + odds)) if label else np.log(1 / (1 + odds))
        assert profile.log_likelihood(np.array([b, a1, a2]), q, groups)[0] == pytest.approx(expected)


def test_the_gradient_is_that_of_the_likelihood():
    groups = profile.grouped(*[part[::5] for part in (expit(sample()[0]), sample()[1])])
    for theta in ([0.0, 1.0, 0.0], [-3.0, 0.2, 2.0], [4.0, 5.0, 1.0]):
        value = lambda at: profile.log_likelihood(at, 0.4, groups)[0]  # noqa: E731
        numeric = approx_fprime(np.array(theta), value, 1e-6)
        assert profile.log_likelihood(np.array(theta), 0.4, groups)[1] == pytest.approx(
            numeric, rel=1e-3, abs=1e-3
        )


def test_groups_are_rows_until_there_are_too_many():
    f, s, _ = sample(50, 250)
    every, few = (profile.grouped(expit(f), s, most) for most in (300, 60))
    assert len(every.rows) == 300
    assert (few.rows == 5).all()
    assert every.labelled.sum() == few.labelled.sum() == 50
    assert few.Z.sum(axis=0) * 5 == pytest.approx(every.Z.sum(axis=0))
    # Neighbours in score differ so little that the profile hardly moves.
    exact, coarse = (profile.within(profile.profile_curve(groups, 1.35), 1.35) for groups in (every, few))
    assert coarse == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize("slope", [1.0, pytest.param(3.0, marks=pytest.mark.slow)])
def test_the_curve_has_the_greatest_likelihood_at_each_share(slope):
    # With a slope of 1 a careless search ends where all p(x) are 1, and the likelihood is flat.
    f, s, _ = sample(120, 500, slope=slope)
    groups = profile.grouped(expit(f), s)
    curve = profile.profile_curve(groups, 1e9, points=4)
    starts = [(b, a1, a2) for b in (-3.0, 1.0) for a1 in (0.5, 3.0) for a2 in (0.1, 2.0)]
    for share, value in zip(*curve, strict=True):
        found = [_by_simplex(share, groups, start) for start in starts]
        assert value >= max(found) - 1e-3


def _by_simplex(share, groups, start):
    """Return a maximum of the likelihood that needs no gradient."""
    loss = lambda at: -profile.log_likelihood(at, share, groups)[0]  # noqa: E731
    limits = [(-50, 50), (0, 50), (0, 50)]
    return -minimize(loss, start, method="Nelder-Mead", bounds=limits, options={"fatol": 1e-7}).fun


def test_the_ends_are_where_the_curve_has_dropped():
    shares = expit(np.linspace(-4.0, 4.0, 9))
    curve = profile.Curve(shares, -(np.linspace(-4.0, 4.0, 9) ** 2))
    low, high = profile.within(curve, 1.5)
    # From -1 at log-odds of 1 to -4 at 2: -1.5 is a sixth of the way.
    assert (logit(low), logit(high)) == pytest.approx((-1 - 1 / 6, 1 + 1 / 6))
    assert profile.within(curve, 100.0) == (shares[0], shares[-1])


def test_the_grid_is_fine_where_the_interval_ends():
    f, s, _ = sample(3000, 12_000, slope=9.0)
    curve = profile.profile_curve(profile.grouped(expit(f), s), 1.35)
    fine = profile.profile_curve(profile.grouped(expit(f), s), 1.35, points=101)
    assert np.diff(curve.shares).max() < 0.02
    assert profile.within(curve, 1.35) == pytest.approx(profile.within(fine, 1.35), abs=0.002)


@pytest.mark.parametrize("level", [-2.0, 0.0])
def test_the_share_is_found_where_the_shape_is_right_and_no_region_is_pure(level):
    f, s, q = sample(3000, 12_000, slope=2.5, level=level, seed=1)
    curve = profile.profile_curve(profile.grouped(expit(f), s), 1.35)
    assert curve.shares[np.argmax(curve.values)] == pytest.approx(q, abs=0.06)
    low, high = profile.within(curve, 1.35)
    assert low <= q <= high


@pytest.mark.slow
@pytest.mark.parametrize("slope", [1.0, 2.5])
def test_intervals_cover_where_the_shape_is_right(slope):
    inside = []
    for seed in range(60):
        f, s, q = sample(150, 600, slope=slope, seed=seed)
        low, high = profile.within(profile.profile_curve(profile.grouped(expit(f), s), 1.35), 1.35)
        inside.append(low <= q <= high)
    # 60 tosses of 0.9: two and a half standard errors are 0.1.
    assert np.mean(inside) >= 0.8


def test_scores_count_up_to_scale_and_place_of_their_logits():
    f, s, _ = sample(60, 300)
    one, two = (profile.profile_curve(profile.grouped(expit(part), s), 1.35) for part in (f, 0.5 * f - 1.0))
    assert two.values == pytest.approx(one.values, abs=1e-3)


def test_both_scenarios_have_one_share_of_u():
    rng = np.random.default_rng(0)
    s = (np.arange(500) < 100).astype(int)
    y = (s == 1) | (np.arange(500) < 220)
    X = rng.standard_normal((500, 2)) + 3.0 * y[:, None]
    asked = {"estimator": "profile", "random_state": 0, "classifier": "logistic"}
    case, single = (
        estimate_prior(X, s, scenario=scenario, **asked)
        for scenario in ("case-control", "single-training-set")
    )
    for one in ("value", "low", "high", "upper"):
        assert getattr(single, one) == pytest.approx((100 + 400 * getattr(case, one)) / 500)
    assert case.low <= 0.3 <= case.high <= 1.0
    assert case.upper > 0.3


def test_equal_scores_leave_everything_open():
    s = (np.arange(60) < 20).astype(np.uint8)
    low, high = profile.within(profile.profile_curve(profile.grouped(np.full(60, 0.3), s), 1.35), 1.35)
    # Half a row of U's 40 is the least.
    assert (low, high) == pytest.approx((0.5 / 41, 40.5 / 41))


def test_bad_parameters_are_named():
    with pytest.raises(PriorError, match="prior estimator 'profile' has no parameter 'points'"):
        estimate_prior(np.eye(9), np.arange(9) < 4, scenario="case-control", estimator="profile", points=3)


def twin(labelled, unlabelled, level=0.95):
    """The bound of the formula, one threshold after the other."""
    tail, bounds = (1 - level) / 18, [1.0]
    for tenth in range(1, 10):
        t = np.sort(labelled)[int(np.ceil(len(labelled) * tenth / 10 - 1e-9)) - 1]
        k, n = np.sum(unlabelled >= t), len(unlabelled)
        j, m = np.sum(labelled >= t), len(labelled)
        most = 1.0 if k == n else beta.ppf(1 - tail, k + 1, n - k)
        bounds.append(most / beta.ppf(tail, j, m - j + 1))
    return min(bounds)


@pytest.mark.parametrize(("n_p", "n_u"), [(2, 2), (7, 30), (50, 400), (300, 1000)])
def test_the_bound_is_that_of_its_formula(n_p, n_u):
    rng = np.random.default_rng(n_p)
    labelled, unlabelled = rng.normal(1.5, 1, n_p), rng.normal(0, 1, n_u)
    assert bound.upper_bound(labelled, unlabelled) == pytest.approx(twin(labelled, unlabelled))


def test_the_bound_shrinks_to_the_share_as_pure_samples_grow():
    rng = np.random.default_rng(0)
    found = []
    for n in (100, 1000, 10_000, 100_000):
        positive = rng.random(n) < 0.3
        found.append(bound.upper_bound(rng.normal(9, 1, n), rng.normal(9.0 * positive, 1)))
    assert found == sorted(found, reverse=True)
    assert 0.3 < found[-1] < 0.33
    assert bound.upper_bound(np.zeros(50), np.zeros(60)) == 1.0


@pytest.mark.parametrize("apart", [0.5, 1.5, 6.0])
def test_the_bound_holds_with_and_without_purity(apart):
    rng = np.random.default_rng(0)
    held = []
    for _ in range(300):
        positive = rng.random(400) < 0.4
        held.append(
            bound.upper_bound(rng.normal(apart, 1, 100), rng.normal(apart * positive, 1)) >= positive.mean()
        )
    assert np.mean(held) >= 0.95


def test_the_same_question_is_scored_once(monkeypatch):
    rng = np.random.default_rng(0)
    X, s = rng.standard_normal((80, 2)), (np.arange(80) < 30).astype(np.uint8)
    fits = []
    kept = scoring._out_of_fold
    monkeypatch.setattr(scoring, "_out_of_fold", lambda *asked: fits.append(1) or kept(*asked))
    first = scoring.score_rows(Problem(X, s, "case-control", 0, False), "logistic", 5)
    again = scoring.score_rows(Problem(X.copy(), s, "single-training-set", 0, False), "logistic", 5)
    assert (again == first).all()
    assert len(fits) == 1
    again[:] = 0.0
    assert (scoring.score_rows(Problem(X, s, "case-control", 0, False), "logistic", 5) == first).all()
    others = [
        (Problem(X + 1e-9, s, "case-control", 0, False), "logistic", 5),
        (Problem(X, s[::-1].copy(), "case-control", 0, False), "logistic", 5),
        (Problem(X, s, "case-control", 1, False), "logistic", 5),
        (Problem(X, s, "case-control", 0, False), "logistic", 4),
        (Problem(X, s, "case-control", 0, False), "boosting", 5),
    ]
    for number, asked in enumerate(others, start=2):
        scoring.score_rows(*asked)
        assert len(fits) == number


def test_the_interval_is_that_of_a_coarsened_likelihood():
    for n_p in (50, 300, 900):
        f, s, _ = sample(n_p, 1500)
        found = estimate_prior(f[:, None], s, scenario="case-control", estimator="profile", random_state=0)
        problem = read_problem("profile", f[:, None], s, "case-control", 0, claimed=SCENARIOS)
        scores = scoring.score_rows(problem, "auto", 5)
        drop = (1 + min(n_p, 400) / 100) * 1.3528
        low, high = profile.within(profile.profile_curve(profile.grouped(scores, s), drop), drop)
        assert (found.low, found.high) == pytest.approx((low, high), abs=1e-3)
