"""Predictions for new rows: ranks, probabilities with an interval, and decisions, for tables of any size."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.advise.columns import Drift
from pubench.advise.delimited import ShortLines, count_short_lines
from pubench.advise.ensemble import Blend
from pubench.advise.reading import is_delimited, read_chunks
from pubench.advise.schema import total_drift
from pubench.advise.statements import unlabelled_probabilities
from pubench.advise.trained import TrainedModel
from pubench.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Predicted", "Written", "predict_file", "predict_rows", "predict_unlabelled", "ranks"]

_MOST_ROWS, _MOST_CELLS = 20_000, 6_000_000
"""Of one part of a file: its encoded rows then take at most 50 MB."""
_NUMBER = "row"
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Predicted:
    """Predictions for n rows.

    Attributes
    ----------
    score : ndarray of shape (n,)
        The larger, the more likely positive.
    probability : ndarray of shape (n, 3)
        Pr(y = 1 | x), and the ends of its interval.
    decision : ndarray of shape (n,)
        1 = positive, 0 = negative.
    """

    score: Floats
    probability: Floats
    decision: NDArray[np.uint8]

    @classmethod
    def joined(cls, parts: Sequence[Predicted]) -> Predicted:
        """Return the predictions of all parts, in order."""
        return cls(
            np.concatenate([part.score for part in parts]),
            np.concatenate([part.probability for part in parts]),
            np.concatenate([part.decision for part in parts]),
        )

    def frame(self) -> pd.DataFrame:
        """Return the columns that a person sees."""
        import pandas as pd

        return pd.DataFrame(
            {
                "rank": ranks(self.score),
                "probability": self.probability[:, 0],
                "low": self.probability[:, 1],
                "high": self.probability[:, 2],
                "decision": self.decision,
            }
        )


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a file.

    Attributes
    ----------
    rows, positive : int
        All rows, and those that are called positive.
    expected : tuple of float
        The sum of the probabilities, and of the ends of their intervals.
    drift : tuple of Drift
        Differences from the training data.
    lost_ids : tuple of str
    short : ShortLines or None
    """

    rows: int
    positive: int
    expected: tuple[float, float, float]
    drift: tuple[Drift, ...]
    lost_ids: tuple[str, ...] = ()
    short: ShortLines | None = None


def ranks(scores: Floats) -> NDArray[np.int64]:
    """Return the rank of each score, shape (n,): 1 for the largest; equal scores have the same rank."""
    ordered = np.sort(scores)
    return len(scores) - np.searchsorted(ordered, scores, side="right") + 1


