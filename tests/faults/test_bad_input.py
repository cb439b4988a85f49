"""What a user may get wrong: one sentence for each problem, exit code 2, and nothing half-written."""

from __future__ import annotations

import signal
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fault_tools import CASE_CONTROL, PLUGIN, write_suite
from helpers.marks import slow

from pubench.cli import main


class Told(NamedTuple):
    code: int
    out: str
    lines: list[str]


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Told]]:
    """The command line in this process, in an empty folder; it handles signals, which is undone afterwards."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")

    def call(*arguments: str | Path) -> Told:
        monkeypatch.setattr(sys, "argv", ["pubench", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Told(ended.value.code, captured.out, captured.err.splitlines())

    yield call
    for number, handler in handlers.items():
        signal.signal(number, handler)


def assert_refused(told: Told, *wanted: str) -> None:
    """Check that there is one sentence for each problem, and nothing else, on the screen and in the folder."""
    assert told.code == 2, told
    assert len(told.lines) == len(wanted), told.lines
    for line, text in zip(told.lines, wanted, strict=True):
        assert line.startswith("pubench: "), line
        assert text in line, line
        assert "internal error" not in line
    assert told.out == ""
    assert list(Path().iterdir()) == []


TUNED = {"use": "good", "tune": True}
BAD_SUITES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "algorithm": (
        {"algorithms": [{"use": "goood"}]},
        ("algorithms[0]: algorithm 'goood' is not registered; did you mean 'good'?",),
    ),
    "data set": (
        {"datasets": [{"use": "brest-cancer"}]},
        ("datasets[0]: data set 'brest-cancer' is not registered; did you mean 'breast-cancer'?",),
    ),
    "criterion": (
        {"algorithms": [TUNED], "tuning": {"criteria": ["puff"]}},
        ("tuning.criteria[0]: criterion 'puff' is not registered; did you mean 'puf'?",),
    ),
    "oracle": (
        {"algorithms": [TUNED], "tuning": {"criteria": ["oracle-acuracy"]}},
        ("metric 'acuracy' is not registered; did you mean 'accuracy'?",),
    ),
    "metric": (
        {"report": {"metrics": ["roc-acu"]}},
        ("report.metrics[0]: metric 'roc-acu' is not registered; did you mean 'roc-auc'?",),
    ),
    "prior": (
        {"prior": {"source": "km3"}},
        ("prior: prior estimator 'km3' is not registered; did you mean 'km2'?",),
    ),
    "class": (
        {"datasets": [{"use": "blobs", "positive": ["yess"]}]},
        ("datasets[0]: data set 'blobs' has no class 'yess'; did you mean 'yes'?",),
    ),
    "all classes positive": (
        {"datasets": [{"use": "blobs", "positive": ["yes", "no"]}]},
        ("only one class; remove a class from positive",),
    ),
    "key": ({"replicate": 3}, ("replicate = 3: unknown key; did you mean 'replicates'?",)),
    "inner key": (
        {"limits": {"second": 3}},
        ("limits.second = 3: unknown key; did you mean 'seconds'?",),
    ),
    "type": ({"replicates": "five"}, ('replicates = "five": must be a whole number',)),
    "prior too large": (
        {"prior": {"source": 1.5}},
        ("prior.source = 1.5: must be a number between 0 and 1",),
    ),
    "prior of zero": ({"prior": {"source": 0}}, ("prior.source = 0: must be a number between 0 and 1",)),
    "too many positives": (
        {"labellings": [{**CASE_CONTROL, "scenario": "single-training-set", "positives": 999}]},
        ("data set 'blobs': labelling 'single-training-set n_p=999': positives = 999, but only 36 can be",),
    ),
    "too large a sample": (
        {"datasets": [{"use": "blobs", "sample": {"positive": 49}}]},
        ("sample.positive = 49: data set 'blobs' has 48 positive rows; ask for fewer",),
    ),
    "no split": (
        {"labellings": [{**CASE_CONTROL, "test": "given"}]},
        ("data set 'blobs' has no split of its own",),
    ),
    "several": (
        {"algorithms": [{"use": "goood"}], "datasets": [{"use": "blob"}], "report": {"metrics": ["f2"]}},
        ("algorithm 'goood'", "metric 'f2'", "data set 'blob'"),
    ),
    "several keys": ({"seed": -1, "replicates": 0, "sede": 1}, ("seed = -1", "replicates = 0", "sede = 1")),
}


# Each reads the suite anew: every third one stands for all.
QUICK = list(BAD_SUITES)[::3]


@pytest.mark.parametrize("problem", [*QUICK, *slow(*(name for name in BAD_SUITES if name not in QUICK))])
def test_a_suite_that_cannot_be_run_is_refused(
    command: Callable[..., Told], tmp_path: Path, problem: str
) -> None:
    changes, wanted = BAD_SUITES[problem]
    suite = write_suite(tmp_path / "s.toml", **changes)
    for told in (
        command("suite", "run", suite, "--plugin", PLUGIN),
        command("suite", "check", suite, "--plugin", PLUGIN),
    ):
        assert_refused(told, *wanted)
        assert all(str(suite) in line for line in told.lines)


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (b"name = ", "is not valid TOML at line 1"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"", "is missing"),
        (b'{"name": "json"}', "is not valid TOML at line 1"),
    ],
)
def test_a_file_that_is_not_a_suite_is_refused(
    command: Callable[..., Told], tmp_path: Path, content: bytes, wanted: str
) -> None:
    suite = tmp_path / "s.toml"
    suite.write_bytes(content)
    told = command("suite", "run", suite)
    assert_refused(told, *[wanted] * max(1, len(told.lines)))


def test_a_missing_suite_is_refused(command: Callable[..., Told], tmp_path: Path) -> None:
    assert_refused(command("suite", "run", "quikstart"), "did you mean 'quickstart'?")
    assert_refused(command("suite", "run", "missing.toml"), "missing.toml: no such file")
    assert_refused(command("suite", "run", tmp_path), "is a folder")


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (None, "is not a Python file"),
        ("raise ValueError('not today')", "ValueError: not today"),
        ("def (", "SyntaxError"),
        ("import no_such_package", "No module named 'no_such_package'"),
        ("import sys; sys.exit(1)", "SystemExit: 1"),
        ("x = 1", "implements no pubench hook"),
        ("import pubench\n@pubench.hookimpl\ndef pubench_algorithms():\n    return [1]", "returned int"),
        ("import pubench\n@pubench.hookimpl\ndef pubench_algoritms():\n    return []", "pubench_algoritms"),
    ],
)
def test_a_plugin_file_that_cannot_be_loaded_is_refused(
    command: Callable[..., Told], tmp_path: Path, content: str | None, wanted: str
) -> None:
    # A file of another name each time: this process keeps modules that could be imported.
    plugin = tmp_path / f"plugin_{zlib.crc32(wanted.encode())}.py"
    if content is not None:
        plugin.write_text(content)
    suite = write_suite(tmp_path / "s.toml", datasets=[{"use": "iris"}], algorithms=[{"use": "naive-lr"}])
    told = command("suite", "run", suite, "--plugin", plugin)
    assert_refused(told, wanted)
    assert str(plugin) in told.lines[0]


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (("--backend", "lokyy"), "backend 'lokyy' is unknown; did you mean 'loky'?"),
        (("--backend", "loky", "--address", "tcp://here:1"), "backend 'loky' takes no address"),
    ],
)
def test_a_backend_that_cannot_be_used_is_refused(
    command: Callable[..., Told], tmp_path: Path, options: tuple[str, ...], wanted: str
) -> None:
    suite = write_suite(tmp_path / "s.toml")
    assert_refused(command("suite", "run", suite, "--plugin", PLUGIN, *options), wanted)


@pytest.mark.parametrize("arguments", [("--jobs", "0"), ("--jobs", "two"), ("--retry",), ("--backend",)])
def test_unknown_options_are_usage_errors(
    command: Callable[..., Told], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    told = command("suite", "run", write_suite(tmp_path / "s.toml"), *arguments)
    assert told.code == 2
    assert arguments[0] in "".join(told.lines)
    assert "Traceback" not in "".join(told.lines)
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("arguments", [("suite", "status"), ("export",), ("report",)])
def test_a_folder_that_is_not_a_run_is_refused_in_one_sentence(
    command: Callable[..., Told], arguments: tuple[str, ...]
) -> None:
    assert_refused(command(*arguments, "nowhere"), "nowhere is not a run folder")
