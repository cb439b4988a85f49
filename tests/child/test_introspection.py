"""What models tell of themselves: bounded, checked against what they said, never at the cost of a result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.html import outline, row
from helpers.reports import details

from pubench import read_results, run_suite
from pubench.child.introspection import NUMBERS, STAGES, is_open, look_inside, thinned
from pubench.protocol import Predictions
from pubench.protocol.replies import Introspection
from pubench.reporting import Report, build_report, report_of
from pubench.reporting.render.html import html_report
from pubench.reporting.sections.models import find_curves, find_weights
from pubench.results.record import ModelRecord
from pubench.results.store import read_inside, read_records
from pubench.run.evaluation import model_record


@pytest.mark.parametrize("count", [1, 2, 49, 50, 51, 99, 100, 101, 1000])
def test_stages_are_bounded_evenly_apart_and_end_with_the_last(count: int) -> None:
    numbers, scores = thinned(([float(t)] * 3 for t in range(1, count + 1)), 3)
    assert len(numbers) <= STAGES
    assert len(numbers) >= min(count, STAGES // 2)
    assert numbers[-1] == count
    np.testing.assert_array_equal(scores, np.repeat(np.array(numbers, float)[:, None], 3, axis=1))
    assert len(set(np.diff(numbers[:-1]).tolist())) <= 1


def test_many_rows_keep_fewer_stages_or_none() -> None:
    n = NUMBERS // 4
    assert len(thinned((np.zeros(n) for _ in range(20)), n)[0]) <= 4
    with pytest.raises(ValueError, match="too many"):
        thinned([np.zeros(1)], NUMBERS)
    with pytest.raises(ValueError, match="no stage"):
        thinned([], 3)


class Staged:
    """Scores that grow with each stage; what it says at the end is its own choice."""

    def __init__(self, end: float = 1.0, weights: Any = None) -> None:
        self.end = end
        if weights is not None:
            self.coef_ = weights

    def staged_decision_function(self, X: Any) -> Iterator[Any]:
        for share in (0.25, 0.5, self.end):
            yield X[:, 0] * share


X = np.array([[-1.0], [2.0], [3.0]])
SAID = Predictions(X[:, 0], (X[:, 0] >= 0).astype(np.uint8), None)


def test_stages_and_weights_of_a_model() -> None:
    found, (scores,) = look_inside(Staged(weights=[[0.5, -2.0, 0.0]]), X, SAID)
    assert found == Introspection(stages=(1, 2, 3), of="coefficient", weights=((1, -2.0), (0, 0.5)), size=3)
    np.testing.assert_allclose(scores, np.outer([0.25, 0.5, 1.0], X[:, 0]))


def test_stages_of_a_model_with_other_decisions_call_as_many_rows_positive() -> None:
    decided = Predictions(SAID.score - 2.5, (SAID.score >= 2.5).astype(np.uint8), None)
    _, (scores,) = look_inside(Staged(), X, SAID, decided=decided)
    np.testing.assert_array_equal(scores >= 0, [[False, False, True]] * 3)
    np.testing.assert_array_equal(scores[-1], decided.score)


@pytest.mark.parametrize("model", [Staged(end=-1.0), Staged(end=2.0), Staged(end=np.nan)])
def test_stages_that_end_in_other_predictions_are_not_believed(model: Staged) -> None:
    found, arrays = look_inside(model, X, SAID)
    assert (found.stages, arrays) == ((), [])
    assert found.errors[0].startswith("stages: ValueError")


def test_weights_that_are_not_numbers_are_reported() -> None:
    found, _ = look_inside(Staged(weights=[np.nan]), X, SAID)
    assert found.errors == ("weights: ValueError: coef_ holds NaN or infinity",)
    assert found.stages == (1, 2, 3)


def test_a_model_without_stages_and_weights_is_not_asked() -> None:
    class Mute:
        pass

    assert not is_open(Mute())
    assert is_open(Staged())


def introspection(stages: tuple[int, ...], weights: Any = ()) -> Introspection:
    return Introspection(stages=stages, weights=weights, size=3)


def test_a_curve_has_a_value_after_each_stage_and_one_without_any_is_left_out() -> None:
    curves = {"accuracy": (0.5, 1.0), "precision": (None, 0.1234567), "log-loss": (None, None)}
    found = model_record(introspection((2, 4)), curves)
    kept = {"accuracy": (0.5, 1.0), "precision": (None, 0.123457)}
    assert found == ModelRecord(size=3, stages=(2, 4), metrics=kept)


def test_columns_have_names_where_there_is_one_for_each() -> None:
    model = introspection((), ((2, 0.5),))
    named = model_record(model, {}, ("a", "b", "c"))
    assert named is not None
    assert named.weights == (("c", 0.5),)
    moved = model_record(model, {}, ("a", "b"))
    assert moved is not None
    assert moved.weights == (("column 2", 0.5),)


def test_stages_without_curves_are_not_kept() -> None:
    assert model_record(introspection((1, 2)), {}) == ModelRecord(size=3)


SUITE = """
name = "inside"
replicates = 2
[[datasets]]
use = "breast-cancer"
[[labellings]]
scenario = "case-control"
positives = 50
[[algorithms]]
use = "adapu"
[[algorithms]]
use = "wlr"
[[algorithms]]
use = "naive-et"
[prior]
source = "true"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inside")
    (folder / "s.toml").write_text(SUITE)
    run_suite(folder / "s.toml", out=folder / "run")
    return folder / "run"


