"""The lock where the file system has no ``flock``: one holder at a time, and the dead do not hold it."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pubench.errors import RunFolderError
from pubench.results.link_lock import HELD
from pubench.results.lock import is_running, locked

NO_FLOCK = """
import fcntl, os, pathlib, signal, sys
from pubench.errors import RunFolderError
from pubench.results.lock import locked

def refuse(descriptor, operation):
    raise OSError(38, "Function not implemented")

fcntl.flock = refuse
folder = pathlib.Path(sys.argv[1])
"""
HOLD = NO_FLOCK + "with locked(folder):\n    print('in', flush=True)\n    sys.stdin.read()\n"
CONTEND = (
    NO_FLOCK
    + """
inside = folder / "inside"

def attempt(number):
    while True:
        try:
            with locked(folder):
                # Left by one who was killed; whoever is alive has no business here.
                if inside.exists() and inside.read_text() != "killed":
                    os._exit(3)
                inside.write_text("alive")
                if number % 2:
                    inside.write_text("killed")
                    os.kill(os.getpid(), signal.SIGKILL)
                inside.unlink()
            os._exit(0)
        except RunFolderError:
            continue

for number in range(int(sys.argv[2])):
    child = os.fork() or attempt(number)
    _, status = os.waitpid(child, 0)
    expected = -signal.SIGKILL if number % 2 else 0
    assert os.waitstatus_to_exitcode(status) == expected, status
"""
)


@pytest.fixture(params=[errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK])
def no_flock(request, monkeypatch):
    """A file system whose locks do not work."""

    def refuse(descriptor, operation):
        raise OSError(request.param, os.strerror(request.param))

    monkeypatch.setattr(fcntl, "flock", refuse)


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def holder(tmp_path):
    """A process that holds the folder until its standard input ends."""
    with start(HOLD, tmp_path) as process:
        assert process.stdout.readline() == "in\n"
        yield process
        process.kill()


@pytest.mark.usefixtures("no_flock")
def test_the_folder_is_held_and_let_go(tmp_path):
    assert not is_running(tmp_path)
    with locked(tmp_path):
        assert is_running(tmp_path)
        with pytest.raises(RunFolderError, match=f"in use by process {os.getpid()}; wait for it"):
            locked(tmp_path).__enter__()
        assert is_running(tmp_path)
    assert not is_running(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {".lock"}


@pytest.mark.parametrize("no_flock", [errno.ENOSYS], indirect=True)
def test_a_living_process_holds_the_folder_and_a_killed_one_does_not(tmp_path, no_flock, holder):
    assert is_running(tmp_path)
    with pytest.raises(RunFolderError, match=f"in use by process {holder.pid}; wait for it"):
        locked(tmp_path).__enter__()
    holder.send_signal(signal.SIGKILL)
    # Not waited for: a process that has ended but is still listed holds nothing either.
    os.waitid(os.P_PID, holder.pid, os.WEXITED | os.WNOWAIT)
    assert not is_running(tmp_path)
    with locked(tmp_path):
        assert json.loads((tmp_path / HELD).read_text())["pid"] == os.getpid()
    assert {path.name for path in tmp_path.iterdir()} == {".lock"}


def test_whoever_has_flock_sees_who_has_not(tmp_path, holder):
    assert is_running(tmp_path)
    with pytest.raises(RunFolderError, match=f"in use by process {holder.pid}"):
        locked(tmp_path).__enter__()
    holder.communicate()
    assert not is_running(tmp_path)
    with locked(tmp_path):
        pass


def pretend(folder: Path, **changes: object) -> None:
    """Alter what the lock says of its holder."""
    path = folder / HELD
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize("no_flock", [errno.ENOSYS], indirect=True)
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="start times of processes come from /proc")
def test_a_recycled_pid_is_not_taken_for_the_holder(tmp_path, no_flock, holder):
    pretend(tmp_path, started="1")
    assert not is_running(tmp_path)
    with locked(tmp_path):
        assert is_running(tmp_path)


@pytest.mark.parametrize("no_flock", [errno.ENOSYS], indirect=True)
@pytest.mark.parametrize("changes", [{"host": "elsewhere"}, {"machine": "another boot"}])
def test_a_holder_on_another_host_is_for_a_person_to_judge(tmp_path, no_flock, holder, changes):
    pretend(tmp_path, pid=2**22 + 1, **changes)
    assert is_running(tmp_path)
    with pytest.raises(RunFolderError) as found:
        locked(tmp_path).__enter__()
    host = json.loads((tmp_path / HELD).read_text())["host"]
    assert str(found.value) == (
        f"run folder {tmp_path} is in use by process {2**22 + 1} on host {host}; wait for it, choose another --out, "
        f"or, if you know that this run is dead, remove {tmp_path / HELD}"
    )
    (tmp_path / HELD).unlink()
    with locked(tmp_path):
        pass


@pytest.mark.parametrize("no_flock", [errno.ENOSYS], indirect=True)
def test_a_lock_that_cannot_be_read_is_named(tmp_path, no_flock):
    (tmp_path / ".lock").touch()
    (tmp_path / HELD).write_text("")
    with pytest.raises(RunFolderError, match="if no run uses the folder, remove that file"):
        locked(tmp_path).__enter__()


@pytest.mark.parametrize("no_flock", [errno.ENOSYS], indirect=True)
def test_a_file_system_without_locks_and_links_is_refused(tmp_path, no_flock, monkeypatch):
    def refuse(source, target):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(
        RunFolderError, match=r"supports neither locks nor links .*; choose an --out on another"
    ):
        locked(tmp_path).__enter__()
    assert {path.name for path in tmp_path.iterdir()} == {".lock"}


@pytest.mark.parametrize("no_flock", [errno.ENOSYS], indirect=True)
def test_while_one_takes_over_from_the_dead_another_is_refused(tmp_path, no_flock, holder, monkeypatch):
    holder.kill()
    holder.wait()
    remove, said = os.unlink, []

    def watched(path):
        if path == tmp_path / HELD and not said:
            # The lock of the dead is about to go: nobody else may come to take it, only to lose it again.
            said.append(start(HOLD, tmp_path).communicate()[1])
        remove(path)

    monkeypatch.setattr(os, "unlink", watched)
    with locked(tmp_path):
        assert is_running(tmp_path)
    assert f"is in use by process {os.getpid()}; wait for it" in said[0]


@pytest.mark.parametrize("rounds", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_of_processes_that_race_one_at_a_time_holds_the_folder(tmp_path, rounds):
    """Half of the holders are killed while they hold it, so that locks of the dead are taken over in a race."""
    (tmp_path / ".lock").touch()
    contenders = [start(CONTEND, tmp_path, rounds) for _ in range(3)]
    for contender in contenders:
        _, err = contender.communicate()
        assert contender.returncode == 0, err
    with locked(tmp_path):
        pass


def refuse(folder):
    with locked(folder):
        if folder.name == "used":
            (folder / "plan.json").write_text("{}")
        raise RunFolderError("refused")


def test_a_run_that_is_refused_leaves_no_folder_that_it_made(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    for folder in (mine, tmp_path / "new", tmp_path / "used"):
        with pytest.raises(RunFolderError, match="refused"):
            refuse(folder)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "used"]
