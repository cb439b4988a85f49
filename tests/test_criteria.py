"""What the PU-only criteria estimate: identities with measures that need y, exact on small populations."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pubench import criteria, metrics, risk
from pubench.criteria import Validation
from pubench.plugins import builtins
from pubench.specs import SCENARIOS, Scenario

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(-4, 4)), max_size=12)
Y = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0])
SCORE = np.array([2.0, 0.5, 0.0, -1.5, 0.5, 0.0, -0.7, -3.0, -0.1])


def validation(score: np.ndarray, s: np.ndarray, prior: float | None, scenario: Scenario) -> Validation:
    return Validation(s, score, (score >= 0).astype(np.uint8), prior, scenario)


def truth(rows: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    rows = [*rows, (1, 1), (0, -1)]
    return np.array([float(r[1]) for r in rows]), np.array([r[0] for r in rows])


def perfect_sample(score: np.ndarray, y: np.ndarray, scenario: Scenario) -> tuple[Validation, float]:
    """Return a sample whose P and U are distributed as the population, and the share of positives in U."""
    pi = float(y.mean())
    if scenario == "case-control":
        s = np.repeat([1, 0], [y.sum(), y.size])
        return validation(np.concatenate([score[y == 1], score]), s, pi, scenario), pi
    # Every row twice, one copy of each positive labelled: label frequency c = 1/2.
    return (
        validation(np.tile(score, 2), np.concatenate([y, np.zeros_like(y)]), pi, scenario),
        0.5 * pi / (1 - 0.5 * pi),
    )


def every_sample(scenario: Scenario) -> list[Validation]:
    """Return all samples that the scenario may draw from the nine rows, two of them labelled."""
    pi = float(Y.mean())
    labelled = list(combinations(np.flatnonzero(Y).tolist(), 2))
    if scenario == "single-training-set":
        return [validation(SCORE, np.isin(np.arange(Y.size), p).astype(int), pi, scenario) for p in labelled]
    s = np.repeat([1, 0], [2, 3])
    return [
        validation(SCORE[np.array(p + u)], s, pi, scenario)
        for p in labelled
        for u in combinations(range(Y.size), 3)
    ]


# Identities -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_proxy_accuracy_expects_accuracy_plus_the_prior(scenario: Scenario) -> None:
    expected = np.mean([criteria.pa(v) for v in every_sample(scenario)])
    assert expected == pytest.approx(metrics.accuracy(Y, SCORE >= 0) + Y.mean(), abs=1e-12)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_proxy_auc_expects_a_line_of_the_auc(scenario: Scenario) -> None:
    pi, c = Y.mean(), 2 / Y.sum()
    q = pi if scenario == "case-control" else (1 - c) * pi / (1 - c * pi)
    expected = np.mean([criteria.pauc(v) for v in every_sample(scenario)])
    assert expected == pytest.approx(q / 2 + (1 - q) * metrics.roc_auc(Y, SCORE), abs=1e-12)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_criteria_two_expects_a_line_of_the_error_rates(scenario: Scenario) -> None:
    pi, c = Y.mean(), 2 / Y.sum()
    q = pi if scenario == "case-control" else (1 - c) * pi / (1 - c * pi)
    errors = 2 * (1 - metrics.balanced_accuracy(Y, SCORE >= 0))
    expected = np.mean([criteria.fp_fn(v) for v in every_sample(scenario)])
    assert expected == pytest.approx(q + (1 - q) * errors, abs=1e-12)


@pytest.mark.parametrize("scenario", SCENARIOS)
@given(rows=ROWS)
def test_identities_hold_in_the_population(scenario: Scenario, rows: list[tuple[int, int]]) -> None:
    score, y = truth(rows)
    sample, q = perfect_sample(score, y, scenario)
    decision, pi = (score >= 0).astype(int), float(y.mean())
    product = metrics.precision(y, decision) * metrics.recall(y, decision)
    errors = 2 * (1 - metrics.balanced_accuracy(y, decision))
    assert criteria.puf(sample) == pytest.approx(product / pi, abs=1e-12)
    assert criteria.pa(sample) == pytest.approx(metrics.accuracy(y, decision) + pi, abs=1e-12)
    assert criteria.pauc(sample) == pytest.approx(q / 2 + (1 - q) * metrics.roc_auc(y, score), abs=1e-12)
    assert criteria.fp_fn(sample) == pytest.approx(q + (1 - q) * errors, abs=1e-12)
    assert criteria.pu_risk(sample) == pytest.approx(1 - metrics.accuracy(y, decision), abs=1e-12)
    assert criteria.nnpu_risk(sample) == pytest.approx(1 - metrics.accuracy(y, decision), abs=1e-12)


@pytest.mark.parametrize("scenario", SCENARIOS)
@given(rows=ROWS, prior=st.floats(0.01, 0.99))
def test_proxy_accuracy_and_the_zero_one_risk_are_one_criterion(
    scenario: Scenario, rows: list[tuple[int, int]], prior: float
) -> None:
    score, s = truth(rows)
    sample = validation(score, s, prior, scenario)
    assert criteria.pa(sample) == pytest.approx(1 + prior - criteria.pu_risk(sample), abs=1e-12)


@pytest.mark.parametrize("loss", risk.LOSSES)
@pytest.mark.parametrize("name", ["pu_risk", "nnpu_risk"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_criterion_agrees_with_the_learners_risk(scenario: Scenario, name: str, loss: risk.Loss) -> None:
    s = np.array([1, 0, 0, 1, 0, 0, 0, 0, 1])
    ours = getattr(criteria, name)(validation(SCORE, s, 0.3, scenario), loss=loss)
    assert ours == pytest.approx(getattr(risk, name)(SCORE, s, prior=0.3, scenario=scenario, loss=loss))


# Edges ------------------------------------------------------------------------------------------------------


def test_zero_one_judges_decisions_and_surrogates_judge_scores() -> None:
    s, score = np.array([1, 0, 0]), np.array([1.0, -1.0, 2.0])
    as_signs = Validation(s, score, np.array([1, 0, 1]), 0.4, "case-control")
    otherwise = Validation(s, score, np.array([0, 1, 0]), 0.4, "case-control")
    for criterion in (criteria.pu_risk, criteria.nnpu_risk):
        assert criterion(as_signs) != criterion(otherwise)
        assert criterion(as_signs, loss="sigmoid") == criterion(otherwise, loss="sigmoid")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_puf_of_all_positive_is_one_and_of_all_negative_zero(scenario: Scenario) -> None:
    s = np.array([1, 1, 0, 0, 0])
    assert criteria.puf(validation(np.ones(5), s, None, scenario)) == 1.0
    assert criteria.puf(validation(-np.ones(5), s, None, scenario)) == 0.0


def test_puf_never_rewards_finding_labelled_rows_only() -> None:
    s = np.array([1, 1, 0, 0, 0])
    score = np.where(s == 1, 1.0, -1.0)
    assert criteria.puf(validation(score, s, None, "case-control")) == 0.0
    # P is part of the population there, so the ratio exists: 1 / (2/5).
    assert criteria.puf(validation(score, s, None, "single-training-set")) == pytest.approx(2.5)


@pytest.mark.parametrize("criterion", [criteria.puf, criteria.fp_fn, criteria.pauc])
@given(rows=ROWS)
def test_criteria_without_a_prior_do_not_look_at_it(
    criterion: Callable[[Validation], float], rows: list[tuple[int, int]]
) -> None:
    score, s = truth(rows)
    for scenario in SCENARIOS:
        without, given_one = (criterion(validation(score, s, prior, scenario)) for prior in (None, 0.2))
        assert without == given_one


@pytest.mark.parametrize("criterion", [criteria.pa, criteria.pu_risk, criteria.nnpu_risk])
@pytest.mark.parametrize(
    ("prior", "message"), [(None, "needs the class prior"), (0.0, "between"), (1.0, "between")]
)
def test_criteria_that_need_a_prior_say_so(
    criterion: Callable[[Validation], float], prior: float | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        criterion(validation(np.array([1.0, -1.0]), np.array([1, 0]), prior, "case-control"))


@given(ROWS)
def test_the_scenario_matters_only_to_criteria_that_estimate_the_population(
    rows: list[tuple[int, int]],
) -> None:
    score, s = truth(rows)
    on_p, on_u = (score[s == 1] >= 0).mean(), (score[s == 0] >= 0).mean()
    assume(on_p != on_u and on_u > 0)
    control, single = (validation(score, s, 0.5, scenario) for scenario in SCENARIOS)
    assert criteria.fp_fn(control) == criteria.fp_fn(single)
    assert criteria.pauc(control) == criteria.pauc(single)
    if on_p > 0:
        assert criteria.puf(control) != criteria.puf(single)
    assert criteria.pa(control) != criteria.pa(single)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"s": np.array([0, 0])}, "0 and 2"),
        ({"s": np.array([1, 1])}, "2 and 0"),
        ({"s": np.array([1, 2])}, "nothing else"),
        ({"score": np.array([1.0])}, "score and s"),
        ({"score": np.array([1.0, np.nan])}, "NaN"),
        ({"decision": np.array([1, 0, 1])}, "decision and s"),
        ({"decision": np.array([1, -1])}, "decision must hold"),
        ({"scenario": "one-sample"}, "case-control, single-training-set"),
    ],
)
def test_what_cannot_be_judged_is_refused(changed: dict[str, object], message: str) -> None:
    good = {"s": np.array([1, 0]), "score": np.array([1.0, -1.0]), "decision": np.array([1, 0])}
    with pytest.raises(ValueError, match=message):
        Validation(**{"prior": 0.5, "scenario": "case-control", **good, **changed})  # type: ignore[arg-type]


# Registration -----------------------------------------------------------------------------------------------


def test_every_criterion_runs_under_its_name_and_says_what_it_needs() -> None:
    s = np.array([1, 1, 0, 0, 0, 1, 0])
    good = np.array([2.0, 0.4, -1.0, -2.0, 1.0, 0.2, -0.3])
    specs = {spec.name: spec for spec in builtins.pubench_criteria()}
    losses = [f"-{loss}" for loss in risk.LOSSES if loss != "zero-one"]
    risks = {name + loss for name in ("pu-risk", "nnpu-risk") for loss in ["", *losses]}
    assert set(specs) == {"puf", "fp-fn", "pa", "pauc"} | risks
    for name, spec in specs.items():
        function = _resolve(spec.function)
        for scenario in SCENARIOS:
            better = function(validation(good, s, 0.5, scenario), **spec.params)
            worse = function(validation(-good, s, 0.5, scenario), **spec.params)
            assert (better > worse) == spec.greater_is_better, (name, scenario)
            if "prior" in spec.needs:
                with pytest.raises(ValueError, match="prior"):
                    function(validation(good, s, None, scenario), **spec.params)
            else:
                function(validation(good, s, None, scenario), **spec.params)


def test_every_metric_runs_under_its_name_and_knows_its_direction() -> None:
    y, p = np.array([0, 1, 1, 0, 1]), np.array([0.1, 0.9, 0.7, 0.6, 0.8])
    specs = {spec.name: spec for spec in builtins.pubench_metrics()}
    assert set(specs) == {name.replace("_", "-") for name in metrics.__all__} - {"collapsed", "reliability"}
    values = {"decision": p >= 0.5, "score": p, "probability": p}
    reverse = {"decision": p < 0.5, "score": -p, "probability": 1 - p}
    for name, spec in specs.items():
        function = _resolve(spec.function)
        better, worse = function(y, values[spec.uses]), function(y, reverse[spec.uses])
        if spec.greater_is_better is not None:
            assert (better > worse) == spec.greater_is_better, name
    assert specs["predicted-positive-rate"].greater_is_better is None


def _resolve(string: str) -> Callable[..., float]:
    module, _, attribute = string.partition(":")
    function: Callable[..., float] = getattr(import_module(module), attribute)
    return function
