"""``pubench report``: formats, folders, merged runs, and invalid input."""

import csv
import time
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.commands import pubench_here
from helpers.runs import write_run
from helpers.suites import TOY, toml

from pubench import run_suite
from pubench.results.checked import read_checked, write_checked
from pubench.results.run_folder import read_plan, write_plan
from pubench.suite.reporting import Rules


def test_every_format_is_written_to_files(tmp_path, capsys):
    run = write_run(tmp_path / "run")
    said = pubench_here(capsys, "report", run, "--out", tmp_path / "out" / "deep")
    found = sorted(path.name for path in (tmp_path / "out" / "deep").iterdir())
    assert found == sorted(Path(line).name for line in said.stdout.splitlines())
    assert found == [
        "accuracy-ranks.pdf",
        "accuracy-ranks.pgf",
        "accuracy.tex",
        "pairs.csv",
        "report.html",
        "report.md",
        "scores.csv",
    ]
    with (tmp_path / "out" / "deep" / "scores.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 24


def test_reports_are_a_function_of_the_stored_rows(tmp_path, capsys):
    run = write_run(tmp_path / "run")
    pubench_here(capsys, "report", run, "--out", tmp_path / "one")
    time.sleep(1.1)  # in another second
    pubench_here(capsys, "report", run, "--out", tmp_path / "two")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_one_format_is_printed(tmp_path, capsys):
    run = write_run(tmp_path / "run")
    assert pubench_here(capsys, "report", run, "--format", "csv").stdout.startswith("metric,dataset,")
    assert pubench_here(capsys, "report", run, "--format", "markdown").stdout.startswith("# s\n")
    assert "average rank (8 of 8 data sets)" in pubench_here(capsys, "report", run).stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--format", "latex"), "name a folder with --out"),
        (("--format", "csv,markdown"), "name a folder with --out"),
        (("--format", "text", "--out", "x"), "Text is for terminals"),
        (("--width", "page"), "--width is for LaTeX tables"),
        (("--format", "html", "--out", "x", "--width", "page"), "--width is for LaTeX tables"),
        (("--format", "latex", "--out", "x", "--width", "wide"), "'wide' is not one of"),
        (("--format", "csv,"), "'' is not a format; give one or more of text, html, markdown, csv, latex."),
    ],
)
def test_invalid_requests(tmp_path, capsys, options, said):
    assert said in pubench_here(capsys, "report", write_run(tmp_path / "run"), *options, code=2).stderr


def test_the_width_of_latex_tables_is_the_suites_unless_it_is_given(tmp_path, capsys):
    run = write_run(tmp_path / "run")
    write_plan(run, replace(read_plan(run), report=Rules(width="page")), 'name = "s"\n')
    for options, environment in (
        ((), "table*"),
        (("--width", "column"), "table"),
        (("--width", "single"), "table"),
    ):
        pubench_here(
            capsys, "report", tmp_path / "run", "--format", "latex", "--out", tmp_path / "out", *options
        )
        tables = [path.read_text(encoding="utf-8") for path in (tmp_path / "out").glob("*.tex")]
        assert tables
        assert all(rf"\begin{{{environment}}}" in table for table in tables)


def test_a_folder_without_a_run_is_one_sentence(tmp_path, capsys):
    (tmp_path / "file").touch()
    for folder in (tmp_path, tmp_path / "nowhere", tmp_path / "file"):
        said = pubench_here(capsys, "report", folder, code=2).stderr
        assert said.strip().count("\n") == 0
        assert "is not a run folder" in said


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"names": ("a",)}, ""),
        ({"datasets": 1}, "which algorithms differ: 1 data set is too few"),
        ({"replicates": 1}, ""),
        ({"statuses": ("failed",)}, "No data set has a score of every algorithm"),
        ({"statuses": (None,)}, "No data set has a score of every algorithm"),
        ({"statuses": ("ok", None, "ok", "timeout")}, "left out of ranks and tests"),
        ({"datasets": 0}, "none planned"),
    ],
    ids=["one algorithm", "one data set", "one replicate", "all failed", "not begun", "going on", "no cell"],
)
def test_small_partial_and_failed_runs(tmp_path, capsys, keys, said):
    run = write_run(tmp_path / "run", **keys)
    pubench_here(capsys, "report", run)
    pubench_here(capsys, "report", run, "--out", tmp_path / "out")
    assert said in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "out" / "accuracy.tex").is_file()


