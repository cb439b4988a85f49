"""A fork server outlives runs: each run brings its own environment, and a server that is gone is started again."""

from __future__ import annotations

import os
import signal
import time

import pytest

from pubench.protocol.replies import Done
from pubench.protocol.requests import Enter, Prepare
from pubench.sandbox import SandboxError
from pubench.sandbox.fork_server import ServerKind, fork_server

KIND = ServerKind("pubench.evaluator")
SPY = """
import os, sys
print("SEEN", os.environ.get("COLOUR"), "HOME" in os.environ, os.getcwd(), sys.path[0])
function = print
"""


def entered(folder, **environment):
    """Fork a process, let it take on an environment and import a module that prints what it sees."""
    (folder / "spy.py").write_text(SPY)
    process = fork_server(KIND, os.environ).fork()
    enter = Enter(environment=environment, path=(str(folder),), folder=str(folder), hidden=())
    assert process.ask(enter, seconds=60) == Done()
    process.ask(Prepare(files=(), imports=("spy:function",)), seconds=60)
    seen = process.output()
    process.close(1.0)
    return seen


def test_each_run_brings_its_own_environment_folder_and_modules(tmp_path):
    server = fork_server(KIND, os.environ)
    for colour in ("red", "blue"):
        folder = tmp_path / colour
        folder.mkdir()
        assert f"SEEN {colour} False {folder} {folder}" in entered(folder, COLOUR=colour)
    assert fork_server(KIND, os.environ) is server


def test_a_server_that_was_killed_is_started_again(tmp_path):
    server = fork_server(KIND, os.environ)
    process = server.fork()
    os.kill(server.pid, signal.SIGKILL)
    while process.is_running():
        time.sleep(0.01)
    process.close()
    assert "SEEN red" in entered(tmp_path, COLOUR="red")
    assert fork_server(KIND, os.environ) is not server


def test_a_process_that_hides_nothing_refuses_to_hide(tmp_path):
    process = fork_server(KIND, os.environ).fork()
    enter = Enter(environment={}, path=(), folder="", hidden=(str(tmp_path),))
    with pytest.raises(SandboxError, match="hides nothing"):
        process.ask(enter, seconds=60)
    process.close()
