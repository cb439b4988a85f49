"""LaTeX that a real pdflatex compiles, and what it says."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.reports import paper as paper_of
from helpers.results import result_rows
from helpers.statistics_examples import AUC, NAMES
from hypothesis import given
from hypothesis import strategies as st

from pubench.reporting import Report, build_report
from pubench.reporting.draw.diagrams import draw, rank_diagram
from pubench.reporting.render.latex import latex_files
from pubench.reporting.render.pgf import pgf
from pubench.reporting.render.tex import breakable, spelled, tex
from pubench.suite.reporting import Rules

NASTY = (r"50%_$x$ & {#1} \input{x} ~^<|>" + '"`', "<b>html</b> -- é ö ß π ≈ †", "😀" * 12, "long_name-" * 20)


PACKAGES = ("booktabs", "pgf", "graphicx")


def reported(scores: np.ndarray = AUC, names: tuple[str, ...] = NAMES, **keys: Any) -> Report:
    rules = keys.pop("rules", Rules())
    rows = result_rows(scores, names, replicates=keys.pop("replicates", 3), **keys)
    return build_report(rows, "A suite & co", {"acc": True}, rules=rules)


def only(report: Report) -> str:
    return latex_files(report)["acc.tex"]


def test_the_caption_describes_the_table() -> None:
    text = only(reported())
    assert text.count(r"\begin{table}") == 1
    caption = re.search(r"\\caption\{(.*)\}\\label\{tab:a-suite-co-acc\}", text)
    assert caption
    for words in (
        "acc (higher is better); l; tuned by puf; 3 replicates.",
        "corrected resampled t-{}test over replicates with Holm's correction, alpha = 0.05",
        "Wilcoxon's signed-{}rank test with Holm's correction",
        "Friedman's test over 14 data sets",
        "left out of ranks and tests",
        "Average ranks over 14 of 14 data sets.",
    ):
        assert words in caption.group(1)
    assert len(re.findall(r"\\textbf\{[\d.]+ \([\d.]+\)\}", text)) == 14
    assert text.count(r"\rlap{$^{\approx}$}") == reported().comparisons[0].tied.sum() > 0
    assert r"\midrule" + "\naverage rank & " in text


def test_references_are_the_last_group_of_columns() -> None:
    rows = result_rows(AUC, NAMES) + result_rows(AUC[:, :1] + 0.1, ("supervised",), reference=True)
    text = only(build_report(rows[-14:] + rows[:-14], "s", {"acc": True}))
    assert r" & \multicolumn{4}{c}{algorithms} & \multicolumn{1}{c}{references} \\" in text
    assert r"\cmidrule(lr){2-5}\cmidrule(lr){6-6}" in text


def test_long_and_wide_tables_are_split_and_lose_nothing() -> None:
    scores = 0.1 + np.random.default_rng(0).random((90, 13))
    text = only(reported(scores, tuple(f"algorithm-{j}" for j in range(13)), replicates=1))
    parts = text.split(r"\begin{table}")[1:]
    assert len(parts) > 4
    assert f"(part 1 of {len(parts)})" in parts[0]
    assert text.count(r"\label") == 1
    assert len(re.findall(r"\d\.\d{3} \(", text)) == 90 * 13
    assert max(part.count(r" \\") for part in parts) < 50
    # Parts are of about the same width.
    assert {part.split(r"\toprule")[1].split(r"\midrule")[0].count("algorithm") for part in parts} == {3, 4}


def test_names_that_do_not_differ_go_to_the_caption_and_repeated_ones_are_left_out() -> None:
    rows = [row | {"labelling": labelling} for labelling in ("x", "y") for row in result_rows(AUC[:2], NAMES)]
    rows.sort(key=lambda row: row["dataset"])
    # A data set of its own labelling: columns by labelling would have holes.
    rows += [row | {"labelling": "z"} for row in result_rows(AUC[:3], NAMES)[-4:]]
    text = only(build_report(rows, "s", {"acc": True}))
    assert text.count(r"data\_0 & ") == 1
    assert "\n & y & " in text
    assert "x & y" not in text


def crossed(labellings: tuple[str, ...], criteria: tuple[str, ...], names: tuple[str, ...] = NAMES) -> Report:
    """Return a report of every data set under each labelling and criterion, and of an untuned reference."""
    rows = [
        row | {"labelling": labelling, "criterion": criterion, "acc": row["acc"] - 0.01 * k}
        for labelling in labellings
        for k, criterion in enumerate(criteria)
        for row in result_rows(AUC[:, : len(names)], names)
    ]
    rows += [
        row | {"labelling": labelling, "criterion": None, "reference": True}
        for labelling in labellings
        for row in result_rows(AUC[:, :1] + 0.1, ("supervised",))
    ]
    return build_report(rows, "s", {"acc": True})


def test_criteria_become_groups_of_columns() -> None:
    text = only(crossed(("l",), ("puf", "pauc"), NAMES[:2]))
    assert text.count(r"\begin{table}") == 1
    assert (
        r" & \multicolumn{2}{c}{puf} & \multicolumn{2}{c}{pauc} & \multicolumn{1}{c}{references} \\" in text
    )
    assert r"\cmidrule(lr){2-3}\cmidrule(lr){4-5}\cmidrule(lr){6-6}" in text
    # A line for each data set, with both criteria's means and the reference once.
    assert len(re.findall(r"^data\\_\d+ & ", text, re.MULTILINE)) == 14
    (first,) = re.findall(r"^data\\_0 & (.*) \\\\$", text, re.MULTILINE)
    means = re.findall(r"\d\.\d{3}", first)
    expected = [AUC[0, 0], AUC[0, 1], AUC[0, 0] - 0.01, AUC[0, 1] - 0.01, AUC[0, 0] + 0.1]
    assert [float(mean) for mean in means] == pytest.approx(expected, abs=6e-4)
    assert first.count(r"\textbf") == 2
    assert "acc (higher is better); l; columns by criterion; 1 replicate." in text
    assert "Average ranks within each group, over 14 of 14 data sets." in text
    # Ranks are those of each group alone; both are the same here.
    (ranks,) = re.findall(r"^average rank & (.*) \\\\$", text, re.MULTILINE)
    assert ranks.split(" & ")[:2] == ranks.split(" & ")[2:4]
    assert ranks.split(" & ")[4] == "--"


def test_labellings_become_groups_where_there_is_one_criterion() -> None:
    text = only(crossed(("case-control", "single-training-set"), ("puf",), NAMES[:2]))
    assert r"\multicolumn{2}{c}{case-{}control} & \multicolumn{2}{c}{single-{}training-{}set}" in text
    assert "tuned by puf; columns by labelling; 1 replicate." in text


def test_groups_are_not_torn_between_pages_and_labellings_stay_labels_beside_criteria() -> None:
    text = only(crossed(("x", "y"), ("puf", "pauc", "pa", "fp-fn"), NAMES[:2]))
    parts = text.split(r"\begin{table}")[1:]
    assert len(parts) > 1
    for part in parts:
        assert all(int(count) in (1, 2) for count in re.findall(r"\\multicolumn\{(\d)\}", part))
        assert "labelling" in part.split(r"\midrule")[0]
    assert len(re.findall(r"\d\.\d{3} \(", text)) == 14 * 2 * (4 * 2 + 1)
    # Where two groups do not fit beside each other, criteria stay labels of lines.
    assert "columns by" not in only(crossed(("l",), ("puf", "pauc")))


def test_the_captions_of_many_groups_are_brief() -> None:
    scores = np.random.default_rng(1).normal(0.8, 0.03, (25, 20)) + np.linspace(0, 0.06, 20)
    names = tuple(f"algorithm-number-{j}" for j in range(20))
    text = only(reported(scores, names, replicates=1, rules=Rules(comparisons="all-pairs")))
    assert re.search(r"there are \d+ groups without significant differences", text)
    best = " ".join(only(reported(scores + np.linspace(0, 0.1, 20), names, replicates=1)).split())
    assert re.search(r"\d+ algorithms are significantly worse than", best)


def test_a_file_for_each_metric_and_one_for_the_paper() -> None:
    rows = [row | {"a/b": 0.5, "a-b": 0.5} for row in result_rows(AUC, NAMES)]
    number = {"dataset": "data_0", "algorithm": "C4.5", "metric": "acc", "mean": 0.8, "sd": 0.01}
    paper = paper_of(citation="A & B", numbers=[number])
    files = latex_files(build_report(rows, "s", {"acc": True, "a/b": None, "a-b": None}, paper=paper))
    assert list(files) == ["acc.tex", "a-b.tex", "a-b-2.tex", "paper.tex"]
    assert r"Comparison with the paper; acc; l; puf. A \& B Mean" in files["paper.tex"]
    assert r"data\_0 & C4.5 & 0.800 (0.010) & 0.763 (--) & $-$0.037 & lower \\" in files["paper.tex"]


@pytest.mark.parametrize(
    "rows",
    [[], result_rows(AUC[:1], NAMES), result_rows(AUC[:, :1], ("a",)), result_rows(AUC * np.nan, NAMES)],
    ids=["none", "one data set", "one algorithm", "all failed"],
)
def test_small_and_failed_runs_have_a_table_or_say_so(rows: list[dict[str, Any]]) -> None:
    report = build_report(rows, "s", {"acc": True})
    assert "no results" in only(report) if not rows else r"\begin{tabular}" in only(report)
    assert rank_diagram(report.comparisons[0]) is None


@given(st.text())
def test_any_text_becomes_plain_ascii_without_loose_specials(text: str) -> None:
    for made in (tex(text), breakable(text)):
        assert made.isascii()
        assert made.count("{") - made.count(r"\{") == made.count("}") - made.count(r"\}")
        assert not re.search(r"(?<!\\)[#&%_]", made)
    assert not set(spelled(text)) & set("\n\r\t")


def lacks_tex() -> bool:
    if shutil.which("pdflatex") is None or shutil.which("kpsewhich") is None:
        return True
    packages = [f"{name}.sty" for name in PACKAGES]
    return subprocess.run(["kpsewhich", *packages], capture_output=True, check=False).returncode != 0


needs_tex = pytest.mark.skipif(lacks_tex(), reason="pdflatex with booktabs and pgf is not installed")


def compile_tex(folder: Path, body: str) -> str:
    """Compile a document; return the log."""
    preamble = f"\\documentclass{{article}}\n\\usepackage{{{','.join(PACKAGES)}}}\n\\begin{{document}}\n"
    (folder / "main.tex").write_text(f"{preamble}{body}\n\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "main.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=600, check=False)
    log = (folder / "main.log").read_text(encoding="latin-1")
    assert done.returncode == 0, log[-3000:]
    assert (folder / "main.pdf").stat().st_size > 1000
    return log


@pytest.mark.slow
@needs_tex
def test_everything_compiles_and_fits_on_its_page(tmp_path: Path) -> None:
    number = {"dataset": "data_0", "algorithm": NAMES[0], "metric": "acc", "mean": 0.8, "sd": 0.01}
    paper = paper_of(citation="A & B (2020)", numbers=[number])
    wide = np.random.default_rng(1).normal(0.8, 0.03, (50, 20)) + np.linspace(0, 0.06, 20)
    partly = np.where(np.random.default_rng(2).random(AUC.shape) < 0.2, np.nan, AUC)
    reports = {
        "demsar": build_report(result_rows(AUC, NAMES, 3), "s", {"acc": True}, paper=paper),
        "nemenyi": reported(rules=Rules(test="nemenyi", alpha=0.1)),
        "wide": reported(wide, tuple(f"algorithm-{j}" for j in range(20)), replicates=2),
        "partly": reported(partly, rules=Rules(missing="worst-rank")),
        "failed": reported(AUC * np.nan),
        "one": reported(AUC[:1, :1], NAMES[:1], replicates=1),
        "two": reported(AUC[:, :2], NAMES[:2]),
        "empty": build_report([], "s", {"acc": True}),
        "criteria": crossed(("l",), ("puf", "pauc", "oracle-accuracy"), NAMES[:2]),
        "both": crossed(("case-control n_p=100", "single-training-set c=0.5"), ("puf", "pauc"), NAMES[:2]),
        "named": crossed(("x",), (NASTY[3], NASTY[0]), NAMES[:2]),
    }
    log = compile_tex(
        tmp_path, "\n".join(body_of(tmp_path, name, report) for name, report in reports.items())
    )
    assert "Overfull" not in log
    assert "Float too large" not in log


@needs_tex
def test_nasty_names_compile(tmp_path: Path) -> None:
    rows = [
        row | {"labelling": NASTY[3], "criterion": NASTY[1]} | ({"dataset": NASTY[0]} if i % 4 == 0 else {})
        for i, row in enumerate(result_rows(AUC, NASTY))
    ]
    report = build_report(rows, NASTY[0], {"acc": True})
    compile_tex(tmp_path, body_of(tmp_path, "nasty", report) + "\n" + "\n\n".join(map(tex, NASTY)))


def body_of(folder: Path, name: str, report: Report) -> str:
    """Write a report's files and return the lines that include them."""
    lines = []
    for file, text in latex_files(report).items():
        (folder / f"{name}-{file}").write_text(text, encoding="utf-8")
        lines.append(rf"\input{{{name}-{file}}}")
    diagram = rank_diagram(report.comparisons[0])
    if diagram is not None:
        (folder / f"{name}.pgf").write_text(pgf(diagram), encoding="utf-8")
        (folder / f"{name}-ranks.pdf").write_bytes(draw(diagram, "pdf"))
        shown = rf"\resizebox{{\linewidth}}{{!}}{{\input{{{name}.pgf}}}}"
        lines.append(
            rf"\begin{{figure}}{shown}\par\includegraphics[width=\linewidth]{{{name}-ranks}}\end{{figure}}"
        )
    return "\n".join([*lines, r"\clearpage"])
