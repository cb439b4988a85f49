"""Confinement: what is hidden stays hidden from all that the process starts, and all else works as before."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from helpers.ordinary import USERS, Room, can_run_as, run_as

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mount namespaces are Linux's")

TOOLS = """
import ctypes, errno, json, os, subprocess, sys, tempfile
from dataclasses import asdict
from pubench.child import confinement
def say(**values):
    print(json.dumps(asdict(held) | values), flush=True)
def attempt(step):
    try:
        return repr(step())
    except OSError as error:
        return type(error).__name__
"""
CONFINE = f"""{TOOLS}
held = confinement.confine(sys.argv[1].split(os.pathsep), shared_memory_mb=8)
"""


@pytest.fixture(params=USERS)
def user(request):
    if not can_run_as(request.param):
        pytest.skip("this user cannot read the interpreter or the sources")
    return request.param


@pytest.fixture
def room(user):
    made = Room(user)
    truth = made.path / "truth"
    truth.mkdir()
    (truth / "y.npy").write_text("secret")
    for path in (truth, truth / "y.npy"):
        made.give(path)
    yield made.path
    made.remove()


def say(user, script, *arguments, needs="hides_truth"):
    """Run a script that confines itself, and return what it says."""
    with run_as(user, CONFINE + script, *arguments) as process:
        output, _ = process.communicate()
        assert process.returncode == 0
    found = json.loads(output)
    if needs and not found[needs]:
        pytest.skip(f"this system does not allow it: {found['reason']}")
    return found


def test_hidden_folders_are_empty_here_and_in_all_that_is_started(user, room):
    script = """
folder = sys.argv[1]
say(
    listed=attempt(lambda: os.listdir(folder)),
    opened=attempt(lambda: open(f"{folder}/y.npy").read()),
    written=attempt(lambda: open(f"{folder}/z", "w")),
    around=attempt(lambda: open(f"{folder}/../truth/y.npy").read()),
    shell=subprocess.run(["cat", f"{folder}/y.npy"], capture_output=True, text=True).stdout,
)
"""
    found = say(user, script, room / "truth")
    assert found["listed"] in ("[]", "PermissionError")
    assert {found["opened"], found["around"]} <= {"FileNotFoundError", "PermissionError"}
    assert found["written"] in ("OSError", "PermissionError")
    assert found["shell"] == ""
    assert (room / "truth" / "y.npy").read_text() == "secret"


def test_it_cannot_be_undone_by_mistake_neither_here_nor_after_exec(user, room):
    script = """
libc = ctypes.CDLL(None)
inside = "import ctypes, sys; print(ctypes.CDLL(None).umount2(sys.argv[1].encode(), 2))"
started = subprocess.run([sys.executable, "-c", inside, sys.argv[1]], capture_output=True, text=True)
status = subprocess.run(["cat", "/proc/self/status"], capture_output=True, text=True).stdout
bits = {line.split()[0]: int(line.split()[1], 16) for line in status.splitlines() if line.startswith("Cap")}
say(
    umount=libc.umount2(sys.argv[1].encode(), 2),
    started=started.stdout.strip(),
    dangerous=[bits[name] >> number & 1 for name in ("CapPrm:", "CapEff:", "CapBnd:") for number in (19, 21)],
)
"""
    found = say(user, script, room / "truth")
    assert (found["umount"], found["started"]) == (-1, "-1")
    assert found["dangerous"] == [0] * 6


def test_a_hidden_folder_that_comes_later_is_hidden_too(user, room):
    script = """
