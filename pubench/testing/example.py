"""The example suite of a package: ``pubench plugin check FOLDER`` validates and plans it."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pubench.plugins.discovery import GROUP
from pubench.plugins.registry import Origin
from pubench.testing.bounded import ended_badly, run_python
from pubench.testing.running import Outcome
from pubench.testing.subjects import Subjects

__all__ = ["FILE", "check_example"]

FILE = "example.toml"


def check_example(subjects: Subjects, *, seconds: float) -> Iterator[Outcome]:
    """Yield the outcome for the example suite in the folder of a package; nothing for files and installed plugins."""
    folder = Path(subjects.target or os.devnull)
    if not folder.is_dir():
        return
    status, message = _outcome(folder.resolve(), subjects, seconds)
    title = f"Its {FILE} can be planned and uses it"
    yield Outcome("plugins", folder.resolve().name, "example", title, status, message)


def _outcome(folder: Path, subjects: Subjects, seconds: float) -> tuple[str, str]:
    file = folder / FILE
    if not file.is_file():
        return "skipped", f"it has no {FILE}"
    text = file.read_text(encoding="utf-8", errors="replace")
    if not any(f'"{one.name}"' in text for one in subjects.specs):
        names = ", ".join(one.name for one in subjects.specs)
        return (
            "finding",
            f"{FILE} uses nothing of this package ({names}); name it there, as readers will try it",
        )
    with tempfile.TemporaryDirectory() as installed:
        _install(Path(installed), subjects.specs[0].origin)
        # The folder's modules are on the path since its specs were found.
        path = os.pathsep.join([installed, *filter(None, sys.path)])
        command = ["-m", "pubench", "suite", "check", str(file)]
        code, written = run_python(command, seconds=seconds, variables={"PYTHONPATH": path})
    if not code:
        return "ok", ""
    if code in (1, 2):
        return "finding", " ".join(written.removeprefix("Error: ").split())
    return "finding", f"checking {FILE}: {ended_badly(code, seconds, written[-400:])}"


def _install(folder: Path, origin: Origin) -> None:
    """Leave what an installer would leave, so that the entry point is found in a package that is not installed."""
    info = folder / f"{origin.distribution.replace('-', '_')}-{origin.version or '0'}.dist-info"
    info.mkdir()
    about = f"Metadata-Version: 2.1\nName: {origin.distribution}\nVersion: {origin.version or '0'}\n"
    (info / "METADATA").write_text(about, encoding="utf-8")
    points = f"[{GROUP}]\n{origin.plugin} = {origin.module}\n"
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
