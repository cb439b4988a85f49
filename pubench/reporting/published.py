"""A paper's published numbers next to ours: a part of the report's value, made from the suite's [paper] table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from pubench.reporting.claims import ClaimResult, judge
from pubench.reporting.measures import Measure, Measures, measures_of
from pubench.stats.scores import Block, ScoreTable
from pubench.suite.claims import PaperClaim
from pubench.suite.columns import is_percentage
from pubench.suite.reporting import PaperConfig, PaperNumber, PaperSeparate

__all__ = [
    "Conditions",
    "OurMean",
    "PublishedComparison",
    "PublishedNumber",
    "VerdictCounts",
    "compare_with_paper",
    "count_verdicts",
    "judge_number",
]

Conditions = Literal["same protocol", "own search", "other data"]
Verdict = Literal["agrees", "higher", "lower", ""]
ERRORS = 2.0
"""Two means agree if they differ by at most so many standard errors of their difference."""
CONDITIONS: Mapping[str, Conditions] = {"own-search": "own search", "other-data": "other data"}
PLACES = ("metric", "dataset", "labelling", "criterion", "algorithm")
"""What says which number it is."""


@dataclass(frozen=True, slots=True)
class PublishedNumber:
    """One published number and ours; NaN where a number is not known.

    ``verdict`` is "agrees" if the two differ by at most two standard errors of their difference, where an unknown
    deviation counts as zero and the rounding of the printed mean is added; else ours is "higher" or "lower", whichever
    is good. It is empty where both deviations are unknown or we have no mean. ``remark`` says why there is nothing to
    compare, ``conditions`` under which conditions ours was obtained, ``reason`` how they differ from the paper's.
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
    conditions: Conditions = "same protocol"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PublishedComparison:
    """The citation, all published numbers, and those of the paper that are missing here: what, how many, why.

    ``claims`` says which of the paper's claims hold, ``chosen_with_truth`` what was chosen with true classes.
    """

    citation: str
    numbers: tuple[PublishedNumber, ...]
    missing: tuple[tuple[str, int, str], ...] = ()
    claims: tuple[ClaimResult, ...] = ()
    chosen_with_truth: str = ""


class _Printed(NamedTuple):
    """A number as a paper prints it, the number of runs it is a mean of (0: unknown), and the error of rounding."""

    mean: float
    sd: float
    runs: int
    rounding: float


class OurMean(NamedTuple):
    """Our mean, the deviation of its runs, and how many there are."""

    mean: float
    sd: float
    runs: int


class VerdictCounts(NamedTuple):
    """How many numbers have which verdict; ``open`` ones have none."""

    agrees: int
    higher: int
    lower: int
    open: int


def count_verdicts(numbers: Iterable[PublishedNumber]) -> VerdictCounts:
    """Count the verdicts."""
    found: Counter[str] = Counter(one.verdict or "open" for one in numbers)
    return VerdictCounts(*(found[name] for name in VerdictCounts._fields))


def compare_with_paper(paper: PaperConfig, tables: Sequence[ScoreTable]) -> PublishedComparison | None:
    """Find our result for each published one.

    Parameters
    ----------
    paper : PaperConfig
        A suite's ``[paper]`` table. A number without labelling or criterion belongs to every line that matches the
        rest. Numbers that match an entry of ``separate`` are counted separately.
    tables : sequence of ScoreTable

    Returns
    -------
    PublishedComparison or None
        None without numbers and claims.
    """
    if not paper.numbers and not paper.claims:
        return None
    by_metric = {table.metric: table for table in tables}
    found = [one for number in paper.numbers for one in _compare(number, by_metric.get(number.metric), paper)]
    missing = tuple((one.what, one.cells, one.reason) for one in paper.missing)
    claims = tuple(_judged_claim(claim, by_metric, found) for claim in paper.claims)
    return PublishedComparison(paper.citation, tuple(found), missing, claims, paper.chosen_with_truth)


def _judged_claim(
    claim: PaperClaim, tables: Mapping[str, ScoreTable], numbers: Iterable[PublishedNumber]
) -> ClaimResult:
    """Hold a claim against our table of its metric, and against the paper's own numbers."""
    table = tables.get(claim.metric or "")
    printed = {
        (Block(one.dataset, one.labelling, one.criterion or None), one.algorithm): Measure(
            one.paper, math.nan
        )
        for one in numbers
        if one.metric == claim.metric
    }
    greater = table is None or table.greater_is_better is not False
    ours = None if table is None else measures_of(table)
    return judge(claim, ours, Measures(greater, printed) if printed else None)


def _placed(number: PublishedNumber, separate: Iterable[PaperSeparate]) -> PublishedNumber:
    """Return a number with the conditions under which ours was obtained."""
    for one in separate:
        if all(getattr(one, name) in (None, getattr(number, name)) for name in PLACES):
            return replace(number, conditions=CONDITIONS[one.kind], reason=one.reason)
    return number


def _compare(number: PaperNumber, table: ScoreTable | None, paper: PaperConfig) -> Iterator[PublishedNumber]:
    lines = _matching_lines(number, table)
    if table is None or not lines or number.algorithm not in table.algorithms:
        place = Block(number.dataset, number.labelling or "", number.criterion or "")
        yield judge_number(number, paper, place, OurMean(math.nan, math.nan, 0), "not in this run")
        return
    j = table.algorithms.index(number.algorithm)
    for i in lines:
        done, planned = int(table.ok[i, j] - table.undefined[i, j]), int(table.planned[i, j])
        ours = OurMean(float(table.mean[i, j]), float(table.sd[i, j]), done)
        remark = f"{done}/{planned} replicates" if done < planned else ""
        yield judge_number(number, paper, table.blocks[i], ours, remark)


def _printed(number: PaperNumber, paper: PaperConfig) -> _Printed:
    scale = 100.0 if paper.percent and is_percentage(number.metric) else 1.0
    rounding = 0.0 if paper.digits is None else 0.5 * 10.0**-paper.digits
    sd = math.nan if number.sd is None else number.sd / scale
    return _Printed(number.mean / scale, sd, paper.replicates or 0, rounding / scale)


def _matching_lines(number: PaperNumber, table: ScoreTable | None) -> list[int]:
    wanted = number.dataset, number.labelling, number.criterion
    blocks = table.blocks if table is not None else ()
    return [
        i
        for i, block in enumerate(blocks)
        if all(name in (None, part) for name, part in zip(wanted, block, strict=True))
    ]


def judge_number(
    number: PaperNumber, paper: PaperConfig, place: Block, ours: OurMean, remark: str = ""
) -> PublishedNumber:
    """Hold our mean in one line of a table against a published number."""
    theirs = _printed(number, paper)
    difference = ours.mean - theirs.mean
    errors = [
        sd / math.sqrt(runs)
        for sd, runs in ((theirs.sd, theirs.runs or ours.runs), (ours.sd, ours.runs))
        if not math.isnan(sd) and runs
    ]
    known = bool(errors) and not math.isnan(difference)
    verdict = _verdict(difference, ERRORS * math.hypot(*errors) + theirs.rounding) if known else ""
    heads = number.metric, place.dataset, place.labelling, place.criterion or "", number.algorithm
    judged = PublishedNumber(*heads, theirs.mean, theirs.sd, ours.mean, ours.sd, difference, verdict, remark)
    return _placed(judged, paper.separate)


def _verdict(difference: float, deviation: float) -> Verdict:
    # Numbers are printed with few digits: a difference within rounding noise is none.
    if abs(difference) <= deviation + 1e-12:
        return "agrees"
    return "higher" if difference > 0 else "lower"
