"""A fork server outlives runs: each run brings its own environment, and a server that is gone is started again."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from pubench.protocol.replies import Done
from pubench.protocol.requests import Enter, Prepare
from pubench.sandbox import SandboxError
from pubench.sandbox.fork_server import fork_server, share
from pubench.sandbox.interpreters import ServerKind
from pubench.sandbox.tree import descendants

KIND = ServerKind("pubench.evaluator")
SPY = """
import os, sys
print("SEEN", os.environ.get("COLOUR"), "HOME" in os.environ, os.getcwd(), sys.path[0])
function = print
"""

# A worker: it forks a process from the server that it was given, says who that is, and goes on when it is told to.
WORKER = """
import os, sys
from pubench.sandbox.fork_server import fork_from_server, use_shared
from pubench.sandbox.interpreters import ServerKind
kind = ServerKind("pubench.evaluator")
use_shared([(kind, chr(0) + sys.argv[1])])
shared = fork_from_server(kind, os.environ)
print(shared.pid, flush=True)
input()
own = fork_from_server(kind, os.environ)
print(own.pid, flush=True)
input()
"""


def start_worker():
    (_, address), *rest = share([(KIND, os.environ)])
    assert not rest
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, address.removeprefix("\0")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def is_alive(pid):
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


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


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_workers_use_the_server_of_their_driver_as_long_as_it_lives():
    workers = [start_worker() for _ in range(2)]
    server = fork_server(KIND, os.environ)
    forked = [int(worker.stdout.readline()) for worker in workers]
    assert set(forked) <= set(descendants(server.pid))
    # One worker dies: what was forked for it ends, and the other one's does not.
    workers[0].kill()
    workers[0].communicate()
    while forked[0] in descendants(server.pid):
        time.sleep(0.01)
    assert forked[1] in descendants(server.pid)
    # The server dies: the worker starts one of its own.
    os.kill(server.pid, signal.SIGKILL)
    while fork_server(KIND, os.environ) is server:
        time.sleep(0.01)
    # Its copy that serves the worker dies with it, but on a busy machine not before it has forked once more.
    while is_alive(forked[1]):
        time.sleep(0.01)
    print("go on", file=workers[1].stdin, flush=True)
    own = int(workers[1].stdout.readline())
    # One look at the processes of a busy machine may miss some.
    while own not in descendants(workers[1].pid):
        time.sleep(0.01)
    workers[1].communicate("the end\n")
    assert workers[1].returncode == 0
