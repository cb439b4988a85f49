"""The documents say what is: their commands run, what they show is printed, and the reference pages are complete."""

import importlib.util
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest

import pubench
from pubench.cli import cli
from pubench.suite import bundled_suites, suite_schema

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "reports" / "README.md",
]
FENCE = re.compile(r"^```(\w+)(?: title=\"([\w.-]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Lines of shell blocks that are not run here, and why.
NOT_RUN = {
    "pip install 'pubench[torch]'": "without it this page is skipped",
    "pip install .": "the package under test is installed already",
    "make demo": "continuous integration starts from make; it installs the clone again",
    "make lint": "it comes before these tests",
    "make test": "it would run this very test",
    "make test-all": "it would run this very test",
    "make test-torch": "it would run this very test",
    "make test-lowest": "it would run this very test",
    "make wheel-check": "tests/promises/test_wheel.py is run by make test-all",
    "make bench": "a benchmark, not a test",
    "make reports": "reports/README.md shows its commands, which are run",
}
# Blocks of text that follow from something else than the command before them, and what does show them.
SHOWN_BY = {
    "pubench: bad.toml": "sed 's/^folds/fold/' example.toml > bad.toml; pubench suite check bad.toml",
    "naive-lr  ": "pubench list algorithms --plugin my_plugin.py",
}


class Block(NamedTuple):
    """A fenced block: its language, the file it stands for, its text."""

    language: str
    title: str
    text: str


def blocks(page: Path) -> list[Block]:
    return [Block(*found) for found in FENCE.findall(page.read_text(encoding="utf-8"))]


def commands(text: str) -> str:
    lines = [line for line in text.splitlines() if line.partition("#")[0].strip() not in NOT_RUN]
    return "\n".join(lines)


def run(command: list[str], folder: Path) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PATH": path, "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, f"{command[-1]}\nended with {done.returncode}:\n{done.stdout}"
    return done.stdout


def pattern(line: str) -> str:
    """Numbers depend on versions and machines, and so does which one is the best or tied with it."""
    return re.sub(r"[*≈]", " ", re.sub(r"\d", "0", line)).rstrip()


def shell(text: str) -> list[str]:
    return ["bash", "-euo", "pipefail", "-c", text]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one folder for all pages: a suite that two of them run is run once."""
    return tmp_path_factory.mktemp("docs")


# What every newcomer reads and types.
FIRST = {"README.md"}
WITH_TORCH = {"docs/deep-methods.md", "docs/methods/torch-networks.md"}


def pages() -> Iterator[Any]:
    """Yield the pages with commands, all but the first one marked as slow."""
    for page in filter(blocks, PAGES):
        name = str(page.relative_to(ROOT))
        marks = [] if name in FIRST else [pytest.mark.slow]
        if name in WITH_TORCH:
            missing = importlib.util.find_spec("torch") is None
            marks += [pytest.mark.torch, pytest.mark.skipif(missing, reason="PyTorch is not installed")]
        yield pytest.param(page, id=name, marks=marks)


# With pytest-xdist's --dist loadgroup all pages go to one worker, and quickstart is run once.
@pytest.mark.slow
@pytest.mark.xdist_group("docs")
@pytest.mark.parametrize("page", list(pages()))
def test_every_command_runs_and_prints_what_is_shown(page: Path, folder: Path) -> None:
    printed = ""
    # A page that shows the tables of quickstart must not meet a finished run.
    shutil.rmtree(folder / "runs" / "quickstart", ignore_errors=True)
    for block in blocks(page):
        if block.title:
            (folder / block.title).write_text(block.text, encoding="utf-8")
        elif block.language == "sh":
            printed = run(shell(commands(block.text)), folder)
        elif block.language == "python":
            (folder / "block.py").write_text(block.text, encoding="utf-8")
            printed = run([sys.executable, "block.py"], folder)
        elif block.language == "text":
            other = next((text for start, text in SHOWN_BY.items() if block.text.startswith(start)), None)
            found = run(shell(f"({other}) || true"), folder) if other else printed
            # A line of three dots stands for lines that are not shown.
            shown = {pattern(line) for line in block.text.splitlines()} - {"..."}
            missing = shown - set(map(pattern, found.splitlines()))
            assert not missing, f"{missing} is not in:\n{found}"


def test_every_block_is_of_a_known_kind() -> None:
    for page in PAGES:
        kinds = {block.language for block in blocks(page) if not block.title}
        assert kinds <= {"sh", "python", "text", "toml", "none"}, page
        text = re.sub(r"^```\{.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        assert text.count("```") == 2 * len(blocks(page)), page


def unexecuted(page: Path) -> Iterator[list[str]]:
    """Yield the commands of a page that need a cluster or files that are not bundled, so that no test runs them."""
    text = page.read_text(encoding="utf-8")
    shown = [block.text for block in blocks(page) if block.language == "none"]
    rest = FENCE.sub("", text)
    for line in re.findall(
        r"^(?: {4})?(pubench .*)$", "\n".join([*shown, *re.findall(r"^ {4}.*$", rest, re.M)]), re.M
    ):
        yield shlex.split(line.partition("#")[0])[1:]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(unexecuted(page))], ids=lambda page: page.name
)
def test_commands_that_are_not_run_exist_with_their_options(page: Path) -> None:
    for line in unexecuted(page):
        command: click.Command = cli
        words = line
        # As in use: a command keeps the help option of its first context.
        top = click.Context(cli, **cli.context_settings)
        while isinstance(command, click.Group):
            found = command.get_command(top, words[0])
            assert found is not None
            command, *words = found, *words[1:]
        _, given, _ = command.make_parser(click.Context(command, top)).parse_args(words)
        named = [value for value in given if isinstance(value, str) and command.name == "run"]
        assert all(
            name.endswith(".toml") or name in bundled_suites()
            for name in (n.removesuffix("-smoke") for n in named)
        )


def test_every_exception_is_still_needed() -> None:
    lines = {
        line.partition("#")[0].strip()
        for page in PAGES
        for block in blocks(page)
        for line in block.text.splitlines()
    }
    assert set(NOT_RUN) <= lines
    texts = [block.text for page in PAGES for block in blocks(page) if block.language == "text"]
    assert all(any(text.startswith(start) for text in texts) for start in SHOWN_BY)


def test_the_suite_reference_matches_the_schema() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "suite_keys.py"))
    described = ""
    for page in script["PAGES"]:
        made = script["tables"](suite_schema(), page)
        text = page.read_text(encoding="utf-8")
        assert text.partition(script["MARK"])[2] == f"\n{made}", "run: python docs/suite_keys.py"
        described += made
    assert set(re.findall(r"^\| `([\w]+)` \|", described, re.MULTILINE)) == set(schema_keys(suite_schema()))
    # A bar in a text does not end its cell.
    lines = [line for line in described.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {5}


def schema_keys(schema: Any) -> Iterator[str]:
    for table in (schema, *schema["$defs"].values()):
        yield from table["properties"]


def test_the_command_line_reference_matches_the_program() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "command_line.py"))
    texts = [page.read_text(encoding="utf-8") for page in script["PAGES"]]
    for text in texts:
        assert script["rewritten"](text) == text, "run: python docs/command_line.py"
    sections = re.findall(r"^## `(pubench[^`]*)`$", "\n".join(texts), re.MULTILINE)
    assert sorted(sections) == sorted(name for name, _ in script["walk"](cli, "pubench"))


SMALL = """
name = "small"
replicates = 1
[[datasets]]
use = "iris"
[[labellings]]
scenario = "case-control"
positives = 10
[[algorithms]]
use = "naive-lr"
"""


def test_the_run_folder_reference_is_complete(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    results = pubench.run_suite(tmp_path / "small.toml", out=tmp_path / "run")
    text = (ROOT / "docs" / "run-folder.md").read_text(encoding="utf-8")
    columns = text.partition("## The columns of a row")[2].partition("\n## ")[0]
    described = {
        name
        for line in re.findall(r"^\| (`.*?) \|", columns, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", line)
    }
    assert described == set(results.rows[0]) - set(results.plan.metrics)
    files = set(re.findall(r"`([\w.-]+)`", text.partition("## Files")[2].partition("## Records")[0]))
    assert {file.name for file in (tmp_path / "run").iterdir()} <= files


def test_links_resolve() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            path, _, anchor = target.partition("#")
            other = (page.parent / path).resolve() if path else page
            assert other.is_file(), f"{page.name}: {target}"
            assert not anchor or anchor in anchors(other), f"{page.name}: {target}"


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_changelog_has_this_version() -> None:
    assert re.search(
        rf"^## {re.escape(pubench.__version__)}\b", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )


def test_both_pages_about_priors_have_the_rule_of_the_code() -> None:
    rule = "the low end of `profile`'s interval is less than 0.4 of its high end"
    for page in ("priors.md", "your-own-data.md"):
        text = " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split())
        assert rule in text
        assert "factor of two" not in text


def test_no_page_is_too_long_to_read() -> None:
    pages = (ROOT / "docs").rglob("*.md")
    # As `wc -w` counts, code and tables included.
    assert not {page.name: n for page in pages if (n := len(page.read_text(encoding="utf-8").split())) > 2500}
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 180


def test_every_committed_report_is_linked_from_the_site() -> None:
    page = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
    committed = {path.parent.name for path in (ROOT / "reports").glob("*/report.html")}
    assert set(re.findall(r'href="reports/([\w-]+)/report.html"', page)) == committed
