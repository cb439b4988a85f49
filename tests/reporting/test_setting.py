"""What reports say of the class prior and of decisions."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pubench
from pubench.reporting.reading import report_of
from pubench.reporting.render.html import html_report
from pubench.reporting.render.latex import latex_files
from pubench.reporting.render.markdown import markdown_report
from pubench.reporting.setting import decisions_sentence, prior_sentence
from pubench.results.table import Results

SUITE = """
name = "s"
datasets = [{use = "breast-cancer", sample = {positive = 60, negative = 60}}]
labellings = [{scenario = "single-training-set", frequency = 0.5}]
algorithms = [{use = "naive-lr-prior"}, {use = "naive-lr"}]
report = {metrics = ["accuracy"]}
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("setting")
    (folder / "s.toml").write_text(SUITE)
    return pubench.run_suite(folder / "s.toml", out=folder / "run")


def test_every_format_says_which_prior_was_given_and_who_is_cut_there(results: Results) -> None:
    report = report_of(results)
    wanted = (
        "Class prior: the true one, given to naive-lr-prior. "
        "Decisions: cut at the prior for naive-lr-prior; the others have their own rule."
    )
    assert report.setting == wanted
    for text in (html_report(report), markdown_report(report), latex_files(report)["accuracy.tex"]):
        assert wanted in re.sub(r"\s+", " ", text)


def test_a_run_of_an_earlier_version_says_nothing(results: Results) -> None:
    before = replace(results.plan, cut=None, priors=())
    assert report_of(replace(results, plan=before)).setting == ""


@pytest.mark.parametrize(
    ("source", "words"),
    [('"none"', "no method or criterion was given one."), ("0.4", "0.4, given to naive-et-prior.")],
)
def test_the_source_is_that_of_the_suite(tmp_path: Path, source: str, words: str) -> None:
    text = SUITE.replace("naive-lr-prior", "naive-et-prior").replace(
        "report =", f"prior = {{source = {source}}}\nreport ="
    )
    (tmp_path / "s.toml").write_text(text)
    report = report_of(pubench.run_suite(tmp_path / "s.toml", out=tmp_path / "run"))
    assert f"Class prior: {words}" in report.setting


def row(algorithm: str, criterion: str | None, prior: float | None) -> dict[str, Any]:
    return {"algorithm": algorithm, "criterion": criterion, "prior": prior, "n_p": 5}


def test_a_criterion_that_used_it_is_named() -> None:
    rows = [row("wlr", "puf", None), row("wlr", "pa", 0.3), row("nnpu", "puf", 0.3), row("nnpu", "pa", 0.3)]
    said = prior_sentence(rows, ["estimated by bbe"])
    assert said == "Class prior: estimated by bbe, given to wlr (tuned by pa) and nnpu."


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        ((), "each method has its own rule."),
        (("a", "b", "c"), "all are cut at the prior."),
        (("a", "c"), "cut at the prior for all but b."),
    ],
)
def test_the_shorter_list_is_given(cut: tuple[str, ...], words: str) -> None:
    assert decisions_sentence("abc", cut) == f"Decisions: {words}"
