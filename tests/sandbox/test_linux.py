"""Calls of the kernel: who dies with whom, who inherits orphans, and what a protected process can still do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest
from helpers.ordinary import USERS, can_run_as, run_as

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these calls are Linux's")


@pytest.fixture(params=USERS)
def user(request):
    if not can_run_as(request.param):
        pytest.skip("this user cannot read the interpreter or the sources")
    return request.param


def test_a_process_dies_with_its_parent_however_that_ends(user):
    script = """
import os, sys
from pubench.sandbox.linux import die_with_parent
parent = os.getpid()
if os.fork() == 0:
    print(int(die_with_parent(parent)), flush=True)
sys.stdin.buffer.raw.read(1)
"""
    with run_as(user, script) as process:
        assert process.stdout.readline() == b"1\n"
        os.kill(process.pid, signal.SIGKILL)
        # The forked process holds the other end of this pipe: it closes when that process is gone.
        assert process.stdout.read() == b""


def test_a_process_whose_parent_is_gone_already_ends_at_once(user):
    script = "from pubench.sandbox.linux import die_with_parent\ndie_with_parent(1 << 30)\nprint('lives')"
    with run_as(user, script) as process:
        assert process.communicate()[0] == b""
    assert process.returncode == 1


def test_orphans_come_to_the_subreaper(user):
    script = """
import os
from pubench.sandbox.linux import own_subreaper
own_subreaper()
reading, writing = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        os.read(reading, 1)
        print(os.getppid(), flush=True)
    os._exit(0)
os.wait()
os.write(writing, b"!")
os.wait()
"""
    with run_as(user, script) as process:
        assert int(process.communicate()[0]) == process.pid


def test_a_protected_process_still_starts_others_and_looks_at_itself(user):
    script = """
import json, os, subprocess, sys
from pubench.sandbox.linux import protect_memory
protect_memory()
def attempt(path, mode="r"):
    try:
        with open(f"/proc/self/{path}", mode):
            return True
    except PermissionError:
        return False
print(json.dumps({
    "read": [attempt(name) for name in ("status", "statm", "stat", "maps", "smaps_rollup")],
    "lost": [attempt("environ"), attempt("clear_refs", "w")],
    "fds": len(os.listdir("/proc/self/fd")) > 2,
    "program": subprocess.run(["cat", "/proc/self/environ"], capture_output=True).returncode,
}))
"""
    with run_as(user, script) as process:
        found = json.loads(process.communicate()[0])
    assert all(found["read"])
    assert found["fds"]
    assert found["program"] == 0
    ordinary = (os.getuid() if user is None else user) != 0
    assert found["lost"] == [not ordinary] * 2


def test_another_process_of_an_ordinary_user_cannot_read_protected_memory(user):
    if (os.getuid() if user is None else user) == 0:
        pytest.skip("root may trace every process until it gives that up")
    holder = "from pubench.sandbox.linux import protect_memory\nprotect_memory()\nprint(flush=True)\ninput()"
    reader = "import sys\nopen(f'/proc/{sys.argv[1]}/mem', 'rb')"
    with run_as(user, holder) as process:
        process.stdout.readline()
        with run_as(user, reader, process.pid, stderr=subprocess.PIPE) as other:
            assert b"PermissionError" in other.communicate()[1]
        process.communicate(b"end\n")
