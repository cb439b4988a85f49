"""What a run stores next to its rows, and what its cells give when they are run again: models, trials, predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from pubench.results.record import ModelRecord, TrialRecord
from pubench.results.table import Row
from pubench.run.row_differences import equal, label_of
from pubench.run.running_again import Computed
from pubench.specs import JSONValue
from pubench.status import Status

__all__ = ["detail_differences"]


def detail_differences(found: Computed, again: Computed, *, exact: bool) -> Iterator[str]:
    """Yield one sentence for each cell that ended ok twice, and whose stored details are not those of the run.

    Trials and predictions may be left out of a folder: they are compared where they are there. Stored predictions are
    rounded, so their digests are the same only where the arithmetic is.
    """
    fresh = {row["key"]: row for row in again.results.rows if row["status"] == Status.OK}
    for row in found.results.rows:
        key = row["key"]
        if row["status"] != Status.OK or key not in fresh:
            continue
        parts = [
            *_other_fields(found.inside.get(key), again.inside.get(key), exact),
            *_other_trials(found.trials.get(key), again.trials.get(key), exact),
            *_other_judged(found, again, key, exact),
            *(_other_predictions(found, again, key) if exact else ()),
        ]
        if parts:
            yield _sentence(row, parts)


def _sentence(row: Row, parts: list[str]) -> str:
    return f"{label_of(row)}, run again, has other details: {', '.join(parts)}"


def _other_fields(mine: ModelRecord | None, theirs: ModelRecord | None, exact: bool) -> Iterator[str]:
    """Yield the parts of the introspection that differ; messages of errors may name a path."""
    if mine is None and theirs is None:
        return
    first, second = (_builtins(record) for record in (mine, theirs))
    for name in ModelRecord.__struct_fields__:
        if name != "errors" and not _same(first.get(name), second.get(name), exact):
            yield f"{name} (inside.jsonl)"


def _builtins(record: ModelRecord | None) -> Mapping[str, JSONValue]:
    value: Mapping[str, JSONValue] = msgspec.to_builtins(record or ModelRecord())
    return value


def _same(mine: JSONValue, theirs: JSONValue, exact: bool) -> bool:
    """Compare values of JSON, numbers in any depth."""
    match mine, theirs:
        case list() | tuple(), list() | tuple():
            pairs = zip(mine, theirs, strict=False)
            return len(mine) == len(theirs) and all(_same(*pair, exact) for pair in pairs)
        case dict(), dict():
            return mine.keys() == theirs.keys() and all(_same(mine[key], theirs[key], exact) for key in mine)
    return equal(mine, theirs, exact=exact)


def _other_trials(
    mine: tuple[TrialRecord, ...] | None, theirs: tuple[TrialRecord, ...] | None, exact: bool
) -> Iterator[str]:
    """Say that parameters or values of trials differ; their times and messages may."""
    if mine and not _same(_values(mine), _values(theirs or ()), exact):
        yield "trials (trials.jsonl)"


def _values(trials: tuple[TrialRecord, ...]) -> JSONValue:
    return [[dict(one.params), one.value] for one in trials]


def _other_judged(found: Computed, again: Computed, key: str, exact: bool) -> Iterator[str]:
    """Say that metrics of trials on test rows differ; trials that were not judged have none."""
    mine, theirs = found.judged.get(key, {}), again.judged.get(key, {})
    if any(not _same(dict(metrics), dict(theirs.get(number, {})), exact) for number, metrics in mine.items()):
        yield "trials on test rows (evaluated.jsonl)"


def _other_predictions(found: Computed, again: Computed, key: str) -> Iterator[str]:
    mine, theirs = found.predictions.get(key), again.predictions.get(key)
    if mine is not None and (theirs is None or (mine.digest, mine.labels) != (theirs.digest, theirs.labels)):
        yield "predictions (predictions.bin)"
