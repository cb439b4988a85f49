"""Outcomes of checks as JUnit XML, which continuous integration shows test by test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from pubench.testing.running import Outcome

__all__ = ["junit_xml"]

_TAGS = {"finding": "failure", "skipped": "skipped"}


def junit_xml(outcomes: Sequence[Outcome]) -> str:
    """Return a JUnit document: a test suite for each spec, a test case for each check."""
    root = Element("testsuites", name="pubench plugin check")
    for kind, name in dict.fromkeys((one.kind, one.name) for one in outcomes):
        own = [one for one in outcomes if (one.kind, one.name) == (kind, name)]
        counts = Counter(one.status for one in own)
        numbers = {
            "tests": len(own),
            "failures": counts["finding"],
            "skipped": counts["skipped"],
            "errors": 0,
        }
        about = {"name": f"{kind}/{name}", **{key: str(number) for key, number in numbers.items()}}
        suite = SubElement(root, "testsuite", about)
        for one in own:
            case = SubElement(suite, "testcase", classname=f"{kind}.{name}", name=one.title)
            if one.status in _TAGS:
                SubElement(case, _TAGS[one.status], message=one.message)
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=True) + "\n"
