"""The page's section on searches: gains over the first trial, the direction of criteria, importance of parameters."""

import json
from typing import Any

import numpy as np
import pytest
from helpers.html import outline, row
from hypothesis import given
from hypothesis import strategies as st

from pubench.reporting import build_report
from pubench.reporting.details import RunDetails
from pubench.reporting.render.html import html_report
from pubench.reporting.trials import explained, find_importances, find_searches, search_texts
from pubench.results.record import TrialRecord


def run(
    values: list[list[float | None]], chosen: list[int], criterion: str = "puf", **keys: Any
) -> tuple[list[dict[str, Any]], dict[str, list[Any]]]:
    """Rows with the trials behind them: one cell for each list of values, parameters that number the trials."""
    rows, trials = [], {}
    for r, (cell, best) in enumerate(zip(values, chosen, strict=True)):
        tried = [
            TrialRecord({"c": i}, value, 0.5, "" if value is not None else "boom")
            for i, value in enumerate(cell)
        ]
        place = {"key": f"{criterion}{r}", "replicate": r, "params": json.dumps({"c": best})}
        rows.append(row("a", 0.5, criterion=criterion, **place) | keys)
        trials[f"{criterion}{r}"] = tried
    return rows, trials


def test_the_curve_is_the_share_of_the_gain_over_the_first_trial() -> None:
    (found,) = find_searches(*run([[1.0, 3.0, 2.0, 5.0], [None, 2.0, 2.0]], [3, 1]))
    # The second search gained nothing after its first value: its share is 1 from there on.
    np.testing.assert_allclose(found.curve, np.mean([[0, 0.5, 0.5, 1], [0, 1, 1, 1]], axis=0))
    assert (found.searches, found.trials, found.failed) == (2, 7, 1)
    assert found.needed == 3.0
    assert found.seconds == pytest.approx(1.75)


def test_which_way_is_better_follows_from_what_was_chosen() -> None:
    up, down = run([[1.0, 2.0, 3.0]], [2], "up"), run([[3.0, 2.0, 1.0]], [2], "down")
    one, other = find_searches(up[0] + down[0], up[1] | down[1])
    np.testing.assert_array_equal(one.curve, other.curve)
    np.testing.assert_allclose(one.curve, [0, 0.5, 1])


def test_each_search_has_a_line_of_text() -> None:
    rows, trials = run([[3.0, 4.0, 1.25, None]], [2])
    assert search_texts(rows, trials) == {"puf0": "4 trials, 1 failed; best so far at 1: 3, 3: 1.25"}
    assert search_texts(*run([[None, None]], [0])) == {"puf0": "2 trials, 2 failed"}


def test_searches_that_failed_altogether_are_counted() -> None:
    (found,) = find_searches(*run([[None, None]], [0]))
    assert found.failed == 2
    assert np.isnan(found.needed)
    np.testing.assert_array_equal(found.curve, [0, 0])


def trials_of(
    rng: np.random.Generator, cells: int, warp: bool = False
) -> tuple[list[Any], dict[str, list[Any]]]:
    rows, trials = [], {}
    for r in range(cells):
        params = [
            {"matters": float(a), "idle": float(b), "kind": kind}
            for a, b, kind in zip(rng.random(20), rng.random(20), rng.choice(["x", "y"], 20), strict=True)
        ]
        scale = float(10.0**r)
        values = [scale * (p["matters"] + (0.2 if p["kind"] == "y" else 0.0)) for p in params]
        if warp:
            values = [float(np.log(value)) for value in values]
            params = [p | {"matters": float(np.exp(9 * p["matters"]))} for p in params]
        trials[f"k{r}"] = [TrialRecord(p, v, 0.1, "") for p, v in zip(params, values, strict=True)]
        best = json.dumps(params[int(np.argmax(values))], sort_keys=True)
        rows.append(row("a", 0.5, criterion="puf", key=f"k{r}", replicate=r, params=best))
    return rows, trials


def shares(rows: list[Any], trials: dict[str, list[Any]]) -> dict[str, float]:
    return {each.parameter: each.shares["puf"] for each in find_importances(rows, trials)}


def test_only_a_parameter_that_matters_is_important() -> None:
    found = shares(*trials_of(np.random.default_rng(0), 20))
    assert found["matters"] > 0.8
    assert found["idle"] < 0.05
    assert 0.02 < found["kind"] < 0.4


def test_scales_of_parameters_and_criteria_do_not_matter() -> None:
    plain = shares(*trials_of(np.random.default_rng(0), 8))
    warped = shares(*trials_of(np.random.default_rng(0), 8, warp=True))
    assert plain == pytest.approx(warped, abs=1e-12)


def test_too_few_trials_give_no_importance() -> None:
    rows, trials = trials_of(np.random.default_rng(0), 1)
    assert find_importances(rows, {"k0": trials["k0"][:19]}) == []
    # A repeated trial does not count again.
    assert find_importances(rows, {"k0": trials["k0"][:10] * 3}) == []


@given(st.lists(st.integers(0, 3), min_size=20, max_size=60), st.randoms(use_true_random=False))
def test_shares_lie_between_nothing_and_all(groups: list[int], random: Any) -> None:
    values = np.array(random.sample(range(len(groups)), len(groups)), dtype=np.float64)
    assert 0.0 <= explained(np.array(groups), values) <= 1.0


def test_groups_that_fix_the_value_explain_all() -> None:
    groups = np.repeat([0, 1, 2], 10)
    assert explained(groups, groups.astype(float)) == 1.0
    assert explained(np.zeros(30, dtype=np.int64), np.arange(30.0)) == 0.0


def test_the_page_shows_searches_and_escapes_parameters() -> None:
    rows, trials = trials_of(np.random.default_rng(0), 3)
    for tried in trials["k0"]:
        tried.params["<b>"] = "<script>"
    report = build_report(rows, "s", {"acc": True}, details=RunDetails(trials=trials))
    found = outline(html_report(report))
    assert "Importance of parameters" in found.text
    assert "<b>" in found.text
    assert found.tags["script"] == 3
    assert "b" not in found.tags
    assert 'id="tuning"' not in html_report(build_report(rows, "s", {"acc": True}))
