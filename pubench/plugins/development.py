"""Packages under development: the digest of their source is part of the version, so that no result is stale.

A distribution is under development if it is installed in editable mode, or if a file of it differs from what its
installer recorded. A plugin whose module declares ``PUBENCH_PINNED = True`` keeps the versions of its specs even in an
editable install: its authors raise them by hand.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, PackagePath, distribution
from pathlib import Path

__all__ = ["PINNED", "SourceDigests", "package_files"]

PINNED = "PUBENCH_PINNED"
_DIGITS = 12
_HOST = "pubench"
_NOT_LOADED = (".pyc", ".pyo", ".pyx", ".pxd", ".pyi", ".c", ".cpp", ".h", ".md", ".typed")
"""Files that change no result: what Python runs, or a plugin reads, is hashed."""


class SourceDigests:
    """Digests of sources under development, empty for released ones; each is read once."""

    def __init__(self) -> None:
        self._distributions: dict[tuple[str, str, bool], str] = {}
        self._packages: dict[str, str] = {}
        self._own: dict[str, frozenset[str]] = {}

    def of_plugin(self, name: str, module: str, *, pinned: bool) -> str:
        """Return the digest of a distribution; ``module`` is that of the plugin.

        Parameters
        ----------
        name : str
            The distribution.
        module : str
            The plugin's module, whose package is hashed in any case.
        pinned : bool
            Whether an editable install counts as released.
        """
        key = (name, module, pinned)
        if key not in self._distributions:
            self._distributions[key] = _distribution_digest(name, module, pinned=pinned)
        return self._distributions[key]

    def own_packages(self, name: str) -> frozenset[str]:
        """Return the packages that a distribution lists as its own."""
        if name not in self._own:
            self._own[name] = _own_packages(name)
        return self._own[name]

    def of_package(self, name: str) -> str:
        """Return the digest of a package if Python imports it from a source folder."""
        if name not in self._packages:
            self._packages[name] = _files_digest(package_files(name)) if _is_source_folder(name) else ""
        return self._packages[name]


def package_files(package: str) -> list[tuple[Path, str]]:
    """Return the files of a package or module, sorted, with their names in the package; nothing if it is unknown."""
    spec = _find(package)
    if spec is None:
        return []
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    if not folders and spec.origin is not None:
        return [(Path(spec.origin), package)]
    found = [(file, file.relative_to(folder)) for folder in folders for file in folder.rglob("*")]
    kept = [(file, name.as_posix()) for file, name in found if not _is_hidden(name) and file.is_file()]
    return sorted(kept, key=lambda pair: pair[1])


def _find(package: str) -> importlib.machinery.ModuleSpec | None:
    try:
        return importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None


def _is_hidden(name: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in name.parts)


def _distribution(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except (PackageNotFoundError, ValueError):
        return None


def _own_packages(name: str) -> frozenset[str]:
    found = _distribution(name)
    return frozenset((found.read_text("top_level.txt") or "").split()) if found is not None else frozenset()


def _distribution_digest(name: str, module: str, *, pinned: bool) -> str:
    found = _distribution(name)
    if found is None:
        return ""
    if _is_editable(found):
        packages = {module.partition(".")[0], *_own_packages(name)}
        return (
            "" if pinned else _files_digest(pair for one in sorted(packages) for pair in package_files(one))
        )
    # Launchers lie above, in bin/, and name their interpreter: whoever moves an environment rewrites them.
    files = (path for path in found.files or () if ".." not in path.parts)
    recorded = [path for path in files if path.hash is not None and _is_loaded(path.name)]
    if all(_is_as_recorded(path) for path in recorded):
        return ""
    return _files_digest((Path(str(path.locate())), path.as_posix()) for path in recorded)


def _is_editable(found: Distribution) -> bool:
    """Whether the files are those of a source folder; metadata of old installers lie in that folder themselves."""
    direct = found.read_text("direct_url.json")
    if direct:
        try:
            return bool(json.loads(direct).get("dir_info", {}).get("editable", False))
        except (ValueError, AttributeError):
            return False
    return found.read_text("RECORD") is None and found.read_text("SOURCES.txt") is not None


def _is_as_recorded(path: PackagePath) -> bool:
    assert path.hash is not None
    try:
        digest = hashlib.new(path.hash.mode, Path(str(path.locate())).read_bytes()).digest()
    except (OSError, ValueError):
        return False
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == path.hash.value


def _is_source_folder(package: str) -> bool:
    """Whether a package lies neither where packages are installed nor in Python itself; pubench is the host."""
    spec = _find(package)
    if spec is None or spec.origin is None or package == _HOST or package in sys.stdlib_module_names:
        return False
    installed = {sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib")}
    return not any(Path(spec.origin).is_relative_to(folder) for folder in installed)


def _files_digest(files: Iterable[tuple[Path, str]]) -> str:
    sha = hashlib.sha256()
    for line in _lines(files):
        sha.update(line)
    return sha.hexdigest()[:_DIGITS]


def _lines(files: Iterable[tuple[Path, str]]) -> Iterator[bytes]:
    for file, name in files:
        if _is_loaded(file.name) and file.is_file():
            yield f"{name}\0".encode() + hashlib.sha256(file.read_bytes()).digest()


def _is_loaded(name: str) -> bool:
    return not name.endswith(_NOT_LOADED)
