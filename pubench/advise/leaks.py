"""Columns that give the label away: filled in because a row is labelled, or alone enough to tell P from U."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.advise.cells import distinct_text
from pubench.advise.columns import Column
from pubench.advise.findings import Finding
from pubench.advise.schema import Encoded, Schema
from pubench.estimators.out_of_fold import out_of_fold_scores
from pubench.estimators.rows import Estimator, Labels, Rows

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["find_leaks", "leak_hints", "one_sided_ids", "single_column_aucs"]

_SURE, _HIGH = 0.98, 0.95
"""AUC of P against U by one column: beyond what honest columns reach, and nearly so."""
_FILLED, _BLANK = 0.95, 0.05
_APART = 0.5
_UNLIKELY = 1e-6
_FOLDS = 3
_LEAST = 5
"""Fewer labelled rows agree by chance."""
_REMEDY = (
    "If the column was filled in because of the label, or is known for labelled rows only, leave it out; methods would "
    "learn the label instead of the class. Keep it only if it is known equally for new rows."
)

_ID_REMEDY = (
    "Find out what fills it in: if the work that gave the labels did, other columns may come from there, too. "
    "Leave them out, and name this one with --id."
)


@dataclass(frozen=True, slots=True)
class _Shares:
    """The share of labelled and of unlabelled rows for which something holds."""

    labelled: float
    unlabelled: float


def find_leaks(frame: pd.DataFrame, schema: Schema, encoded: Encoded, s: Labels, seed: int) -> list[Finding]:
    """Return the columns that give the label away, the surest first.

    Parameters
    ----------
    frame : DataFrame of n rows
    schema : Schema
        Of the table.
    encoded : Encoded
        The same rows.
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    seed : int
    """
    if s.sum() < _LEAST:
        return []
    found: dict[str, Finding] = {}
    aucs = single_column_aucs(encoded, s, seed)
    for place, column in enumerate(schema.columns):
        for finding in (
            *_plain(frame[column.name], column, s),
            *_separates(column.name, float(aucs[place])),
        ):
            found.setdefault(column.name, finding)
    return sorted(found.values(), key=lambda finding: finding.level != "serious")


def one_sided_ids(frame: pd.DataFrame, names: Sequence[str], s: Labels) -> list[Finding]:
    """Return the columns that look like ids and are filled in almost only where rows are labelled, or are not.

    No method uses them, but new rows will not have them, and other columns may come from the same source.

    Parameters
    ----------
    frame : DataFrame of n rows
    names : sequence of str
        Of the columns that look like ids.
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    """
    if s.sum() < _LEAST:
        return []
    found = (one for name in names for one in _filled(name, frame[name].isna().to_numpy(), s, sure=_APART))
    return [
        replace(one, sentence=f"{one.sentence} It looks like an id and is not used.", remedy=_ID_REMEDY)
        for one in found
        if one.level == "serious"
    ]


def leak_hints(
    frame: pd.DataFrame, schema: Schema, s: Labels, *, given: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return what can be said of leaks without a fit, in sentences that lead to an audit.

    Parameters
    ----------
    frame : DataFrame of n rows
    schema : Schema
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    given : sequence of str
        The columns that a person named as ids.
    """
    if s.sum() < _LEAST:
        return ()
    frame = frame.rename(columns=str)
    found = [
        *one_sided_ids(frame, [name for name in schema.ids if name not in given], s),
        *(one for column in schema.columns for one in islice(_plain(frame[column.name], column, s), 1)),
    ]
    return tuple(f"{one.sentence} Let pubench audit look for more." for one in found)


def _plain(cells: pd.Series, column: Column, s: Labels) -> Iterator[Finding]:
    yield from _filled(column.name, cells.isna().to_numpy(), s)
    if column.is_text:
        yield from _one_category(column.name, cells, s)


def single_column_aucs(encoded: Encoded, s: Labels, seed: int) -> NDArray[np.float64]:
    """Return how well each column alone tells P from U: the AUC of a small tree on rows that it did not see."""
    from sklearn.metrics import roc_auc_score
    from sklearn.tree import DecisionTreeClassifier

    def fitted(rows: Rows, labels: Labels) -> Estimator:
        tree = DecisionTreeClassifier(
            max_leaf_nodes=8, min_samples_leaf=5, class_weight="balanced", random_state=seed
        )
        return tree.fit(rows, labels)

    source = np.asarray(encoded.source)
    aucs = np.empty(source.max() + 1)
    for place in range(len(aucs)):
        block = np.ascontiguousarray(encoded.X[:, source == place])
        aucs[place] = roc_auc_score(s, out_of_fold_scores(fitted, block, s, n_folds=_FOLDS, seed=seed))
    return aucs


def _shares(holds: NDArray[np.bool_], s: Labels) -> _Shares:
    return _Shares(float(holds[s == 1].mean()), float(holds[s == 0].mean()))


def _filled(name: str, missing: NDArray[np.bool_], s: Labels, *, sure: float = _FILLED) -> Iterator[Finding]:
    """Find a column whose cells are there, or missing, mostly where rows are labelled."""
    share = _shares(~missing, s)
    sentence = (
        f"'{name}' is filled in {share.labelled:.0%} of the labelled and {share.unlabelled:.0%} of the "
        "unlabelled rows"
    )
    ends = sorted((share.labelled, share.unlabelled))
    if ends[0] <= _BLANK and ends[1] >= sure:
        yield Finding("leak", "serious", f"{sentence}.", _REMEDY, (name,))
    elif ends[1] - ends[0] >= _APART:
        yield Finding("leak", "check", f"{sentence}.", _REMEDY, (name,))


def _one_category(name: str, cells: pd.Series, s: Labels) -> Iterator[Finding]:
    """Find a column in which all labelled rows have the same category, and many unlabelled ones another."""
    codes, texts = distinct_text(cells)
    among = np.unique(codes[s == 1])
    if len(among) != 1 or among[0] < 0:
        return
    share = float((codes[s == 0] == among[0]).mean())
    n_p = int(s.sum())
    if share**n_p < _UNLIKELY:
        yield Finding(
            "leak",
            "serious" if 1 - share / 2 >= _HIGH else "check",
            f"All {n_p:,} labelled rows have '{texts[among[0]]}' in '{name}'; of the unlabelled rows {share:.0%} do.",
            "If only such rows were ever examined, methods learn where you looked instead of what is positive: leave "
            "the column out. If only such rows can be positive, keep it.",
            (name,),
        )


def _separates(name: str, auc: float) -> Iterator[Finding]:
    if auc >= _HIGH:
        yield Finding(
            "leak",
            "serious" if auc >= _SURE else "check",
            f"'{name}' alone separates labelled from unlabelled rows with an AUC of {auc:.3f}, although unlabelled "
            "rows should include positives.",
            _REMEDY,
            (name,),
        )
