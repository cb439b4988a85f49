"""The loader of texts in JSON lines: one object per document, converted to term counts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pubench.data import Data, refuse_in_child
from pubench.errors import DataError, did_you_mean
from pubench_datasets.source import check_file, open_text, reading
from pubench_datasets.targets import (
    Column,
    Cut,
    check_answer,
    check_flag,
    check_name,
    to_classes,
    to_labels,
    to_split,
)

__all__ = ["jsonl"]

TERM = r"[^\W\d_]{2,}"
# A line of spaces does not end a header; it continues the previous line.
_EMPTY_LINE = re.compile(r"^\r?\n", re.MULTILINE)
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

    A term is a sequence of at least two letters, in lower case. Counts are neither weighted nor scaled, and rare terms
    are kept: preprocessing handles these, because it learns from training rows only.

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
        Whether texts begin with a header block, as in posts and mails; all up to the first empty line is removed.
    stop_words : str, list of str or None
        ``"english"`` excludes scikit-learn's list; None or an empty list excludes nothing.
    threshold, quantile : float
        Convert a numeric target to classes: see `pubench_datasets.targets.Cut`.
    encoding : str

    Returns
    -------
    Data
        ``feature_names`` are the terms in alphabetical order, or empty if there are more than 10,000.
    """
    refuse_in_child()
    cut = Cut(threshold, quantile)
    check_answer(target, labelled, cut)
    check_name("split", split)
    check_name("text", text, optional=False)
    check_flag("headers", headers)
    answer = labelled if labelled is not None else target or "target"
    keys = {answer: "target" if labelled is None else "labelled"} | (
        {} if split is None else {split: "split"}
    )
    documents = _Documents(path, text, keys, headers, encoding)
    check_file(path, encoding=encoding)
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
    """The texts of a file, to iterate once; the values of the other keys (key -> parameter) are collected."""

    path: str
    text: str
    keys: Mapping[str, str]
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
        uses = {self.text: "text", **self.keys}
        for key, use in uses.items():
            if key not in record:
                # A key that is already used cannot be meant.
                free = [name for name in record if name not in uses]
                known = (
                    did_you_mean(key, free) if free else f"; add it to the line, or set {use} to another key"
                )
                raise DataError(f"{where} has no key '{key}' ({use}){known}")
        for key in self.keys:
            self.values.setdefault(key, []).append(self._scalar(where, key, record[key]))
        if not isinstance(record[self.text], str):
            raise DataError(f"{where}: '{self.text}' is {type(record[self.text]).__name__}; write text")
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
    """Return the text after the first empty line, or all of it if there is none."""
    empty = _EMPTY_LINE.search(text)
    return text if empty is None else text[empty.end() :]


def _stop_words(given: object) -> str | list[str] | None:
    """Return the stop words for scikit-learn: ``"english"``, a list in lower case, or None."""
    if given is None or given == "english":
        return given
    if isinstance(given, list | tuple) and all(isinstance(word, str) for word in given):
        return [word.lower() for word in given] or None
    raise DataError(f"stop_words = {given!r} must be 'english' or a list of words")


def _counts(documents: _Documents, stop_words: str | Sequence[str] | None) -> tuple[Any, tuple[str, ...]]:
    """Return the counts, shape (documents, terms), and the terms."""
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import CountVectorizer

    words = _stop_words(stop_words)
    counter = CountVectorizer(token_pattern=TERM, stop_words=words, dtype=np.float64)
    try:
        counts = counter.fit_transform(documents)
    except ValueError as error:
        if isinstance(error, UnicodeError):
            raise
        if not documents.lines:
            raise DataError(f"{documents.path} contains no documents; write one object per line") from error
        raise DataError(
            f"{documents.path}: no text under '{documents.text}' contains a term of at least two letters; "
            "check the key and stop_words"
        ) from error
    return csr_array(counts), tuple(counter.get_feature_names_out().tolist())
