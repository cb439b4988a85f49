"""Any text as LaTeX for every engine: special characters escaped, accents composed, the rest as code points."""

from __future__ import annotations

import re
import unicodedata

from pubench.reporting.wording import clean

__all__ = ["breakable", "spelled", "tex"]

SPECIALS = {char: f"\\{char}" for char in "{}&#%_"} | {
    # The default text font has no dollar sign in some encodings.
    "$": r"$\mathdollar$",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    '"': "''",
    "`": r"\`{}",
}
HYPHENS = re.compile("([-–])(?=[-–—])")
"""Hyphens and dashes in a row would become another dash."""
SIGNS = {
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
    "≈": r"$\approx$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "−": "$-$",
    "∞": r"$\infty$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "’": "'",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
}
GREEK = {
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "γ": r"$\gamma$",
    "δ": r"$\delta$",
    "ε": r"$\epsilon$",
    "η": r"$\eta$",
    "θ": r"$\theta$",
    "κ": r"$\kappa$",
    "λ": r"$\lambda$",
    "μ": r"$\mu$",
    "µ": r"$\mu$",
    "ν": r"$\nu$",
    "π": r"$\pi$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "τ": r"$\tau$",
    "φ": r"$\phi$",
    "χ": r"$\chi$",
    "ψ": r"$\psi$",
    "ω": r"$\omega$",
}
ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
}
LONGEST, PIECE = 24, 12
"""Words with more characters can be broken, after every so many."""


def tex(text: object) -> str:
    """Return a text as LaTeX."""
    return _plain(spelled(text))


def spelled(text: object) -> str:
    """Return `clean` text in which characters that LaTeX cannot set are code points, such as U+1F600."""
    return "".join(char if _char(char) else f"U+{ord(char):04X}" for char in clean(text))


def breakable(text: object) -> str:
    """Return a text as LaTeX in which long words can be broken."""
    words = []
    for word in spelled(text).split(" "):
        step = PIECE if len(word) > LONGEST else LONGEST
        parts = [word[i : i + step] for i in range(0, len(word), step)]
        words.append(r"\allowbreak{}".join(map(_plain, parts)))
    return " ".join(words)


def _plain(text: str) -> str:
    apart = HYPHENS.sub("\\1\0", text)
    return "".join("{}" if char == "\0" else _char(char) for char in apart)


def _char(char: str) -> str:
    """Return a character as LaTeX; nothing if there is no way to set it."""
    if char in SPECIALS:
        return SPECIALS[char]
    if " " <= char <= "~":
        return char
    known = SIGNS.get(char) or GREEK.get(char)
    return known or _accented(char)


def _accented(char: str) -> str:
    base, *marks = list(unicodedata.normalize("NFD", char))
    if not (base.isascii() and base.isalpha() and len(marks) == 1 and marks[0] in ACCENTS):
        return ""
    return f"\\{ACCENTS[marks[0]]}{{{base}}}"
