"""Advice as one HTML file that needs no other file and no network."""

from __future__ import annotations

from importlib.resources import files

from pubench.advise.advice import Advice
from pubench.advise.sections import make_sections

__all__ = ["advice_page"]


def advice_page(advice: Advice) -> str:
    """Render advice as a page with the content that the terminal shows.

    Parameters
    ----------
    advice : Advice

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
    sections = make_sections(advice)
    text = environment.get_template("advice.html").render(
        advice=advice, sections=sections, style=Markup(style), title=advice.source or "a table in memory"
    )
    return text + "\n"
