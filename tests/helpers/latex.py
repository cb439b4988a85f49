"""Reports compiled by a real pdflatex, in a two-column class like ICML's and in the plain article class."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from pubench.reporting import Report
from pubench.reporting.render.latex import latex_files

PACKAGES = ("booktabs", "pgf", "graphicx")
COUNTING = r"""
\newcount\captionlines
\makeatletter
\long\def\@makecaption#1#2{\vskip\abovecaptionskip #1. #2\par\global\captionlines=\prevgraf
  \typeout{CAPTION \the\captionlines: #1}\vskip\belowcaptionskip}
\makeatother
\begin{document}
"""
TWO_COLUMNS = r"""\documentclass[10pt,twocolumn,letterpaper]{article}
\setlength{\textwidth}{6.75in}\setlength{\columnsep}{0.25in}\setlength{\textheight}{9in}
\setlength{\oddsidemargin}{-0.125in}\setlength{\topmargin}{-0.5in}
\IfFileExists{ptmr7t.tfm}{\usepackage{times}}{}
"""
"""The sizes of ICML: columns of 3.25 in; Times where its fonts are installed."""
ONE_COLUMN = "\\documentclass[10pt]{article}\n"


def lacks(*packages: str) -> bool:
    """Whether pdflatex or one of these packages is not installed."""
    if shutil.which("pdflatex") is None or shutil.which("kpsewhich") is None:
        return True
    files = [f"{name}.sty" for name in packages]
    return subprocess.run(["kpsewhich", *files], capture_output=True, check=False).returncode != 0


needs_tex = pytest.mark.skipif(lacks(*PACKAGES), reason="pdflatex with booktabs and pgf is not installed")


class Compiled(NamedTuple):
    """What pdflatex says: its log, and of each caption its number and its lines."""

    log: str
    captions: list[tuple[str, int]]

    @property
    def complaints(self) -> list[str]:
        """Boxes that are too wide, and floats that are too high."""
        return re.findall(r"^(?:Overfull|.*Float too large).*", self.log, re.MULTILINE)


needs_siunitx = pytest.mark.skipif(lacks(*PACKAGES, "siunitx"), reason="siunitx is not installed")


def compiled(folder: Path, preamble: str, body: Iterable[str], program: str = "pdflatex") -> Compiled:
    """Compile a document."""
    text = f"{preamble}\\usepackage{{{','.join(PACKAGES)}}}{COUNTING}" + "\n".join(body)
    (folder / "main.tex").write_text(f"{text}\n\\end{{document}}\n", encoding="utf-8")
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "main.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=600, check=False)
    log = (folder / "main.log").read_text(encoding="latin-1")
    assert done.returncode == 0, log[-3000:]
    assert (folder / "main.pdf").stat().st_size > 1000
    found = re.findall(r"^CAPTION (\d+): (.*)", log, re.MULTILINE)
    return Compiled(log, [(re.sub(r"\\nobreakspace|{}", "", name), int(lines)) for lines, name in found])


def included(folder: Path, name: str, report: Report) -> str:
    """Write a report's files and return the lines that include them."""
    lines = []
    for file, text in latex_files(report).items():
        (folder / f"{name}-{file}").write_text(text, encoding="utf-8")
        lines.append(rf"\input{{{name}-{file}}}")
    return "\n".join([*lines, r"\clearpage"])
