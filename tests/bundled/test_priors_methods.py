"""Each prior estimator's mathematics: by hand, and against closed forms for Gaussians."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pubench_priors import bbe, dedpul, elkan_noto, estimating, km2, pen_l1, tice
from scipy.integrate import quad
from scipy.stats import norm

# Two normal classes of variance 1, DELTA apart: U holds a share ALPHA of positives.
ALPHA, DELTA = 0.35, 3.0
SHARES = [bbe.best_bin, *(method.share_of_positives for method in (dedpul, pen_l1, km2))]


def gaussians(seed=0, n_p=20_000, n_u=40_000, alpha=ALPHA, delta=DELTA):
    """Return the scores of P and U: the feature itself, which ranks as the posterior does."""
    rng = np.random.default_rng(seed)
    positive = round(alpha * n_u)
    mixture = rng.standard_normal(n_u) + delta * (np.arange(n_u) < positive)
    return delta + rng.standard_normal(n_p), mixture


def ratio(t, alpha=ALPHA, delta=DELTA):
    """Return u(t) / p(t) in closed form."""
    return alpha + (1 - alpha) * norm.pdf(t) / norm.pdf(t - delta)


# Hand-worked: eight scores of P and ten of U, of which 0.9, 0.8, 0.7 are among P's.
P = np.array([0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.2, 0.1])
U = np.array([0.9, 0.8, 0.7, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05])


def test_bbe_by_hand():
    on_p, on_u = bbe.tail_shares(P, U)
    assert on_p == pytest.approx([1, 7 / 8, 6 / 8, 5 / 8, 4 / 8, 3 / 8, 2 / 8, 1 / 8])
    assert on_u == pytest.approx([0.9, 0.7, 0.3, 0.2, 0.2, 0.1, 0.1, 0.0])
    # Without noise the least ratio wins, an empty bin of U; with that of 18 rows the bin of six labelled rows does.
    assert bbe.best_bin(np.repeat(P, 10_000), np.repeat(U, 10_000)) == pytest.approx(0.0, abs=0.001)
    assert bbe.best_bin(P, U) == pytest.approx(0.3 / 0.75)


def test_bbe_has_the_tails_of_gaussians():
    labelled, unlabelled = gaussians()
    on_p, on_u = bbe.tail_shares(labelled, unlabelled)
    thresholds = np.sort(labelled)[::2000]
    assert on_p[::2000] == pytest.approx(norm.sf(thresholds - DELTA), abs=0.02)
    expected = ALPHA * norm.sf(thresholds - DELTA) + (1 - ALPHA) * norm.sf(thresholds)
    assert on_u[::2000] == pytest.approx(expected, abs=0.01)


def test_dedpul_by_hand():
    # r = 2 on half of U: shares above 1/2 give probabilities above 1, so that EM ends at 1/2.
    two_steps = np.array([0.0, 0.0, 2.0, 2.0])
    assert dedpul.expected_share(two_steps, 1e-9) == pytest.approx(0.5)
    # From 1: mean(min(1, r)) = (0.5 + 1) / 2, then (0.375 + 1) / 2, a step of 1/16: an eighth of 3/4 is more.
    assert dedpul.expected_share(np.array([0.5, 1.5]), 0.125) == pytest.approx(0.75)


def test_dedpul_has_the_density_ratio_of_gaussians():
    labelled, unlabelled = gaussians()
    found = dedpul.density_ratio(labelled, unlabelled)
    ranks = np.array([0.6, 0.7, 0.8, 0.9])
    at = np.quantile(unlabelled, ranks)
    assert found[(ranks * len(found)).astype(int)] == pytest.approx(1 / ratio(at), rel=0.1)
    assert found.mean() == pytest.approx(1.0)
    assert (np.diff(found) >= 0).all()


def test_dedpul_spreads_ties_over_their_ranks():
    # Two values: P has 3/4 of the upper, U 1/4, so that r is 1/3 and 3.
    labelled, unlabelled = np.repeat([1.0, 0.0], [3000, 1000]), np.repeat([1.0, 0.0], [1000, 3000])
    found = dedpul.density_ratio(labelled, unlabelled)
    assert found[[100, 400, 950]] == pytest.approx([1 / 3, 1 / 3, 3], rel=0.02)


def test_pen_l1_by_hand():
    # (2 / 0.1) 0.8 (0.8 t - 0.2) = 1 gives 0.8 t = 0.2625, where 0.2 t < 0.8: the second bin is not touched.
    assert pen_l1.least_penalty(np.array([0.8, 0.2]), np.array([0.2, 0.8]), 0.1) == pytest.approx(0.328125)
    # Both corners, b / a = 0.4 and 0.6, are passed: (t (0.5^2 + 0.5^2) - 0.1 - 0.15) = 0.05 gives 0.6.
    assert pen_l1.least_penalty(np.array([0.5, 0.5]), np.array([0.2, 0.3]), 0.1) == pytest.approx(0.6)
    # Without a penalty's noise it is the least ratio; it never exceeds 1, and empty bins of P do not count.
    assert pen_l1.least_penalty(np.array([0.5, 0.5]), np.array([0.3, 0.2]), 0.0) == pytest.approx(0.4)
    assert pen_l1.least_penalty(np.array([0.5, 0.5]), np.array([0.3, 0.2]), 9.0) == 1.0
    assert pen_l1.least_penalty(np.array([0.0, 1.0]), np.array([0.7, 0.3]), 0.0) == pytest.approx(0.3)


def test_pen_l1_minimises_its_objective():
    rng = np.random.default_rng(3)
    a, b = (part / part.sum() for part in (rng.random(12), rng.random(12)))
    for penalty in (0.01, 0.05, 0.2):
        theta = np.linspace(0, 1, 20_001)
        objective = (np.maximum(0, theta[:, None] * a - b) ** 2).sum(axis=1) / penalty - theta + 1
        assert pen_l1.least_penalty(a, b, penalty) == pytest.approx(theta[np.argmin(objective)], abs=1e-4)


def test_km2_by_hand():
    square = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    assert km2.distance_to_hull(np.array([0.3, 0.9]), square) == pytest.approx(0.0, abs=1e-6)
    assert km2.distance_to_hull(np.array([2.0, 0.5]), square) == pytest.approx(1.0, abs=1e-4)
    assert km2.distance_to_hull(np.array([2.0, 2.0]), square) == pytest.approx(math.sqrt(2), abs=1e-4)
    assert km2.first_rise(lambda share: share, 0.25) == pytest.approx(0.25, abs=0.005)
    assert km2.first_rise(lambda share: 0.0, 0.25) == 1.0


def test_km2_has_the_kernel_means_of_gaussians():
    # On [0, 1] a narrow normal sample: the mean of a Gaussian kernel is a wider normal density.
    embedding, x = km2.Embedding(50, 0.2), 0.5 + 0.05 * np.random.default_rng(0).standard_normal(50_000)
    wide = math.hypot(0.2, 0.05)
    expected = 0.2 / wide * np.exp(-0.5 * ((np.arange(50) + 0.5) / 50 - 0.5) ** 2 / wide**2)
    assert embedding.points @ embedding.mean(x) == pytest.approx(expected, abs=0.003)


def test_elkan_noto_by_hand():
    g, s = np.array([0.6, 0.4, 0.5, 0.1, 0.2, 0.2]), np.array([1, 1, 0, 0, 0, 0], dtype=np.uint8)
    assert elkan_noto.e1(g, s) == pytest.approx(0.5)
    assert elkan_noto.e2(g, s) == pytest.approx(0.5)
    assert elkan_noto.e3(g) == 0.6
    assert elkan_noto.e2(2 * g, s) == elkan_noto.e2(g, s)


def test_calibration_leaves_the_row_itself_out():
    s = np.array([0, 1, 0, 1, 1], dtype=np.uint8)
    # Windows of three in the order of scores, itself left out: (1 + 0) / 2, (0 + 0) / 2, (1 + 1) / 2, ...
    assert elkan_noto.calibrate(np.arange(5.0), s, 2) == pytest.approx([0.5, 0.0, 1.0, 0.5, 0.5])
    assert elkan_noto.calibrate(-np.arange(5.0), s, 2) == pytest.approx([0.5, 0.0, 1.0, 0.5, 0.5])


def test_calibration_does_not_see_the_order_of_rows_of_equal_score():
    scores, s = np.array([1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 3.0]), np.array([1, 0, 0, 0, 1, 1, 0], dtype=np.uint8)
    # Windows of three: the first four rows have each other, the fifth one of either side (means 1/4 and 1/2), the
    # last two each other and the fifth.
    expected = np.array([0.0, 1 / 3, 1 / 3, 1 / 3, 3 / 8, 0.5, 1.0])
    for order in (np.arange(7), np.arange(7)[::-1], np.random.default_rng(0).permutation(7)):
        assert elkan_noto.calibrate(scores[order], s[order], 2) == pytest.approx(expected[order])


@pytest.mark.parametrize("which", ["e1", "e2"])
def test_elkan_noto_of_two_cells_with_labelled_rows_first(which):
    x, s = np.repeat([1.0, 0.0], [400, 600]), np.repeat([1, 0], [100, 900])
    found = elkan_noto.elkan_noto(
        x[:, None], s, scenario="single-training-set", random_state=0, which=which, classifier="logistic"
    )
    assert found.value == pytest.approx(0.4, abs=0.02)  # 20 of 80 rows in each fold: 19 / 79 of the others


def test_the_highest_step_by_hand():
    scores, s = np.array([9.0, 8.0, 8.0, 7.0, 1.0]), np.array([1, 0, 1, 0, 0], dtype=np.uint8)
    # Means 1, 2/3, 1/2, 2/5 of the first 1, 3, 4, 5 rows: the rows of score 8 stay together. Their lower limits are
    # 1 - 3 (1/2), 2/3 - 3 (0.272 + 1/6), 1/2 - 3 (1/4 + 1/8), 2/5 - 3 (0.219 + 1/10), the first being the greatest.
    assert elkan_noto.highest_step(scores, s, 1) == 1.0
    assert elkan_noto.highest_step(scores, s, 2) == pytest.approx(0.4)
    # A hundred times as many rows have a tenth of the errors: two thirds it is, of the limits 0.583, 0.425, 0.334.
    many = np.repeat(scores, 100), np.repeat(s, 100)
    assert elkan_noto.highest_step(*many, 200) == pytest.approx(2 / 3)
    assert elkan_noto.highest_step(*many, 400) == pytest.approx(0.5)
    assert elkan_noto.highest_step(*many, 999) == pytest.approx(0.4)


@pytest.mark.parametrize("which", ["e1", "e2"])
def test_e1_and_e2_are_what_gaussians_make_them(which):
    r"""Where classes overlap both tend to c E[eta^2] / pi, which is below c."""
    pi, c, n = 0.4, 0.6, 100_000
    rng = np.random.default_rng(1)
    y = rng.random(n) < pi
    x, s = rng.standard_normal(n) + DELTA * y, (y & (rng.random(n) < c)).astype(np.uint8)

    def integrand(t):
        positive, negative = pi * norm.pdf(t - DELTA), (1 - pi) * norm.pdf(t)
        return positive**2 / (positive + negative)

    expected = c * quad(integrand, -8, 8 + DELTA)[0] / pi
    assert expected < 0.95 * c
    found = elkan_noto._FREQUENCIES[which](x, s)
    assert found == pytest.approx(expected, abs=0.01)


def test_e3_tends_to_the_label_frequency_where_gaussians_are_pure():
    pi, c, n = 0.4, 0.6, 100_000
    rng = np.random.default_rng(1)
    y = rng.random(n) < pi
    s = (y & (rng.random(n) < c)).astype(np.uint8)
    assert elkan_noto._FREQUENCIES["e3"](rng.standard_normal(n) + 6 * y, s) == pytest.approx(c, abs=0.01)


def test_tice_by_hand():
    assert tice.chebyshev_delta(2250) == pytest.approx(0.1)
    assert tice.chebyshev_delta(10**6) == 0.025
    # 60 of 100 labelled, c = 1/2, delta = 1/10: 0.6 - sqrt(0.25 * 9 / 100).
    assert tice.lower_bound(tice.Subset(100, 60), 0.1, 0.5) == pytest.approx(0.45)
    # A small subset with more labels is worth less, at first and with c = 0.45 on the right side.
    best, bound = tice.greatest_bound([tice.Subset(10, 8), tice.Subset(100, 60)], 0.1)
    assert best == (100, 60)
    assert bound == pytest.approx(0.6 - math.sqrt(0.45 * 0.55 * 9 / 100))


def test_tice_finds_the_pure_corner():
    rng = np.random.default_rng(0)
    X = rng.random((4000, 3))
    y = (X[:, 0] > 0.5) & (X[:, 2] > 0.5)
    s = (y & (rng.random(4000) < 0.7)).astype(np.uint8)
    half = np.arange(2000)
    found = list(tice.subsets(X, s, half, half + 2000))
    assert found[0] == (2000, s[2000:].sum())
    # Two splits at the medians: the corner itself is among the subsets.
    best, bound = tice.greatest_bound(found, 0.1)
    assert best.labelled / best.rows == pytest.approx(0.7, abs=0.1)
    assert 0.55 < bound < 0.72


def test_the_best_half_by_hand():
    # P's median is 0.775: at least that have 4 of P's 8 scores and 2 of U's 10.
    assert estimating.best_half(P, U) == pytest.approx(0.2 / 0.5)
    assert estimating.best_half(U, P) == 1.0
    # At most k of n at the level of 0.9: none of 10 is a chance of (1 - q)^10 = 0.05.
    assert estimating.most_in_half(P, U - 1.0, 0.9) == pytest.approx((1 - 0.05**0.1) / 0.5)
    assert estimating.most_in_half(P, U + 1.0, 0.9) == 1.0
    assert estimating.best_half(P, U) < estimating.most_in_half(P, U, 0.9) <= 1.0


def test_the_best_half_has_the_tails_of_gaussians():
    labelled, unlabelled = gaussians()
    expected = ALPHA + (1 - ALPHA) * norm.sf(DELTA) / 0.5
    assert estimating.best_half(labelled, unlabelled) == pytest.approx(expected, abs=0.01)


def test_tice_counts_the_large_sides_that_the_tree_passes_by():
    # The first column is purest in a corner, the second half pure: the tree starts in the corner.
    rng = np.random.default_rng(1)
    y = np.arange(8000) % 2 == 0
    s = (y & (rng.random(8000) < 0.6)).astype(np.uint8)
    X = np.column_stack([np.where(s & (rng.random(8000) < 0.05), 1.0, 0.0), y])
    grown = np.arange(4000)
    assert (2000, s[4000:].sum()) in list(tice.subsets(X, s, grown, grown + 4000))


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("alpha", [0.05, 0.3, 0.7, 0.9])
def test_shares_of_pure_gaussians_are_found(share, alpha):
    labelled, unlabelled = gaussians(n_p=4000, n_u=8000, alpha=alpha, delta=7.0)
    assert share(labelled, unlabelled) == pytest.approx(alpha, abs=0.04)


@pytest.mark.parametrize("share", SHARES)
def test_shares_depend_on_the_order_of_scores_only(share):
    labelled, unlabelled = gaussians(n_p=500, n_u=900)
    assert share(np.exp(labelled), np.exp(unlabelled)) == pytest.approx(share(labelled, unlabelled), abs=1e-9)


@pytest.mark.parametrize("share", [*SHARES, estimating.best_half])
@pytest.mark.parametrize("digits", [1, 16])
def test_places_give_the_bits_of_scores(share, digits):
    labelled, unlabelled = (np.round(part, digits) for part in gaussians(n_p=301, n_u=700))
    distinct, place = np.unique(np.concatenate([labelled, unlabelled]), return_inverse=True)
    known = {"distinct": distinct} if share is estimating.best_half else {}
    # Some scores are missing, as in a resample.
    assert share(place[1:301], place[302:], **known) == share(labelled[1:], unlabelled[1:])


@pytest.mark.parametrize("which", ["e1", "e2", "e3"])
def test_places_give_the_bits_of_scores_to_elkan_noto(which):
    labelled, unlabelled = (np.round(part, 1) for part in gaussians(n_p=300, n_u=700))
    scores, s = np.concatenate([labelled, unlabelled]), (np.arange(1000) < 300).astype(np.uint8)
    frequency, place = elkan_noto._FREQUENCIES[which], np.unique(scores, return_inverse=True)[1]
    assert frequency(place[5:], s[5:]) == frequency(scores[5:], s[5:])


@pytest.mark.parametrize("share", SHARES)
def test_a_mixture_that_is_p_itself_has_a_share_near_1(share):
    rng = np.random.default_rng(5)
    assert share(rng.standard_normal(2000), rng.standard_normal(3000)) > 0.85
    assert share(np.zeros(20), np.zeros(30)) == pytest.approx(1.0)
