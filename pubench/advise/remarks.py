"""What was understood of a table, in sentences for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pubench.advise.cells import DATE_FORMATS
from pubench.advise.learning import MOST_CATEGORIES, Learned

__all__ = ["describe", "listed"]

_SHOWN = 6
_PLURALS = {"number": "numbers", "category": "categories", "date": "dates", "flag": "flags"}
_DAY_FIRST = tuple(form for form in DATE_FORMATS if form.startswith(("%d/", "%d-")))


def listed(names: Sequence[str]) -> str:
    """Return names in quotes, the first few of many."""
    shown = ", ".join(f"'{name}'" for name in names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown


def describe(learned: Learned, n: int) -> tuple[str, ...]:
    """Return one sentence for each thing that was understood of a table of n rows."""
    return (*_kinds(learned, n), *_missing(learned), *_kept_aside(learned), *_readings(learned))


def _kinds(learned: Learned, n: int) -> Iterator[str]:
    columns = learned.schema.columns
    counts = Counter(column.kind for column in columns)
    kinds = ", ".join(f"{count} {kind if count == 1 else _PLURALS[kind]}" for kind, count in counts.items())
    width = len(learned.schema.names)
    used = "1 column is used" if len(columns) == 1 else f"{len(columns)} columns are used"
    yield f"{n:,} rows; {used}: {kinds}; {width} after encoding."


def _missing(learned: Learned) -> Iterator[str]:
    holes = sorted((c for c in learned.schema.columns if c.missing > 0), key=lambda column: -column.missing)
    if holes:
        shown = ", ".join(f"'{column.name}' {column.missing:.1%}" for column in holes[:_SHOWN])
        more = f" and {len(holes) - _SHOWN} more columns" if len(holes) > _SHOWN else ""
        predicted = len(learned.schema.fillings)
        how = {0: "the median", 1: "the median, or predicted from other columns (1 column)"}.get(
            predicted, f"the median, or predicted from other columns ({predicted} columns)"
        )
        yield f"Missing cells: {shown}{more}; numbers are filled with {how}.{_flags(learned)}"


def _flags(learned: Learned) -> str:
    flagged = [column.name for column in learned.schema.columns if column.flagged]
    return f" Indicator columns mark missing cells of {listed(flagged)}." if flagged else ""


def _kept_aside(learned: Learned) -> Iterator[str]:
    given = [name for name in learned.schema.ids if name not in learned.id_like]
    if given:
        yield f"Used as {'id' if len(given) == 1 else 'ids'} only: {listed(given)}."
    if learned.id_like:
        looks = "it looks like an id" if len(learned.id_like) == 1 else "they look like ids"
        yield f"Not used by any method because {looks}: {listed(learned.id_like)}."
    for reason in dict.fromkeys(one.reason for one in learned.schema.dropped):
        names = [one.name for one in learned.schema.dropped if one.reason == reason]
        many = reason.replace("it is", "they are").replace("it has", "they have")
        yield f"Dropped {listed(names)}: {reason if len(names) == 1 else many}."


def _readings(learned: Learned) -> Iterator[str]:
    columns = learned.schema.columns
    commas = [column.name for column in columns if column.kind == "number" and column.form == ","]
    if commas:
        yield f"Decimal commas were read as numbers in {listed(commas)}."
    for column in columns:
        if column.kind == "date":
            order = " (read as day, month, year)" if column.form.startswith(_DAY_FIRST) else ""
            yield f"The date '{column.name}'{order} became {', '.join(column.parts)}."
    for name, count in learned.distinct:
        kept = len(next(column for column in columns if column.name == name).categories)
        limit = (
            f"the {kept} most frequent ones" if kept == MOST_CATEGORIES else f"the {kept} that are not rare"
        )
        yield f"'{name}' has {count:,} categories; {limit} are used, all others count as one."
    for name, count, example in learned.unreadable:
        what = f", such as '{example}'" if example else ""
        cells = "1 cell that is not a number" if count == 1 else f"{count:,} cells that are not numbers"
        yield f"'{name}' has {cells}{what}; they count as missing."
