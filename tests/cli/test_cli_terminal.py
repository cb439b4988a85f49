"""The command line in a terminal and in a shell: the bar, and completion."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.commands import in_terminal
from helpers.suites import TOY, toml


@pytest.mark.slow
def test_a_terminal_gets_a_bar_with_done_failed_running_and_time_left(tmp_path):
    (tmp_path / "mine.toml").write_text(toml(replicates=3))
    code, shown = in_terminal(tmp_path, "suite", "run", "mine.toml", "--out", "run", "--plugin", TOY)
    assert code == 0
    assert "3/3" in shown
    assert re.search(r"0 failed, \d running", shown)
    assert re.search(r"\d:\d\d:\d\d left", shown)
    assert "[1/3] ok" not in shown
    assert "3 ok" in shown


@pytest.mark.slow
def test_a_failure_stays_on_the_screen(tmp_path):
    algorithms = [{"use": "toy", "params": {"mode": "fragile"}}]
    (tmp_path / "mine.toml").write_text(toml(algorithms=algorithms))
    arguments = ("suite", "run", "mine.toml", "--out", "run", "--plugin", TOY)
    code, shown = in_terminal(tmp_path, *arguments, TOY_FAIL="1")
    assert code == 1
    assert (
        "failed: toy-blobs | case-control n_p=10 | toy | replicate 0: RuntimeError: fragile as told" in shown
    )
    assert "1 failed, 0 running" in shown


def complete(words, folder):
    """Ask the command line to complete the last word, as bash does."""
    env = os.environ | {
        "_PUBENCH_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    command = [sys.executable, "-m", "pubench"]
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=folder, check=True)
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["pubench", "suite", "run", "quick"], ["quickstart"]),
        (["pubench", "suite", "run", "mi"], ["mine.toml"]),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [
                (["pubench", "su"], ["suite"]),
                (["pubench", "suite", "st"], ["status"]),
                (["pubench", "suite", "run", "quickstart", "--ret"], ["--retry-failed"]),
                (["pubench", "list", "al"], ["algorithms"]),
                (["pubench", "export", ".", "--format", "p"], ["parquet"]),
            ]
        ),
    ],
)
def test_words_are_completed(tmp_path, words, expected):
    (tmp_path / "mine.toml").write_text(toml())
    assert complete(words, tmp_path) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_call_the_command(shell):
    command = [sys.executable, "-m", "pubench", "completion", shell]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "_PUBENCH_COMPLETE" in done.stdout
    assert "pubench" in done.stdout
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=done.stdout, text=True, check=True)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_a_bundled_suite():
    script = """
        eval "$(pubench completion bash)"
        COMP_WORDS=(pubench suite run quick); COMP_CWORD=3
        _pubench_completion pubench
        echo "${COMPREPLY[@]}"
        """
    env = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=env, check=True)
    assert (done.stdout, done.stderr) == ("quickstart\n", "")
