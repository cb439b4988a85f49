"""Within a block of a table: which cells are not significantly different from the best one, over replicates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.stats.corrections import holm
from pubench.stats.paired import paired_differences, signed_rank, t_test
from pubench.stats.power import PairedTest, detectable
from pubench.stats.scores import ScoreTable, best_cells
from pubench.suite.reporting import Rules

__all__ = ["TieMarks", "tie_marks"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class TieMarks(NamedTuple):
    """Cells, shape (B, A), that are tied with the best of their block, and those whose test is too weak to say so.

    ``p`` are p-values against the best after Holm's correction over the block: NaN for references, for partial cells,
    for the best one itself, and where there are too few replicates or the overlap of the splits is not recorded.
    ``detectable`` is the difference that the test of a cell detects with power 0.8.
    """

    tied: Bools
    weak: Bools
    p: Floats
    detectable: Floats


def tie_marks(table: ScoreTable, rules: Rules) -> TieMarks:
    """Test each complete cell against the best one of its block, replicate by replicate.

    A cell is tied if the test does not reject, though it detects ``rules.detectable`` with power 0.8. The best cell is
    chosen on the same replicates, so Holm's factors have the least value of :func:`pubench.stats.pairs.make_pairs`.
    """
    best = best_cells(table)
    if not best.any():
        unknown, none = np.full(best.shape, np.nan), np.zeros(best.shape, dtype=np.bool_)
        return TieMarks(none, none, unknown, unknown)
    first, places = best.argmax(axis=1), np.arange(len(best))
    differences = paired_differences(table.values[places, first][:, None, :], table.values)
    eligible = table.complete & ~table.reference & best.any(axis=1, keepdims=True)
    eligible[places, first] = False
    raw = np.where(eligible, _p_values(differences, table, rules), np.nan)
    tests = (~np.isnan(raw)).sum(axis=1)
    p = np.stack([holm(line, float(m) / 2) for line, m in zip(raw, tests, strict=True)])
    least = _detectable(differences, np.broadcast_to(tests[:, None], best.shape), table, rules)
    least = np.where(np.isnan(p), np.nan, least)
    open_ = (p >= rules.alpha) & ~best
    return TieMarks(open_ & (least <= rules.detectable), open_ & (least > rules.detectable), p, least)


def _p_values(differences: Floats, table: ScoreTable, rules: Rules) -> Floats:
    if rules.replicate_test == "wilcoxon":
        few = (~np.isnan(differences)).sum(axis=-1) < 2
        found = np.full(few.shape, np.nan)
        for cell in np.argwhere(~few):
            found[tuple(cell)] = signed_rank(differences[tuple(cell)]).p
        return found
    return t_test(differences, _overlap(table, rules))[1]


def _overlap(table: ScoreTable, rules: Rules) -> Floats:
    """Return n_test / n_train, shape (B, 1), where the test corrects for it, and 0 elsewhere."""
    overlap = table.overlap if rules.replicate_test == "corrected-t" else np.zeros_like(table.overlap)
    return overlap[:, None]


def _detectable(differences: Floats, tests: NDArray[np.int64], table: ScoreTable, rules: Rules) -> Floats:
    """Return what each cell's test detects with power 0.8, from the spread of its own differences."""
    known = np.isfinite(differences)
    n = known.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, differences, 0.0).sum(axis=-1) / n
        squares = (np.where(known, differences - mean[..., None], 0.0) ** 2).sum(axis=-1)
        spread = np.sqrt(squares / (n - 1))
    test: PairedTest = "wilcoxon" if rules.replicate_test == "wilcoxon" else "t"
    scale = np.ones(n.shape) if test == "wilcoxon" else np.sqrt(1 + _overlap(table, rules) * n)
    found = np.full(n.shape, np.inf)
    for size, m in {(int(a), int(b)) for a, b in zip(n.flat, tests.flat, strict=True) if a > 1 and b}:
        same = (n == size) & (tests == m)
        factor = detectable(test, size, rules.alpha / m)
        found[same] = (spread * scale)[same] * factor if np.isfinite(factor) else np.inf
    return found
