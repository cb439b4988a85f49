"""The first sentences of a report: what can be concluded from its ranks, and what cannot."""

from __future__ import annotations

from pubench.reporting.wording import number
from pubench.stats.board import BoardMetric
from pubench.stats.comparison import Comparison
from pubench.stats.leaderboard import Leaderboard

__all__ = ["best_sentence", "headline", "size_of", "strength_sentence"]


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
        return f"{units} cannot show which method is better; {remedy}."
    return (
        f"Differences in {metric.name} below {size_of(board.detectable, metric)} cannot be seen with {units}."
    )


def best_sentence(board: Leaderboard) -> str:
    """Name the best average rank, without a full stop."""
    return f"{board.best} has the best average rank ({board.standings[0].rank:.2f})"


def size_of(difference: float, metric: BoardMetric) -> str:
    """Return a difference in points of a hundred where the metric is a share."""
    shares = metric.mean[metric.mean == metric.mean]
    if shares.size and abs(shares).max() <= 1:
        return f"{100 * difference:.1f} points"
    return number(difference)


def units_of(comparison: Comparison, count: int) -> str:
    """Return how many data sets, or blocks, in words."""
    unit = "block" if comparison.rules.unit == "block" else "data set"
    return f"{count} {unit}{'' if count == 1 else 's'}"


def _tested(board: Leaderboard, comparison: Comparison) -> str:
    """Say how many are significantly worse than the best, if that was tested."""
    family, alpha = comparison.family, comparison.rules.alpha
    against = [pair for pair in comparison.pairs if board.best in (pair.first, pair.second)]
    judged = [pair for pair in against if pair.adjusted == pair.adjusted]
    if not family.size or not judged:
        return ""
    worse = sum(pair.adjusted < alpha for pair in judged)
    many = f"{worse} of {len(judged)} other methods {'is' if worse == 1 else 'are'}"
    return f", and {many} significantly worse"


def _unranked(board: Leaderboard, metric: BoardMetric, comparison: Comparison) -> str:
    if metric.greater_is_better is None:
        return "this metric has no direction"
    if len(comparison.algorithms) < 2:
        return "there are fewer than two methods to compare"
    unit = "block" if comparison.rules.unit == "block" else "data set"
    return f"no {unit} has a score of two methods or more"
