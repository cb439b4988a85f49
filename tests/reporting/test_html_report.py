"""What the page holds: one file, every text escaped, nothing hidden, the same bytes for the same rows."""

import json
import re
import time
from itertools import product
from typing import Any

import numpy as np
import pytest
from helpers.html import Outline, outline, packed, row, rows_of
from helpers.reports import details

from pubench.reporting import build_report
from pubench.reporting.render.html import html_report
from pubench.reporting.sections.comparisons import make_comparisons
from pubench.reporting.sections.scores import remarks
from pubench.suite.reporting import Rules

THREE = {"a": [0.9, 0.8, 0.7], "b": [0.85, 0.82, 0.6], "c": [0.1, 0.2, 0.3]}


def page_of(
    rows: list[dict[str, Any]], metrics: dict[str, bool | None] | None = None, title: str = "s"
) -> str:
    return html_report(build_report(rows, title, metrics or {"acc": True}))


def read(rows: list[dict[str, Any]], **keys: Any) -> Outline:
    return outline(page_of(rows, **keys))


def test_records_of_pairs_are_seen_from_both_sides() -> None:
    report = build_report(rows_of(THREE), "s", {"acc": True}, rules=Rules(comparisons="all-pairs"))
    (page,) = make_comparisons(report)
    assert page.order == ("a", "b", "c")
    won, lost = page.records["a", "b"], page.records["b", "a"]
    assert (won.wins, won.ties, won.losses) == (lost.losses, lost.ties, lost.wins) == (2, 0, 1)
    assert ("a", "a") not in page.records


def test_what_cannot_be_concluded_is_said_first() -> None:
    found = " ".join(read(rows_of(THREE)).text.split())
    sentence = "3 data sets cannot show which method is better; at least 7 are needed."
    assert found[found.index(sentence) :].startswith(f"{sentence} a has the best average rank (1.33).")
    assert found.count(sentence) == 1
    tests = found[found.index("Tests It cannot be concluded which algorithms differ") :]
    assert "Critical-difference" not in tests


def test_what_can_be_concluded_is_said_first() -> None:
    rng = np.random.default_rng(0)
    rows = [
        row(name, 0.9 - 0.1 * k + 0.01 * float(rng.standard_normal()), dataset=f"d{i}")
        for i in range(12)
        for k, name in enumerate("abc")
    ]
    report = build_report(rows, "s", {"acc": True})
    points = f"{100 * report.comparisons[0].family.detectable:.1f} points"
    sentence = f"Differences in acc below {points} cannot be seen with 12 data sets. "
    sentence += "a has the best average rank (1.00), and 2 of 2 other methods are significantly worse."
    assert sentence in outline(html_report(report)).text


def test_the_leaderboard_is_readable_without_the_script() -> None:
    text = " ".join(read(rows_of(THREE)).text.split())
    assert "Methods by acc" in text
    assert "There is no normalised score: the run has no supervised reference" in text
    assert "There are no Elo ratings: they need at least 15 data sets." in text


def test_the_page_compares_each_algorithm_with_the_best() -> None:
    rows = [
        row(name, 0.1 * k + 0.002 * i * k, dataset=f"d{i}") for i in range(12) for k, name in enumerate("abc")
    ]
    (page,) = make_comparisons(build_report(rows, "s", {"acc": True}))
    assert (page.inconclusive, page.records) == ((), {})
    assert page.table is not None
    assert page.table.heads[4] == "difference to c"
    best, second, last = page.table.lines
    assert (best[0], second[0], last[0]) == ("c", "b", "a")
    assert last[-1] == "worse with probability 0.99 or more"
    text = read(rows).text
    assert "acc: each algorithm against c" in text
    assert "worse with probability 0.99 or more" in text


def test_the_header_counts_data_sets_and_algorithms() -> None:
    rows = rows_of(THREE) + rows_of({"t": [0.5, 0.5, 0.5]}, criterion="puf")
    assert "3 data sets, 1 labelling, 4 algorithms, 2 replicates; tuned by puf." in read(rows).text


def test_the_page_has_the_command_of_each_merged_run() -> None:
    rows = rows_of(THREE)
    made = [{"command": ["pubench", "suite", "run", name], "python": name} for name in ("x.toml", "y.toml")]
    report = build_report(rows, "s", {"acc": True}, details=details(provenance=made))
    text = outline(html_report(report)).text
    assert "pubench suite run x.toml" in text
    assert "pubench suite run y.toml" in text


