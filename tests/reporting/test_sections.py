"""Sections: each is listed, has an anchor of its own, and is shown by HTML and Markdown without further code."""

import importlib
import pkgutil

import pytest
from helpers.html import outline, rows_of

from pubench.reporting import Report, build_report, sections
from pubench.reporting.draw.curves import Drawing
from pubench.reporting.render.html import html_report
from pubench.reporting.render.markdown import markdown_report
from pubench.reporting.sections.blocks import (
    BulletList,
    Entry,
    FigureBlock,
    Paragraph,
    Section,
    TableBlock,
)

NUMBERS = TableBlock("The <i>numbers</i>", ("name", "value"), [("a|b", Entry("0.5", "(0.1)", tone="bad"))])
ALL_BLOCKS = Section(
    "mine",
    "My section",
    "My <b>heading</b>",
    (
        Paragraph("a <b>paragraph</b>"),
        BulletList(("one", "two"), "A list"),
        NUMBERS,
        FigureBlock(Drawing(("<svg></svg>",)), "the caption", NUMBERS),
    ),
)


def report() -> Report:
    return build_report(rows_of({"a": [0.9, 0.8], "b": [0.8, 0.7]}), "s", {"acc": True})


def test_every_section_of_the_folder_is_listed() -> None:
    modules = [
        importlib.import_module(f"{sections.__name__}.{found.name}")
        for found in pkgutil.iter_modules(sections.__path__)
    ]
    defined = {
        name for module in modules for name in vars(module) if name.endswith("_section") and name[0] != "_"
    }
    assert defined == {make.__name__ for make in sections.SECTIONS}


def test_markdown_is_made_without_the_sections_that_it_cannot_show() -> None:
    whole, shown = sections.make_sections(report()), sections.make_sections(report(), markdown=True)
    assert len(shown) < len(whole)
    assert not any(one.markdown_blocks for one in whole if one.name not in {kept.name for kept in shown})


def test_anchors_are_unique() -> None:
    names = [section.name for section in sections.make_sections(report())]
    assert len(set(names)) == len(names)


def test_a_new_section_is_on_the_page_and_in_markdown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "SECTIONS", (*sections.SECTIONS, lambda made: ALL_BLOCKS))
    page = html_report(report())
    found = outline(page)
    assert 'href="#mine">My section</a>' in page
    for text in ("My <b>heading</b>", "a <b>paragraph</b>", "two", "The <i>numbers</i>", "the caption"):
        assert text in found.text
    assert '<td class="bad">0.5 <span class="sd">(0.1)</span></td>' in page
    assert not {"b", "i"} & set(found.tags)
    markdown = markdown_report(report())
    assert "## My \\<b>heading\\</b>\n\na \\<b>paragraph\\</b>\n\n### A list\n\n- one\n- two\n" in markdown
    assert "| name | value |\n| --- | ---: |\n| a\\|b | 0.5 (0.1) |\n\nthe caption\n" in markdown


def test_a_section_without_content_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "SECTIONS", (lambda made: None,))
    assert sections.make_sections(report()) == []
