"""What the reports say, in Markdown and on a terminal."""

import base64
import gzip
import io
import json
from typing import Any

import numpy as np
import pytest
from helpers.reports import details
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from pubench.reporting import Report, build_report
from pubench.reporting.render.markdown import escape, markdown_report
from pubench.reporting.render.packing import packed_board
from pubench.reporting.render.terminal import terminal_report
from pubench.reporting.sections.leaderboard import headlines
from pubench.reporting.wording import clean
from pubench.suite.reporting import Rules


def row(algorithm: str, value: float | None = None, **keys: Any) -> dict[str, Any]:
    plain = {"suite": "s", "dataset": "d", "scenario": "case-control", "labelling": "l", "replicate": 0}
    end = {"algorithm": algorithm, "criterion": None, "status": "ok", "error": None, "acc": value}
    return plain | end | {"reference": False} | keys


def terminal(report: Report, width: int = 200) -> str:
    stream = io.StringIO()
    terminal_report(report, Console(file=stream, width=width, force_terminal=False))
    return stream.getvalue()


def table_lines(markdown: str) -> list[list[str]]:
    """The lines of all tables but the leaderboard and the counts of failures."""
    _, _, rest = markdown.rpartition("\n## Leaderboard")
    scores = rest[max(rest.find("\n## acc"), 0) :].partition("\n## Failures")[0]
    lines = (line for line in scores.splitlines() if line.startswith("|"))
    return [[part.strip() for part in line.strip("|").split(" |")] for line in lines]


ROWS = [
    row("wlr", 0.9, criterion="puf"),
    row("wlr", 0.8, criterion="puf", replicate=1),
    row("naive-lr", 0.7),
    row("naive-lr", None, replicate=1, status="failed", error="ValueError: bad | worse\nTraceback ..."),
    row("supervised-lr", 0.95, reference=True),
    row("supervised-lr", 0.97, reference=True, replicate=1),
    row("skips", None, status="skipped", error="not for case-control data"),
    row("skips", None, status="pending", replicate=1),
]


def test_the_table() -> None:
    header, _, line = table_lines(markdown_report(build_report(ROWS, "s", {"acc": True})))
    assert header == ["data set", "labelling", "criterion", "wlr", "naive-lr", "supervised-lr †", "skips"]
    assert line == ["d", "l", "puf", "0.850 (0.071)", "0.700 (–) 1/2", "0.960 (0.014)", "– 0/2"]


def test_the_rank_line_needs_complete_blocks() -> None:
    rows = [row("a", 0.9), row("b", 0.1), row("c", 1.0, reference=True)]
    lines = table_lines(markdown_report(build_report(rows, "s", {"acc": True})))
    assert lines[3] == ["average rank", "1 of 1 data set", "", "1.00", "2.00", "–"]
    assert "average rank" not in markdown_report(build_report(ROWS, "s", {"acc": True}))


def test_an_oracle_marks_its_cell_not_the_column() -> None:
    rows = [row("a", 0.5, criterion="puf"), row("a", 0.9, criterion="oracle-accuracy", reference=True)]
    header, _, first, second = table_lines(markdown_report(build_report(rows, "s", {"acc": True})))
    assert header[-1] == "a"
    assert (first[-1], second[-1]) == ("0.500 (–)", "0.900 (–) †")


def test_one_method_alone_has_a_leaderboard_without_ranks() -> None:
    rows = [row("alone", 0.5, dataset=f"d{k}") for k in range(2)]
    rows += [row("supervised-lr", 0.75, reference=True, dataset=f"d{k}") for k in range(2)]
    report = build_report(rows, "s", {"acc": True})
    assert "| alone | – | 0.500 | 0 | 0 |\n| supervised-lr † | – | 0.750 | 0 | 0 |" in markdown_report(report)
    printed = [line.split() for line in terminal(report).splitlines()]
    assert ["alone", "–", "0.500", "0", "0"] in printed
    assert (
        "There are no ranks, normalised scores, improvability and Elo ratings: they need"
        in markdown_report(report)
    )


