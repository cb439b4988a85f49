"""Large ARFF files of OpenML are read in seconds."""

from __future__ import annotations

import time

import numpy as np
import pytest
from pubench_datasets.openml_source import openml

pytestmark = pytest.mark.slow


def timed(**arguments):
    """Load a data set that is in the cache and return it with the seconds of processor time it took."""
    begun = time.process_time()
    return openml(**arguments), time.process_time() - begun


@pytest.fixture
def patient(mirror, monkeypatch):
    """The mirror makes large files when they are first asked for."""
    monkeypatch.setenv("PUBENCH_OPENML_TIMEOUT", "300")
    return mirror


def test_covertype(patient):
    openml(id=1596)
    data, seconds = timed(id=1596)
    assert data.X.shape == (581_012, 54)
    assert len(data.categorical) == 44
    assert np.unique(data.target, return_counts=True)[1].tolist() == [
        211840,
        283301,
        35754,
        2747,
        9493,
        17367,
        20510,
    ]
    assert seconds < 20
    assert len(patient.log()) == 2


def test_mnist(patient):
    openml(name="mnist_784")
    data, seconds = timed(name="mnist_784", version=1)
    assert data.X.shape == (70_000, 784)
    assert data.X.min() == 0
    assert data.X.max() == 255
    assert np.unique(data.target, return_counts=True)[1].tolist()[:2] == [6903, 7877]
    assert seconds < 40
    assert len(patient.downloads()) == 1
