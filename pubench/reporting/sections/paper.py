"""The section of a paper: its claims and whether they hold, then its numbers next to ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pubench.reporting.claims import ClaimResult, ClaimVerdict
from pubench.reporting.draw.published import draw_published
from pubench.reporting.published import Conditions, PublishedComparison, PublishedNumber, count_verdicts
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import (
    Entry,
    FigureBlock,
    Fold,
    Paragraph,
    Section,
    SectionBlock,
    TableBlock,
    TemplateBlock,
    Tone,
)
from pubench.reporting.wording import mean_and_sd, number

__all__ = [
    "PAPER_HEADS",
    "PAPER_LEGEND",
    "claim_sentence",
    "claims_summary",
    "paper_line",
    "paper_section",
    "paper_sentence",
    "paper_summary",
]

PAPER_HEADS = (
    *("metric", "data set", "labelling", "criterion", "algorithm"),
    *("paper", "ours", "difference", "verdict", "remark"),
)
PAPER_LEGEND = (
    "Mean (standard deviation); difference is ours minus the paper's. Agrees: the two means differ by at most two "
    "standard errors of their difference, plus the rounding of the printed mean; where the paper gives no deviation, "
    "ours alone counts. Higher and lower say where our mean lies, not that one of the two is right."
)
CLAIMS_LEGEND = (
    "A case is a data set with a labelling. A claim holds in part if it holds in two thirds of the cases or steps that "
    "it needs, or by less than it says. Ahead is by the mean over replicates; the paper's figures are computed from "
    "its printed means."
)
NO_DEVIATIONS = "The paper prints no deviations: ours alone decide which numbers agree."
_FIGURE = (
    "Our means against the paper's, one mark for each number. On the line they are equal; filled marks agree "
    "within two standard errors."
)
_CLAIM_HEADS = ("claim", "where", "verdict", "here", "paper")
_COUNT_HEADS = ("conditions", "numbers", "agrees", "higher", "lower", "not judged")
_CONDITIONS: tuple[Conditions, ...] = ("same protocol", "own search", "other data")
FEW = 3
"""Up to so many data sets are named next to what differs from the paper."""
_TEXTS = (0, 1, 2, 3, 4, 9)
_ALGORITHM, _VERDICT = PAPER_HEADS.index("algorithm"), PAPER_HEADS.index("verdict")
_TONES: dict[str, Tone] = {"higher": "over", "lower": "under"}
_VERDICTS = {
    "agrees": ("agrees", "agree"),
    "higher": ("is higher", "are higher"),
    "lower": ("is lower", "are lower"),
    "open": ("is not judged", "are not judged"),
}
_COUNTED: dict[ClaimVerdict, tuple[str, str]] = {
    "holds": ("holds", "hold"),
    "holds in part": ("holds in part", "hold in part"),
    "does not hold": ("does not hold", "do not hold"),
    "cannot be tested": ("cannot be tested", "cannot be tested"),
}


def paper_section(report: Report) -> Section | None:
    """Return the paper's claims and numbers, if the suite has any; the page opens with them."""
    paper = report.paper
    if paper is None:
        return None
    cited = Paragraph(f"Published in: {paper.citation}", "lead")
    numbers = tuple(_numbers(paper))
    page = TemplateBlock("claims.html", paper.claims)
    shown: tuple[SectionBlock, ...] = (cited, *_claims(paper, page), *numbers)
    plain: tuple[SectionBlock, ...] = (cited, *_claims(paper, _claim_table(paper.claims)), *numbers)
    heading = "What the paper claims, and what holds here" if paper.claims else "Comparison with the paper"
    return Section("paper", "Paper", heading, shown, plain, first=True)


def _claims(paper: PublishedComparison, table: SectionBlock) -> Iterator[SectionBlock]:
    if paper.claims:
        yield Paragraph(claims_summary(paper.claims), "headline")
        yield table
        yield Paragraph(CLAIMS_LEGEND)


def _claim_table(claims: Sequence[ClaimResult]) -> TableBlock:
    lines = [(one.says, one.place, one.verdict, one.ours, one.paper or "–") for one in claims]
    return TableBlock("Claims", _CLAIM_HEADS, lines, texts=(0, 1, 2, 3, 4))


def claims_summary(claims: Sequence[ClaimResult]) -> str:
    """Say how many claims hold, hold in part, do not hold and cannot be tested."""
    found = Counter(one.verdict for one in claims)
    parts = [f"{found[name]} {words[found[name] != 1]}" for name, words in _COUNTED.items() if found[name]]
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    return f"Of {len(claims)} {'claim' if len(claims) == 1 else 'claims'}, {listed}."


def claim_sentence(one: ClaimResult) -> str:
    """Return a claim and its figures as one line of text."""
    paper = f" Paper: {one.paper}." if one.paper else ""
    return f"{one.verdict}: {one.says} ({one.place}) Here: {one.ours.removesuffix('.')}.{paper}"


