"""Warnings of a learner that is fitted several times: each is shown once, with the number of fits that gave it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["InnerWarnings"]

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:e[+-]?\d+)?")


class InnerWarnings:
    """Collects the warnings of several fits.

    Warnings of one category whose texts differ in numbers only, such as a count of rows or an estimate, are one; the
    first text stands for all.
    """

    def __init__(self) -> None:
        self._fits = 0
        self._first: dict[tuple[type[Warning], str], str] = {}
        self._counts: dict[tuple[type[Warning], str], int] = {}

    @contextmanager
    def of_one_fit(self) -> Iterator[None]:
        """Hold back the warnings that are given inside, all of them from one fit."""
        self._fits += 1
        caught: list[warnings.WarningMessage] = []
        try:
            with warnings.catch_warnings(record=True) as caught:
                # The filters of the caller decide when the warnings are shown.
                warnings.simplefilter("always")
                yield
        finally:
            self._count(caught)

    def _count(self, caught: list[warnings.WarningMessage]) -> None:
        texts = {
            (one.category, _NUMBER.sub("0", str(one.message))): str(one.message) for one in reversed(caught)
        }
        for kind, text in reversed(texts.items()):
            self._first.setdefault(kind, text)
            self._counts[kind] = self._counts.get(kind, 0) + 1

    def show(self, *, stacklevel: int) -> None:
        """Give each warning once; ``stacklevel`` is that of the caller, as in :func:`warnings.warn`."""
        for kind, text in self._first.items():
            told = f"{text} (in {self._counts[kind]} of {self._fits} fits)"
            try:
                warning = kind[0](told)
            except TypeError:
                # A category of somebody else's may want other arguments.
                warning = UserWarning(told)
            warnings.warn(warning, stacklevel=stacklevel + 1)