def test_a_reference_has_no_rank() -> None:
    rows = rows_of(THREE) + rows_of({"supervised-x": [1, 1, 1]}, reference=True)
    report = build_report(rows, "s", {"acc": True})
    (page,), (board,) = make_comparisons(report), report.leaderboards
    assert "supervised-x" not in page.ranks
    assert [one.algorithm for one in board.standings] == ["a", "b", "c", "supervised-x"]
    assert board.standings[-1].reference
    assert np.isnan(board.standings[-1].rank)


def test_the_page_needs_nothing_else() -> None:
    page = page_of(rows_of(THREE))
    assert not re.search(r"https?:|//[a-z]+\.|@import|url\((?!#)|<link|src=", page)


def test_the_same_rows_give_the_same_bytes() -> None:
    assert page_of(rows_of(THREE)) == page_of(rows_of(THREE))


NASTY = "<script>alert(1)</script>\"'&$x_1^2$\\%#{}~ 🦆 " + "long" * 50


def test_names_cannot_become_html() -> None:
    rows = [
        row(NASTY, value, dataset=NASTY + str(i), labelling=NASTY, criterion=NASTY, notes=NASTY, params=NASTY)
        for i, value in enumerate((0.1, 0.2, 0.3))
    ]
    rows += [row("other", 0.5, dataset=NASTY + str(i), labelling=NASTY, criterion=NASTY) for i in range(3)]
    rows += [row("</script><b>", None, status="failed", error=NASTY)]
    cards = {
        NASTY: {
            "rows": 3,
            "features": 1,
            "positive": [NASTY],
            "citation": NASTY,
            "source": "javascript:alert(1)",
        }
    }
    found = details(cards, [{"command": ["x", NASTY], "python": NASTY}])
    report = build_report(rows, NASTY, {"acc": True}, description=NASTY, details=found)
    text = html_report(report)
    page = outline(text)
    assert page.tags["script"] == 3
    assert "b" not in page.tags
    assert not page.handlers
    assert all(link.startswith("#") for link in page.links)
    assert NASTY in page.text


def test_the_rows_behind_the_means_are_in_the_page() -> None:
    rows = rows_of(THREE)
    data = packed(page_of(rows), "rows")
    assert {len(column) for column in data["values"].values()} == {len(rows)}
    assert data["texts"][int(data["values"]["algorithm"][0][1:])] == "a"
    assert data["values"]["acc"][0] == pytest.approx(0.89)


def test_the_means_have_all_their_digits_in_the_page() -> None:
    rows = rows_of({"a": [1 / 3, 2 / 3], "b": [0.1, 0.7]})
    report = build_report(rows, "s", {"acc": True})
    data = packed(html_report(report), "board-data")
    assert data["metrics"][0]["mean"] == report.tables[0].mean.ravel().tolist()


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], "No cell was planned"),
        ([row("a", 0.5)], r"fewer than two methods to compare\."),
        (
            [row("a", 0.5), row("b", 0.6, reference=True)],
            "those marked † use true labels, and are not ranked",
        ),
        ([row("a", None, status="failed", error="boom")], "boom"),
        ([row("a", None, status="pending"), row("b", 0.4)], "Not run yet"),
        ([row("a", float("nan")), row("b", float("inf"))], "Nothing can be concluded|best average rank"),
        ([row("a", 0.5, collapsed=True), row("b", 0.4)], "Collapsed"),
        ([row("a", 0.5), row("b", 0.5)], "a and b share the best average rank"),
    ],
    ids=[
        "no cell",
        "one algorithm",
        "one and a reference",
        "all failed",
        "going on",
        "no numbers",
        "collapsed",
        "equal",
    ],
)
def test_small_and_failed_runs_have_a_page(rows: list[dict[str, Any]], says: str) -> None:
    assert re.search(says, read(rows).text)


def test_a_metric_without_a_direction_is_shown_without_ranks() -> None:
    found = read(rows_of(THREE), metrics={"acc": None})
    assert "this metric has no direction" in found.text
    assert "svg" not in found.tags


