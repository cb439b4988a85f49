"""Parameters of a suite against the rules of the estimators that they are for."""

from __future__ import annotations

import pytest
from helpers.suites import toml

from pubench.plan.checking import parameter_problems
from pubench.plugins.discovery import discover
from pubench.suite import parse_suite

BAD_VALUES = [
    (
        {"use": "wlr", "params": {"c": -1.0}},
        "algorithms[0].params.c: 'wlr' does not allow -1.0; give a finite number",
    ),
    ({"use": "wlr", "params": {"c": "much"}}, "algorithms[0].params.c: 'wlr' does not allow 'much'"),
    (
        {"use": "puet", "tune": True, "search": {"n_estimators": [10, 0]}},
        "algorithms[0].search.n_estimators: 'puet' does not allow 0; give a whole number of at least 1",
    ),
    (
        {"use": "wlr", "tune": True, "search": {"c": {"low": -1.0, "high": 1.0}}},
        "algorithms[0].search.c: 'wlr' does not allow -1.0",
    ),
    (
        {"use": "naive-et-prior", "params": {"n_folds": 1}},
        "algorithms[0].params.n_folds: 'naive-et-prior' does not allow 1; give a whole number of at least 2",
    ),
    (
        {"use": "naive-et-prior", "params": {"leaves": 3}},
        "algorithms[0]: 'naive-et-prior' cannot be made with these parameters",
    ),
]
GOOD = [
    {"use": "wlr", "params": {"c": 2}},
    {
        "use": "puet",
        "params": {"prior": "bbe", "max_depth": 3},
        "tune": True,
        "search": {"n_estimators": [10, 20]},
    },
    {"use": "naive-et-prior", "params": {"min_samples_leaf": 3}, "tune": True},
    {"use": "pu-bagging-et", "tune": True},
]


def problems(*entries):
    return list(parameter_problems(parse_suite(toml(algorithms=entries), "toy.toml"), discover()))


@pytest.mark.parametrize(("entry", "sentence"), BAD_VALUES)
def test_values_that_an_algorithm_does_not_allow_are_found(entry, sentence):
    (said,) = problems(entry)
    assert said.startswith(sentence)


def test_values_that_it_allows_are_not():
    assert problems(*GOOD) == []
