"""Shared memory that a task leaves: it goes, and other programs' files stay."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from helpers.ordinary import USERS, can_run_as, run_as

from pubench.child import shared_memory
from pubench.child.confinement import Confinement
from pubench.child.shared_memory import Snapshot, empty_shared_memory, look_at_shared_memory

SHM = Path("/dev/shm")
SHARED = Confinement()

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not os.access(SHM, os.W_OK), reason="there is no /dev/shm to write to"
)


@pytest.fixture(params=USERS)
def user(request):
    if not can_run_as(request.param):
        pytest.skip("this user cannot read the interpreter or the sources")
    return request.param


@pytest.fixture
def shm(monkeypatch):
    """A folder in /dev/shm that stands for it: other programs' files are out of reach while this is tested."""
    folder = Path(tempfile.mkdtemp(dir=SHM, prefix="pubench-test-"))
    monkeypatch.setattr(shared_memory, "SHARED_MEMORY", str(folder))
    yield folder
    shutil.rmtree(folder)


def leave(path, mode=0o600):
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, mode))
    path.chmod(mode)


@pytest.mark.slow
def test_a_private_one_is_emptied_except_for_what_is_mounted_there(user):
    script = """
import json, os, sys
from multiprocessing import resource_tracker
from multiprocessing.shared_memory import SharedMemory
from pubench.child.confinement import confine
from pubench.child.shared_memory import empty_shared_memory, look_at_shared_memory
resource_tracker.register = lambda *a: None
held = confine([], shared_memory_mb=8)
if held.private_shared_memory:
    before = look_at_shared_memory(held)
    SharedMemory("left", create=True, size=1 << 20).close()
    os.makedirs("/dev/shm/folder/below")
    open("/dev/shm/folder/below/file", "w").close()
    os.symlink("/etc", "/dev/shm/link")
    os.chmod("/dev/shm/folder", 0)
    removed = empty_shared_memory(held, before)
    mounted = sys.argv[1]
    print(json.dumps([sorted(removed), os.listdir("/dev/shm"), os.listdir(f"/dev/shm/{mounted}")]))
else:
    print(json.dumps(held.reason))
"""
    folder = Path(tempfile.mkdtemp(dir=SHM, prefix="pubench-test-"))
    folder.chmod(0o755)
    try:
        (folder / "kept").touch()
        with run_as(user, script, folder.name) as process:
            found = json.loads(process.communicate()[0])
        if isinstance(found, str):
            pytest.skip(f"this system does not allow it: {found}")
        removed, listed, below = found
        assert removed == ["folder", "left", "link"]
        assert folder.name in listed
        assert not {"folder", "left", "link"} & set(listed)
        assert below == ["kept"]
        assert (folder / "kept").exists()
    finally:
        shutil.rmtree(folder)


def test_a_process_outside_the_confinement_removes_nothing(shm):
    leave(shm / "left")
    with pytest.raises(ValueError, match="does not see the private"):
        empty_shared_memory(Confinement(True, True, "", device=1), Snapshot())
    assert (shm / "left").exists()


def test_in_a_shared_one_what_is_new_and_nobodys_goes(shm):
    leave(shm / "old")
    before = look_at_shared_memory(SHARED)
    leave(shm / "new")
    assert empty_shared_memory(SHARED, before) == ("new",)
    assert os.listdir(shm) == ["old"]


def test_what_a_process_has_mapped_or_open_stays(shm):
    before = look_at_shared_memory(SHARED)
    script = """
import ctypes, mmap, os, sys
for name in ("mapped", "open"):
    descriptor = os.open(f"{sys.argv[1]}/{name}", os.O_CREAT | os.O_RDWR, 0o600)
    os.ftruncate(descriptor, 4096)
    if name == "mapped":
        # Python's own map would keep the descriptor open.
        arguments = map(ctypes.c_long, (0, 4096, mmap.PROT_READ, mmap.MAP_SHARED, descriptor, 0))
        ctypes.CDLL(None).mmap(*arguments)
        os.close(descriptor)
print(flush=True)
input()
"""
    with run_as(None, script, shm) as process:
        process.stdout.readline()
        leave(shm / "left")
        assert empty_shared_memory(SHARED, before) == ("left",)
        process.communicate(b"end\n")
    assert set(empty_shared_memory(SHARED, before)) == {"mapped", "open"}


def test_what_others_may_have_opened_and_semaphores_and_folders_stay(shm):
    before = look_at_shared_memory(SHARED)
    leave(shm / "readable", 0o644)
    leave(shm / "group", 0o620)
    leave(shm / "sem.mp-x")
    (shm / "folder").mkdir(0o700)
    assert empty_shared_memory(SHARED, before) == ()


@pytest.mark.slow
def test_all_stay_if_a_process_of_this_user_cannot_be_looked_into(user, shm):
    if (os.getuid() if user is None else user) == 0:
        pytest.skip("root looks into every process")
    shm.chmod(0o777)
    closed = "from pubench.sandbox.linux import protect_memory\nprotect_memory()\nprint(flush=True)\ninput()"
    script = """
import os, sys
from pubench.child import shared_memory
from pubench.child.confinement import Confinement
shared_memory.SHARED_MEMORY = sys.argv[1]
before = shared_memory.look_at_shared_memory(Confinement())
os.close(os.open(f"{sys.argv[1]}/left", os.O_CREAT | os.O_RDWR, 0o600))
print(shared_memory.empty_shared_memory(Confinement(), before))
"""
    with run_as(user, closed) as process:
        process.stdout.readline()
        with run_as(user, script, shm) as other:
            assert other.communicate()[0] == b"()\n"
        process.communicate(b"end\n")
    assert (shm / "left").exists()
