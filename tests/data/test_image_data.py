"""Images as data: arrays with axes become rows that know their shape, bytes stay bytes, authors say what they want."""

from __future__ import annotations

import numpy as np
import pytest

from pubench import load_dataset
from pubench.data import Data
from pubench.data.checks import checked_data
from pubench.data.preprocess import Preprocess, fit_preprocess
from pubench.errors import DataError

TARGET = np.array([0, 1, 0, 1])


@pytest.mark.parametrize("shape", [(3, 2), (3, 2, 1), (3, 2, 3)])
def test_arrays_of_images_become_rows_of_pixels(shape):
    X = np.arange(4 * np.prod(shape), dtype=np.uint8).reshape(4, *shape)
    data = checked_data("mine", Data(X, TARGET))
    assert data.image_shape == shape
    assert data.X.dtype == np.uint8
    assert (data.X.reshape(X.shape) == X).all()
    flat = checked_data("mine", Data(X.reshape(4, -1), TARGET, image_shape=shape))
    assert (flat.X == data.X).all()
    assert flat.image_shape == shape


def test_two_shapes_that_differ_are_refused():
    with pytest.raises(
        DataError, match=r"image_shape \(2, 3\) is not the shape of the images, \(3, 2\); remove it"
    ):
        checked_data("mine", Data(np.zeros((4, 3, 2)), TARGET, image_shape=(2, 3)))


def test_archives_hold_colours_as_axes_or_as_rows(tmp_path):
    X = np.random.default_rng(0).integers(0, 255, (4, 5, 6, 3), dtype=np.uint8)
    np.savez(tmp_path / "axes.npz", data=X, target=TARGET)
    np.savez(tmp_path / "rows.npz", data=X.reshape(4, -1), target=TARGET)
    axes = load_dataset("npz", path=str(tmp_path / "axes.npz"))
    rows = load_dataset("npz", path=str(tmp_path / "rows.npz"), image_shape=[5, 6, 3])
    for loaded in (axes, rows):
        assert loaded.image_shape == (5, 6, 3)
        assert loaded.X.dtype == np.uint8


@pytest.mark.parametrize(
    ("stored", "asked", "given"),
    [
        (np.uint8, "uint8", np.uint8),
        (np.float64, "uint8", np.float32),
        (np.uint8, "float32", np.float32),
        (np.uint8, "float64", np.float64),
    ],
)
def test_rows_are_handed_over_as_the_author_asks(stored, asked, given):
    X = np.array([[0, 100], [200, 50]], dtype=stored)
    rows = fit_preprocess(Preprocess(), X, {}, dtype=asked).transform(X)
    assert rows.dtype == given
    assert (rows == X).all() if given is np.uint8 else np.allclose(rows.mean(axis=0), 0.0)
