"""The board: means of all metrics by line and algorithm, from which leaderboards of any part of a run are computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.results.table import Row
from pubench.stats.power import PairedTest, detectable
from pubench.stats.scores import Block, ScoreTable
from pubench.status import Status
from pubench.suite.reporting import Rules

__all__ = ["Board", "BoardLine", "BoardMetric", "State", "make_board"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
_NO_PRIOR, _TRUE_PRIOR, _OTHER_PRIOR = "no prior", "true prior", "estimated or given prior"


class State:
    """Bits of a cell: every planned replicate counts; any was not skipped; some were skipped or have not ended.

    Cells that used true labels have the second bit even if they were skipped.
    """

    COMPLETE, PLANNED, WAITING = 1, 2, 4


class BoardLine(NamedTuple):
    """A line of the tables, the unit that it belongs to, and what it can be filtered by."""

    block: Block
    unit: str
    scenario: str
    prior: str


@dataclass(frozen=True, slots=True)
class BoardMetric:
    """One metric: ``mean`` and `State` bits of each cell, shape (B, A).

    ``factors[n]`` is the mean difference that a test of n units detects with power 0.8, in standard deviations, at
    the level alpha over the number of comparisons with one algorithm; infinite where it cannot reject.
    """

    name: str
    greater_is_better: bool | None
    mean: Floats
    state: Ints
    factors: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """B lines and A algorithms.

    Attributes
    ----------
    reference, shared : bool arrays of shape (B, A)
        Cells that used true labels, and those of untuned algorithms, which stand in the lines of all criteria.
    seconds : float array of shape (B, A)
        Mean time of a fit with four digits; NaN where it is not known.
    planned, failed, collapsed : int arrays of shape (B, A)
        Replicates behind a cell, those that ended without a result, and those whose model put all rows into one class.
    """

    lines: tuple[BoardLine, ...]
    algorithms: tuple[str, ...]
    metrics: tuple[BoardMetric, ...]
    reference: Bools
    shared: Bools
    seconds: Floats
    planned: Ints
    failed: Ints
    collapsed: Ints


def make_board(
    tables: Sequence[ScoreTable], rows: Iterable[Row], rules: Rules, origins: Mapping[str, str]
) -> Board:
    """Collect the means of all tables, and what the rows behind them say about time, failures and collapses.

    Parameters
    ----------
    tables : sequence of ScoreTable
        Made of the same rows; a line that one of them lacks has no score there.
    rows : iterable of Row
    rules : Rules
    origins : mapping of str to str
        What identifies the table that a data set comes from, by its label.
    """
    blocks = tuple(dict.fromkeys(block for table in tables for block in table.blocks))
    algorithms = tables[0].algorithms if tables else ()
    cells = _Cells(blocks, algorithms, rows)
    lines = tuple(
        BoardLine(block, _unit(k, block, rules, origins), cells.scenarios[k], cells.priors[k])
        for k, block in enumerate(blocks)
    )
    units = len({line.unit for line in lines})
    return Board(
        lines=lines,
        algorithms=algorithms,
        metrics=tuple(_metric(table, blocks, units, rules) for table in tables),
        reference=cells.reference > 0,
        shared=cells.shared > 0,
        seconds=cells.seconds,
        planned=cells.planned,
        failed=cells.failed,
        collapsed=cells.collapsed,
    )


def _unit(place: int, block: Block, rules: Rules, origins: Mapping[str, str]) -> str:
    return str(place) if rules.unit == "block" else origins.get(block.dataset, block.dataset)


def _metric(table: ScoreTable, blocks: Sequence[Block], units: int, rules: Rules) -> BoardMetric:
    places = {block: k for k, block in enumerate(blocks)}
    taken = [places[block] for block in table.blocks]
    mean = np.full((len(blocks), len(table.algorithms)), np.nan)
    state = np.zeros(mean.shape, dtype=np.int64)
    mean[taken] = table.mean
    planned = table.competing | (table.reference & (table.planned > 0))
    state[taken] = State.COMPLETE * table.complete + State.PLANNED * planned + State.WAITING * table.waiting
    competitors = int(table.competing.any(axis=0).sum())
    test: PairedTest = "t" if rules.test == "t" else "wilcoxon"
    level = rules.alpha / max(competitors - 1, 1)
    ranked = table.greater_is_better is not None and competitors > 1
    factors = tuple(detectable(test, n, level) for n in range(units + 1)) if ranked else ()
    return BoardMetric(table.metric, table.greater_is_better, mean, state, factors)


class _Cells:
    """The rows behind each cell, read once; those of untuned algorithms are behind the cells of every criterion."""

    def __init__(self, blocks: Sequence[Block], algorithms: Sequence[str], rows: Iterable[Row]) -> None:
        shape = len(blocks), len(algorithms)
        self.planned, self.failed, self.collapsed, self.reference, self.shared, self.timed = (
            np.zeros(shape, dtype=np.int64) for _ in range(6)
        )
        self._seconds = np.zeros(shape)
        self.scenarios, self.priors = [""] * shape[0], [_NO_PRIOR] * shape[0]
        lines: dict[tuple[str, str], list[int]] = {}
        for k, block in enumerate(blocks):
            lines.setdefault(block[:2], []).append(k)
        place = {block: k for k, block in enumerate(blocks)}
        column = {name: j for j, name in enumerate(algorithms)}
        for row in rows:
            block = Block(row["dataset"], row["labelling"], row["criterion"])
            own = [place[block]] if block in place else []
            for k in own if block.criterion is not None else lines.get(block[:2], ()):
                self._add(row, k, column[str(row["algorithm"])])

    def _add(self, row: Row, k: int, j: int) -> None:
        ok = row["status"] == Status.OK
        self.planned[k, j] += 1
        self.failed[k, j] += not ok and Status(row["status"]).is_failure
        self.collapsed[k, j] += ok and bool(row.get("collapsed"))
        self.reference[k, j] += bool(row.get("reference"))
        self.shared[k, j] += row["criterion"] is None
        if ok and row.get("fit_seconds") is not None:
            self._seconds[k, j] += float(row["fit_seconds"])
            self.timed[k, j] += 1
        self.scenarios[k] = self.scenarios[k] or str(row.get("scenario") or "")
        if row.get("prior") is not None and self.priors[k] != _OTHER_PRIOR:
            self.priors[k] = _TRUE_PRIOR if _is_true(row) else _OTHER_PRIOR

    @property
    def seconds(self) -> Floats:
        """The mean time of a fit; a few digits are enough, and make the page smaller."""
        with np.errstate(invalid="ignore"):
            mean = self._seconds / self.timed
        return np.array([[float(f"{value:.4g}") for value in line] for line in mean]).reshape(mean.shape)


def _is_true(row: Row) -> bool:
    truth = row.get("true_prior")
    if truth is None or row.get("prior_low") is not None:
        return False
    return bool(np.isclose(row["prior"], truth * (row.get("prior_factor") or 1.0), rtol=1e-9))
