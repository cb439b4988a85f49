"""The programs of the gallery run from an empty folder, and each draws the picture that the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "gallery.md").read_text(encoding="utf-8")
EXAMPLES = sorted((DOCS / "examples").glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_draws_its_picture(example: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(example)],
        cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert [path.name for path in tmp_path.iterdir()] == [f"{example.stem}.png"]


def test_the_page_shows_every_example_with_its_picture() -> None:
    shown = re.findall(r"\{literalinclude\} examples/(\w+)\.py", PAGE)
    assert sorted(shown) == [example.stem for example in EXAMPLES]
    assert re.findall(r"pictures/(\w+)\.png", PAGE) == shown
    assert all((DOCS / "pictures" / f"{name}.png").is_file() for name in shown)
