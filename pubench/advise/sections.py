"""Advice in words: sections of sentences and tables, the same in a terminal and on a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pubench.advise.advice import Advice

__all__ = ["Section", "Table", "left_out_lines", "make_sections", "text_lines"]

_SCENARIOS = {
    "single-training-set": "All rows together are assumed to be a sample of the population, some of whose positives "
    "are labelled (scenario single-training-set). If the labelled rows were collected separately from the unlabelled "
    "ones, use --scenario case-control.",
    "case-control": "The unlabelled rows are assumed to be a sample of the population, and the labelled rows were "
    "collected separately (scenario case-control). If all rows come from one sample, use --scenario "
    "single-training-set.",
}
_FEW_FOLDS = 5
_CERTAIN = 0.99


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts: the titles, and the cells of each row; all columns but the first hold numbers."""

    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the advice; ``notes`` come after the table, ``command`` is to be copied."""

    title: str
    sentences: tuple[str, ...] = ()
    table: Table | None = None
    notes: tuple[str, ...] = ()
    command: str = ""


def make_sections(advice: Advice) -> tuple[Section, ...]:
    """Return the advice part by part; what the goal needs most comes right after the methods."""
    by_goal = {"ranking": _top(advice), "decision": _decisions(advice), "probability": _probabilities(advice)}
    first = by_goal.pop(advice.goal)
    last = (Section("Next", command=advice.next_command),) if advice.next_command else ()
    return (
        Section("Your data", tuple(_data(advice))),
        Section("Class prior", advice.prior.lines()),
        _methods(advice),
        first,
        *by_goal.values(),
        Section("What these figures do not show", advice.limits),
        *last,
    )


def _data(advice: Advice) -> Iterator[str]:
    yield (
        f"{advice.labelled:,} rows are labelled as positive in column '{advice.label}', {advice.unlabelled:,} are "
        "unlabelled."
    )
    yield _SCENARIOS[advice.scenario]
    yield from advice.remarks
    yield from (f"Caution: {doubt}" for doubt in advice.doubts)


def _confidence(claim: float) -> str:
    """Return a share of draws; all of them are no certainty."""
    return f"{claim:.2f}" if claim < _CERTAIN else f"above {_CERTAIN}"


def _methods(advice: Advice) -> Section:
    rows = tuple(
        (one.name, f"{one.value:.3f}", f"{one.error:.3f}", f"{one.weight:.2f}", f"{one.seconds:.2f}")
        for one in advice.methods
    )
    table = Table(("method", "AUC, P against U", "standard error", "weight", "seconds of a fit"), rows)
    return Section("Methods", tuple(_choice(advice)), table, tuple(_left_out(advice)))


def _choice(advice: Advice) -> Iterator[str]:
    if len(advice.methods) == 1:
        yield f"Only {advice.methods[0].name} was compared, so nothing can be said about how it compares with others."
        return
    loss = advice.loss
    yield f"Take the weighted ensemble of these {len(advice.methods)} methods (--method auto)."
    yield (
        f"It is within {advice.margin:.2f} AUC of the best method tried with confidence {_confidence(advice.claim)}. "
        f"Expected loss against the best tried: {loss.mean:.3f} AUC, at most {loss.bound:.3f} ({loss.level:.0%})."
    )
    yield (
        f"If you need a single model, take {advice.single}: no method tried is better by more than one standard "
        "error."
    )


def _left_out(advice: Advice) -> Iterator[str]:
    if advice.is_interrupted:
        yield "The comparison was interrupted; these are the results so far."
    if advice.overrun is not None:
        spent, budget = advice.overrun
        yield (
            f"This took {spent:.0f} s, and the budget was {budget:g} s: however short it is, the table is read, the "
            "prior estimated and one method compared. A random sample of the rows is quicker."
        )
    early = (
        "; the comparison ended early, so that all of this is less certain: a larger --budget helps"
        if advice.folds <= _FEW_FOLDS
        else ""
    )
    yield f"Compared on {advice.folds} folds of your data{early}."
    yield from left_out_lines([(one.name, one.reason) for one in advice.failures])


def left_out_lines(failures: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield a sentence for each reason why methods, given by name and reason, were left out."""
    for reason in dict.fromkeys(reason for _, reason in failures):
        names = ", ".join(name for name, why in failures if why == reason)
        yield f"Left out: {names}: {reason}."


def _top(advice: Advice) -> Section:
    rows = tuple(
        (f"{top.k:,}", f"{top.value:.2f}" if top.is_known else "not known", _range(top.low, top.high))
        for top in advice.tops
    )
    table = Table(("top rows", "precision", "interval (90 %)"), rows)
    sentence = "The share of positives among the unlabelled rows that rank first:"
    note = "The interval is cautious: it takes both ends of the prior's range. Rows checked by hand make it shorter."
    return Section("Precision among the top rows", (sentence,), table, (note,))


def _decisions(advice: Advice) -> Section:
    found = advice.positives
    return Section(
        "Decisions",
        (
            f"About {found.value:,} of the {advice.unlabelled:,} unlabelled rows are positive ({found.low:,} to "
            f"{found.high:,} over the plausible range of the prior); the ensemble calls {advice.called:,} of them "
            "positive.",
            "A wrong prior moves the threshold, not the ranking.",
        ),
    )


def _probabilities(advice: Advice) -> Section:
    prior = advice.prior
    return Section(
        "Probabilities",
        (
            f"Probabilities are calibrated to the prior {prior.value:.3f}; pubench predict also gives them at the "
            f"ends of its range, {prior.low:.3f} and {prior.high:.3f}.",
        ),
    )


def _range(low: float, high: float) -> str:
    return f"{low:.2f} to {high:.2f}"


def text_lines(sections: tuple[Section, ...]) -> Iterator[str]:
    """Yield the lines for a terminal."""
    for number, section in enumerate(sections):
        yield from ([""] if number else [])
        yield section.title
        yield from (f"  {sentence}" for sentence in section.sentences)
        yield from _table_lines(section.table) if section.table else ()
        yield from (f"  {sentence}" for sentence in section.notes)
        yield from [f"  {section.command}"] if section.command else ()


def _table_lines(table: Table) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(table.titles, *table.rows, strict=True)]
    for row in (table.titles, *table.rows):
        cells = [
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield f"    {'  '.join(cells)}".rstrip()
