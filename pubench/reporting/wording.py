"""Names, numbers and marks as all formats write them."""

from __future__ import annotations

import re

from pubench.stats.bayes import Posterior

__all__ = [
    "REFERENCE",
    "TIED",
    "clean",
    "deviation",
    "interval",
    "mean_and_sd",
    "number",
    "p_value",
    "probably",
]

REFERENCE, TIED = "†", "≈"
DECIDED = 0.8
"""Below this probability, words give all three probabilities of a comparison."""
NOISE = 1e-12
ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


def clean(text: object) -> str:
    """Return one line of printable text, without colour codes and control characters."""
    plain = ANSI.sub("", str(text))
    return " ".join("".join(char if char.isprintable() else " " for char in plain).split())


def number(value: float) -> str:
    """Return a number with three decimals, or with three digits if it is very small or large; a dash for NaN."""
    if value != value:
        return "–"
    if abs(value) < NOISE:
        # What is left of a difference of equal numbers, such as -1.11e-16.
        value = 0.0
    return f"{value:.3f}" if value == 0 or 0.001 <= abs(value) < 1000 else f"{value:.3g}"


def mean_and_sd(mean: float, sd: float) -> str:
    """Return ``mean (sd)``; a small deviation has the decimals of its mean."""
    return f"{number(mean)} ({deviation(mean, sd)})"


def deviation(mean: float, sd: float) -> str:
    """Return the standard deviation of a mean; a small one has the decimals of the mean."""
    small = f"{mean:.3f}" == number(mean) and sd < 0.001
    return f"{sd:.3f}" if small else number(sd)


def p_value(p: float) -> str:
    """Return a p-value as a relation, such as ``= 0.012`` or ``< 0.001``."""
    return "< 0.001" if p < 0.001 else f"= {number(p)}"


def interval(low: float, high: float, decimals: int = 3) -> str:
    """Return ``low to high``, or nothing where they are unknown."""
    if low != low or high != high:
        return ""
    if decimals == 3 and not 0.001 <= max(abs(low), abs(high)) < 1000:
        return f"{number(low)} to {number(high)}"
    # Both ends have the same decimals; adding 0 makes no zero of minus zero.
    return " to ".join(f"{round(end, decimals) + 0.0:.{decimals}f}" for end in (low, high))


def probably(posterior: Posterior) -> str:
    """Say how an algorithm compares with another one, with what probability; a dash where that is unknown."""
    if posterior.same != posterior.same:
        return "–"
    named = {"worse": posterior.worse, "practically the same": posterior.same, "better": posterior.better}
    name = max(named, key=named.__getitem__)
    if named[name] < DECIDED:
        return f"undecided ({', '.join(f'{key} {value:.2f}' for key, value in named.items())})"
    return f"{name} with probability {min(named[name], 0.99):.2f}" + (
        " or more" if named[name] > 0.99 else ""
    )
