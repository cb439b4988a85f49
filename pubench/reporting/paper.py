"""A paper's published numbers beside ours."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from pubench.stats.scores import Block, ScoreTable
from pubench.suite.columns import is_percentage

__all__ = ["Paper", "PaperLine", "Tally", "read_paper", "tally"]

Verdict = Literal["within", "better", "worse", "other", ""]


@dataclass(frozen=True, slots=True)
class PaperLine:
    """One published number and ours; NaN where a number is not known.

    ``verdict`` is "within" if the two differ by at most ``sqrt(sd_paper^2 + sd_ours^2)``, an unknown deviation counting
    as zero and the rounding of the printed mean on top; else "better" or "worse", or "other" of a metric that knows no
    better. It is empty where both deviations are unknown or we have no mean. ``remark`` says why there is nothing to
    compare, ``apart`` why the number is counted apart.
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
    verdict: Verdict
    remark: str = ""
    apart: str = ""


@dataclass(frozen=True, slots=True)
class Paper:
    """Whose numbers they are, all of them, and which of the paper's are missing: what, how many, why."""

    citation: str
    lines: tuple[PaperLine, ...]
    missing: tuple[tuple[str, int, str], ...] = ()


class _Printed(NamedTuple):
    """A number as a paper prints it, and what rounding may have moved it by."""

    mean: float
    sd: float
    rounding: float


class Tally(NamedTuple):
    """How many numbers have which verdict; ``open`` ones have none."""

    within: int
    better: int
    worse: int
    other: int
    open: int


def tally(lines: Iterable[PaperLine]) -> Tally:
    """Count the verdicts."""
    found: Counter[str] = Counter(line.verdict or "open" for line in lines)
    return Tally(*(found[name] for name in Tally._fields))


def read_paper(paper: Mapping[str, Any], tables: Sequence[ScoreTable]) -> Paper | None:
    """Find our result for each published one.

    Parameters
    ----------
    paper : mapping
        A suite's ``[paper]`` table: citation, percent, digits (how many are printed behind the point), and numbers with
        dataset, algorithm, metric, mean, and optionally sd, labelling and criterion. A number that leaves these two
        open belongs to every line that fits. ``apart`` holds tables of the same names and a reason: what fits one of
        them is counted apart.
    tables : sequence of ScoreTable

    Returns
    -------
    Paper or None
        None without numbers.
    """
    numbers = paper.get("numbers") or ()
    if not numbers:
        return None
    found = {table.metric: table for table in tables}
    lines = [line for number in numbers for line in _lines(number, found.get(number["metric"]), paper)]
    apart = [replace(line, apart=_reason(line, paper.get("apart") or ())) for line in lines]
    missing = [(one["what"], one["cells"], one["reason"]) for one in paper.get("missing") or ()]
    return Paper(str(paper.get("citation", "")), tuple(apart), tuple(missing))


def _reason(line: PaperLine, apart: Iterable[Mapping[str, Any]]) -> str:
    names = ("metric", "dataset", "labelling", "criterion", "algorithm")
    fitting = (
        str(one["reason"])
        for one in apart
        if all(one.get(name) in (None, getattr(line, name)) for name in names)
    )
    return next(fitting, "")


def _lines(
    number: Mapping[str, Any], table: ScoreTable | None, paper: Mapping[str, Any]
) -> Iterator[PaperLine]:
    names = ("dataset", "labelling", "criterion")
    wanted = [number.get(name) for name in names]
    blocks = table.blocks if table is not None else ()
    fitting = [
        i
        for i, block in enumerate(blocks)
        if all(name in (None, part) for name, part in zip(wanted, block, strict=True))
    ]
    algorithm, sd = str(number["algorithm"]), number.get("sd")
    scale = 100.0 if paper.get("percent") and is_percentage(number["metric"]) else 1.0
    digits = paper.get("digits")
    rounding = 0.0 if digits is None else 0.5 * 10.0**-digits
    theirs = _Printed(number["mean"] / scale, math.nan if sd is None else sd / scale, rounding / scale)
    if table is None or not fitting or algorithm not in table.algorithms:
        dataset, labelling, criterion = (str(name or "") for name in wanted)
        place = Block(dataset, labelling, criterion)
        ours = math.nan, math.nan
        yield _line(str(number["metric"]), place, algorithm, theirs, ours, None, "not in this run")
        return
    j = table.algorithms.index(algorithm)
    for i in fitting:
        ours = float(table.mean[i, j]), float(table.sd[i, j])
        done, planned = int(table.ok[i, j] - table.undefined[i, j]), int(table.planned[i, j])
        remark = f"{done}/{planned} replicates" if done < planned else ""
        better = table.greater_is_better
        yield _line(table.metric, table.blocks[i], algorithm, theirs, ours, better, remark)


def _line(
    metric: str,
    place: Block,
    algorithm: str,
    theirs: _Printed,
    ours: tuple[float, float],
    greater_is_better: bool | None,
    remark: str,
) -> PaperLine:
    difference = ours[0] - theirs.mean
    deviations = [sd for sd in (theirs.sd, ours[1]) if not math.isnan(sd)]
    known = bool(deviations) and not math.isnan(difference)
    verdict = (
        _verdict(difference, math.hypot(*deviations) + theirs.rounding, greater_is_better) if known else ""
    )
    heads = place.dataset, place.labelling, place.criterion or "", algorithm
    return PaperLine(metric, *heads, theirs.mean, theirs.sd, *ours, difference, verdict, remark)


def _verdict(difference: float, deviation: float, greater_is_better: bool | None) -> Verdict:
    # Numbers are printed with few digits: what is equal up to rounding noise is equal.
    if abs(difference) <= deviation + 1e-12:
        return "within"
    if greater_is_better is None:
        return "other"
    return "better" if (difference > 0) is greater_is_better else "worse"
