"""What searches tried: from the trials of tuned cells to their progress and the importance of parameters."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pubench.errors import counted
from pubench.results.record import TrialRecord
from pubench.results.table import Row
from pubench.specs import JSONValue

__all__ = [
    "Importance",
    "Search",
    "Trials",
    "explained",
    "find_importances",
    "find_searches",
    "search_texts",
]

Floats = NDArray[np.float64]
Trials = Mapping[str, Sequence[TrialRecord]]
"""The trials of each tuned cell by its key."""
NEARLY = 0.95
FEWEST, GROUP, GROUPS, SAMPLED = 20, 10, 10, 200


class Search(NamedTuple):
    """The searches of one algorithm by one criterion.

    ``curve``, shape (T,), is the share of its gain over the first trial that a search has made after 1, 2, ... T
    trials, on average over searches; it is 1 throughout for a search that gained nothing. ``needed`` is the median
    number of trials until 95 % of the gain.
    """

    algorithm: str
    criterion: str
    searches: int
    trials: int
    failed: int
    pruned: int
    curve: Floats
    needed: float
    seconds: float


class Importance(NamedTuple):
    """How much of the ranks of trials one parameter of an algorithm explains, by criterion; NaN for too few trials."""

    algorithm: str
    parameter: str
    shares: Mapping[str, float]


class _TunedCell(NamedTuple):
    """The trials of one cell: goodness (NaN where a trial failed or was pruned), parameters, seconds, those pruned."""

    goodness: Floats
    params: tuple[Mapping[str, JSONValue], ...]
    seconds: float
    pruned: int


def find_searches(rows: Sequence[Row], trials: Trials) -> list[Search]:
    """Summarise the searches of each algorithm and criterion, in order of appearance."""
    found = []
    for (algorithm, criterion), cells in _cells(rows, trials).items():
        gains = [_gains(cell.goodness) for cell in cells]
        longest = max(len(gain) for gain in gains)
        curve = np.mean([np.pad(gain, (0, longest - len(gain)), "edge") for gain in gains], axis=0)
        needed = [int((gain >= NEARLY).argmax()) + 1 for gain in gains if gain[-1] >= NEARLY]
        pruned = sum(cell.pruned for cell in cells)
        failed = sum(int(np.isnan(cell.goodness).sum()) for cell in cells) - pruned
        seconds = float(np.median([cell.seconds for cell in cells]))
        total = sum(len(cell.goodness) for cell in cells)
        middle = float(np.median(needed)) if needed else np.nan
        found.append(Search(algorithm, criterion, len(cells), total, failed, pruned, curve, middle, seconds))
    return found


def find_importances(rows: Sequence[Row], trials: Trials) -> list[Importance]:
    """Estimate the importance of each parameter of each algorithm.

    Trials are ranked within their search. Over all searches of an algorithm, trials are put into groups of one
    parameter's neighbouring values, and the groups explain a share of the ranks' variance, epsilon squared:

        (SS_between - (k - 1) MS_within) / SS_total

    which is 0 in expectation for a parameter that does nothing, and at least 0 here. Interactions are not counted.

    Returns
    -------
    list of Importance
        Without parameters for which no search had enough trials.
    """
    shares: dict[tuple[str, str], dict[str, float]] = {}
    for (algorithm, criterion), cells in _cells(rows, trials).items():
        points = [point for cell in cells for point in _ranked(cell)]
        ranks = np.array([rank for _, rank in points], dtype=np.float64)
        for name in dict.fromkeys(name for params, _ in points for name in params):
            values = [params.get(name) for params, _ in points]
            shares.setdefault((algorithm, name), {})[criterion] = explained(_groups(values), ranks)
    known = {key: found for key, found in shares.items() if not np.isnan(list(found.values())).all()}
    return [Importance(*key, found) for key, found in known.items()]


def explained(groups: NDArray[np.int64], values: Floats) -> float:
    """Return the share of the values' variance that groups explain (epsilon squared).

    NaN for fewer than 20 values, and for values that are all equal.
    """
    k, n = len(np.unique(groups)), len(values)
    total = float(((values - values.mean()) ** 2).sum()) if n else 0.0
    if n < FEWEST or total == 0.0:
        return np.nan
    counts = np.bincount(groups)
    means = np.bincount(groups, values) / np.maximum(counts, 1)
    within = float(((values - means[groups]) ** 2).sum())
    if k < 2 or n <= k:
        return 0.0
    return max(0.0, (total - within - (k - 1) * within / (n - k)) / total)


def search_texts(rows: Sequence[Row], trials: Trials) -> dict[str, str]:
    """Return one line on each cell's search: how many trials, and at which of them the best so far changed."""
    return {
        key: _text(_goodness(trials[key], sign), sign, sum(trial.pruned for trial in trials[key]))
        for cells, sign in _by_criterion(rows, trials).values()
        for key in cells
    }