@pytest.mark.parametrize(
    ("values", "greater", "sentence"),
    [
        (
            {"a": 0.5, "naive-lr-prior": 0.6},
            True,
            "the run has no supervised reference with a score on the same data",
        ),
        ({"a": 0.5, "b": 0.4, "supervised-lr": 0.9}, True, "the run has no simple baseline (naive-*-prior)"),
        (
            {"a": 0.5, "naive-lr-prior": 0.6, "supervised-lr": 0.6},
            True,
            "There is no normalised score: supervised-lr is not better than naive-lr-prior, the strongest",
        ),
        ({"a": 1.5, "b": 0.6}, True, "There is no improvability: the metric has values beyond its best"),
        ({"a": -0.5, "b": 0.6}, False, "There is no improvability: the metric has values beyond its best"),
        ({"a": 0.5, "b": 0.6}, True, "There are no Elo ratings: they need at least 15 data sets."),
        ({"a": 0.5, "b": 0.6}, True, "There are no intervals of ranks: they need at least 6 data sets."),
    ],
)
def test_the_leaderboard_says_why_a_column_is_missing(
    values: dict[str, float], greater: bool, sentence: str
) -> None:
    rows = [
        row(name, value, dataset=f"d{k}", reference=name.startswith("supervised"))
        for name, value in values.items()
        for k in range(2)
    ]
    assert sentence in markdown_report(build_report(rows, "s", {"acc": greater})).replace("\\*", "*")


def test_a_difference_is_never_zero_points() -> None:
    rng = np.random.default_rng(0)
    rows = [row(name, 0.5 + 1e-5 * rng.random(), dataset=f"d{k}") for k in range(12) for name in ("a", "b")]
    (sentence,) = headlines(build_report(rows, "s", {"acc": True}))
    assert sentence.startswith(
        "Even differences in acc of less than 0.1 points can be seen with 12 data sets."
    )


def test_directions_and_numbers() -> None:
    rows = [row("a", 12345.0), row("b", 0.00012)]
    markdown = markdown_report(build_report(rows, "s", {"acc": False}))
    assert "## acc (lower is better)" in markdown
    assert "| 1.23e+04 (–) | **0.00012 (–)** |" in markdown
    plain = markdown_report(build_report(rows, "s", {"acc": None}))
    assert "\n## acc\n" in plain
    assert "**" not in plain


def test_undefined_metrics_are_counted() -> None:
    rows = [row("a", 0.5), row("a", float("nan"), replicate=1), row("b", None)]
    *_, line = table_lines(markdown_report(build_report(rows, "s", {"acc": True})))
    assert line[3:] == ["0.500 (–) 1 undefined", "– 1 undefined"]


def test_every_status_has_its_place() -> None:
    for text in (
        markdown_report(build_report(ROWS, "s", {"acc": True})).replace("\\", ""),
        terminal(build_report(ROWS, "s", {"acc": True})),
    ):
        assert "Cells: 8 planned: 5 ok, 1 failed, 1 skipped, 1 pending." in text
        assert "d / l / replicate 1 / naive-lr: failed: ValueError: bad | worse\n" in text
        assert "d / l / replicate 0 / skips: not for case-control data\n" in text
        assert "d / l / replicate 1 / skips\n" in text


def test_a_traceback_is_shown_by_its_last_line() -> None:
    error = 'Traceback (most recent call last):\n  File "x", line 1\nKeyError: 3\n'
    (failure,) = build_report([row("a", status="crashed", error=error)], "s", {}).failures
    assert (failure.label, failure.status, failure.reason) == (
        "d / l / replicate 0 / a",
        "crashed",
        "KeyError: 3",
    )
    (failure,) = build_report([row("a", status="timeout")], "s", {}).failures
    assert failure.reason == "no reason given"


def test_collapsed_cells_and_notes() -> None:
    rows = [
        row("a", 0.5, collapsed=True, notes=["drawn with replacement"]),
        row("b", 0.5, collapsed=False, notes=["drawn with replacement", "other"]),
        row("c", 0.5, collapsed="all negative", notes="third"),
        row("d", None, collapsed=True, status="failed"),
    ]
    report = build_report(rows, "s", {}, description="about")
    assert [(cell.label[-1], cell.reason) for cell in report.collapsed] == [
        ("a", "all test rows in one class"),
        ("c", "all negative"),
    ]
    assert report.notes == ("drawn with replacement", "other", "third")
    assert "about" in markdown_report(report)
    assert "- third\n" in markdown_report(report)


def test_nothing_planned_still_reports() -> None:
    report = build_report([], "s", {"acc": True})
    assert "none planned" in markdown_report(report)
    assert "none planned" in terminal(report)