say()
sys.stdin.readline()
print(attempt(lambda: os.listdir(sys.argv[1])))
"""
    later = room / "later"
    with run_as(user, CONFINE + script, later) as process:
        held = json.loads(process.stdout.readline())
        if not held["hides_truth"]:
            pytest.skip(f"this system does not allow it: {held['reason']}")
        (later / "y.npy").write_text("secret")
        output, _ = process.communicate(b"go\n")
    assert output.decode().strip() in ("[]", "PermissionError")


def test_files_can_be_hidden_and_a_folder_in_a_hidden_one_is_no_problem(user, room):
    script = "say(read=attempt(lambda: open(sys.argv[1]).read()))"
    assert say(user, script, room / "truth" / "y.npy")["read"] == "''"
    assert say(user, "say()", f"{room}/truth/below:{room}/truth")["reason"] == ""


def test_what_python_needs_is_not_hidden(user, room):
    script = "import numpy\nsay(read=attempt(lambda: os.listdir(sys.argv[2])))"
    hidden = f"{Path(sys.prefix).parent}:{room}/truth"
    found = say(user, script, hidden, room / "truth", needs="private_shared_memory")
    assert not found["hides_truth"]
    assert f"{Path(sys.prefix).parent.resolve()}: holds Python" in found["reason"]
    assert found["read"] in ("[]", "PermissionError")


def test_shared_memory_is_private_and_folders_in_it_stay(user, room):
    script = """
from multiprocessing.shared_memory import SharedMemory
block = SharedMemory(name="pubench-inside", create=True, size=16)
say(
    listed=sorted(os.listdir("/dev/shm")),
    below=attempt(lambda: os.listdir(sys.argv[1])),
    size=os.statvfs("/dev/shm").f_blocks * os.statvfs("/dev/shm").f_frsize,
)
block.unlink()
"""
    folder, file = Path(f"/dev/shm/{room.name}"), Path(f"/dev/shm/{room.name}.outside")
    if not os.access("/dev/shm", os.W_OK):
        pytest.skip("there is no /dev/shm to write to")
    try:
        folder.mkdir()
        (folder / "truth").mkdir()
        file.touch()
        found = say(user, script, folder / "truth", needs="private_shared_memory")
    finally:
        file.unlink(missing_ok=True)
        shutil.rmtree(folder)
    assert {"pubench-inside", folder.name} <= set(found["listed"])
    assert file.name not in found["listed"]
    assert found["size"] == 8 * 2**20
    assert not Path("/dev/shm/pubench-inside").exists()


@pytest.mark.slow
def test_everything_else_works_as_before(user, room):
    script = """
import multiprocessing
from multiprocessing.shared_memory import SharedMemory
def double(x):
    return 2 * x
own = os.path.dirname(sys.argv[1]) + "/own"
with open(own, "w") as file:
    file.write("mine")
os.chmod(own, 0)
with multiprocessing.get_context("fork").Pool(2) as pool:
    doubled = pool.map(double, [1, 2])
with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as file:
    temporary = os.path.exists(file.name) and os.stat(folder).st_uid == os.getuid()
spawned = subprocess.run([sys.executable, "-P", "-c", "import sklearn, numpy; print(numpy.ones(2).sum())"],
                         capture_output=True, text=True)
import sklearn.linear_model
say(
    user=[os.getuid(), os.geteuid(), os.getgid()],
    doubled=doubled,
    temporary=temporary,
    spawned=spawned.stdout.strip(),
    system=len(open("/etc/passwd").read()) > 0,
    closed=attempt(lambda: open(own).read()),
)
"""
    found = say(user, script, room / "truth")
    number = os.getuid() if user is None else user
    assert found["user"] == [number, number, os.getgid() if user is None else user]
    assert (found["doubled"], found["temporary"], found["spawned"]) == ([2, 4], True, "2.0")
    assert found["system"]
    # Permissions are those of the user: a namespace must not turn an ordinary one into root.
    assert found["closed"] == ("'mine'" if number == 0 else "PermissionError")


@pytest.mark.parametrize("step", ["call", "_mount", "open"])
def test_a_system_that_refuses_leaves_the_process_as_it_was(user, room, step):
    if step == "open" and (os.getuid() if user is None else user) == 0:
        pytest.skip("root needs no map of users")
    script = f"""
def refuse(*arguments, **options):
    raise OSError(errno.EPERM, "Operation not permitted")
