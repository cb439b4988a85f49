"""Whether a paper's claims hold: each is held against our means, and against the paper's own printed numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple, assert_never

from pubench.reporting.measures import Measure, Measures
from pubench.reporting.wording import number
from pubench.stats.scores import Block
from pubench.suite.claims import PaperClaim, PaperVersus

__all__ = ["ClaimResult", "ClaimVerdict", "judge"]

ClaimVerdict = Literal["holds", "holds in part", "does not hold", "cannot be tested"]
CLEAR = 2.0
"""A difference of more than so many standard errors is clear."""


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """A claim, whether it holds here, our figures, and the same figures of the paper's own numbers if it has them."""

    says: str
    place: str
    verdict: ClaimVerdict
    ours: str
    paper: str = ""


class _Finding(NamedTuple):
    verdict: ClaimVerdict
    figures: str


def judge(claim: PaperClaim, ours: Measures | None, paper: Measures | None = None) -> ClaimResult:
    """Hold a claim against our means, and against the paper's numbers.

    Parameters
    ----------
    claim : PaperClaim
    ours, paper : Measures, optional
        Of the claim's metric; None where there are none.

    Returns
    -------
    ClaimResult
        A claim about cases holds if it is true in as many as it needs, and in part if in two thirds of these (with the
        mean lead that it states). A lead smaller than stated, and an order or a trend that is right in two thirds of
        its steps, hold in part, too. Where results are missing that would decide, a claim cannot be tested.
    """
    if claim.kind == "untested":
        return ClaimResult(claim.says, claim.place, "cannot be tested", _sentence(claim.reason))
    found = _found(claim, ours)
    printed = _found(claim, paper) if paper is not None else None
    theirs = printed.figures if printed and printed.verdict != "cannot be tested" else ""
    return ClaimResult(claim.says, claim.place, found.verdict, found.figures, theirs)


def _found(claim: PaperClaim, measures: Measures | None) -> _Finding:
    if measures is None:
        return _Finding("cannot be tested", f"This report has no {claim.metric}.")
    match claim.kind:
        case "beats":
            return _beats(claim, measures)
        case "near":
            return _near(claim, measures)
        case "order":
            return _order(claim, measures)
        case "trend":
            return _trend(claim, measures)
        case "untested":
            return _Finding("cannot be tested", _sentence(claim.reason))
        case _:
            assert_never(claim.kind)


class _Case(NamedTuple):
    """The claim's algorithm and the others in one data set and labelling."""

    first: Measure
    others: tuple[Measure, ...]


def _cases(claim: PaperClaim, measures: Measures) -> Iterator[_Case]:
    """Yield the cases in which all algorithms were planned."""
    first, *others = claim.algorithms
    for block in _in_scope(claim, measures.blocks):
        other = _opposite(block, claim.versus)
        found = [measures.at(block, first), *(measures.at(other, name) for name in others or [first])]
        known = [one for one in found if one is not None]
        if len(known) == len(found):
            yield _Case(known[0], tuple(known[1:]))


