"""What the contract reads in a spec: excuses, small parameters, and placeholders that were left."""

from __future__ import annotations

import pytest

from pubench.plugins import Origin, Registered
from pubench.specs import Algorithm
from pubench.testing import AlgorithmContract
from pubench.testing.contract import ContractError, plain
from pubench.testing.running import run_checks
from pubench.testing.subjects import find_subjects

PLUGIN = """
import numpy as np
from pubench import Algorithm, hookimpl


class Direction:
    def __init__(self, steps=10**9):
        self.steps = steps

    def fit(self, X, s):
        assert self.steps < 10, "the checks take small parameters"
        self.direction_ = X[s == 1].mean(axis=0) - X[s == 0].mean(axis=0)
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X):
        return X @ self.direction_

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


@hookimpl
def pubench_algorithms():
    return [Algorithm(name="small", estimator=Direction, summary="s", licence="BSD", test_params={"steps": 2},
                      paper="PAPER", excused={"test_scikit_learn": "it is no scikit-learn estimator", EXCUSED})]
"""


def outcomes(tmp_path, *, paper="A. Author, 2026", excused="", name):
    file = tmp_path / f"{name}.py"
    file.write_text(PLUGIN.replace("PAPER", paper).replace("EXCUSED", excused))
    return {one.check: one for one in run_checks(find_subjects(str(file)), seconds=120)}


def test_excuses_and_small_parameters_of_the_spec_hold_for_the_command_too(tmp_path):
    found = outcomes(tmp_path, name="small_one")
    assert found["test_scikit_learn"].status == "skipped"
    assert found["test_scikit_learn"].message == "it is no scikit-learn estimator"
    assert [one for one in found.values() if one.status == "finding"] == []


@pytest.mark.slow
def test_placeholders_and_unknown_excuses_are_findings(tmp_path):
    found = outcomes(
        tmp_path, paper="Unpublished: name the paper here", excused='"test_sklearn": "no"', name="small_two"
    )
    assert "is a placeholder" in found["test_metadata"].message
    assert "did you mean" in found["test_excuses"].message


ENTRY = "@misc{a, author = {Author, A.}, title = {T}}"


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ({"bibtex": ENTRY}, ""),
        ({"paper": "A. Author, 2026"}, ""),
        (
            {"paper": "TODO", "bibtex": ENTRY},
            "paper of 'a' is a placeholder ('TODO'); write what it asks for",
        ),
        (
            {"bibtex": "@misc{a, title = {T}"},
            "bibtex of 'a' has an entry 'a' that is not complete: it is name = {text}, ... and ends with }; "
            "correct it, since reports copy it",
        ),
        (
            {"summary": ""},
            "the spec of 'a' lacks summary, paper; add them, since reports show them and others need them to "
            "cite and reuse it",
        ),
    ],
)
def test_a_citation_is_complete_and_readable(stated, said):
    spec = Algorithm(name="a", estimator="m:C", **({"summary": "s", "licence": "MIT"} | stated))

    class Stated(AlgorithmContract):
        registered = Registered(spec, Origin("a", "a", "1"))
        name = "a"

    if not said:
        Stated().test_metadata()
        return
    with pytest.raises(ContractError) as caught:
        Stated().test_metadata()
    assert str(caught.value) == said


def test_an_error_without_a_message_is_known_by_its_line():
    with pytest.raises(AssertionError) as caught:
        raise AssertionError
    assert plain(caught.value) == "AssertionError: in `raise AssertionError`"
    with pytest.raises(ValueError) as caught:
        raise ValueError("too short")
    assert plain(caught.value) == "ValueError: too short"
