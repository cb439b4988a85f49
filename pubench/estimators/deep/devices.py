"""The device that a network is trained on."""

from __future__ import annotations

from pubench.estimators.deep.imports import torch

__all__ = ["find_device"]


def find_device(name: str) -> torch.device:
    """Return the device of this name: ``"cpu"``, ``"cuda"``, ``"cuda:1"``, ``"mps"``, ..., or ``"auto"``.

    "auto" is a GPU where there is one, else the CPU: results then depend on the machine.

    Raises
    ------
    ValueError
        If this machine, or this build of PyTorch, does not have the device.
    """
    if name == "auto":
        return torch.device(next((kind for kind in _kinds() if kind != "cpu"), "cpu"))
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or device.type not in _kinds() or not _has_index(device):
        raise ValueError(
            f"device = {name!r} is not available: PyTorch {torch.__version__} finds {', '.join(_devices())} here; "
            "set device to one of them"
        )
    return device


def _kinds() -> list[str]:
    """Return the kinds of devices that can be used, accelerators first."""
    found = ["cuda"] if torch.cuda.is_available() else []
    if torch.backends.mps.is_available():
        found.append("mps")
    return [*found, "cpu"]


def _has_index(device: torch.device) -> bool:
    return bool(device.type != "cuda" or (device.index or 0) < torch.cuda.device_count())


def _devices() -> list[str]:
    return [
        name
        for kind in reversed(_kinds())
        for name in ([f"cuda:{i}" for i in range(torch.cuda.device_count())] if kind == "cuda" else [kind])
    ]
