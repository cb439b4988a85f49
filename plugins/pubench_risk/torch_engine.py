"""The models that PyTorch trains, behind the same seam as the NumPy perceptron; see :mod:`pubench_risk.engines`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pubench.estimators.deep import Inputs, cnn, find_device
from pubench_risk.engines import Design
from pubench_risk.network import Network
from pubench_risk.training import blockwise

__all__ = ["ConvolutionalNetwork", "TorchModel", "convolutional_model", "perceptron_model"]

Floats = NDArray[np.float64]
Tensor: TypeAlias = "torch.Tensor"
_BLOCK = 256


class TorchModel:
    r"""A module that takes Adam's steps on a risk plus :math:`\frac{l2}{2} \|W\|^2`.

    Parameters
    ----------
    module : torch.nn.Module
        Inputs to scores; on its device.
    design : Design
    inputs : Inputs
        How rows become inputs.
    trained : callable
        Returns what scores rows after training, from the module.
    """

    def __init__(
        self, module: nn.Module, design: Design, inputs: Inputs, trained: Callable[[nn.Module], Any]
    ) -> None:
        self._module, self._inputs, self._trained = module, inputs, trained
        self._device = next(module.parameters()).device
        # As in NumPy: weights are penalised, biases and the scales of normalisation are not.
        weights = [one for one in module.parameters() if one.ndim > 1]
        others = [one for one in module.parameters() if one.ndim <= 1]
        groups = [{"params": weights, "weight_decay": design.l2}, {"params": others, "weight_decay": 0.0}]
        self._optimizer = torch.optim.Adam(groups, lr=design.learning_rate)

    def step(self, X: Any, slopes: Callable[[Floats], Floats]) -> None:
        """Take a step; see :class:`pubench_risk.training.Model`."""
        self._module.train()
        self._optimizer.zero_grad(set_to_none=True)
        scores = self._module(self._tensor(X)).reshape(-1)
        slope = slopes(scores.detach().cpu().numpy().astype(np.float64))
        scores.backward(torch.from_numpy(slope).to(scores))
        self._optimizer.step()

    def scores(self, X: Any) -> Floats:
        """Return the scores of rows, shape (n,)."""
        return blockwise(self._scores, X, _BLOCK)

    def _scores(self, X: Any) -> NDArray[Any]:
        self._module.eval()
        with torch.no_grad():
            return np.asarray(self._module(self._tensor(X)).reshape(-1).cpu().numpy())

    def _tensor(self, X: Any) -> Tensor:
        return self._inputs.tensor(X).to(self._device)

    def state(self) -> NDArray[Any]:
        """Return a copy of the parameters and running statistics, as one vector."""
        return np.concatenate([part.detach().cpu().numpy().ravel() for part in self._parts()])

    def restore(self, state: NDArray[Any]) -> None:
        """Go back to a state."""
        start = 0
        with torch.no_grad():
            for part in self._parts():
                values = state[start : start + part.numel()].astype(np.float32).reshape(part.shape)
                part.copy_(torch.from_numpy(values))
                start += part.numel()

    def _parts(self) -> list[Tensor]:
        return [part for part in self._module.state_dict().values() if part.is_floating_point()]

    def trained(self) -> Any:
        """Return what scores rows: NumPy in, NumPy out."""
        return self._trained(self._module.cpu().eval())


def perceptron_model(network: Network, design: Design) -> TorchModel:
    """Return the model of a NumPy network: it begins with the network's parameters, and ends as such a network."""
    module = _perceptron(network).to(find_device(design.device))
    flat = Inputs((network.shape.inputs,), np.zeros(1, np.float32), np.ones(1, np.float32))
    return TorchModel(module, design, flat, lambda trained: _as_numpy(network, trained))


def _perceptron(network: Network) -> nn.Module:
    shape, layers = network.shape, network.layers
    modules: list[nn.Module] = []
    for number, layer in enumerate(layers):
        last = number == len(layers) - 1
        linear = nn.Linear(*layer.weights.shape, bias=layer.scale is None)
        norm = nn.BatchNorm1d(shape.units) if layer.scale is not None else None
        with torch.no_grad():
            linear.weight.copy_(torch.from_numpy(layer.weights.T.copy()))
            (linear if norm is None else norm).bias.copy_(torch.from_numpy(layer.bias.copy()))
        modules.append(linear)
        modules += [] if norm is None else [norm]
        if not last:
            modules.append(nn.ReLU() if shape.activation == "relu" else nn.Softsign())
    return nn.Sequential(*modules[:-1], nn.Dropout(shape.dropout if len(layers) > 1 else 0.0), modules[-1])


def _as_numpy(network: Network, module: nn.Module) -> Network:
    """Return a NumPy network with the parameters of a trained module."""
    norms = [one for one in module if isinstance(one, nn.BatchNorm1d)]
    linears = [one for one in module if isinstance(one, nn.Linear)]
    for number, (layer, linear) in enumerate(zip(network.layers, linears, strict=True)):
        layer.weights[:] = linear.weight.detach().numpy().T
        layer.bias[:] = (norms[number] if layer.scale is not None else linear).bias.detach().numpy()
        if layer.scale is not None:
            layer.scale[:] = norms[number].weight.detach().numpy()
            layer.mean[:], layer.variance[:] = norms[number].running_mean, norms[number].running_var
    return network.as_type(np.float64)


def convolutional_model(design: Design, X: Any) -> TorchModel:
    """Return a convolutional network for images, shape (n, d), whose channels it standardises."""
    inputs, shape = Inputs.of(X, design.image_shape), design.shape
    module = cnn(
        inputs.shape,
        channels=design.channels,
        units=shape.units,
        batch_norm=shape.batch_norm,
        dropout=shape.dropout,
    )
    with torch.no_grad():
        # Scores begin where the sigmoid loss still has a slope.
        module[-1].weight.mul_(0.1)
    module = module.to(find_device(design.device))
    return TorchModel(module, design, inputs, lambda trained: ConvolutionalNetwork(trained, inputs))


class ConvolutionalNetwork:
    """A trained convolutional network: scores of rows, shape (n, d), as they are stored."""

    def __init__(self, module: nn.Module, inputs: Inputs) -> None:
        self.module, self.inputs = module, inputs

    def scores(self, X: Any) -> Floats:
        """Return the scores of rows, shape (n,)."""
        with torch.no_grad():
            return blockwise(
                lambda rows: self.module(self.inputs.tensor(rows)).reshape(-1).numpy(), X, _BLOCK
            )

    def importances(self, X: Any) -> Floats:
        """Return how much each pixel matters, shape (d,), on some rows."""
        return np.asarray(self.inputs.pixel_slopes(self.module, X))
