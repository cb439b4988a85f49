"""Promise 7: a wheel in an empty environment and an empty folder can run the bundled quickstart."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest
from helpers.venvs import clean_venv


@pytest.mark.slow
def test_wheel_holds_plugins_suites_and_kernel(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    wanted_files = ["pubench_linear/wlr.py", "pubench_suites/quickstart.toml", "pubench/py.typed"]
    templates = ("scaffold/templates/pyproject.toml.j2", "reporting/site/templates/site.js")
    wanted_files += ["pubench/citations/papers.bib", "pubench/citations/datasets.bib"]
    for wanted in (*wanted_files, *(f"pubench/{name}" for name in templates)):
        assert wanted in names
    assert any(name.startswith("pubench/_ranking.") and name.endswith((".so", ".pyd")) for name in names)
    assert not [name for name in names if name.endswith((".pyx", ".c")) or "tests" in name]


@pytest.mark.slow
def test_quickstart_from_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    binaries, environment = clean_venv(tmp_path, wheel)
    empty = tmp_path / "empty"
    empty.mkdir()
    subprocess.run(
        [binaries / "pubench", "suite", "run", "quickstart"], cwd=empty, env=environment, check=True
    )
    report = (empty / "runs" / "quickstart" / "report.md").read_text()
    assert "36 planned: 36 ok" in report
