"""How often methods, as registered, predict one class for all test rows, and how accurate they are.

Run:  python benchmarks/collapse.py decided|held-out [--algorithms NAME ...] [--jobs 2] [--out FOLDER]

A name may have parameters, or another key of its entry: 'adapu { normalize = "sets" }', 'adapu threshold = "prior"'.

3 in 10 positives are labelled, in both scenarios, and methods receive the true prior. The tables come from OpenML
(PUBENCH_OPENML_SERVER may name a mirror), at most about 1,700 rows of each; no bundled suite uses any of them.
Defaults were chosen on the synthetic data and the tables of "decided"; those of "held-out" only show the outcome.
Finished cells in the folder are not run again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import pubench
from pubench.plugins.discovery import discover

REFERENCES = ("supervised-", "pn-", "oracle-")
# These take any classifier and are measured by their presets.
GENERIC = {"naive", "naive-prior", "pu-bagging"}


class Table(NamedTuple):
    """An OpenML table: its positive classes (none: the rarest class), and how many rows of each class to keep."""

    id: int
    positive: tuple[str, ...] = ()
    sample: tuple[int, int] | None = None


DECIDED = (
    Table(1464),
    Table(1480),
    Table(59),
    Table(15),
    Table(458, ("Shakespeare",)),
    Table(11, ("L",)),
    Table(1467),  # 8.5 % positive
    Table(311),  # 4.4 %
)
HELD_OUT = (
    Table(1494),
    Table(54, ("bus",)),
    Table(31),
    Table(35, ("1",)),
    Table(451),
    Table(841),
    Table(188, ("good", "best")),
    Table(1050),  # 10.2 %
    Table(185, ("1", "2")),  # 9.3 %
    Table(182, ("4",), (90, 910)),
    Table(38, (), (60, 940)),
    Table(310, (), (40, 1660)),
)
SYNTHETIC = (
    'use = "gaussians"\nname = "gaussians"\nparams = { n = 700, prior = 0.3, separation = 2.0 }',
    'use = "gaussians"\nname = "gaussians-rare"\nparams = { n = 1000, prior = 0.06, separation = 3.0 }',
    'use = "moons"\nname = "moons"\nparams = { n = 700, d = 5 }',
    'use = "checkerboard"\nname = "checkerboard"\nparams = { n = 700, cells = 2 }',
)


def entry(table: Table) -> str:
    """Return the table's lines in a suite."""
    positive = json.dumps(list(table.positive)) if table.positive else '"minority"'
    lines = f'use = "openml"\nname = "{table.id}"\nparams = {{ id = {table.id} }}\npositive = {positive}'
    if table.sample:
        lines += f"\nsample = {{ positive = {table.sample[0]}, negative = {table.sample[1]} }}"
    return lines


def registered() -> list[str]:
    """Return the names of all methods that learn from P and U alone."""
    names = discover(third_party=False).all("algorithms")
    return [name for name in names if name not in GENERIC and not name.startswith(REFERENCES)]


def method(asked: str) -> str:
    """Return the lines of a method in a suite from its name, and its parameters or another key if there is one."""
    name, _, more = asked.partition(" ")
    lines = f"use = {json.dumps(name)}\nname = {json.dumps(asked)}"
    return f"{lines}\n{f'params = {more}' if more.startswith('{') else more}"


def suite(name: str, algorithms: Iterable[str], replicates: int) -> str:
    """Return the text of the suite."""
    decided = name == "decided"
    datasets = [*map(entry, DECIDED if decided else HELD_OUT), *(SYNTHETIC if decided else ())]
    scenarios = ("case-control", "single-training-set")
    return "\n\n".join(
        [
            f'name = "collapse-{name}"\nseed = {11 if decided else 12}\nreplicates = {replicates}',
            *(f"[[datasets]]\n{lines}" for lines in datasets),
            *(f'[[labellings]]\nscenario = "{scenario}"\nfrequency = 0.3' for scenario in scenarios),
            *(f"[[algorithms]]\n{method(algorithm)}" for algorithm in algorithms),
            "[limits]\nseconds = 120",
            '[report]\nmetrics = ["accuracy", "f1", "roc-auc"]\n',
        ]
    )


def summary(rows: Sequence[dict[str, object]]) -> pd.DataFrame:
    """Return, by method, the share of collapsed fits, those on tables with rare positives apart, and mean scores."""
    cells = pd.DataFrame(rows)
    fitted = cells[cells["status"] == "ok"].copy()
    fitted["collapsed"] = fitted["collapsed"].astype(bool)
    fitted["rare"] = np.where(fitted["true_prior"] < 0.1, fitted["collapsed"], np.nan)
    columns = {"fits": ("status", "size"), "collapsed": ("collapsed", "mean"), "rare": ("rare", "mean")}
    scores = {name: (name, "mean") for name in ("accuracy", "f1", "roc-auc")}
    table = fitted.groupby("algorithm").agg(**columns, **scores)
    table["missing"] = cells.groupby("algorithm").size() - table["fits"]
    return table.sort_values("collapsed", ascending=False)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", choices=("decided", "held-out"))
    parser.add_argument("--algorithms", nargs="+", help="default: all registered methods")
    parser.add_argument("--replicates", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("runs"))
    asked = parser.parse_args()
    folder = asked.out / f"collapse-{asked.tables}"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder.with_suffix(".toml")
    file.write_text(suite(asked.tables, asked.algorithms or registered(), asked.replicates), encoding="utf-8")
    found = pubench.run_suite(file, out=folder, jobs=asked.jobs)
    print(summary(found.rows).to_string(float_format=lambda value: f"{value:.3f}"))


if __name__ == "__main__":
    main()
