"""What releases need: workflows that parse, tags that agree with versions, and lower bounds that can be installed."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def jobs(name: str) -> dict[str, dict[str, object]]:
    return yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text())["jobs"]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_every_workflow_parses_and_its_jobs_depend_on_jobs_that_exist(file):
    found = yaml.safe_load(file.read_text())
    # YAML 1.1 reads the key `on` as true.
    assert True in found
    for job in found["jobs"].values():
        assert job["runs-on"]
        assert all("uses" in step or "run" in step for step in job["steps"])
        needs = job.get("needs", [])
        assert ({needs} if isinstance(needs, str) else set(needs)) <= set(found["jobs"])


def test_all_supported_versions_are_tested_on_linux_and_macos():
    matrix = jobs("tests.yml")["tests"]["strategy"]["matrix"]
    minor = [line.rsplit(" ", 1)[1] for line in PROJECT["classifiers"] if "Python :: 3." in line]
    assert matrix["python-version"] == minor
    assert matrix["os"] == ["ubuntu-latest", "macos-latest"]


def test_macos_has_the_openmp_that_lightgbm_does_not_bring():
    steps = jobs("tests.yml")["tests"]["steps"]
    (install,) = [number for number, step in enumerate(steps) if "brew install libomp" in step.get("run", "")]
    assert steps[install]["if"] == "runner.os == 'macOS'"
    assert "make test" in steps[install + 1]["run"]


def test_only_the_job_that_runs_none_of_our_code_may_publish():
    found = jobs("release.yml")
    allowed = [name for name, job in found.items() if "id-token" in job.get("permissions", {})]
    assert allowed == ["publish"]
    assert all("run" not in step for step in found["publish"]["steps"])


@pytest.mark.parametrize(("tag", "said"), [(f"v{PROJECT['version']}", ""), ("v99.0", "must agree")])
def test_a_tag_must_agree_with_the_version_and_the_changelog(tag, said):
    command = [sys.executable, ROOT / "tools" / "release_version.py", tag]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said in done.stderr
    assert bool(done.returncode) == bool(said)


def test_every_dependency_has_a_lower_bound_that_test_lowest_installs():
    command = [sys.executable, ROOT / "tools" / "lowest.py"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    names = {line.partition("==")[0] for line in lines}
    assert all("==" in line for line in lines)
    assert {text.partition(">=")[0] for text in PROJECT["dependencies"]} <= names


def lock() -> dict[str, str]:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def test_the_lock_file_has_a_version_within_the_bounds_of_every_requirement():
    locked = {canonicalize_name(name): version for name, version in lock().items()}
    extras = PROJECT["optional-dependencies"]
    asked = [Requirement(text) for text in (*PROJECT["dependencies"], *extras["test"], *extras["dev"])]
    others = [one for one in asked if one.name != PROJECT["name"]]
    assert len(others) > len(PROJECT["dependencies"])
    assert [str(one) for one in others if locked[canonicalize_name(one.name)] not in one.specifier] == []


def test_the_lock_file_names_versions_and_neither_addresses_nor_paths():
    assert all(re.fullmatch(r"[a-z0-9._-]+", name) for name in lock())
    assert [version for version in lock().values() if str(Version(version)) != version] == []


def test_make_installs_the_locked_versions():
    rule = (ROOT / "Makefile").read_text().partition("define install")[2].partition("endef")[0]
    (command,) = [line for line in rule.splitlines() if "--editable" in line]
    assert "--constraint requirements.lock" in command


def test_the_citation_file_has_the_version_of_the_project():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["version"] == PROJECT["version"]
    assert cited["license"] == PROJECT["license"]


def test_no_cython_module_claims_to_work_without_the_gil():
    """No threaded stress test backs such a claim; free-threaded wheels are not built."""
    sources = [*ROOT.glob("pubench/*.pyx"), *ROOT.glob("plugins/*/*.pyx"), ROOT / "setup.py"]
    assert sources
    assert not [file.name for file in sources if "freethreading_compatible" in file.read_text()]
