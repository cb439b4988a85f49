"""In the base process: hide the folders of the truth from plugins, and give them shared memory of their own.

It is a guard against mistakes, not against malice. The process gets a mount namespace of its own, where empty folders
lie over the hidden ones and over ``/dev/shm``; whatever it forks or starts is in there too. Where the system does not
allow that, the returned value says so and nothing has changed.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from pubench.sandbox.linux import call, prctl

__all__ = ["SHARED_MEMORY", "Confinement", "confine"]

SHARED_MEMORY = "/dev/shm"
_NEW_MOUNTS, _NEW_USER = 0x0002_0000, 0x1000_0000
_READ_ONLY, _NO_SETUID, _NO_DEVICES, _NO_PROGRAMS = 1, 2, 4, 8
_BIND, _RECURSIVE, _SLAVE = 0x1000, 0x4000, 0x8_0000
_PR_CAPBSET_DROP, _PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL = 24, 47, 4
_CAP_SYS_PTRACE, _CAP_SYS_ADMIN = 19, 21
_CAPABILITY_VERSION = 0x2008_0522


@dataclass(frozen=True, slots=True)
class Confinement:
    """What holds in a process and in all that it starts; ``reason`` says why something does not, else it is empty.

    ``device`` is the number of the private ``/dev/shm``, by which a process knows that it is in there.
    """

    hides_truth: bool = False
    private_shared_memory: bool = False
    reason: str = ""
    device: int = 0


def confine(hidden: Sequence[str], *, shared_memory_mb: int) -> Confinement:
    """Hide folders from this process and from all that it starts; call it once, before there are threads.

    Parameters
    ----------
    hidden : sequence of str
        Folders, or files, that must look empty. A folder that does not exist is made if its parent exists, so that
        what is put there later is hidden too. A folder that holds Python, imported modules or the current folder is
        not hidden.
    shared_memory_mb : int
        The size of the private ``/dev/shm``. Folders that lie in there stay visible; files do not.

    Notes
    -----
    Root needs CAP_SYS_ADMIN; others use a user namespace in which they are themselves and everyone else is `nobody`:
    permissions are as before. Afterwards nobody in there has CAP_SYS_ADMIN or CAP_SYS_PTRACE, also after exec, so that
    neither ``umount`` nor the memory of a process outside is within reach. It takes 1 ms for root, 5 to 10 for others.
    """
    if sys.platform != "linux":
        return Confinement(reason=f"{sys.platform} has no mount namespaces")
    if len(os.listdir("/proc/self/task")) > 1:
        return Confinement(reason="the process already has threads")
    before = _capabilities()
    as_user = not before >> _CAP_SYS_ADMIN & 1
    # An unshare that succeeds halfway leaves a process without a user: another process tries it first.
    reason = _refusal() if as_user else ""
    try:
        if not reason:
            _enter(as_user=as_user)
    except OSError as error:
        reason = f"no mount namespace: {error.strerror}"
    if reason:
        _drop_capabilities(before)
        return Confinement(reason=reason)
    shared = _attempt(partial(_replace_shared_memory, shared_memory_mb))
    covered = [_attempt(partial(_cover, path)) for path in _outermost(hidden)]
    _drop_capabilities(before)
    problems = [problem for problem in (*covered, shared) if problem]
    device = 0 if shared else os.stat(SHARED_MEMORY).st_dev
    return Confinement(not any(covered), not shared, "; ".join(problems), device)


def _attempt(step: Callable[[], None]) -> str:
    """Take a step and return what went wrong, or an empty text."""
    try:
        step()
    except OSError as error:
        return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
    return ""


def _enter(*, as_user: bool) -> None:
    """Enter a new mount namespace; an ordinary user needs a user namespace for that, where it is itself."""
    if as_user:
        user, group = os.geteuid(), os.getegid()
        call("unshare", ctypes.c_int(_NEW_USER | _NEW_MOUNTS))
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    else:
        call("unshare", ctypes.c_int(_NEW_MOUNTS))
    # What is mounted here must not show outside; what is mounted outside later may show here.
    _mount("none", "/", flags=_RECURSIVE | _SLAVE)


def _refusal() -> str:
    """Try in a forked process whether an ordinary user may have a mount namespace; return why not, or nothing."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            said = _attempt(partial(_enter, as_user=True)) or _attempt(
                partial(_mount, "none", "/", kind="tmpfs")
            )
            os.write(writing, (f"no user namespace: {said}" if said else "ok").encode())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as answer:
        text = answer.read().decode()
    os.waitpid(child, 0)
    return "" if text == "ok" else text or "no user namespace"


