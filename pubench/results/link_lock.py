"""A lock for file systems without ``flock``: a file that exists while it is held, made by an atomic link.

The file names its holder. The lock of a process that has died on this machine is taken over; whether one on another
machine still runs cannot be known here, so a person has to decide.
"""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import msgspec

from pubench.errors import RunFolderError

__all__ = ["HELD", "Holder", "holder_of", "linked"]

HELD = ".lock-held"


class Holder(msgspec.Struct, frozen=True):
    """The process that holds a lock.

    ``machine`` distinguishes machines, boots and containers of one host name. ``started`` distinguishes
    processes that had the same pid one after the other. Both are empty where the system does not say.
    """

    token: str
    host: str
    machine: str
    pid: int
    started: str

    def is_here(self) -> bool:
        """Whether it runs, or ran, on this machine, so that its pid means something here."""
        return (self.host, self.machine) == (socket.gethostname(), _machine())

    def is_dead(self) -> bool:
        """Whether it has certainly ended."""
        if not self.is_here():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass
        state, started = _process(self.pid)
        recycled = bool(started and self.started) and started != self.started
        return state in {"Z", "X"} or recycled


@contextlib.contextmanager
def linked(folder: Path) -> Iterator[Holder | None]:
    """Hold the lock of a folder; yield who else holds it, or None if it is ours."""
    _, started = _process(os.getpid())
    me = Holder(uuid.uuid4().hex, socket.gethostname(), _machine(), os.getpid(), started)
    with _written(folder, me) as own:
        other = _take(folder / HELD, me, own)
    try:
        yield other
    finally:
        if other is None:
            _release(folder / HELD, me)


def holder_of(folder: Path) -> Holder | None:
    """Return who holds the lock of a folder, or None if nobody does who is known to live."""
    holder = _read(folder / HELD)
    return None if holder is None or holder.is_dead() else holder


@contextlib.contextmanager
def _written(folder: Path, holder: Holder) -> Iterator[Path]:
    """Write a holder to a file of its own, to be linked from where others look."""
    descriptor, name = tempfile.mkstemp(dir=folder, prefix=f"{HELD}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(holder))
            file.flush()
            os.fsync(file.fileno())
        yield Path(name)
    finally:
        os.unlink(name)


def _take(path: Path, me: Holder, own: Path) -> Holder | None:
    """Make ``path`` a link to the own file; return the holder who keeps us from it, or None.

    The lock of a dead holder is removed only by who holds the claim on it, which is a lock of the same kind. So nobody
    removes a lock that somebody else has just taken, and a claim whose holder died is taken over in its turn.
    """
    while True:
        if _link(own, path):
            return None
        holder = _read(path)
        if holder is None:
            continue
        if holder == me:
            # Some network file systems link and report a failure, when their answer was lost.
            return None
        if not holder.is_dead():
            return holder
        claim = path.with_name(f"{HELD}-{holder.token}")
        other = _take(claim, me, own)
        if other is not None:
            return other
        if _read(path) == holder:
            os.unlink(path)
        _release(claim, me)


def _link(own: Path, path: Path) -> bool:
    try:
        os.link(own, path)
    except FileExistsError:
        return False
    except OSError as error:
        raise RunFolderError(
            f"cannot lock run folder {path.parent}: its file system supports neither locks nor links "
            f"({error.strerror}); choose an --out on another one"
        ) from None
    return True


def _read(path: Path) -> Holder | None:
    """Return the holder that a file names; None if there is no such file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Holder)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError):
        raise RunFolderError(
            f"cannot determine which run holds {path.parent}: {path} cannot be read; "
            "if no run uses the folder, remove that file"
        ) from None


def _release(path: Path, me: Holder) -> None:
    with contextlib.suppress(OSError, RunFolderError):
        if _read(path) == me:
            os.unlink(path)


def _machine() -> str:
    """Return what tells this boot of this machine, and this container, from others of the same name."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _process(pid: int) -> tuple[str, str]:
    """Return the state of a process and when it started, in ticks since the boot; empty where unknown."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "", ""
    # The name of the program, in brackets, may hold blanks and brackets.
    fields = text.rpartition(")")[2].split()
    return fields[0], fields[19]
