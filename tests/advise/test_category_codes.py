"""Laws of codes: they say what the indicators say, and members that take them are fitted and asked with them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from pubench import Algorithm, hookimpl
from pubench.advise import methods
from pubench.advise.category_codes import with_codes
from pubench.advise.comparing import compare
from pubench.advise.ensemble import Candidate, Ensemble
from pubench.advise.methods import resolve_methods
from pubench.advise.schema import learn_schema
from pubench.estimators.out_of_fold import ranking_scores
from pubench.plugins.discovery import build_registry
from pubench.plugins.registry import Origin

SCENARIO = "single-training-set"


def some_rows(n=160, seed=0):
    """Return indicators of a category between two numbers, its codes, and labels."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.5
    codes = np.where(y, rng.integers(2, 5, n), rng.integers(0, 4, n))
    indicators = codes[:, None] == np.arange(1, 5)
    X = np.column_stack([rng.normal(size=n) + y, indicators, rng.normal(size=n)]).astype(np.float64)
    return X, codes, (y & (rng.random(n) < 0.5)).astype(np.uint8)


GROUPS = ((1, 2, 3, 4),)


def test_codes_take_the_place_of_indicators_and_leave_other_columns_alone():
    X, codes, _ = some_rows()
    np.testing.assert_array_equal(with_codes(X, GROUPS), np.column_stack([X[:, 0], codes, X[:, 5]]))
    assert with_codes(X, ()) is X
    twice = np.column_stack([X, X])
    both = with_codes(twice, ((1, 2, 3, 4), (7, 8, 9, 10)))
    np.testing.assert_array_equal(both, np.column_stack([with_codes(X, GROUPS)] * 2))


def test_a_schema_groups_the_indicators_of_each_category():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"size": rng.normal(size=90), "city": rng.choice(["Rome", "Oslo", "Bern"], 90)})
    frame["sex"] = rng.choice(["f", "m"], 90)
    frame["kind"] = rng.choice(["a", "b", "c", None], 90)
    schema, _ = learn_schema(frame, label=None, ids=())
    groups = [[schema.names[place] for place in group] for group in schema.groups]
    assert [[name.partition(" = ")[0] for name in group] for group in groups] == [["city"] * 3, ["kind"] * 3]
    assert not any("missing" in name for group in groups for name in group)


def test_a_member_that_takes_codes_is_asked_with_codes():
    X, _, s = some_rows()
    candidates = [Candidate("nb", GaussianNB(), 1.0, takes_codes=True), Candidate("other", GaussianNB(), 1.0)]
    ensemble = Ensemble(candidates, prior=0.5, scenario=SCENARIO, groups=GROUPS).fit(X, s)
    new, _, _ = some_rows(50, seed=2)
    own = [GaussianNB().fit(rows, s) for rows in (with_codes(X, GROUPS), X)]
    scores = [ranking_scores(own[0], with_codes(new, GROUPS)), ranking_scores(own[1], new)]
    shares = [member.shares(found) for member, found in zip(ensemble.members_, scores, strict=True)]
    np.testing.assert_allclose(ensemble.blend(new).score, np.mean(shares, axis=0), rtol=1e-12)


@pytest.mark.parametrize(("name", "takes_codes"), [("naive-et-prior", True), ("naive-lr-prior", False)])
def test_trees_are_compared_with_codes_and_linear_methods_with_indicators(name, takes_codes):
    X, _, s = some_rows()
    named = {"names": [name], "prior": 0.5, "scenario": SCENARIO, "seed": 3, "repeats": 1}
    found = compare(X, s, groups=GROUPS, **named)
    expected = compare(with_codes(X, GROUPS) if takes_codes else X, s, **named)
    other = compare(X if takes_codes else with_codes(X, GROUPS), s, **named)
    np.testing.assert_array_equal(found.margins, expected.margins)
    assert not np.array_equal(found.margins, other.margins)


@pytest.mark.parametrize(
    ("declared", "takes_codes"),
    [
        ({}, False),
        ({"accepts": ("sparse", "missing")}, False),
        ({"accepts": ("categorical",)}, True),
        # It would take them for numbers unless it is told which columns hold them.
        ({"accepts": ("categorical",), "receives": ("categorical_features",)}, False),
    ],
)
def test_a_strangers_method_gets_the_columns_that_its_spec_accepts(monkeypatch, declared, takes_codes):
    spec = Algorithm(
        name="strange", estimator="sklearn.naive_bayes:GaussianNB", **{"receives": (), **declared}
    )
    plugin = type("Plugin", (), {"pubench_algorithms": hookimpl(lambda: [spec])})
    registry = build_registry([(Origin("p", "d", "1"), lambda: plugin)])
    monkeypatch.setattr(methods, "discover", lambda: registry)
    (method,) = resolve_methods(["strange"])
    assert method.takes_codes is takes_codes
