"""LaTeX tables: what they say, and that nothing is lost where they are broken."""

import re
from typing import Any

import numpy as np
import pytest
from helpers.crossed import LABELLINGS, crossed_rows
from helpers.reports import paper as paper_of
from helpers.results import result_rows
from helpers.statistics_examples import AUC, NAMES
from hypothesis import given
from hypothesis import strategies as st

from pubench.reporting import Report, build_report
from pubench.reporting.draw.diagrams import rank_diagram
from pubench.reporting.render.latex import latex_files
from pubench.reporting.render.tex import breakable, composed, tex
from pubench.reporting.render.tex_boards import score_boards
from pubench.reporting.render.tex_heads import fit_names
from pubench.reporting.render.tex_widths import SMALL, text_width
from pubench.stats.comparison import Comparison
from pubench.stats.scores import ScoreTable
from pubench.suite.reporting import Rules, TableWidth


def reported(rows: list[dict[str, Any]], *, greater: bool | None = True, **rules: Any) -> Report:
    return build_report(rows, "A suite & co", {"acc": greater}, rules=Rules(**rules))


def table_of(report: Report) -> tuple[ScoreTable, Comparison]:
    return report.tables[0], report.comparisons[0]


def only(report: Report) -> str:
    return latex_files(report)["acc.tex"]


def numbers(text: str) -> list[str]:
    return re.findall(r"\d\.\d{3}\}? \(", text)


def rows_of(text: str, name: str) -> list[list[str]]:
    """Return the cells of every row of this name."""
    found = re.findall(rf"^{re.escape(name)} & (.*) \\\\$", text, re.MULTILINE)
    return [line.split(" & ") for line in found]


def test_the_caption_is_short_and_the_note_has_the_rules_and_the_tests() -> None:
    report = reported(result_rows(AUC, NAMES, 3))
    text = only(report)
    caption = re.search(r"\\caption\{(.*)\}\\label\{tab:a-suite-co-acc\}", text)
    assert caption
    assert caption.group(1) == (
        "acc (higher is better): mean (standard deviation) over 3 replicates; l; tuned by puf."
    )
    (note,) = re.findall(r"\\begin\{minipage\}.*\n(.*)\n", text)
    for words in (
        "Bold: best of the row.",
        "Underlined: not significantly different from the best by the corrected resampled t-test over replicates",
        "Holm's correction (alpha = 0.05), where it detects a difference of 0.05 with probability 0.8.",
        "Wilcoxon's signed-rank test with Holm's correction",
        "Friedman's test over 14 data sets",
        "Ranks: averages over 14 of 14 data sets.",
    ):
        assert words in note
    assert re.search(
        r"\d+ cells have neither an underline nor a significant difference from the best: ", note
    )
    # What the table does not have is not explained.
    assert "true labels" not in note
    assert "k/n" not in note
    assert len(re.findall(r"\\textbf\{[\d.]+\} \([\d.]+\)", text)) == 14
    assert text.count(r"\underline{") == report.comparisons[0].tied.sum() > 0
    assert rows_of(text, "average rank")[0][0].startswith("3.")


def test_few_methods_are_columns_and_many_are_rows() -> None:
    few, many = only(reported(crossed_rows(4, 8))), only(reported(crossed_rows(9, 6)))
    assert "\ndata set & " in few
    assert len(rows_of(few, "data-0")) == 1
    assert "\nmethod & " in many
    assert len(rows_of(many, "method-0")) == 1
    assert "Bold: best of the column." in many
    # The numbers are the same either way.
    assert sorted(numbers(only(reported(crossed_rows(4, 8), width="column")))) == sorted(numbers(few))


def test_lower_is_better_turns_the_bold_around() -> None:
    rows = result_rows(AUC[:, [0, 3]], ("a", "b"))
    for greater, place in ((True, 1), (False, 0)):
        (cells,) = rows_of(only(reported(rows, greater=greater)), r"data\_0")
        assert [k for k, cell in enumerate(cells) if "textbf" in cell] == [place]
    undirected = only(reported(rows, greater=None))
    assert "textbf" not in undirected
    assert "Bold" not in undirected


