"""Write requirements.lock: the versions with which `make` installs pubench and its tools (`make lock`).

It has versions only. Hashes would hold for one platform and one version of Python, and addresses for one registry.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
EXTRAS = ("dev",)
HEAD = "# The versions that `make` installs, as constraints for pip. Made by `make lock`; do not edit.\n"


def resolved() -> list[dict[str, Any]]:
    """Return what pip would install into an empty environment, as its report describes it."""
    target = f"{ROOT}[{','.join(EXTRAS)}]"
    options = ["--dry-run", "--ignore-installed", "--quiet", "--report", "-"]
    command = [sys.executable, "-m", "pip", "install", *options, target]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    installed: list[dict[str, Any]] = json.loads(done.stdout)["install"]
    return installed


def lines(installed: Iterable[dict[str, Any]]) -> list[str]:
    """Return ``name==version`` of each package but pubench itself, in alphabetical order."""
    packages = [package["metadata"] for package in installed if "dir_info" not in package["download_info"]]
    # A local version such as 1.0+cpu belongs to one registry.
    return sorted(f"{about['name'].lower()}=={about['version'].partition('+')[0]}" for about in packages)


if __name__ == "__main__":
    LOCK.write_text(HEAD + "".join(f"{line}\n" for line in lines(resolved())), encoding="utf-8")
