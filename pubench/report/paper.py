"""A paper's published numbers beside ours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pubench.analysis import Block, ScoreTable
from pubench.columns import is_percentage

__all__ = ["Paper", "PaperLine", "read_paper"]


@dataclass(frozen=True, slots=True)
class PaperLine:
    """One published number and ours; NaN where a number is not known.

    ``within`` says whether the two differ by at most ``sqrt(sd_paper^2 + sd_ours^2)``, an unknown deviation counting
    as zero; None where both are unknown or we have no mean. ``remark`` says why there is nothing to compare.
    """

    metric: str
    dataset: str
    labelling: str
    criterion: str
    algorithm: str
    paper: float
    paper_sd: float
    ours: float
    ours_sd: float
    difference: float
    within: bool | None
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Paper:
    """Whose numbers they are, and all of them."""

    citation: str
    lines: tuple[PaperLine, ...]


def read_paper(paper: Mapping[str, Any], tables: Sequence[ScoreTable]) -> Paper | None:
    """Find our result for each published one.

    Parameters
    ----------
    paper : mapping
        A suite's ``[paper]`` table: citation, percent, and numbers with dataset, algorithm, metric, mean, and
        optionally sd, labelling and criterion. A number that leaves these two open belongs to every line that fits.
    tables : sequence of ScoreTable

    Returns
    -------
    Paper or None
        None without numbers.
    """
    numbers = paper.get("numbers") or ()
    if not numbers:
        return None
    percent = bool(paper.get("percent"))
    found = {table.metric: table for table in tables}
    lines = [
        line
        for number in numbers
        for line in _lines(number, found.get(number["metric"]), _scale(number["metric"], percent=percent))
    ]
    return Paper(str(paper.get("citation", "")), tuple(lines))


def _scale(metric: str, *, percent: bool) -> float:
    return 100.0 if percent and is_percentage(metric) else 1.0


def _lines(number: Mapping[str, Any], table: ScoreTable | None, scale: float) -> Iterator[PaperLine]:
    names = ("dataset", "labelling", "criterion")
    wanted = [number.get(name) for name in names]
    blocks = table.blocks if table is not None else ()
    fitting = [
        i
        for i, block in enumerate(blocks)
        if all(name in (None, part) for name, part in zip(wanted, block, strict=True))
    ]
    algorithm, sd = str(number["algorithm"]), number.get("sd")
    theirs = number["mean"] / scale, math.nan if sd is None else sd / scale
    if table is None or not fitting or algorithm not in table.algorithms:
        dataset, labelling, criterion = (str(name or "") for name in wanted)
        place = Block(dataset, labelling, criterion)
        yield _line(str(number["metric"]), place, algorithm, theirs, (math.nan, math.nan), "not in this run")
        return
    j = table.algorithms.index(algorithm)
    for i in fitting:
        ours = float(table.mean[i, j]), float(table.sd[i, j])
        done, planned = int(table.ok[i, j] - table.undefined[i, j]), int(table.planned[i, j])
        remark = f"{done}/{planned} replicates" if done < planned else ""
        yield _line(table.metric, table.blocks[i], algorithm, theirs, ours, remark)


def _line(
    metric: str,
    place: Block,
    algorithm: str,
    theirs: tuple[float, float],
    ours: tuple[float, float],
    remark: str,
) -> PaperLine:
    difference = ours[0] - theirs[0]
    deviations = [sd for sd in (theirs[1], ours[1]) if not math.isnan(sd)]
    # Numbers are printed with few digits: what is equal up to rounding noise is equal.
    within = abs(difference) <= math.hypot(*deviations) + 1e-12
    known = bool(deviations) and not math.isnan(difference)
    heads = place.dataset, place.labelling, place.criterion or "", algorithm
    return PaperLine(metric, *heads, *theirs, *ours, difference, within if known else None, remark)