def _in_scope(claim: PaperClaim, blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        if (
            (not claim.datasets or block.dataset in claim.datasets)
            and (not claim.labellings or block.labelling in claim.labellings)
            and claim.criterion in (None, block.criterion)
        ):
            yield block


def _opposite(block: Block, versus: PaperVersus | None) -> Block:
    if versus is None:
        return block
    dataset = block.dataset
    if versus.prefix:
        bare = dataset.removeprefix(f"{versus.prefix} ")
        dataset = bare if bare != dataset else f"{versus.prefix} {dataset}"
    return Block(dataset, block.labelling, versus.criterion or block.criterion)


def _beats(claim: PaperClaim, measures: Measures) -> _Finding:
    sign = 1.0 if measures.greater_is_better else -1.0
    cases = list(_cases(claim, measures))
    known = [lead for case in cases if not math.isnan((lead := _lead(case, sign)).mean)]
    if not known:
        return _Finding("cannot be tested", "No case has results of all these methods.")
    equal = sum(lead.mean == 0 for lead in known)
    won = sum(lead.mean > 0 for lead in known) + equal * claim.ties
    mean = math.fsum(lead.mean for lead in known) / len(known)
    needed = claim.on or len(cases)
    least, most = (_led(count, needed, mean, claim.by) for count in (won, won + len(cases) - len(known)))
    return _Finding(least if least == most else "cannot be tested", _lead_figures(known, won, mean, claim))


def _led(won: int, needed: int, mean: float, by: float) -> ClaimVerdict:
    """Return the verdict on cases won and the mean lead."""
    verdict = _of_needed(won, needed)
    if verdict == "holds":
        return "holds" if not by or mean >= by else "holds in part" if mean > 0 else "does not hold"
    return verdict if mean >= by else "does not hold"


def _lead_figures(known: Sequence[Measure], won: int, mean: float, claim: PaperClaim) -> str:
    clear = [lead.mean > CLEAR * lead.error for lead in known if lead.error == lead.error]
    if len(known) == 1:
        noise = ", by less than two standard errors" if clear and abs(mean) <= CLEAR * known[0].error else ""
        return f"{'ahead' if mean > 0 else 'behind'} by {number(abs(mean))}{noise}" if mean else "equal"
    equal = sum(lead.mean == 0 for lead in known)
    ties = f" ({equal} equal)" if equal else ""
    beyond = f", {sum(clear)} by more than two standard errors" if clear and won else ""
    ends = f"{number(min(known).mean)} to {number(max(known).mean)}"
    best = "best or equal" if claim.ties else "ahead"
    return f"{best} in {won} of {len(known)} cases{ties}{beyond}; mean lead {number(mean)} ({ends})"


def _lead(case: _Case, sign: float) -> Measure:
    """Return the lead over the best of the others, with the standard error of that difference."""
    gaps = [
        Measure(sign * (case.first.mean - one.mean), math.hypot(case.first.error, one.error))
        for one in case.others
    ]
    missing = any(math.isnan(gap.mean) for gap in gaps)
    return Measure(math.nan, math.nan) if missing else min(gaps)


def _near(claim: PaperClaim, measures: Measures) -> _Finding:
    limit = claim.within or 0.0
    cases = list(_cases(claim, measures))
    gaps = [max((abs(case.first.mean - one.mean) for one in case.others), key=_nan_last) for case in cases]
    known = [gap for gap in gaps if not math.isnan(gap)]
    if not known:
        return _Finding("cannot be tested", "No case has results of all these methods.")
    close = sum(gap <= limit + 1e-12 for gap in known)
    verdict = _counted(close, len(cases) - len(known), claim.on or len(cases))
    mean = math.fsum(known) / len(known)
    if len(known) == 1:
        return _Finding(verdict, f"difference {number(mean)}, {limit:g} allowed")
    inside = f"within {limit:g} in {close} of {len(known)} cases"
    return _Finding(verdict, f"{inside}; mean difference {number(mean)}; largest {number(max(known))}")


def _nan_last(value: float) -> float:
    return math.inf if math.isnan(value) else value


def _counted(right: int, open_cases: int, needed: int) -> ClaimVerdict:
    """Return the verdict on a count; if cases without a result could change it, it cannot be tested."""
    least, most = _of_needed(right, needed), _of_needed(right + open_cases, needed)
    return least if least == most else "cannot be tested"


def _of_needed(right: int, needed: int) -> ClaimVerdict:
    return "holds" if right >= needed else "holds in part" if 3 * right >= 2 * needed else "does not hold"


def _order(claim: PaperClaim, measures: Measures) -> _Finding:
    sign = 1.0 if measures.greater_is_better else -1.0
    means = _means(claim, measures)
    if not means:
        return _Finding("cannot be tested", "No case has results of all these methods.")
    right = [sign * (one - other) > 0 for one, other in pairwise(means)]
    pairs = zip(claim.algorithms, means, strict=True)
    return _Finding(
        _of_needed(sum(right), len(right)), ", ".join(f"{name} {number(mean)}" for name, mean in pairs)
    )


def _trend(claim: PaperClaim, measures: Measures) -> _Finding:
    sign = 1.0 if claim.direction == "rises" else -1.0
    steps, means = _steps(claim, measures)
    if not means:
        return _Finding("cannot be tested", "No case has results at all steps.")
    right = [sign * (other - one) > 0 for one, other in pairwise(means)]
    verdict = _of_needed(sum(right), len(right))
    if verdict == "holds in part" and sign * (means[-1] - means[0]) <= 0:
        verdict = "does not hold"
    what = "difference " if claim.along != "algorithms" and len(claim.algorithms) == 2 else ""
    listed = ", ".join(f"{number(mean)} ({step})" for step, mean in zip(steps, means, strict=True))
    return _Finding(verdict, f"{what}{listed}")


def _steps(claim: PaperClaim, measures: Measures) -> tuple[Sequence[str], list[float]]:
    """Return the steps of a trend, and the mean score, or difference of two scores, at each."""
    if claim.along == "algorithms":
        return claim.algorithms, _means(claim, measures)
    steps = claim.datasets if claim.along == "datasets" else claim.labellings
    means: list[float] = []
    for step in steps:
        only = claim.model_copy(update={str(claim.along): (step,)})
        found = _means(only, measures, whole=True)
        if not found:
            return steps, []
        means.append(found[0] - found[1] if len(found) == 2 else found[0])
    return steps, means


def _means(claim: PaperClaim, measures: Measures, *, whole: bool = False) -> list[float]:
    """Return the mean of each algorithm over the cases in which all have a result; nothing without such cases.

    With ``whole`` there is nothing either if any case lacks a result: means of different cases cannot be compared.
    """
    lines = [
        [one.mean for one in found if one is not None]
        for block in _in_scope(claim, measures.blocks)
        if None not in (found := [measures.at(block, name) for name in claim.algorithms])
    ]
    complete = [line for line in lines if not any(map(math.isnan, line))]
    if not complete or (whole and len(complete) < len(lines)):
        return []
    return [math.fsum(column) / len(complete) for column in zip(*complete, strict=True)]


def _sentence(reason: str | None) -> str:
    text = reason or "no reason is given"
    return f"{text[0].upper()}{text[1:]}."
