"""Defaults that changed: suites that give the first ones keep their keys, and the new ones have keys of their own."""

from __future__ import annotations

import pytest
from helpers.suites import plan

from pubench.plan.keys import _FIRST_DEFAULTS
from pubench.plugins.discovery import discover


def key(use: str, **params: object) -> str:
    return plan(algorithms=[{"use": use, "params": params}]).plan.cells[0].key


@pytest.mark.parametrize("use", sorted(_FIRST_DEFAULTS))
def test_the_first_defaults_are_no_longer_those_of_the_algorithm(use: str) -> None:
    first, spec = _FIRST_DEFAULTS[use], discover(third_party=False).algorithm(use).spec
    assert all(name in spec.params and spec.params[name] != value for name, value in first.items())
    assert key(use) != key(use, **first)


def test_only_the_first_values_are_left_out_of_keys() -> None:
    assert (
        len({key("nnpu", loss=loss, l2=l2) for loss in ("sigmoid", "double-hinge") for l2 in (0.005, 0.01)})
        == 4
    )
