"""BibTeX as far as citations need it: the entries of a text, and an entry in words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from pubench.errors import PubenchError

__all__ = ["BibtexEntry", "BibtexError", "bibtex_entries", "in_words"]

# Patterns are compiled when they are used: every process that runs a method imports this, and hardly one uses it.
_HEAD = r"@(\w+)\s*\{\s*([^\s,{}]+)\s*,"
_FIELD = r"\s*([\w-]+)\s*=\s*"
_BRACES = r"(?s)\\.|[{}]"
_ACCENT = r"""\\([`'"^~=.cvuH])\s*\{?(\\?[A-Za-z])\}?"""
_COMBINING = dict(
    zip("`'\"^~=.cvuH", "\u0300\u0301\u0308\u0302\u0303\u0304\u0307\u0327\u030c\u0306\u030b", strict=True)
)
_VENUES = ("journal", "booktitle", "howpublished", "institution", "school", "publisher")


class BibtexError(PubenchError):
    """A text is not BibTeX; the message says what it has, or lacks, as in "has no title in entry 'key'"."""


@dataclass(frozen=True, slots=True)
class BibtexEntry:
    """One entry: ``kind`` as in ``@article``, its key, its fields by lower-case name, and its text as it was given."""

    kind: str
    key: str
    fields: Mapping[str, str]
    text: str

    def with_key(self, key: str) -> BibtexEntry:
        """Return the same entry under another key."""
        head = re.match(_HEAD, self.text)
        assert head is not None, "an entry begins with its head"
        text = self.text[: head.start(2)] + key + self.text[head.end(2) :]
        return BibtexEntry(self.kind, key, self.fields, text)

    @property
    def words(self) -> str:
        """The entry as a sentence would cite it: authors, title, where, when, and its DOI or number."""
        fields = {name: _plain(value) for name, value in self.fields.items()}
        venue = next((fields[name] for name in _VENUES if fields.get(name)), "")
        numbers = (fields.get("volume", ""), fields.get("year", ""))
        parts = [
            _authors(self.fields.get("author", "")),
            fields["title"],
            " ".join(filter(None, (venue, numbers[0]))),
        ]
        parts += [numbers[1], fields.get("note", "")]
        parts += [f"doi:{fields['doi']}"] if fields.get("doi") else []
        parts += [f"arXiv:{fields['eprint']}"] if fields.get("eprint") else []
        return ", ".join(filter(None, parts))


@lru_cache(maxsize=512)
def bibtex_entries(text: str) -> tuple[BibtexEntry, ...]:
    """Return the entries of a text; what is between them is a comment.

    Raises
    ------
    BibtexError
        If there is none, if one is not complete, if a key occurs twice, or if one has no title.
    """
    found = tuple(_entries(text))
    if not found:
        raise BibtexError("holds no entry such as @article{key, title = {...}}")
    for entry in found:
        if not entry.fields.get("title"):
            raise BibtexError(f"has no title in entry '{entry.key}'")
    keys = [entry.key for entry in found]
    twice = next((key for key in keys if keys.count(key) > 1), "")
    if twice:
        raise BibtexError(f"holds the key '{twice}' twice")
    return found


def in_words(text: str) -> str:
    """Return the papers of a BibTeX text in words; nothing where it cannot be read."""
    try:
        return "; ".join(entry.words for entry in bibtex_entries(text))
    except BibtexError:
        return ""


def _entries(text: str) -> Iterator[BibtexEntry]:
    position = 0
    while (head := re.compile(_HEAD).search(text, position)) is not None:
        fields, position = _fields(text, head.end(), head[2])
        yield BibtexEntry(head[1].lower(), head[2], fields, text[head.start() : position])


def _fields(text: str, start: int, key: str) -> tuple[dict[str, str], int]:
    """Return the fields of an entry and where it ends."""
    fields: dict[str, str] = {}
    position = start
    while (name := re.compile(_FIELD).match(text, position)) is not None:
        value, position = _value(text, name.end(), key)
        if name[1].lower() in fields:
            raise BibtexError(f"has the field '{name[1]}' twice in entry '{key}'")
        fields[name[1].lower()] = " ".join(value.split())
        comma = re.compile(r"\s*,").match(text, position)
        position = comma.end() if comma else position
    end = re.compile(r"\s*\}").match(text, position)
    if end is None:
        raise BibtexError(
            f"has an entry '{key}' that is not complete: it is name = {{text}}, ... and ends with }}"
        )
    return fields, end.end()


def _value(text: str, start: int, key: str) -> tuple[str, int]:
    opening = text[start : start + 1]
    if opening == "{":
        end = _closing(text, start, key)
        return text[start + 1 : end], end + 1
    if opening == '"':
        end = text.find('"', start + 1)
        if end > 0:
            return text[start + 1 : end], end + 1
    bare = re.compile(r"\w+").match(text, start)
    if bare is None:
        raise BibtexError(f"has a field without a value in entry '{key}'")
    return bare[0], bare.end()


def _closing(text: str, start: int, key: str) -> int:
    """Return where the brace that opens at ``start`` is closed."""
    depth = 0
    for brace in re.compile(_BRACES).finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return brace.start()
    raise BibtexError(f"has a brace that is not closed in entry '{key}'")


def _plain(value: str) -> str:
    """Return a value without TeX: accents as characters, no braces, a dash for two."""
    value = re.sub(
        _ACCENT,
        lambda found: unicodedata.normalize("NFC", found[2].lstrip("\\") + _COMBINING[found[1]]),
        value,
    )
    return (
        re.sub(r"\\([&%$#_])", r"\1", value)
        .replace("{", "")
        .replace("}", "")
        .replace("--", "-")
        .replace("~", " ")
    )


def _authors(value: str) -> str:
    """Return names as in ``R. Kiryo, G. Niu and M. Sugiyama``."""
    names = [_author(name) for name in re.split(r"\s+and\s+", value) if name]
    if names and names[-1] == "others":
        return f"{', '.join(names[:-1])} et al."
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _author(name: str) -> str:
    plain = _plain(name)
    if name.startswith("{") or plain == "others":
        return plain
    family, comma, given = plain.partition(",")
    words = given.split()
    if not comma:
        # Marthinus du Plessis: the family name begins with the first word in lower case, or is the last word.
        words = plain.split()
        start = next((i for i, word in enumerate(words) if i and word[0].islower()), len(words) - 1)
        words, family = words[:start], " ".join(words[start:])
    initials = ["-".join(f"{part[0]}." for part in one.split("-") if part) for one in words]
    return " ".join((*initials, family.strip()))
