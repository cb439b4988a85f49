"""Advice and explanations as one HTML file each, which needs no other file and no network."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from pubench.advise.advice import Advice
from pubench.advise.sections import Section, make_sections

__all__ = ["advice_page", "rendered"]


def advice_page(advice: Advice) -> str:
    """Render advice as a page with the content that the terminal shows."""
    title = f"Advice on {advice.source or 'a table in memory'}"
    return rendered("advice.html", title, make_sections(advice), advice=advice)


def rendered(template: str, title: str, sections: Sequence[Section], **values: object) -> str:
    """Render sections as a page.

    Parameters
    ----------
    template : str
        A file of this package that adds pictures to ``page.html``.
    title : str
    sections : sequence of Section
    **values
        What its pictures need.

    Returns
    -------
    str
        The template escapes every text; only the style, which is made by this package, is not escaped.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("pubench.advise", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = (files("pubench.advise") / "templates" / "advice.css").read_text(encoding="utf-8")
    page = environment.get_template(template)
    return page.render(title=title, sections=sections, style=Markup(style), **values) + "\n"
