"""``pubench report --live`` beside a real run: the page follows it, and ends with it however it ends."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fault_tools import (
    PATIENCE,
    Gate,
    driver,
    pubench,
    run,
    run_arguments,
    sentences,
    stored,
    wait_for,
    write_suite,
)

from pubench.results.lock import is_running

CELLS = 6
LIVE = 'id="pause"'


@contextmanager
def running(folder: Path) -> Iterator[tuple[subprocess.Popen[str], Path, Gate]]:
    """Start a run; yield its process, its folder and what holds it back, once a cell has ended."""
    out, gate = folder / "run", Gate(folder / "gate", allowed=1)
    suite = write_suite(folder / "suite.toml", replicates=CELLS)
    with driver(*run_arguments(suite, out), gate=gate) as (process, _):
        wait_for(lambda: stored(out), "the first cell")
        yield process, out, gate


def ended(page: Path) -> int:
    """How many cells the page says have ended; a page that is there is there as a whole."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    assert not text or text.endswith("</html>\n")
    found = re.search(rf"(\d+) of {CELLS} cells have ended", text)
    return int(found[1]) if found else 0


@pytest.mark.slow
def test_the_page_follows_the_run_to_its_end(tmp_path: Path) -> None:
    with running(tmp_path) as (process, out, gate):
        page = out / "report.html"
        with driver("report", str(out), "--live") as (live, _):
            first = wait_for(lambda: ended(page), "a page")
            assert LIVE in page.read_text(encoding="utf-8")
            gate.allow(3)
            wait_for(lambda: ended(page) > first, "a later page")
            gate.open()
            said, errors = live.communicate(timeout=PATIENCE)
            assert live.returncode == 0
            assert said == f"Report: {page}\nNo run is going on.\nReport: {page}\n"
            assert re.findall(rf"(\d+) of {CELLS} cells have ended", errors)
        assert process.wait(timeout=PATIENCE) == 0
        text = page.read_text(encoding="utf-8")
        assert LIVE not in text
        assert "cells have ended" not in text
        assert text == pubench("report", str(out), "--format", "html").stdout


@pytest.mark.slow
def test_the_page_ends_when_the_run_is_killed(tmp_path: Path) -> None:
    with running(tmp_path) as (process, out, _):
        page = tmp_path / "elsewhere" / "report.html"
        with driver("report", str(out), "--live", "--out", str(page.parent)) as (live, _):
            wait_for(lambda: ended(page), "a page")
            process.kill()
            said, _ = live.communicate(timeout=PATIENCE)
            assert live.returncode == 0
        left = CELLS - stored(out)
        assert f"No run is going on; {left} cells have not run: run the suite again to continue.\n" in said
        assert ended(page) == stored(out)
        assert LIVE not in page.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopping_the_page_does_not_stop_the_run(tmp_path: Path, number: signal.Signals) -> None:
    with running(tmp_path) as (process, out, _):
        page = out / "report.html"
        with driver("report", str(out), "--live") as (live, _):
            wait_for(lambda: ended(page), "a page")
            live.send_signal(number)
            _, errors = live.communicate(timeout=PATIENCE)
            assert live.returncode == 128 + number
            assert f"pubench: stopped by {number.name}; {page} is no longer updated." in errors
            assert "Traceback" not in errors
        assert LIVE not in page.read_text(encoding="utf-8")
        assert process.poll() is None
        assert is_running(out)


@pytest.mark.slow
def test_a_finished_run_gets_one_page(tmp_path: Path) -> None:
    out = tmp_path / "run"
    run(write_suite(tmp_path / "suite.toml"), out)
    (out / "report.html").unlink()
    done = pubench("report", str(out), "--live")
    assert done.returncode == 0
    assert done.stdout == f"No run is going on.\nReport: {out / 'report.html'}\n"
    assert (out / "report.html").read_text(encoding="utf-8").endswith("</html>\n")


@pytest.mark.slow
def test_a_folder_that_is_not_a_run_gets_no_page(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        done = pubench("report", str(folder), "--live")
        assert done.returncode == 2
        (said,) = sentences(done)
        assert "is not a run folder: it has no plan.json" in said
        assert not (folder / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("--format", "csv"), "leave out --format"), (("another",), "name one with --out")],
)
def test_options_that_live_does_not_support(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    done = pubench("report", str(tmp_path), *arguments, "--live")
    assert done.returncode == 2
    assert said in done.stderr
