"""What methods were given and how they decide: sentences that the page, Markdown and LaTeX share."""

from __future__ import annotations

from collections.abc import Sequence

from pubench.errors import some_of
from pubench.results.table import Row

__all__ = ["decisions_sentence", "prior_sentence"]

MOST = 6
"""Up to so many names are listed."""


def prior_sentence(rows: Sequence[Row], sources: Sequence[str]) -> str:
    """Say which prior was given, and to what; empty where no source is known or no cell has been run."""
    ended = [row for row in rows if row.get("n_p") is not None]
    given = [row for row in ended if row.get("prior") is not None]
    if not sources or not ended:
        return ""
    if not given:
        return "Class prior: no method or criterion was given one."
    without = {row["algorithm"] for row in ended if row.get("prior") is None}
    users = dict.fromkeys(_user(row, row["algorithm"] in without) for row in given)
    return f"Class prior: {' or '.join(sources)}, given to {some_of([*users], MOST)}."


def _user(row: Row, by_criterion: bool) -> str:
    """Return an algorithm, with its criterion if it did without a prior elsewhere."""
    named = by_criterion and row["criterion"]
    return f"{row['algorithm']} (tuned by {row['criterion']})" if named else str(row["algorithm"])


def decisions_sentence(names: Sequence[str], cut: Sequence[str] | None) -> str:
    """Say which algorithms are cut at the prior and which decide by their own rules; empty where that is unknown."""
    if cut is None or not names:
        return ""
    at_prior, own = [name for name in names if name in cut], [name for name in names if name not in cut]
    if not at_prior or not own:
        return f"Decisions: {'all are cut at the prior' if at_prior else 'each method has its own rule'}."
    if len(at_prior) <= len(own):
        return f"Decisions: cut at the prior for {some_of(at_prior, MOST)}; the others have their own rule."
    return f"Decisions: cut at the prior for all but {some_of(own, MOST)}."