def _numbers(paper: PublishedComparison) -> Iterator[SectionBlock]:
    """Yield how many numbers agree, a figure, and all of them."""
    if paper.chosen_with_truth:
        yield Paragraph(f"Chosen with true classes: {paper.chosen_with_truth}")
    if not paper.numbers:
        return
    yield _count_table(paper)
    if all(one.paper_sd != one.paper_sd for one in paper.numbers):
        yield Paragraph(NO_DEVIATIONS)
    drawing = draw_published(paper.numbers)
    if drawing is not None:
        yield FigureBlock(drawing, _FIGURE)
    lines = [_marked(paper_line(one)) for one in paper.numbers]
    table = TableBlock("Published numbers and ours", PAPER_HEADS, lines, texts=_TEXTS)
    yield Fold(f"All {len(lines)} published numbers and ours", (table, Paragraph(PAPER_LEGEND)))


def _marked(line: Sequence[str]) -> list[str | Entry]:
    cells: list[str | Entry] = [*line]
    cells[_VERDICT] = Entry(line[_VERDICT], tone=_TONES.get(line[_VERDICT], ""))
    cells[_ALGORITHM] = Entry(line[_ALGORITHM], method=line[_ALGORITHM])
    return cells


def _count_table(paper: PublishedComparison) -> TableBlock:
    """Return how many numbers lie where, by what differs from the paper; "not judged" has a column if any is not."""
    counted = {name: (len(numbers), count_verdicts(numbers)) for name, numbers in _groups(paper).items()}
    shown = 4 if any(counts.open for _, counts in counted.values()) else 3
    lines = [[name, *map(str, (size, *counts[:shown]))] for name, (size, counts) in counted.items()]
    lines += [
        [f"unavailable: {what} ({reason})", str(cells), *["–"] * shown]
        for what, cells, reason in paper.missing
    ]
    return TableBlock("Published numbers: where our means lie", _COUNT_HEADS[: 2 + shown], lines)


def paper_line(one: PublishedNumber) -> list[str]:
    """Return a published number and ours as texts under `PAPER_HEADS`."""
    heads = [one.metric, one.dataset, one.labelling, one.criterion, one.algorithm]
    theirs, ours = (
        mean_and_sd(mean, sd) for mean, sd in ((one.paper, one.paper_sd), (one.ours, one.ours_sd))
    )
    remark = "; ".join(text for text in (one.remark, one.conditions if one.reason else "") if text)
    return [*heads, theirs, ours, number(one.difference), one.verdict or "–", remark]


def paper_sentence(one: PublishedNumber) -> str:
    """Return a published number and ours as one line of text."""
    *heads, theirs, ours, difference, verdict, remark = paper_line(one)
    place = " / ".join(head for head in heads if head)
    rest = f"; {remark}" if remark else ""
    return f"{place}: paper {theirs}, ours {ours}, difference {difference}, {verdict}{rest}"


def paper_summary(paper: PublishedComparison) -> list[str]:
    """Say where our numbers lie under which conditions, and which are missing."""
    sentences = [
        f"{name[0].upper()}{name[1:]}: {_counts(numbers)}." for name, numbers in _groups(paper).items()
    ]
    sentences += [f"Unavailable: {what}, {cells} ({reason})." for what, cells, reason in paper.missing]
    chosen = paper.chosen_with_truth
    return sentences + ([f"Chosen with true classes: {chosen}"] if chosen else [])


def _groups(paper: PublishedComparison) -> dict[str, list[PublishedNumber]]:
    """Return the numbers by the conditions of ours, those of the paper's own first."""
    groups: dict[tuple[Conditions, str], list[PublishedNumber]] = {}
    for one in paper.numbers:
        groups.setdefault((one.conditions, one.reason), []).append(one)
    ordered = sorted(groups.items(), key=lambda group: _CONDITIONS.index(group[0][0]))
    return {_conditions(*key, numbers): numbers for key, numbers in ordered}


def _conditions(conditions: Conditions, reason: str, numbers: Sequence[PublishedNumber]) -> str:
    """Name conditions, what differs, and the data sets if they are few."""
    datasets = list(dict.fromkeys(one.dataset for one in numbers))
    named = f", {', '.join(datasets)}" if reason and len(datasets) <= FEW else ""
    return f"{conditions}{named} ({reason})" if reason else conditions


def _counts(numbers: Sequence[PublishedNumber]) -> str:
    found = count_verdicts(numbers)._asdict()
    counts = [f"{count} {_VERDICTS[name][count != 1]}" for name, count in found.items() if count]
    return f"{len(numbers)} {'number' if len(numbers) == 1 else 'numbers'}, {', '.join(counts)}"
