"""The handshake between a driver and its workers: whether both run the same code, and compute alike."""

from __future__ import annotations

import hashlib
import importlib
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pubench.plan.jobs import Job
from pubench.plugins.development import package_files
from pubench.results.arithmetic import arithmetic

__all__ = ["ROUNDS_OTHERWISE", "Software", "packages_of", "software_here"]

ROUNDS_OTHERWISE = "round otherwise"
"""What marks the note of a cell that another arithmetic than the driver's computed."""
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "optuna", "lightgbm")


@dataclass(frozen=True, slots=True)
class Software:
    """What results depend on besides the task.

    ``code`` holds a digest of the sources of pubench and of each package that the tasks use, empty where it is not
    installed; ``versions`` those of Python and of the libraries; ``arithmetic`` how the machine rounds.
    """

    code: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]
    arithmetic: str

    def refusal(self, here: Software) -> str:
        """Return why a worker must not run the tasks of a driver that has this software, or nothing."""
        found = dict(here.code)
        for package, digest in self.code:
            if not found.get(package):
                return f"the package '{package}' is not installed there"
            if found[package] != digest:
                return (
                    f"its package '{package}' is another version; install the same one and restart the worker"
                )
        found = dict(here.versions)
        for name, wanted in self.versions:
            if found.get(name) != wanted:
                return f"it has {name} {found.get(name) or 'not installed'} instead of {wanted}"
        return ""

    def note(self, here: Software) -> str:
        """Return what a record should say of a worker that computes otherwise, or nothing."""
        if self.arithmetic == here.arithmetic:
            return ""
        return (
            f"computed by a worker whose processor or libraries {ROUNDS_OTHERWISE} (arithmetic {here.arithmetic}; "
            f"the driver has {self.arithmetic})"
        )


def software_here(packages: Iterable[str]) -> Software:
    """Return the software of this process: pubench as it was first used here, other packages as they are now."""
    importlib.invalidate_caches()
    code = [
        ("pubench", _own_digest()),
        *((name, _digest(name)) for name in sorted(set(packages) - {"pubench"})),
    ]
    python = ".".join(platform.python_version_tuple()[:2])
    versions = [("Python", python), *((name, _version(name)) for name in _LIBRARIES)]
    return Software(tuple(code), tuple(versions), arithmetic())


def packages_of(jobs: Iterable[Job]) -> frozenset[str]:
    """Return the packages that hold the estimators and functions of some jobs, those of plugin files left out."""
    references: set[str] = set()
    own_files: set[str] = set()
    for job in jobs:
        scorers = (*job.criteria, *job.watched, *job.training, *job.pu_criteria)
        references.update(scorer.function for scorer in scorers)
        references.update(metric.function for metric in job.metrics)
        references.update((job.algorithm.estimator, job.prior.function))
        own_files.update(Path(file).stem for file in job.files)
    modules = {reference.partition(":")[0].partition(".")[0] for reference in references}
    return frozenset(modules - own_files - {""})


@cache
def _own_digest() -> str:
    return _digest("pubench")


def _digest(package: str) -> str:
    """Return a digest of the Python sources of a package or module; empty if it is not installed."""
    files = [(file, name) for file, name in package_files(package) if file.suffix == ".py" or name == package]
    if not files:
        return ""
    sha = hashlib.sha256()
    for file, name in files:
        sha.update(f"{name}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return sha.hexdigest()[:16]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