def test_references_come_last_and_are_marked() -> None:
    rows = result_rows(AUC[:, :1] + 0.1, ("supervised",), 3, reference=True)
    rows += result_rows(AUC, NAMES, 3)
    text = only(reported(rows))
    (heads,) = rows_of(text, "data set")
    assert [re.sub(r"^\\multicolumn\{1\}\{c(@\{\})?\}\{|\}$", "", head) for head in heads] == [
        *NAMES,
        r"supervised\textsuperscript{$\dagger$}",
    ]
    assert r"$\dagger$ used true labels: a reference, neither ranked nor tested." in text
    assert rows_of(text, "average rank")[0][-1].endswith("--")


def test_scenarios_are_panels_of_one_table_with_ranks_of_their_own() -> None:
    text = only(reported(crossed_rows(8, 6, LABELLINGS)))
    assert text.count(r"\begin{table") == 1
    assert re.findall(r"\\emph\{(.*?)\}\}", text) == ["single-training-set c=0.5", r"case-control n\_p=20"]
    assert len(rows_of(text, "method-0")) == 2
    assert len(numbers(text)) == 8 * 6 * 2
    assert "Ranks: averages within each part, over 6 of 6 data sets." in text
    ranks = [
        [float(line[-1]) for j in range(8) for line in [rows_of(text, f"method-{j}")[part]]]
        for part in (0, 1)
    ]
    assert [sum(part) for part in ranks] == pytest.approx([36, 36], abs=0.05)


def test_every_layout_has_the_average_ranks() -> None:
    report = reported(crossed_rows(8, 6, LABELLINGS, ("puf", "pauc"), references=("method-7",)))
    ranks = []
    for one in score_boards(*table_of(report)):
        assert one.over == ("6 of 6 data sets",)
        shapes = {(len(panel.rows), len(row)) for panel in one.board.panels for row in panel.cells}
        assert len({across for _, across in shapes}) == 1
        texts = [cell.text for cell in one.board.cells]
        ranks.append(sorted(text for text in texts if re.fullmatch(r"\d\.\d\d", text)))
    # Columns may be data sets, labellings or criteria, and methods rows or columns.
    assert len(ranks) == 6
    assert len(ranks[0]) == 7 * 4
    assert all(found == ranks[0] for found in ranks)


def test_ranks_over_panels_of_data_sets_stand_below_them() -> None:
    (one,) = (
        one
        for one in score_boards(*table_of(reported(crossed_rows(14, 6, LABELLINGS))))
        if one.board.columns[0].text == "single-training-set c=0.5"
    )
    assert [panel.heading for panel in one.board.panels] == [*(f"data-{k}" for k in range(6)), "average rank"]
    assert one.within == "column"
    last = one.board.panels[-1]
    assert [sum(float(row[k].text) for row in last.cells) for k in (0, 1)] == pytest.approx(
        [105, 105], abs=0.1
    )


def test_criteria_are_panels_too() -> None:
    text = only(reported(crossed_rows(6, 5, LABELLINGS, ("puf", "pauc"))))
    assert r"\emph{single-training-set c=0.5, tuned by puf}" in text


@pytest.mark.parametrize("width", ["column", "single", "page"])
def test_long_and_wide_tables_are_continued_and_lose_nothing(width: TableWidth) -> None:
    text = only(reported(crossed_rows(42, 12, LABELLINGS, replicates=2), width=width))
    floats = text.split(r"\begin{table")[1:]
    assert len(floats) > 1
    assert text.count(r"\label{") == 1
    assert text.count(r"\begin{minipage}") == 1
    assert [r"\addtocounter{table}{-1}" in part for part in floats] == [False] + [True] * (len(floats) - 1)
    assert all(part.count(r"\toprule") and "method & " in part for part in floats)
    assert len(re.findall(r"\d\.\d{3}\}?(?: \(| &| \\)", text)) == 42 * 12 * 2


def test_standard_deviations_are_left_out_only_where_they_cost_further_tables() -> None:
    few, many = crossed_rows(42, 12), crossed_rows(42, 12, LABELLINGS)
    assert len(numbers(only(reported(few)))) == 42 * 12
    text = only(reported(many))
    assert not numbers(text)
    assert "acc (higher is better): mean over 3 replicates" in text
    assert "Standard deviations are in scores.csv." in text


