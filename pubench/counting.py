"""Counts in sentences: ``1 cell is``, ``2 cells are``."""

from __future__ import annotations

__all__ = ["be", "counted", "have", "plural"]


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: ``1 cell``, ``2 cells``."""
    return f"{count} {plural(count, noun)}"


def plural(count: int, noun: str) -> str:
    """Return a noun as it stands behind a number; behind ``k of n`` that number is n."""
    return noun if count == 1 else f"{noun}s"


def be(count: int) -> str:
    """Return ``is`` or ``are``."""
    return "is" if count == 1 else "are"


def have(count: int) -> str:
    """Return ``has`` or ``have``."""
    return "has" if count == 1 else "have"
