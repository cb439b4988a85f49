"""The signed weights and the risks built on them: losses by closed forms, risks by exact expectations."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pubench.risk import LOSSES, Loss, loss_pair, nnpu_risk, pu_risk, risk_parts, signed_weights
from pubench.specs import SCENARIOS, Scenario

GRID = np.linspace(-8.0, 8.0, 161)
PRIORS = st.floats(0.01, 0.99)
SAMPLES = st.lists(st.tuples(st.integers(0, 1), st.floats(-5, 5)), max_size=30)

# Eight rows, a score of exactly 0 and a tie among them: small enough to enumerate every sample.
Y = np.array([1, 1, 1, 1, 0, 0, 0, 0])
SCORE = np.array([2.0, 0.5, 0.0, -1.5, 0.5, 0.0, -0.7, -3.0])
PRIOR = 0.5


def supervised(score: np.ndarray, y: np.ndarray, loss: Loss) -> float:
    positive, negative = loss_pair(score, loss)
    return float(np.where(y == 1, positive, negative).mean())


def pu_sample(rows: list[tuple[int, float]]) -> tuple[np.ndarray, np.ndarray]:
    rows = [*rows, (1, 0.3), (0, -0.2)]
    return np.array([r[1] for r in rows]), np.array([r[0] for r in rows])


# Losses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "formula"),
    [
        ("logistic", lambda m: np.log(1 + np.exp(-m))),
        ("sigmoid", lambda m: 1 / (1 + np.exp(m))),
        ("quadratic", lambda m: (1 - m) ** 2),
        ("savage", lambda m: 4 / (1 + np.exp(m)) ** 2),
        ("double-hinge", lambda m: np.maximum(-m, np.maximum(0, (1 - m) / 2))),
    ],
)
def test_surrogates_are_their_closed_forms_of_the_margin(loss: Loss, formula) -> None:  # type: ignore[no-untyped-def]
    positive, negative = loss_pair(GRID, loss)
    np.testing.assert_allclose(positive, formula(GRID), rtol=1e-12)
    np.testing.assert_allclose(negative, formula(-GRID), rtol=1e-12)


def test_zero_one_counts_a_score_of_zero_as_positive() -> None:
    positive, negative = loss_pair([-1.0, -0.0, 0.0, 1.0], "zero-one")
    assert positive.tolist() == [1, 0, 0, 0]
    assert negative.tolist() == [0, 1, 1, 1]


def test_losses_stand_in_their_known_relations() -> None:
    def both(loss: Loss) -> tuple[np.ndarray, np.ndarray]:
        return loss_pair(GRID, loss)

    # Symmetric: the two classes' losses add up to 1.
    for loss in ("zero-one", "sigmoid"):
        np.testing.assert_allclose(sum(both(loss)), 1.0, rtol=1e-14)
    # Linear-odd: their difference is linear, which is what makes the PU risk convex.
    odd: dict[Loss, float] = {"logistic": -1.0, "double-hinge": -1.0, "quadratic": -4.0}
    for name, factor in odd.items():
        positive, negative = both(name)
        np.testing.assert_allclose(positive - negative, factor * GRID, atol=1e-12)
    np.testing.assert_allclose(both("savage")[0], 4 * both("sigmoid")[0] ** 2, rtol=1e-14)
    # The sigmoid loss is the slope of the logistic loss, turned round.
    slope = np.gradient(both("logistic")[0], GRID, edge_order=2)
    np.testing.assert_allclose(-slope, both("sigmoid")[0], atol=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_are_never_negative_and_never_rise_up_to_margin_one(loss: Loss) -> None:
    positive, _ = loss_pair(GRID, loss)
    assert (positive >= 0).all()
    assert (np.diff(positive[GRID <= 1]) <= 0).all()


@pytest.mark.parametrize(
    ("loss", "at_minus", "at_plus"),
    [
        ("zero-one", 1.0, 0.0),
        ("logistic", 1e4, 0.0),
        ("sigmoid", 1.0, 0.0),
        ("quadratic", 10001.0**2, 9999.0**2),
        ("savage", 4.0, 0.0),
        ("double-hinge", 1e4, 0.0),
    ],
)
def test_huge_margins_neither_overflow_nor_warn(loss: Loss, at_minus: float, at_plus: float) -> None:
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        positive, negative = loss_pair([-1e4, 1e4], loss)
    assert positive.tolist() == [at_minus, at_plus]
    assert negative.tolist() == [at_plus, at_minus]


def test_the_tail_of_the_sigmoid_keeps_its_digits() -> None:
    assert loss_pair([100.0], "sigmoid")[0][0] == pytest.approx(np.exp(-100.0), rel=1e-12)
    assert loss_pair([100.0], "logistic")[0][0] == pytest.approx(np.exp(-100.0), rel=1e-12)


# Weights ----------------------------------------------------------------------------------------------------


@given(n_p=st.integers(1, 50), n_u=st.integers(1, 50), prior=PRIORS)
def test_weights_are_the_design_s(n_p: int, n_u: int, prior: float) -> None:
    s = np.repeat([1, 0], [n_p, n_u])
    control = signed_weights(s, prior, "case-control")
    single = signed_weights(s, prior, "single-training-set")
    assert control.positive_P == single.positive_P == pytest.approx(prior / n_p)
    assert (control.negative_P, control.negative_U) == pytest.approx((-prior / n_p, 1 / n_u))
    n = n_p + n_u
    assert (single.negative_P, single.negative_U) == pytest.approx((1 / n - prior / n_p, 1 / n), abs=1e-15)


@pytest.mark.parametrize("scenario", SCENARIOS)
@given(rows=SAMPLES, prior=PRIORS)
def test_weights_have_the_masses_of_the_two_classes(
    scenario: Scenario, rows: list[tuple[int, float]], prior: float
) -> None:
    _, s = pu_sample(rows)
    positive, negative = signed_weights(s, prior, scenario).rows(s)
    assert positive.sum() == pytest.approx(prior)
    assert negative.sum() == pytest.approx(1 - prior)
    assert (positive[s == 0] == 0).all()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_row_weights_give_the_same_risk(scenario: Scenario, loss: Loss) -> None:
    s = np.array([1, 0, 0, 1, 0, 0, 1, 0])
    positive, negative = signed_weights(s, 0.3, scenario).rows(s)
    if_positive, if_negative = loss_pair(SCORE, loss)
    total = (positive * if_positive + negative * if_negative).sum()
    assert pu_risk(SCORE, s, prior=0.3, scenario=scenario, loss=loss) == pytest.approx(total)


@pytest.mark.parametrize("n_u", [10**2, 10**4, 10**6])
def test_the_scenarios_agree_as_the_labelled_share_vanishes(n_u: int) -> None:
    s = np.repeat([1, 0], [10, n_u])
    control, single = (signed_weights(s, 0.4, scenario) for scenario in SCENARIOS)
    share = 10 / s.size
    # The whole of P and the whole of U differ in weight by exactly the share of rows that are labelled.
    assert 10 * (single.negative_P - control.negative_P) == pytest.approx(share, abs=1e-12)
    assert n_u * (control.negative_U - single.negative_U) == pytest.approx(share, abs=1e-12)


# Risks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n_p", [1, 2, 3, 4])
def test_single_training_set_risk_is_unbiased(n_p: int, loss: Loss) -> None:
    risks = []
    for chosen in combinations(np.flatnonzero(Y).tolist(), n_p):
        s = np.isin(np.arange(Y.size), chosen).astype(int)
        risks.append(pu_risk(SCORE, s, prior=PRIOR, scenario="single-training-set", loss=loss))
    assert np.mean(risks) == pytest.approx(supervised(SCORE, Y, loss), abs=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("n_p", "n_u"), [(1, 2), (2, 3), (4, 8)])
def test_case_control_risk_is_unbiased(n_p: int, n_u: int, loss: Loss) -> None:
    s = np.repeat([1, 0], [n_p, n_u])
    risks = [
        pu_risk(SCORE[np.array(p + u)], s, prior=PRIOR, scenario="case-control", loss=loss)
        for p in combinations(np.flatnonzero(Y).tolist(), n_p)
        for u in combinations(range(Y.size), n_u)
    ]
    assert np.mean(risks) == pytest.approx(supervised(SCORE, Y, loss), abs=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
@given(rows=SAMPLES)
def test_with_every_positive_labelled_the_risk_is_the_supervised_one(
    loss: Loss, rows: list[tuple[int, float]]
) -> None:
    score, y = pu_sample(rows)
    truth = supervised(score, y, loss)
    pi = float(y.mean())
    single = pu_risk(score, y, prior=pi, scenario="single-training-set", loss=loss)
    assert single == pytest.approx(truth, abs=1e-10)
    drawn_apart, s = np.concatenate([score[y == 1], score]), np.repeat([1, 0], [y.sum(), y.size])
    control = pu_risk(drawn_apart, s, prior=pi, scenario="case-control", loss=loss)
    assert control == pytest.approx(truth, abs=1e-10)


@pytest.mark.parametrize("loss", ["logistic", "double-hinge", "quadratic"])
@given(rows=SAMPLES, prior=PRIORS)
def test_linear_odd_losses_have_the_convex_form(
    loss: Loss, rows: list[tuple[int, float]], prior: float
) -> None:
    # l(m) - l(-m) = -k m turns the case-control risk into E_U[l(-g)] - k pi E_P[g] (du Plessis et al., 2015).
    score, s = pu_sample(rows)
    k = 4.0 if loss == "quadratic" else 1.0
    convex = loss_pair(score[s == 0], loss)[1].mean() - k * prior * score[s == 1].mean()
    assert pu_risk(score, s, prior=prior, scenario="case-control", loss=loss) == pytest.approx(
        convex, abs=1e-10
    )


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("scenario", SCENARIOS)
@given(rows=SAMPLES, prior=PRIORS)
def test_the_non_negative_risk_bounds_the_unbiased_one(
    scenario: Scenario, loss: Loss, rows: list[tuple[int, float]], prior: float
) -> None:
    score, s = pu_sample(rows)
    unbiased = pu_risk(score, s, prior=prior, scenario=scenario, loss=loss)
    clipped = nnpu_risk(score, s, prior=prior, scenario=scenario, loss=loss)
    positive, negative = risk_parts(score, s, prior=prior, scenario=scenario, loss=loss)
    assert clipped >= max(0.0, unbiased)
    assert clipped == (unbiased if negative >= 0 else positive)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_model_that_finds_exactly_the_labelled_rows_has_a_negative_unbiased_risk(
    scenario: Scenario,
) -> None:
    s = np.repeat([1, 0], [5, 15])
    score = np.where(s == 1, 1.0, -1.0)
    # Its true risk is at least that of missing the unlabelled positives; uPU says -0.5 or -0.25, nnPU 0.
    expected = -0.5 if scenario == "case-control" else 0.25 - 0.5
    assert pu_risk(score, s, prior=0.5, scenario=scenario) == pytest.approx(expected)
    assert nnpu_risk(score, s, prior=0.5, scenario=scenario) == 0.0


# Refusals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [pu_risk, nnpu_risk, risk_parts])
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"prior": 0.0}, "prior"),
        ({"prior": 1.0}, "prior"),
        ({"prior": float("nan")}, "prior"),
        ({"scenario": "two-sample"}, "case-control, single-training-set"),
        ({"loss": "hinge"}, "zero-one, logistic"),
        ({"s": [0, 0]}, "0 and 2"),
        ({"s": [1, 1]}, "2 and 0"),
        ({"s": [-1, 1]}, "nothing else"),
        ({"s": [[0, 1]]}, "one dimension"),
        ({"s": [0, 1, 1]}, "same length"),
        ({"scores": [0.0, np.nan]}, "finite"),
        ({"scores": [0.0, np.inf]}, "finite"),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(function, changed, message) -> None:  # type: ignore[no-untyped-def]
    good = {"scores": [0.1, -0.1], "s": [1, 0], "prior": 0.5, "scenario": "case-control", "loss": "logistic"}
    with pytest.raises(ValueError, match=message) as refusal:
        function(**{**good, **changed})
    assert "\n" not in str(refusal.value)