call = confinement.call
confinement.{step} = {{
    "call": lambda name, *rest: refuse() if name == "unshare" else call(name, *rest),
    "_mount": refuse,
    "open": lambda name, *rest, **more: refuse() if "uid_map" in str(name) else open(name, *rest, **more),
}}["{step}"]
held = confinement.confine([sys.argv[1]], shared_memory_mb=8)
say(read=open(sys.argv[1] + "/y.npy").read(), user=os.getuid())
"""
    with run_as(user, TOOLS + script, room / "truth") as process:
        output, _ = process.communicate()
    found = json.loads(output)
    assert not found["hides_truth"]
    assert not found["private_shared_memory"]
    assert "Operation not permitted" in found["reason"]
    assert (found["read"], found["user"]) == ("secret", os.getuid() if user is None else user)


def test_a_process_with_threads_is_left_alone(user, room):
    script = """
import threading
event = threading.Event()
threading.Thread(target=event.wait).start()
print(confinement.confine([sys.argv[1]], shared_memory_mb=8), open(sys.argv[1] + "/y.npy").read())
event.set()
"""
    with run_as(user, TOOLS + script, room / "truth") as process:
        output, _ = process.communicate()
    assert b"already has threads" in output
    assert b"secret" in output


def test_the_memory_of_a_protected_process_is_out_of_reach_and_its_use_still_visible(user, room):
    holder = """
import os, sys
from pubench.sandbox.linux import protect_memory
print(int(protect_memory()), flush=True)
sys.stdin.readline()
"""
    script = """
pid = sys.argv[2]
say(
    memory=attempt(lambda: os.open(f"/proc/{pid}/mem", os.O_RDONLY)),
    files=attempt(lambda: os.listdir(f"/proc/{pid}/root/tmp")),
    resident=int(open(f"/proc/{pid}/statm").read().split()[1]) > 0,
    status="VmHWM" in open(f"/proc/{pid}/status").read(),
    worker=attempt(lambda: os.open(f"/proc/{os.getppid()}/mem", os.O_RDONLY)),
)
"""
    with run_as(user, holder) as process:
        assert process.stdout.readline() == b"1\n"
        found = say(user, script, room / "truth", process.pid, needs="")
        process.communicate(b"end\n")
    if user is None and os.getuid() == 0 and "PermissionError" not in found["memory"]:
        pytest.skip("root keeps its capabilities here")
    assert (found["memory"], found["files"]) == ("PermissionError", "PermissionError")
    assert (found["resident"], found["status"]) == (True, True)
    if found["hides_truth"]:
        assert found["worker"] == "PermissionError"


def test_a_protected_worker_measures_and_ends_a_confined_process(user, room):
    script = """
import json, os, subprocess, sys
from pubench.sandbox.linux import protect_memory
from pubench.sandbox.tree import descendants, kill_tree, tree_mb
protect_memory()
inside = '''
import os, sys
from pubench.child.confinement import confine
from pubench.child.memory import peak_mb, reset_peak
held = confine([sys.argv[1]], shared_memory_mb=8)
os.fork()
own = bytearray(os.urandom(1 << 20) * 30)
peak = peak_mb()
del own
reset_peak()
own = bytearray(os.urandom(1 << 20) * 20)
os.write(1, b"%d%d " % (held.hides_truth, peak_mb() < peak))
sys.stdin.read()
'''
child = subprocess.Popen([sys.executable, "-c", inside, sys.argv[1]], stdin=-1, stdout=-1)
said = [child.stdout.read(3).decode() for _ in range(2)]
readable = os.access(f"/proc/{child.pid}/smaps_rollup", os.R_OK) and len(open(f"/proc/{child.pid}/smaps_rollup").read())
print(json.dumps([said, len(descendants(child.pid)), tree_mb(child.pid, 1), bool(readable), kill_tree(child.pid)]))
"""
    with run_as(user, script, room / "truth") as process:
        output, _ = process.communicate()
    said, below, memory, readable, ended = json.loads(output)
    if said[0][0] == "0":
        pytest.skip("this system does not allow it")
    assert said == ["11 ", "11 "]
    assert (below, readable, ended) == (1, True, True)
    assert 40 < memory < 120
