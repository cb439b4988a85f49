"""A paper's claims, held against results."""

import io
import math
from typing import Any

import numpy as np
import pytest
from helpers.reports import paper as paper_of
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from pubench.reporting import Report, build_report
from pubench.reporting.claims import ClaimResult, judge
from pubench.reporting.measures import Measure, Measures, measures_of
from pubench.reporting.render.csv import claims_csv
from pubench.reporting.render.html import html_report
from pubench.reporting.render.markdown import markdown_report
from pubench.reporting.render.terminal import terminal_report
from pubench.reporting.sections.paper import claims_summary
from pubench.stats.scores import Block, score_table
from pubench.suite.claims import PaperClaim

Scores = dict[str, list[float]]


def claim(kind: str = "beats", **keys: Any) -> PaperClaim:
    whole = {
        "kind": kind,
        "says": "A is good.",
        "place": "Table 1",
        "metric": "acc",
        "algorithms": ["a", "b"],
    }
    return PaperClaim.model_validate(
        {key: value for key, value in (whole | keys).items() if value is not None}
    )


def measures(scores: Scores, greater: bool = True, criterion: str | None = None) -> Measures:
    """Cases are data sets d0, d1, ...; the standard error of every mean is 0.01."""
    means = {
        (Block(f"d{i}", "l", criterion), name): Measure(value, 0.01)
        for name, values in scores.items()
        for i, value in enumerate(values)
    }
    return Measures(greater, means)


def verdict(made: PaperClaim, scores: Scores, **keys: Any) -> str:
    return judge(made, measures(scores, **keys)).verdict


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.6, 0.6, 0.6], "holds"),
        ([0.6, 0.6, 0.4], "holds in part"),
        ([0.6, 0.6, 0.0], "does not hold"),  # Most cases are won, but the mean is behind.
        ([0.9, 0.4, 0.4], "does not hold"),
        ([0.5, 0.6, 0.6], "holds in part"),  # Equal is not ahead.
        ([math.nan, 0.6, 0.6], "cannot be tested"),
        ([math.nan, 0.4, 0.4], "does not hold"),  # Whatever the missing case says.
    ],
)
def test_a_method_beats_others_in_the_cases_that_the_claim_needs(scores: list[float], expected: str) -> None:
    assert verdict(claim(), {"a": scores, "b": [0.5] * 3}) == expected


def test_the_number_of_cases_the_lead_and_ties_are_the_claims() -> None:
    scores = {"a": [0.6, 0.6, 0.4, 0.4], "b": [0.5, 0.5, 0.5, 0.4]}
    assert verdict(claim(on=2), scores) == "holds"
    assert verdict(claim(on=3), scores) == "holds in part"
    assert verdict(claim(on=3, ties=True), scores) == "holds"
    assert verdict(claim(on=2, by=0.05), scores) == "holds in part"
    assert verdict(claim(datasets=["d2"]), scores) == "does not hold"
    assert verdict(claim(), scores, greater=False) == "does not hold"


def test_all_others_must_be_beaten_at_once() -> None:
    scores = {"a": [0.6, 0.6], "b": [0.5, 0.7], "c": [0.7, 0.5]}
    found = judge(claim(algorithms=["a", "b", "c"]), measures(scores))
    assert found.verdict == "does not hold"
    assert found.ours == "ahead in 0 of 2 cases; mean lead -0.100 (-0.100 to -0.100)"


def test_figures_say_how_much_is_beyond_noise() -> None:
    found = judge(claim(), measures({"a": [0.51, 0.6], "b": [0.5, 0.5]}))
    assert (
        found.ours
        == "ahead in 2 of 2 cases, 1 by more than two standard errors; mean lead 0.055 (0.010 to 0.100)"
    )
    (alone,) = (judge(claim(), measures({"a": [0.51], "b": [0.5]})),)
    assert alone.ours == "ahead by 0.010, by less than two standard errors"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.lists(st.floats(0, 1), min_size=6, max_size=6))
def test_a_method_and_its_rival_are_not_both_ahead_everywhere(
    first: list[float], second: list[float]
) -> None:
    scores = {"a": first, "b": second[: len(first)]}
    both = [verdict(claim(algorithms=names), scores) for names in (["a", "b"], ["b", "a"])]
    assert both.count("holds") < 2


def test_near_order_and_trend() -> None:
    scores = {"a": [0.9, 0.8, 0.7], "b": [0.88, 0.79, 0.5], "c": [0.1, 0.1, 0.1]}
    assert verdict(claim("near", within=0.03), scores) == "holds in part"
    assert verdict(claim("near", within=0.03, on=2), scores) == "holds"
    assert verdict(claim("order", algorithms=["a", "b", "c"]), scores) == "holds"
    assert verdict(claim("order", algorithms=["c", "b", "a"]), scores) == "does not hold"
    steps = ["d0", "d1", "d2"]
    falls = {"along": "datasets", "datasets": steps, "direction": "falls"}
    assert verdict(claim("trend", algorithms=["a"], **falls), scores) == "holds"
    assert (
        verdict(claim("trend", algorithms=["a"], along="datasets", datasets=steps), scores) == "does not hold"
    )
    found = judge(claim("trend", along="datasets", datasets=steps), measures(scores))
    assert found.verdict == "does not hold"  # One step up of two is less than two thirds.
    assert found.ours == "difference 0.020 (d0), 0.010 (d1), 0.200 (d2)"
    along = claim("trend", algorithms=["c", "b", "a"], along="algorithms")
    assert verdict(along, scores) == "holds"


