"""The samplers of a search: a new one is a line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

__all__ = ["GRIDS", "SAMPLERS", "Sampler", "SamplerName"]


class Sampler(NamedTuple):
    """How settings are proposed.

    ``engine`` is the import string of a class of Optuna's kind, called with a seed; empty for a grid. An adaptive
    sampler looks at the values of earlier settings, so that each criterion needs its own search; an adaptive grid
    continues from its best point by steps of ten per cent.
    """

    engine: str
    adaptive: bool = False


SAMPLERS: Mapping[str, Sampler] = {
    "tpe": Sampler("optuna.samplers:TPESampler", adaptive=True),
    "random": Sampler("optuna.samplers:RandomSampler"),
    "grid": Sampler(""),
    "grid-greedy": Sampler("", adaptive=True),
}

GRIDS = tuple(name for name, sampler in SAMPLERS.items() if not sampler.engine)

if TYPE_CHECKING:
    SamplerName = str
else:
    SamplerName = Literal[tuple(SAMPLERS)]
