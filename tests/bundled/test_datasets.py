"""The data sets included in scikit-learn are the published ones."""

from __future__ import annotations

import importlib
import subprocess
import sys

import numpy as np
import pubench_datasets
import pytest

PUBLISHED = {
    "breast-cancer": ((569, 30), {"malignant": 212, "benign": 357}),
    "digits": (
        (1797, 64),
        dict(zip("0123456789", [178, 182, 177, 183, 181, 182, 181, 179, 174, 180], strict=True)),
    ),
    "wine": ((178, 13), {"class_0": 59, "class_1": 71, "class_2": 48}),
    "iris": ((150, 4), {"setosa": 50, "versicolor": 50, "virginica": 50}),
}
POSITIVE_ROWS = {"breast-cancer": 212, "digits": 891, "wine": 71, "iris": 50}


def spec_named(name):
    return next(spec for spec in pubench_datasets.pubench_datasets() if spec.name == name)


def load(name):
    module, function = spec_named(name).loader.split(":")
    return getattr(importlib.import_module(module), function)()


def test_all_four_are_registered():
    assert set(PUBLISHED) <= {spec.name for spec in pubench_datasets.pubench_datasets()}


@pytest.mark.parametrize("name", PUBLISHED)
def test_shapes_and_class_counts(name):
    data, (shape, counts) = load(name), PUBLISHED[name]
    assert data.X.shape == shape
    assert data.target.shape == shape[:1]
    assert dict(zip(*np.unique(data.target, return_counts=True), strict=True)) == counts


@pytest.mark.parametrize("name", PUBLISHED)
def test_rows_are_plain_finite_numbers_with_named_columns(name):
    data = load(name)
    assert data.X.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert np.isfinite(data.X).all()
    assert data.target.dtype.kind == "U"
    assert len(set(data.feature_names)) == data.X.shape[1]
    assert all(type(column) is str for column in data.feature_names)
    assert not data.categorical
    assert data.split is None


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_default_positive_classes_leave_both_kinds_of_rows(name):
    data, positive = load(name), spec_named(name).positive
    assert set(positive) < set(data.target)
    assert np.isin(data.target, positive).sum() == POSITIVE_ROWS[name]


@pytest.mark.parametrize("name", PUBLISHED)
def test_provenance_is_given(name):
    spec = spec_named(name)
    assert all([spec.summary, spec.version, spec.source, spec.licence, spec.citation])


def test_rows_keep_their_classes():
    """Facts known from the literature: mean radius separates tumours, petals tell species apart."""
    cancer, iris = load("breast-cancer"), load("iris")
    radius = cancer.X[:, cancer.feature_names.index("mean radius")]
    assert radius[cancer.target == "malignant"].mean() == pytest.approx(17.46, abs=0.01)
    assert radius[cancer.target == "benign"].mean() == pytest.approx(12.15, abs=0.01)
    petal = iris.X[:, iris.feature_names.index("petal length (cm)")]
    means = [petal[iris.target == species].mean() for species in ("setosa", "versicolor", "virginica")]
    assert means == pytest.approx([1.462, 4.26, 5.552], abs=1e-3)


def test_importing_the_plugin_does_not_import_scikit_learn():
    code = "import sys, pubench_datasets as p; p.pubench_datasets(); sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
