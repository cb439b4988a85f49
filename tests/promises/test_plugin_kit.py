"""Promise 6, seen from outside: what others write is made, installed, checked, run and reported like our own."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from helpers.venvs import ROOT, clean_venv

EXAMPLE = ROOT / "tests" / "example_plugin"
KINDS = ("algorithm", "dataset", "criterion", "metric", "prior")


class Clean:
    """An environment with the wheel and pytest, and a folder for each test."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.binaries, self.environment = clean_venv(folder, wheel, "pytest")

    def run(self, folder: Path, *command: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            list(map(str, command)),
            cwd=folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Clean:
    return Clean(tmp_path_factory.mktemp("clean"), wheel)


@pytest.mark.slow
def test_every_kind_of_plugin_can_be_created_run_and_reported(clean: Clean, tmp_path: Path) -> None:
    done = clean.run(tmp_path, ROOT / "tests" / "promises" / "plugin_kit.sh")
    ended = [line.partition(":")[0] for line in done.stdout.splitlines() if "run and reported" in line]
    compiled = [f"kit-{kind}-compiled" for kind in KINDS if kind != "dataset"]
    assert ended == [*(f"kit-{kind}" for kind in KINDS), *compiled]
    assert done.stdout.count("0 findings") == len(ended)


@pytest.fixture(scope="module")
def example(clean: Clean, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the example from a copy, so that nothing is built beside its sources."""
    folder = shutil.copytree(EXAMPLE, tmp_path_factory.mktemp("example") / "plugin")
    clean.run(folder, "python", "-m", "pip", "install", "--quiet", ".")
    return folder


@pytest.mark.slow
def test_the_example_is_discovered_and_its_errors_are_listed(clean: Clean, example: Path) -> None:
    found = json.loads(clean.run(example, "pubench", "plugins", "--json").stdout)
    infos = {info["origin"]["plugin"]: info for info in found["plugins"]}
    assert infos["example"]["origin"]["version"] == "1.2.0"
    assert infos["example"]["names"]["algorithms"] == ["example-nearest", "example-raises"]
    assert infos["example-broken"]["error"] == "RuntimeError: this plugin cannot be imported"
    assert infos["example-slow"]["names"]["metrics"] == ["example-accuracy"]
    (twice,) = found["duplicates"]
    assert "algorithm 'naive-hgb' is registered by 'pubench 0.1.0'" in twice
    assert "and 'pubench-example 1.2.0' (plugin 'example-twin')" in twice


@pytest.mark.slow
def test_the_example_runs_in_a_suite_and_the_report_shows_it(clean: Clean, example: Path) -> None:
    clean.run(example, "pubench", "suite", "run", "example.toml", "--out", "run", "--quiet", code=1)
    rows = json.loads(clean.run(example, "pubench", "export", "run", "--format", "json").stdout)
    ended = {(row["algorithm"], row["status"]) for row in rows}
    assert ended == {("example-nearest", "ok"), ("example-raises", "failed"), ("naive-lr", "ok")}
    assert len(rows) == 6
    for name in ("report.html", "report.md"):
        text = (example / "run" / name).read_text()
        assert "example-nearest" in text
        assert "this method does not want to be fitted" in text


@pytest.mark.slow
def test_the_example_is_checked_part_by_part(clean: Clean, example: Path) -> None:
    assert "0 findings" in clean.run(example, "pubench", "plugin", "check", "example-nearest").stdout
    assert "0 findings" in clean.run(example, "pubench", "plugin", "check", "example-clouds").stdout
    told = {
        "example-raises": "RuntimeError: this method does not want to be fitted",
        "example-broken": "plugin 'example-broken' cannot be loaded: RuntimeError: this plugin cannot be imported",
        "example-slow": "importing plugin 'example-slow' takes",
        "example-twin": "algorithm 'naive-hgb' is also registered by 'pubench 0.1.0'",
    }
    for name, message in told.items():
        done = clean.run(example, "pubench", "plugin", "check", name, "--json", code=1)
        assert [o for o in json.loads(done.stdout) if message in o["message"]], done.stdout
