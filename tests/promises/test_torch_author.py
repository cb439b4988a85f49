"""A network written from the documentation alone, in an environment with the wheel: checked, tuned, cited, changed."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from helpers.venvs import ROOT, clean_venv

pytestmark = [pytest.mark.slow, pytest.mark.torch]
PAGE = (ROOT / "docs" / "deep-methods.md").read_text(encoding="utf-8")
TORCH = re.search(r"^TORCH := (\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)


def block(title: str) -> str:
    """Return a block of the page that readers are told to save under a name."""
    found = re.search(rf'```\w+ title="{re.escape(title)}"\n(.*?)```', PAGE, re.DOTALL)
    assert found, title
    return found[1]


class Author:
    """Someone in an empty folder, with nothing but the wheel and PyTorch."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        assert TORCH
        self.folder = folder
        binaries, self.environment = clean_venv(folder, wheel, TORCH[1])
        self.python = str(binaries / "python")

    def runs(self, *arguments: str) -> str:
        done = subprocess.run(
            [self.python, "-m", *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def rows(self) -> dict[str, list[float]]:
        exported = json.loads(self.runs("pubench", "export", "runs/my-vpu", "--format", "json"))
        assert {row["status"] for row in exported} == {"ok"}
        return {
            name: [row["roc-auc"] for row in exported if row["algorithm"] == name]
            for name in ("my-vpu", "nnpu-linear")
        }


@pytest.fixture(scope="module")
def author(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Author:
    """Make a package of the page's example: the class in one module, the spec in another."""
    author = Author(tmp_path_factory.mktemp("author"), wheel)
    author.runs("pubench", "plugin", "new", "my-vpu")
    package = author.folder / "my-vpu" / "src" / "my_vpu"
    network, _, hook = block("my_vpu.py").partition("@pubench.hookimpl")
    (package / "classifier.py").write_text(network)
    spec = hook.replace("my_vpu:VPU", "my_vpu.classifier:VPU")
    (package / "__init__.py").write_text(f"import pubench\n\n\n@pubench.hookimpl{spec}")
    (author.folder / "my-vpu.toml").write_text(block("my-vpu.toml"))
    author.runs("pip", "install", "--quiet", "--no-deps", "--editable", "./my-vpu")
    return author


def test_a_network_from_the_page_is_checked_tuned_run_and_cited_and_a_change_runs_its_cells_again(author):
    assert "0 findings" in author.runs("pubench", "plugin", "check", "my-vpu/")

    author.runs("pubench", "suite", "run", "my-vpu.toml", "--jobs", "2", "--quiet")
    before = author.rows()
    assert [len(cells) for cells in before.values()] == [2, 2]
    author.runs("pubench", "report", "runs/my-vpu", "--format", "html,latex", "--out", "report")
    bibliography = (author.folder / "report" / "references.bib").read_text()
    assert "% my-vpu (algorithm)\n@inproceedings{chen2020,\n" in bibliography
    assert author.runs("pubench", "cite", "runs/my-vpu") == bibliography
    assert "my-vpu (algorithm): H. Chen, F. Liu" in (author.folder / "report" / "report.html").read_text()
    lines = (author.folder / "runs" / "my-vpu" / "trials.jsonl").read_text().splitlines()
    assert any('"pruned":true' in line for line in lines)

    file = author.folder / "my-vpu" / "src" / "my_vpu" / "classifier.py"
    text = file.read_text()
    assert text.count("- in_p.mean()") == 1
    file.write_text(text.replace("- in_p.mean()", "+ in_p.mean()"))
    said = " ".join(author.runs("pubench", "suite", "run", "my-vpu.toml", "--jobs", "2").split())
    assert "2 cells of my-vpu run again: the source of algorithm 'my-vpu' (my-vpu 0.1.0) changed" in said
    assert "nnpu-linear run again" not in said
    after = author.rows()
    assert after["nnpu-linear"] == before["nnpu-linear"]
    assert after["my-vpu"] != before["my-vpu"]
