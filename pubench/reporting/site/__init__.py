"""A static site of many reports: an index with a search, a page for each method, and one for each data set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pubench.reporting.site.collecting import make_site
from pubench.reporting.site.pages import Site
from pubench.reporting.site.render import site_files
from pubench.reporting.site.sources import read_reports
from pubench.reporting.site.writing import write_site

__all__ = ["Site", "build_site"]


def build_site(folders: Sequence[Path], out: Path, *, title: str = "PU learning benchmarks") -> Site:
    """Make a site.

    Parameters
    ----------
    folders : sequence of Path
        Run folders, and folders of reports with ``cells.csv`` and ``report.html``.
    out : Path
        A new or empty folder, or one with an earlier site.
    title : str

    Returns
    -------
    Site

    Raises
    ------
    PubenchError
        If a folder holds no report, two have the same name, or ``out`` holds something else.
    """
    site = make_site(title, read_reports(folders))
    write_site(site_files(site), out)
    return site
