"""Names, numbers and marks as all formats write them."""

from __future__ import annotations

import re

__all__ = ["REFERENCE", "TIED", "clean", "mean_and_sd", "number", "p_value"]

REFERENCE, TIED = "†", "≈"
ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


def clean(text: object) -> str:
    """Return one line of printable text, without colour codes and control characters."""
    plain = ANSI.sub("", str(text))
    return " ".join("".join(char if char.isprintable() else " " for char in plain).split())


def number(value: float) -> str:
    """Return a number with three decimals, or with three digits if it is very small or large; a dash for NaN."""
    if value != value:
        return "–"
    return f"{value:.3f}" if value == 0 or 0.001 <= abs(value) < 1000 else f"{value:.3g}"


def mean_and_sd(mean: float, sd: float) -> str:
    """Return ``mean (sd)``; a small deviation has the decimals of its mean."""
    small = f"{mean:.3f}" == number(mean) and sd < 0.001
    return f"{number(mean)} ({f'{sd:.3f}' if small else number(sd)})"


def p_value(p: float) -> str:
    """Return a p-value as a relation, such as ``= 0.012`` or ``< 0.001``."""
    return "< 0.001" if p < 0.001 else f"= {number(p)}"
