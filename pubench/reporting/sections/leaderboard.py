"""The section of the leaderboard: methods as rows, which the page filters and ranks again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pubench.reporting.headline import headline
from pubench.reporting.report import Report
from pubench.reporting.sections.blocks import (
    Entry,
    Paragraph,
    Section,
    SectionBlock,
    TableBlock,
    TemplateBlock,
)
from pubench.reporting.wording import REFERENCE, interval, number
from pubench.stats.elo import LEAST_UNITS
from pubench.stats.leaderboard import Leaderboard, Standing

__all__ = ["LeaderboardPage", "headlines", "leaderboard_section", "leaderboard_table", "notes_on"]

HIDDEN = "–"


@dataclass(frozen=True, slots=True)
class LeaderboardPage:
    """What the template shows before the page's script takes over: a sentence for each metric, and the first table."""

    metrics: tuple[str, ...]
    headlines: tuple[str, ...]
    table: TableBlock | None
    notes: tuple[str, ...]


def leaderboard_section(report: Report) -> Section:
    """Return the leaderboard; Markdown has that of each metric without what the page alone can show."""
    shown = report.leaderboards[:1]
    page = LeaderboardPage(
        tuple(table.metric for table in report.tables),
        tuple(headlines(report)),
        leaderboard_table(report, shown[0]) if shown else None,
        tuple(notes_on(shown[0])) if shown else (),
    )
    block = TemplateBlock("leaderboard.html", page)
    return Section("leaderboard", "Leaderboard", "Leaderboard", (block,), tuple(_markdown(report)))


def headlines(report: Report) -> list[str]:
    """Return the first sentences of each metric."""
    found = zip(report.leaderboards, report.board.metrics, report.comparisons, strict=True)
    return [headline(*each) for each in found]


def _markdown(report: Report) -> Iterator[SectionBlock]:
    for place, (board, sentence) in enumerate(zip(report.leaderboards, headlines(report), strict=True)):
        yield Paragraph(f"{report.tables[place].metric}: {sentence}", "lead")
        if board.best is not None:
            yield leaderboard_table(report, board)
    if report.leaderboards:
        yield from (Paragraph(note) for note in notes_on(report.leaderboards[0]))


def leaderboard_table(report: Report, board: Leaderboard) -> TableBlock:
    """Return the standings as a table; columns that would be empty are left out."""
    columns = [*_columns(report, board)]
    heads = ("method", *(head for head, _ in columns))
    lines = [
        (one.algorithm + (f" {REFERENCE}" if one.reference else ""), *(cells[k] for _, cells in columns))
        for k, one in enumerate(board.standings)
    ]
    return TableBlock(f"Methods by {report.tables[board.metric].metric}", heads, lines)


def _columns(report: Report, board: Leaderboard) -> Iterator[tuple[str, Sequence[str | Entry]]]:
    found = board.standings
    names = [table.metric for table in report.tables]
    yield "rank", [_rank(one) for one in found]
    for place in sorted(range(len(names)), key=lambda k: k != board.metric):
        yield names[place], [number(one.means[place]) for one in found]
    versus = ["" if one.algorithm == board.best else _record(one) for one in found]
    yield f"won / tied / lost against {board.best}" if board.best else "won / tied / lost", versus
    for head, texts in (
        ("normalised", [number(one.normalised) for one in found]),
        ("improvability", [_percent(one.improvability) for one in found]),
        ("Elo", [HIDDEN if one.elo != one.elo else f"{one.elo:.0f}" for one in found]),
    ):
        if set(texts) != {HIDDEN}:
            yield head, texts
    yield "collapsed", [_share(one.collapsed, one.planned) for one in found]
    yield "failed", [_share(one.failed, one.planned) for one in found]


def _rank(one: Standing) -> str | Entry:
    if one.rank != one.rank:
        return HIDDEN
    return Entry(f"{one.rank:.2f}", f"({interval(one.low, one.high, 2)})" if one.low == one.low else "")


def _record(one: Standing) -> str:
    return f"{one.wins} / {one.ties} / {one.losses}" if one.wins + one.ties + one.losses else HIDDEN


def _percent(value: float) -> str:
    return HIDDEN if value != value else f"{100 * value:.1f} %"


def _share(count: int, planned: int) -> str:
    return f"{count} of {planned}" if count else "0"


def notes_on(board: Leaderboard) -> Iterator[str]:
    """Say what the columns mean, and why some are missing."""
    yield (
        "Rank: average over data sets in which all ranked methods have a score, 1 is best, with a bootstrap interval. "
        "Improvability: the share of a method's error that the best method of each data set avoids, on average."
    )
    if board.baseline and board.supervised:
        yield f"Normalised: 0 is {board.baseline}, the strongest simple baseline; 1 is {board.supervised}."
    else:
        lacks = "simple baseline (naive-*-prior)" if board.supervised else "supervised reference"
        yield f"There is no normalised score: the run has no {lacks} with a score on the same data sets."
    if board.units < LEAST_UNITS:
        yield f"There are no Elo ratings: they need at least {LEAST_UNITS} data sets."
