"""Claims of a paper in a suite: what is refused, and that they change neither plans nor smoke sizes."""

import pytest

from pubench.errors import SuiteError
from pubench.suite import load_suite, parse_suite

SUITE = """
name = "s"
[[datasets]]
use = "breast-cancer"
[[labellings]]
scenario = "case-control"
positives = 100
[[algorithms]]
use = "wlr"
[[algorithms]]
use = "puet"
[paper]
citation = "A. Author"
[[paper.claims]]
says = "wlr is better."
place = "Table 1"
"""


def problems(claim: str) -> str:
    with pytest.raises(SuiteError) as caught:
        parse_suite(SUITE + claim, "s.toml")
    return str(caught.value)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ('kind = "beat"', "paper.claims[0].kind"),
        ('kind = "beats"', 'paper.claims[0].metric: is missing; kind = "beats" needs it'),
        ('kind = "untested"', 'paper.claims[0].reason: is missing; kind = "untested" needs it'),
        (
            'kind = "order"\nmetric = "accuracy"\nalgorithms = ["wlr", "puet"]\nby = 0.1',
            'paper.claims[0].by = 0.1: has no effect with kind = "order"; remove it',
        ),
        ('kind = "beats"\nmetric = "accuracy"\nalgorithms = ["wlr"]', "list at least two"),
        (
            'kind = "beats"\nmetric = "accuracy"\nalgorithms = ["wlr", "pue"]',
            "'pue' is not in this suite's tables",
        ),
        (
            'kind = "beats"\nmetric = "recall"\nalgorithms = ["wlr", "puet"]',
            "'recall' is not in this suite's tables",
        ),
        (
            'kind = "trend"\nmetric = "accuracy"\nalgorithms = ["wlr"]\nalong = "labellings"',
            "paper.claims[0].labellings: must list at least two steps",
        ),
    ],
)
def test_a_claim_that_cannot_be_meant_is_refused_in_one_sentence(claim: str, expected: str) -> None:
    assert expected in problems(claim)


def test_claims_need_a_citation() -> None:
    text = SUITE.replace('citation = "A. Author"', "") + 'kind = "untested"\nreason = "why not"'
    with pytest.raises(SuiteError, match="to name the source of the claims"):
        parse_suite(text, "s.toml")


def test_a_smoke_size_makes_no_statement_about_claims() -> None:
    assert load_suite("pual-table3").paper.claims
    assert not load_suite("pual-table3-smoke").paper.claims
