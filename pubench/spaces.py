"""Search spaces: the values that a parameter may take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

if TYPE_CHECKING:
    ChoiceValue = str | int | float | bool | None
else:
    # Lists are choices too, for example sizes of layers.
    ChoiceValue = Any

__all__ = ["Choice", "Float", "Int", "Param"]


class Float(msgspec.Struct, frozen=True, tag_field="kind", tag="float"):
    """A real parameter in [low, high]; ``points`` is how many values a grid takes.

    Examples
    --------
    >>> pubench.Float(0.001, 10.0, log=True).points
    5
    """

    low: float
    high: float
    log: bool = False
    points: int = 5

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            msgspec.structs.force_setattr(self, name, _plain(getattr(self, name)))


class Int(msgspec.Struct, frozen=True, tag_field="kind", tag="int"):
    """An integer parameter in low..high, both included; ``points`` is how many values a grid takes at most.

    Examples
    --------
    >>> pubench.Int(1, 32, log=True).high
    32
    """

    low: int
    high: int
    log: bool = False
    points: int = 5

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            value = _plain(getattr(self, name))
            whole = isinstance(value, float) and value.is_integer()
            msgspec.structs.force_setattr(self, name, int(value) if whole else value)


class Choice(msgspec.Struct, frozen=True, tag_field="kind", tag="choice"):
    """A parameter that takes one of the listed values (text, numbers, booleans or None).

    Examples
    --------
    >>> pubench.Choice(("sqrt", 0.5, None)).values
    ('sqrt', 0.5, None)
    """

    values: tuple[ChoiceValue, ...]

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "values", tuple(_plain(value) for value in self.values))


def _plain(value: Any) -> Any:  # edge: NumPy's numbers and texts come from grids that are arrays
    """Turn a scalar of NumPy into the value that it stands for."""
    return value.item() if hasattr(value, "item") and not hasattr(value, "__len__") else value


Param: TypeAlias = Float | Int | Choice
