"""Weights of pixels as small pictures: PNG files inside the page, light on dark."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np

from pubench.reporting.images import Image

__all__ = ["picture", "png"]

SHADES = 64
"""So few that files stay small, more than an eye tells apart in a small picture."""
_PLAIN, _SIGNED = "magma", "berlin"
"""Colour maps that are dark at 0: one grows lighter with the weight, one is blue below 0 and red above it."""


def png(image: Image) -> bytes:
    """Return the picture as a file of one pixel for each weight; the same weights give the same bytes."""
    from matplotlib import colormaps
    from matplotlib.image import imsave

    largest = float(np.abs(image.weights).max()) or 1.0
    low = -largest if image.signed else min(0.0, float(image.weights.min()))
    # One more than an even number: 0 has a shade of its own in the middle.
    name, shades = (_SIGNED, SHADES + 1) if image.signed else (_PLAIN, SHADES)
    colours = colormaps[name].resampled(shades)
    buffer = io.BytesIO()
    # The name of the program would change with its version.
    metadata: dict[Any, Any] = {"Software": None}
    imsave(buffer, image.weights, vmin=low, vmax=largest, cmap=colours, format="png", metadata=metadata)
    return buffer.getvalue()


def picture(image: Image) -> str:
    """Return the picture as an address that holds it whole."""
    return f"data:image/png;base64,{base64.b64encode(png(image)).decode()}"
