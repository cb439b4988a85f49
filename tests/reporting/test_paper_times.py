"""A paper's times, and its risks on training rows, beside ours."""

from typing import Any

import numpy as np
import pytest
from helpers.suites import run

from pubench.errors import SuiteError
from pubench.reporting import build_report, report_of
from pubench.reporting.render.csv import paper_csv, scores_csv
from pubench.reporting.render.markdown import markdown_report
from pubench.results.export import export_text
from pubench.suite.reporting import PaperConfig

TIME = {"dataset": "toy-blobs", "algorithm": "toy", "metric": "fit-seconds", "mean": 1200.0, "sd": 300.0}
RISK = TIME | {"metric": "training-pu-risk", "mean": -0.48, "sd": 0.01}
ACCURACY = TIME | {"metric": "accuracy", "mean": 90.0, "sd": 1.0}


def paper(*numbers: dict[str, Any]) -> dict[str, Any]:
    return {"citation": "A. Author, Table 8", "percent": True, "numbers": list(numbers)}


def test_numbers_are_set_beside_the_rows_and_only_percentages_are_scaled(tmp_path: Any) -> None:
    report = {"metrics": ["accuracy"], "training": ["pu-risk"]}
    results = run(tmp_path, replicates=3, report=report, paper=paper(TIME, RISK, ACCURACY))
    found = report_of(results)
    assert found.paper is not None
    time, risk, accuracy = found.paper.numbers
    columns = {"fit_seconds": time, "training-pu-risk": risk, "accuracy": accuracy}
    for column, line in columns.items():
        ours = [row[column] for row in results.rows]
        assert (line.ours, line.ours_sd) == pytest.approx((np.mean(ours), np.std(ours, ddof=1)))
        assert line.remark == ""
    assert (time.paper, time.paper_sd) == (1200.0, 300.0)
    assert (risk.paper, risk.paper_sd) == (-0.48, 0.01)
    assert (accuracy.paper, accuracy.paper_sd) == (0.9, 0.01)


def test_only_the_papers_table_has_times(tmp_path: Any) -> None:
    results = run(tmp_path, report={"metrics": ["accuracy"]}, paper=paper(TIME))
    found = report_of(results)
    assert [table.metric for table in found.tables] == ["accuracy"]
    assert "fit-seconds" in paper_csv(found)
    assert "fit-seconds" not in scores_csv(found)
    head, tables = markdown_report(found).split("## Comparison with the paper")
    assert "fit-seconds" in tables
    assert "seconds" not in head
    for text in (export_text(results, form, times=False) for form in ("csv", "json")):
        assert "seconds" not in text


def test_where_no_time_is_published_times_change_nothing() -> None:
    plain = {"dataset": "toy-blobs", "labelling": "l", "criterion": None, "replicate": 0, "status": "ok"}
    made = [
        build_report(
            [plain | {"algorithm": "toy", "accuracy": 0.9, "fit_seconds": seconds}],
            "s",
            {"accuracy": True},
            paper=PaperConfig.model_validate(paper(ACCURACY)),
        )
        for seconds in (1.0, 2.0)
    ]
    assert len({markdown_report(report) + scores_csv(report) + paper_csv(report) for report in made}) == 1


def test_a_training_criterion_that_the_report_lacks_is_refused(tmp_path: Any) -> None:
    with pytest.raises(
        SuiteError, match=r"paper\.numbers\[0\]\.metric = \"training-pu-risk\": is not among the metrics"
    ):
        run(tmp_path, report={"metrics": ["accuracy"]}, paper=paper(RISK))
