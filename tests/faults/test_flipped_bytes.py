"""A byte of a run folder is altered: every command shows what it showed before, or says what is damaged."""

from __future__ import annotations

import io
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from helpers.suites import TOY, toml
from rich.console import Console

from pubench.api import rescore, run_suite
from pubench.errors import PubenchError
from pubench.reporting import Report, read_runs, report_of, terminal_report, write_report
from pubench.reporting.details import RunDetails
from pubench.results.export import export_text
from pubench.results.predictions import read_predictions
from pubench.results.run_folder import read_suite_text
from pubench.results.store import read_predictions_index
from pubench.results.table import read_results

LATER = TOY.with_name("later_metrics.py")
FILES = {
    "suite.toml",
    "plan.json",
    "cells.jsonl",
    "trials.jsonl",
    "inside.jsonl",
    "provenance.json",
    "predictions.bin",
    "predictions.jsonl",
    "rescored.jsonl",
}


class Shown(NamedTuple):
    """What the commands show of a run folder: export, report with all that enters it, suite and predictions."""

    export: str
    status: str
    report: str
    details: RunDetails
    suite: str
    predictions: dict[str, list[list[float]]]


def predicted(folder: Path) -> tuple[dict[str, list[list[float]]], tuple[str, ...]]:
    """Return the predictions that can be trusted, and what is said of the others."""
    index, problems = read_predictions_index(folder)
    found: dict[str, list[list[float]]] = {}
    for key, line in index.items():
        try:
            found[key] = [array.tolist() for array in read_predictions(folder, line).arrays()]
        except PubenchError as error:
            problems = (*problems, str(error))
    return found, problems


def printed(report: Report) -> str:
    """Return the report as text: drawings take longer, and show the same rows and details."""
    buffer = io.StringIO()
    terminal_report(report, Console(file=buffer))
    return buffer.getvalue()


def shown(folder: Path) -> tuple[Shown | None, tuple[str, ...]]:
    """Return what commands show, and what they say is damaged; None if one refuses to read the folder."""
    try:
        results = read_results(folder)
        report = report_of(read_runs([folder]))
        text = read_suite_text(folder)
    except PubenchError as error:
        return None, (str(error),)
    export = export_text(results, "csv") + export_text(results, "json")
    predictions, damaged = predicted(folder)
    found = Shown(export, repr(results.counts), printed(report), report.details, text, predictions)
    return found, (*results.problems, *report.details.problems, *damaged)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("suite") / "toy.toml"
    algorithms = [{"use": "toy", "tune": True}, {"use": "wlr"}]
    tuning, store = {"criteria": ["toy-high"], "folds": 2}, {"predictions": True}
    path.write_text(toml(algorithms=algorithms, replicates=2, tuning=tuning, store=store))
    return path


@pytest.fixture(scope="module")
def undamaged(suite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undamaged") / "run"
    results = run_suite(suite, out=folder, plugins=[TOY])
    assert results.counts == {"ok": 4}
    rescore(folder, "later-roc-auc", plugins=[TOY, LATER])
    write_report(report_of(read_results(folder)), folder, ("markdown",))
    assert {path.name for path in folder.iterdir() if path.stat().st_size} >= FILES
    return folder


@contextmanager
def altered(path: Path, chance: random.Random) -> Iterator[None]:
    """Alter one byte of a file for a while."""
    whole = path.read_bytes()
    data = bytearray(whole)
    data[chance.randrange(len(data))] ^= chance.randrange(1, 256)
    path.write_bytes(data)
    yield
    path.write_bytes(whole)


def is_clear(sentence: str) -> bool:
    """Whether a sentence names the file and what is wrong with it, in one line."""
    wrong = ("damaged", "torn", "altered")
    return (
        "\n" not in sentence
        and any(name in sentence for name in FILES)
        and any(word in sentence for word in wrong)
    )


@pytest.mark.slow
def test_an_altered_byte_changes_nothing_or_is_named(undamaged: Path, tmp_path: Path) -> None:
    expected, problems = shown(undamaged)
    assert expected is not None
    assert problems == ()
    copy = Path(shutil.copytree(undamaged, tmp_path / "run"))
    files = sorted(path for path in copy.iterdir() if path.stat().st_size)
    chance, hit = random.Random(0), set()
    for number in range(300):
        path = chance.choice(files)
        with altered(path, chance):
            found, problems = shown(copy)
        assert all(map(is_clear, problems)), (number, path, problems)
        assert (found == expected) != bool(problems), (number, path, problems)
        hit |= {path.name} if problems else set()
    assert hit == FILES


@pytest.mark.slow
def test_a_second_run_restores_a_damaged_folder(suite: Path, undamaged: Path, tmp_path: Path) -> None:
    stable = export_text(read_results(undamaged), "csv", times=False)
    # Damaged predictions are named by who reads them; only --force computes finished cells again.
    for number, name in enumerate(sorted(FILES - {"predictions.bin"})):
        copy = Path(shutil.copytree(undamaged, tmp_path / name))
        data = bytearray((copy / name).read_bytes())
        data[random.Random(number).randrange(len(data))] ^= 1
        (copy / name).write_bytes(data)
        assert shown(copy)[1]
        run_suite(suite, out=copy, plugins=[TOY])
        if name == "rescored.jsonl":
            assert rescore(copy, "later-roc-auc", plugins=[TOY, LATER]).added == {"later-roc-auc": 1}
        again, problems = shown(copy)
        assert again is not None
        assert problems == ()
        assert export_text(read_results(copy), "csv", times=False) == stable
        assert again.suite == suite.read_text()
