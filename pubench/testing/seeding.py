"""Fixed seeds: which generators a method seeds while it fits, and with what."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from unittest import mock

import numpy as np

__all__ = ["SeedCalls", "watched_seeds"]


@dataclass(slots=True)
class SeedCalls:
    """The seeds that were given to generators, as ``("torch.manual_seed", 0)``, in order."""

    calls: list[tuple[str, int]] = field(default_factory=list)


@contextlib.contextmanager
def watched_seeds() -> Iterator[SeedCalls]:
    """Watch the seeding functions of Python, NumPy, PyTorch and LightGBM as far as they are imported."""
    found = SeedCalls()
    with contextlib.ExitStack() as stack:
        for label, module, name in _functions():
            stack.enter_context(_watched(label, module, name, found))
        lightgbm = sys.modules.get("lightgbm")
        if lightgbm is not None:
            stack.enter_context(_watched_lightgbm(lightgbm, found))
        yield found


def _functions() -> Iterator[tuple[str, ModuleType, str]]:
    yield "numpy.random.default_rng", np.random, "default_rng"
    yield "numpy.random.seed", np.random, "seed"
    yield "random.seed", random, "seed"
    torch = sys.modules.get("torch")
    if torch is not None:
        yield "torch.manual_seed", torch, "manual_seed"


@contextlib.contextmanager
def _watched(label: str, module: ModuleType, name: str, found: SeedCalls) -> Iterator[None]:
    with mock.patch.object(module, name, wraps=getattr(module, name)) as calls:
        yield
    seeds = [call.args[0] for call in calls.call_args_list if call.args]
    found.calls += [(label, seed) for seed in seeds if isinstance(seed, int)]


@contextlib.contextmanager
def _watched_lightgbm(lightgbm: ModuleType, found: SeedCalls) -> Iterator[None]:
    """Note the seed in the parameters of LightGBM's models, which have no generator to watch."""
    model = lightgbm.LGBMModel
    fit = model.fit

    def noting(self: object, *arguments: object, **options: object) -> object:
        seed = getattr(self, "random_state", None)
        if isinstance(seed, int):
            found.calls.append(("random_state of LightGBM", seed))
        return fit(self, *arguments, **options)

    with mock.patch.object(model, "fit", noting):
        yield
