"""A few images of a data set, small enough to be kept with a run: what a report shows with the card."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pubench.data.stored import StoredDataset, read_features
from pubench.data.truth import read_sides
from pubench.specs import Array, JSONValue

__all__ = ["sample_pictures"]

MOST, LARGEST = 6, 48
"""So many images of each class are kept, and so many pixels of each side; larger images are thinned out."""
_COLOURS = 3


def sample_pictures(stored: StoredDataset, classes: Mapping[int, int]) -> dict[str, JSONValue]:
    """Return the first images of the positive and of the negative rows; nothing where rows are no images.

    Rows are stored in a random order. Values are bytes: those of the data where they are bytes, else between the
    least and the largest value of the images kept. ``shape`` is (height, width), or (height, width, 3) for colours;
    each side is the images one after the other, compressed by zlib and in base64.
    """
    if not stored.image_shape or stored.sparse:
        return {}
    X, sides = read_features(stored.for_child()), read_sides(stored.truth, classes)
    rows = [np.flatnonzero(sides == side)[:MOST] for side in (1, 0)]
    images = _bytes(np.asarray(X[np.concatenate(rows)]), stored.image_shape)
    positive, negative = np.split(images, [len(rows[0])])
    return {"shape": list(images.shape[1:]), "positive": _packed(positive), "negative": _packed(negative)}


def _bytes(rows: Array, shape: Sequence[int]) -> NDArray[np.uint8]:
    """Return rows as images of bytes, thinned out; channels that are no colours are averaged."""
    images = rows.reshape(len(rows), *shape)
    if images.ndim == 4 and images.shape[3] != _COLOURS:
        images = images.mean(axis=3)
    step = max(1, -(-max(images.shape[1:3]) // LARGEST))
    images = images[:, ::step, ::step]
    if images.dtype == np.uint8:
        return images
    low, high = np.nanmin(images, initial=0.0), np.nanmax(images, initial=0.0)
    scaled = (np.nan_to_num(images, nan=low) - low) / ((high - low) or 1.0)
    return np.asarray(np.round(scaled * 255.0), dtype=np.uint8)


def _packed(images: NDArray[np.uint8]) -> str:
    return base64.b64encode(zlib.compress(images.tobytes(), 9)).decode()
