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


OTHER = "@article{author2026,\n  title = {Another method},\n}"


def test_entries_are_merged_by_what_they_say_and_keys_stay_unique(tmp_path):
    parts = (
        PlannedPart("algorithm", "both", "1", "a 1", "", f"{ENTRY}\n\n@misc{{b, title = {{B}}}}"),
        PlannedPart("algorithm", "one", "1", "a 1", "", "@misc{b,  title = {B}}"),
        PlannedPart("algorithm", "foreign", "1", "b 1", "C. Other", OTHER),
        PlannedPart("algorithm", "odd", "1", "c 1", "D. Odd", "@string{x = {y}}"),
        PlannedPart("data set", "toy-blobs", "abc", "pubench 0.1", "The host", "@misc{host, title = {Host}}"),
    )
    credits = read_credits([folder_with(tmp_path, parts)], {"toy-blobs": "The data's own paper"})
    assert [str(one) for one in credits] == [
        "both (algorithm): A method, 2026",
        "both (algorithm), one (algorithm): B",
        "foreign (algorithm): C. Other",
        "odd (algorithm): D. Odd",
        "toy-blobs (data set): The data's own paper",
        "toy-blobs (data set): The host",
    ]
    text = bibliography(credits)
    assert text.count(ENTRY) == 1
    assert "@article{author2026-2,\n  title = {Another method},\n}" in text
    assert "@misc{toy-blobs,\n  note = {The data's own paper},\n}" in text
    assert "@misc{host, title = {Host}}" in text
    assert "@string{x = {y}}" in text


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
    papers = {part.label: part for part in results.plan.parts}
    assert papers["wlr"].paper.startswith("W. S. Lee and B. Liu, Learning with Positive")
    assert "@inproceedings{lee2003," in papers["wlr"].bibtex
    assert "toy-blobs" in papers