def predict_rows(model: TrainedModel, X: Floats) -> Predicted:
    """Return predictions for encoded rows of shape (n, d)."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        blend = model.ensemble.blend(X)
    return _predicted(model, blend, model.ensemble.calibration_.probabilities(blend.score))


def _predicted(model: TrainedModel, blend: Blend, probability: Floats) -> Predicted:
    return Predicted(blend.score, probability, model.ensemble.decide(blend).astype(np.uint8))


def predict_unlabelled(model: TrainedModel) -> pd.DataFrame:
    """Return predictions for the unlabelled rows of the training data, by models that did not see them.

    Probabilities are those of an unlabelled row: in a single training set they are lower than those of a new row,
    because the positives that were labelled are gone.
    """
    import pandas as pd

    training, card = model.training, model.card
    rows = np.flatnonzero(training.s == 0)
    unseen = Blend(training.unseen.score[rows], training.unseen.vote[rows])
    ends = [
        unlabelled_probabilities(training.unseen.score, training.s, prior, card.scenario)
        for prior in (card.prior.value, card.prior.low, card.prior.high)
    ]
    probability = np.column_stack([ends[0], np.min(ends, axis=0), np.max(ends, axis=0)])
    names = [name for name, _ in zip(model.schema.ids, training.ids, strict=False)]
    columns = {name: training.ids[place, rows] for place, name in enumerate(names)} or {_NUMBER: rows + 1}
    return pd.concat([pd.DataFrame(columns), _predicted(model, unseen, probability).frame()], axis=1)


def predict_file(
    model: TrainedModel,
    path: Path,
    out: Path,
    *,
    rows: int | None = None,
    on_progress: Callable[[int], None] = lambda done: None,
) -> Written:
    """Predict the rows of a file, part by part, and write them as CSV: whole, or not at all.

    The file has the id columns of the model (or the row's number if there are none), ``rank``, ``probability``,
    ``low``, ``high`` and ``decision``. Only scores are kept in memory: the table itself may be larger.

    Parameters
    ----------
    model : TrainedModel
    path : Path
        The table.
    out : Path
        The CSV file to write.
    rows : int, optional
        How many rows to read at a time; default: at most 20,000, and fewer of a table with many columns.
    on_progress : callable
        Is notified of the number of rows that have been predicted.

    Raises
    ------
    DataError
        If the table cannot be read or lacks a column, or ``out`` is a folder or a device; nothing is written then.
    """
    rows = rows or max(1, min(_MOST_ROWS, _MOST_CELLS // len(model.schema.names)))
    # A link stays in place. A device or a pipe would be replaced by a file.
    target = Path(os.path.realpath(out))
    if target.exists() and not target.is_file():
        raise DataError(f"{out} is not a regular file, so predictions cannot be written to it; name a file")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".pubench-", dir=target.parent) as folder:
        names = Path(folder) / "ids.csv"
        parts, drifts = [], []
        lost: tuple[str, ...] = ()
        done, is_cut = 0, False
        for chunk in read_chunks(path, rows, text=model.schema.text):
            if chunk.empty:
                continue
            encoded = model.schema.encode(chunk)
            parts.append(predict_rows(model, encoded.X))
            drifts.append(encoded.remarks)
            ids, lost = _ids(model, chunk, done)
            ids.to_csv(names, mode="a", header=not done, index=False)
            done += len(chunk)
            on_progress(done)
            is_cut |= bool(chunk.iloc[:, -1].isna().any())
        if not parts:
            raise DataError(f"{path} has no rows; there is nothing to predict")
        found = Predicted.joined(parts)
        _write(names, found, Path(folder) / "scores.csv", rows)
        os.replace(Path(folder) / "scores.csv", target)
    # A line that is too short lacks its last cell; looking for such lines means to read the file once more.
    short = count_short_lines(path) if is_cut and is_delimited(path) else None
    expected, low, high = map(float, found.probability.sum(axis=0))
    return Written(
        done, int(found.decision.sum()), (expected, low, high), total_drift(drifts, done), lost, short
    )


def _ids(model: TrainedModel, chunk: pd.DataFrame, done: int) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the columns that name rows, and which of them the table does not have."""
    import pandas as pd

    there = [name for name in model.schema.ids if name in chunk.columns]
    lost = tuple(name for name in model.schema.ids if name not in chunk.columns)
    if there:
        return chunk[there], lost
    return pd.DataFrame({_NUMBER: np.arange(done + 1, done + len(chunk) + 1)}), lost


def _write(names: Path, found: Predicted, out: Path, rows: int) -> None:
    """Put the names of rows and their predictions together, part by part."""
    frame, start = found.frame(), 0
    for ids in _text_chunks(names, rows):
        part = frame.iloc[start : start + len(ids)].reset_index(drop=True)
        for place, name in enumerate(ids.columns):
            part.insert(place, str(name), ids[name].to_numpy(), allow_duplicates=True)
        part.to_csv(out, mode="a", header=not start, index=False)
        start += len(ids)


def _text_chunks(path: Path, rows: int) -> Iterator[pd.DataFrame]:
    import pandas as pd

    # Blank lines would be skipped, and an empty id in a file with one column is a blank line.
    with pd.read_csv(
        path, dtype=str, keep_default_na=False, chunksize=rows, skip_blank_lines=False
    ) as reader:
        yield from reader
