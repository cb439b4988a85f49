"""The command line: its output, streams and exit codes."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from helpers.runs import write_shard
from helpers.suites import TOY, read_diary, toml

import pubench
from pubench import read_results
from pubench.cli import cli, main
from pubench.cli.commands import LazyGroup
from pubench.cli.options import SCENARIO
from pubench.results.export import export_text
from pubench.specs import SCENARIOS

PLUGIN = ("--plugin", str(TOY))


@pytest.fixture
def call(monkeypatch, capsys):
    """Call the command line in this process and return its exit code, output and errors."""
    before = signal.getsignal(signal.SIGTERM)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["pubench", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        said = capsys.readouterr()
        return end.value.code or 0, said.out, said.err

    yield run
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def suite(tmp_path):
    """Write a toy suite and return its path."""

    def write(**changes):
        path = tmp_path / "mine.toml"
        path.write_text(toml(**changes))
        return path

    return write


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Return the folder of a run with an ok, a skipped and a failed cell."""
    folder = tmp_path_factory.mktemp("finished")
    fragile = {"use": "toy-any", "params": {"mode": "fragile"}}
    (folder / "mine.toml").write_text(
        toml(algorithms=[{"use": "toy"}, fragile, {"use": "toy-prior"}], prior={"source": "none"})
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOY_FAIL", "1")
        pubench.run_suite(folder / "mine.toml", out=folder / "run", plugins=[TOY])
    return folder / "run"


CONTEXT = click.Context(cli)


def commands(group=cli, path=()):
    for name in group.list_commands(CONTEXT):
        command = group.get_command(CONTEXT, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        yield (*path, name), command


@pytest.mark.parametrize(
    ("path", "command"), [pytest.param(*pair, id="-".join(pair[0])) for pair in commands()]
)
def test_every_command_and_option_has_a_help_text(call, path, command):
    assert command.help
    for flag in ("-h", "--help"):
        code, out, err = call(*path, flag)
        assert (code, err) == (0, "")
        assert out.startswith(f"Usage: pubench {' '.join(path)}")
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help or option.type.name == "choice"


def test_the_help_says_where_to_start(call):
    code, out, _ = call("--help")
    assert code == 0
    assert "pubench suite run quickstart" in out
    assert call("--version") == (0, f"pubench, version {pubench.__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("siute",), "No such command 'siute'"),
        (("suite", "run"), "Missing argument 'SUITE'"),
        (("suite", "run", "quickstart", "--jbos", "2"), "No such option"),
        (("suite", "run", "quickstart", "--jobs", "0"), "0 is not in the range"),
        (("list", "wizards"), "'wizards' is not one of"),
        (("suite", "run", "quickstrat"), "did you mean 'quickstart'?"),
        (("suite", "check", "absent.toml"), "pubench: absent.toml: no such file"),
        (("suite", "show", "absent.toml"), "no such file"),
        (("suite", "status", "nowhere"), "is not a run folder"),
        (("report", "nowhere"), "is not a run folder"),
        (("export", "nowhere"), "is not a run folder"),
        (("plugins", "--plugin", "absent.py"), "is not a Python file"),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_code_2(call, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_run_prints_a_line_per_cell_and_tables_at_the_end(call, suite, tmp_path):
    path = suite(replicates=2)
    code, out, err = call("suite", "run", path, "--out", tmp_path / "run", *PLUGIN)
    assert code == 0
    assert err.splitlines() == [
        f"[{n + 1}/2] ok toy-blobs | case-control n_p=10 | toy | replicate {n}" for n in range(2)
    ]
    assert "accuracy" in out
    assert out.splitlines()[-2:] == ["2 ok", f"Report: {tmp_path / 'run' / 'report.html'}"]
    code, again, err = call("suite", "run", path, "--out", tmp_path / "run", *PLUGIN)
    assert (code, err) == (0, "2 of 2 cells are already finished\n")
    assert again.startswith("all 2 cells are finished (2 ok); nothing to do. Report: ")


def test_a_failed_cell_makes_exit_code_1_and_its_line_says_why(call, suite, tmp_path, monkeypatch):
    monkeypatch.setenv("TOY_FAIL", "1")
    path = suite(algorithms=[{"use": "toy", "params": {"mode": "fragile"}}])
    options = (path, "--out", tmp_path / "run", *PLUGIN)
    code, _, err = call("suite", "run", *options)
    assert code == 1
    assert err.endswith(
        "failed toy-blobs | case-control n_p=10 | toy | replicate 0: RuntimeError: fragile as told\n"
    )
    monkeypatch.delenv("TOY_FAIL")
    assert call("suite", "run", *options)[0] == 1
    assert call("suite", "run", *options, "--retry-failed")[0] == 0
    assert call("suite", "run", *options, "--force")[0] == 0


def test_quiet_prints_nothing_and_writes_the_report(call, suite, tmp_path):
    assert call("suite", "run", suite(), "--out", tmp_path / "run", "-q", *PLUGIN) == (0, "", "")
    assert (tmp_path / "run" / "report.md").read_text().startswith("# toy\n")


def test_quiet_says_in_one_line_that_cells_failed(call, suite, tmp_path, monkeypatch):
    monkeypatch.setenv("TOY_FAIL", "1")
    path, run = suite(algorithms=[{"use": "toy", "params": {"mode": "fragile"}}]), tmp_path / "run"
    said = f"pubench: 1 of 1 cell ended without a result; pubench suite status {run} says why\n"
    assert call("suite", "run", path, "--out", run, "-q", *PLUGIN) == (1, "", said)


def test_what_is_skipped_is_said_before_the_run_with_the_remedy(call, suite, tmp_path):
    algorithms = [{"use": "toy"}, {"use": "toy-prior"}]
    asked = suite(algorithms=algorithms, prior={"source": "none"})
    code, _, err = call("suite", "run", asked, "--out", tmp_path / "run", *PLUGIN)
    assert code == 0
    sentence = (
        "1 cell on toy-blobs is skipped: toy-prior needs a class prior; "
        'set [prior] source, to "estimate" for example'
    )
    assert sentence in " ".join(err.split())


def test_a_criterion_of_order_is_not_trusted_with_decisions(call, suite):
    tuned = {"use": "toy", "tune": True}
    sentence = "criterion 'pauc' looks only at the order of scores and cannot choose where positives begin"
    for threshold, is_warned in (("own", True), ("prior", False)):
        asked = suite(algorithms=[tuned | {"threshold": threshold}], tuning={"criteria": ["pauc"]})
        code, out, _ = call("suite", "check", asked, *PLUGIN)
        assert code == 0
        assert (sentence in out) == is_warned


def test_a_method_that_cuts_at_the_prior_itself_is_not_advised_to(call, suite):
    tuned = [{"use": "naive-lr-prior", "tune": True}, {"use": "toy", "tune": True}]
    code, out, _ = call("suite", "check", suite(algorithms=tuned, tuning={"criteria": ["pauc"]}), *PLUGIN)
    assert code == 0
    assert "decisions of what it tunes (toy) may be poor" in " ".join(out.split())


def test_check_shows_what_would_run_without_running(call, suite, tmp_path, diary):
    algorithms = [{"use": "toy"}, {"use": "toy-prior"}]
    code, out, _ = call("suite", "check", suite(algorithms=algorithms, prior={"source": "none"}), *PLUGIN)
    assert code == 0
    assert "2 cells, 1 skipped, 0 without data" in out
    assert "1 cell on toy-blobs is skipped: toy-prior needs a class prior" in out
    broken = suite(datasets=[{"use": "toy-blobs", "params": {"gap": "x"}}])
    code, out, _ = call("suite", "check", broken, *PLUGIN)
    assert code == 2
    assert "1 without data" in out
    assert call("suite", "check", "quickstart", "--no-third-party")[0] == 0
    assert not diary.exists()


def test_check_says_how_many_fits_a_run_makes_and_how_long_one_took(call, suite, tmp_path, diary):
    searched = {"use": "toy", "tune": True, "search": {"shift": {"low": 0.0, "high": 1.0}}}
    tuning = {"criteria": ["puf"], "sampler": "random", "trials": 3, "folds": 2}
    asked = suite(algorithms=[searched, {"use": "toy", "name": "plain"}], tuning=tuning)
    _, before, _ = call("suite", "check", asked, *PLUGIN)
    assert call("suite", "run", asked, "--out", tmp_path / "run", "--quiet", *PLUGIN)[0] == 0
    assert f"  about {len(read_diary(diary))} model fits\n" in before
    _, after, _ = call("suite", "check", asked, "--costs", tmp_path / "run", *PLUGIN)
    assert re.search(r"model fits: about \d+ s with one job, if cells take as long as in ", after)
    code, _, err = call("suite", "check", asked, "--costs", tmp_path / "absent", *PLUGIN)
    assert code == 2
    assert "absent" in err


def test_suites_are_listed_and_shown_as_written(call, suite):
    code, out, _ = call("suite", "list")
    assert code == 0
    assert "quickstart  " in out
    names = json.loads(call("suite", "list", "--json")[1])
    for name in names:
        assert call("suite", "show", name)[0] == 0
    path = suite()
    assert call("suite", "show", path) == (0, path.read_text(), "")


def test_the_schema_is_json_and_knows_the_keys(call):
    code, out, _ = call("suite", "schema")
    assert code == 0
    assert json.loads(out)["properties"].keys() >= {"name", "datasets", "labellings", "algorithms", "tuning"}


def test_status_counts_cells_and_shows_errors_when_asked(call, finished):
    code, out, err = call("suite", "status", finished)
    assert (code, err) == (1, "")
    assert out.splitlines()[0] == "toy: 3 cells: 1 ok, 1 failed, 1 skipped"
    place = "failed: toy-blobs, case-control n_p=10, toy-any, replicate 0: RuntimeError: fragile as told"
    assert out.splitlines()[1].strip() == place
    assert "Traceback" in call("suite", "status", finished, "--errors")[1]
    counted = json.loads(call("suite", "status", finished, "--json")[1])
    assert counted == {"suite": "toy", "cells": 3, "ok": 1, "failed": 1, "skipped": 1}


def test_exports_go_to_standard_output_or_a_file(call, finished, tmp_path):
    results = read_results(finished)
    assert call("export", finished) == (0, export_text(results, "csv"), "")
    code, out, _ = call("export", finished, "--format", "json", "--no-times")
    assert (code, out) == (0, export_text(results, "json", times=False))
    for form in ("csv", "json", "parquet"):
        assert call("export", finished, "--format", form, "--out", tmp_path / form) == (0, "", "")
        assert (tmp_path / form).stat().st_size > 100
    code, out, err = call("export", finished, "--format", "parquet")
    assert (code, out) == (2, "")
    assert "name a file with --out" in err


def test_a_report_is_printed_as_text_or_markdown(call, finished):
    code, out, _ = call("report", finished)
    assert code == 0
    assert "fragile as told" in " ".join(out.split())
    assert "toy-prior needs a class prior" in " ".join(out.split())
    code, out, _ = call("report", finished, "--format", "markdown")
    assert code == 0
    assert out.startswith("# toy\n")
    assert "## Failures" in out


def test_a_damaged_record_is_reported_on_every_reading(call, finished, tmp_path):
    shutil.copytree(finished, tmp_path / "run")
    with open(tmp_path / "run" / "cells.jsonl", "a") as file:
        file.write("garbage\n")
    for command in (("suite", "status"), ("export",), ("report",)):
        assert "damaged record; its cell counts as not finished" in call(*command, tmp_path / "run")[2]


@pytest.mark.parametrize("kind", ["algorithms", "datasets", "criteria", "metrics", "priors"])
def test_what_is_registered_is_listed(call, kind):
    code, out, _ = call("list", kind, *PLUGIN)
    assert code == 0
    entries = json.loads(call("list", kind, "--json", *PLUGIN)[1])
    # What needs a package that is missing here is only in the list for people, which says so.
    usable = [line for line in out.splitlines() if "is not installed; run: pip install" not in line]
    assert [line.split()[0] for line in usable] == [entry["name"] for entry in entries]
    assert all(entry["origin"]["distribution"] in ("pubench", "toy_plugin.py") for entry in entries)


@pytest.mark.parametrize("what", ["suite schema", "report run"])
def test_a_closed_pipe_changes_only_the_exit_code(what, tmp_path):
    write_shard(tmp_path / "run", 1)
    command = f"cd {tmp_path}; set -o pipefail; {sys.executable} -m pubench {what} | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


def test_the_command_is_installed():
    found = Path(sys.executable).with_name("pubench")
    done = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"pubench, version {pubench.__version__}\n"


def test_check_refuses_values_that_an_algorithm_does_not_allow(call, suite):
    code, out, err = call(
        "suite", "check", suite(algorithms=[{"use": "wlr", "params": {"c": -1.0}}]), *PLUGIN
    )
    assert (code, out) == (2, "")
    assert "mine.toml: algorithms[0].params.c: 'wlr' does not allow -1.0" in " ".join(err.split())


def test_the_help_imports_neither_commands_nor_the_specs_nor_numpy():
    """It would take longer than click itself."""
    code = (
        "import sys; from click.testing import CliRunner; from pubench.cli import cli; "
        "assert CliRunner().invoke(cli, ['--help']).exit_code == 0; "
        "print({'numpy', 'msgspec', 'pubench.specs', 'pubench.cli.suite'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == "set()"


def test_the_help_lists_each_command_by_its_own_first_sentence(call):
    group = LazyGroup("pubench")
    for name in group.list_commands(CONTEXT):
        line = group.commands[name].help
        assert group.get_command(CONTEXT, name).get_short_help_str(limit=1_000) == line
    assert group.get_command(CONTEXT, "no-such-command") is None
    code, _, err = call("reprot")
    assert code == 2
    assert "did you mean 'report'?" in err


def test_the_scenarios_of_the_options_are_those_of_the_specs():
    assert tuple(SCENARIO.choices) == SCENARIOS
