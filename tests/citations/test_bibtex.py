"""BibTeX is read as authors write it, put into words, and refused with a sentence."""

from __future__ import annotations

import pytest

from pubench.citations import BibtexError, bibtex_entries, cite, in_words
from pubench.specs import Algorithm, Dataset

TWO = r"""
% what a reference manager writes
@InProceedings{first:2020,
  author    = {Sch{\"o}lkopf, Bernhard and {The Group} and Jean-Pierre du Pont and others},
  Title     = "A {PU} method \& more",
  booktitle = {Conf{\'e}rence},
  year      = 2020
}
between entries is a comment
@article{second, title={Nested {braces {stay} closed}}, journal={J}, volume={3}, year={2021}, doi={10.1/x_y},}
"""


def test_entries_have_a_kind_a_key_fields_and_their_own_text():
    first, second = bibtex_entries(TWO)
    assert (first.kind, first.key, second.key) == ("inproceedings", "first:2020", "second")
    assert first.fields["year"] == "2020"
    assert second.fields["title"] == "Nested {braces {stay} closed}"
    assert first.text.startswith("@InProceedings{first:2020,")
    assert first.text.endswith("2020\n}")
    assert second.text in TWO
    assert bibtex_entries(first.with_key("other").text)[0].fields == first.fields


def test_words_are_those_of_a_list_of_references():
    assert in_words(TWO) == (
        "B. Schölkopf, The Group, J.-P. du Pont et al., A PU method & more, Conférence, 2020; "
        "Nested braces stay closed, J 3, 2021, doi:10.1/x_y"
    )
    assert in_words("@misc{a, author = {Ko, Ryan K. L. and Ye, Nan}, title = {T}, eprint = {1.2}}") == (
        "R. K. L. Ko and N. Ye, T, arXiv:1.2"
    )
    assert in_words("not BibTeX") == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "holds no entry such as @article"),
        ("A. Author, 2020", "holds no entry"),
        ("@article{a, year = {2020}}", "has no title in entry 'a'"),
        ("@article{a, title = {T}", "that is not complete"),
        ("@article{a, title = {T", "has a brace that is not closed in entry 'a'"),
        ("@article{a, title = }", "has a field without a value"),
        ("@article{a, title = {T}, Title = {T}}", "has the field 'Title' twice"),
        ("@article{a, title = {T}} @article{a, title = {U}}", "holds the key 'a' twice"),
        ('@article{a, title = "T}', "has a field without a value"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(text, problem):
    with pytest.raises(BibtexError, match=problem):
        bibtex_entries(text)


def test_the_library_is_cited_by_key():
    assert [one.key for one in bibtex_entries(cite("kiryo2017", "lee2003"))] == ["kiryo2017", "lee2003"]
    with pytest.raises(BibtexError, match="no citation is called 'kiryo2107'; did you mean 'kiryo2017'"):
        cite("kiryo2107")


def test_the_words_of_a_spec_follow_from_its_bibtex_unless_it_has_its_own():
    entry = "@misc{a, author = {Author, A.}, title = {T}, year = {2026}}"
    assert Algorithm(name="a", estimator="m:C", bibtex=entry).paper == "A. Author, T, 2026"
    assert Algorithm(name="a", estimator="m:C", bibtex=entry, paper="mine").paper == "mine"
    assert Dataset(name="a", loader="m:f", bibtex=entry).citation == "A. Author, T, 2026"
    assert Algorithm(name="a", estimator="m:C").paper == ""