def test_a_single_remaining_algorithm_is_never_marked_best(tmp_path, capsys):
    run, out = write_run(tmp_path / "run", statuses=("ok", "failed", "failed")), tmp_path / "out"
    pubench_here(capsys, "report", run, "--out", out)
    assert 'class="best"' not in (out / "report.html").read_text(encoding="utf-8")
    assert "**" not in (out / "report.md").read_text(encoding="utf-8")
    assert r"\textbf" not in (out / "accuracy.tex").read_text(encoding="utf-8")
    assert {line["best"] for line in csv.DictReader((out / "scores.csv").open(encoding="utf-8"))} == {"False"}
    assert ")*" not in pubench_here(capsys, "report", run).stdout


def test_the_page_of_a_running_suite_shows_its_progress(tmp_path, capsys):
    run = write_run(tmp_path / "run", statuses=("ok", None, "ok", "timeout"))
    page = pubench_here(capsys, "report", run, "--format", "html").stdout
    assert "54 of 72 cells have ended." in page
    assert "The run is going on" not in page
    done = pubench_here(capsys, "report", write_run(tmp_path / "done"), "--format", "html").stdout
    assert "cells have ended" not in done


@pytest.mark.slow
def test_the_suites_rules_reach_the_report(tmp_path):
    report = {
        "test": "nemenyi",
        "alpha": 0.1,
        "missing": "worst-rank",
        "unit": "block",
        "width": "page",
        "metrics": ["accuracy"],
    }
    number = {"dataset": "toy-blobs", "algorithm": "toy", "metric": "accuracy", "mean": 0.5}
    text = toml(report=report, paper={"citation": "Somebody", "numbers": [number]})
    (tmp_path / "suite.toml").write_text(text, encoding="utf-8")
    plan = run_suite(tmp_path / "suite.toml", out=tmp_path / "run", plugins=[TOY]).plan
    assert plan == read_plan(tmp_path / "run")
    assert plan.report == Rules(test="nemenyi", alpha=0.1, missing="worst-rank", unit="block", width="page")
    assert plan.paper.numbers[0].mean == 0.5


def test_rules_of_a_later_version_are_ignored(tmp_path, capsys):
    run = write_run(tmp_path / "run")
    plan = read_checked(run / "plan.json", remedy="")
    plan["report"] = {"alpha": 0.2, "colour": "blue"}
    write_checked(run / "plan.json", plan)
    assert "alpha = 0.2" in pubench_here(capsys, "report", run).stdout


def test_runs_are_merged(tmp_path, capsys):
    one, other = write_run(tmp_path / "one", names=("a", "b")), write_run(tmp_path / "two", names=("c", "d"))
    # The other run's cells have keys of their own.
    plan = read_checked(other / "plan.json", remedy="")
    write_checked(
        other / "plan.json", plan | {"cells": [[f"x{cell[0]}", *cell[1:]] for cell in plan["cells"]]}
    )
    said = pubench_here(capsys, "report", one, other, "--format", "csv").stdout
    assert {line["algorithm"] for line in csv.DictReader(said.splitlines())} == {"a", "b", "c", "d"}
    same = pubench_here(capsys, "report", one, one, "--format", "csv").stdout
    assert same == pubench_here(capsys, "report", one, "--format", "csv").stdout


def test_runs_that_contradict_each_other_are_refused(tmp_path, capsys):
    one, other = write_run(tmp_path / "one"), write_run(tmp_path / "two")
    plan = read_checked(other / "plan.json", remedy="")
    plan["cells"] = [[f"x{cell[0]}", *cell[1:]] for cell in plan["cells"]]
    write_checked(other / "plan.json", plan)
    said = pubench_here(capsys, "report", one, other, code=2).stderr
    assert "have different results for d0 / l / 0 / a; give one of them another name" in said


@pytest.mark.slow
def test_a_hundred_thousand_rows_still_work(tmp_path, capsys):
    names = tuple(f"algorithm-{j}" for j in range(10))
    run = write_run(tmp_path / "run", datasets=500, replicates=20, names=names)
    start = time.process_time()
    pubench_here(capsys, "report", run, "--out", tmp_path / "out")
    assert time.process_time() - start < 60
    assert "500 of 500 data sets" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "out" / "report.html").stat().st_size < 4_000_000
