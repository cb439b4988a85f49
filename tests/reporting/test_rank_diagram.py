"""The critical-difference diagram: what is drawn where."""

import re
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from helpers.results import result_rows
from helpers.statistics_examples import AUC, NAMES

from pubench.reporting.draw.diagrams import Diagram, draw, rank_diagram
from pubench.reporting.render.pgf import fitted_diagram, pgf
from pubench.stats.comparison import Comparison, compare
from pubench.stats.scores import score_table
from pubench.suite.reporting import Rules

TWENTY = tuple(f"algorithm-{j}" for j in range(20))
SCORES = np.random.default_rng(1).normal(0.8, 0.03, (25, 20)) + np.linspace(0, 0.06, 20)


def compared(scores: np.ndarray = AUC, names: tuple[str, ...] = NAMES, **rules: Any) -> Comparison:
    return compare(score_table(result_rows(scores, names), "acc", True), Rules(**rules))


@cache
def twenty(test: str = "wilcoxon") -> Comparison:
    return compared(SCORES, TWENTY, test=test, comparisons="all-pairs")


def drawn(comparison: Comparison) -> Diagram:
    diagram = rank_diagram(comparison)
    assert diagram is not None
    return diagram


def bars(diagram: Diagram) -> list[tuple[float, float, float]]:
    return [(*line.x, line.y[0]) for line in diagram.strokes if line.weight > 2]


@pytest.mark.parametrize("test", ["wilcoxon", "nemenyi"])
def test_each_group_has_a_bar_with_a_dot_for_each_member(test: str) -> None:
    comparison = twenty(test)
    diagram = drawn(comparison)
    assert len(bars(diagram)) == len(comparison.groups) > 2
    assert len(diagram.dots) == sum(map(len, comparison.groups))
    for (start, end, y), group in zip(bars(diagram), comparison.groups, strict=True):
        dots = [x for x, height in diagram.dots if height == y and start <= x <= end]
        assert len(dots) == len(group)


def test_bars_of_one_level_do_not_touch() -> None:
    for one, other in combinations(bars(drawn(twenty())), 2):
        assert one[2] != other[2] or one[1] < other[0] or other[1] < one[0]


def test_labels_never_overlap_and_the_best_is_on_the_upper_left() -> None:
    comparison = twenty()
    diagram = drawn(comparison)
    for side in ("left", "right"):
        heights = sorted(text.y for text in diagram.labels if text.side == side)
        # Nine points are 0.32 cm.
        assert np.diff(heights).min() > 0.4
    left = [text for text in diagram.labels if text.side == "right"]
    assert len(left) == 10
    first = TWENTY[int(comparison.ranks.argmin())]
    assert max(left, key=lambda text: text.y).text == f"{first}  {comparison.ranks.min():.2f}"
    places = [text.x for text in diagram.labels if text.side == "center"]
    assert np.diff(places).min() > 0.45


def test_lines_from_labels_to_ranks_do_not_cross() -> None:
    lines = [line for line in drawn(twenty()).strokes if line.grey]
    uprights = [line for line in lines if line.x[0] == line.x[1]]
    across = [line for line in lines if line.y[0] == line.y[1]]
    for flat in across:
        low, high = sorted(flat.x)
        assert not [
            u for u in uprights if low < u.x[0] < high and u.y[1] < flat.y[0] - 1e-9 and u.x[0] != flat.x[0]
        ]


def test_lower_is_better_puts_the_lowest_first() -> None:
    rows = result_rows(1 - AUC, NAMES)
    one, other = compare(score_table(rows, "acc", False), Rules()), compared()
    assert rank_diagram(one) == rank_diagram(other)


