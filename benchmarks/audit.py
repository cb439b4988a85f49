"""How often an audit is right: wrong labels that it finds, and biased labellings that it notices.

Run:  PUBENCH_DATA=<folder> python benchmarks/audit.py [--seeds 2] [--rows 1200] [--known] [--out FILE] [NAME ...]

Three of ten positives are labelled, in a single training set: at random (SCAR), mostly those that are easy or hard to
recognise (the propensity is the fifth power of a logistic regression's class probability, or of its complement), or by
the value of one column. With labels at random, 0, 5 or 10 % further labels are given to negatives. Priors are
estimated; with --known they are given. The columns that give the label away are planted in the tests, not here.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from pubench.advise.fair_labelling import check_fairness
from pubench.advise.leaks import single_column_aucs
from pubench.advise.prior_of_table import given_prior
from pubench.advise.schema import Encoded, learn_schema
from pubench.advise.suspects import RowNames, find_suspects, scores_of
from pubench.estimators.calibration import share_in_unlabelled
from pubench.estimators.prior_statement import state_prior

# The positive classes of each file; all other classes are negative.
TABLES: dict[str, tuple[str, ...]] = {
    "pima_diabetes": ("1",),
    "raisin": ("Kecimen",),
    "breast_cancer_wdbc": ("malignant",),
    "mushroom_uci": ("p",),
    "pendigits": ("0", "2", "4", "6", "8"),
    "covtype": ("1",),
    "wifi_localization": ("1", "2"),
    "avila": ("A",),
    "occupancy_detection": ("1",),
    "heart_cleveland": ("1", "2", "3", "4"),
}
FREQUENCY = 0.3
SCENARIO = "single-training-set"
Floats = NDArray[np.float64]


def load(name: str, rows: int, seed: int) -> tuple[Encoded, tuple[str, ...], NDArray[np.bool_]]:
    """Return encoded rows, the names of their columns, and the true classes."""
    frame = pd.read_csv(Path(os.environ["PUBENCH_DATA"]) / f"{name}.csv.gz")
    frame = frame.sample(min(rows, len(frame)), random_state=seed).reset_index(drop=True)
    y = frame["target"].astype(str).isin(TABLES[name]).to_numpy()
    schema, _ = learn_schema(frame, label="target", ids=())
    return schema.encode(frame), tuple(column.name for column in schema.columns), y


def propensity(kind: str, X: Floats, y: NDArray[np.bool_], random: np.random.Generator) -> Floats:
    """Return Pr(s = 1 | x, y = 1), whose mean over positives is FREQUENCY."""
    if kind == "fair":
        weight = np.ones(len(y))
    elif kind == "column":
        varied = np.flatnonzero(X[y].std(axis=0) > 0.3)
        weight = expit(2 * X[:, random.choice(varied)])
    else:
        model = LogisticRegression(max_iter=500)
        p = cross_val_predict(model, X, y, method="predict_proba")[:, 1]
        weight = (p if kind == "easy" else 1 - p) ** 5
    scale = brentq(lambda a: np.minimum(a * weight[y], 1).mean() - FREQUENCY, 1e-9, 1e12)
    return np.minimum(scale * weight, 1)


def measure(name: str, seed: int, rows: int, known: bool) -> list[dict[str, object]]:
    """Return one row for each labelling of a table."""
    encoded, columns, y = load(name, rows, seed)
    found = []
    for kind in ("fair", "easy", "hard", "column"):
        random = np.random.default_rng(seed)
        s = (y & (random.random(len(y)) < propensity(kind, encoded.X, y, random))).astype(np.uint8)
        for share in (0.0, 0.05, 0.1) if kind == "fair" else (0.0,):
            labels = s.copy()
            labels[random.choice(np.flatnonzero(~y), round(share * int(s.sum())), replace=False)] = 1
            case = {"table": name, "seed": seed, "kind": kind, "wrong": share}
            found.append(case | judge(encoded, columns, y, labels, seed, known))
    return found


def judge(
    encoded: Encoded,
    columns: tuple[str, ...],
    y: NDArray[np.bool_],
    s: NDArray[np.uint8],
    seed: int,
    known: bool,
) -> dict[str, object]:
    """Return what the audit says of one labelling, and what is true."""
    n_p, scores = int(s.sum()), scores_of(encoded.X, s, seed)
    if known:
        prior = given_prior(float(y.mean()), s, SCENARIO)
    else:
        prior = state_prior(encoded.X, s, scenario=SCENARIO, random_state=seed)
    names = RowNames(np.arange(len(s)), [()] * len(s))
    share, least = (share_in_unlabelled(one, n_p, len(s) - n_p, SCENARIO) for one in (prior.value, prior.low))
    suspects = {one.subject: one for one in find_suspects(scores, s, share=share, least=least, names=names)}
    check = check_fairness(encoded, columns, s, share, seed)
    label, positive = suspects.get("label"), suspects.get("positive")
    return {
        "n_p": n_p,
        "n_wrong": int((s[~y] == 1).sum()),
        "prior_error": prior.value - y.mean(),
        "flagged": label.count if label else 0,
        "shown": len(label.rows) if label else 0,
        "hits": sum(not y[one.row - 1] for one in label.rows) if label else 0,
        "level": label.level if label else "",
        "likely": len(positive.rows) if positive else 0,
        "likely_hits": sum(bool(y[one.row - 1]) for one in positive.rows) if positive else 0,
        "unusual": None if check is None else check.unusual,
        "largest_auc": float(single_column_aucs(encoded, s, seed).max()),
    }


def main() -> None:
    """Measure, and print the shares that the documents state."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(TABLES))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--rows", type=int, default=1200)
    parser.add_argument("--known", action="store_true")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    found = []
    for name in given.names:
        for seed in range(given.seeds):
            found += measure(name, seed, given.rows, given.known)
            print(f"{name}, seed {seed}", flush=True)
            if given.out:
                pd.DataFrame(found).to_csv(given.out, index=False)
    table = pd.DataFrame(found)
    print(f"largest AUC of a single column: {table['largest_auc'].max():.3f}")
    right = table[table["wrong"] == 0]
    print(right.dropna(subset="unusual").groupby("kind")["unusual"].agg(["mean", "count"]))
    fair = table[table["kind"] == "fair"]
    counts = ["n_p", "n_wrong", "flagged", "shown", "hits", "likely", "likely_hits"]
    print(fair.groupby(["wrong", "level"])[counts].sum())


if __name__ == "__main__":
    main()
