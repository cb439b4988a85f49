"""A report as one HTML file that needs nothing else: style, script and data are inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from pubench.reporting import Report
from pubench.reporting.figures import make_diagrams, make_figures
from pubench.reporting.models import Inside
from pubench.reporting.page import build_page
from pubench.reporting.searches import Trials, search_texts
from pubench.reporting.sections import make_sections
from pubench.reporting.sentences import scope
from pubench.reporting.words import chance, number
from pubench.stats.scores import Row

__all__ = ["html_report"]


def html_report(
    report: Report,
    rows: Sequence[Row],
    provenance: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    trials: Trials | None = None,
    inside: Inside | None = None,
    *,
    reload: int = 0,
) -> str:
    """Render a report.

    Parameters
    ----------
    report : Report
    rows : sequence of mappings
        The rows that the report was made from.
    provenance : mapping, or several
        What each run was made with: its last entry of ``provenance.json``, or an empty mapping.
    trials : mapping of str to list
        The trials of each tuned cell by its key, as [params, value, seconds, error].
    inside : mapping of str to mapping
        What the model of each cell told of itself, by the cell's key.
    reload : int
        After how many seconds the page loads itself again, for a run that goes on; 0 for never.

    Returns
    -------
    str
        A page without any address of another place. Every text is escaped by the template; only the style, the
        script and drawings, which are this package's own, are not.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("pubench.reporting", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "chance": chance, "scope": scope}
    folder = files("pubench.reporting") / "templates"
    own = {name: Markup((folder / file).read_text(encoding="utf-8")) for name, file in _OWN.items()}
    texts = search_texts(rows, trials or {}) if len(rows) <= _SEARCHES else {}
    rows = [{**row, "search": texts.get(row.get("key") or "")} for row in rows] if texts else rows
    sections = make_sections(report, rows, trials or {}, inside or {})
    shown = {
        "page": build_page(report, rows, *([provenance] if isinstance(provenance, Mapping) else provenance)),
        "figures": make_figures(report, rows),
        "diagrams": make_diagrams(report),
        "reload": reload,
        "sections": [(section.name, section.title) for section in sections],
    }
    content = {name: value for section in sections for name, value in section.content.items()}
    return environment.get_template("page.html").render(shown | content | own) + "\n"


# The rows of a larger run leave no room for what each search tried; its trials.jsonl has it.
_SEARCHES = 2000
_OWN = {
    "style": "page.css",
    "media": "media.css",
    "gallery_style": "pictures.css",
    "script": "page.js",
    "live": "live.js",
}
