"""Cases of a test that only ``make test-all`` runs."""

from __future__ import annotations

from typing import Any

import pytest


def slow(*cases: Any) -> list[Any]:
    """Return single arguments of a test, marked as slow."""
    return [pytest.param(case, marks=pytest.mark.slow) for case in cases]
