"""The section of a paper: its published numbers beside ours, in the texts that all formats share."""

from __future__ import annotations

from collections.abc import Sequence

from pubench.reporting.published import PublishedComparison, PublishedNumber, count_verdicts
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import BulletList, Entry, Paragraph, Section, TableBlock, Tone
from pubench.reporting.wording import mean_and_sd, number

__all__ = [
    "PAPER_HEADS",
    "PAPER_LEGEND",
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
    "Mean (standard deviation); difference is ours minus the paper's. Within: the two differ by at most the root of "
    "the sum of both variances, where an unknown variance counts as zero, plus the rounding of the printed mean."
)
_TEXTS = (0, 1, 2, 3, 4, 9)
_VERDICT = PAPER_HEADS.index("verdict")
_TONES: dict[str, Tone] = {"within": "good", "better": "good", "worse": "bad"}
_VERDICTS = {
    "within": "within the combined deviation",
    "better": "better",
    "worse": "worse",
    "other": "beyond it",
    "open": "not judged",
}


def paper_section(report: Report) -> Section | None:
    """Return the paper's numbers beside ours, if the suite has any."""
    if report.paper is None:
        return None
    lines = [_with_tone(paper_line(one)) for one in report.paper.numbers]
    blocks = (
        Paragraph(f"Published in: {report.paper.citation}", "lead"),
        BulletList(tuple(paper_summary(report.paper))),
        TableBlock("Published numbers and ours", PAPER_HEADS, lines, texts=_TEXTS),
        Paragraph(PAPER_LEGEND),
    )
    return Section("paper", "Paper", "Comparison with the paper", blocks)


def _with_tone(line: Sequence[str]) -> list[str | Entry]:
    verdict = line[_VERDICT]
    return [*line[:_VERDICT], Entry(verdict, tone=_TONES.get(verdict, "")), *line[_VERDICT + 1 :]]


def paper_line(one: PublishedNumber) -> list[str]:
    """Return a published number and ours as texts under `PAPER_HEADS`."""
    heads = [one.metric, one.dataset, one.labelling, one.criterion, one.algorithm]
    theirs, ours = (
        mean_and_sd(mean, sd) for mean, sd in ((one.paper, one.paper_sd), (one.ours, one.ours_sd))
    )
    remark = "; ".join(text for text in (one.remark, "counted separately" if one.apart else "") if text)
    return [*heads, theirs, ours, number(one.difference), one.verdict or "–", remark]


def paper_sentence(one: PublishedNumber) -> str:
    """Return a published number and ours as one line of text."""
    *heads, theirs, ours, difference, verdict, remark = paper_line(one)
    place = " / ".join(head for head in heads if head)
    rest = f"; {remark}" if remark else ""
    return f"{place}: paper {theirs}, ours {ours}, difference {difference}, {verdict}{rest}"


def paper_summary(paper: PublishedComparison) -> list[str]:
    """Say how many numbers agree, which are counted separately, and which are missing."""
    groups: dict[str, list[PublishedNumber]] = {"": []}
    for one in paper.numbers:
        groups.setdefault(one.apart, []).append(one)
    compared = groups.pop("")
    sentences = [f"Compared: {_counts(compared)}."] if compared else []
    sentences += [
        f"Counted separately, {', '.join(dict.fromkeys(one.dataset for one in numbers))} ({reason}): "
        f"{_counts(numbers)}."
        for reason, numbers in groups.items()
    ]
    return sentences + [f"Missing: {what}, {cells} ({reason})." for what, cells, reason in paper.missing]


def _counts(numbers: Sequence[PublishedNumber]) -> str:
    found = count_verdicts(numbers)._asdict()
    counts = [f"{count} {_VERDICTS[name]}" for name, count in found.items() if count]
    return f"{len(numbers)} {'number' if len(numbers) == 1 else 'numbers'}, {', '.join(counts)}"
