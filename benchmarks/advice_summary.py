"""The figures of the study of advice, from the lines that its samples left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

METRICS = ("auc", "ap", "f1", "accuracy")
ALWAYS = ("pu-bagging-tree", "puet", "pu-bagging-svm", "naive-et-prior")
_ROUNDING = 1e-9
Floats = NDArray[np.float64]
Row = dict[str, Any]  # edge: a line of JSON


def best(row: Row, metric: str) -> float:
    """Return the best value of any single method, by the truth."""
    return max(figures[metric] for figures in row["quality"].values())


def regret(rows: Sequence[Row], metric: str, value: Callable[[Row], float]) -> str:
    """Return the mean and the standard deviation of a rule's regret."""
    losses = [best(row, metric) - value(row) for row in rows]
    return f"{np.mean(losses):.4f} ({np.std(losses):.3f})"


def regrets(rows: Sequence[Row]) -> Iterable[str]:
    """Yield the table of regrets."""
    yield "| rule | " + " | ".join(METRICS) + " |"
    yield "| --- |" + " --- |" * len(METRICS)
    rules: dict[str, Callable[[Row, str], float]] = {
        "auto": lambda row, metric: row["auto"][metric],
        "auto, decisions by vote": lambda row, metric: row["vote"][metric],
        "single": lambda row, metric: row["quality"][row["single"]][metric],
        "best by pauc": lambda row, metric: row["quality"][leader(row)][metric],
    }
    for name in ALWAYS:
        rules[f"always {name}"] = lambda row, metric, name=name: (
            row["quality"].get(name, {}).get(metric, np.nan)
        )
    for title, rule in rules.items():
        cells = [regret(rows, metric, lambda row, m=metric, rule=rule: rule(row, m)) for metric in METRICS]
        yield f"| {title} | " + " | ".join(cells) + " |"


def leader(row: Row) -> str:
    """Return the method with the best mean over folds."""
    return str(row["names"][int(np.mean(row["values"], axis=1).argmax())])


def holds(low: Floats, truth: Floats, high: Floats) -> str:
    """Return how often an interval holds the truth, and how wide it is."""
    inside = (low <= truth + _ROUNDING) & (truth <= high + _ROUNDING)
    return f"holds in {inside.mean():.2f}, width {(high - low).mean():.2f}"


def statements(rows: Sequence[Row]) -> Iterable[str]:
    """Yield how often what is stated is true."""
    lost = np.array([best(row, "auc") - row["auto"]["auc"] for row in rows])
    claim = np.mean([row["claim"] for row in rows])
    yield f"within .02 of the best tried: claimed {claim:.2f}, true {np.mean(lost <= 0.02):.2f}"
    means, bounds = np.array([row["loss"] for row in rows]).T
    true = np.maximum(lost, 0).mean()
    yield f"expected loss {means.mean():.4f}, true {true:.4f}; bound of 90 % holds in {np.mean(lost <= bounds):.2f}"
    truth, value, low, high, upper = np.array([row["prior"] for row in rows]).T
    error, bounded = np.mean(np.abs(value - truth)), np.mean(truth <= upper)
    yield f"prior, 90 %: {holds(low, truth, high)}; mean error {error:.3f}; upper bound holds in {bounded:.2f}"
    yield from tops(rows)
    names = ("brier", "ece", "brier of a constant")
    brier, ece, constant = (np.mean([row[name] for row in rows]) for name in names)
    yield f"probabilities on U: Brier {brier:.3f} (a constant has {constant:.3f}), ECE {ece:.3f}"
    left_out = sum(bool(row["failures"]) for row in rows)
    yield f"seconds: median {np.median([row['seconds'] for row in rows]):.0f}; methods left out in {left_out} samples"


def tops(rows: Sequence[Row]) -> Iterable[str]:
    """Yield how often the intervals of the precision among the top rows hold."""
    found = np.array([top for row in rows for top in row["tops"]])
    for k in np.unique(found[:, 0]):
        _, truth, _, low, high, narrow_low, narrow_high = found[found[:, 0] == k].T
        yield (
            f"precision among the top {k:.0f} (mean {truth.mean():.2f}): cautious {holds(low, truth, high)}; "
            f"narrow {holds(narrow_low, truth, narrow_high)}"
        )


def summary(rows: Sequence[Row]) -> str:
    """Return all figures, for each mechanism and for both."""
    parts = []
    for title in ("scar", "sar", "all"):
        chosen = [row for row in rows if title in (row["sample"][1], "all")]
        if chosen:
            tables = len({row["sample"][0] for row in chosen})
            parts += [
                f"## {title}: {len(chosen)} samples of {tables} tables",
                *regrets(chosen),
                *statements(chosen),
            ]
    return "\n".join(parts)
