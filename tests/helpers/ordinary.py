"""Running a script as this user and, where tests are run by root, as an ordinary user too."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from functools import cache
from pathlib import Path

import pytest

# Not 65534: that is also what a user without a name in a namespace looks like.
ORDINARY = 54321
USERS = [
    pytest.param(None, id="this-user"),
    pytest.param(
        ORDINARY,
        id="ordinary-user",
        marks=pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user"),
    ),
]


def run_as(user, script, *arguments, **options):
    """Start a Python script as a user (None: this one), with pipes for its input and output."""
    identity = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    standard = sysconfig.get_path("stdlib")
    path = os.pathsep.join(
        place for place in sys.path if "site-packages" in place or not place.startswith(standard)
    )
    return subprocess.Popen(
        [sys.executable if user is None else system_python(), "-P", "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd="/",
        env=os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        **identity,
        **options,
    )


def system_python():
    """Return a Python of this version that others may run; one in root's home is closed to them."""
    name = "python{}.{}".format(*sys.version_info)
    return shutil.which(name, path="/usr/bin:/usr/local/bin") or sys.executable


@cache
def can_run_as(user):
    """Whether a user can run Python with the modules of this session."""
    try:
        process = run_as(user, "import pubench.status, sklearn", stderr=subprocess.DEVNULL)
    except PermissionError:
        return False
    process.communicate()
    return process.returncode == 0


class Room:
    """A folder that belongs to a user; pytest's own folders are closed to others."""

    def __init__(self, user):
        self.path = Path(tempfile.mkdtemp(prefix="pubench-test-"))
        self._user = user
        self.give(self.path)

    def give(self, path):
        if self._user is not None:
            os.chown(path, self._user, self._user)

    def remove(self):
        shutil.rmtree(self.path)
