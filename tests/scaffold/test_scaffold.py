"""``pubench plugin new``: a new plugin passes its own tests, and a refusal writes nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from helpers.commands import pubench, pubench_here

from pubench.suite import parse_suite

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("algorithm", "dataset", "criterion", "metric", "prior")
FILES = {
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    ".gitignore",
    ".github/workflows/tests.yml",
    ".github/workflows/release.yml",
    "example.toml",
    "tests/test_contract.py",
}
LONG = "a-name-of-exactly-forty-letters-in-words"
VARIANTS = [
    (kind, cython) for kind in KINDS for cython in (False, True) if (kind, cython) != ("dataset", True)
]


@pytest.fixture(autouse=True)
def no_module_of_that_name(monkeypatch):
    """Forget a plugin file that another test of this process loaded under the name that is used here."""
    monkeypatch.delitem(sys.modules, "mine", raising=False)


def made(folder, name, kind):
    pubench(folder, "plugin", "new", name, "--kind", kind)
    return folder / name


def tool(folder, *command):
    """Run a tool in a new package, which finds pubench's sources and, as if installed, the package itself."""
    path = os.pathsep.join([str(folder / "src"), str(ROOT), str(ROOT / "plugins")])
    found = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=os.environ | {"MYPYPATH": path, "PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


def installed(folder):
    """Leave beside the sources what an installer would leave, so that the entry point is found."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    module = project["entry-points"]["pubench"][project["name"]]
    info = folder / "src" / f"{module}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    (info / "entry_points.txt").write_text(f"[pubench]\n{project['name']} = {module}\n")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_new_plugin_passes_its_tests_and_runs_its_suite(tmp_path, kind):
    folder = made(tmp_path, f"my-{kind}", kind)
    installed(folder)
    said = tool(folder, "pytest", "-q", "-p", "no:cacheprovider")
    assert " passed" in said
    assert "failed" not in said
    tool(folder, "pubench", "suite", "run", "example.toml", "--quiet")
    report = (folder / "runs" / f"my-{kind}-example" / "report.md").read_text()
    assert f"my-{kind}" in report


@pytest.mark.parametrize(("kind", "cython"), VARIANTS)
@pytest.mark.parametrize("name", [LONG, pytest.param("x", marks=pytest.mark.slow)])
def test_a_new_plugin_is_complete_and_clean(tmp_path, capsys, monkeypatch, kind, cython, name):
    pytest.importorskip("ruff", reason="the linters are not installed, as in make test-lowest")
    assert len(LONG) == 40
    monkeypatch.chdir(tmp_path)
    pubench_here(capsys, "plugin", "new", name, "--kind", kind, *(["--cython"] if cython else []))
    folder = tmp_path / name
    module = name.replace("-", "_")
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    kernel = {"setup.py", f"src/{module}/_kernel.pyx", f"src/{module}/_kernel.pyi"} if cython else set()
    assert files >= FILES | kernel | {f"src/{module}/__init__.py", f"src/{module}/py.typed"}
    assert ("setup.py" in files) == cython
    tool(folder, "ruff", "check", "--no-cache", ".")
    tool(folder, "ruff", "format", "--no-cache", "--check", ".")
    parse_suite((folder / "example.toml").read_text(), "example.toml")
    assert not [text for text in folder.rglob("*") if text.is_file() and "<<" in text.read_text()]


@pytest.mark.slow
def test_a_new_plugin_passes_mypy(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    packages = []
    for kind, cython in VARIANTS:
        name = f"{kind}-{'compiled' if cython else 'plain'}"
        pubench_here(capsys, "plugin", "new", name, "--kind", kind, *(["--cython"] if cython else []))
        packages.append(str(tmp_path / name / "src" / name.replace("-", "_")))
    # All at once, since most of the time goes into reading pubench.
    # Where pubench is installed its own files are not reported.
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\nstrict = True\n[mypy-pubench.*]\nfollow_imports = silent\n")
    tool(tmp_path, "mypy", "--config-file", str(settings), "--cache-dir", os.devnull, *packages)


def test_the_folder_is_readable_by_others_and_no_temporary_files_are_left(tmp_path):
    folder = made(tmp_path, "plain", "metric")
    assert folder.stat().st_mode & 0o055 == 0o055 & ~_umask()
    assert [path.name for path in tmp_path.iterdir()] == ["plain"]


def _umask():
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["My_Method"], "'My_Method' cannot be the name of a plugin; use lower-case words joined by dashes"),
        (["two words"], "cannot be the name of a plugin"),
        (["../up"], "cannot be the name of a plugin"),
        (["1st"], "cannot be the name of a plugin"),
        (["a" * 41], "40 letters at most"),
        (["class"], "'class' is already a keyword or a module of Python; choose another name"),
        (["json"], "'json' is already a keyword or a module of Python"),
        (["numpy"], "'numpy' is already a keyword or a module of Python"),
        (["wlr"], "algorithm 'wlr' is already registered; choose another name"),
        (["puf", "--kind", "criterion"], "criterion 'puf' is already registered"),
        (["supervised-mine"], "algorithm 'supervised-mine' is reserved"),
        (["mine", "--kind", "dataset", "--cython"], "a data set has no loop to compile; remove --cython"),
        (["there"], "there already exists; choose another name"),
    ],
)
def test_a_refusal_is_one_sentence_and_writes_nothing(tmp_path, capsys, monkeypatch, arguments, said):
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    done = pubench_here(capsys, "plugin", "new", *arguments, code=2)
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
    assert not list((tmp_path / "there").iterdir())


def test_a_write_error_leaves_no_partial_package(tmp_path, monkeypatch):
    from pubench.errors import PubenchError
    from pubench.plugins.discovery import discover
    from pubench.scaffold import new_plugin

    write, count = Path.write_text, []

    def failing(self, *arguments, **options):
        count.append(self)
        if len(count) == 5:
            raise OSError(28, "No space left on device")
        return write(self, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", failing)
    with pytest.raises(
        PubenchError, match=r"cannot write .*mine: No space left on device; choose a writable folder"
    ):
        new_plugin("mine", "metric", discover(), parent=tmp_path)
    assert list(tmp_path.iterdir()) == []


def workflow(folder, name):
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((folder / ".github" / "workflows" / name).read_text())["jobs"]


def test_every_program_of_the_first_push_is_installed_and_every_file_is_there(tmp_path):
    folder = made(tmp_path, "mine", "algorithm")
    commands = [step["run"] for step in workflow(folder, "tests.yml")["tests"]["steps"] if "run" in step]
    assert commands[0] == "pip install --editable '.[dev]'"
    tools = {part.split()[0] for command in commands[1:] for part in command.split(" && ")}
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    assert tools == {"ruff", "mypy", "pytest", "pubench"}
    assert tools <= {text.partition(">=")[0] for text in needed}
    files = [word for command in commands for word in command.split() if word.endswith(".toml")]
    assert files
    assert all((folder / file).is_file() for file in files)


@pytest.mark.parametrize(
    ("tag", "heading", "said"),
    [
        ("v0.1.0", "## 0.1.0", ""),
        ("v0.2.0", "## 0.1.0", "the tag is v0.2.0, the version 0.1.0"),
        ("v0.1.0", "## 0.0.9", "no section"),
    ],
)
def test_a_release_compares_tag_version_and_changelog(tmp_path, tag, heading, said):
    folder = made(tmp_path, "mine", "metric")
    changes = folder / "CHANGELOG.md"
    changes.write_text(changes.read_text().replace("## 0.1.0", heading))
    (script,) = [step["run"] for step in workflow(folder, "release.yml")["build"]["steps"] if "name" in step]
    variables = os.environ | {
        "GITHUB_REF_NAME": tag,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) == (not said), done.stdout + done.stderr
    assert said in done.stdout


def test_only_the_job_that_runs_no_code_of_the_package_may_publish(tmp_path):
    jobs = workflow(made(tmp_path, "mine", "metric"), "release.yml")
    assert [name for name, job in jobs.items() if "id-token" in job.get("permissions", {})] == ["publish"]
    assert all("run" not in step for step in jobs["publish"]["steps"])
