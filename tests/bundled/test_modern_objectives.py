"""Laws of what recent methods lower: slopes, limiting cases, and errors that other toolkits make."""

from __future__ import annotations

import numpy as np
import pytest
from pubench_modern.cvir import keep_lowest
from pubench_modern.objectives import (
    CrossEntropy,
    DistributionAlignment,
    Variational,
    prediction_entropy,
    soft_cross_entropy,
)
from pubench_modern.robust_pu import easy_weights
from pubench_modern.rows import Sample, cycled
from pubench_modern.self_pu import trusted_labels
from pubench_modern.vpu import mixed_consistency
from pubench_risk.losses import Masses, Objective
from scipy.optimize import minimize
from scipy.special import expit, logit

from pubench.risk import pu_risk
from pubench.specs import SCENARIOS

N_P = 12


def scores_of(n=40, seed=0, scale=2.0):
    return np.random.default_rng(seed).normal(size=n) * scale


def slope_by_differences(value, scores, step=1e-6):
    """Return the slopes of a function of scores, one score at a time."""
    shifts = step * np.eye(len(scores))
    return np.array([(value(scores + shift) - value(scores - shift)) / (2 * step) for shift in shifts])


OBJECTIVES = {
    "dist-pu": DistributionAlignment(0.3),
    "vpu": Variational(),
    "cross-entropy": CrossEntropy(0.3, 0.7),
    "weighted": lambda f, n_p: CrossEntropy(0.3, 0.7)(f, n_p, np.linspace(0.1, 2.0, len(f))),
    "soft": lambda f, n_p: soft_cross_entropy(f, np.linspace(0.0, 1.0, len(f))),
    "entropy": lambda f, _: prediction_entropy(f),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_slopes_are_those_of_the_value(name):
    loss, scores = OBJECTIVES[name], scores_of()
    expected = slope_by_differences(lambda f: loss(f, N_P).value, scores)
    np.testing.assert_allclose(loss(scores, N_P).slopes, expected, atol=1e-8)


def test_dist_pu_of_perfect_scores_is_nothing():
    """P, and a share of U that is the prior, at plus infinity, and the rest of U at minus infinity."""
    scores = np.where(np.arange(40) < N_P + 7, 40.0, -40.0)
    found = DistributionAlignment(7 / 28)(scores, N_P)
    assert found.value == pytest.approx(0.0, abs=1e-12)


def test_dist_pu_without_absolute_values_is_the_unbiased_risk_of_the_sigmoid_loss():
    """While the bars change nothing: predictions of U above the prior."""
    scores, s = scores_of() + 1.0, np.repeat([1, 0], [N_P, 28])
    found = DistributionAlignment(0.2)(scores, N_P)
    assert expit(scores[N_P:]).mean() > 0.2
    assert found.value == pytest.approx(
        pu_risk(scores, s, prior=0.2, scenario="case-control", loss="sigmoid")
    )
    # Below the prior the bars turn the sign, and the loss stays at least 0; the risk does not.
    low = np.where(np.arange(40) < N_P, 40.0, -40.0)
    assert DistributionAlignment(0.2)(low, N_P).value == pytest.approx(0.2)
    assert pu_risk(low, s, prior=0.2, scenario="case-control", loss="sigmoid") == pytest.approx(-0.2)


@pytest.mark.parametrize("scale", [1.0, 50.0, 1e4])
def test_dist_pu_takes_scores_and_makes_probabilities_of_them(scale):
    """Fed with raw outputs, which may be negative, a mean 'prediction' would leave [0, 1], and the loss its range."""
    prior = 0.3
    found = DistributionAlignment(prior)(scores_of(scale=scale) - scale, N_P)
    assert 0.0 <= found.value <= 2 * prior + max(prior, 1 - prior)
    assert np.isfinite(found.slopes).all()


def test_vpu_finds_the_posterior_of_six_atoms_up_to_a_factor():
    """The minimum is -KL(p+ || p), and Phi is proportional to Pr(y = 1 | x); a log too many or few finds neither."""
    count_p, count_u = np.array([8, 6, 3, 2, 1, 0]), np.array([9, 8, 9, 10, 12, 12])
    p, u = count_p / count_p.sum(), count_u / count_u.sum()
    seen = p > 0
    atoms = np.concatenate([np.repeat(np.arange(6), count_p), np.repeat(np.arange(6), count_u)])

    def value(theta):
        found = Variational()(theta[atoms], int(count_p.sum()))
        return found.value, np.bincount(atoms, found.slopes, 6)

    best = minimize(value, np.zeros(6), jac=True, method="L-BFGS-B", bounds=[(-30, 30)] * 6, tol=1e-14)
    assert best.fun == pytest.approx(-np.sum(p[seen] * np.log(p[seen] / u[seen])), abs=1e-6)
    ratio = expit(best.x[seen]) / (p / u)[seen]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-3)


def test_vpu_does_not_see_the_scale_of_phi():
    phi = np.random.default_rng(0).uniform(0.05, 0.9, size=40)
    losses = [Variational()(logit(factor * phi), N_P).value for factor in (1.0, 0.5, 0.01)]
    np.testing.assert_allclose(losses, losses[0])


