"""From what a user names to the specs to check: an installed plugin, a single file, or the folder of a package."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

from pubench.errors import PubenchError, did_you_mean
from pubench.plugins.discovery import GROUP, build_registry, discover
from pubench.plugins.registry import Origin, PluginInfo, Registered, Registry
from pubench.specs import Spec

__all__ = ["Subject", "Subjects", "find", "find_subjects"]


@dataclass(frozen=True, slots=True)
class Subject:
    """One spec to check."""

    kind: str
    name: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Subjects:
    """All specs to check, and the plugins that could not be loaded. ``target`` is a path, or empty if installed."""

    target: str
    specs: tuple[Subject, ...]
    broken: tuple[PluginInfo, ...]


@lru_cache(maxsize=8)
def find(target: str) -> Registry:
    """Return what is installed (an empty target), or what a file or the folder of a package registers."""
    if not target:
        return discover()
    path = Path(target)
    if path.is_dir():
        return _folder_registry(path.resolve())
    registry = discover(third_party=False, files=[path])
    return _restricted(registry, lambda origin: origin.file == str(path.resolve()))


def find_subjects(wanted: str) -> Subjects:
    """Return what ``wanted`` names: a path, a plugin, a distribution, or a single registered name.

    Raises
    ------
    PubenchError
        If it names nothing.
    """
    if _is_path(wanted):
        return _subjects(find(wanted), wanted, lambda origin, name: True)
    installed = find("")
    found = _subjects(
        installed, "", lambda origin, name: wanted in (origin.plugin, origin.distribution, name)
    )
    if found.specs or found.broken:
        return found
    if Path(wanted).exists():
        return _subjects(find(wanted), wanted, lambda origin, name: True)
    known = {text for info in installed.plugins for text in (info.origin.plugin, info.origin.distribution)}
    raise PubenchError(
        f"'{wanted}' is neither a file, a folder, nor the name of an installed plugin{did_you_mean(wanted, known)}"
    )


def _is_path(wanted: str) -> bool:
    """Whether a text can only be a path: what is installed outranks a folder of the same name."""
    return (os.sep in wanted or wanted.endswith(".py") or wanted == ".") and Path(wanted).exists()


def _subjects(registry: Registry, target: str, wanted: Any) -> Subjects:
    specs = [
        Subject(kind, name, entry.origin)
        for kind, named in registry.entries.items()
        for name, entries in named.items()
        for entry in entries
        if wanted(entry.origin, name)
    ]
    broken = [info for info in registry.plugins if info.error and wanted(info.origin, "")]
    return Subjects(target, tuple(specs), tuple(broken))


def _restricted(registry: Registry, keep: Any) -> Registry:
    entries: dict[str, dict[str, tuple[Registered[Spec], ...]]] = {}
    for kind, named in registry.entries.items():
        kept = {name: tuple(e for e in found if keep(e.origin)) for name, found in named.items()}
        entries[kind] = {name: found for name, found in kept.items() if found}
    return Registry(entries, tuple(info for info in registry.plugins if keep(info.origin)))


def _folder_registry(folder: Path) -> Registry:
    project = _project(folder)
    # Import strings and the child processes of a check must find the modules that an installer would put in place.
    source = str(folder / "src" if (folder / "src").is_dir() else folder)
    if source not in sys.path:
        sys.path.insert(0, source)
    points = project.get("entry-points", {}).get(GROUP, {})
    if not points:
        raise PubenchError(
            f"{folder / 'pyproject.toml'} has no table [project.entry-points.{GROUP}], so pubench would not find the "
            'plugin; add it with a line such as my-plugin = "my_plugin"'
        )
    about = str(project.get("name", folder.name)), str(project.get("version", ""))
    modules = {name: value.partition(":")[0] for name, value in points.items()}
    return build_registry(
        [
            (Origin(name, *about, module=module), partial(import_module, module))
            for name, module in modules.items()
        ]
    )


def _project(folder: Path) -> Mapping[str, Any]:
    file = folder / "pyproject.toml"
    if not file.is_file():
        raise PubenchError(
            f"{folder} has no pyproject.toml, so it is no package; name its folder, or a .py file"
        )
    try:
        table: Mapping[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise PubenchError(f"{file} cannot be read: {error}; mend it") from None
    project = table.get("project", {})
    return project if isinstance(project, dict) else {}