NASTY = "a|b\n# c `d` *e* [f](g) <img> \x1b[31mred\x1b[0m \x00\x07\u202e\ud800 [bold]x[/bold]"


def test_names_cannot_break_markdown() -> None:
    rows = [row(NASTY, 0.5, dataset=NASTY, labelling=NASTY), row("b", None, status="failed", error=NASTY)]
    markdown = markdown_report(build_report(rows, NASTY, {"acc": True}))
    markdown.encode("utf-8")
    assert all(char.isprintable() or char == "\n" for char in markdown)
    tables = [part.splitlines() for part in markdown.split("\n\n") if part.startswith("|")]
    assert len(tables) == 2
    for lines in tables:
        assert len({line.count("|") - line.count("\\|") for line in lines}) == 1
    assert sum(line.startswith("# ") for line in markdown.splitlines()) == 1
    assert "\\<img" in markdown
    assert "[31m" not in markdown


CARD = {
    "rows": 1200,
    "features": 3,
    "missing": 5,
    "positive": ["yes"],
    "prior": 0.25,
    "used": {"positive": 300, "negative": 900},
    "source": "here",
    "licence": "CC0",
    "differs": "The copy lacks a row.",
    "citation": "A. Author",
    "fingerprint": "0123456789abcdef",
}


def test_data_sets_have_a_section() -> None:
    cards = {"a": CARD, "b": CARD | {"title": "diabetes", "id": 37, "version": 1, "differs": ""}}
    markdown = markdown_report(build_report([], "s", {}, details=details(cards)))
    *_, first, second = table_lines(markdown)
    assert first == ["a", "1,200", "3", "5", "0.250", "yes", "here", "CC0", "0123456789ab"]
    assert second[6] == "diabetes, id 37, version 1; here"
    assert "### Differences from the source\n\n- a: The copy lacks a row.\n" in markdown
    assert "### Citations\n\n- a, b: A. Author\n" in markdown
    assert "Data sets" not in markdown_report(build_report([], "s", {}))


def test_the_classes_of_real_pu_data_are_shown_as_unknown() -> None:
    card = CARD | {"pu": True, "prior": 0.25}
    *_, line = table_lines(markdown_report(build_report([], "s", {}, details=details({"a": card}))))
    assert line[4:6] == ["–", "unknown; 300 rows labelled"]


def test_a_card_that_lacks_parts_is_shown_as_far_as_it_goes() -> None:
    *_, line = table_lines(markdown_report(build_report([], "s", {}, details=details({"a": {}}))))
    assert line == ["a", "0", "0", "0", "–", "", "", "", ""]


def test_many_names_are_counted() -> None:
    many = {f"set {i}": CARD | {"positive": [f"class {j}" for j in range(9)]} for i in range(7)}
    markdown = markdown_report(build_report([], "s", {}, details=details(many)))
    assert "class 0, class 1, class 2, class 3, class 4 and 4 more" in markdown
    assert "- set 0, set 1, set 2, set 3, set 4 and 2 more: A. Author\n" in markdown


def test_cards_cannot_break_markdown() -> None:
    nasty = dict.fromkeys(("source", "licence", "differs", "citation", "fingerprint", "title"), NASTY)
    cards = {NASTY: CARD | nasty | {"positive": [NASTY, "|"], "id": NASTY, "version": NASTY}}
    markdown = markdown_report(build_report([], "s", {}, details=details(cards)))
    markdown.encode("utf-8")
    assert all(char.isprintable() or char == "\n" for char in markdown)
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len(lines) == 3
    assert len({line.count("|") - line.count("\\|") for line in lines}) == 1
    assert [line for line in markdown.splitlines() if line.startswith("#")] == [
        "# s",
        "## Data sets",
        "### Differences from the source",
        "### Citations",
    ]


def test_names_cannot_break_the_terminal() -> None:
    rows = [row(NASTY, 0.5, dataset=NASTY), row("b", None, status="failed", error=NASTY)]
    text = terminal(build_report(rows, NASTY, {"acc": True}))
    assert all(char.isprintable() or char == "\n" for char in text)
    assert "[bold]x[/bold]" in text


