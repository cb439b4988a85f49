"""Sources that are not compiled: one sentence with a remedy, and nothing that is installed suffers from them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.marks import slow

ROOT = Path(__file__).resolve().parents[1]
REMEDY = "start Python in another folder, or compile the sources with `pip install --editable {}`"
SUITE = """
name = "small"
replicates = 1
[[datasets]]
use = "iris"
[[labellings]]
scenario = "case-control"
positives = 10
[[algorithms]]
use = "puet"
params = { prior = 0.5, n_estimators = 2 }
"""


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources as they are in a clone: nothing of them is compiled."""
    folder = tmp_path_factory.mktemp("somewhere") / "clone"
    folder.mkdir()
    left_out = shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__")
    for name in ("pubench", "plugins"):
        shutil.copytree(ROOT / name, folder / name, ignore=left_out)
    for name in ("pyproject.toml", "tests/conftest.py", "tests/test_ranking.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def started(folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "command",
    [
        ("-c", "import pubench"),
        *slow(
            ("-c", "import pubench; pubench.make('puet')"),
            ("-c", "from pubench.metrics import METRICS"),
            ("-m", "pubench", "suite", "list"),
            ("-m", "pytest", "-q", "-p", "no:cacheprovider"),
        ),
    ],
    ids=" ".join,
)
def test_python_in_a_clone_says_what_is_wrong_and_what_to_do(clone: Path, command: tuple[str, ...]) -> None:
    done = started(clone, sys.executable, *command)
    assert done.returncode != 0
    told = [line for line in (done.stdout + done.stderr).splitlines() if "is not compiled" in line]
    assert len(told) == 1
    assert told[0].removeprefix("E   ") == (
        f"ImportError: pubench._ranking is not compiled in {clone / 'pubench'}: Python found the sources of pubench "
        f"there, not the installed package; {REMEDY.format(clone)}"
    )


@pytest.mark.slow
def test_the_installed_program_works_in_a_clone(clone: Path) -> None:
    (clone / "small.toml").write_text(SUITE)
    program = shutil.which("pubench", path=Path(sys.executable).parent) or pytest.skip(
        "pubench is not installed"
    )
    done = started(clone, program, "suite", "run", "small.toml", "--jobs", "2", "--quiet", "--out", "run")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_a_missing_kernel_of_a_plugin_gets_the_same_sentence(clone: Path) -> None:
    program = (
        "import sys\n"
        # An editable installation would find the compiled part elsewhere.
        "sys.meta_path = [finder for finder in sys.meta_path if 'Editable' not in repr(finder)]\n"
        f"sys.path[:0] = [{str(clone / 'plugins')!r}, {str(ROOT)!r}]\n"
        "import pubench\n"
        "try:\n"
        "    pubench.make('puet')\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    done = started(clone.parent, sys.executable, "-c", program)
    assert len(done.stdout.splitlines()) == 1, done.stderr
    assert (
        f"pubench_extratrees._grow is not compiled in {clone / 'plugins' / 'pubench_extratrees'}"
        in done.stdout
    )
    assert REMEDY.format(clone) in done.stdout
