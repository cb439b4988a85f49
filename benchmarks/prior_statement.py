"""What ``state_prior`` says on real tables with labels at random: coverage, errors, and whether it doubts itself.

Run:  PUBENCH_DATA=<folder of files> python benchmarks/prior_statement.py [--seeds 5] [--first 300] [--large] [NAME ...]

A table is cut to 1,500 rows, and 25, 50, 100, 200 or 300 positives are labelled (at most six of ten), anew for each
seed, in both scenarios; with --large to 10,000 rows, of which 1,000 or 3,000 are labelled. Intervals
are those at 90 %. "wrong" means that the point is more than 0.08 off.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from pubench.data.labelling import Labelling
from pubench.data.labelling.assign import label_all
from pubench.estimators.prior_statement import PriorStatement, combine_estimates
from pubench.priors import PriorEstimate, estimate_prior
from pubench.specs import SCENARIOS, Scenario

WRONG = 0.08
# The positive classes of each file; all other classes are negative.
TABLES: dict[str, tuple[str, ...]] = {
    "pima_diabetes": ("1",),
    "covtype": ("1",),
    "heart_cleveland": ("1", "2", "3", "4"),
    "heart_statlog": ("2",),
    "raisin": ("Kecimen",),
    "avila": ("A",),
    "haberman": ("2",),
    "ecoli": ("cp",),
    "breast_cancer_wdbc": ("malignant",),
    "pendigits": ("0", "2", "4", "6", "8"),
    "occupancy_detection": ("1",),
    "mushroom_uci": ("p",),
    "wifi_localization": ("1",),
    "user_knowledge": ("high", "middle"),
    "seeds": ("1",),
    "sepsis_study": ("0",),
}
NOT_FEATURES = ("uci_split", "date")


class Size(NamedTuple):
    """How many rows a table keeps, and how many positives are labelled: one of these numbers."""

    rows: int
    labelled: tuple[int, ...]


SMALL, LARGE = Size(1500, (25, 50, 100, 200, 300)), Size(10_000, (1000, 3000))


class Found(NamedTuple):
    """What was said about one labelled sample."""

    table: str
    scenario: Scenario
    labelled: int
    truth: float
    bbe: PriorEstimate
    profile: PriorEstimate
    statement: PriorStatement


def read_table(root: Path, name: str) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Return the rows, text as indicators and gaps as medians, and the true classes."""
    frame = pd.read_csv(root / f"{name}.csv.gz", keep_default_na=False, na_values=[""], dtype={"target": str})
    y = frame.pop("target").isin(TABLES[name]).to_numpy(dtype=np.uint8)
    frame = pd.get_dummies(frame.drop(columns=[c for c in NOT_FEATURES if c in frame]), dtype=float)
    return frame.fillna(frame.median()).to_numpy(dtype=np.float64), y


def ask(
    name: str, table: tuple[NDArray[np.float64], NDArray[np.uint8]], scenario: Scenario, seed: int, size: Size
) -> Found:
    """Cut and label a table, and ask both estimators."""
    X, y = table
    rng = np.random.default_rng([seed, SCENARIOS.index(scenario)])
    kept = rng.permutation(len(y))[: size.rows]
    X, y = X[kept], y[kept]
    X = StandardScaler().fit_transform(X[:, X.std(axis=0) > 0])
    n_p = min(int(rng.choice(size.labelled)), int(0.6 * y.sum()))
    made = label_all(y, Labelling(scenario, positives=n_p), rng=rng)
    assert made.prior is not None
    bbe, profile = (
        estimate_prior(X[made.train], made.s, scenario=scenario, estimator=estimator, random_state=seed)
        for estimator in ("bbe", "profile")
    )
    return Found(name, scenario, n_p, made.prior, bbe, profile, combine_estimates(bbe, profile))


def line(title: str, found: list[Found]) -> str:
    """Return a row of the table of results."""

    def covered(interval: Callable[[Found], PriorEstimate | PriorStatement]) -> str:
        return f"{np.mean([interval(one).low <= one.truth <= interval(one).high for one in found]):.2f}"

    def error(estimate: Callable[[Found], PriorEstimate]) -> str:
        return f"{np.mean([abs(estimate(one).value - one.truth) for one in found]):.3f}"

    width = np.mean([one.statement.high - one.statement.low for one in found])
    cells = (
        f"{np.mean([one.truth for one in found]):.2f}",
        covered(lambda one: one.statement),
        covered(lambda one: one.profile),
        covered(lambda one: one.bbe),
        f"{width:.2f}",
        error(lambda one: one.bbe),
        error(lambda one: one.profile),
        f"{np.mean([one.truth <= one.statement.upper for one in found]):.2f}",
        f"{np.mean([one.statement.upper - one.truth for one in found]):.2f}",
        f"{np.mean([not one.statement.determined for one in found]):.2f}",
    )
    return f"| {title} | {' | '.join((str(len(found)), *cells))} |"


def doubted(found: Iterable[Found]) -> str:
    """Return how often "cannot be determined" is said where it is and where it is not needed."""
    kinds: dict[bool, list[bool]] = {True: [], False: []}
    for one in found:
        kinds[abs(one.bbe.value - one.truth) > WRONG].append(not one.statement.determined)
    return "; ".join(
        f"said in {np.mean(said):.2f} of {len(said)} samples whose point is {'' if wrong else 'not '}wrong"
        for wrong, said in kinds.items()
        if said
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=list(TABLES))
    parser.add_argument("--seeds", type=int, default=5, help="samples of each table and scenario")
    parser.add_argument("--first", type=int, default=300, help="the first seed")
    parser.add_argument("--large", action="store_true", help="10,000 rows of each table")
    options = parser.parse_args()
    size = LARGE if options.large else SMALL
    root = Path(os.environ["PUBENCH_DATA"])
    print(
        "| table | samples | prior | statement covers | profile covers | bbe covers | width | error of bbe | "
        "error of profile | bound holds | slack | undetermined |"
    )
    print("| --- |" + " ---: |" * 11)
    found: list[Found] = []
    for name in options.names:
        table = read_table(root, name)
        seeds = range(options.first, options.first + options.seeds)
        asked = [ask(name, table, scenario, seed, size) for scenario in SCENARIOS for seed in seeds]
        print(line(name, asked), flush=True)
        found += asked
    for scenario in SCENARIOS:
        print(line(f"all, {scenario}", [one for one in found if one.scenario == scenario]))
    for low, high in ((0, 50), (50, 100), (100, 10**6)):
        some = [one for one in found if low < one.labelled <= high]
        if some:
            print(
                line(f"all, more than {low} labelled" + (f", at most {high}" if high < 10**6 else ""), some)
            )
    print(line("all", found))
    print(f'"Cannot be determined": {doubted(found)}.')


if __name__ == "__main__":
    main()