def test_lists_of_many_are_cut_and_counted_by_algorithm() -> None:
    rows = [row("a", None, status="failed", error="x", replicate=i) for i in range(50)]
    report = build_report(rows, "s", {})
    assert "... and 30 more" in terminal(report)
    assert terminal(report).count("failed: x") == 20
    markdown = markdown_report(report)
    assert markdown.count("/ a: failed: x") == 20
    assert "- and 30 more: pubench export lists them all" in markdown
    assert "| a | 50 | 50 | 0 | 100 % | failed: x |" in markdown


@given(st.text())
def test_clean_is_one_printable_line_and_idempotent(text: str) -> None:
    once = clean(text)
    assert once.isprintable()
    assert clean(once) == once
    assert escape(text).count("|") == escape(text).count("\\|")


def test_reports_are_pure() -> None:
    report = build_report(ROWS, "s", {"acc": True})
    assert markdown_report(report) == markdown_report(report)
    assert markdown_report(report).endswith("\n")


SIX = [f"an-algorithm-{letter}" for letter in "abcdef"]


def blocks(criteria: tuple[str, ...] = ("puf",), labellings: tuple[str, ...] = ("x", "y")) -> Report:
    rows = [
        row(
            name,
            0.5 + 0.01 * k,
            dataset=dataset,
            labelling=labelling,
            criterion=criterion,
            replicate=replicate,
        )
        for dataset in ("breast-cancer", "digits-even")
        for labelling in labellings
        for criterion in criteria
        for k, name in enumerate(SIX)
        for replicate in range(2)
    ]
    return build_report(rows, "s", {"acc": True})


def test_tables_fit_the_terminal_and_cut_no_name() -> None:
    for width in (60, 80, 120, 200):
        lines = terminal(blocks(labellings=("single-training-set c=0.5",)), width).splitlines()
        assert max(len(line) for line in lines) <= width
        named = [word for line in lines for word in line.split() if word in SIX]
        # The leaderboard has the best first, its sentence names the best, the table has all in their order.
        assert named == [*SIX[::-1], SIX[-1], *SIX]
        assert sum("0.550 (0.000)*" in line for line in lines) == 2


def test_names_of_any_length_leave_the_numbers_beside_each_other() -> None:
    rows = [
        row(name, value, dataset=f"{'data-' * 40}{i}")
        for i in range(2)
        for name, value in (("algorithm-" * 20, 0.5), ("b", 0.25))
    ]
    lines = terminal(build_report(rows, "s", {"acc": True}), width=100).splitlines()
    assert max(map(len, lines)) <= 100
    assert sum("0.500 (–)*" in line and "0.250 (–)" in line for line in lines) == 2
    # In the leaderboard, in its sentence, and in the table of scores.
    assert "".join(line.strip() for line in lines).count("algorithm-") == 60


def test_what_all_lines_share_is_in_the_title() -> None:
    one = terminal(blocks(labellings=("x",)))
    assert "acc (higher is better); x; tuned by puf" in one
    assert one.count("puf") == 1
    several = terminal(blocks(criteria=("puf", "pa")))
    several = several[several.index("acc (higher") :]
    assert "acc (higher is better)\n" in several
    assert [line.split()[0] for line in several.splitlines() if "0.550" in line] == ["puf", "pa"] * 4
    assert [
        line.strip() for line in several.splitlines() if line.startswith("  ") and len(line.split()) == 1
    ] == [
        "x",
        "y",
    ] * 2


def test_a_terminal_shows_the_best_in_bold_and_a_file_by_a_star() -> None:
    stream = io.StringIO()
    report = build_report([row("a", 0.9), row("b", 0.1)], "s", {"acc": True})
    terminal_report(report, Console(file=stream, width=80, force_terminal=True, color_system="standard"))
    assert "\x1b[1;32m0.900 (–)" in stream.getvalue()
    assert "0.900 (–)*" not in stream.getvalue()
    assert "0.900 (–)*" in terminal(report)
    assert "marked *" in terminal(report)


def compared(names: str, value: float, **rules: Any) -> Report:
    rows = [
        row(name, value * k + 0.001 * i * k, dataset=f"d{i}")
        for i in range(12)
        for k, name in enumerate(names)
    ]
    return build_report(rows, "s", {"acc": True}, rules=Rules(**rules))


def texts(report: Report) -> tuple[str, str]:
    return markdown_report(report).replace("\\", ""), terminal(report, width=400)


