"""What a run was made with: gathered once per run."""

from __future__ import annotations

import datetime
import os
import platform
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

from pubench.plugins.registry import Registry
from pubench.results.arithmetic import arithmetic
from pubench.specs import JSONValue

__all__ = ["gather"]


def gather(
    registry: Registry, cards: Mapping[str, JSONValue], options: Mapping[str, JSONValue]
) -> dict[str, JSONValue]:
    """Return versions, machine, plugins, and the card of each data set by its label."""
    return {
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "command": [*sys.argv],
        "options": dict(options),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpu": _cpu(),
        "arithmetic": arithmetic(),
        "cores": os.cpu_count(),
        "memory_mb": _memory_mb(),
        "packages": {**_packages()},
        "plugins": [
            {
                "plugin": info.origin.plugin,
                "distribution": info.origin.distribution,
                "version": info.origin.version,
            }
            for info in registry.plugins
            if not info.error
        ],
        "datasets": dict(cards),
    }


def _packages() -> dict[str, str]:
    """Return the versions of pubench and of the packages that it requires on this machine."""
    requirements = [Requirement(text) for text in requires("pubench") or ()]
    # Markers of extras are false without an extra.
    required = [
        item.name for item in requirements if item.marker is None or item.marker.evaluate({"extra": ""})
    ]
    return {name: found for name in sorted({"pubench", *required}) if (found := _version(name))}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory_mb() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
