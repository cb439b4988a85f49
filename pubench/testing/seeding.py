"""Fixed seeds: which seeds a method gives to generators while it fits, and fits with others in their place."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, TypeAlias
from unittest import mock

import numpy as np

from pubench.testing.replacing import replaced

__all__ = ["DEFAULT", "Seed", "SeedCalls", "about_fixed", "watched_seeds"]

Seed: TypeAlias = tuple[str, tuple[int, ...]]
"""Who was seeded, and with what: ``("torch.manual_seed", (0,))``."""

DEFAULT = "LightGBM, without a seed of its own"
_SHIFT = 1_000_003


@dataclass(slots=True)
class SeedCalls:
    """The seeds that were given to generators, in order; those of ``exchanged`` were exchanged for others."""

    exchanged: Collection[Seed] = ()
    calls: list[Seed] = field(default_factory=list)

    def passed(self, label: str, seed: Any) -> Any:
        """Note a seed, and return the one to be used; what is no whole number is left as it is."""
        several = isinstance(seed, list | tuple | np.ndarray)
        numbers = list(seed) if several else [seed]
        if not numbers or not all(isinstance(one, int | np.integer) for one in numbers):
            return seed
        call = (label, tuple(int(one) for one in numbers))
        self.calls.append(call)
        if call not in self.exchanged:
            return seed
        others = [(one + _SHIFT) % 2**31 for one in call[1]]
        return others if several else others[0]


@contextlib.contextmanager
def watched_seeds(package: str, exchanged: Collection[Seed] = ()) -> Iterator[SeedCalls]:
    """Watch the seeds of Python, NumPy, PyTorch and LightGBM, also under names that modules of a package imported.

    Libraries count as far as they are imported. Seeds in ``exchanged`` are exchanged for others on their way.
    """
    found = SeedCalls(exchanged)
    with contextlib.ExitStack() as stack:
        modules, changes = _changes(found)
        stack.enter_context(replaced(changes, modules, package))
        lightgbm = sys.modules.get("lightgbm")
        if lightgbm is not None:
            booster = lightgbm.Booster
            stack.enter_context(mock.patch.object(booster, "__init__", _lightgbm(booster.__init__, found)))
        yield found


def _changes(found: SeedCalls) -> tuple[tuple[ModuleType, ...], Mapping[object, object]]:
    """Return the modules whose names are replaced, and by what."""
    modules: list[ModuleType] = [np.random, random]
    changes: dict[object, object] = {
        np.random.default_rng: _function("numpy.random.default_rng", np.random.default_rng, found),
        np.random.seed: _function("numpy.random.seed", np.random.seed, found),
        np.random.RandomState: _class("numpy.random.RandomState", np.random.RandomState, "__init__", found),
        random.seed: _function("random.seed", random.seed, found),
        random.Random: _class("random.Random", random.Random, "seed", found),
    }
    torch = sys.modules.get("torch")
    if torch is not None:
        modules += [torch, torch.random]
        changes[torch.manual_seed] = _function("torch.manual_seed", torch.manual_seed, found)
        changes[torch.Generator] = _class("torch.Generator", torch.Generator, "manual_seed", found)
    return tuple(modules), changes


def _function(label: str, function: Callable[..., object], found: SeedCalls) -> Callable[..., object]:
    """Return the function with its first argument, or the one named so, watched."""

    def watched(*arguments: Any, **options: Any) -> object:
        if arguments:
            arguments = (found.passed(label, arguments[0]), *arguments[1:])
        options = {name: found.passed(label, value) for name, value in options.items()}
        return function(*arguments, **options)

    return watched


def _class(label: str, base: type[Any], method: str, found: SeedCalls) -> type:
    """Return a subclass whose method takes a watched seed; instances of the base count as its own."""

    class Meta(type(base)):  # type: ignore[misc]
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, base)

    def watched(self: Any, *arguments: Any, **options: Any) -> object:
        return _function(label, getattr(base, method).__get__(self), found)(*arguments, **options)

    return Meta(base.__name__, (base,), {method: watched})


def _lightgbm(init: Callable[..., None], found: SeedCalls) -> Callable[..., None]:
    """Return the constructor of a model of LightGBM with the seeds of its parameters watched.

    A model that is given none takes one that is always the same, which counts as a seed, too.
    """

    def watched(self: object, params: Mapping[str, Any] | None = None, *rest: Any, **options: Any) -> None:
        given = dict(params or {})
        seeds = [name for name in given if name == "random_state" or name.endswith("seed")]
        seeds = [name for name in seeds if isinstance(given[name], int | np.integer)]
        for name in seeds:
            given[name] = found.passed(f"{name} of LightGBM", given[name])
        if not seeds and (other := found.passed(DEFAULT, 0)):
            given["seed"] = other
        init(self, given, *rest, **options)

    return watched


def about_fixed(seed: Seed, *, receives: bool) -> str:
    """Return what is wrong with a seed that is the same in every repetition."""
    where, (first, *_) = seed
    fault = (
        "it gives LightGBM no seed, which then takes one that is always the same"
        if where == DEFAULT
        else f"it uses the fixed seed {first} instead of random_state ({where})"
    )
    remedy = "" if receives else "add the parameter random_state, and add it to receives; "
    return (
        f"{fault}, so that repetitions are more alike than they should be; {remedy}draw from "
        "numpy.random.default_rng(self.random_state), and seed other libraries with it"
    )