def test_the_width_is_a_column_where_a_table_fits_there_at_once() -> None:
    small, large = crossed_rows(2, 5), crossed_rows(8, 6, LABELLINGS)
    assert r"\begin{table}" in only(reported(small))
    assert r"\begin{table*}" in only(reported(small, width="page"))
    assert r"\begin{table*}" in only(reported(large))
    assert r"\begin{table}" in only(reported(large, width="column"))
    assert r"\resizebox" not in only(reported(large, width="column"))


def test_missing_replicates_are_raised_and_explained() -> None:
    rows = crossed_rows(6, 5)
    rows[0] |= {"status": "failed", "acc": None}
    for row in rows[3:6]:
        row |= {"status": "failed", "acc": None}
    text = only(reported(rows))
    (first,), (second,) = rows_of(text, "method-0"), rows_of(text, "method-1")
    assert first[0].endswith(r")\rlap{\textsuperscript{2/3}}")
    assert second[0] == r"--\rlap{\textsuperscript{0/3}}"
    assert "Raised k/n: only k of n replicates have a value." in text
    assert "left out of ranks and tests" in text


def test_numbers_align_at_their_points_without_a_package() -> None:
    text = only(reported(crossed_rows(3, 6)))
    # Ranks have two decimals and no deviation, scores have three.
    assert rows_of(text, "average rank")[0][0].endswith(r"\hphantom{0 (0.000)}")
    rows = result_rows(np.array([[0.5, 0.7], [20000.0, 30000.0]]), ("a", "b"))
    assert rows_of(only(reported(rows, greater=False)), r"data\_1")[0][0] == r"\textbf{2e+04}"


def test_siunitx_aligns_numbers_and_keeps_emphasis_by_rule() -> None:
    plain, text = (only(reported(result_rows(AUC, NAMES, 3), siunitx=on)) for on in (False, True))
    assert text.startswith("% Made by pubench. The preamble needs \\usepackage{booktabs,siunitx}.")
    assert "siunitx" not in plain
    assert text.count(r"\sisetup{") == text.count(r"\begin{table")
    spec = r"S[table-format=1.3,table-space-text-post={\normalfont{} (0.000)}]"
    assert rf"\begin{{tabular}}{{@{{}}l{spec * len(NAMES)}@{{}}}}" in text
    assert len(re.findall(r"\\bfseries \d\.\d{3} \{\\normalfont", text)) == plain.count(r"\textbf{")
    assert text.count(r"\underline{\phantom{") == plain.count(r"\underline{") > 0
    # The same numbers, in the same order.
    digits = [
        re.findall(r"(\d\.\d{3})[} {]+(?:\\llap\S+ |\\normalfont\{\} )?\(", one) for one in (plain, text)
    ]
    assert digits[0] == digits[1]
    rows = result_rows(np.array([[-0.5, 12.7], [20000.0, 30000.0]]), ("a", "b"))
    made = only(reported(rows, greater=False, siunitx=True))
    assert "S[table-format=-1.3]S[table-format=2.3]" in made
    assert rows_of(made, r"data\_1")[0] == [r"{\textbf{2e+04}}", "{3e+04}"]
    assert rows_of(made, r"data\_0")[0] == [r"\bfseries -0.500", "12.700"]


def test_data_sets_with_labellings_of_their_own_are_not_panels() -> None:
    rows = [row | {"labelling": f"n_p={row['dataset'][-1]}0"} for row in crossed_rows(7, 5)]
    text = only(reported(rows))
    assert r"\emph" not in text
    assert r"data-0: n\_p=00; data-1: n\_p=10;" in text


def test_words_that_all_labellings_begin_with_are_said_once() -> None:
    labellings = [f"single-training-set c=0.{k}" for k in range(1, 8)]
    text = only(reported(crossed_rows(8, 1, labellings)))
    assert text.count("single-training-set") == 1
    assert "Every labelling begins with single-training-set." in text
    assert r"\multicolumn{1}{c}{c=0.1} & " in text


def test_long_names_are_cut_and_explained() -> None:
    names = [f"averylongdatasetnameoftherepositorynumber{k}" for k in range(9)]
    text = only(reported(crossed_rows(9, names)))
    (cut,) = re.findall(r"Short names: (.*)\n", text)
    plain = cut.replace(r"\allowbreak{}", "")
    assert [name in plain for name in names] == [True] * 9


