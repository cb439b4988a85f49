"""Reports: from run folders to one `Report` value, its sections, and the formats that show them."""

from __future__ import annotations

from pubench.reporting.files import FORMATS, write_page, write_report
from pubench.reporting.reading import read_runs, report_of
from pubench.reporting.render.terminal import terminal_report
from pubench.reporting.report import Report, build_report

__all__ = [
    "FORMATS",
    "Report",
    "build_report",
    "read_runs",
    "report_of",
    "terminal_report",
    "write_page",
    "write_report",
]