@pytest.mark.slow
def test_the_last_stage_has_the_metrics_of_the_cell(run: Path) -> None:
    records, told = read_records(run)[0], read_inside(run)
    staged = {key: found for key, found in told.items() if found.stages}
    assert len(staged) == 2
    for key, found in staged.items():
        assert all(
            values[-1] == pytest.approx(records[key].metrics[name], rel=1e-5)
            for name, values in found.metrics.items()
        )
        assert records[key].inside is None


@pytest.mark.slow
def test_the_page_shows_stages_and_the_names_of_columns(run: Path) -> None:
    report = report_of(read_results(run))
    text = outline(html_report(report)).text
    assert "Model introspection" in text
    assert "worst concave points" in text
    assert {each.of for each in find_weights(report)} == {"importance", "coefficient"}


def reported(rows: list[dict[str, Any]], models: dict[str, Any]) -> Report:
    return build_report(rows, "s", {"acc": True}, details=details(models=models))


def told(count: int, **keys: Any) -> dict[str, Any]:
    return {
        "stages": list(range(1, count + 1)),
        "metrics": {"acc": [t / 10 for t in range(1, count + 1)]},
    } | keys


def test_a_curve_that_ends_early_keeps_its_last_value() -> None:
    rows = [row("a", 0.5, replicate=r, key=f"k{r}") for r in range(2)]
    (sweep,) = find_curves(reported(rows, {"k0": told(4), "k1": told(2)}))
    (line,) = sweep.panels[0].curves
    np.testing.assert_allclose(line.x, [1, 2, 3, 4])
    np.testing.assert_allclose(line.mean, [0.1, 0.2, 0.25, 0.3])


def test_weights_are_means_in_which_a_missing_column_is_nothing() -> None:
    rows = [row("a", 0.5, replicate=r, key=f"k{r}") for r in range(2)]
    inside = {
        "k0": {"of": "coefficient", "size": 9, "weights": [["x", -2.0], ["y", 1.0]]},
        "k1": {"of": "coefficient", "size": 9, "weights": [["y", 1.0]]},
    }
    (found,) = find_weights(reported(rows, inside))
    assert sorted(found.top) == [("x", -1.0, 1.0), ("y", 1.0, 1.0)]


def test_what_is_told_cannot_become_part_of_the_page() -> None:
    rows = [row("<b>", 0.5, replicate=r, key=f"k{r}", dataset="<i>$") for r in range(2)]
    nasty = told(3, of="<b>", size=2, weights=[["<script>", 1.0]], errors=["stages: <b>"])
    found = outline(html_report(reported(rows, {"k0": nasty, "k1": nasty})))
    assert found.tags["script"] == 3
    assert not {"b", "i"} & set(found.tags)
    assert "<script>" in found.text
    assert "stages: <b>" in found.text


def test_without_anything_told_there_is_no_section() -> None:
    rows = [row("a", 0.5, key="k0")]
    assert 'id="models"' not in html_report(build_report(rows, "s", {"acc": True}))
