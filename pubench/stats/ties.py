"""Within a block of a table: which cells are not significantly different from the best one, over replicates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pubench.stats.corrections import holm
from pubench.stats.paired import paired_differences, signed_rank, t_test
from pubench.stats.scores import ScoreTable, best_cells
from pubench.suite.reporting import Rules

__all__ = ["best_p_values", "tied_with_best"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def tied_with_best(table: ScoreTable, rules: Rules) -> Bools:
    """Return the cells, shape (B, A), that are not best and do not differ from the best of their block."""
    tied: Bools = best_p_values(table, rules) >= rules.alpha
    return tied & ~best_cells(table)


def best_p_values(table: ScoreTable, rules: Rules) -> Floats:
    """Test each complete cell against the best one of its block, replicate by replicate.

    Returns
    -------
    array of shape (B, A)
        p-values after Holm's correction over the block. NaN for references, for partial cells, for the best one
        itself, and where there are too few replicates or the overlap of the splits is not recorded.
    """
    best = best_cells(table)
    if not best.any():
        return np.full(best.shape, np.nan)
    first = best.argmax(axis=1)
    values = table.values
    p = _p_values(paired_differences(values[np.arange(len(values)), first][:, None, :], values), table, rules)
    eligible = table.complete & ~table.reference & best.any(axis=1, keepdims=True)
    eligible[np.arange(len(values)), first] = False
    p = np.where(eligible, p, np.nan)
    return np.stack([holm(line) for line in p])


def _p_values(differences: Floats, table: ScoreTable, rules: Rules) -> Floats:
    if rules.replicate_test == "wilcoxon":
        few = (~np.isnan(differences)).sum(axis=-1) < 2
        found = np.full(few.shape, np.nan)
        for cell in np.argwhere(~few):
            found[tuple(cell)] = signed_rank(differences[tuple(cell)]).p
        return found
    overlap = table.overlap[:, None] if rules.replicate_test == "corrected-t" else 0.0
    return t_test(differences, overlap)[1]
