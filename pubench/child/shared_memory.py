"""In the process that forks tasks: remove the shared memory that a task leaves in ``/dev/shm``.

A private ``/dev/shm`` is simply emptied. A shared one holds other programs' files too, and which program made a file is
not recorded: there only files that are certainly nobody's any more are removed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from pubench.child.confinement import SHARED_MEMORY, Confinement

__all__ = ["Snapshot", "empty_shared_memory", "look_at_shared_memory"]

_SEMAPHORE = "sem."


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files in a shared ``/dev/shm``, each by its device and inode; empty for a private one."""

    files: frozenset[tuple[int, int]] = frozenset()


def look_at_shared_memory(confinement: Confinement) -> Snapshot:
    """Return what is there before a task."""
    if confinement.private_shared_memory:
        return Snapshot()
    return Snapshot(frozenset((found.st_dev, found.st_ino) for _, found in _entries()))


def empty_shared_memory(confinement: Confinement, before: Snapshot) -> tuple[str, ...]:
    """Remove what a task has left, after it and all its descendants are gone, and return the names of what went.

    In a private ``/dev/shm`` that is everything but the folders mounted there. In a shared one it is every file that
    belongs to this user alone, was not there before, is no semaphore, and is neither open nor mapped in any process; if
    a process of this user cannot be looked into, other than those that started this one, all files stay.
    """
    if confinement.private_shared_memory:
        return _empty(confinement.device)
    new = {(found.st_dev, found.st_ino): name for name, found in _entries() if _may_be_ours(name, found)}
    left = {key: name for key, name in new.items() if key not in before.files}
    unused = set(left) - _in_use(set(left)) if left else set()
    return tuple(left[key] for key in unused if _remove(f"{SHARED_MEMORY}/{left[key]}"))


def _empty(device: int) -> tuple[str, ...]:
    if os.stat(SHARED_MEMORY).st_dev != device:
        raise ValueError(f"this process does not see the private {SHARED_MEMORY}; nothing is removed")
    names = [name for name, found in _entries() if found.st_dev == device]
    return tuple(name for name in names if _remove(f"{SHARED_MEMORY}/{name}"))


def _entries() -> Iterator[tuple[str, os.stat_result]]:
    try:
        names = os.listdir(SHARED_MEMORY)
    except OSError:
        return
    for name in names:
        try:
            yield name, os.lstat(f"{SHARED_MEMORY}/{name}")
        except FileNotFoundError:
            continue


def _may_be_ours(name: str, found: os.stat_result) -> bool:
    """Whether only this user can have opened a file, and it is worth removing: a semaphore holds 32 bytes."""
    private = stat.S_ISREG(found.st_mode) and not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    return private and found.st_uid == os.geteuid() and not name.startswith(_SEMAPHORE)


def _in_use(files: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return those of some files that a process has open or mapped; all of them if that cannot be known."""
    if not os.path.exists("/proc/self/maps"):
        return files
    used: set[tuple[int, int]] = set()
    ancestors = set(_ancestors())
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            used.update(_open_files(name), _mapped_files(name))
        except PermissionError:
            if int(name) not in ancestors and _user(name) == os.geteuid():
                return files
        except OSError:
            continue
    return used & files


def _open_files(pid: str) -> Iterator[tuple[int, int]]:
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            found = os.stat(f"/proc/{pid}/fd/{number}")
        except FileNotFoundError:
            continue
        yield found.st_dev, found.st_ino


def _mapped_files(pid: str) -> Iterator[tuple[int, int]]:
    with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            _, _, _, device, inode, *_ = line.split(maxsplit=5)
            major, minor = (int(part, 16) for part in device.split(":"))
            yield os.makedev(major, minor), int(inode)


def _ancestors() -> Iterator[int]:
    """Yield the processes above this one, pubench's own up to init; they may have closed their memory to others."""
    pid = os.getppid()
    while pid > 0:
        yield pid
        pid = _status_number(str(pid), "PPid:")


def _user(pid: str) -> int:
    return _status_number(pid, "Uid:")


def _status_number(pid: str, field: str) -> int:
    """Return the first number of a field of a process's status, or -1 if it is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith(field))
    except (OSError, StopIteration):
        return -1


def _remove(path: str) -> bool:
    """Remove a file, or a folder with all that is in it; return whether that worked."""
    try:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            os.unlink(path)
            return True
        os.chmod(path, stat.S_IRWXU)
        for name in os.listdir(path):
            _remove(f"{path}/{name}")
        os.rmdir(path)
    except OSError:
        return False
    return True
