"""Write the tables of docs/modern.md and docs/biased-labels.md from the committed rows: ``python reports/today.py``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd
from conclusions import cells, share, table

DOCS = Path(__file__).parents[1] / "docs"
PAGES = tuple(DOCS / name for name in ("modern.md", "biased-labels.md"))
PLACE = re.compile(r"(<!-- Below: (\w+), made by reports/today\.py -->\n).*?(<!-- Above -->\n)", re.DOTALL)
CONTROL = "nnpu"
FIXED = ("nnpu", "cvir", "naive-et-prior")
"""The methods that assume SCAR against which those for biased labels were to be compared, named before the run."""
FAIR = (*FIXED, "puet", "naive-lr-prior")
MODELS = ("sar-em", "sar-em-column", "lbe", "pu-weighted")
ORACLE = "oracle-propensity"


def today() -> str:
    """Return the scores of all methods, the most accurate first, and their accuracy against the control's."""
    rows = cells("methods-today")
    means = rows.groupby("algorithm")[["f1", "roc-auc"]].mean()
    sides = rows.groupby(["algorithm", "scenario"])["accuracy"].mean().unstack()
    by_block = rows.groupby(["algorithm", "dataset", "scenario"])["accuracy"].mean().unstack([1, 2])
    references = set(rows.loc[rows["reference"].astype(bool), "algorithm"])
    lines = [
        [
            _name(name, references),
            *(share(sides.loc[name, side]) for side in ("case-control", "single-training-set")),
            "" if name == CONTROL else _difference(by_block.loc[name] - by_block.loc[CONTROL], "blocks"),
            *(share(means.loc[name, metric]) for metric in ("f1", "roc-auc")),
        ]
        for name in by_block.mean(axis=1).sort_values(ascending=False).index
    ]
    heads = ["method", "accuracy, case-control", "single training set", f"difference to `{CONTROL}`"]
    return table([*heads, "F1", "AUC"], lines)


def accuracy() -> str:
    """Return mean accuracy by labelling and method."""
    return _by_labelling("accuracy")


def ranking() -> str:
    """Return the mean area under the ROC curve by labelling and method."""
    return _by_labelling("roc-auc")


def _by_labelling(metric: str) -> str:
    rows = cells("sar-strength")
    means = rows.groupby(["labelling", "algorithm"])[metric].mean().unstack()
    names = [*FAIR, *MODELS, ORACLE]
    lines = [
        [_mechanism(labelling), *(share(means.loc[labelling, name]) for name in names)]
        for labelling in rows["labelling"].unique()
    ]
    return table(["labelling", *(_name(name, {ORACLE}) for name in names)], lines)


def fixed() -> str:
    """Return how much more accurate methods for biased labels are than three methods that were named before."""
    return _against(lambda found, other: found[other], FIXED)


def hindsight() -> str:
    """Return the same against the best method that assumes SCAR, which is chosen by the rows that judge."""
    return _against(lambda found, _: found[found[[*FAIR]].mean().idxmax()], ("best",))


def _against(of: Callable[[pd.DataFrame, str], pd.Series[float]], others: tuple[str, ...]) -> str:
    rows, lines = cells("sar-strength"), []
    for labelling in rows["labelling"].unique():
        chosen = rows[rows["labelling"] == labelling]
        found = chosen.groupby(["dataset", "algorithm"])["accuracy"].mean().unstack()
        for other in others:
            name = found[[*FAIR]].mean().idxmax() if other == "best" else other
            compared = [_difference(found[model] - of(found, other), "tables") for model in (*MODELS, ORACLE)]
            lines.append([_mechanism(labelling), f"`{name}`", *compared])
    return table(["labelling", "against", *(_name(name, {ORACLE}) for name in (*MODELS, ORACLE))], lines)


def _difference(found: pd.Series[float], of: str) -> str:
    """Return the mean with its standard error over tables, and on how many it is above 0; bold beyond two errors."""
    error = found.std(ddof=1) / len(found) ** 0.5
    said = f"{found.mean():+.3f} ({error:.3f})".replace("0.", ".")
    said = f"**{said}**" if abs(found.mean()) > 2 * error else said
    return said if of == "blocks" else f"{said} {int((found > 0).sum())}/{len(found)}"


def _mechanism(labelling: str) -> str:
    """Return what differs between labellings: the mechanism with its strength."""
    found = re.search(r"(easy|hard|feature) \d+", labelling)
    return f"`{found[0]}`" if found else "SCAR"


def _name(name: str, references: set[str]) -> str:
    return f"`{name}`{' †' if name in references else ''}"


TABLES: Mapping[str, Callable[[], str]] = {
    "today": today,
    "accuracy": accuracy,
    "ranking": ranking,
    "fixed": fixed,
    "hindsight": hindsight,
}


def written(page: str) -> str:
    """Return a page with new tables."""
    return PLACE.sub(lambda place: f"{place[1]}\n{TABLES[place[2]]()}\n\n{place[3]}", page)


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")
