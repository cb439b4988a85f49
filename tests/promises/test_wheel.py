"""Promise 7: a wheel in an empty environment and an empty folder can run the bundled quickstart."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    # Built from a copy: what earlier builds left beside the sources must not decide what is in the wheel.
    left = shutil.ignore_patterns(".*", "build", "dist", "runs", "*.egg-info", "*.so", "*.c", "__pycache__")
    source = shutil.copytree(ROOT, folder / "source", ignore=left)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(source)]
    subprocess.run(command, check=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.slow
def test_wheel_holds_plugins_suites_and_kernel(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in ("pubench_linear/wlr.py", "pubench_suites/quickstart.toml", "pubench/py.typed"):
        assert wanted in names
    assert any(name.startswith("pubench/_ranking.") and name.endswith((".so", ".pyd")) for name in names)
    assert not [name for name in names if name.endswith((".pyx", ".c")) or "tests" in name]


@pytest.mark.slow
def test_quickstart_from_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    binaries, empty = tmp_path / "venv" / "bin", tmp_path / "empty"
    empty.mkdir()
    subprocess.run([binaries / "python", "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PUBENCH"))}
    environment = clean | {"HOME": str(empty), "XDG_CACHE_HOME": str(empty / "cache")}
    subprocess.run(
        [binaries / "pubench", "suite", "run", "quickstart"], cwd=empty, env=environment, check=True
    )
    report = (empty / "runs" / "quickstart" / "report.md").read_text()
    assert "36 planned: 36 ok" in report
