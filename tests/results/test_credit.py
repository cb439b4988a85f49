"""Whom to cite: every part of a run, each paper once, in words and as BibTeX."""

from __future__ import annotations

from dataclasses import replace

from helpers.commands import pubench_here
from helpers.suites import run

import pubench
from pubench.plan.parts import PlannedPart
from pubench.results.credit import bibliography, read_credits
from pubench.results.run_folder import read_plan, write_plan

ENTRY = "@article{author2026,\n  title = {A method},\n  year = {2026},\n}"
PARTS = (
    PlannedPart("algorithm", "mine", "1", "my-package 0.1", "A. Author, 2026", ENTRY),
    PlannedPart("algorithm", "mine-too", "1", "my-package 0.1", "A. Author,  2026", ENTRY),
    PlannedPart("criterion", "puf", "1", "pubench 0.1", "B. Lee & C. Liu, 2003"),
    PlannedPart("prior estimator", "guess", "1", "pubench 0.1"),
    PlannedPart("data set", "toy-blobs", "abc", "pubench 0.1", "The plan's citation"),
)


def folder_with(tmp_path, parts=PARTS):
    folder = run(tmp_path).folder
    write_plan(folder, replace(read_plan(folder), parts=parts), (folder / "suite.toml").read_text())
    return folder


def test_each_paper_is_listed_once_with_all_that_it_is_cited_for(tmp_path):
    credits = read_credits([folder_with(tmp_path)], {"toy-blobs": "The card's citation"})
    assert [str(one) for one in credits] == [
        "mine (algorithm), mine-too (algorithm): A. Author, 2026",
        "puf (criterion): B. Lee & C. Liu, 2003",
        "toy-blobs (data set): The card's citation",
        "guess (prior estimator): no citation is stated",
    ]
    text = bibliography(credits)
    assert text.count(ENTRY) == 1
    assert "@misc{puf,\n  note = {B. Lee \\& C. Liu, 2003},\n}" in text
    assert "% mine (algorithm), mine-too (algorithm)\n" in text
    assert "guess" not in text


def test_reports_and_the_command_show_them(tmp_path, capsys):
    folder = folder_with(tmp_path)
    pubench.report(folder, formats=("html", "markdown", "latex"), out=tmp_path / "report")
    for name in ("report.html", "report.md"):
        text = (tmp_path / "report" / name).read_text()
        assert "mine (algorithm), mine-too (algorithm): A. Author, 2026" in text
    written = (tmp_path / "report" / "references.bib").read_text()
    assert ENTRY in written
    assert pubench_here(capsys, "cite", str(folder)).stdout == written
    assert "puf (criterion): B. Lee" in pubench_here(capsys, "cite", str(folder), "--text").stdout


def test_a_run_records_the_papers_of_what_it_uses(tmp_path):
    results = run(tmp_path, algorithms=[{"use": "wlr"}])
    papers = {part.label: part.paper for part in results.plan.parts}
    assert papers["wlr"]
    assert "toy-blobs" in papers