def test_collapsed_models_are_marked_at_their_means() -> None:
    rows = rows_of(THREE)
    rows[0] |= {"collapsed": True}
    rows += [row("tuned", 0.5, dataset="d0", criterion="puf", replicate=r, collapsed=True) for r in range(2)]
    report = build_report(rows, "s", {"acc": True})
    (tuned,) = (k for k, line in enumerate(report.board.lines) if line.block.criterion == "puf")
    # An untuned algorithm appears in the line of the criterion, with its collapses.
    found = {place: text for place, text in remarks(report, 0).items() if place // 4 == tuned}
    assert found == {4 * tuned: "1 collapsed", 4 * tuned + 3: "2 collapsed"}


def test_an_algorithm_that_always_fails_leaves_the_others_compared() -> None:
    rows = rows_of(THREE)
    rows += [row("broken", None, dataset=f"d{d}", status="failed", error="boom") for d in range(3)]
    rules = Rules(comparisons="all-pairs")
    (page,) = make_comparisons(build_report(rows, "s", {"acc": True}, rules=rules))
    assert page.ranks == {}
    assert page.order == ("a", "b", "c")
    # Of those that are complete on most data sets the first in rank is the best.
    (page,) = make_comparisons(build_report(rows, "s", {"acc": True}))
    assert page.table is not None
    assert [line[0] for line in page.table.lines] == ["a", "b", "c"]
    report = build_report(rows, "s", {"acc": True})
    # The leaderboard ranks those that finished.
    assert [one.rank for one in report.leaderboards[0].standings] == pytest.approx(
        [4 / 3, 5 / 3, 3, np.nan], nan_ok=True
    )
    assert "No data set has a score of every algorithm." in read(rows).text


def test_a_card_lists_the_positive_and_negative_classes() -> None:
    card = {
        "rows": 10,
        "features": 2,
        "positive": ["x"],
        "negative": [f"c{i}" for i in range(20)],
        "prior": 0.3,
        "used": {"positive": 3, "negative": 7},
        "differs": "two rows fewer than the paper",
    }
    rows = rows_of(THREE)
    found = details({"d0": card, "d1": {"rows": 5, "positive": ["p"]}})
    report = build_report(rows, "s", {"acc": True}, details=found)
    text = " ".join(outline(html_report(report)).text.split())
    assert "Positivex (3 rows)" in text
    assert "c10, c11 and 8 more classes (7 rows) Prior0.300" in text
    assert "Differencestwo rows fewer than the paper" in text
    assert "Positivep " in text


Large = tuple[list[dict[str, Any]], dict[str, list[Any]], dict[str, dict[str, Any]]]


def large_run() -> Large:
    """30 data sets x 20 algorithms x 10 replicates: rows, 20 trials a cell, every second model's introspection."""
    rng = np.random.default_rng(0)
    rows, trials, inside = [], {}, {}
    for d, a, r in product(range(30), range(20), range(10)):
        key, metrics = f"k{d}-{a}-{r}", {name: rng.random(50).round(6).tolist() for name in ("acc", "f1")}
        place = {"dataset": f"data-set-{d}", "replicate": r, "key": key, "criterion": "puf"}
        tried = [
            [{"c": float(rng.random()), "depth": int(rng.integers(9))}, float(rng.random())]
            for _ in range(20)
        ]
        trials[key] = [[*trial, 0.1, ""] for trial in tried]
        params = json.dumps({"c": float(f"{rng.random():.3g}")})
        scores = {"f1": float(rng.random()), "params": params, "fit_seconds": float(rng.random())}
        rows.append(row(f"algorithm-{a}", float(rng.random()), **place, **scores))
        if a % 2 == 0:
            weights = [[f"feature {i}", float(f"{rng.random():.6g}")] for i in range(30)]
            stages = {"stages": list(range(2, 101, 2)), "metrics": metrics}
            inside[key] = {"of": "importance", "size": 30, "weights": weights, **stages}
    return rows, trials, inside


@pytest.mark.slow
@pytest.mark.parametrize("whole", [False, True], ids=["rows", "rows, trials and models"])
def test_a_large_benchmark_is_a_small_page(whole: bool) -> None:
    """At most 500 KB, within 10 seconds."""
    rows, trials, models = large_run()
    found = details(trials=trials, models=models) if whole else None
    start = time.process_time()
    page = html_report(build_report(rows, "s", {"acc": True, "f1": True}, details=found))
    assert time.process_time() - start < 10
    assert len(page.encode()) < 500_000
