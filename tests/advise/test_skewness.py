"""Laws of the transformation of skewed numbers: scipy's formula, its inverse, and what it does to columns."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import skew, yeojohnson
from sklearn.preprocessing import PowerTransformer

from pubench.advise.schema import Schema, learn_schema
from pubench.advise.skewness import EXPONENTS, Unskewing, learn_unskewing


def some_numbers(power, n=400):
    z = np.sign(found := np.random.default_rng(0).normal(size=n)) * np.abs(found) ** power
    return (z - z.mean()) / z.std()


@pytest.mark.parametrize("exponent", [-2.0, -0.3, 0.0, 0.7, 1.0, 2.0, 3.0])
def test_the_formula_is_scipys_and_its_inverse_undoes_it(exponent):
    z = np.linspace(-3, 3, 61)
    made = Unskewing(exponent, mean=0.5, scale=2.0)
    np.testing.assert_allclose(made.apply(z) * 2.0 + 0.5, yeojohnson(z, exponent), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(made.invert(made.apply(z)), z, atol=1e-9)


@pytest.mark.parametrize("tail", [-1.0, 1.0])
def test_the_exponent_is_that_of_scikit_learn(tail):
    z = tail * np.random.default_rng(1).gamma(2.0, size=300)
    z = (z - z.mean()) / z.std()
    found = learn_unskewing(z)
    known = PowerTransformer().fit(z[:, None])
    assert EXPONENTS[0] < known.lambdas_[0] < EXPONENTS[1]
    assert found.exponent == pytest.approx(known.lambdas_[0], abs=1e-3)
    np.testing.assert_allclose(found.apply(z), known.transform(z[:, None])[:, 0], atol=1e-3)
    assert abs(skew(found.apply(z))) < 0.3 < abs(skew(z))


def test_normal_numbers_hardly_change_and_few_values_do_not():
    z = some_numbers(1.0)
    assert np.abs(learn_unskewing(z).apply(z) - z)[np.abs(z) < 2].max() < 0.15
    assert learn_unskewing(np.tile([-1.0, 0.0, 1.0], 50)) is None


def test_a_far_value_bounds_the_exponent():
    z = np.append(np.zeros(400) + np.linspace(-0.1, 0.1, 400), 1e6)
    found = learn_unskewing((z - z.mean()) / z.std())
    assert found is None or EXPONENTS[0] <= found.exponent <= EXPONENTS[1]


def test_columns_are_symmetric_standardised_and_read_back_as_they_were():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"income": rng.lognormal(8, 1.5, 500), "rooms": rng.integers(1, 6, 500)})
    frame.loc[::10, "income"] = np.nan
    schema, _ = learn_schema(frame, label=None, ids=())
    income, rooms = schema.columns
    assert rooms.unskewing is None
    encoded = schema.encode(frame).X[:, 0][frame["income"].notna()]
    known = frame["income"].dropna().to_numpy()
    assert abs(skew(encoded)) < 1.0 < 5.0 < skew(known)
    np.testing.assert_allclose([income.original(one) for one in encoded[:20]], known[:20], rtol=1e-6)
    again = Schema.from_json(json.loads(json.dumps(schema.to_json())))
    assert again == schema


def test_a_far_value_of_a_new_row_counts_as_the_bound_of_far_values():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"income": rng.lognormal(8, 1.5, 300), "age": rng.normal(size=300)})
    schema, _ = learn_schema(frame, label=None, ids=())
    new = pd.DataFrame({"income": [1e300, -1e300, 1e12, 8.0], "age": [0.0, 1e200, -1e200, 0.0]})
    encoded = schema.encode(new)
    assert np.isfinite(encoded.X).all()
    assert encoded.X[0, 0] == encoded.X[2, 0] > schema.encode(frame).X[:, 0].max()
    assert [one.count for one in encoded.remarks if one.kind == "outside"] == [3, 2]