def _text(goodness: Floats, sign: float, pruned: int) -> str:
    failed = int(np.isnan(goodness).sum()) - pruned
    best, steps = -np.inf, []
    for trial, value in enumerate(goodness.tolist(), start=1):
        if value > best:
            best = value
            steps.append(f"{trial}: {sign * value:.4g}")
    tried = counted(len(goodness), "trial") + (f", {failed} failed" if failed else "")
    tried += f", {pruned} pruned" if pruned else ""
    return f"{tried}; best so far at {', '.join(steps)}" if steps else tried


def _cells(rows: Sequence[Row], trials: Trials) -> dict[tuple[str, str], list[_TunedCell]]:
    """Return the searches of each algorithm and criterion; greater values are better."""
    found: dict[tuple[str, str], list[_TunedCell]] = {}
    for criterion, (cells, sign) in _by_criterion(rows, trials).items():
        for key, row in cells.items():
            params = tuple(trial.params for trial in trials[key])
            seconds = sum(float(trial.seconds or 0.0) for trial in trials[key])
            pruned = sum(trial.pruned for trial in trials[key])
            cell = _TunedCell(_goodness(trials[key], sign), params, seconds, pruned)
            found.setdefault((str(row["algorithm"]), criterion), []).append(cell)
    return found


def _by_criterion(rows: Sequence[Row], trials: Trials) -> dict[str, tuple[dict[str, Row], float]]:
    """Return for each criterion the tuned cells by key, and 1 where greater values are better, -1 elsewhere."""
    tuned: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row["criterion"] is not None and trials.get(row.get("key") or ""):
            # A cell that appears in several lines is one search.
            tuned.setdefault(str(row["criterion"]), {})[row["key"]] = row
    return {
        criterion: (cells, _sign([(row, trials[key]) for key, row in cells.items()]))
        for criterion, cells in tuned.items()
    }


def _sign(cells: Sequence[tuple[Row, Sequence[TrialRecord]]]) -> float:
    """Return 1 where greater values were chosen, and -1 where smaller ones were, judging by the records."""
    votes = 0
    for row, trials in cells[:SAMPLED]:
        values = [trial.value for trial in trials if trial.value is not None]
        params = json.loads(row.get("params") or "null")
        chosen = [trial.value for trial in trials if trial.params == params]
        if values and chosen and chosen[0] is not None and min(values) < max(values):
            votes += int(chosen[0] == max(values)) - int(chosen[0] == min(values))
    return 1.0 if votes >= 0 else -1.0


def _goodness(trials: Sequence[TrialRecord], sign: float) -> Floats:
    return np.array(
        [np.nan if trial.value is None else sign * trial.value for trial in trials], dtype=np.float64
    )


def _gains(goodness: Floats) -> Floats:
    """Return the share of the whole gain over the first value after each trial; 0 before there is a value."""
    known = goodness[~np.isnan(goodness)]
    if not known.size:
        return np.zeros(len(goodness))
    best = np.fmax.accumulate(goodness)
    first, last = known[0], known.max()
    gained = (best - first) / (last - first) if last > first else np.where(np.isnan(best), np.nan, 1.0)
    return np.nan_to_num(gained, nan=0.0)


def _ranked(cell: _TunedCell) -> Iterator[tuple[Mapping[str, JSONValue], float]]:
    """Yield the distinct trials of a search, each with its rank among them, from 0 to 1."""
    different = {repr(sorted(params.items())): i for i, params in enumerate(cell.params)}
    kept = [i for i in different.values() if not np.isnan(cell.goodness[i])]
    # Equal values share their average rank. scipy's rankdata does the same, but is too slow for thousands of searches.
    _, place, counts = np.unique(cell.goodness[kept], return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - counts / 2)[place] / max(len(kept), 1)
    for i, rank in zip(kept, ranks.tolist(), strict=True):
        yield cell.params[i], rank


def _groups(values: Sequence[JSONValue]) -> NDArray[np.int64]:
    """Put values into at most ten groups: numbers next to their neighbours, equal ones together, others by name."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        numbers = np.array(values, dtype=np.float64)
        count = min(GROUPS, max(2, len(values) // GROUP))
        levels, place = np.unique(numbers, return_inverse=True)
        if len(levels) <= count:
            return place.astype(np.int64)
        edges = np.unique(np.quantile(numbers, np.arange(1, count) / count))
        return np.searchsorted(edges, numbers, side="right")
    names = [json.dumps(value, sort_keys=True, default=str) for value in values]
    return np.unique(names, return_inverse=True)[1].astype(np.int64)
