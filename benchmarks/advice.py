"""What advice is worth on tables whose truth is hidden: regret of the ensemble, and coverage of all that is stated.

Run:  PUBENCH_DATA=<folder of files> PUBENCH_OPENML_SERVER=<address> python benchmarks/advice.py run FILE [TABLE ...]
      python benchmarks/advice.py show FILE

Each table is cut to 1,000 training rows and tested on up to 2,000 others; 100 to 300 positives are labelled (at most
six of ten): at random (SCAR), or easy ones first (SAR, strength 2), in both scenarios in turn. Every sample is one line
of FILE; samples that it holds already are not run again. Tables with a number are data sets of OpenML. No decision
about the method was made on STUDY tables; DESIGN tables and others of OpenML served for that.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from advice_cells import Sample, measure
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

import pubench
from pubench.advise.schema import learn_schema
from pubench.data.labelling import Labelling, Sar, Scar
from pubench.data.labelling.assign import assign
from pubench.specs import SCENARIOS

# The positive classes of each table; all others are negative. What follows a colon distinguishes two uses of one file.
DESIGN: dict[str, tuple[str, ...]] = {
    "pima_diabetes": ("1",),
    "breast_cancer_wdbc": ("malignant",),
    "avila": ("A",),
    "pendigits": ("0", "2", "4", "6", "8"),
    "occupancy_detection": ("1",),
    "covtype": ("1",),
    "wifi_localization": ("1",),
    "mushroom_uci": ("p",),
    "pendigits:8": ("8",),
    "avila:F": ("F",),
    "covtype:3": ("3",),
    "raisin": ("Besni",),
}
STUDY: dict[str, tuple[str, ...]] = {
    "6": tuple("ABCDEFGHIJKLM"),
    "23": ("2",),
    "29": ("+",),
    "31": ("bad",),
    "36": ("brickface", "cement", "window"),
    "44": ("1",),
    "60": ("0",),
    "151": ("UP",),
    "182": ("4", "5", "7"),
    "761": ("P",),
    "846": ("N",),
    "847": ("N",),
    "1046": ("0",),
    "1053": ("true",),
    "1461": ("2",),
    "1590": (">50K",),
    "unsw_nb15_82k": ("Normal",),
    "sepsis_study": ("0",),
}
NOT_FEATURES = ("uci_split", "date", "id", "label_binary")
ROWS, TEST_ROWS = 1000, 2000
Table = tuple[pd.DataFrame, NDArray[np.uint8]]


def read_table(name: str) -> Table:
    """Return the rows, categories as text, and the true classes."""
    positive = (DESIGN | STUDY)[name]
    if name.isdigit():
        data = pubench.load_dataset("openml", id=int(name))
        rows = pd.DataFrame(np.asarray(data.X, dtype=np.float64))
        frame = rows.rename(columns=str)
        for place in data.categorical:
            frame[str(place)] = ("c" + rows[place].astype(str)).where(rows[place].notna())
        target = pd.Series(data.target.astype(str))
    else:
        path = Path(os.environ["PUBENCH_DATA"]) / f"{name.partition(':')[0]}.csv.gz"
        frame = pd.read_csv(path, keep_default_na=False, na_values=[""], dtype={"target": str})
        target = frame.pop("target")
    y = target.isin(positive).to_numpy(dtype=np.uint8)
    assert 0 < y.sum() < len(y), f"{name}: {sorted(set(target))[:9]}"
    return frame.drop(columns=[c for c in NOT_FEATURES if c in frame]), y


def as_numbers(frame: pd.DataFrame) -> NDArray[np.float64]:
    """Return rows for the mechanism that labels them: text as indicators and gaps as medians, standardised."""
    numbers = pd.get_dummies(frame, dtype=float).dropna(axis=1, how="all")
    X = numbers.fillna(numbers.median()).to_numpy(dtype=np.float64)
    return StandardScaler().fit_transform(X[:, X.std(axis=0) > 0])


def sample(table: Table, name: str, mechanism: str, seed: int) -> Sample:
    """Cut a table to training and test rows, and label some positives."""
    frame, y = table
    scenario = SCENARIOS[(seed + sum(name.encode())) % 2]
    rng = np.random.default_rng([seed, *name.encode()])
    kept = rng.permutation(len(y))[: ROWS + TEST_ROWS]
    frame, y = frame.iloc[kept], y[kept]
    train = min(ROWS / len(y), 0.7)
    n_p = min(int(rng.choice([100, 200, 300])), int(0.59 * train * y.sum()))
    how = Scar() if mechanism == "scar" else Sar(strength=2.0)
    labelling = Labelling(scenario, positives=n_p, mechanism=how, test=1 - train)
    made = assign(y, labelling, split_rng=rng, label_rng=rng, features=lambda: as_numbers(frame))
    assert made.prior is not None
    schema, _ = learn_schema(frame.iloc[made.train], label=None, ids=(), s=made.s)
    return Sample(
        X=schema.encode(frame.iloc[np.concatenate([made.train, made.test])]).X,
        groups=schema.groups,
        s=made.s,
        y=np.concatenate([y[made.train], y[made.test]]),
        prior=made.prior,
        scenario=scenario,
        seed=seed,
    )


def planned(names: list[str], seeds: range) -> Iterator[tuple[str, str, int]]:
    """Yield the samples: first each table with one mechanism in turn, so that an early end leaves all tables."""
    for seed in seeds:
        for turn in range(2):
            for place, name in enumerate(names):
                yield name, ("scar", "sar")[(place + turn) % 2], seed


def run(options: argparse.Namespace) -> None:
    """Measure what is not in the file yet."""
    file: Path = options.file
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    done = {tuple(json.loads(line)["sample"]) for line in lines}
    tables: dict[str, Table] = {}
    names = options.tables or list(DESIGN if options.design else STUDY)
    for name, mechanism, seed in planned(names, range(options.first, options.first + options.seeds)):
        if (name, mechanism, seed) in done:
            continue
        if name not in tables:
            tables[name] = read_table(name)
        found = measure(sample(tables[name], name, mechanism, seed))
        with file.open("a", encoding="utf-8") as out:
            out.write(json.dumps({"sample": [name, mechanism, seed], **found}) + "\n")
        print(name, mechanism, seed, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=("run", "show"))
    parser.add_argument("file", type=Path)
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--seeds", type=int, default=2, help="samples of each table and mechanism")
    parser.add_argument("--first", type=int, default=500, help="the first seed")
    parser.add_argument("--design", action="store_true", help="the tables that the method was designed on")
    options = parser.parse_intermixed_args()
    if options.action == "run":
        run(options)
    else:
        from advice_summary import summary

        rows = [json.loads(line) for line in options.file.read_text(encoding="utf-8").splitlines()]
        print(summary(rows))


if __name__ == "__main__":
    main()
