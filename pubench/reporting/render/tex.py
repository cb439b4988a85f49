"""Any text as LaTeX for every engine: special characters escaped, accents composed, the rest where a font has it."""

from __future__ import annotations

import re
import unicodedata

from pubench.reporting.wording import clean

__all__ = [
    "ACCENTS",
    "GREEK",
    "SIGNS",
    "SPECIALS",
    "UNICODE",
    "breakable",
    "code_point",
    "composed",
    "tex",
    "unusual",
]

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
UNICODE = r"\ifdefined\Umathchar\iffontchar\fontNUMBER \charNUMBER \else U+POINT\fi\else U+POINT\fi{}"
"""A character in lualatex and xelatex, if the font has it; pdflatex has no \\Umathchar. It needs no preamble."""
LONGEST, PIECE = 24, 12
"""Words with more characters can be broken, after every so many."""


def tex(text: object) -> str:
    """Return a text as LaTeX."""
    return _plain(composed(text))


def composed(text: object) -> str:
    """Return `clean` text in which a letter and its accent are one character."""
    return unicodedata.normalize("NFC", clean(text))


def code_point(char: str) -> str:
    """Return what is printed where a font may lack a character, such as U+1F600; nothing if LaTeX can set it."""
    return "" if _command(char) else f"U+{ord(char):04X}"


def unusual(text: str) -> list[str]:
    """Return the characters of a text that not every engine can set."""
    return sorted({char for char in composed(text) if code_point(char)})


def breakable(text: object) -> str:
    """Return a text as LaTeX in which long words can be broken."""
    return " ".join(map(_breakable_word, composed(text).split(" ")))


def _breakable_word(word: str) -> str:
    lengths = [len(code_point(char)) or 1 for char in word]
    step = PIECE if sum(lengths) > LONGEST else LONGEST
    parts, room = [""], step
    for char, length in zip(word, lengths, strict=True):
        if parts[-1] and length > room:
            parts.append("")
            room = step
        parts[-1] += char
        room -= length
    return r"\allowbreak{}".join(map(_plain, parts))


def _plain(text: str) -> str:
    split = HYPHENS.sub("\\1\0", text)
    return "".join("{}" if char == "\0" else _command(char) or _unicode(char) for char in split)


def _command(char: str) -> str:
    """Return a character as LaTeX for every engine; nothing if there is no such way to set it."""
    if char in SPECIALS:
        return SPECIALS[char]
    if " " <= char <= "~":
        return char
    known = SIGNS.get(char) or GREEK.get(char)
    return known or _accented(char)


def _unicode(char: str) -> str:
    """Return a character for engines that know Unicode and a font that has it, its code point for others."""
    return UNICODE.replace("NUMBER", str(ord(char))).replace("POINT", f"{ord(char):04X}")


def _accented(char: str) -> str:
    base, *marks = list(unicodedata.normalize("NFD", char))
    if not (base.isascii() and base.isalpha() and len(marks) == 1 and marks[0] in ACCENTS):
        return ""
    return f"\\{ACCENTS[marks[0]]}{{{base}}}"
