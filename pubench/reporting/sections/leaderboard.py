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
from pubench.stats.power import units_needed
from pubench.suite.reporting import Rules

__all__ = [
    "LeaderboardPage",
    "headlines",
    "leaderboard_section",
    "leaderboard_table",
    "notes_on",
    "shows_scores",
]

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
        tuple(notes_on(shown[0], report.rules)) if shown else (),
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
        if shows_scores(board):
            yield leaderboard_table(report, board)
    if report.leaderboards:
        yield from (Paragraph(note) for note in notes_on(report.leaderboards[0], report.rules))


def shows_scores(board: Leaderboard) -> bool:
    """Whether there is something to show: one method alone has means and no rank."""
    return any(mean == mean for one in board.standings for mean in one.means)


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
    if board.best is not None:
        versus = ["" if one.algorithm == board.best else _record(one) for one in found]
        yield f"won / tied / lost against {board.best}", versus
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


def notes_on(board: Leaderboard, rules: Rules) -> Iterator[str]:
    """Say what the columns mean, and why some are missing; the page's script has the same sentences."""
    units = "blocks" if rules.unit == "block" else "data sets"
    if board.best is None:
        yield (
            "There are no ranks, normalised scores, improvability and Elo ratings: they need a metric with a "
            f"direction, and two methods with scores on the same {units}."
        )
        return
    found = board.standings
    yield f"Rank: average over {units} in which all ranked methods have a score, 1 is best."
    if all(one.low != one.low for one in found):
        yield f"There are no intervals of ranks: they need at least {units_needed('wilcoxon', rules.alpha)} {units}."
    else:
        yield "In parentheses: a bootstrap interval of the rank."
    if all(one.improvability != one.improvability for one in found):
        yield "There is no improvability: the metric has values beyond its best, so shares of an error are undefined."
    else:
        yield (
            "Improvability: the share of a method's error that the best method of each data set avoids, on average."
        )
    yield _on_normalised(board, units)
    if board.units < LEAST_UNITS:
        yield f"There are no Elo ratings: they need at least {LEAST_UNITS} {units}."
    elif any(one.elo != one.elo for one in found if one.rank == one.rank):
        yield "A method without an Elo rating is not connected with the others by wins and losses in both directions."


def _on_normalised(board: Leaderboard, units: str) -> str:
    if not (board.baseline and board.supervised):
        lacks = "simple baseline (naive-*-prior)" if board.supervised else "supervised reference"
        return f"There is no normalised score: the run has no {lacks} with a score on the same {units}."
    if all(one.normalised != one.normalised for one in board.standings):
        return (
            f"There is no normalised score: {board.supervised} is not better than {board.baseline}, the strongest "
            "simple baseline."
        )
    return f"Normalised: 0 is {board.baseline}, the strongest simple baseline; 1 is {board.supervised}."
