"""What changed between two runs, in words: sentences, and one table of changes for terminals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pubench.errors import be, counted, have, plural
from pubench.reporting.run_comparison import OnlyIn, RunComparison
from pubench.reporting.wording import clean, interval, number, p_value
from pubench.stats.changes import BlockChange, Change, Verdict

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_comparison", "summary_sentences", "verdict_words"]

SHOWN = 20
HEADS = ("algorithm", "first", "second", "change", "interval", "sets", "verdict")
BLOCK_HEADS = ("algorithm", "data set, labelling, criterion", "first", "second", "change", "p")
NAMES = {"algorithm", "data set, labelling, criterion"}
TEXTS = {*NAMES, "verdict"}


def print_comparison(found: RunComparison, console: Console) -> None:
    """Print a comparison; of many blocks, those that changed most clearly."""
    from rich.text import Text

    # Text, not str: rich reads square brackets in a str as markup.
    console.print(Text(clean(f"{found.first} -> {found.second}"), style="bold"))
    for sentence in summary_sentences(found):
        console.print(Text(clean(sentence)))
    if found.identical == found.paired:
        return
    for metric in found.greater_is_better:
        _print_metric(found, metric, console)
    if found.changes:
        console.print()
        console.print(Text(_explanation(found.alpha), style="dim"))


def summary_sentences(found: RunComparison) -> Iterator[str]:
    """Yield what can be said in words, the most important first."""
    yield from _pairs(found)
    yield from _unpaired(found)
    for folder, only in ((found.first, found.only_first), (found.second, found.only_second)):
        yield from _only(str(folder), only)
    for change in found.statuses:
        error = f": {change.error}" if change.error else ""
        yield f"{change.before} -> {change.after}: {counted(change.cells, 'cell')}, for example {change.example}{error}"
    if found.software:
        yield f"Versions that differ: {'; '.join(found.software)}."


def verdict_words(found: Change | BlockChange, greater_is_better: bool | None) -> str:
    """Return the verdict; beyond noise, and where the metric has a direction, with "better" or "worse"."""
    if found.verdict is not Verdict.BEYOND or greater_is_better is None:
        return found.verdict.value
    return f"{found.verdict.value}, {'better' if (found.difference > 0) == greater_is_better else 'worse'}"


def _pairs(found: RunComparison) -> Iterator[str]:
    if not found.paired:
        yield "No cell of one run is a cell of the other: there is nothing to compare."
        return
    if found.identical == found.paired:
        every = "The only cell" if found.paired == 1 else f"All {found.paired} cells"
        rows = "an identical row" if found.paired == 1 else "identical rows"
        yield f"{every} in common {have(found.paired)} {rows}, times aside."
    else:
        same = f"{found.identical} of them {have(found.identical)} identical rows"
        yield f"{counted(found.paired, 'cell')} in common; {same}, times aside."
    if found.redefined:
        yield (
            f"{counted(found.redefined, 'cell')} {be(found.redefined)} defined differently (version, parameters, "
            "search or prior), on the same splits."
        )
    if found.irreproducible:
        count = found.irreproducible
        yield (
            f"{counted(count, 'cell')} {have(count)} the same definition and different results: versions or machines "
            "differ, or the algorithm is not reproducible."
        )


def _unpaired(found: RunComparison) -> Iterator[str]:
    count = found.other_splits
    if count:
        yield (
            f"{counted(count, 'cell')} of the same {plural(count, 'name')} {have(count)} different splits and "
            f"{be(count)} not compared; run both "
            "suites with the same seed and data."
        )
    count = found.unknown_splits
    if count:
        yield (
            f"{counted(count, 'cell')} of the same {plural(count, 'name')} {be(count)} not compared: an earlier "
            "version wrote the plan and "
            "their splits are unknown; run the suite into the folder again, which repeats no finished cell."
        )


def _only(folder: str, only: OnlyIn) -> Iterator[str]:
    if not only.cells:
        return
    parts = (
        [f"{plural(len(only.algorithms), 'algorithm')} {_some(only.algorithms)}"] if only.algorithms else []
    )
    parts += [f"data {_some(only.places)}"] if only.places else []
    rest = f": {'; '.join(parts)}" if parts else ""
    yield f"Only in {folder}, {counted(only.cells, 'cell')}{rest}."


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _print_metric(found: RunComparison, metric: str, console: Console) -> None:
    changes = [change for change in found.changes if change.metric == metric]
    if not changes:
        return
    lines = [_line(change, found.greater_is_better[metric]) for change in changes]
    _print_table(metric, HEADS, lines, console)
    blocks = [one for one in found.blocks if one.metric == metric and one.verdict is Verdict.BEYOND]
    if blocks:
        clearest = sorted(blocks, key=lambda one: one.adjusted)[:SHOWN]
        title = f"{metric}: blocks that changed beyond noise ({len(clearest)} of {len(blocks)})"
        _print_table(title, BLOCK_HEADS, [_block_line(one) for one in clearest], console)


def _line(change: Change, greater_is_better: bool | None) -> tuple[str, ...]:
    return (
        change.algorithm,
        number(change.first),
        number(change.second),
        signed(change.difference),
        interval(change.low, change.high) if change.verdict is not Verdict.SAME else "",
        str(change.datasets),
        verdict_words(change, greater_is_better),
    )


def _block_line(change: BlockChange) -> tuple[str, ...]:
    where = ", ".join(part for part in change.block if part)
    numbers = number(change.first), number(change.second), signed(change.difference)
    return (change.algorithm, where, *numbers, p_value(change.adjusted).removeprefix("= "))


def signed(value: float) -> str:
    """Return a difference with its sign; one that is not zero never looks like zero."""
    return (
        number(value)
        if not value or value != value
        else f"{value:+.3f}"
        if abs(value) >= 0.0005
        else f"{value:+.1e}"
    )


def _print_table(title: str, heads: Sequence[str], lines: Sequence[Sequence[str]], console: Console) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    console.print()
    console.print(Text(clean(title), style="bold"))
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for head in heads:
        table.add_column(
            head, justify="left" if head in TEXTS else "right", overflow="fold", no_wrap=head not in NAMES
        )
    for line in lines:
        table.add_row(*(Text(clean(text)) for text in line))
    console.print(table)


def _explanation(alpha: float) -> str:
    return (
        "Changes are second minus first. Over data sets: Wilcoxon's signed-rank test with Holm's correction over "
        "the algorithms; within a block: the corrected t-test over replicates with Holm's correction over all blocks; "
        f"alpha = {alpha:g}."
    )
