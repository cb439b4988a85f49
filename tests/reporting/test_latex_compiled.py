"""LaTeX that is pasted unchanged: a real pdflatex finds nothing too wide or too high, and captions of two lines."""

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.crossed import LABELLINGS, crossed_rows
from helpers.latex import ONE_COLUMN, TWO_COLUMNS, compiled, included, needs_siunitx, needs_tex
from helpers.reports import paper as paper_of
from helpers.results import result_rows
from helpers.statistics_examples import AUC, NAMES

from pubench.reporting import Report, build_report
from pubench.reporting.draw.diagrams import draw
from pubench.reporting.render.pgf import fitted_diagram, pgf
from pubench.reporting.render.tex import tex
from pubench.suite.reporting import Rules, TableWidth

NASTY = (r"50%_$x$ & {#1} \input{x} ~^<|>" + '"`', "<b>html</b> -- é ö ß π ≈ †", "😀" * 12, "long_name-" * 20)
LONG = [f"a-very-long-name-of-the-repository-number-{k}" for k in range(9)]
NUMBERS = r"\renewcommand{\thetable}{S.\arabic{table}}"
PAPER = paper_of(
    citation="A & B (2020)",
    numbers=[
        {"dataset": f"data_{i}", "algorithm": name, "metric": "acc", "mean": 0.8, "sd": 0.01}
        for i in range(5)
        for name in NAMES
    ],
    separate=[{"dataset": "data_1", "reason": "a sample of the paper's rows"}],
)
CASES: dict[str, list[dict[str, Any]]] = {
    "8 x 6 x 2": crossed_rows(8, 6, LABELLINGS),
    "one method": crossed_rows(1, 6),
    "one cell": crossed_rows(1, 1, replicates=1),
    "42 x 12": crossed_rows(42, 12, references=("method-3", "method-7")),
    "42 x 6 x 2, some failed": crossed_rows(42, 6, LABELLINGS, failing=0.05),
    "long names": crossed_rows(LONG[:4], LONG),
    "long words": crossed_rows(9, [name.replace("-", "") for name in LONG]),
    "wide letters": crossed_rows(["WWMM@%&mm" * 3, "b"], ["boocedoope" * 4, "mmWW@_^~"]),
    "criteria": crossed_rows(6, 5, LABELLINGS, ("puf", "pauc", "oracle-accuracy")),
    "references": crossed_rows(5, 8, LABELLINGS, references=("method-4",), failing=0.1),
    "large": crossed_rows(7, 6, scale=3e4),
    "tiny": crossed_rows(7, 6, scale=-1e-5),
    "labellings": crossed_rows(8, 2, [f"single-training-set c=0.{k}" for k in range(1, 10)]),
    "one replicate": crossed_rows(8, 12, replicates=1),
    "all failed": crossed_rows(3, 3, failing=1.1),
    "nasty": [row | {"criterion": NASTY[1]} for row in crossed_rows(NASTY, NASTY, NASTY[:2])],
    "several holes": [
        row for row in crossed_rows(6, 8, [str(k) for k in range(8)]) if row["labelling"] in row["dataset"]
    ],
}


def reported(name: str, width: TableWidth | None, siunitx: bool = False) -> Report:
    greater = None if name == "nasty" else name not in ("large", "tiny")
    return build_report(CASES[name], name, {"acc": greater}, rules=Rules(width=width, siunitx=siunitx))


@needs_tex
@pytest.mark.parametrize(
    ("preamble", "widths"), [(TWO_COLUMNS, (None, "column", "page")), (ONE_COLUMN, ("single",))]
)
def test_eight_methods_on_six_data_sets_in_two_scenarios_are_one_table_that_fits(
    tmp_path: Path, preamble: str, widths: tuple[TableWidth | None, ...]
) -> None:
    body = [included(tmp_path, f"t{k}", reported("8 x 6 x 2", width)) for k, width in enumerate(widths)]
    found = compiled(tmp_path, preamble, body)
    assert found.complaints == []
    assert [name for name, _ in found.captions] == [f"Table {k + 1}" for k in range(len(widths))]
    assert max(lines for _, lines in found.captions) <= 2


@pytest.mark.slow
@needs_tex
@pytest.mark.parametrize("width", [None, "column", "page", "single"])
@pytest.mark.parametrize("encoding", ["OT1", "T1"])
def test_every_table_fits(tmp_path: Path, width: TableWidth | None, encoding: str) -> None:
    preamble = ONE_COLUMN if width == "single" else TWO_COLUMNS
    preamble += rf"\usepackage[{encoding}]{{fontenc}}"
    body = [included(tmp_path, f"t{k}", reported(name, width)) for k, name in enumerate(CASES)]
    paper = build_report(result_rows(AUC, NAMES, 3), "p", {}, rules=Rules(width=width), paper=PAPER)
    found = compiled(tmp_path, preamble, [*body, included(tmp_path, "p", paper)])
    assert found.complaints == []
    assert max(lines for _, lines in found.captions) <= 2
    numbers = [int(re.findall(r"\d+", name)[0]) for name, _ in found.captions]
    assert sorted(set(numbers)) == list(range(1, len(CASES) + 2))


