"""Small networks with one output, to begin with: a perceptron, and a convolutional network for images."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pubench.estimators.deep.imports import nn

__all__ = ["cnn", "mlp"]


def mlp(shape: Sequence[int], *, units: int = 100, hidden: int = 2, dropout: float = 0.0) -> nn.Module:
    """Return a multilayer perceptron: inputs of shape (n, *shape) to scores of shape (n, 1).

    Parameters
    ----------
    shape : sequence of int
        The shape of one input; images are flattened.
    units, hidden : int
        The width and the number of hidden layers.
    dropout : float
        The share of the last hidden layer that each step drops.
    """
    layers: list[nn.Module] = [nn.Flatten()]
    width = math.prod(shape)
    for _ in range(hidden):
        layers += [nn.Linear(width, units), nn.ReLU()]
        width = units
    return nn.Sequential(*layers, nn.Dropout(dropout), nn.Linear(width, 1))


def cnn(
    shape: Sequence[int],
    *,
    channels: int = 16,
    units: int = 100,
    batch_norm: bool = True,
    dropout: float = 0.0,
) -> nn.Module:
    """Return a convolutional network: images of shape (n, channels, height, width) to scores of shape (n, 1).

    Four convolutions of 3 x 3, the second and the fourth with a stride of 2, then two linear layers. It takes images
    of any size.

    Parameters
    ----------
    shape : sequence of int
        (channels, height, width) of one image.
    channels : int
        The number of filters of the first two convolutions; the other two have twice as many.
    units : int
        The width of the linear layer.
    batch_norm : bool
        Whether convolutions are normalised over the batch.
    dropout : float
        The share of the linear layer that each step drops.
    """
    colours, height, width = shape
    layers: list[nn.Module] = []
    sizes = (colours, channels, channels, 2 * channels, 2 * channels)
    for i in range(4):
        layers.append(nn.Conv2d(sizes[i], sizes[i + 1], 3, stride=1 + i % 2, padding=1, bias=not batch_norm))
        layers += [nn.BatchNorm2d(sizes[i + 1])] if batch_norm else []
        layers.append(nn.ReLU())
    flat = sizes[-1] * math.ceil(height / 4) * math.ceil(width / 4)
    layers += [nn.Flatten(), nn.Linear(flat, units), nn.ReLU(), nn.Dropout(dropout), nn.Linear(units, 1)]
    return nn.Sequential(*layers)
