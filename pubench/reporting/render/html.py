"""A report as one HTML file without any other file: style, script, drawings and data are inside."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from pubench.reporting.render.packing import packed_board, packed_rows
from pubench.reporting.report import Report
from pubench.reporting.sections import make_sections
from pubench.reporting.sections.blocks import TemplateBlock
from pubench.reporting.sentences import scope
from pubench.reporting.trials import search_texts
from pubench.reporting.wording import number
from pubench.results.table import Row
from pubench.results.under_way import Training

__all__ = ["html_report"]

_OWN = {"style": "page.css", "media": "media.css", "script": "page.js"}
_SEARCHES = 2000
"""With more rows the page would be too large for the trials of each search; trials.jsonl has them."""


def html_report(report: Report, *, reload: int = 0, training: Sequence[Training] = ()) -> str:
    """Render a report.

    Parameters
    ----------
    report : Report
    reload : int
        After how many seconds the page loads itself again, for a run that goes on; 0 for never.
    training : sequence of Training
        What is being trained.

    Returns
    -------
    str
        A page that refers to no other address. The templates escape every text; only the style, the script and the
        drawings, which are made by this package, are not escaped.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("pubench.reporting.render", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "scope": scope, "kind": lambda block: type(block).__name__}
    environment.tests["template"] = lambda block: isinstance(block, TemplateBlock)
    folder = files("pubench.reporting.render") / "templates"
    own = {name: Markup((folder / file).read_text(encoding="utf-8")) for name, file in _OWN.items()}
    text = environment.get_template("page.html").render(
        report=report,
        sections=make_sections(report),
        rows=packed_rows([table.metric for table in report.tables], _with_searches(report)),
        board=packed_board(report),
        reload=reload,
        training=training,
        **own,
    )
    return text + "\n"


def _with_searches(report: Report) -> list[Row]:
    """Return the rows, each with one line on its search if there are not too many."""
    texts = search_texts(report.rows, report.details.trials) if len(report.rows) <= _SEARCHES else {}
    if not texts:
        return list(report.rows)
    return [{**row, "search": texts.get(row.get("key") or "")} for row in report.rows]
