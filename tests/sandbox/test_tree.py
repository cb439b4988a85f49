"""The tree below a process: all of it is found, measured together, and ended."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pubench.sandbox import tree
from pubench.sandbox.tree import descendants, kill_descendants, kill_tree, tree_mb

# Whatever a test does, what it started ends in two minutes.
START = "import os, signal, sys, time\nsignal.alarm(120)\n"
WAIT = r"""
os.write(1, b"%d\n" % os.getpid())
time.sleep(100)
"""


STRANGE_NAME = """
import ctypes
ctypes.CDLL(None).prctl(15, b") Z 1 (x", 0, 0, 0)
"""


@pytest.fixture
def start():
    """Start scripts, and end their trees after the test."""
    processes = []

    def run(script):
        process = subprocess.Popen([sys.executable, "-c", START + script], stdout=subprocess.PIPE)
        processes.append(process)
        return process

    yield run
    for process in processes:
        kill_tree(process.pid)
        with process:
            process.kill()


def said(process, lines):
    return {int(process.stdout.readline()) for _ in range(lines)}


def test_all_generations_are_found_whatever_their_names(start):
    script = f"""{STRANGE_NAME}
for _ in range(2):
    if os.fork():
        break
    os.setsid()
"""
    process = start(script + WAIT)
    pids = said(process, 3)
    assert {process.pid, *descendants(process.pid)} == pids
    assert pids <= {os.getpid(), *descendants(os.getpid())}
    assert process.pid not in descendants(process.pid)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="there is no /proc")
def test_both_ways_to_look_at_proc_agree_with_psutil(start, monkeypatch):
    process = start(STRANGE_NAME + "os.fork()\nos.fork()" + WAIT)
    below = said(process, 4) - {process.pid}
    assert set(tree._descendants_by_psutil(process.pid)) == below
    by_parent = tree._children_by_parent()
    ways = [by_parent]
    if os.path.exists(f"/proc/self/task/{os.getpid()}/children"):
        ways.append(tree._listed_children)
    for children_of in ways:
        found = [process.pid]
        for parent in found:
            found.extend(children_of(parent))
        assert set(found) == {process.pid} | below


def test_a_process_that_is_gone_has_no_descendants_and_no_memory():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert descendants(process.pid) == ()
    assert tree_mb(process.pid, 0) == 0
    assert kill_tree(process.pid)


def test_memory_of_all_processes_counts_together(start):
    script = r"""
os.fork()
os.fork()
own = bytearray(os.urandom(1 << 20) * 50)
"""
    process = start(script + WAIT)
    said(process, 4)
    assert tree_mb(process.pid, 100) > 200
    assert tree_mb(process.pid, 100) <= tree_mb(process.pid, 1e6)


@pytest.mark.skipif(not os.path.exists("/proc/self/smaps_rollup"), reason="the kernel knows no shares")
def test_pages_that_forked_processes_share_count_once(start):
    script = r"""
shared = bytearray(os.urandom(1 << 20) * 100)
os.fork()
os.fork()
"""
    process = start(script + WAIT)
    said(process, 4)
    assert tree_mb(process.pid, 1e6) > 400
    assert 100 < tree_mb(process.pid, 100) < 250


def test_shared_memory_counts_where_it_is_mapped(start):
    script = r"""
import mmap
area = mmap.mmap(-1, 100 << 20)
area.write(b"x" * (100 << 20))
os.fork()
"""
    process = start(script + WAIT)
    said(process, 2)
    assert 100 < tree_mb(process.pid, 50) < 190


def closed(process):
    """Wait until every process that holds the script's output is gone."""
    return process.stdout.read() == b""


def test_processes_that_resist_and_fork_are_all_ended(start):
    script = r"""
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
for _ in range(2):
    if os.fork() == 0:
        os.setsid()
os.write(1, b"%d\n" % os.getpid())
for _ in range(100):
    if os.fork() == 0:
        time.sleep(100)
        os._exit(0)
time.sleep(100)
"""
    process = start(script)
    said(process, 4)
    assert kill_tree(process.pid)
    assert closed(process)
    assert process.wait() == -9


def test_descendants_are_ended_and_the_process_lives(start):
    script = r"""
for _ in range(3):
    if os.fork() == 0:
        os.write(1, b"%d\n" % os.getpid())
        time.sleep(100)
os.write(1, b"%d\n" % os.getpid())
ends = sorted(os.wait()[1] for _ in range(3))
print(ends == [9, 9, 9])
"""
    process = start(script)
    said(process, 4)
    assert kill_descendants(process.pid)
    assert process.stdout.readline() == b"True\n"
    assert process.wait() == 0


def test_a_process_can_end_all_that_it_has_started():
    script = f"""{START}
from pubench.sandbox.tree import kill_descendants
for _ in range(3):
    if os.fork() == 0:
        time.sleep(100)
print(kill_descendants(os.getpid()), flush=True)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_a_stopped_process_can_be_ended(start):
    process = start("os.kill(os.getpid(), signal.SIGSTOP)")
    os.waitpid(process.pid, os.WUNTRACED)
    assert kill_tree(process.pid)
    assert process.wait() == -9
