"""A few images of a data set are kept with a run and shown in its report, unless the suite says no."""

from __future__ import annotations

import base64
import io
import zlib

import numpy as np
import pytest
from helpers.suites import run_text, toml

import pubench
from pubench.data.pictures import LARGEST, MOST, _bytes
from pubench.reporting.draw.pixels import strip_address
from pubench.results.run_folder import cards_of, read_provenance

PLUGIN = """
import numpy as np

from pubench import hookimpl
from pubench.data import Data
from pubench.specs import Dataset


def load():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.integers(0, 50, (80, 4, 5, 3), dtype=np.uint8)
    X[y == 1, :, :, 0] += 200
    return Data(X, y)


@hookimpl
def pubench_datasets():
    return [Dataset(name="red", loader=load, positive=("1",), summary="Red is positive.")]
"""


def unpacked(pictures, side):
    values = np.frombuffer(zlib.decompress(base64.b64decode(pictures[side])), dtype=np.uint8)
    return values.reshape(-1, *pictures["shape"])


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    path = tmp_path_factory.mktemp("plugin") / "red_images.py"
    path.write_text(PLUGIN)
    return path


def run_images(tmp_path, plugin, **changes):
    text = toml(datasets=[{"use": "red"}], algorithms=[{"use": "wlr"}], **changes)
    return run_text(tmp_path, text, plugins=[plugin])


def test_a_card_holds_images_of_both_classes_in_colour_and_the_page_shows_them(tmp_path, plugin):
    folder = run_images(tmp_path, plugin).folder
    pictures = cards_of(read_provenance(folder))["red"]["pictures"]
    assert pictures["shape"] == [4, 5, 3]
    positive, negative = (unpacked(pictures, side) for side in ("positive", "negative"))
    assert len(positive) == len(negative) == MOST
    assert positive[..., 0].min() >= 200
    assert negative.max() < 50
    pubench.report(folder, formats=("html",), out=tmp_path / "report")
    page = (tmp_path / "report" / "report.html").read_text()
    assert page.count('<figure class="strip"><img src="data:image/png;base64,') == 2
    assert 'alt="red: some positive images"' in page


def test_a_suite_can_say_no(tmp_path, plugin):
    folder = run_images(tmp_path, plugin, store={"pictures": False}).folder
    assert "pictures" not in cards_of(read_provenance(folder))["red"]


def test_images_are_bytes_of_a_moderate_size():
    grey = np.linspace(0.0, 16.0, 2 * 64).reshape(2, 64)
    assert _bytes(grey, (8, 8)).shape == (2, 8, 8)
    assert (_bytes(grey, (8, 8)).min(), _bytes(grey, (8, 8)).max()) == (0, 255)
    large = np.zeros((1, 100 * 200 * 3), dtype=np.uint8)
    assert max(_bytes(large, (100, 200, 3)).shape[1:3]) <= LARGEST
    assert _bytes(np.zeros((1, 4 * 4 * 5)), (4, 4, 5)).shape == (1, 4, 4)
    holes = np.array([[np.nan, 1.0, 2.0, 4.0]])
    assert _bytes(holes, (2, 2)).ravel().tolist() == [0, 64, 128, 255]


@pytest.mark.parametrize("shape", [(3, 4, 5), (3, 4, 5, 3)])
def test_a_strip_has_the_images_side_by_side(shape):
    from matplotlib.image import imread

    rng = np.random.default_rng(1)
    images = rng.integers(0, 256, shape, dtype=np.uint8)
    text = strip_address(images)
    assert strip_address(images) == text
    read = np.round(imread(io.BytesIO(base64.b64decode(text.partition(",")[2]))) * 255).astype(np.uint8)
    assert read.shape == (4, 3 * 5 + 2, 4)
    second = images[1] if images.ndim == 4 else np.repeat(images[1][..., None], 3, axis=2)
    assert np.array_equal(read[:, 6:11, :3], second)
    assert read[:, 5, 3].max() == 0
