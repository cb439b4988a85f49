"""A report as one HTML file that needs nothing else: style, script and data are inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from pubench.analysis import Row
from pubench.report import Report
from pubench.report.figures import make_figures
from pubench.report.page import build_page

__all__ = ["html_report"]


def html_report(
    report: Report, rows: Sequence[Row], provenance: Mapping[str, Any], *, reload: int = 0
) -> str:
    """Render a report.

    Parameters
    ----------
    report : Report
    rows : sequence of mappings
        The rows that the report was made from.
    provenance : mapping
        What the run was made with: its last entry of ``provenance.json``, or an empty mapping.
    reload : int
        After how many seconds the page loads itself again, for a run that goes on; 0 for never.

    Returns
    -------
    str
        A page without any address of another place. Every text is escaped by the template; only the style, the
        script and figures, which are this package's own, are not.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("pubench.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    folder = files("pubench.report") / "templates"
    own = {name: Markup((folder / file).read_text(encoding="utf-8")) for name, file in _OWN.items()}
    figures = [{**figure._asdict(), "svg": Markup(figure.svg)} for figure in make_figures(report, rows)]
    page = build_page(report, rows, provenance)
    return (
        environment.get_template("page.html").render(page=page, figures=figures, reload=reload, **own) + "\n"
    )


_OWN = {"style": "page.css", "media": "media.css", "script": "page.js", "live": "live.js"}
