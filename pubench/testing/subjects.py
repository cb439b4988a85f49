"""The specs that ``pubench plugin check`` checks: of an installed plugin, a single file, or a package's folder."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path

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
    """Return the installed specs (if the target is empty), or those of a file or a package's folder."""
    if not target:
        return discover()
    path = Path(target)
    if path.is_dir():
        return _folder_registry(path.resolve())
    registry = discover(third_party=False, files=[path])
    return _restricted(registry, lambda origin: origin.file == str(path.resolve()))


def find_subjects(wanted: str) -> Subjects:
    """Return the specs of a path, a plugin, a distribution, or a single registered name.

    Raises
    ------
    PubenchError
        If nothing matches.
    """
    if _is_path(wanted):
        return _subjects(find(wanted), wanted, lambda origin, name: True)
    installed = find("")
    subjects = _subjects(
        installed, "", lambda origin, name: wanted in (origin.plugin, origin.distribution, name)
    )
    if subjects.specs or subjects.broken:
        return subjects
    if Path(wanted).exists():
        return _subjects(find(wanted), wanted, lambda origin, name: True)
    known = {text for info in installed.plugins for text in (info.origin.plugin, info.origin.distribution)}
    raise PubenchError(
        f"'{wanted}' is neither a file, a folder, nor the name of an installed plugin{did_you_mean(wanted, known)}"
    )


def _is_path(wanted: str) -> bool:
    """Whether a text can only be a path; an installed plugin takes precedence over a folder of the same name."""
    return (os.sep in wanted or wanted.endswith(".py") or wanted == ".") and Path(wanted).exists()


def _subjects(registry: Registry, target: str, is_wanted: Callable[[Origin, str], bool]) -> Subjects:
    specs = [
        Subject(kind, name, entry.origin)
        for kind, named in registry.entries.items()
        for name, entries in named.items()
        for entry in entries
        if is_wanted(entry.origin, name)
    ]
    broken = [info for info in registry.plugins if info.error and is_wanted(info.origin, "")]
    return Subjects(target, tuple(specs), tuple(broken))


def _restricted(registry: Registry, keep: Callable[[Origin], bool]) -> Registry:
    entries: dict[str, dict[str, tuple[Registered[Spec], ...]]] = {}
    for kind, named in registry.entries.items():
        kept = {name: tuple(e for e in providers if keep(e.origin)) for name, providers in named.items()}
        entries[kind] = {name: providers for name, providers in kept.items() if providers}
    return Registry(entries, tuple(info for info in registry.plugins if keep(info.origin)))


def _folder_registry(folder: Path) -> Registry:
    project = _project(folder)
    # Import strings and child processes of checks must find the modules as if they were installed.
    source = str(folder / "src" if (folder / "src").is_dir() else folder)
    if source not in sys.path:
        sys.path.insert(0, source)
    points = _table(_table(project, "entry-points"), GROUP)
    if not points:
        raise PubenchError(
            f"{folder / 'pyproject.toml'} has no table [project.entry-points.{GROUP}], so that pubench cannot find the "
            'plugin; add it with a line such as my-plugin = "my_plugin"'
        )
    about = str(project.get("name", folder.name)), str(project.get("version", ""))
    modules = {name: str(value).partition(":")[0] for name, value in points.items()}
    return build_registry(
        [
            (Origin(name, *about, module=module), partial(import_module, module))
            for name, module in modules.items()
        ]
    )


def _project(folder: Path) -> Mapping[str, object]:
    file = folder / "pyproject.toml"
    if not file.is_file():
        raise PubenchError(
            f"{folder} has no pyproject.toml, so that it is not a package; name the folder of a package, or a .py file"
        )
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise PubenchError(f"{file} is not valid TOML: {error}; fix it there") from None
    return _table(document, "project")


def _table(document: Mapping[str, object], key: str) -> Mapping[str, object]:
    table = document.get(key)
    return table if isinstance(table, dict) else {}