def test_the_bar_of_the_critical_difference_has_its_length() -> None:
    comparison = compared(test="nemenyi", alpha=0.1)
    diagram = drawn(comparison)
    assert "critical difference 1.12" in [text.text for text in diagram.labels]
    (bar,) = [line for line in diagram.strokes if line.y[0] == line.y[1] > 0]
    (axis,) = [line for line in diagram.strokes if line.y == (0.0, 0.0)]
    ranks = [int(text.text) for text in diagram.labels if text.side == "center"]
    unit = axis.x[1] / (ranks[-1] - ranks[0])
    assert (bar.x[1] - bar.x[0]) / unit == pytest.approx(comparison.critical_difference)


def test_few_algorithms_and_equal_ranks() -> None:
    two = drawn(compared(AUC[:, :2], ("a", "b")))
    assert bars(two) == []
    equal = drawn(compared(np.full((7, 3), 0.5), ("a", "b", "c")))
    assert len(bars(equal)) == 1
    ends = np.array([[0.1, 0.2, 0.3], [0.2, 0.1, 0.3], [0.1, 0.2, 0.3], [0.2, 0.3, 0.1]])
    wide = drawn(compared(ends, ("a", "b", "c"), test="nemenyi", alpha=0.2))
    assert [text.text for text in wide.labels if text.y > 0.8] == ["critical difference 1.21"]


def test_the_bar_joins_the_best_with_those_that_do_not_differ_from_it() -> None:
    comparison = compared(SCORES, TWENTY)
    (group,) = comparison.groups
    assert group[0] == comparison.family.control == TWENTY[int(comparison.ranks.argmin())]
    alike = {pair.first for pair in comparison.pairs if pair.adjusted >= 0.05}
    assert set(group[1:]) == alike != set()
    diagram = drawn(comparison)
    assert (len(bars(diagram)), len(diagram.dots)) == (1, len(group))


def test_tests_that_cannot_reject_have_no_diagram() -> None:
    assert rank_diagram(compared(AUC[:6])) is None
    assert rank_diagram(compared(AUC[:7])) is not None
    assert rank_diagram(compared(AUC[:3, :2], ("a", "b"), test="nemenyi")) is None


def test_fewer_than_two_algorithms_or_units_have_no_diagram() -> None:
    assert rank_diagram(compared(AUC[:1])) is None
    assert rank_diagram(compared(AUC[:, :1], ("a",))) is None


def test_long_names_are_cut_in_their_middle() -> None:
    texts = [text.text for text in drawn(compared(AUC, ("a" * 200 + "1", "a" * 200 + "2", "b", "c"))).labels]
    cut = [text for text in texts if "…" in text]
    assert len(set(cut)) == 2
    assert max(map(len, cut)) < 50


def test_files_have_their_format_and_are_reproducible() -> None:
    names = ("$a$ & <b>", "naïve 😀", "C_3", "d%")
    diagram = drawn(compared(AUC, names))
    for form, start in (("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")):
        content = draw(diagram, form)  # type: ignore[arg-type]
        assert content.startswith(start)
        assert content == draw(diagram, form)  # type: ignore[arg-type]
    svg = draw(diagram, "svg").decode()
    assert "naïve 😀" in svg
    assert "$a$ &amp; &lt;b&gt;" in svg
    fitted = fitted_diagram(compared(AUC, names), "page")
    assert fitted is not None
    assert len(re.findall(r"\\pgftext", pgf(fitted))) == len(diagram.labels)


def test_a_diagram_is_for_a_column_if_its_names_fit_there() -> None:
    for names, frame in (
        (tuple("abcd"), "table"),
        (tuple(f"a-rather-long-name-{j}" for j in range(4)), "table*"),
    ):
        fitted = fitted_diagram(compared(names=names), None)
        assert fitted is not None
        assert fitted.frame.environment == frame
        assert not fitted.cut
    forced = fitted_diagram(compared(names=names), "column")
    assert forced is not None
    assert sorted(forced.cut.values()) == sorted(names)
    texts = " ".join(label.text for label in forced.diagram.labels)
    assert all(short in texts for short in forced.cut)
    assert f"% {next(iter(forced.cut))} is a-rather-long-name-0\n" in pgf(forced)
