"""``pubench.report``: folders, formats and files from Python, and one sentence for wrong input."""

import os
from pathlib import Path

import pytest
from helpers.runs import write_run

import pubench
from pubench.errors import PubenchError, StoreError
from pubench.reporting import files


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run")


def test_files_go_into_the_run_folder_by_default(run: Path) -> None:
    assert pubench.report(run) == (run / "report.html", run / "report.md")
    assert (run / "report.md").read_text(encoding="utf-8").startswith("# s\n")


def test_every_format_in_a_folder_of_ones_own(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "er"
    written = pubench.report(str(run), formats=["latex", "html", "csv", "markdown"], out=str(out))
    assert sorted(written) == sorted(out.iterdir())
    assert {"report.html", "report.md", "scores.csv", "pairs.csv", "accuracy.tex", "accuracy-ranks.pdf"} <= {
        path.name for path in written
    }
    assert not (run / "report.html").exists()


def test_several_runs_are_merged_into_the_first_folder(run: Path, tmp_path: Path) -> None:
    other = write_run(tmp_path / "other", names=("z",), prefix="z")
    (path,) = pubench.report([run, other], formats=("markdown",))
    assert path == run / "report.md"
    assert "| z |" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("formats", "said"),
    [
        (("htm",), "'htm' is not a format of reports; did you mean 'html'?"),
        (("html", "docx"), "'docx' is not a format of reports; known: csv, html, latex, markdown"),
        ((), "formats must be a sequence of one or more of html, markdown, csv, latex"),
        ("html", "formats must be a sequence of one or more of html, markdown, csv, latex"),
    ],
)
def test_unknown_formats_get_one_sentence_and_write_nothing(
    run: Path, formats: tuple[str, ...], said: str
) -> None:
    before = sorted(run.iterdir())
    with pytest.raises(PubenchError) as found:
        pubench.report(run, formats=formats)
    assert str(found.value) == said
    assert sorted(run.iterdir()) == before


def test_a_width_of_latex_tables_and_one_sentence_for_an_unknown_one(run: Path, tmp_path: Path) -> None:
    (table, *_) = pubench.report(run, formats=["latex"], out=tmp_path / "out", width="page")
    assert r"\begin{table*}" in table.read_text(encoding="utf-8")
    with pytest.raises(PubenchError, match=r"'pages' is not a width of tables; did you mean 'page'\?"):
        pubench.report(run, formats=["latex"], out=tmp_path / "none", width="pages")  # type: ignore[arg-type]
    assert not (tmp_path / "none").exists()


def test_folders_without_a_run_get_one_sentence(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(PubenchError, match=r"is not a run folder: it has no plan\.json"):
            pubench.report(folder)
    with pytest.raises(PubenchError, match="there is no run to report: give at least one run folder"):
        pubench.report([])


def test_a_format_that_fails_leaves_every_file_as_it_was(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pubench.report(run)
    before = {path: path.read_bytes() for path in run.iterdir()}
    monkeypatch.setitem(files.FORMATS, "latex", lambda report: 1 / 0)  # type: ignore[arg-type]
    with pytest.raises(ZeroDivisionError):
        pubench.report(run, formats=("html", "latex"))
    assert {path: path.read_bytes() for path in run.iterdir()} == before


def test_a_file_that_cannot_be_written_leaves_no_part_of_it(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(
        StoreError, match=r"cannot write .*report\.html: No space left on device; the results"
    ):
        pubench.report(run, formats=("html",))
    assert not [path for path in run.iterdir() if "report.html" in path.name]
