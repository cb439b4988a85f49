r"""In the child: when a search gives up a setting, by what earlier settings had reached at the same step.

A decision depends on the setting's own values and on trials of batches that had ended when it was proposed, which come
with the request: never on what runs next to it, nor on time. The rules are those of Optuna's pruners.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np

from pubench.protocol.parts import Curve, EarlierTrial, Pruning

__all__ = ["bracket_of", "gives_up", "is_looked_at", "rungs"]

STARTUP = 5
"""The median rule begins after so many complete trials."""
REDUCTION = 3
"""Of so many settings that reach a rung, one goes on."""
_MOST_STEPS = 100


def is_looked_at(step: int, total: int) -> bool:
    """Whether a value counts: of long trainings only about a hundred steps do, and the last one decides nothing."""
    interval = -(-total // _MOST_STEPS)
    return 0 < step < total and step % interval == 0


def gives_up(pruning: Pruning, fit: int, curve: Curve, total: int) -> bool:
    """Return whether a setting is given up.

    Parameters
    ----------
    pruning : Pruning
        The rule, the number of the trial, and earlier trials.
    fit : int
        Which fit of the trial it is, from 0: the curves of earlier trials are compared fit by fit.
    curve : sequence of (step, value)
        What the fit has reached; the last one is new. The lower a value, the better.
    total : int
        The number of steps in all.
    """
    if pruning.rule == "median":
        return _is_worse_than_median(pruning.earlier, fit, curve)
    return _loses_on_a_rung(pruning, fit, curve, total)


def _is_worse_than_median(earlier: Sequence[EarlierTrial], fit: int, curve: Curve) -> bool:
    """Compare the best value so far with the median of complete trials at this step."""
    complete = [trial for trial in earlier if not trial.pruned]
    values = [value for trial in complete for value in _values_at(trial, fit, curve[-1][0])]
    if len(complete) < STARTUP or not values:
        return False
    return min(value for _, value in curve) > float(np.median(values))


def _values_at(trial: EarlierTrial, fit: int, step: int) -> Iterator[float]:
    if fit < len(trial.curves):
        yield from (value for at, value in trial.curves[fit] if at == step)


def _loses_on_a_rung(pruning: Pruning, fit: int, curve: Curve, total: int) -> bool:
    """Let one in three go on at each rung, among the trials of the same bracket that reached it, itself included."""
    step, value = curve[-1]
    bracket = bracket_of(pruning.number, total)
    if step not in rungs(bracket, total):
        return False
    rivals = [trial for trial in pruning.earlier if bracket_of(trial.number, total) == bracket]
    values = sorted([value, *(one for trial in rivals for one in _values_at(trial, fit, step))])
    return value > values[max(len(values) // REDUCTION - 1, 0)]


def rungs(bracket: int, total: int) -> list[int]:
    """Return the steps at which settings of a bracket are compared; bracket 0 never compares."""
    found = []
    for power in range(bracket, 0, -1):
        step = max(total // REDUCTION**power, 1)
        interval = -(-total // _MOST_STEPS)
        found.append(-(-step // interval) * interval)
    return found


def bracket_of(number: int, total: int) -> int:
    """Return the bracket of a trial: the higher, the earlier it is compared; brackets share the steps about evenly."""
    highest = 0
    while REDUCTION ** (highest + 1) <= total:
        highest += 1
    count = highest + 1
    # Hyperband's allocation (Li et al., 2018): many settings in brackets that stop early, few in the others.
    sizes = [-(-count * REDUCTION**bracket // (bracket + 1)) for bracket in range(count)]
    place = zlib.crc32(str(number).encode()) % sum(sizes)
    return next(bracket for bracket, end in enumerate(accumulate(sizes)) if place < end)
