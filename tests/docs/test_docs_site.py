"""The site builds without a warning: every page is in its contents, every reference leads somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pubench.plugins import hookspecs

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"]
    options = ["-b", "html", "-d", str(folder / "doctrees"), str(ROOT / "docs"), str(folder / "html")]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_every_page_is_built(site: Path) -> None:
    assert {page.stem for page in (ROOT / "docs").glob("*.md")} <= {page.stem for page in site.glob("*.html")}


def test_the_api_page_documents_hooks_and_specs(site: Path) -> None:
    text = (site / "api.html").read_text(encoding="utf-8")
    hooks = [f"pubench.plugins.hookspecs.{name}" for name in vars(hookspecs) if name.startswith("pubench_")]
    assert hooks
    for name in ("pubench.run_suite", "pubench.specs.Algorithm", *hooks):
        assert f'id="{name}"' in text, f"docs/api.md lacks {name}"


def test_a_block_of_code_shows_the_name_of_its_file(site: Path) -> None:
    text = (site / "compare-your-method.html").read_text(encoding="utf-8")
    assert re.findall(r'class="caption-text">(\w+\.\w+)<', text)[:2] == ["my_plugin.py", "clouds.toml"]


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    loads = re.compile(r"<(?:script|link|img)[^>]*(?:src|href)=\"(https?:[^\"]*)")
    for page in site.glob("*.html"):
        assert not (found := loads.findall(page.read_text(encoding="utf-8"))), f"{page.name}: {found}"
