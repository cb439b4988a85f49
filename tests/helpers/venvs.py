"""The wheel of this clone, and environments that hold nothing but it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def build_wheel(folder: Path) -> Path:
    """Build the wheel in a folder and return its file."""
    # Built from a copy: what earlier builds left beside the sources must not decide what is in the wheel.
    left = shutil.ignore_patterns(".*", "build", "dist", "runs", "*.egg-info", "*.so", "*.c", "__pycache__")
    source = shutil.copytree(ROOT, folder / "source", ignore=left)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(source)]
    subprocess.run(command, check=True)
    (built,) = folder.glob("*.whl")
    return built


def clean_venv(folder: Path, *packages: str | Path) -> tuple[Path, dict[str, str]]:
    """Install packages into a new environment; return its programs, and variables that hide all else."""
    venv.create(folder / "venv", with_pip=True)
    binaries = folder / "venv" / "bin"
    subprocess.run([binaries / "python", "-m", "pip", "install", "--quiet", *map(str, packages)], check=True)
    hidden = ("PYTHON", "PUBENCH", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    home = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    return binaries, kept | home | {"PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"}
