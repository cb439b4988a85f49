"""PyTorch for authors of PU methods: a base class, networks, risks, and settings that make fits reproducible.

Nothing else in pubench imports PyTorch: what is here needs ``pip install 'pubench[torch]'``.
"""

from __future__ import annotations

from pubench.estimators.deep.classifier import TorchPUClassifier
from pubench.estimators.deep.devices import find_device
from pubench.estimators.deep.inputs import Inputs
from pubench.estimators.deep.networks import cnn, mlp
from pubench.estimators.deep.risks import Batch, pu_loss
from pubench.estimators.deep.settings import reproducible

__all__ = ["Batch", "Inputs", "TorchPUClassifier", "cnn", "find_device", "mlp", "pu_loss", "reproducible"]