def test_a_trend_with_a_hole_cannot_be_tested() -> None:
    made = claim("trend", algorithms=["a"], along="datasets", datasets=["d0", "d1"])
    assert verdict(made, {"a": [0.5, math.nan]}) == "cannot be tested"


def test_conditions_of_the_others() -> None:
    tuned = measures({"a": [0.7]}, criterion="puf").means
    other = measures({"a": [0.6]}, criterion="fp-fn").means
    counts = {(Block("counts: d0", "l", None), "b"): Measure(0.65, 0.01)}
    both = Measures(True, {**tuned, **other, **counts})
    criteria = claim(algorithms=["a"], criterion="puf", versus={"criterion": "fp-fn"})
    assert judge(criteria, both).ours.startswith("ahead by 0.100")
    prefixed = claim(criterion="puf", versus={"prefix": "counts:"})
    assert judge(prefixed, both).ours.startswith("ahead by 0.050")
    back = claim(algorithms=["b", "a"], versus={"prefix": "counts:", "criterion": "puf"})
    assert judge(back, both).ours.startswith("behind by 0.050")


def test_what_nothing_here_tests_says_why() -> None:
    made = claim("untested", metric=None, algorithms=None, reason="the data set is unavailable")
    assert judge(made, None) == ClaimResult(
        "A is good.", "Table 1", "cannot be tested", "The data set is unavailable."
    )
    assert judge(claim(), None).verdict == "cannot be tested"
    assert judge(claim(), measures({"a": [0.5]})).verdict == "cannot be tested"


def rows(lead: float = 0.1) -> list[dict[str, Any]]:
    plain = {"labelling": "l", "criterion": None, "status": "ok"}
    return [
        plain | {"dataset": f"d{d}", "replicate": r, "algorithm": name, "acc": mean + 0.01 * r}
        for d in range(2)
        for r in range(3)
        for name, mean in (("a", 0.5 + lead), ("b", 0.5))
    ]


def test_measures_of_a_table() -> None:
    incomplete = [
        row | ({"status": "failed", "acc": None} if row["dataset"] == "d1" else {}) for row in rows()
    ]
    found = measures_of(score_table(incomplete, "acc", greater_is_better=True))
    assert found.means[Block("d0", "l", None), "b"].mean == pytest.approx(0.51)
    assert found.means[Block("d0", "l", None), "b"].error == pytest.approx(0.01 / math.sqrt(3))
    assert np.isnan(found.means[Block("d1", "l", None), "b"].mean)


def reported() -> Report:
    number = {"dataset": "d0", "metric": "acc"}
    numbers = [number | {"algorithm": "a", "mean": 0.4}, number | {"algorithm": "b", "mean": 0.6}]
    claims = [claim().model_dump(exclude_defaults=True)]
    truth = "the width, on other seeds."
    paper = paper_of(citation="A. Author", numbers=numbers, claims=claims, chosen_with_truth=truth)
    return build_report(rows(), "s", {"acc": True}, paper=paper)


def test_a_papers_page_opens_with_its_claims_in_all_formats() -> None:
    report = reported()
    page, markdown = html_report(report), markdown_report(report)
    stream = io.StringIO()
    terminal_report(report, Console(file=stream, width=250))
    for text in (page, markdown, stream.getvalue()):
        assert "Of 1 claim, 1 holds." in text
        assert "ahead in 2 of 2 cases, 2 by more than two standard errors; mean lead 0.100" in text
        # The same figures of the paper's own numbers, which say the opposite.
        assert "behind by 0.200" in text
        assert "Chosen with true classes: the width, on other seeds." in text
    for text in (markdown, stream.getvalue()):
        assert text.index("A is good.") < text.index("acc (higher is better)")
    assert page.index('id="paper"') < page.index('id="summary"') < page.index('id="leaderboard"')
    assert claims_csv(report).splitlines()[1].startswith("A is good.,Table 1,holds,")


def test_claims_without_numbers_have_a_page_too() -> None:
    paper = paper_of(citation="A. Author", claims=[claim().model_dump(exclude_defaults=True)])
    report = build_report(rows(), "s", {"acc": True}, paper=paper)
    assert 'id="paper"' in html_report(report)
    assert "Published numbers" not in markdown_report(report)


def test_summary_counts_in_good_english() -> None:
    results = [
        ClaimResult("x", "y", name, "") for name in ("holds", "holds", "does not hold", "cannot be tested")
    ]  # type: ignore[arg-type]
    assert claims_summary(results) == "Of 4 claims, 2 hold, 1 does not hold and 1 cannot be tested."
