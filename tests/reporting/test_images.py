"""Weights of pixels: all are kept where rows are images, and the page draws them where the class can be seen."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.html import outline, row
from helpers.reports import details
from matplotlib.image import imread

from pubench import load_dataset, read_results, run_suite
from pubench.child.introspection import COLUMNS, PIXELS, look_inside
from pubench.data import Data
from pubench.data.checks import checked_data
from pubench.errors import DataError
from pubench.protocol import Predictions
from pubench.protocol.replies import Introspection, PixelWeights
from pubench.reporting import Report, build_report, report_of
from pubench.reporting.draw.pixels import png
from pubench.reporting.render.html import html_report
from pubench.reporting.render.markdown import markdown_report
from pubench.reporting.sections.images import MOST_PIXELS, find_galleries, shown_galleries
from pubench.results.store import read_inside

HEIGHT, WIDTH = 11, 13
PATCH = (slice(2, 5), slice(7, 10))
SUITE = """
name = "patch"
replicates = 2
[[datasets]]
use = "npz"
name = "images"
params = { path = "images.npz" }
positive = ["1"]
[[datasets]]
use = "npz"
name = "rows"
params = { path = "rows.npz" }
positive = ["1"]
[[labellings]]
scenario = "case-control"
positives = 150
[[algorithms]]
use = "puet"
[[algorithms]]
use = "supervised-et"
[[algorithms]]
use = "wlr"
[prior]
source = "true"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Images of noise, lighter within the patch where the class is 1; once as images and once as plain rows."""
    folder, rng = tmp_path_factory.mktemp("images"), np.random.default_rng(0)
    target = rng.integers(0, 2, 800)
    images = rng.normal(size=(800, HEIGHT, WIDTH))
    images[:, *PATCH] += 1.5 * target[:, None, None]
    np.savez(folder / "images.npz", data=images, target=target)
    # The same rows would be the same cells.
    np.savez(folder / "rows.npz", data=images[:-1].reshape(799, -1), target=target[:-1])
    (folder / "s.toml").write_text(SUITE)
    run_suite(folder / "s.toml", out=folder / "run")
    return folder / "run"


@pytest.mark.slow
def test_the_shape_is_loaded_from_the_cache_as_well(run: Path) -> None:
    for _ in range(2):
        images = load_dataset("npz", path=str(run.parent / "images.npz"))
        assert images.X.shape == (800, HEIGHT * WIDTH)
        assert images.image_shape == (HEIGHT, WIDTH)
    assert load_dataset("npz", path=str(run.parent / "rows.npz")).image_shape == ()


def page(run: Path) -> str:
    results = read_results(run)
    return html_report(report_of(results))


def drawn(address: str) -> Any:
    """The picture behind an address, as how light each pixel is."""
    file = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    return imread(io.BytesIO(file))[..., :3].sum(axis=-1)


@pytest.mark.slow
def test_images_keep_all_weights_and_other_rows_the_largest(run: Path) -> None:
    rows, inside = read_results(run).rows, read_inside(run)
    found_by_place = {(each["dataset"], each["algorithm"]): inside[each["key"]] for each in rows}
    assert len(found_by_place) == 6
    for (dataset, _), found in found_by_place.items():
        assert len(found.weights) <= COLUMNS < found.size == HEIGHT * WIDTH
        if dataset == "images":
            assert found.image is not None
            assert found.image.shape == (HEIGHT, WIDTH)
            assert len(found.image.pixels) == HEIGHT * WIDTH
            assert sum(map(bool, found.image.pixels)) > COLUMNS
        else:
            assert found.image is None


@pytest.mark.slow
def test_the_light_pixels_are_those_that_depend_on_the_class(run: Path) -> None:
    addresses = re.findall(r'<img src="([^"]*)"', page(run))
    assert len(addresses) == 3
    patch = np.zeros((HEIGHT, WIDTH), dtype=bool)
    patch[PATCH] = True
    for address in addresses:
        light = drawn(address)
        assert light.shape == (HEIGHT, WIDTH)
        assert light[patch].min() > np.median(light[~patch])
        assert set(np.argsort(light, axis=None)[-4:]) <= set(np.flatnonzero(patch))


@pytest.mark.slow
def test_each_picture_has_a_text_and_a_place_and_plain_rows_a_table(run: Path) -> None:
    text = page(run)
    alts = re.findall(r'<img [^>]* alt="([^"]*)"', text)
    assert [alt.partition(",")[0] for alt in alts] == [
        "puet on images",
        "supervised-et † on images",
        "wlr on images",
    ]
    assert all("of 11 x 13 pixels: the largest, " in alt for alt in alts)
    found = outline(text)
    assert all(link.startswith(("#", "data:image/png")) for link in found.links)
    weights = text.partition("Feature importance</caption>")[2].partition("</table>")[0]
    assert weights.count('scope="row"') == 3
    assert "column 33" in weights
    assert "images" not in weights


@pytest.mark.slow
def test_markdown_has_the_numbers(run: Path) -> None:
    results = read_results(run)
    lines = [line for line in markdown_report(report_of(results)).splitlines() if "| images |" in line]
    # The last one is the card of the data.
    table = [line.strip("| ").split(" | ") for line in lines[-4:-1]]
    assert [line[1] for line in table] == ["puet", "supervised-et †", "wlr"]
    for line in table:
        down, across = (int(text) - 1 for text in line[3].split(", "))
        assert down in range(11)[PATCH[0]]
        assert across in range(13)[PATCH[1]]
    # Importances are compared with each other, but not with another kind of weight.
    assert [line[5] for line in table][::2] == ["–", "–"]
    assert float(table[1][5]) > 0.8


class Weighed:
    def __init__(self, **weights: Any) -> None:
        vars(self).update(weights)


def looked_into(weights: Any, shape: tuple[int, ...], name: str = "coef_") -> Introspection:
    nothing = Predictions(np.zeros(1), np.ones(1, dtype=np.uint8), None)
    return look_inside(Weighed(**{name: weights}), np.zeros((1, 1)), nothing, shape)[0]


def test_an_image_is_kept_whole_where_it_is_one() -> None:
    image = looked_into([[0.0, -1.5], [2.0, 0.25]], (2, 2)).image
    assert image == PixelWeights(shape=(2, 2), pixels=(0.0, -1.5, 2.0, 0.25))
    # Preprocessing left out a column; and what is too large.
    assert looked_into([1.0, 2.0, 3.0], (2, 2)).image is None
    assert looked_into(np.ones(PIXELS + 1), (1, PIXELS + 1)).image is None
    assert looked_into(np.ones(PIXELS), (1, PIXELS)).image is not None


@pytest.mark.parametrize("shape", [(28, 28), (6,), (2, 3, 2), (2, 3, 1, 1), (-2, -3), (2.0, 3.0), (0, 6)])
def test_a_shape_that_does_not_fit_gets_a_sentence(shape: Any) -> None:
    data = Data(np.ones((4, 6)), np.array([0, 1, 0, 1]), image_shape=shape)
    with pytest.raises(DataError) as found:
        checked_data("mine", data)
    rest = "does not match 6 features; set the height and width in pixels and, for colours, the number of channels"
    assert str(found.value) == f"'mine': image_shape {shape} {rest}"


def test_pixels_are_no_categories() -> None:
    X, target = np.zeros((2, 6)), np.array([0, 1])
    assert checked_data("mine", Data(X, target, image_shape=(2, 3))).image_shape == (2, 3)
    with pytest.raises(DataError, match="pixels cannot be categorical"):
        checked_data("mine", Data(X, target, categorical={0: ("a",)}, image_shape=(2, 3)))


def cell(pixels: Any, of: str = "importance") -> dict[str, Any]:
    values = np.asarray(pixels, dtype=np.float64)
    image = {"shape": list(values.shape), "pixels": values.ravel().tolist()}
    return {"of": of, "size": values.size, "weights": [["c", 1.0]], "image": image}


def reported(rows: list[dict[str, Any]], models: dict[str, Any]) -> Report:
    return build_report(rows, "s", {"acc": True}, details=details(models=models))


def test_an_image_is_the_mean_over_replicates_and_compared_with_the_first() -> None:
    rows = [row(name, 0.5, replicate=r, key=f"{name}{r}") for name in ("a", "b", "c") for r in range(2)]
    models = {"a0": cell([[0, 1, 2]]), "a1": cell([[0, 3, 4]])}
    models |= {
        "b0": cell([[3, 1, 0]]),
        "b1": cell([[3, 1, 0]]),
        "c0": cell([[1, 1, 1]]),
        "c1": cell([[1, 1, 1]]),
    }
    (gallery,) = find_galleries(reported(rows, models))
    a, b, c = gallery.images.values()
    np.testing.assert_array_equal(a.weights, [[0, 2, 3]])
    assert (a.peak, a.half) == ((1, 3), 1)
    assert b.correlation == pytest.approx(np.corrcoef([0, 2, 3], [3, 1, 0])[0, 1])
    # Nothing to compare it with, nothing that varies.
    assert np.isnan([a.correlation, c.correlation]).all()
    assert c.half == 2


def test_signs_have_colours_and_nothing_is_dark() -> None:
    (gallery,) = find_galleries(
        reported([row("a", 0.5, key="k")], {"k": cell([[-2.0, 0.0, 2.0]], "coefficient")})
    )
    (image,) = gallery.images.values()
    below, nothing, above = imread(io.BytesIO(png(image.weights, signed=True)))[0, :, :3]
    assert below[2] > below[0] + 0.2
    assert above[0] > above[2] + 0.1
    assert nothing.max() < 0.15
    assert min(below.sum(), above.sum()) > 4 * nothing.sum()
    # A model without weights has a black picture.
    assert imread(io.BytesIO(png(np.zeros((2, 2)), signed=False)))[..., :3].max() < 0.05


def test_a_page_draws_a_limited_number_of_pixels_and_counts_the_rest() -> None:
    shape = np.ones((100, 100))
    count = MOST_PIXELS // shape.size + 3
    rows = [row("a", 0.5, dataset=f"d{i}", key=f"k{i}") for i in range(count)]
    models = {f"k{i}": cell(shape) for i in range(count)}
    shown, more = shown_galleries(find_galleries(reported(rows, models)))
    assert (len(shown[0].images), more) == (count - 3, 3)
    text = html_report(reported(rows, models))
    assert text.count("<img") == count - 3
    assert "3 more are not drawn" in text


def test_fifty_images_of_noise_leave_the_page_small() -> None:
    rng = np.random.default_rng(0)
    rows = [row("a", 0.5, dataset=f"d{i}", key=f"k{i}") for i in range(50)]
    models = {f"k{i}": cell(rng.random((28, 28))) for i in range(50)}
    text = html_report(reported(rows, models))
    assert text.count("<img") == 50
    assert len(text) < 300_000


def test_names_are_texts_and_a_page_without_images_has_no_section_of_them() -> None:
    rows = [row('<b>"x', 0.5, dataset="<i>|", key="k")]
    report = reported(rows, {"k": cell([[0, 1]])})
    found = outline(html_report(report))
    assert not {"b", "i"} & set(found.tags)
    assert found.tags["img"] == 1
    assert "<i>\\|" in markdown_report(report).replace("\\<", "<")
    plain = html_report(reported(rows, {"k": {"of": "importance", "size": 1, "weights": [["c", 1.0]]}}))
    assert 'class="gallery"' not in plain
    assert 'id="pictures"' not in plain


def test_pictures_of_colour_images_show_red_green_and_blue() -> None:
    weights = np.zeros((2, 2, 3))
    weights[0, 0, 0], weights[1, 1, 2] = 4.0, 2.0
    picture = imread(io.BytesIO(png(weights, signed=False)))[..., :3]
    assert picture[0, 0].tolist() == [1.0, 0.0, 0.0]
    assert picture[1, 1] == pytest.approx([0.0, 0.0, 0.5], abs=0.01)
    grey = imread(io.BytesIO(png(-weights, signed=True)))[..., :3]
    assert grey[0, 1] == pytest.approx([0.5, 0.5, 0.5], abs=0.01)
    assert grey[0, 0, 0] == 0.0


def test_the_weights_of_a_pixel_count_together() -> None:
    image = looked_into(np.arange(12.0), (2, 2, 3)).image
    assert image is not None
    assert image.shape == (2, 2, 3)
