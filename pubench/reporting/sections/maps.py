"""The section of maps: data sets in the plane, as t-SNE places their training rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pubench.reporting.draw.maps import MapPanel, draw_maps
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import FigureBlock, Paragraph, Section, TableBlock
from pubench.reporting.wording import number
from pubench.results.record import MapRecord

__all__ = ["between_positives", "maps_section", "same_class_neighbours"]

Floats = NDArray[np.float64]
NEIGHBOURS, ROUNDS = 10, 50
_CAPTION = (
    "Training rows of the first labelling and replicate in the plane, by t-SNE: neighbours stay neighbours, and "
    "distances between groups mean little. True classes are drawn, and were not used to place the rows."
)
_HEADS = (
    "data set",
    "labelling",
    "rows",
    "perplexity",
    "neighbours of the same class",
    "negatives between positives",
)
_NOTE = (
    "Neighbours of the same class: the share among the ten nearest points of a row, averaged over rows. Negatives "
    "between positives: positives are split into two groups (2-means), and this is the share of negatives whose "
    "projection on the line through both centres lies between them."
)


def maps_section(report: Report) -> Section | None:
    """Return the maps that a suite asked for, and for Markdown their numbers."""
    maps = list(report.details.maps.values())
    if not maps:
        return None
    numbers = TableBlock("The numbers: maps", _HEADS, [_line(one) for one in maps], texts=(0, 1))
    panels = [MapPanel(one.dataset, _setting(one), one.kinds, one.points) for one in maps]
    figure = FigureBlock(draw_maps(panels), _CAPTION, numbers)
    note = Paragraph(_NOTE)
    return Section("maps", "Maps", "Data sets in the plane", (figure, note), (numbers, note))


def _setting(one: MapRecord) -> str:
    return f"{one.labelling}, perplexity {one.perplexity:g}"


def _line(one: MapRecord) -> tuple[str, ...]:
    rows = f"{len(one.points):,} of {one.total:,}" if len(one.points) < one.total else f"{one.total:,}"
    Z, kinds = np.array(one.points), np.array(list(one.kinds))
    known = "u" not in one.kinds
    same = number(same_class_neighbours(Z, kinds != "n")) if known else "–"
    between = number(between_positives(Z[kinds != "n"], Z[kinds == "n"])) if known else "–"
    return (one.dataset, one.labelling, rows, f"{one.perplexity:g}", same, between)


def same_class_neighbours(Z: Floats, positive: NDArray[np.bool_]) -> float:
    """Return the mean share of each point's nearest points that have its class; points have shape (n, 2)."""
    distances = ((Z[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, : min(NEIGHBOURS, len(Z) - 1)]
    return float((positive[nearest] == positive[:, None]).mean())


def between_positives(positives: Floats, negatives: Floats) -> float:
    r"""Return the share of negatives that lie between two groups of positives; NaN without either class.

    With c and d the centres of the groups, a negative z counts if :math:`0 < (z - c)^T (d - c) < \|d - c\|^2`.
    """
    if len(positives) < 2 or not len(negatives):
        return float("nan")
    first, second = _two_means(positives)
    line = second - first
    along = (negatives - first) @ line
    return float(((along > 0) & (along < line @ line)).mean())


def _two_means(Z: Floats) -> tuple[Floats, Floats]:
    """Return the centres of two groups, which start on either side of the median along the widest direction."""
    centred = Z - Z.mean(axis=0)
    along = centred @ np.linalg.svd(centred, full_matrices=False)[2][0]
    upper = along > np.median(along)
    for _ in range(ROUNDS):
        if upper.all() or not upper.any():
            break
        first, second = Z[~upper].mean(axis=0), Z[upper].mean(axis=0)
        nearer = ((Z - second) ** 2).sum(axis=1) < ((Z - first) ** 2).sum(axis=1)
        if (nearer == upper).all():
            return first, second
        upper = nearer
    return Z[~upper].mean(axis=0), Z[upper].mean(axis=0)
