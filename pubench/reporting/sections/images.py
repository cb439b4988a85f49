"""The section of pixel weights: pictures of what models of images weight, and how similar algorithms are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.reporting.draw.pixels import data_address
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import Paragraph, Section, SectionBlock, TableBlock, TemplateBlock
from pubench.reporting.sections.models import ModelPlace, models_by_place
from pubench.reporting.wording import REFERENCE, number
from pubench.results.record import PixelWeights

__all__ = ["Gallery", "Image", "find_galleries", "images_section", "shown_galleries"]

Floats = NDArray[np.float64]
MOST_PIXELS = 40_000
"""The limit of a page: fifty images of 28 x 28, each of one kilobyte, or of four if they are noise."""
IMAGE_HEADS = (
    "data set",
    "algorithm",
    "weight",
    "largest weight: line, column",
    "pixels with half of all weight",
    "correlation",
)
_TEXTS = (0, 1, 2)
_COLOURS = 3
_MARKDOWN_NOTE = (
    "Means over replicates; report.html draws them. The correlation, over pixels, is with the first algorithm on the "
    "same data set. A dagger marks algorithms that used true labels."
)


class Image(NamedTuple):
    """The weight of each pixel, shape (height, width), or (height, width, 3) where pixels have colours.

    ``of`` is what it is, ``peak`` where the largest one is, counted from 1, all colours of a pixel taken together.
    ``half`` is the least number of pixels that together have half of all weight, and ``correlation`` is that with the
    first algorithm's image, NaN for that image and where nothing varies.
    """

    weights: Floats
    of: str
    peak: tuple[int, int]
    half: int
    correlation: float

    @property
    def signed(self) -> bool:
        """Whether a weight may be for the positive class or against it."""
        return self.of == "coefficient"

    @property
    def description(self) -> str:
        """The picture in words, for readers who cannot see it."""
        height, width = self.weights.shape[:2]
        line, column = self.peak
        size = number(float(self.weights[line - 1, column - 1].sum()))
        text = (
            f"{self.of} of {height} x {width} pixels: the largest, {size}, in line {line}, column {column}; "
        )
        return f"{text}{self.half} have half of all weight"


class Gallery(NamedTuple):
    """The images of one setting, by data set and algorithm; ``algorithms`` maps names to those that the page shows."""

    setting: str
    datasets: tuple[str, ...]
    algorithms: Mapping[str, str]
    images: Mapping[tuple[str, str], Image]


@dataclass(frozen=True, slots=True)
class _GalleryPage:
    """What the template shows of one gallery; pictures are addresses that contain the file."""

    gallery: Gallery
    kinds: Mapping[str, str]
    pictures: Mapping[tuple[str, str], str]
    numbers: TableBlock


@dataclass(frozen=True, slots=True)
class _ImagesPage:
    """What the template shows: the galleries, whether any has negative weights or colours, how many are not drawn."""

    galleries: tuple[_GalleryPage, ...]
    signed: bool
    coloured: bool
    undrawn: int


def images_section(report: Report) -> Section | None:
    """Return the pictures, and for Markdown their numbers."""
    galleries = find_galleries(report)
    if not galleries:
        return None
    shown, more = shown_galleries(galleries)
    signed = any(image.signed for gallery in shown for image in gallery.images.values())
    coloured = any(image.weights.ndim == 3 for gallery in shown for image in gallery.images.values())
    page = _ImagesPage(tuple(_gallery_page(gallery) for gallery in shown), signed, coloured, more)
    markdown: list[SectionBlock] = [Paragraph(_MARKDOWN_NOTE)]
    markdown += [_numbers(gallery, gallery.setting) for gallery in galleries]
    blocks = (TemplateBlock("images.html", page),)
    return Section("pictures", "Pixel weights", "Weights of pixels", blocks, tuple(markdown))


def _gallery_page(gallery: Gallery) -> _GalleryPage:
    return _GalleryPage(
        gallery,
        {algorithm: image.of for (_, algorithm), image in gallery.images.items()},
        {place: data_address(image.weights, signed=image.signed) for place, image in gallery.images.items()},
        _numbers(gallery, f"The numbers: {gallery.setting}"),
    )


def _numbers(gallery: Gallery, title: str) -> TableBlock:
    """Return the numbers of each image."""
    lines: list[tuple[str, ...]] = []
    for (dataset, algorithm), image in gallery.images.items():
        facts = f"{image.peak[0]}, {image.peak[1]}", str(image.half), number(image.correlation)
        lines.append((dataset, gallery.algorithms[algorithm], image.of, *facts))
    return TableBlock(title, IMAGE_HEADS, lines, texts=_TEXTS)


def find_galleries(report: Report) -> list[Gallery]:
    """Return the mean image of each algorithm's models on each data set of images, setting by setting."""
    means: dict[str, dict[ModelPlace, tuple[Floats, str]]] = {}
    for place, models in models_by_place(report).items():
        for setting, of, found in (
            (place.setting, models[0].of, [model.image for model in models]),
            (
                f"{place.setting}, normalised",
                f"normalised {models[0].of}",
                [model.normalized for model in models],
            ),
        ):
            images = [image for image in found if image is not None]
            if images:
                means.setdefault(setting, {})[place] = _mean(images), of
    return [_gallery(setting, found) for setting, found in means.items()]


def _mean(images: Sequence[PixelWeights]) -> Floats:
    """Average the replicates; they share a data set, and so a shape. Only three channels are colours."""
    pixels = np.array([image.pixels for image in images], dtype=np.float64)
    mean = np.asarray(pixels.mean(axis=0).reshape(images[0].shape))
    return mean if mean.ndim == 2 or mean.shape[2] == _COLOURS else mean.sum(axis=2)


def _gallery(setting: str, means: Mapping[ModelPlace, tuple[Floats, str]]) -> Gallery:
    algorithms = {place.algorithm: place.algorithm + f" {REFERENCE}" * place.reference for place in means}
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
    size = np.abs(weights).reshape(*weights.shape[:2], -1).sum(axis=2).ravel()
    line, column = divmod(int(size.argmax()), weights.shape[1])
    running = np.cumsum(np.sort(size)[::-1])
    half = int(np.searchsorted(running, running[-1] / 2)) + 1 if running[-1] else 0
    return Image(weights, of, (line + 1, column + 1), half, _correlation(weights, other))


def _correlation(weights: Floats, other: Floats | None) -> float:
    """Return Pearson's correlation over pixels; NaN where there is none."""
    if other is None or not (np.ptp(weights) and np.ptp(other)):
        return np.nan
    return float(np.corrcoef(weights.ravel(), other.ravel())[0, 1])


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
