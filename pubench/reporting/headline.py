"""The first sentences of a report: what can be concluded from its ranks, and what cannot."""

from __future__ import annotations

from pubench.errors import be, counted
from pubench.reporting.wording import number
from pubench.stats.board import BoardMetric
from pubench.stats.comparison import Comparison
from pubench.stats.leaderboard import Leaderboard

__all__ = ["best_sentence", "headline", "size_of", "strength_sentence"]

TINY = "less than 0.1 points"
"""Instead of 0.0 points."""


def headline(board: Leaderboard, metric: BoardMetric, comparison: Comparison) -> str:
    """Say which differences cannot be seen, who is best, and how many are significantly worse."""
    if board.best is None:
        return f"Nothing can be concluded: {_unranked(board, metric, comparison)}."
    return (
        f"{strength_sentence(board, metric, comparison)} {best_sentence(board)}{_tested(board, comparison)}."
    )


def strength_sentence(board: Leaderboard, metric: BoardMetric, comparison: Comparison) -> str:
    """Say which differences the number of data sets cannot show."""
    units = units_of(comparison, board.units)
    if board.detectable == float("inf"):
        needed = next((n for n, factor in enumerate(metric.factors) if factor < float("inf")), None)
        remedy = f"at least {needed or comparison.family.needed} are needed"
        if any(pair.adjusted < comparison.rules.alpha for pair in comparison.pairs):
            # Some methods have failed somewhere: two others may have more data sets in common than all have.
            units = f"The {units} with scores of all methods"
            return f"{units} cannot show which method is better; {remedy}, which some pairs of methods have."
        return f"{units} cannot show which method is better; {remedy}."
    size = size_of(board.detectable, metric)
    control = board.compared_with is not None and board.compared_with == comparison.rules.control
    where = f" from {board.compared_with}" if control else ""
    if size == TINY:
        return f"Even differences{where} in {metric.name} of {size} can be seen with {units}."
    return f"Differences{where} in {metric.name} below {size} cannot be seen with {units}."


def best_sentence(board: Leaderboard) -> str:
    """Name who has the best average rank, without a full stop."""
    first = board.standings[0].rank
    names = [one.algorithm for one in board.standings if one.rank == first]
    match len(names):
        case 1:
            who = f"{names[0]} has"
        case 2 | 3:
            who = f"{', '.join(names[:-1])} and {names[-1]} share"
        case count:
            who = f"{count} methods share"
    return f"{who} the best average rank ({first:.2f})"


def size_of(difference: float, metric: BoardMetric) -> str:
    """Return a difference in points of a hundred where the metric is a share; never "0.0 points"."""
    shares = metric.mean[metric.mean == metric.mean]
    if shares.size and abs(shares).max() <= 1:
        text = f"{100 * difference:.1f} points"
        return TINY if text == "0.0 points" else text
    return number(difference)


def units_of(comparison: Comparison, count: int) -> str:
    """Return how many data sets, or blocks, in words."""
    unit = "block" if comparison.rules.unit == "block" else "data set"
    return counted(count, unit)


def _tested(board: Leaderboard, comparison: Comparison) -> str:
    """Say how many are significantly worse than the best or than a named control, if that was tested."""
    family = comparison.family
    control = board.best if family.chosen or family.control is None else family.control
    # Positive where the control is ahead.
    judged = [
        (pair.adjusted, pair.difference if pair.first == control else -pair.difference)
        for pair in comparison.pairs
        if control in (pair.first, pair.second) and pair.adjusted == pair.adjusted
    ]
    if not family.size or not judged:
        return ""
    ahead = [lead > 0 for adjusted, lead in judged if adjusted < comparison.rules.alpha]
    others, worse, better = len(judged), ahead.count(True), ahead.count(False)
    if control == board.best:
        return f", and {worse} of {counted(others, 'other method')} {be(worse)} significantly worse"
    return (
        f". Of {counted(others, 'other method')}, {better or 'none'} {be(better or 1)} significantly better than "
        f"{control} and {worse or 'none'} {be(worse or 1)} significantly worse"
    )


def _unranked(board: Leaderboard, metric: BoardMetric, comparison: Comparison) -> str:
    if metric.greater_is_better is None:
        return "this metric has no direction"
    if len(comparison.algorithms) < 2:
        references = any(one.reference for one in board.standings)
        unranked = " (those marked † use true labels, and are not ranked)" if references else ""
        return f"there are fewer than two methods to compare{unranked}"
    unit = "block" if comparison.rules.unit == "block" else "data set"
    return f"no {unit} has a score of two methods or more"
