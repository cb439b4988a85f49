"""The kernel of Ada-PU against a few lines of NumPy each, and the laws of its bins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pubench_adapu._stumps import (
    add_votes,
    best_stump,
    encode,
    place_cuts,
    reweight,
    running_sums,
    snap,
)
from pubench_adapu.binning import bin_features

seeds = st.integers(0, 2**32 - 1)
quick = settings(deadline=None, max_examples=60)
AFTER_ONE = np.nextafter(1.0, 2.0)


def cuts_of(values, max_bins=256):
    """The cuts and uppers of a column."""
    uppers, cuts = np.full(max_bins, np.nan), np.empty(256)
    used = place_cuts(np.sort(np.asarray(values, dtype=float)), uppers, cuts)
    assert np.isinf(cuts[used - 1 :]).all()
    return cuts[: used - 1], uppers[:used]


def small(seed, d=3, n=40, bins=6):
    """Codes and weights that are exact in binary: sums do not depend on their order."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, bins, (d, n)).astype(np.uint8)
    positive = rng.integers(0, 64, n // 3) / 1024
    negative = np.concatenate([rng.integers(-64, 16, n // 3), rng.integers(0, 64, n - n // 3)]) / 1024
    return rng, codes, positive, negative


def naive_sums(codes, weights):
    m = len(weights)
    return np.array([np.bincount(row[:m], weights, 256).cumsum() for row in codes])


def naive_best(codes, positive, negative, tried, growths=(1, 1, 1)):
    """Every stump by its definition, in the kernel's order; ties go to the first."""
    best, least = (-1, -1, 1, 0.5), np.inf
    n_p = len(positive)
    grown = np.append(negative[:n_p] * growths[1], negative[n_p:] * growths[2])
    for feature, cuts in enumerate(tried):
        for cut in cuts:
            for polarity in (1, -1):
                h = np.where(codes[feature] > cut, polarity, -polarity)
                missed, false_positives = positive[h[:n_p] == -1].sum(), negative[h == 1].sum()
                risk = growths[0] * missed + grown[h == 1].sum()
                if false_positives >= 0 and missed + false_positives < 0.5 and risk < least:
                    best, least = (feature, cut, polarity, missed + false_positives), risk
    return best


@quick
@given(st.lists(st.one_of(st.integers(-9, 9), st.floats(-1e300, 1e300)), min_size=1), st.integers(2, 12))
def test_cuts_part_whole_values_into_full_bins(values, max_bins):
    distinct = np.unique(np.asarray(values, dtype=float))
    cuts, uppers = cuts_of(values, max_bins)
    assert len(cuts) == len(uppers) - 1 <= max_bins - 1
    assert uppers[-1] == distinct[-1]
    assert np.isin(uppers, distinct).all()
    following = distinct[np.searchsorted(distinct, uppers[:-1], side="right")]
    assert ((uppers[:-1] <= cuts) & (cuts < following)).all()
    if len(distinct) <= max_bins:
        np.testing.assert_array_equal(uppers, distinct)


@pytest.mark.parametrize("n", [257, 1000, 25_600])
def test_bins_of_distinct_values_are_even(n):
    cuts, uppers = cuts_of(np.random.default_rng(0).normal(size=n))
    assert len(uppers) == 256
    sizes = np.diff(np.searchsorted(np.sort(np.random.default_rng(0).normal(size=n)), cuts), prepend=0)
    assert sizes.min() >= n // 256
    assert sizes.max() <= n // 256 + 1


def test_a_frequent_value_has_its_own_bin_and_takes_none_from_the_others():
    rng = np.random.default_rng(1)
    values = np.concatenate([np.zeros(9000), rng.exponential(size=1000)])
    cuts, uppers = cuts_of(values)
    assert len(uppers) == 256
    assert uppers[0] == 0
    assert np.bincount(np.searchsorted(cuts, values))[1:].max() <= 5


@pytest.mark.parametrize(
    "pair", [(1.0, AFTER_ONE), (AFTER_ONE, np.nextafter(AFTER_ONE, 2.0)), (0.0, 5e-324), (-5e-324, 0.0)]
)
def test_a_cut_parts_even_the_nearest_numbers(pair):
    (cut,), _ = cuts_of(pair)
    assert pair[0] <= cut < pair[1]


@pytest.mark.parametrize(("low", "high", "middle"), [(-1.7e308, 1.7e308, 0), (1.6e308, 1.7e308, 1.65e308)])
def test_a_cut_lies_midway_between_the_largest_numbers(low, high, middle):
    assert cuts_of([low, high])[0][0] == pytest.approx(middle)


@quick
@given(seeds, st.integers(0, 255), st.sampled_from([np.float32, np.float64]))
def test_codes_count_the_cuts_below(seed, n_cuts, dtype):
    rng = np.random.default_rng(seed)
    values = rng.choice(rng.normal(size=400), 500).astype(dtype)
    # Some values are cuts: they lie below them.
    cuts = np.concatenate([np.unique(rng.choice(values, n_cuts)), np.full(256, np.inf)])[:256].astype(float)
    places, codes = rng.permutation(500), np.empty(500, np.uint8)
    encode(values, cuts, places, codes)
    np.testing.assert_array_equal(codes[places], np.searchsorted(cuts, values.astype(float)))


@pytest.mark.parametrize("order", ["C", "F"])
def test_binning_puts_labelled_rows_first_and_keeps_each_column(order):
    rng = np.random.default_rng(2)
    X = np.asarray(rng.integers(0, 5, (50, 11)) / 3, order=order)
    X[:, 4] = 7
    s = rng.integers(0, 2, 50).astype(np.uint8)
    bins = bin_features(X, s, 256)
    rows = np.concatenate([X[s == 1], X[s == 0]])
    np.testing.assert_array_equal(bins.codes, (rows.T * 3).round() * (np.arange(11) != 4)[:, None])
    np.testing.assert_array_equal(bins.counts, np.where(np.arange(11) == 4, 1, 5))
    np.testing.assert_array_equal(bins.lowest, X.min(axis=0))


@quick
@given(seeds, st.integers(1, 9))
def test_running_sums_are_those_of_numpy(seed, d):
    _, codes, positive, negative = small(seed, d=d)
    for weights in (positive, negative):
        sums = np.full((d, 256), np.nan)
        running_sums(codes, weights, sums)
        np.testing.assert_array_equal(sums, naive_sums(codes, weights))


@settings(deadline=None, max_examples=200)
@given(seeds, st.integers(0, 3), st.sampled_from([None, (0.25, 2.0, 1.0), (1.0, 0.5, 4.0)]))
def test_the_best_stump_is_the_one_its_definition_gives(seed, n_drawn, growths):
    rng, codes, positive, negative = small(seed)
    n_p = len(positive)
    bins = codes.max(axis=1).astype(np.int32) + 1
    drawn = rng.integers(0, 5, (3, n_drawn)).astype(np.int32)
    tried = drawn if n_drawn else [range(count - 1) for count in bins]
    labelled = naive_sums(codes, negative[:n_p]) if growths else np.empty((3, 0))
    masses = positive.sum(), negative[:n_p].sum(), negative[n_p:].sum()
    growths = growths or (1.0, 1.0, 1.0)
    found = best_stump(
        naive_sums(codes, positive), labelled, naive_sums(codes, negative), bins, drawn, masses, growths, 0.0
    )
    assert found == naive_best(codes, positive, negative, tried, growths)


def test_a_stump_that_looks_better_than_perfect_is_found_only_within_the_tolerance():
    sums = np.full((1, 256), 0.25), np.empty((1, 0)), np.full((1, 256), -0.25)
    rest = np.array([2], np.int32), np.empty((1, 0), np.int32), (0.5, -0.5, 0.0), (1.0, 1.0, 1.0)
    assert best_stump(*sums, *rest, 0.0)[0] == -1
    assert best_stump(*sums, *rest, 0.25) == (0, 0, 1, 0.0)


@quick
@given(seeds, st.integers(1, 7))
def test_drawn_values_part_the_rows_as_they_would_themselves(seed, levels):
    rng = np.random.default_rng(seed)
    values = rng.choice(rng.normal(size=levels), 30)
    bins = bin_features(values[:, None], np.zeros(30, np.uint8), 256)
    draws, chosen = rng.uniform(size=(1, 9)), np.empty((1, 9), np.int32)
    snap(draws, bins.uppers, bins.lowest, bins.counts, chosen)
    if bins.counts[0] == 1:
        assert (chosen == -1).all()
        return
    for draw, cut in zip(draws[0], chosen[0], strict=True):
        drawn = (1 - draw) * values.min() + draw * values.max()
        np.testing.assert_array_equal(bins.codes[0] <= cut, values <= drawn)


@quick
@given(seeds, st.floats(-2, 2))
def test_reweighting_is_the_formula_and_returns_the_masses(seed, alpha):
    _, codes, positive, negative = small(seed)
    h = np.where(codes[1] > 2, 1, -1)
    expected = positive * np.exp(-alpha * h[: len(positive)]), negative * np.exp(alpha * h)
    masses = reweight(codes[1], 2, np.exp(alpha), np.exp(-alpha), positive, negative)
    np.testing.assert_allclose(positive, expected[0], rtol=1e-14)
    np.testing.assert_allclose(negative, expected[1], rtol=1e-14)
    n_p = len(positive)
    sums = positive.sum(), negative[:n_p].sum(), negative[n_p:].sum()
    np.testing.assert_allclose(masses, sums, rtol=1e-12, atol=1e-15)


@quick
@given(seeds, st.sampled_from(["C", "F"]), st.sampled_from([np.float32, np.float64]))
def test_votes_add_up(seed, order, dtype):
    rng = np.random.default_rng(seed)
    X = np.asarray(rng.normal(size=(20, 4)), dtype=dtype, order=order)
    features, thresholds = rng.integers(0, 4, 7), rng.normal(size=7)
    thresholds[0] = X[3, features[0]]
    votes, start = rng.normal(size=7), rng.normal(size=20)
    scores = start.copy()
    add_votes(X, features, thresholds, votes, scores)
    expected = start + np.where(X[:, features] > thresholds, votes, -votes).sum(axis=1)
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)
