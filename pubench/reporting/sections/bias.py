"""The section of biased labels: what a labelling mechanism costs, and how well its propensities are estimated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.errors import counted
from pubench.reporting.draw.curves import Curve, Panel, Sweep, draw_sweep, shown_panels
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import (
    BulletList,
    Entry,
    FigureBlock,
    Paragraph,
    Section,
    SectionBlock,
    TableBlock,
)
from pubench.reporting.sections.sensitivity import more_panels
from pubench.reporting.sweeps import biased_labellings, sweep_priors
from pubench.reporting.wording import number
from pubench.results.record import PropensityRecord
from pubench.stats.scores import ScoreTable
from pubench.status import Status

__all__ = ["Contest", "bias_section", "find_contests"]

BINS, LINES = 10, 80
"""Groups of true propensities in a curve; lines of a table, so that pages stay small."""
_CONTESTS = (
    "For each labelling: the best method that assumes labels to be a fair sample of positives, the best one that "
    "estimates propensities, and the mean difference over data sets with its standard error. Both are the best of "
    "several by the same numbers, which flatters the larger group."
)
_CURVES = (
    "Estimated against true propensities of the training positives, all data sets and replicates together, in groups "
    "with similar true propensities. On the grey line estimates are right on average; the band is one standard "
    "deviation between groups. None of these methods has seen the true propensities."
)
_PRIOR = "The prior that methods were given next to the true one, mean over data sets and replicates."
_PRIOR_CURVES = f"{_PRIOR} The band is one standard deviation between cells. Strength 0 is SCAR."


_SIDES = (
    "Neither group is ahead in {metric} by more than two standard errors with: {names}.",
    "Methods that estimate propensities are ahead in {metric} with: {names}.",
    "Methods that assume SCAR are ahead in {metric} with: {names}.",
)
"""What is said of a difference, by its sign: 0, 1 or -1."""
_ONE = "Which group is ahead in {metric} cannot be said from one data set, with: {names}."


class Contest(NamedTuple):
    """The best method of each group in one labelling, and their difference by data set, shape (D,)."""

    labelling: str
    fair: str
    modelled: str
    means: tuple[float, float]
    differences: NDArray[np.float64]


def bias_section(report: Report) -> Section | None:
    """Return tables and curves where a run has biased labels; Markdown has none."""
    labellings = biased_labellings(report)
    if not labellings:
        return None
    found = _records(report)
    models = frozenset(algorithm for _, algorithm in found)
    blocks: list[SectionBlock] = []
    for place, table in enumerate(report.tables):
        blocks += _contest_blocks(place, table, find_contests(table, models))
    blocks += [Paragraph(_CONTESTS)] if blocks else []
    blocks += [*_prior_blocks(report), *_curves(found)]
    if not blocks:
        return None
    return Section("bias", "Biased labels", "Biased labels", tuple(blocks), ())


def find_contests(table: ScoreTable, models: frozenset[str]) -> list[Contest]:
    """Compare the best method that models the labelling with the best one that does not, labelling by labelling.

    Parameters
    ----------
    table : ScoreTable
    models : frozenset of str
        The algorithms that estimate propensities.

    Returns
    -------
    list of Contest
        Empty for a metric without a direction. An algorithm takes part if it is complete on all data sets.
    """
    if table.greater_is_better is None:
        return []
    sign = 1.0 if table.greater_is_better else -1.0
    places: dict[str, list[int]] = {}
    for i, block in enumerate(table.blocks):
        places.setdefault(block.labelling, []).append(i)
    found = []
    for labelling, rows in places.items():
        usable: NDArray[np.bool_] = np.all(table.complete[rows] & ~table.reference[rows], axis=0)
        means = np.where(usable, table.mean[rows].mean(axis=0), -sign * np.inf)
        groups = [
            [j for j, name in enumerate(table.algorithms) if usable[j] and (name in models) == modelled]
            for modelled in (False, True)
        ]
        if all(groups):
            fair, modelled = (max(group, key=lambda j: sign * means[j]) for group in groups)
            difference = sign * (table.mean[rows, modelled] - table.mean[rows, fair])
            names = table.algorithms[fair], table.algorithms[modelled]
            found.append(Contest(labelling, *names, (float(means[fair]), float(means[modelled])), difference))
    return found


def _contest_blocks(place: int, table: ScoreTable, found: Sequence[Contest]) -> Iterator[SectionBlock]:
    if not found:
        return
    lines: list[tuple[str | Entry, ...]] = []
    for one in found:
        d = one.differences
        error = number(float(d.std(ddof=1) / np.sqrt(d.size))) if d.size > 1 else ""
        lines.append(
            (
                one.labelling,
                Entry(f"{one.fair} {one.means[0]:.3f}", method=one.fair),
                Entry(f"{one.modelled} {one.means[1]:.3f}", method=one.modelled),
                f"{d.mean():+.3f}",
                error,
                f"{int((d > 0).sum())} of {d.size}",
            )
        )
    heads = ("labelling", "best that assumes SCAR", "best that models it", "difference", "se", "better on")
    yield BulletList(_sentences(table.metric, found), metric=place)
    yield TableBlock(
        f"{table.metric}: does modelling the labels pay?", heads, lines, texts=(0, 1, 2), metric=place
    )


def _sentences(metric: str, found: Sequence[Contest]) -> tuple[str, ...]:
    """Say where methods that estimate propensities are ahead by more than two standard errors, and where behind."""
    named: dict[str, list[str]] = {}
    for one in found:
        named.setdefault(_sentence(one.differences), []).append(one.labelling)
    order = (*_SIDES, _ONE)
    return tuple(text.format(metric=metric, names="; ".join(named[text])) for text in order if text in named)


def _sentence(d: NDArray[np.float64]) -> str:
    if d.size == 1:
        return _ONE
    side = np.sign(d.mean()) if abs(d.mean()) > 2 * d.std(ddof=1) / np.sqrt(d.size) else 0
    return _SIDES[int(side)]


def _records(report: Report) -> dict[tuple[str, str], list[PropensityRecord]]:
    """Return the comparisons of propensities by labelling and algorithm; references, which know them, have none."""
    found: dict[tuple[str, str], list[PropensityRecord]] = {}
    for row in report.rows:
        model = report.details.introspection.get(row.get("key") or "")
        shown = row["status"] == Status.OK and not row.get("reference")
        if shown and model is not None and model.propensity is not None:
            found.setdefault((str(row["labelling"]), str(row["algorithm"])), []).append(model.propensity)
    return found


def _curves(found: dict[tuple[str, str], list[PropensityRecord]]) -> Iterator[SectionBlock]:
    if not found:
        return
    panels: dict[str, list[Curve]] = {}
    for (labelling, algorithm), records in found.items():
        panels.setdefault(labelling, []).append(_curve(algorithm, records))
    made = tuple(Panel("all data sets", labelling, tuple(curves)) for labelling, curves in panels.items())
    sweep = Sweep(0, "estimated propensity", "propensity", "true propensity", made)
    left = len(made) - len(shown_panels(sweep))
    caption = f"{_CURVES} {more_panels(left)} in the table." if left else _CURVES
    yield FigureBlock(draw_sweep(sweep), caption, _errors(found))


def _curve(algorithm: str, records: Sequence[PropensityRecord]) -> Curve:
    rows, true, estimated = np.array([point for one in records for point in one.points]).T
    bins = np.minimum((true * BINS).astype(np.intp), BINS - 1)
    n, of_true, of_estimated, squares = (
        np.bincount(bins, weights=rows * values, minlength=BINS)
        for values in (np.ones_like(rows), true, estimated, estimated**2)
    )
    kept = n > 0
    x, mean = of_true[kept] / n[kept], of_estimated[kept] / n[kept]
    sd = np.sqrt(np.maximum(squares[kept] / n[kept] - mean**2, 0.0))
    return Curve(algorithm, False, x, mean, sd)


def _errors(found: dict[tuple[str, str], list[PropensityRecord]]) -> TableBlock:
    lines = []
    for (labelling, algorithm), records in found.items():
        related = [one.correlation for one in records if one.correlation is not None]
        error = number(float(np.mean([one.error for one in records])))
        correlation = number(float(np.mean(related))) if related else "constant"
        lines.append((labelling, Entry(algorithm, method=algorithm), error, correlation, str(len(records))))
    heads = ("labelling", "algorithm", "mean absolute error", "correlation", "cells")
    return TableBlock("The numbers: propensities", heads, lines[:LINES], texts=(0, 1))


def _prior_blocks(report: Report) -> Iterator[SectionBlock]:
    """Yield the priors by labelling, as a table and drawn, where methods were not given the true one."""
    priors: dict[str, list[tuple[float, float]]] = {}
    for row in report.rows:
        given, true = row.get("prior"), row.get("true_prior")
        if given is not None and true is not None and not row.get("reference"):
            priors.setdefault(str(row["labelling"]), []).append((given, true))
    if all(given == true for pairs in priors.values() for given, true in pairs):
        return
    lines = []
    for labelling, pairs in priors.items():
        given, true = np.array(pairs).T
        off = given - true
        lines.append(
            (
                labelling,
                number(float(true.mean())),
                number(float(given.mean())),
                f"{off.mean():+.3f}",
                number(float(np.abs(off).mean())),
                counted(len(pairs), "cell"),
            )
        )
    heads = ("labelling", "true prior", "prior given", "difference", "mean absolute error", "over")
    yield TableBlock("Effect of the bias on the prior", heads, lines, texts=(0,))
    sweep = sweep_priors({labelling: np.array(pairs) for labelling, pairs in priors.items()})
    yield Paragraph(_PRIOR) if sweep is None else FigureBlock(draw_sweep(sweep), _PRIOR_CURVES)
