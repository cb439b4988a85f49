"""The command line, run as users run it: in a process of its own, with or without a terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from typing import NamedTuple

import pytest

from pubench.cli import main

ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


def pubench(folder, *arguments, code=0, preexec=None, **environment):
    """Run a command in a folder; it ends with ``code`` and never with a traceback."""
    found = subprocess.run(
        [sys.executable, "-m", "pubench", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | environment,
        preexec_fn=preexec,
        check=False,
    )
    assert found.returncode == code, found.stdout + found.stderr
    assert "Traceback" not in found.stderr
    return found


class Said(NamedTuple):
    """What a command printed."""

    stdout: str
    stderr: str


def pubench_here(capsys, *arguments, code=0):
    """Run a command in this process, which takes less time."""
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["pubench", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
    said = Said(*capsys.readouterr())
    assert (ended.value.code or 0) == code, said
    assert "Traceback" not in said.stderr
    return said


def in_terminal(folder, *arguments, notices=None, **environment):
    """Run a command in a pseudo-terminal and return its exit code and what it showed.

    ``notices`` maps texts to files: a file is made when its text has been shown, for a program that waits for that.
    """
    main, other = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "pubench", *map(str, arguments)],
        stdin=other,
        stdout=other,
        stderr=other,
        cwd=folder,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "160"} | environment,
    )
    os.close(other)
    shown = b""
    while True:
        try:
            data = os.read(main, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
        for text, file in (notices or {}).items():
            if text.encode() in shown:
                file.touch()
    os.close(main)
    return process.wait(), ANSI.sub("", shown.decode())