def _mount(source: str, target: str, *, kind: str = "", flags: int = 0, options: str = "") -> None:
    texts = [os.fsencode(text) or None for text in (source, target, kind, options)]
    try:
        call("mount", *texts[:3], ctypes.c_ulong(flags), texts[3])
    except OSError as error:
        raise OSError(error.errno, error.strerror, target) from None


def _outermost(paths: Sequence[str]) -> list[str]:
    """Return the paths that lie in none of the others."""
    kept: list[str] = []
    for path in sorted(map(os.path.realpath, paths)):
        if not any(os.path.commonpath([path, outer]) == outer for outer in kept):
            kept.append(path)
    return kept


def _cover(path: str) -> None:
    """Mount something empty over a folder or a file."""
    if any(os.path.commonpath([path, needed]) == path for needed in _needed()):
        raise OSError(errno.EBUSY, "holds Python, its modules or the current folder, and stays visible", path)
    if os.path.isfile(path):
        _mount("/dev/null", path, flags=_BIND)
        return
    if not os.path.isdir(path):
        os.mkdir(path)
    flags = _READ_ONLY | _NO_SETUID | _NO_DEVICES | _NO_PROGRAMS
    _mount("hidden", path, kind="tmpfs", flags=flags, options="size=4k,mode=000")


def _needed() -> list[str]:
    """Return the folders without which this process cannot go on."""
    places = [sys.prefix, sys.base_prefix, __file__, *filter(None, sys.path)]
    with contextlib.suppress(FileNotFoundError):
        places.append(os.getcwd())
    return [os.path.realpath(place) for place in places]


def _replace_shared_memory(size_mb: int) -> None:
    """Mount a new ``/dev/shm``; folders of the old one, such as a cache, stay where they are."""
    old = os.open(SHARED_MEMORY, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.scandir(old) as entries:
            folders = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        flags, options = _NO_SETUID | _NO_DEVICES, f"size={max(size_mb, 1)}m,mode=1777"
        _mount("private", SHARED_MEMORY, kind="tmpfs", flags=flags, options=options)
        for name in folders:
            place = f"{SHARED_MEMORY}/{name}"
            os.mkdir(place)
            _mount(f"/proc/self/fd/{old}/{name}", place, flags=_BIND | _RECURSIVE)
    finally:
        os.close(old)


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Words(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def _capabilities() -> int:
    """Return the capabilities of this process that are in effect, one bit each."""
    words = (_Words * 2)()
    call("capget", ctypes.byref(_Header(_CAPABILITY_VERSION, 0)), words)
    return int(words[0].effective) | int(words[1].effective) << 32


def _drop_capabilities(before: int) -> None:
    """Go back to the capabilities held before, without those that undo or look through the confinement.

    Nothing that is started later gets them back: they leave the bounding set where this process may change it.
    """
    kept = before & ~(1 << _CAP_SYS_ADMIN | 1 << _CAP_SYS_PTRACE)
    prctl(_PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL)
    for number in range(64):
        if not kept >> number & 1 and not prctl(_PR_CAPBSET_DROP, number):
            break
    words = (_Words * 2)()
    for place, word in enumerate((kept & 0xFFFF_FFFF, kept >> 32)):
        words[place].effective = words[place].permitted = word
    with contextlib.suppress(OSError):
        call("capset", ctypes.byref(_Header(_CAPABILITY_VERSION, 0)), words)
