"""Weights of pixels as small pictures: PNG files inside the page."""

from __future__ import annotations

import base64
import io

import numpy as np
from numpy.typing import NDArray

__all__ = ["data_address", "png", "strip_address"]

SHADES = 64
"""Few enough to keep files small, more than an eye can distinguish in a small picture."""
_PLAIN, _SIGNED = "magma", "berlin"
"""Colour maps that are dark at 0: one grows lighter with the weight, one is blue below 0 and red above it."""


def png(weights: NDArray[np.float64], *, signed: bool) -> bytes:
    """Return a PNG file with one pixel for each weight; the same weights give the same bytes.

    Parameters
    ----------
    weights : array of shape (height, width) or (height, width, 3)
        With three channels each colour shows the weight of its own.
    signed : bool
        Whether weights may be negative; 0 then is in the middle of the colours, which is grey for three channels.
    """
    from matplotlib import colormaps
    from matplotlib.image import imsave

    largest = float(np.abs(weights).max()) or 1.0
    if weights.ndim == 3:
        return _coloured(0.5 + weights / (2.0 * largest) if signed else np.maximum(weights, 0.0) / largest)
    low = -largest if signed else min(0.0, float(weights.min()))
    # One more than an even number: 0 has a shade of its own in the middle.
    name, shades = (_SIGNED, SHADES + 1) if signed else (_PLAIN, SHADES)
    colours = colormaps[name].resampled(shades)
    buffer = io.BytesIO()
    # The name of the program would change with its version.
    imsave(
        buffer,
        weights,
        vmin=low,
        vmax=largest,
        cmap=colours,
        format="png",
        metadata={"Software": None},  # type: ignore[dict-item]
    )
    return buffer.getvalue()


def _coloured(colours: NDArray[np.float64]) -> bytes:
    """Return a PNG file of red, green and blue between 0 and 1, shape (height, width, 3)."""
    from matplotlib.image import imsave

    shades = np.round(np.round(colours * (SHADES - 1)) / (SHADES - 1) * 255.0).astype(np.uint8)
    buffer = io.BytesIO()
    imsave(buffer, shades, format="png", metadata={"Software": None})  # type: ignore[dict-item]
    return buffer.getvalue()


def strip_address(images: NDArray[np.uint8]) -> str:
    """Return images side by side, as an address that contains the file.

    Parameters
    ----------
    images : array of shape (n, height, width) or (n, height, width, 3)
        Grey values or colours, as bytes.
    """
    from matplotlib.image import imsave

    coloured = images if images.ndim == 4 else np.repeat(images[..., np.newaxis], 3, axis=3)
    n, height, width, _ = coloured.shape
    strip = np.zeros((height, n * (width + 1) - 1, 4), dtype=np.uint8)
    for i, image in enumerate(coloured):
        # What is between two images is transparent.
        place = strip[:, i * (width + 1) : i * (width + 1) + width]
        place[..., :3], place[..., 3] = image, 255
    buffer = io.BytesIO()
    imsave(buffer, strip, format="png", metadata={"Software": None})  # type: ignore[dict-item]
    return _address(buffer.getvalue())


def data_address(weights: NDArray[np.float64], *, signed: bool) -> str:
    """Return the picture as an address that contains the file."""
    return _address(png(weights, signed=signed))


def _address(file: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(file).decode()}"
