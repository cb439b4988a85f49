"""Laws of what is said about a ranking: precision among its top rows, and how many positives there are."""

from __future__ import annotations

import numpy as np
import pytest

from pubench.advise.statements import found_positives, sizes, top_precision, unlabelled_probabilities
from pubench.advise.thinning import MOST_ROWS, thinned, thinned_prior, thinning_remark, whole_prior
from pubench.estimators.prior_statement import PriorStatement

SCENARIOS = ("case-control", "single-training-set")


def known(value, low=None, high=None):
    return PriorStatement(value, low or value, high or value, 0.9, 1.0, True)


def made(scenario, *, seed=0, n=4000, gap=2.0, prior=0.4):
    """Return scores whose log-odds are linear in them, labels at random, truth, and the prior."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < prior).astype(np.uint8)
    s = (y == 1) & (rng.random(n) < 0.3)
    scores = rng.normal(size=n) + gap * y
    if scenario == "case-control":
        # P is drawn again; all rows are U.
        extra = rng.normal(size=300) + gap
        return (
            np.r_[extra, scores],
            np.r_[np.ones(300, np.uint8), np.zeros(n, np.uint8)],
            np.r_[np.ones(300, np.uint8), y],
            float(y.mean()),
        )
    return scores, s.astype(np.uint8), y, float(y.mean())


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_with_the_prior_in_its_interval_both_intervals_hold_the_precision(scenario):
    scores, s, y, prior = made(scenario)
    order = np.argsort(-scores[s == 0])
    for k in (50, 400, 1500):
        stated = known(prior, 0.9 * prior, 1.1 * prior)
        found = top_precision(scores, s, k, prior=stated, scenario=scenario)
        truth = y[s == 0][order[:k]].mean()
        assert found.low <= truth <= found.high
        assert found.narrow_low <= truth <= found.narrow_high
        assert found.value == pytest.approx(truth, abs=0.08)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_wider_prior_makes_wider_intervals(scenario):
    scores, s, _, prior = made(scenario)
    sure = top_precision(scores, s, 800, prior=known(prior), scenario=scenario)
    wide = top_precision(scores, s, 800, prior=known(prior, 0.8 * prior, 1.2 * prior), scenario=scenario)
    assert wide.low < sure.low <= sure.high <= wide.high
    assert wide.narrow_low < sure.narrow_low <= sure.narrow_high <= wide.narrow_high


def test_increasing_functions_of_the_scores_leave_the_cautious_interval_as_it_is():
    scores, s, _, prior = made("single-training-set")
    one, other = (
        top_precision(f, s, 100, prior=known(prior), scenario="single-training-set")
        for f in (scores, np.exp(scores))
    )
    assert (one.low, one.high) == (other.low, other.high)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_probabilities_on_unlabelled_rows_are_calibrated(scenario):
    scores, s, y, prior = made(scenario)
    p = unlabelled_probabilities(scores, s, prior, scenario)
    assert p.mean() == pytest.approx(y[s == 0].mean(), abs=0.03)
    top = np.argsort(-p)[:1000]
    assert p[top].mean() == pytest.approx(y[s == 0][top].mean(), abs=0.08)


def test_a_prior_below_the_labelled_share_leaves_half_a_row_of_positives():
    s = np.array([1] * 50 + [0] * 50, dtype=np.uint8)
    scores = np.linspace(1, 0, 100)
    p = unlabelled_probabilities(scores, s, 0.2, "single-training-set")
    assert ((p >= 0) & (p < 0.2)).all()
    assert found_positives(known(0.2), s, "single-training-set").high <= 1


def test_numbers_of_rows_to_look_at_are_at_most_a_quarter_of_u():
    assert sizes(5) == (5,)
    assert sizes(250) == (10, 50)
    assert sizes(10_000) == (10, 50, 100, 500)


def test_thinning_keeps_labelled_rows_first_and_its_prior_can_be_undone():
    s = np.r_[np.ones(300, np.uint8), np.zeros(9700, np.uint8)]
    rows = thinned(s, np.random.default_rng(0), most=1000)
    assert len(rows) == 1000
    assert s[rows].sum() == 300
    assert (np.diff(rows) > 0).all()
    # A tenth of U is positive.
    prior = (300 + 970) / 10_000
    left = thinned_prior(prior, s, s[rows], "single-training-set")
    assert left == pytest.approx((300 + 70) / 1000)
    assert whole_prior(left, s, s[rows], "single-training-set") == pytest.approx(prior)
    assert thinned_prior(prior, s, s[rows], "case-control") == prior


def test_thinning_leaves_small_tables_and_fills_up_with_labelled_rows():
    s = np.r_[np.ones(900, np.uint8), np.zeros(100, np.uint8)]
    assert len(thinned(s, np.random.default_rng(0), most=1000)) == 1000
    rows = thinned(s, np.random.default_rng(0), most=500)
    assert (s[rows].sum(), (s[rows] == 0).sum()) == (400, 100)


def test_thinning_is_stated():
    s = np.zeros(MOST_ROWS + 10, dtype=np.uint8)
    assert thinning_remark(s[10:]) == ()
    s[:50] = 1
    assert "Of 20,010 rows" in thinning_remark(s)[0]
    assert "has all labelled rows" in thinning_remark(s)[0]
    s[: MOST_ROWS // 2 + 2] = 1
    assert "has 10,000 of the labelled rows" in thinning_remark(s)[0]