def test_results_of_tests_are_below_the_table() -> None:
    for text in texts(compared("abc", 0.1)):
        assert "Friedman's test over 12 data sets: chi-squared = 24.00, p < 0.001;" in text
        assert (
            "correction (alpha = 0.05, 12 data sets, 2 comparisons), a and b are significantly worse than c,"
            in text
        )
        assert "detects a mean difference of" in text
        assert "cannot be concluded" not in text
    for text in texts(compared("abc", 0.1, comparisons="all-pairs")):
        assert "(alpha = 0.05, 12 data sets, 3 comparisons) all algorithms differ significantly." in text
    rows = [row(name, 0.5, dataset=f"d{i}") for i in range(12) for name in "abcd"]
    same = markdown_report(build_report(rows, "s", {"acc": True}))
    assert "chi-squared = 0.00, p = 1.000" in same
    assert "all other algorithms are not significantly different from a, which has the best" in same
    two = markdown_report(compared("ab", 0.1)).replace("\\", "")
    assert "a is significantly worse than b, which has the best average rank (p < 0.001)." in two
    assert "Friedman" not in two


def test_a_named_control_may_be_better_than_some_and_worse_than_others() -> None:
    for text in texts(compared("abc", 0.1, control="b")):
        assert "a is significantly worse than b; c is significantly better than it." in text
        assert "chosen on the same data" not in text
    for text in texts(compared("abc", 0.1, control="z")):
        assert "z has no scores to compare. The best was chosen on the same data" in text


@pytest.mark.parametrize(("datasets", "names", "needed"), [(1, "ab", 6), (5, "ab", 6), (6, "abcdef", 8)])
def test_what_cannot_be_concluded_is_said_first_and_nothing_is_tested(
    datasets: int, names: str, needed: int
) -> None:
    rows = [row(name, 0.5 + k, dataset=f"d{i}") for i in range(datasets) for k, name in enumerate(names)]
    report = build_report(rows, "s", {"acc": True})
    for text in texts(report):
        assert "adjusted p" not in text
        assert "significantly worse" not in text
        counted = "1 data set is" if datasets == 1 else f"{datasets} data sets are"
        assert f"It cannot be concluded which algorithms differ: {counted} too few" in text
        assert f"; at least {needed} are needed." in text
    lines = [line for line in markdown_report(report).splitlines() if line]
    assert lines[lines.index("## acc (higher is better)") + 1].startswith("It cannot be")
    enough = [row(name, 0.5 + k, dataset=f"d{i}") for i in range(needed) for k, name in enumerate(names)]
    assert "cannot be concluded" not in markdown_report(build_report(enough, "s", {"acc": True}))


def test_lines_that_lack_algorithms_are_mentioned() -> None:
    rows = [row("a", 0.5), row("b", status="failed"), row("a", 0.5, dataset="e"), row("b", 0.6, dataset="e")]
    assert "Only one data set has a score of every algorithm" in markdown_report(
        build_report(rows, "s", {"acc": True})
    )
    assert "No data set has a score of every algorithm" in markdown_report(
        build_report([*rows[:2], row("a", 0.1, dataset="e")], "s", {"acc": True})
    )


def test_an_algorithm_with_too_few_scores_is_named() -> None:
    rows = [row(name, 0.1 * k + 0.01 * i, dataset=f"d{i}") for i in range(12) for k, name in enumerate("abc")]
    rows += [
        row("d", 0.05 if i < 4 else None, dataset=f"d{i}", status="ok" if i < 4 else "failed")
        for i in range(12)
    ]
    for text in texts(build_report(rows, "s", {"acc": True})):
        assert "d cannot be compared with c: too few data sets have a score of both." in text
        assert "a and b are significantly worse than c" in text


def test_data_sets_that_share_rows_are_named() -> None:
    rows = [row(name, 0.1 * k, dataset=f"d{i}") for i in range(12) for k, name in enumerate("ab")]
    cards = {f"d{i}": {"fingerprint": f"f{i // 2 if i < 4 else i}"} for i in range(12)}
    report = build_report(rows, "s", {"acc": True}, details=details(cards))
    for text in texts(report):
        assert "d0 and d1 share rows, so they count as one data set." in text
    assert report.comparisons[0].ranking.over == "10 of 10 data sets, 12 of 12 lines"
    assert report.comparisons[0].units == 10


