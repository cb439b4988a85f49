"""Whatever comes with pubench says whom to cite: as BibTeX that can be read, one key for one paper."""

from __future__ import annotations

import re

import pytest

from pubench.citations import bibtex_entries, cite
from pubench.plugins import discover

REGISTRY = discover(third_party=False)
KINDS = ("algorithms", "criteria", "priors", "datasets")
OWN_DATA = ("arff", "csv", "jsonl", "npz", "parquet", "svmlight", "tsv")
"""Formats of files: their citation is that of the user's data."""
SPECS = [
    pytest.param(found.spec, id=f"{kind}-{name}")
    for kind in KINDS
    for name, found in REGISTRY.all(kind).items()
    if not (kind == "datasets" and name in OWN_DATA)
]


@pytest.mark.parametrize("spec", SPECS)
def test_every_bundled_spec_is_cited_by_entries_of_the_library(spec):
    """A new spec needs an entry in pubench/citations/papers.bib or datasets.bib, and bibtex=cite(key)."""
    for entry in bibtex_entries(spec.bibtex):
        assert entry.text == cite(entry.key)
    assert getattr(spec, "paper", "") or spec.citation


def test_the_library_holds_nothing_that_is_not_cited():
    cited = {entry.key for param in SPECS for entry in bibtex_entries(param.values[0].bibtex)}
    from pubench.citations import _library

    assert cited == set(_library())


def test_entries_name_authors_and_digital_identifiers_as_they_should():
    from pubench.citations import _library

    for entry in bibtex_entries("\n".join(_library().values())):
        fields = entry.fields
        assert re.fullmatch(r"[a-z][a-z0-9-]*", entry.key)
        assert fields.get("author") or fields["key"], "BibTeX sorts by one of them"
        assert "year" not in fields or re.fullmatch(r"(19|20)\d\d", fields["year"])
        assert "doi" not in fields or re.fullmatch(r"10\.\d{4,5}/\S+", fields["doi"])
        assert "eprint" not in fields or re.fullmatch(r"\d{4}\.\d{5}", fields["eprint"])
        assert entry.text.isascii()
