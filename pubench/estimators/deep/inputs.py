"""From rows to a network's inputs: single precision, some rows at a time, images in the layout of PyTorch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pubench.estimators.deep.imports import nn, torch
from pubench.estimators.rows import Rows

__all__ = ["Inputs"]

_BLOCK = 4096
_MOST_IMAGES, _FEW_IMAGES = 512, 128


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """What rows are to a network: vectors as they are, or images whose channels are standardised.

    Attributes
    ----------
    shape : tuple of int
        The shape of one input: (d,), or (channels, height, width).
    mean, scale : float32 arrays of shape (channels,)
        What is taken away from each channel, and what it is divided by; 0 and 1 for vectors.
    """

    shape: tuple[int, ...]
    mean: NDArray[np.float32]
    scale: NDArray[np.float32]

    @classmethod
    def of(cls, X: Rows, image_shape: Sequence[int] = ()) -> Self:
        """Learn from training rows, shape (n, d).

        Parameters
        ----------
        X : array of shape (n, d)
            Of any type of numbers; also read-only.
        image_shape : sequence of int
            (height, width) or (height, width, channels) of rows that are images, pixel by pixel; else empty.

        Raises
        ------
        ValueError
            If the shape does not match the rows.
        """
        d = X.shape[1]
        if not len(image_shape):
            return cls((d,), np.zeros(1, np.float32), np.ones(1, np.float32))
        if len(image_shape) not in (2, 3) or math.prod(image_shape) != d:
            raise ValueError(
                f"image_shape = {tuple(image_shape)} does not match {d} features; give height, width and, for colours, "
                "the number of channels"
            )
        height, width = image_shape[:2]
        channels = d // (height * width)
        mean, variance = _moments(X, channels)
        scale = np.sqrt(np.where(variance > 0, variance, 1.0))
        return cls((channels, height, width), mean.astype(np.float32), scale.astype(np.float32))

    def tensor(self, X: Rows) -> torch.Tensor:
        """Return rows, shape (n, d), as a float32 tensor of shape (n, *shape); X is only read."""
        values = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
        if len(self.shape) == 1:
            # A copy: PyTorch warns of arrays that it could not write into.
            return torch.from_numpy(np.array(values, dtype=np.float32))
        pixels = np.array(values, dtype=np.float32).reshape(len(values), *self.shape[1:], self.shape[0])
        pixels -= self.mean
        pixels /= self.scale
        return torch.from_numpy(pixels).permute(0, 3, 1, 2).contiguous()

    def pixel_slopes(self, network: nn.Module, X: Rows) -> NDArray[np.float64]:
        """Return what a network of images looks at: the mean size of its score's slope in each pixel, shape (d,).

        At most 512 rows are looked at. Pixels are in the order of the rows: line by line, the channels of a pixel side
        by side.
        """
        network.eval()
        X, total = X[:_MOST_IMAGES], torch.zeros(self.shape)
        for start in range(0, X.shape[0], _FEW_IMAGES):
            images = self.tensor(X[start : start + _FEW_IMAGES]).requires_grad_(True)
            (slopes,) = torch.autograd.grad(network(images).sum(), images)
            total += slopes.abs().sum(dim=0)
        mean: NDArray[np.float32] = (total / X.shape[0]).permute(1, 2, 0).reshape(-1).numpy()
        return mean.astype(np.float64)


def _moments(X: Rows, channels: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean and the variance of each channel, some rows at a time: no copy of all rows."""
    count, total, squares = 0, np.zeros(channels), np.zeros(channels)
    for start in range(0, X.shape[0], _BLOCK):
        block = np.asarray(X[start : start + _BLOCK], dtype=np.float64).reshape(-1, channels)
        count += len(block)
        total += block.sum(axis=0)
        squares += np.square(block).sum(axis=0)
    mean = total / count
    return mean, np.maximum(squares / count - np.square(mean), 0.0)
