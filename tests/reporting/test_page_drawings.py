"""Drawings on the page: named for readers, no two share a name, black is the page's colour, texts stay texts."""

import re
from collections import Counter

import numpy as np
import pytest
from helpers.html import outline, rows_of
from helpers.reports import paper as paper_of

from pubench.reporting import build_report
from pubench.reporting.draw.canvas import COLOURS, GREY, blank, grouped, inline, svg
from pubench.reporting.render.html import html_report

THREE = {"a": [0.9, 0.8, 0.7] * 3, "b": [0.85, 0.82, 0.6] * 3, "c": [0.1, 0.2, 0.3] * 3}


def page(means: dict[str, list[float]] = THREE) -> str:
    rows = [
        {**row, "f1": 1 - row["acc"], "labelling": f"case-control n_p={n_p}"}
        for row in rows_of(means)
        for n_p in (10, 20)
    ]
    return html_report(build_report(rows, "s", {"acc": True, "f1": True}))


def drawings(text: str) -> list[str]:
    """The drawings of the page, without those that its script makes."""
    return re.findall(r"<svg.*?</svg>", text.partition("<script>")[0], flags=re.DOTALL)


def test_every_metric_has_a_diagram_of_ranks() -> None:
    found = drawings(page())
    assert sum("Critical-difference diagram" in drawing for drawing in found) == 2


def test_no_two_drawings_share_a_name_and_every_name_that_is_used_is_there() -> None:
    found = drawings(page())
    names = Counter(name for drawing in found for name in re.findall(r' id="([^"]*)"', drawing))
    assert names
    assert set(names.values()) == {1}
    for drawing in found:
        used = re.findall(r'(?:href="|url\()#([^")]*)', drawing)
        assert set(used) <= set(re.findall(r' id="([^"]*)"', drawing))


def test_drawings_have_a_role_a_label_and_no_colour_that_a_theme_hides() -> None:
    for drawing in drawings(page()):
        assert re.match(r'<svg role="img" aria-label="[^"]+"', drawing)
        assert not re.search(r"#000000|#ffffff|black|<style|xmlns", drawing)
        assert drawing.count("<g") == drawing.count("</g>")


def luminance(colour: str) -> float:
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("colour", [*COLOURS, GREY])
def test_colours_stand_out_from_both_backgrounds(colour: str) -> None:
    for back in ("#ffffff", "#12161b"):
        low, high = sorted((luminance(colour), luminance(back)))
        assert (high + 0.05) / (low + 0.05) > 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ['<b onload="x">', "$\\frac$ & --> <!--", "a" * 300, "😀\n\x1b[31m"])
def test_names_are_texts(name: str) -> None:
    found = outline(page({name: THREE["a"], "b": THREE["b"], "c": THREE["c"]}))
    assert not found.handlers
    assert "b" not in found.tags


def test_text_stays_text() -> None:
    figure, axes = blank(2, 2)
    axes.set_xlabel("two  < three", parse_math=False)
    drawing = svg(figure, 'a "label" <i>', "x-")
    assert "two  &lt; three</text>" in drawing
    assert 'aria-label="a &quot;label&quot; &lt;i&gt;"' in drawing


def test_the_same_figure_gives_the_same_bytes() -> None:
    assert page() == page()


def test_groups_that_say_something_are_kept() -> None:
    drawing = '<?xml?><svg width="1.26"><g id="a"><g transform="x"><path d="M 0.123 4"/></g></g></svg>'
    said = '<svg role="img" aria-label="l" width="1.3">'
    assert inline(drawing, "l", "p-") == f'{said}<g transform="x"><path d="M 0.1 4"/></g></svg>'


def test_strokes_that_look_the_same_are_one_path() -> None:
    paths = ["1 1", "2 2"], ["3 3", "4 4"]
    drawn = "".join(f'<path d="M {a} \nL {b} " style="fill: none; stroke: red"/>' for a, b in paths)
    other = drawn.replace("red", "blue")
    found = inline(f"<svg>{drawn}{other}<text>x</text></svg>", "l", "p-")
    strokes = '<path d="M 1 1 2 2 M 3 3 4 4" style="fill:none;stroke:{}"/>'
    assert found.endswith(f">{strokes.format('red')}{strokes.format('blue')}<text>x</text></svg>")


def test_a_papers_numbers_are_on_the_page() -> None:
    rows = rows_of(THREE)
    number = {"dataset": "d0", "algorithm": "a", "metric": "acc", "mean": 91.0, "sd": 1.0}
    gone = number | {"dataset": "<i>"}
    paper = paper_of(citation="<b>A. Author", percent=True, numbers=[number, gone])
    found = outline(html_report(build_report(rows, "s", {"acc": True}, paper=paper)))
    assert "<b>A. Author" in found.text
    assert "not in this run" in found.text
    assert "All 2 published numbers and ours" in found.text
    assert not {"b", "i"} & set(found.tags)
    assert 'id="paper"' not in page()


def test_an_oracles_scores_enter_no_rank_and_no_time() -> None:
    plain = rows_of({"b": [0.5, 0.5]}) + rows_of({"a": [0.7, 0.7]}, criterion="puf")
    oracle = rows_of({"a": [0.9, 0.9]}, criterion="oracle-acc", reference=True, fit_seconds=50.0)
    (board,) = build_report(plain + oracle, "s", {"acc": True}).leaderboards
    found = [(one.algorithm, round(one.means[0], 9), one.seconds) for one in board.standings]
    assert found == [("a", 0.7, 0.1), ("b", 0.5, 0.1)]


def test_curves_carry_the_name_of_their_method() -> None:
    figure, axes = blank(2, 2)
    axes.plot([0, 1], [0, 1], gid="method1")
    # Names keep their decimals, which shortening a drawing would cut.
    drawing = grouped(svg(figure, "l", "x-"), ["other", 'adapu 0.125 "<x>"'])
    assert '<g data-method="adapu 0.125 &quot;&lt;x&gt;&quot;">' in drawing
