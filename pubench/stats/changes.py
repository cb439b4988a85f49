"""How algorithms changed between two runs of the same cells: differences, and whether they are beyond noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.stats.bootstrap import mean_interval
from pubench.stats.corrections import holm
from pubench.stats.paired import paired_differences, signed_rank, t_test
from pubench.stats.power import least_p
from pubench.stats.scores import Block

__all__ = ["BlockChange", "Change", "PairedScore", "Verdict", "block_changes", "overall_changes"]

Floats = NDArray[np.float64]


class Verdict(StrEnum):
    """What a difference says."""

    SAME = "identical"
    BEYOND = "beyond noise"
    WITHIN = "within noise"
    TOO_FEW = "too few to say"


class PairedScore(NamedTuple):
    """The score of one cell in both runs; ``overlap`` is its n_test / n_train, NaN where that is not recorded."""

    algorithm: str
    block: Block
    first: float
    second: float
    overlap: float


class BlockChange(NamedTuple):
    """The change of an algorithm on one data set with one labelling and criterion, over ``cells`` replicates.

    ``first`` and ``second`` are the means, ``difference`` is second minus first, ``adjusted`` the p-value of the
    corrected t-test over replicates after Holm's correction over all blocks of the metric; NaN where there is no test.
    """

    algorithm: str
    metric: str
    block: Block
    cells: int
    first: float
    second: float
    difference: float
    adjusted: float
    verdict: Verdict


class Change(NamedTuple):
    """The change of an algorithm over all data sets, each of which counts once.

    ``low`` to ``high`` is the bootstrap interval of the mean difference, ``adjusted`` the p-value of the signed-rank
    test after Holm's correction over the algorithms; NaN with too few data sets for a test.
    """

    algorithm: str
    metric: str
    cells: int
    datasets: int
    first: float
    second: float
    difference: float
    low: float
    high: float
    adjusted: float
    verdict: Verdict


def block_changes(metric: str, scores: Sequence[PairedScore], alpha: float) -> tuple[BlockChange, ...]:
    """Test each block over its replicates, with the correction for splits that share rows (Nadeau and Bengio)."""
    groups: dict[tuple[str, Block], list[PairedScore]] = {}
    for score in scores:
        groups.setdefault((score.algorithm, score.block), []).append(score)
    differences = [_differences(group) for group in groups.values()]
    raw = [
        _replicate_p(found, group, alpha) for found, group in zip(differences, groups.values(), strict=True)
    ]
    adjusted = holm(np.array(raw, dtype=np.float64))
    return tuple(
        BlockChange(
            algorithm,
            metric,
            block,
            len(group),
            *_means(group),
            _finite_mean(found),
            float(p),
            _verdict(group, found, p, alpha),
        )
        for ((algorithm, block), group), found, p in zip(groups.items(), differences, adjusted, strict=True)
    )


def _replicate_p(differences: Floats, group: Sequence[PairedScore], alpha: float) -> float:
    """Return the p-value over replicates; NaN where they cannot tell.

    Two or three replicates of a coarse metric may well differ by the same amount, which has no variance: that is a
    difference only if as many equal signs would be.
    """
    overlap = float(np.mean([score.overlap for score in group]))
    finite = differences[np.isfinite(differences)]
    # A block without any difference needs no test, and costs the others no power.
    if finite.size < 2 or np.isnan(overlap) or not finite.any():
        return np.nan
    if np.ptp(finite) == 0 and not least_p("wilcoxon", finite.size) < alpha:
        return np.nan
    return float(t_test(differences, overlap)[1])


def overall_changes(
    metric: str, scores: Sequence[PairedScore], origins: Mapping[str, str], alpha: float
) -> tuple[Change, ...]:
    """Test each algorithm over data sets.

    Parameters
    ----------
    metric : str
    scores : sequence of PairedScore
    origins : mapping of str to str
        What identifies the table that a data set comes from: data sets that share rows are one.
    alpha : float

    Returns
    -------
    tuple of Change
        One for each algorithm, in order of appearance.
    """
    names = dict.fromkeys(score.algorithm for score in scores)
    groups = [[score for score in scores if score.algorithm == name] for name in names]
    units = [_units(group, origins) for group in groups]
    differences = [paired_differences(found[:, 1], found[:, 0]) for found in units]
    least = np.array([least_p("wilcoxon", len(found)) for found in differences])
    changed = np.array([bool((found != 0).any()) for found in differences], dtype=np.bool_)
    # An algorithm without any difference needs no test, and costs the others no power.
    able = changed & (holm(np.where(changed, least, np.nan)) < alpha)
    raw = np.array([signed_rank(found).p for found in differences])
    adjusted = holm(np.where(able, raw, np.nan))
    return tuple(
        _change(metric, own, means, found, p, alpha)
        for own, means, found, p in zip(groups, units, differences, adjusted.tolist(), strict=True)
    )


def _change(
    metric: str,
    scores: Sequence[PairedScore],
    units: Floats,
    differences: Floats,
    adjusted: float,
    alpha: float,
) -> Change:
    finite = differences[np.isfinite(differences)]
    enough = least_p("wilcoxon", len(differences)) < alpha
    low, high = mean_interval(finite, 1 - alpha) if enough else (np.nan, np.nan)
    first, second = units.mean(axis=0).tolist()
    counts, verdict = (len(scores), len(units)), _verdict(scores, differences, adjusted, alpha)
    return Change(
        scores[0].algorithm,
        metric,
        *counts,
        first,
        second,
        _finite_mean(differences),
        low,
        high,
        adjusted,
        verdict,
    )


def _units(scores: Sequence[PairedScore], origins: Mapping[str, str]) -> Floats:
    """Return the means of both runs, shape (n, 2): over replicates, then over the blocks of each data set."""
    blocks: dict[Block, list[tuple[float, float]]] = {}
    for score in scores:
        blocks.setdefault(score.block, []).append((score.first, score.second))
    units: dict[str, list[Floats]] = {}
    for block, values in blocks.items():
        unit = origins.get(block.dataset, block.dataset)
        units.setdefault(unit, []).append(np.array(values, dtype=np.float64).mean(axis=0))
    return np.array([np.mean(found, axis=0) for found in units.values()], dtype=np.float64).reshape(-1, 2)


def _differences(group: Sequence[PairedScore]) -> Floats:
    """Return second minus first, without rounding noise."""
    first, second = (
        np.array(values, dtype=np.float64) for values in zip(*(s[2:4] for s in group), strict=True)
    )
    return paired_differences(second, first)


def _means(group: Sequence[PairedScore]) -> tuple[float, float]:
    first, second = np.mean([score[2:4] for score in group], axis=0)
    return float(first), float(second)


def _finite_mean(differences: Floats) -> float:
    finite = differences[np.isfinite(differences)]
    return float(finite.mean()) if finite.size else np.nan


def _verdict(scores: Sequence[PairedScore], differences: Floats, adjusted: float, alpha: float) -> Verdict:
    # Equal to the bit, cell by cell: means over cells may be equal though the cells are not.
    if all(score.first == score.second for score in scores):
        return Verdict.SAME
    if not (differences != 0).any():
        return Verdict.WITHIN
    if np.isnan(adjusted):
        return Verdict.TOO_FEW
    return Verdict.BEYOND if adjusted < alpha else Verdict.WITHIN
