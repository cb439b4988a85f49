"""What models of images told of each pixel: means over replicates, what stands out in them, and how alike they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.reporting.models import Inside, Place, told_by_place
from pubench.reporting.words import number
from pubench.stats.scores import Row

__all__ = ["IMAGE_HEADS", "Gallery", "Image", "find_galleries", "image_lines", "shown_galleries"]

Floats = NDArray[np.float64]
MOST_PIXELS = 40_000
"""That are drawn on a page: fifty images of 28 x 28, a kilobyte each, or four if they are noise."""
IMAGE_HEADS = (
    "data set",
    "algorithm",
    "weight",
    "heaviest pixel: line, column",
    "pixels with half of all weight",
    "correlation",
)


class Image(NamedTuple):
    """The weight of each pixel, shape (height, width); what it is, and where the heaviest stands, counted from 1.

    ``half`` is the least number of pixels that together have half of all weight, and ``alike`` the correlation with the
    first algorithm's image, NaN for that one and where nothing varies.
    """

    weights: Floats
    of: str
    peak: tuple[int, int]
    half: int
    alike: float

    @property
    def signed(self) -> bool:
        """Whether a weight may be for the positive class or against it."""
        return self.of == "coefficient"

    @property
    def told(self) -> str:
        """The picture in words, for those who cannot see it."""
        height, width = self.weights.shape
        line, column = self.peak
        size = number(float(self.weights[line - 1, column - 1]))
        text = (
            f"{self.of} of {height} x {width} pixels: the heaviest, {size}, in line {line}, column {column}; "
        )
        return f"{text}{self.half} have half of all weight"


class Gallery(NamedTuple):
    """The images of one setting, by data set and algorithm; ``algorithms`` have their names as the page shows them."""

    setting: str
    datasets: tuple[str, ...]
    algorithms: Mapping[str, str]
    images: Mapping[tuple[str, str], Image]


def find_galleries(rows: Sequence[Row], inside: Inside) -> list[Gallery]:
    """Return the mean image of each algorithm's models on each data set of images, setting by setting."""
    means: dict[str, dict[Place, tuple[Floats, str]]] = {}
    for where, cells in told_by_place(rows, inside).items():
        drawn = [cell for cell in cells if cell.get("image")]
        if drawn:
            means.setdefault(where.setting, {})[where] = _mean(drawn), str(drawn[0]["of"])
    return [_gallery(setting, found) for setting, found in means.items()]


def _mean(cells: Sequence[Mapping[str, Any]]) -> Floats:
    """Average the replicates; they share a data set, and so a shape."""
    pixels = np.array([cell["image"]["pixels"] for cell in cells], dtype=np.float64)
    return np.asarray(pixels.mean(axis=0).reshape(cells[0]["image"]["shape"]))


def _gallery(setting: str, means: Mapping[Place, tuple[Floats, str]]) -> Gallery:
    algorithms = {place.algorithm: place.algorithm + " †" * place.reference for place in means}
    datasets = tuple(dict.fromkeys(place.dataset for place in means))
    found = {(place.dataset, place.algorithm): mean for place, mean in means.items()}
    first = next(iter(algorithms))
    images = {}
    for (dataset, algorithm), (weights, of) in found.items():
        other = found.get((dataset, first))
        compared = other is not None and algorithm != first and other[1] == of
        images[dataset, algorithm] = _image(weights, of, other[0] if compared and other else None)
    return Gallery(setting, datasets, algorithms, images)


def _image(weights: Floats, of: str, other: Floats | None) -> Image:
    size = np.abs(weights).ravel()
    line, column = divmod(int(size.argmax()), weights.shape[1])
    running = np.cumsum(np.sort(size)[::-1])
    half = int(np.searchsorted(running, running[-1] / 2)) + 1 if running[-1] else 0
    return Image(weights, of, (line + 1, column + 1), half, _correlation(weights, other))


def _correlation(weights: Floats, other: Floats | None) -> float:
    r"""Return Pearson's correlation over pixels; NaN where there is none."""
    if other is None or not (np.ptp(weights) and np.ptp(other)):
        return np.nan
    return float(np.corrcoef(weights.ravel(), other.ravel())[0, 1])


def image_lines(gallery: Gallery) -> list[tuple[str, ...]]:
    """Return the numbers of each image under `IMAGE_HEADS`."""
    lines: list[tuple[str, ...]] = []
    for (dataset, algorithm), image in gallery.images.items():
        facts = f"{image.peak[0]}, {image.peak[1]}", str(image.half), number(image.alike)
        lines.append((dataset, gallery.algorithms[algorithm], image.of, *facts))
    return lines


def shown_galleries(galleries: Sequence[Gallery]) -> tuple[list[Gallery], int]:
    """Return what a page has room for, whole data sets at a time, and how many images are left out."""
    room, shown, more = MOST_PIXELS, [], 0
    for gallery in galleries:
        kept = []
        for dataset in gallery.datasets:
            sizes = [image.weights.size for place, image in gallery.images.items() if place[0] == dataset]
            if sum(sizes) <= room:
                room -= sum(sizes)
                kept.append(dataset)
            else:
                more += len(sizes)
        if kept:
            images = {place: image for place, image in gallery.images.items() if place[0] in kept}
            shown.append(gallery._replace(datasets=tuple(kept), images=images))
    return shown, more
