"""The file of a review: rows to check by hand, and the answers that come back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.advise.trained import TrainedModel
from pubench.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ANSWER", "ROW", "answers_of", "rows_table"]

ANSWER, ROW = "answer", "training_row"
_YES = frozenset(("1", "yes", "y", "true", "t", "positive", "pos", "x", "+"))
_NO = frozenset(("0", "-1", "no", "n", "false", "f", "negative", "neg", "-"))
Numbers = NDArray[np.int64]


def rows_table(model: TrainedModel, rows: Numbers, frame: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the file to fill in: the number and ids of each row, an empty answer, and the row itself if it is given.

    Scores are left out, so that they do not influence the answers.
    """
    import pandas as pd

    training = model.training
    if frame is not None and len(frame) != len(training.s):
        raise DataError(
            f"the table has {len(frame):,} rows, but the model was fitted on {len(training.s):,}; give "
            "the table of the fit"
        )
    columns = {ROW: rows + 1, ANSWER: np.full(len(rows), "", dtype=object)}
    ids = {
        name: training.ids[place, rows] for place, name in enumerate(model.schema.ids[: len(training.ids)])
    }
    found = pd.DataFrame({**columns, **ids})
    if frame is None:
        return found
    rest = [name for name in frame.columns if name not in (*found.columns, model.card.label)]
    return pd.concat([found, frame[rest].iloc[rows].reset_index(drop=True)], axis=1)


def answers_of(frame: pd.DataFrame, model: TrainedModel | None = None) -> dict[int, bool]:
    """Read a file that was filled in: the position of each answered row, and whether it is positive.

    Parameters
    ----------
    frame : DataFrame
    model : TrainedModel, optional
        Its ids are compared with those of the file, where both have them.

    Raises
    ------
    DataError
        If a column is missing, a row has no number or another id, an answer is unclear, or there is none.
    """
    for name in (ROW, ANSWER):
        if name not in frame.columns:
            raise DataError(
                f"the answers have no column '{name}'; use the file that `pubench review --out` wrote"
            )
    if model is not None:
        _refuse_other_ids(frame, model)
    found: dict[int, bool] = {}
    for number, text in zip(frame[ROW], frame[ANSWER], strict=True):
        word = "" if text is None or text != text else str(text).strip().lower().removesuffix(".0")
        if not word:
            continue
        if word not in _YES | _NO:
            raise DataError(
                f"answer '{text}' of row {number} is unclear; write yes, no, or leave the cell blank"
            )
        position = _position(number)
        if found.setdefault(position, word in _YES) != (word in _YES):
            raise DataError(f"row {number} has two different answers; keep one of them")
    if not found:
        raise DataError(f"no row has an answer; write yes or no in column '{ANSWER}'")
    return found


def _refuse_other_ids(frame: pd.DataFrame, model: TrainedModel) -> None:
    """Refuse a file whose ids are not those of the model's rows: its answers would count for other rows."""
    training = model.training
    for place, name in enumerate(model.schema.ids[: len(training.ids)]):
        if name not in frame.columns:
            continue
        for number, given in zip(frame[ROW], frame[name], strict=True):
            position = _position(number)
            known = training.ids[place, position] if position < len(training.s) else None
            if (
                known is not None
                and given == given
                and str(given).removesuffix(".0") != str(known).removesuffix(".0")
            ):
                raise DataError(
                    f"row {number} has {name} '{given}' in the answers, but '{known}' in the model; use the answers "
                    "with the model that chose the rows"
                )


def _position(number: object) -> int:
    text = str(number).removesuffix(".0")
    if not text.isdigit() or int(text) < 1:
        raise DataError(f"'{number}' in column '{ROW}' is not the number of a row; do not change this column")
    return int(text) - 1
