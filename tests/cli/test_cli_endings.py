"""How commands end: signals, closed or full streams, odd files; one sentence and a code, never a traceback."""

from __future__ import annotations

import errno
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from helpers.commands import pubench_here
from helpers.marks import slow
from helpers.runs import write_run
from helpers.suites import TOY, toml

from pubench.cli import cli
from pubench.cli.signals import Interrupted, Signals

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
SLOW_DATA = """
import os, time
from pubench import Data, Dataset, hookimpl

def load():
    open(os.environ["BEGUN"], "w").close()
    open(os.environ["BEGUN"] + ".end").read()

@hookimpl
def pubench_datasets():
    return [Dataset(name="slow", loader="slow_data:load", version="1", positive=("yes",))]
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("run") / "run", datasets=2)


def shell(folder: Path, line: str) -> tuple[int, str]:
    """Run a line in a shell, ``pubench`` being the command line, and return its exit code and standard error."""
    command = f'pubench() {{ {shlex.quote(sys.executable)} -m pubench "$@"; }}\n{line}'
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, check=False)
    return done.returncode, done.stderr.decode(errors="replace")


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_interrupts_once_and_handlers_are_put_back(number: signal.Signals) -> None:
    before = {one: signal.getsignal(one) for one in SIGNALS}
    hooks = sys.unraisablehook
    with Signals() as signals:
        signals.check()
        with pytest.raises(Interrupted):
            os.kill(os.getpid(), number)
        # The second is ignored: it must not break what cleans up after the first.
        os.kill(os.getpid(), signal.SIGTERM)
        assert (signals.code, signals.name) == (128 + number, number.name)
        with pytest.raises(Interrupted):
            signals.check()
    sys.unraisablehook = hooks
    assert {one: signal.getsignal(one) for one in SIGNALS} == before


def test_the_third_signal_ends_a_command_that_hangs() -> None:
    code = "import os, signal\nfrom pubench.cli.signals import Signals\nwith Signals():\n"
    code += "    while True:\n        try: os.kill(os.getpid(), signal.SIGTERM)\n"
    code += "        except KeyboardInterrupt: pass\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (143, "")


def has_reader(pipe: str) -> bool:
    """Tell whether a process waits at the other end of a pipe."""
    try:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError as error:
        return error.errno != errno.ENXIO
    return True


@pytest.mark.parametrize("number", [SIGNALS[0], *slow(*SIGNALS[1:])])
def test_an_interrupted_command_says_so_and_leaves_nobody(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "slow_data.py").write_text(SLOW_DATA)
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    os.mkfifo(f"{begun}.end")
    process = subprocess.Popen(
        [sys.executable, "-m", "pubench", "data", "show", "slow", "--plugin", "slow_data.py"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"BEGUN": str(begun)},
    )
    # Opening returns when the loader opens its side: it runs now, in a child.
    begun.open().close()
    process.send_signal(number)
    _, err = process.communicate()
    assert process.returncode == 128 + number
    assert err == f"pubench: interrupted by {number.name}; nothing was left half-written\n"
    while has_reader(f"{begun}.end"):
        time.sleep(0.02)


LINES = [
    ("pubench export {run} >/dev/full", 1, "cannot write to standard output: No space left on device"),
    ("pubench report {run} >/dev/full", 1, "cannot write to standard output: No space left on device"),
    ("pubench suite status {run} >&-", 1, "cannot write to standard output: Bad file descriptor"),
    ("pubench export {run} --out rows.csv <&- >&-", 0, None),
    ("pubench export nowhere 2>&-", 2, None),
    ("pubench suite status {run} 2>/dev/full", 0, None),
    ("mkdir gone && cd gone && rmdir ../gone && pubench suite check quickstart", 2, "the current folder does not"),
    ("mkfifo pipe.toml && pubench suite check pipe.toml", 2, "pipe.toml: is a device or a pipe; save the suite"),
    ("pubench suite check /dev/zero", 2, "/dev/zero: is a device or a pipe; save the suite"),
    ("truncate -s 1T huge.toml && pubench suite check huge.toml", 2, "huge.toml: is too large for a suite"),
    ("printf 'a\\0\\377' >x.toml; pubench suite check x.toml", 2, "x.toml: is not UTF-8"),
    ("pubench suite check quickstart --plugin /dev/zero", 2, "plugin file '/dev/zero' is not a Python file"),
    ("ln -s a.py a.py; pubench suite check quickstart --plugin a.py", 2, "plugin file 'a.py' does not exist"),
    ("pubench prior ''", 2, "DATA is empty; name a data set"),
    ("pubench data clean </dev/null >/dev/null", 1, "no answer was given; nothing was done"),
    ("touch file; pubench export {run} --out file/rows.csv", 1, "cannot write file/rows.csv: Not a directory"),
    ("touch file; pubench report {run} --out file/below", 1, "cannot write file/below/report.html: Not a"),
    ("pubench export $'caf\\xe9'", 2, "caf? is not a run folder"),
    ("LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 pubench report {run} >/dev/null", 0, None),
    ("pubench export {run} --out $(printf 'x%.0s' {{1..250}})", 0, None),
]  # fmt: skip
# Each starts an interpreter: a few of them stand for all.
QUICK = 2


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [*LINES[:QUICK], *(pytest.param(*line, marks=pytest.mark.slow) for line in LINES[QUICK:])],
)
def test_what_a_user_can_cause_gets_one_sentence(
    run: Path, tmp_path: Path, line: str, code: int, said: str | None
) -> None:
    found, err = shell(tmp_path, line.format(run=run))
    assert found == code, err
    if said is None:
        assert err == ""
    else:
        assert err.startswith(f"pubench: {said}")
        assert err.count("\n") == 1


@pytest.mark.slow
def test_a_run_whose_files_have_names_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "toy.toml").write_text(toml())
    line = f"mv toy.toml $'caf\\xe9.toml' && pubench suite run $'caf\\xe9.toml' --out $'run-\\xe9' --plugin {TOY} -q"
    report = "pubench report $'run-\\xe9' --out $'report-\\xe9' >/dev/null"
    export = "pubench export $'run-\\xe9' --out $'rows-\\xe9'"
    assert shell(tmp_path, f"{line} && {report} && {export}") == (0, "")


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (MemoryError(), 1, "there is not enough memory; use fewer --jobs or smaller data, or free some"),
        (RecursionError(), 2, "the input is nested too deeply; flatten its lists and tables"),
        (
            OSError(5, "Input/output error", "rows.npy"),
            1,
            "cannot read or write rows.npy: Input/output error",
        ),
        (KeyboardInterrupt(), 130, "interrupted by SIGINT; nothing was left half-written"),
    ],
)
def test_errors_of_python_get_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    said: str,
) -> None:
    def fail(**_: object) -> None:
        raise error

    prior = cli.get_command(click.Context(cli), "prior")
    monkeypatch.setattr(prior, "callback", fail)
    assert pubench_here(capsys, "prior", "iris", code=code).stderr == f"pubench: {said}\n"


@pytest.mark.slow
def test_what_is_printed_never_lands_in_a_file(tmp_path: Path) -> None:
    """A closed standard output has a free number, which the next file would take, and a child would write to it."""
    (tmp_path / "toy.toml").write_text(toml())
    code, err = shell(tmp_path, f"pubench suite run toy.toml --out run --plugin {TOY} -q >&- 2>&- <&-")
    assert (code, err) == (0, "")
    assert shell(tmp_path, "pubench suite status run >/dev/null") == (0, "")
