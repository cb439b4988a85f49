"""The section of reproducibility: the command, the machine and the software of each run."""

from __future__ import annotations

from typing import NamedTuple

from pubench.reporting.details import Provenance
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import Section, TemplateBlock

__all__ = ["RunFacts", "reproducibility_section", "run_facts"]


class RunFacts(NamedTuple):
    """The command that made a run, and what it ran on, as names and texts."""

    command: str
    lines: tuple[tuple[str, str], ...]


def reproducibility_section(report: Report) -> Section:
    """Return how each run was made; Markdown has none."""
    facts = [run_facts(one) for one in report.details.provenance]
    block = TemplateBlock("reproducibility.html", facts)
    return Section("made", "Reproducibility", "Reproducibility", (block,), ())


def run_facts(run: Provenance) -> RunFacts:
    """Return what the page shows of a run."""
    units = ((run.cpu, ""), (run.cores, " cores"), (run.memory_mb, " MB"))
    shown = {
        "Started": run.started,
        "Python": run.python,
        "Platform": run.platform,
        "Processor": ", ".join(f"{value}{unit}" for value, unit in units if value),
        "Arithmetic": str(run.arithmetic),
        "Packages": ", ".join(f"{name} {version}" for name, version in run.packages.items()),
        "Plugins": ", ".join(f"{one.plugin} ({one.distribution} {one.version})" for one in run.plugins),
    }
    command = " ".join(["pubench", *run.command[1:]])
    return RunFacts(command, tuple((name, value) for name, value in shown.items() if value))
