"""Citations: BibTeX in words, and the papers and data sets behind what comes with pubench, for any plugin to cite."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pubench.citations.bibtex import BibtexEntry, BibtexError, bibtex_entries, in_words
from pubench.errors import did_you_mean

__all__ = ["BibtexEntry", "BibtexError", "bibtex_entries", "cite", "in_words"]

_FILES = ("papers.bib", "datasets.bib")


def cite(*keys: str) -> str:
    """Return BibTeX entries of pubench's own library, for the ``bibtex`` of a spec.

    Parameters
    ----------
    *keys : str
        Keys of ``papers.bib`` and ``datasets.bib`` in this package, such as ``"kiryo2017"``.

    Returns
    -------
    str
        The entries, one after the other.
    """
    known = _library()
    for key in keys:
        if key not in known:
            raise BibtexError(f"no citation is called '{key}'{did_you_mean(key, known)}")
    return "\n\n".join(known[key] for key in keys)


@cache
def _library() -> dict[str, str]:
    text = "\n".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in _FILES)
    return {entry.key: entry.text for entry in bibtex_entries(text)}
