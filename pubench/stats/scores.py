"""From rows of results to tables of means: the first step of every report. Failures are counted next to each mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.results.table import Row
from pubench.status import Status

__all__ = ["Block", "ScoreTable", "best_cells", "score_table", "some_blocks"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Block(NamedTuple):
    """A row of a table: algorithms are compared within it. ``criterion`` is None where nothing was tuned."""

    dataset: str
    labelling: str
    criterion: str | None


_Cells = dict[tuple[Block, str], list[Row]]
_UNFINISHED = frozenset(status.value for status in Status if not status.is_finished)


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """One metric over B blocks and A algorithms.

    Attributes
    ----------
    blocks, algorithms : tuple
        In order of appearance.
    mean, sd : float arrays of shape (B, A)
        Over the replicates that are ok and whose metric is defined. NaN where there is none; sd divides by
        n - 1 and is NaN for one replicate.
    ok, undefined, planned : int arrays of shape (B, A)
        Replicates that ended ok, those among them whose metric is NaN, and all that were planned.
    failures : B tuples of A mappings
        How many replicates ended in each other status.
    reference : bool array of shape (B, A)
        Cells that used true labels; they are not compared.
    waiting : bool array of shape (B, A)
        Cells with a replicate that was skipped or has not ended: their result is not known.
    values : float array of shape (B, A, R)
        The metric in each replicate, replicates of one number at one place; NaN where there is none.
    overlap : float array of shape (B,)
        Test rows over training rows, for the correction of random splits; NaN where it is not recorded.
    """

    metric: str
    greater_is_better: bool | None
    blocks: tuple[Block, ...]
    algorithms: tuple[str, ...]
    mean: Floats
    sd: Floats
    ok: Ints
    undefined: Ints
    planned: Ints
    failures: tuple[tuple[Mapping[str, int], ...], ...]
    reference: Bools
    waiting: Bools
    values: Floats
    overlap: Floats

    @property
    def complete(self) -> Bools:
        """Cells, shape (B, A), in which every planned replicate is ok and defined."""
        return _complete(self.ok, self.undefined, self.planned)

    @property
    def competing(self) -> Bools:
        """Cells, shape (B, A), that are compared: planned without true labels, and not skipped in all replicates."""
        skipped = [[cell.get(Status.SKIPPED, 0) for cell in line] for line in self.failures]
        ran = self.planned > np.array(skipped, dtype=np.int64).reshape(self.planned.shape)
        return np.asarray(ran & ~self.reference, dtype=np.bool_)


def score_table(rows: Iterable[Row], metric: str, greater_is_better: bool | None) -> ScoreTable:
    """Summarise one metric.

    Parameters
    ----------
    rows : iterable of Row
        With the keys dataset, labelling, algorithm, criterion (None if untuned), status, ``metric``, and
        optionally reference, replicate, n_p, n_u and n_test. An untuned algorithm appears in the blocks of all
        criteria on its data and labelling.
    metric : str
        The key of the values; a missing or None value of an ok row counts as NaN.
    greater_is_better : bool or None
        None for a metric without a direction; there is no best then.

    Returns
    -------
    ScoreTable
    """
    rows = list(rows)
    # A line that no cell could fill is left out, unless all lines are like that.
    blocks = _blocks([row for row in rows if _may_have(row, metric)]) or _blocks(rows)
    algorithms = tuple(dict.fromkeys(str(row["algorithm"]) for row in rows))
    cells = _fill(rows, blocks)
    grid = [[_summary(cells.get((block, name), ()), metric) for name in algorithms] for block in blocks]
    numbers = np.array([[summary.numbers for summary in line] for line in grid], dtype=np.float64)
    mean, sd, ok, undefined, planned, reference = np.moveaxis(
        numbers.reshape(len(blocks), len(algorithms), 6), 2, 0
    )
    return ScoreTable(
        metric=metric,
        greater_is_better=greater_is_better,
        blocks=blocks,
        algorithms=algorithms,
        mean=mean,
        sd=sd,
        ok=ok.astype(np.int64),
        undefined=undefined.astype(np.int64),
        planned=planned.astype(np.int64),
        failures=tuple(tuple(summary.failures for summary in line) for line in grid),
        reference=reference > 0,
        waiting=_waiting(grid, mean.shape),
        values=_values(cells, blocks, algorithms, metric),
        overlap=_overlap(cells, blocks),
    )


def some_blocks(table: ScoreTable, places: Sequence[int]) -> ScoreTable:
    """Return the table of some of the blocks, by their places."""
    taken = list(places)
    arrays = ("mean", "sd", "ok", "undefined", "planned", "reference", "waiting", "values", "overlap")
    return replace(
        table,
        blocks=tuple(table.blocks[i] for i in taken),
        failures=tuple(table.failures[i] for i in taken),
        **{name: getattr(table, name)[taken] for name in arrays},
    )


def _may_have(row: Row, metric: str) -> bool:
    """Whether a row has the metric, or might have had it."""
    return row["status"] not in (Status.OK, Status.SKIPPED) or row.get(metric) is not None


def best_cells(table: ScoreTable) -> Bools:
    """Return the cells, shape (B, A), with the best mean of their block; no references, no partial cells.

    A block with only one complete cell has no best: there is nothing to compare it with.
    """
    eligible = table.complete & ~table.reference
    eligible &= eligible.sum(axis=1, keepdims=True) > 1
    if table.greater_is_better is None or not table.algorithms:
        return np.zeros_like(eligible)
    score = np.where(eligible, table.mean * (1.0 if table.greater_is_better else -1.0), -np.inf)
    best: Bools = eligible & np.equal(score, score.max(axis=1, keepdims=True))
    return best


def _complete(ok: Ints, undefined: Ints, planned: Ints) -> Bools:
    return np.asarray((planned > 0) & (ok - undefined == planned), dtype=np.bool_)


class _Summary(NamedTuple):
    numbers: tuple[float, float, int, int, int, bool]
    failures: Mapping[str, int]


def _summary(rows: Sequence[Row], metric: str) -> _Summary:
    """Summarise one cell of a table: mean, sd, ok, undefined, planned, reference."""
    done = [row.get(metric) for row in rows if row["status"] == Status.OK]
    values = np.array([np.nan if value is None else value for value in done], dtype=np.float64)
    values = values[~np.isnan(values)]
    # An infinite loss is a result too: its mean is infinite and its deviation is not defined.
    with np.errstate(invalid="ignore"):
        mean = float(values.mean()) if values.size else np.nan
        sd = float(values.std(ddof=1)) if values.size > 1 else np.nan
    reference = any(row.get("reference") for row in rows)
    failures = Counter(str(row["status"]) for row in rows if row["status"] != Status.OK)
    return _Summary((mean, sd, len(done), len(done) - values.size, len(rows), reference), dict(failures))


def _waiting(grid: Sequence[Sequence[_Summary]], shape: tuple[int, ...]) -> Bools:
    found = [[not _UNFINISHED.isdisjoint(summary.failures) for summary in line] for line in grid]
    return np.array(found, dtype=np.bool_).reshape(shape)


def _values(cells: _Cells, blocks: Sequence[Block], algorithms: Sequence[str], metric: str) -> Floats:
    """Return the values of all replicates, in the order of their numbers."""
    numbers = sorted({row.get("replicate", 0) for rows in cells.values() for row in rows})
    place = {number: k for k, number in enumerate(numbers)}
    values = np.full((len(blocks), len(algorithms), len(numbers)), np.nan)
    for i, block in enumerate(blocks):
        for j, name in enumerate(algorithms):
            for row in cells.get((block, name), ()):
                if row["status"] == Status.OK and row.get(metric) is not None:
                    values[i, j, place[row.get("replicate", 0)]] = row[metric]
    return values


def _overlap(cells: _Cells, blocks: Sequence[Block]) -> Floats:
    """Return n_test / n_train of each block, the mean over its cells."""
    ratios: dict[Block, list[float]] = {block: [] for block in blocks}
    for (block, _), rows in cells.items():
        for row in rows:
            train = (row.get("n_p") or 0) + (row.get("n_u") or 0)
            # Lines that no cell could fill were left out.
            if train and row.get("n_test") and block in ratios:
                ratios[block].append(row["n_test"] / train)
    return np.array([np.mean(found) if found else np.nan for found in ratios.values()], dtype=np.float64)


def _blocks(rows: Sequence[Row]) -> tuple[Block, ...]:
    """Return the blocks; a block has no criterion only where nothing was tuned on its data and labelling."""
    seen = dict.fromkeys(_block(row) for row in rows)
    tuned = {block[:2] for block in seen if block.criterion is not None}
    return tuple(block for block in seen if block.criterion is not None or block[:2] not in tuned)


def _block(row: Row) -> Block:
    return Block(row["dataset"], row["labelling"], row["criterion"])


def _fill(rows: Sequence[Row], blocks: Sequence[Block]) -> _Cells:
    """Sort the rows into the table's cells; untuned ones belong to every block of their data and labelling."""
    shared: dict[tuple[str, ...], list[Block]] = {}
    for block in blocks:
        shared.setdefault((block.dataset, block.labelling), []).append(block)
    cells: _Cells = {}
    for row in rows:
        own = _block(row)
        targets = [own] if own.criterion is not None else shared.get((own.dataset, own.labelling), [])
        for block in targets:
            cells.setdefault((block, str(row["algorithm"])), []).append(row)
    return cells
