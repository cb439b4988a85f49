"""Laws of the PU risk as uPU and nnPU descend it: slopes, batches, corrections."""

from __future__ import annotations

import numpy as np
import pytest
from pubench_risk.losses import CONVEX, LOSSES, Masses, Objective, slope_pair

from pubench.base import mixed_batches
from pubench.risk import loss_pair, nnpu_risk, pu_risk, risk_parts
from pubench.specs import SCENARIOS

CC, STS = SCENARIOS


def sample(n_p=30, n_u=70, seed=0):
    rng = np.random.default_rng(seed)
    s = np.repeat(np.array([1, 0], dtype=np.uint8), [n_p, n_u])
    return rng.normal(size=n_p + n_u) * 2, s


@pytest.mark.parametrize("loss", LOSSES)
def test_slopes_are_those_of_the_losses(loss):
    scores = np.random.default_rng(0).normal(size=200) * 3
    step = 1e-6
    for slope, high, low in zip(
        slope_pair(scores, loss), loss_pair(scores + step, loss), loss_pair(scores - step, loss), strict=True
    ):
        np.testing.assert_allclose(slope, (high - low) / (2 * step), atol=1e-6)


@pytest.mark.parametrize("loss", CONVEX)
def test_the_difference_of_convex_losses_is_linear(loss):
    scores = np.linspace(-9, 9, 50)
    positive, negative = loss_pair(scores, loss)
    np.testing.assert_allclose(positive - negative, CONVEX[loss] * scores, atol=1e-12)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("loss", LOSSES)
def test_all_rows_in_one_batch_have_the_risk_of_the_toolkit(loss, scenario):
    scores, s = sample()
    masses = Masses.of(s, 0.4, scenario)
    for risk, expected in (("upu", pu_risk), ("nnpu", nnpu_risk)):
        objective = Objective(masses, loss, risk)
        seen = objective(scores, 30)
        parts = (seen.positive, seen.negative)
        np.testing.assert_allclose(parts, risk_parts(scores, s, prior=0.4, scenario=scenario, loss=loss))
        value = expected(scores, s, prior=0.4, scenario=scenario, loss=loss)
        assert objective.value(parts) == pytest.approx(value)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_risk_of_batches_is_that_of_the_whole_on_average(scenario):
    """Whatever share of P and of U a batch holds: here 3 of 30 and 35 of 70."""
    scores, s = sample()
    objective = Objective(Masses.of(s, 0.4, scenario), "sigmoid", "upu")
    rng, values = np.random.default_rng(1), []
    for _ in range(20_000):
        some = np.append(rng.choice(30, 3, replace=False), rng.choice(np.arange(30, 100), 35, replace=False))
        seen = objective(scores[some], 3)
        values.append(seen.positive + seen.negative)
    whole = pu_risk(scores, s, prior=0.4, scenario=scenario, loss="sigmoid")
    assert np.mean(values) == pytest.approx(whole, abs=4 * np.std(values) / np.sqrt(len(values)))


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("gamma", [0.0, 0.3, 1.0])
def test_a_correction_is_a_step_back_on_the_negatives_alone(gamma, scenario):
    """Kiryo et al., Algorithm 1: where r < -beta, minus gamma times the slope of r."""
    scores, s = sample()
    scores[:30] = 5.0  # labelled rows taken out of the negatives: r falls far below 0
    scores[30:] = -5.0
    masses = Masses.of(s, 0.6, scenario)
    _, negative = risk_parts(scores, s, prior=0.6, scenario=scenario, loss="logistic")
    assert negative < -1
    down = slope_pair(scores, "logistic")[1]
    slope_of_r = np.where(s == 1, masses.negative / 30, masses.unlabelled / 70) * down
    corrected = Objective(masses, "logistic", "nnpu", beta=0.0, gamma=gamma)(scores, 30)
    assert corrected.corrected
    np.testing.assert_allclose(corrected.slopes, -gamma * slope_of_r)
    lenient = Objective(masses, "logistic", "nnpu", beta=-negative + 0.01, gamma=gamma)(scores, 30)
    unbiased = Objective(masses, "logistic", "upu")(scores, 30)
    assert not lenient.corrected
    np.testing.assert_array_equal(lenient.slopes, unbiased.slopes)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("loss", LOSSES)
def test_slopes_of_the_risk_agree_with_differences(loss, scenario):
    scores, s = sample(5, 9)
    seen = Objective(Masses.of(s, 0.4, scenario), loss, "upu")(scores, 5)
    for i in range(14):
        moved = np.stack([scores, scores])
        moved[:, i] += (1e-6, -1e-6)
        high, low = (pu_risk(row, s, prior=0.4, scenario=scenario, loss=loss) for row in moved)
        assert seen.slopes[i] == pytest.approx((high - low) / 2e-6, abs=1e-8)


@pytest.mark.parametrize(
    ("n_p", "n_u", "size"), [(30, 70, 16), (1, 99, 10), (99, 1, 10), (5, 5, 1000), (40, 3, 2)]
)
def test_batches_hold_all_rows_and_some_of_both_kinds(n_p, n_u, size):
    s = np.random.default_rng(0).permutation(np.repeat(np.array([1, 0], dtype=np.uint8), [n_p, n_u]))
    seen, counts = [], []
    for rows, labelled in mixed_batches(s, size, np.random.default_rng(1)):
        assert (s[rows[:labelled]] == 1).all()
        assert (s[rows[labelled:]] == 0).all()
        assert 0 < labelled < len(rows)
        seen.append(rows)
        counts.append((labelled, len(rows) - labelled))
    everything = np.concatenate(seen)
    assert set(everything) == set(range(len(s)))
    unlabelled = everything[s[everything] == 0]
    assert len(unlabelled) == len(set(unlabelled))
    assert np.ptp(counts, axis=0).max() <= 1
