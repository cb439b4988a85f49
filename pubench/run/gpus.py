"""Which GPU a task may use: one that no other task uses, unless somebody says that tasks share it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from pubench.errors import PubenchError

__all__ = ["GpuSlots", "gpu_slots", "visible_gpus"]

_DRIVER = Path("/proc/driver/nvidia/gpus")
_NONE = ("", "-1")


def visible_gpus(environment: Mapping[str, str], driver: Path = _DRIVER) -> tuple[str, ...]:
    """Return the GPUs that this process may use, as ``CUDA_VISIBLE_DEVICES`` names them.

    They are those of that variable, or else those of NVIDIA's driver. Nothing is returned where there are none, and
    for other kinds of GPUs.
    """
    stated = environment.get("CUDA_VISIBLE_DEVICES")
    if stated is not None:
        return tuple(name for one in stated.split(",") if (name := one.strip()) not in _NONE)
    try:
        return tuple(str(i) for i, _ in enumerate(driver.iterdir()))
    except OSError:
        return ()


def gpu_slots(environment: Mapping[str, str]) -> int:
    """Return how many tasks may share a GPU: one, or as many as ``PUBENCH_GPU_SLOTS`` says."""
    text = environment.get("PUBENCH_GPU_SLOTS", "1")
    if not text.isdigit() or int(text) < 1:
        raise PubenchError(f"PUBENCH_GPU_SLOTS = {text!r} is not a whole number of at least 1; correct it")
    return int(text)


class GpuSlots:
    """The GPUs of a run and how many tasks have each of them.

    Parameters
    ----------
    devices : sequence of str
        What ``CUDA_VISIBLE_DEVICES`` of a task may be. Without any, all tasks share what there may be, and none is
        told which GPU to use.
    each : int
        How many tasks may share a GPU.
    """

    def __init__(self, devices: Sequence[str], each: int) -> None:
        self._devices, self._each = tuple(devices) or ("",), each
        self._taken: Counter[str] = Counter()

    @property
    def is_full(self) -> bool:
        """Whether no further task may use a GPU."""
        return all(self._taken[device] >= self._each for device in self._devices)

    def take(self) -> str:
        """Return the GPU with the fewest tasks, for one more."""
        device = min(self._devices, key=self._taken.__getitem__)
        self._taken[device] += 1
        return device

    def give_back(self, device: str) -> None:
        """Take note that a task has ended."""
        self._taken[device] -= 1
