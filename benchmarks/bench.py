"""Measure speed against its limits, print one table, and write it to benchmarks/RESULTS.md.

Run:  make bench, or  python benchmarks/bench.py [--only trees] [--compare] [--out FILE]

A ratio is the median of at least five alternating pairs of CPU times, so that a busy machine cannot decide;
``--compare`` writes nothing and ends with status 1 where a figure got worse than in the committed table.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from table import Figure, compared, read, rendered

RESULTS = Path(__file__).with_name("RESULTS.md")
# What was tried without a gain, and what else no figure says.
NOTES = Path(__file__).with_name("NOTES.md")
PARTS = ("trees", "linear", "kernels", "bagging", "networks", "priors", "tuning", "toolkit")
PACKAGES = ("numpy", "scipy", "scikit-learn", "cython", "pulearn", "torch")


def measured(parts: Sequence[str], minutes: dict[str, float]) -> Iterator[Figure]:
    """Yield the figures of the parts, and note how many minutes each part took."""
    for part in parts:
        start = time.perf_counter()
        for figure in importlib.import_module(f"bars_{part}").figures():
            print(" | ".join(figure.cells()), flush=True)
            yield figure
        minutes[part] = (time.perf_counter() - start) / 60.0
        print(f"{part}: {minutes[part]:.1f} minutes", flush=True)


def machine() -> str:
    (model,) = {
        line.split(":")[1].strip()
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        if line.startswith("model name")
    } or {platform.processor()}
    return f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def versions() -> str:
    return ", ".join(f"{name} {_version(name)}" for name in PACKAGES)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def page(figures: Sequence[Figure], minutes: Mapping[str, float]) -> str:
    met = sum(figure.holds for figure in figures)
    parts = ", ".join(f"{part} {taken:.1f}" for part, taken in minutes.items())
    return (
        "# Speed against its limits\n\n"
        "Made by `make bench`. A ratio is the median of at least five alternating pairs of CPU times of one thread, "
        "with the least and the largest; wall times where threads are compared. Memory is the peak of a fit, its input "
        "included and the model excluded, over the input.\n\n"
        f"Machine: {machine()}. Packages: {versions()}.\n\n"
        f"Minutes: {parts}; {sum(minutes.values()):.0f} in all.\n\n"
        f"Load over the last 15 minutes: {os.getloadavg()[2]:.1f}, of which the benchmark itself makes 1.\n\n"
        f"{met} of {len(figures)} limits are met.\n\n{rendered(figures)}\n{NOTES.read_text(encoding='utf-8')}"
    )


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=PARTS, help="only this part; may be repeated")
    parser.add_argument("--compare", action="store_true", help="compare with the committed table")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    minutes: dict[str, float] = {}
    figures = list(measured(options.only or PARTS, minutes))
    if options.compare:
        worse = compared(figures, read(RESULTS.read_text(encoding="utf-8")))
        print("\n".join(worse) or "nothing got worse")
        sys.exit(bool(worse))
    options.out.write_text(page(figures, minutes), encoding="utf-8")
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()
