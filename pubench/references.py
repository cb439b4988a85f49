"""Names of objects that are imported only where they are used: what a spec holds instead of a class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

__all__ = ["ImportString", "LazyReference", "Referring", "required"]


class LazyReference(NamedTuple):
    """An attribute of a module that is imported only where it is used; ``str()`` of it is the import string.

    Examples
    --------
    >>> str(pubench.LazyReference("my_method", "Mine"))
    'my_method:Mine'
    """

    module: str
    attribute: str

    def __str__(self) -> str:
        return f"{self.module}:{self.attribute}"


if TYPE_CHECKING:

    class ImportString:
        """A field that is given an import string, a class or function, or a lazy reference, and holds the string."""

        def __get__(self, instance: object, owner: type) -> str: ...
        def __set__(self, instance: object, value: str | Callable[..., Any] | LazyReference) -> None: ...

    def required() -> ImportString:
        """Return a field without a default."""
        ...
else:
    ImportString, required = str, field


class Referring:
    """Base of specs: classes, functions and lazy references become import strings, BibTeX is put into words."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for name in ("estimator", "loader", "function", "identity", "expand", "card", "downloads"):
            value = getattr(self, name, "")
            if callable(value):
                value = LazyReference(value.__module__, value.__qualname__)
            if isinstance(value, LazyReference):
                object.__setattr__(self, name, str(value))
        bibtex, stated = getattr(self, "bibtex", ""), "citation" if hasattr(self, "citation") else "paper"
        if bibtex and not getattr(self, stated):
            from pubench.citations import in_words

            object.__setattr__(self, stated, in_words(bibtex))
