"""Labelling mechanisms by name. A new mechanism is a file in this folder and an entry of ``MECHANISMS``."""

from __future__ import annotations

from collections.abc import Mapping

from pubench.data.labelling.mechanisms.attributes import Attributes
from pubench.data.labelling.mechanisms.base import Mechanism
from pubench.data.labelling.mechanisms.logistic import Direction, Feature, Groups
from pubench.data.labelling.mechanisms.posterior import Easy, Hard
from pubench.data.labelling.mechanisms.sar import Sar
from pubench.data.labelling.mechanisms.scar import Scar

__all__ = ["MECHANISMS", "Mechanism", "Sar", "Scar"]

MECHANISMS: Mapping[str, type[Mechanism]] = {
    mechanism.name: mechanism for mechanism in (Scar, Sar, Easy, Hard, Feature, Direction, Attributes, Groups)
}
