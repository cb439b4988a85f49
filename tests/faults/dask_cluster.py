"""A dask cluster of real processes on this machine: a scheduler, and workers with caches of their own."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from fault_tools import wait_for

TESTS = str(Path(__file__).parents[1])
PATH_NOW = os.pathsep.join(entry for entry in sys.path if entry and not entry.startswith(TESTS))


class DaskCluster:
    """Starts processes on loopback and ends those that it started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self.scheduler = self._start(
            "scheduler", "scheduler", "--port", str(port), "--no-show", "--no-dashboard"
        )
        wait_for(lambda: "Scheduler at" in self._log("scheduler"), "the scheduler")

    def worker(
        self, name: str, *, hidden: Path | None = None, path: str = PATH_NOW, cache: Path | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a worker of one thread; with ``hidden`` it cannot see what is in that folder."""
        arguments = (
            "worker",
            self.address,
            "--nthreads",
            "1",
            "--no-nanny",
            "--no-dashboard",
            "--name",
            name,
        )
        found = self._start(name, *arguments, hidden=hidden, path=path, cache=cache)
        wait_for(lambda: "Registered to" in self._log(name) or found.poll() is not None, f"worker {name}")
        return found

    def _start(
        self,
        name: str,
        *arguments: str,
        hidden: Path | None = None,
        path: str = PATH_NOW,
        cache: Path | None = None,
    ) -> subprocess.Popen[bytes]:
        own = self.folder / name
        own.mkdir()
        kept = str(cache or own / "cache")
        environment = os.environ | {"PUBENCH_CACHE": kept, "HOME": str(own), "PYTHONPATH": path}
        command = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
        command += ["--host", "127.0.0.1"]
        if hidden is not None:
            script = 'mount -t tmpfs none "$0" && exec "$@"'
            command = ["unshare", "-m", "sh", "-c", script, str(hidden), *command]
        with (own / "log").open("wb") as log:
            process = subprocess.Popen(command, cwd=own, env=environment, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def _log(self, name: str) -> str:
        return (self.folder / name / "log").read_text(errors="replace")

    def close(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@contextlib.contextmanager
def dask_cluster(folder: Path) -> Iterator[DaskCluster]:
    """Yield a cluster without workers."""
    folder.mkdir()
    cluster = DaskCluster(folder)
    try:
        yield cluster
    finally:
        cluster.close()


def can_hide() -> bool:
    """Whether this user may have a mount namespace."""
    if shutil.which("unshare") is None:
        return False
    tried = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0