@needs_siunitx
def test_tables_fit_with_siunitx(tmp_path: Path) -> None:
    body = [
        included(tmp_path, f"t{k}", reported("8 x 6 x 2", width, siunitx=True))
        for k, width in enumerate((None, "column"))
    ]
    found = compiled(tmp_path, TWO_COLUMNS + r"\usepackage{siunitx}", body)
    assert found.complaints == []
    assert max(lines for _, lines in found.captions) <= 2


@pytest.mark.slow
@needs_siunitx
@pytest.mark.parametrize("width", [None, "column", "page", "single"])
def test_every_table_fits_with_siunitx(tmp_path: Path, width: TableWidth | None) -> None:
    preamble = (ONE_COLUMN if width == "single" else TWO_COLUMNS) + r"\usepackage{siunitx}"
    body = [included(tmp_path, f"t{k}", reported(name, width, siunitx=True)) for k, name in enumerate(CASES)]
    rules = Rules(width=width, siunitx=True)
    paper = build_report(result_rows(AUC, NAMES, 3), "p", {}, rules=rules, paper=PAPER)
    assert compiled(tmp_path, preamble, [*body, included(tmp_path, "p", paper)]).complaints == []


@pytest.mark.slow
@needs_tex
@pytest.mark.skipif(shutil.which("lualatex") is None, reason="lualatex is not installed")
def test_lualatex_prints_what_its_font_has(tmp_path: Path) -> None:
    report = build_report(crossed_rows(["日本", "ŋ"], 3), "s", {"acc": True})
    found = compiled(tmp_path, ONE_COLUMN, [included(tmp_path, "t", report)], program="lualatex")
    assert "Missing character" not in found.log


@needs_tex
def test_continued_tables_keep_their_number(tmp_path: Path) -> None:
    body = [included(tmp_path, f"t{k}", reported("42 x 12", None)) for k in range(2)]
    found = compiled(tmp_path, TWO_COLUMNS + NUMBERS, [r"\listoftables", *body])
    names = [name for name, _ in found.captions]
    assert names == ["Table S.1", "Table S.1 (continued)", "Table S.2", "Table S.2 (continued)"]
    assert found.complaints == []
    # The list of tables has each of them once.
    assert (tmp_path / "main.lot").read_text(encoding="utf-8").count("contentsline") == 2


@needs_tex
def test_nasty_names_compile(tmp_path: Path) -> None:
    body = [included(tmp_path, "nasty", reported("nasty", None)), *map(tex, NASTY)]
    compiled(tmp_path, ONE_COLUMN, ["\n\n".join(body)])


@pytest.mark.slow
@needs_tex
@pytest.mark.parametrize("width", [None, "column", "page", "single"])
def test_diagrams_of_ranks_fit(tmp_path: Path, width: TableWidth | None) -> None:
    scores = np.random.default_rng(1).normal(0.8, 0.03, (50, 20)) + np.linspace(0, 0.06, 20)
    cases = [
        ((AUC, NAMES), Rules(alpha=0.1)),
        ((scores, tuple(f"algorithm-{j}" for j in range(20))), Rules(test="nemenyi", alpha=0.1)),
        ((scores, tuple(f"{'WMW' * 12}-{j}" for j in range(20))), Rules(comparisons="all-pairs")),
    ]
    body = []
    for k, (made, rules) in enumerate(cases):
        report = build_report(result_rows(*made, 2), "s", {"acc": True}, rules=rules)
        fitted = fitted_diagram(report.comparisons[0], width)
        assert fitted is not None
        (tmp_path / f"r{k}.pgf").write_text(pgf(fitted), encoding="utf-8")
        (tmp_path / f"r{k}-ranks.pdf").write_bytes(draw(fitted.diagram, "pdf"))
        figure = fitted.frame.environment.replace("table", "figure")
        shown = rf"\centering\input{{r{k}.pgf}}\par\includegraphics[width=\linewidth]{{r{k}-ranks}}"
        body.append(rf"\begin{{{figure}}}{shown}\end{{{figure}}}")
    assert compiled(tmp_path, ONE_COLUMN if width == "single" else TWO_COLUMNS, body).complaints == []