def test_vpu_is_finite_where_everything_is_certain():
    found = Variational()(np.repeat([-800.0, 800.0], 20), N_P)
    assert np.isfinite(found.value)
    assert np.isfinite(found.slopes).all()


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_penalty_on_mixed_rows_has_the_slopes_of_its_value(share):
    of_u, of_mixed = scores_of(15, 1), scores_of(15, 2)
    penalty, on_u = mixed_consistency(of_u, of_mixed, share)
    np.testing.assert_allclose(
        penalty.slopes,
        slope_by_differences(lambda f: mixed_consistency(of_u, f, share)[0].value, of_mixed),
        atol=1e-7,
    )
    np.testing.assert_allclose(
        on_u,
        slope_by_differences(lambda f: mixed_consistency(f, of_mixed, share)[0].value, of_u),
        atol=1e-7,
    )


def test_a_row_mixed_with_nothing_is_itself_and_a_labelled_row_is_certain():
    f = scores_of(15)
    assert mixed_consistency(f, f, 0.0)[0].value == pytest.approx(0.0)
    assert mixed_consistency(f, np.full(15, 60.0), 1.0)[0].value == pytest.approx(0.0)


@pytest.mark.parametrize("share", [0.0, 5e-324, 1e-3])
def test_mixing_with_a_row_that_is_certainly_negative_is_finite(share):
    """Phi of a score of -800 is 0 in double precision, and so may the share of a Beta distribution be."""
    with np.errstate(all="raise", under="ignore"):
        penalty, on_u = mixed_consistency(np.full(4, -800.0), np.full(4, -750.0), share)
    assert np.isfinite(penalty.value)
    assert np.isfinite(penalty.slopes).all()
    assert np.isfinite(on_u).all()


def test_entropy_is_largest_at_one_half_and_nothing_where_all_is_certain():
    assert prediction_entropy(np.zeros(3)).value == pytest.approx(np.log(2.0))
    assert prediction_entropy(np.array([-900.0, 900.0])).value == pytest.approx(0.0, abs=1e-12)


def test_cvir_that_drops_nothing_is_weighted_p_against_u():
    f = scores_of()
    kept = keep_lowest(f[N_P:], 0.0)
    assert sorted(kept) == list(range(28))
    found = CrossEntropy(0.3, 0.7)(np.concatenate([f[:N_P], f[N_P:][kept]]), N_P).value
    expected = 0.3 * np.logaddexp(0, -f[:N_P]).mean() + 0.7 * np.logaddexp(0, f[N_P:]).mean()
    assert found == pytest.approx(expected)


def test_cvir_with_a_perfect_ranking_keeps_exactly_the_negatives():
    rng = np.random.default_rng(0)
    y = np.arange(50) < 15
    ranking = np.where(y, 1.0, -1.0) + 0.1 * rng.normal(size=50)
    assert sorted(keep_lowest(ranking, 0.3)) == list(range(15, 50))
    assert len(keep_lowest(ranking, 1.0)) == 1


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_stands_for_the_population_has_the_prior(scenario):
    """500 rows, 200 of them positive, of which 60 are labelled; in case-control data those were drawn beside."""
    y = np.arange(500) < 200
    if scenario == "case-control":
        truth, s = np.concatenate([np.ones(60), y]), np.repeat([1, 0], [60, 500])
    else:
        truth, s = y, np.arange(500) < 60
    sample = Sample(truth[:, None].astype(float), s.astype(np.uint8), scenario)
    against = sample.against_population()
    assert against.X[against.s == 0].mean() == pytest.approx(0.4)
    assert against.X[against.s == 1].mean() == 1.0
    assert sample.share_of_positives(0.4) == pytest.approx(truth[s == 0].mean())
    assert sample.prior_of_share(truth[s == 0].mean()) == pytest.approx(0.4)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("loss", ["logistic", "sigmoid"])
def test_a_step_back_climbs_the_risk_on_negatives_and_not_the_total_risk(scenario, loss):
    """Ascent on the total loss would also unlearn P, whose slopes as positives have no part in a step back."""
    s = np.repeat([1, 0], [N_P, 28]).astype(np.uint8)
    scores = np.where(s == 1, 3.0, -3.0) + 0.1 * scores_of()
    objective = Objective(Masses.of(s, 0.6, scenario), loss, "nnpu", 0.0, 0.5)
    found = objective(scores, N_P)
    assert found.corrected

    def on_negatives(f):
        return objective(f, N_P).negative

    np.testing.assert_allclose(found.slopes, -0.5 * slope_by_differences(on_negatives, scores), atol=1e-8)


def test_trusted_rows_are_the_extremes_in_the_proportion_of_the_prior():
    scores = np.random.default_rng(0).permutation(100).astype(float)
    labels = trusted_labels(scores, 0.4, 0.25)
    assert ((labels == 1).sum(), (labels == -1).sum()) == (10, 30)
    assert scores[labels == 1].min() == 90
    assert scores[labels == -1].max() == 29
    assert not trusted_labels(scores, 0.0, 0.25).any()


def test_easy_rows_weigh_more_and_a_large_threshold_trusts_all():
    margins = np.linspace(-5, 5, 50)
    weights = easy_weights(margins, 0.7)
    assert (np.diff(weights) > 0).all()
    assert weights.min() < 1e-3
    assert weights.max() > 0.98
    np.testing.assert_allclose(easy_weights(margins, 1e4), 1.0, atol=1e-6)


def test_batches_of_an_epoch_hold_every_row_and_half_of_each_is_labelled():
    P, N = np.arange(10), np.arange(10, 311)
    parts = list(cycled(P, N, 64, np.random.default_rng(0)))
    assert sorted(np.concatenate([rows[n_p:] for rows, n_p in parts])) == list(N)
    assert set(np.concatenate([rows[:n_p] for rows, n_p in parts])) == set(P)
    assert all(abs(2 * n_p - len(rows)) <= 1 for rows, n_p in parts)