@given(st.lists(st.text("ab-_ WmM1", min_size=1, max_size=60), max_size=6), st.floats(25, 120))
def test_names_fit_their_room_and_stay_apart(names: list[str], room: float) -> None:
    names = [*dict.fromkeys(map(composed, names))]
    fitted = fit_names(names, [room] * len(names), SMALL)
    assert len(set(fitted.lines)) == len(names)
    for name, lines in zip(names, fitted.lines, strict=True):
        assert max(text_width(line, SMALL) for line in lines) <= room
        full = fitted.cut.get(lines[0], "".join(lines))
        assert full.replace(" ", "") == name.replace(" ", "")


def test_the_note_of_many_groups_is_brief() -> None:
    scores = np.random.default_rng(1).normal(0.8, 0.03, (25, 20)) + np.linspace(0, 0.06, 20)
    names = tuple(f"algorithm-number-{j}" for j in range(20))
    text = only(reported(result_rows(scores, names), comparisons="all-pairs"))
    assert re.search(r"there are \d+ groups without significant differences", text)
    best = only(reported(result_rows(scores + np.linspace(0, 0.1, 20), names)))
    assert re.search(r"\d+ algorithms are significantly worse than", best)


def test_a_file_for_each_metric_and_one_for_the_paper() -> None:
    rows = [row | {"a/b": 0.5, "a-b": 0.5} for row in result_rows(AUC, NAMES)]
    number = {"dataset": "data_0", "algorithm": "C4.5", "metric": "acc", "mean": 0.8, "sd": 0.01}
    separate = [{"dataset": "data_0", "reason": "a sample"}]
    paper = paper_of(citation="A & B", numbers=[number, number | {"dataset": "data_1"}], separate=separate)
    files = latex_files(build_report(rows, "s", {"acc": True, "a/b": None, "a-b": None}, paper=paper))
    assert list(files) == ["acc.tex", "a-b.tex", "a-b-2.tex", "paper.tex"]
    text = files["paper.tex"]
    assert r"\caption{Comparison with the paper; acc; l; puf; C4.5.}" in text
    assert r"A \& B. Mean" in text
    assert rows_of(text, r"data\_0") == [
        ["0.800 (0.010)", r"0.763", "$-$0.037", r"lower\rlap{\textsuperscript{a}}"]
    ]
    assert "a: other data: a sample." in text


@pytest.mark.parametrize(
    "rows",
    [[], result_rows(AUC[:1], NAMES), result_rows(AUC[:, :1], ("a",)), result_rows(AUC * np.nan, NAMES)],
    ids=["none", "one data set", "one algorithm", "all failed"],
)
def test_small_and_failed_runs_have_a_table_or_say_so(rows: list[dict[str, Any]]) -> None:
    report = reported(rows)
    assert "no results" in only(report) if not rows else r"\begin{tabular}" in only(report)
    assert rank_diagram(report.comparisons[0]) is None


@given(st.text())
def test_any_text_becomes_plain_ascii_without_loose_specials(text: str) -> None:
    for made in (tex(text), breakable(text)):
        assert made.isascii()
        assert made.count("{") - made.count(r"\{") == made.count("}") - made.count(r"\}")
        assert not re.search(r"(?<!\\)[#&%_]", made)
    assert not set(composed(text)) & set("\n\r\t")


def test_a_character_is_kept_for_engines_that_can_print_it_and_explained() -> None:
    assert tex("日") == (
        r"\ifdefined\Umathchar\iffontchar\font26085 \char26085 \else U+65E5\fi\else U+65E5\fi{}"
    )
    text = only(reported(crossed_rows(["日本", "e\u0301"], 3)))
    assert (
        "\n% Characters without a command: 日 (U+65E5), 本 (U+672C). lualatex and xelatex print them" in text
    )
    assert rows_of(text, "data set")[0][1].endswith(r"{\'{e}}")
    assert "Characters without" not in only(reported(crossed_rows(2, 3)))


@pytest.mark.parametrize(("text", "made"), [("t-test", "t-test"), ("a--b", "a-{}-b"), ("a–-b", "a--{}-b")])
def test_hyphens_do_not_become_dashes(text: str, made: str) -> None:
    assert tex(text) == made
