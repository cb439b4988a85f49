"""The texts around a score table in LaTeX: a caption of at most two lines, and all else in a note below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pubench.reporting.conclusions import findings, inconclusive
from pubench.reporting.render.grid import heading
from pubench.reporting.render.tex_boards import ScoreBoard, shared_parts
from pubench.reporting.render.tex_layout import TexLayout
from pubench.reporting.render.tex_widths import NORMAL, text_width
from pubench.reporting.sentences import REPLICATE_TESTS, missing_rule
from pubench.reporting.wording import REFERENCE
from pubench.stats.comparison import Comparison
from pubench.stats.scores import ScoreTable

__all__ = ["TableTexts", "cut_names", "fill_caption", "score_texts"]

TWO_LINES = 1.75
"""Two lines of a caption, as a share of the width, when breaks between words are not where one wants them."""
NUMBERED = "Table 10. "


class TableTexts(NamedTuple):
    """A caption, that of continued floats, and a note, as plain texts."""

    caption: str
    continued: str
    note: str


def score_texts(
    table: ScoreTable, comparison: Comparison, one: ScoreBoard, setting: str, layout: TexLayout, has_sd: bool
) -> TableTexts:
    """Say what a table shows."""
    has_sd = has_sd and any(cell.sd for cell in layout.board.cells)
    what = "mean (standard deviation)" if has_sd else "mean"
    title = heading(table)
    caption, rest = fill_caption(f"{title}: {what} over {_replicates(table)}", shared_parts(table), layout)
    sentences = [
        *([f"Setting: {'; '.join(rest)}."] if rest else []),
        *([setting] if setting else []),
        *inconclusive(comparison),
        *_marks(comparison, one, layout),
        *_ranks(one),
        # Lines of other formats may be columns here.
        *(text.replace(" of the line", "") for text in findings(comparison, brief=True, mark="an underline")),
        *_exceptions(table, comparison, layout),
        *([one.about] if one.about else []),
        *([] if has_sd or not _has_spread(table) else ["Standard deviations are in scores.csv."]),
        *cut_names(layout.cut),
    ]
    return TableTexts(caption, f"{title}.", " ".join(sentences))


def fill_caption(title: str, parts: Sequence[str], layout: TexLayout) -> tuple[str, list[str]]:
    """Add parts to a title as long as two lines hold them; return the caption, and the parts that are left."""
    caption, rest = title, []
    for part in parts:
        longer = f"{caption}; {part}"
        if text_width(f"{NUMBERED}{longer}.", NORMAL) <= TWO_LINES * layout.frame.width:
            caption = longer
        else:
            rest.append(part)
    return f"{caption}.", rest


def cut_names(cut: Mapping[str, str]) -> list[str]:
    """Say what short names stand for."""
    return [f"Short names: {'; '.join(f'{short} is {name}' for short, name in cut.items())}."] if cut else []


def _replicates(table: ScoreTable) -> str:
    planned = np.unique(table.planned[table.planned > 0])
    if planned.size < 2:
        count = int(planned[0]) if planned.size else 0
        return "1 replicate" if count == 1 else f"{count} replicates"
    return f"{planned[0]} to {planned[-1]} replicates"


def _has_spread(table: ScoreTable) -> bool:
    return bool(np.isfinite(table.sd).any())


def _marks(comparison: Comparison, one: ScoreBoard, layout: TexLayout) -> Iterator[str]:
    """State the rule of bold and underlined numbers, where there are any."""
    used, rules = {cell.emphasis for cell in layout.board.cells}, comparison.rules
    if "bold" in used:
        part = " within each part" if one.by_method and len(layout.board.panels) > 1 else ""
        yield f"Bold: best of the {'column' if one.by_method else 'row'}{part}."
    if "underline" in used:
        yield (
            f"Underlined: not significantly different from the best by {REPLICATE_TESTS[rules.replicate_test]} over "
            f"replicates with Holm's correction (alpha = {rules.alpha:g}), where it detects a difference of "
            f"{rules.detectable:g} with probability 0.8. Neither: a significant difference, or too few "
            "replicates to tell."
        )


def _ranks(one: ScoreBoard) -> Iterator[str]:
    if one.over:
        within = f"within each {one.within}, " if one.within else ""
        yield f"Ranks: averages {within}over {'; '.join(one.over)}."


def _exceptions(table: ScoreTable, comparison: Comparison, layout: TexLayout) -> Iterator[str]:
    """Explain missing replicates and references, where there are any."""
    planned = table.planned > 0
    if (planned & ~table.complete).any():
        yield "Raised k/n: only k of n replicates have a value."
        yield from [missing_rule(comparison.rules)] if comparison.algorithms else []
    if (planned & table.reference).any():
        yield f"{REFERENCE} used true labels: a reference, neither ranked nor tested."
