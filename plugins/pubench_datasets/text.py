"""Text in JSON lines: one object per document, counted into terms."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pubench.data import Data
from pubench.errors import DataError, did_you_mean
from pubench_datasets.source import check_file, open_text, reading
from pubench_datasets.targets import Column, Cut, to_classes, to_labels, to_split

__all__ = ["jsonl"]

TERM = r"[^\W\d_]{2,}"
_BLANK_LINE = re.compile(r"^[ \t\r]*\n", re.MULTILINE)
_NAMED_TERMS = 10_000


def jsonl(
    path: str,
    target: str | None = None,
    *,
    text: str = "text",
    split: str | None = None,
    labelled: str | None = None,
    headers: bool = False,
    stop_words: str | Sequence[str] | None = "english",
    threshold: float | None = None,
    quantile: float | None = None,
    encoding: str = "utf-8",
) -> Data:
    """Load documents as raw term counts, a CSR matrix over every term that occurs.

    A term is a run of two letters or more, in lower case. Nothing is weighted, scaled or left out for being rare:
    that has to be learned from training rows, so preprocessing does it.

    Parameters
    ----------
    path : str
        A file with one JSON object per line.
    target, labelled : str
        The key of the class (default ``"target"``), or that of s (1 / 0) in real PU data.
    text : str
        The key of the text.
    split : str
        The key of ``"train"`` or ``"test"``; default: none.
    headers : bool
        True if texts begin with a header block, as posts and mails do: all up to the first blank line is removed.
    stop_words : str, list of str or None
        ``"english"`` leaves out scikit-learn's list; None or an empty list leaves out nothing.
    threshold, quantile : float
        Make classes of a numeric target: see `pubench_datasets.targets.Cut`.
    encoding : str

    Returns
    -------
    Data
        ``feature_names`` are the terms, in the order of the alphabet, or empty if there are more than 10,000.
    """
    cut = Cut(threshold, quantile)
    if labelled is not None and (target is not None or cut):
        raise DataError("labelled and target are both set: PU data have no true classes; set one of them")
    answer = labelled or target or "target"
    keys = (answer,) if split is None else (answer, split)
    documents = _Documents(path, text, keys, headers, encoding)
    check_file(path)
    with reading(path, encoding):
        X, terms = _counts(documents, stop_words)
    column = documents.column(answer)
    return Data(
        X,
        to_classes(column, cut) if labelled is None else to_labels(column),
        terms if len(terms) <= _NAMED_TERMS else (),
        split=None if split is None else to_split(documents.column(split)),
        pu=labelled is not None,
    )


@dataclass(slots=True)
class _Documents:
    """The texts of a file, once; the other keys are kept while they go by."""

    path: str
    text: str
    keys: tuple[str, ...]
    headers: bool
    encoding: str
    lines: list[int] = field(default_factory=list)
    values: dict[str, list[Any]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[str]:
        with open_text(self.path, self.encoding) as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield self._document(number, line)

    def _document(self, number: int, line: str) -> str:
        where = f"{self.path}, line {number}"
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            reason = getattr(error, "msg", "too many brackets")
            raise DataError(f"{where} is not JSON: {reason}; write one object per line") from error
        if not isinstance(record, dict):
            raise DataError(f"{where} is a JSON {type(record).__name__}; write one object per line")
        for key in (self.text, *self.keys):
            if key not in record:
                raise DataError(f"{where} has no key '{key}'{did_you_mean(key, record)}")
        for key in self.keys:
            self.values.setdefault(key, []).append(self._scalar(where, key, record[key]))
        if not isinstance(record[self.text], str):
            raise DataError(f"{where}: '{self.text}' is {type(record[self.text]).__name__}, not text")
        self.lines.append(number)
        return without_header(record[self.text]) if self.headers else record[self.text]

    def _scalar(self, where: str, key: str, value: Any) -> Any:
        if isinstance(value, list | dict):
            raise DataError(
                f"{where}: '{key}' is a {type(value).__name__}; write text, a number, true or false"
            )
        return value

    def column(self, key: str) -> Column:
        values = np.empty(len(self.lines), dtype=object)
        values[:] = self.values[key]
        return Column(f"{self.path}: key '{key}'", values, lambda row: f"line {self.lines[row]}")


def without_header(text: str) -> str:
    """Return what follows the first blank line, or all of it where there is none."""
    blank = _BLANK_LINE.search(text)
    return text if blank is None else text[blank.end() :]


def _counts(documents: _Documents, stop_words: str | Sequence[str] | None) -> tuple[Any, tuple[str, ...]]:
    """Return the counts, shape (documents, terms), and the terms."""
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import CountVectorizer

    if isinstance(stop_words, str) and stop_words != "english":
        raise DataError(f"stop_words = {stop_words!r} must be 'english' or a list of words")
    words = stop_words if isinstance(stop_words, str) else [word.lower() for word in stop_words or ()] or None
    counter = CountVectorizer(token_pattern=TERM, stop_words=words, dtype=np.float64)
    try:
        counts = counter.fit_transform(documents)
    except ValueError as error:
        if isinstance(error, UnicodeError):
            raise
        if not documents.lines:
            raise DataError(f"{documents.path} holds no documents") from error
        raise DataError(
            f"{documents.path}: no text under '{documents.text}' holds a term of two letters or more"
        ) from error
    return csr_array(counts), tuple(counter.get_feature_names_out().tolist())