def test_problems_of_a_family_are_units_whatever_their_unlabelled_rows_are() -> None:
    labels = [f"{family}: {problem}" for family in ("north", "north-group") for problem in "stuvwx"]
    rows = [row(name, 0.1 * k, dataset=label) for label in labels for k, name in enumerate("ab")]
    cards = {
        label: {"fingerprint": label.split(":")[0], "problem": label[-1], "source": "museum"}
        for label in labels
    }
    report = build_report(rows, "s", {"acc": True}, details=details(cards))
    assert report.comparisons[0].units == 6
    for text in texts(report):
        assert "6 groups of data sets share rows, such as north: s and north-group: s; each group" in text
    lines = json.loads(gzip.decompress(base64.b64decode(packed_board(report))))["lines"]
    assert {line[0]: line[-1] for line in lines} == {
        label: ["source: museum", f"family: {label.split(':')[0]}"] for label in labels
    }


@pytest.mark.parametrize(
    ("missing", "said"),
    [("pairwise", "left out of ranks"), ("worst-rank", "count as the worst of their row")],
)
def test_the_rule_for_missing_cells_is_below_the_table(missing: Any, said: str) -> None:
    report = build_report(ROWS, "s", {"acc": True}, rules=Rules(missing=missing))
    assert said in markdown_report(report)
    assert said in terminal(report, width=500)


def test_dependent_blocks_are_mentioned() -> None:
    rows = [
        row(name, 0.1 * k + 0.01 * i, dataset=f"d{i // 2}", labelling=f"l{i % 2}")
        for i in range(12)
        for k, name in enumerate("ab")
    ]
    report = build_report(rows, "s", {"acc": True}, rules=Rules(unit="block"))
    assert "The 12 blocks come from 6 data sets and are not independent" in markdown_report(report)
    assert "not independent" not in markdown_report(build_report(rows, "s", {"acc": True}))


def test_ties_with_the_best_are_marked() -> None:
    rows = [
        row(name, value + 0.01 * ((i * k) % 3), replicate=i, n_p=9, n_u=51, n_test=30)
        for i in range(5)
        for k, (name, value) in enumerate([("a", 0.9), ("b", 0.895), ("c", 0.1)])
    ]
    report = build_report(rows, "s", {"acc": True}, rules=Rules(detectable=0.1))
    assert report.comparisons[0].tied.sum() == 1
    assert markdown_report(report).count(") ≈ |") == 1
    assert terminal(report).count(")≈") == 1
    weak = build_report(rows, "s", {"acc": True}, rules=Rules(detectable=0.001))
    for text in (markdown_report(weak), terminal(weak, width=400)):
        assert "1 cell has neither ≈ nor a significant difference from the best of the line" in text
    assert ") ≈" not in markdown_report(weak)


def test_many_pairs_are_those_with_the_first_in_rank() -> None:
    names = "abcdefghijkl"
    lines = table_lines(markdown_report(compared(names, 0.1, comparisons="all-pairs")))
    pairs = [line for line in lines if len(line) == 10 and line[0] in names]
    assert len(pairs) == 11
    assert all("l" in line[:2] for line in pairs)
    against = table_lines(markdown_report(compared(names, 0.1)))
    assert [line[0] for line in against if len(line) == 10] == ["algorithm", "---", *reversed(names)]


@pytest.mark.parametrize(
    ("rules", "ending"),
    [
        ({}, "c has the best average rank (1.00), and 2 of 2 other methods are significantly worse."),
        (
            {"control": "b"},
            "c has the best average rank (1.00). Of 2 other methods, 1 is significantly better than b and 1 is "
            "significantly worse.",
        ),
        (
            {"control": "a"},
            "c has the best average rank (1.00). Of 2 other methods, 2 are significantly better than a and none is "
            "significantly worse.",
        ),
    ],
)
def test_the_first_sentence_counts_against_the_best_or_a_control(rules: dict[str, str], ending: str) -> None:
    (sentence,) = headlines(compared("abc", 0.1, **rules))
    assert sentence.endswith(ending)


@pytest.mark.parametrize(
    ("names", "who"), [("ab", "a and b share"), ("abc", "a, b and c share"), ("abcd", "4 methods share")]
)
def test_the_first_sentence_names_all_that_share_the_best_rank(names: str, who: str) -> None:
    rows = [row(name, 0.5, dataset=f"d{i}") for i in range(3) for name in names]
    (sentence,) = headlines(build_report(rows, "s", {"acc": True}))
    assert f"{who} the best average rank ({(len(names) + 1) / 2:.2f})" in sentence
