"""Which rows and labels the cells of a run were drawn with: scores of different splits must not be paired."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from pubench.errors import PubenchError
from pubench.plan.jobs import Plan
from pubench.results.table import Results

__all__ = ["difference_of_draws", "places_of", "refuse_other_draws", "replicate_notes", "same_draw"]

Place = tuple[str, str]
"""A data set and a labelling, by their labels: where algorithms are compared."""


def places_of(plan: Plan) -> dict[Place, set[int]]:
    """Return the replicates of each place of a plan, those of other shards included."""
    places: dict[Place, set[int]] = {}
    for cell in plan.cells:
        places.setdefault((cell.dataset, cell.labelling), set()).add(cell.replicate)
    return places


def same_draw(first: Plan, second: Plan, place: Place) -> bool | None:
    """Tell whether replicates of one number have the same rows and labels in two runs; None if unknown.

    Plans of earlier versions have no digest of them; then the seeds decide.
    """
    mine, theirs = first.draws.get(place), second.draws.get(place)
    if mine is not None and theirs is not None:
        return mine == theirs
    if first.seed is None or second.seed is None:
        return None
    return first.seed == second.seed


def difference_of_draws(first: Plan, second: Plan) -> str:
    """Name a data set that two runs draw differently, and why; nothing if there is none."""
    theirs = places_of(second)
    for place in places_of(first):
        if place in theirs and same_draw(first, second, place) is False:
            return f"{' / '.join(place)} ({_reason(first, second)})"
    return ""


def _reason(first: Plan, second: Plan) -> str:
    if first.seed != second.seed:
        return f"seeds {first.seed} and {second.seed}"
    return "other rows or labels under the same names"


def refuse_other_draws(several: Sequence[Results]) -> None:
    """Refuse runs whose scores would be compared though they belong to different splits.

    Raises
    ------
    PubenchError
        Names two runs, the data set, and the remedy.
    """
    for first, second in combinations(several, 2):
        found = difference_of_draws(first.plan, second.plan)
        if found:
            remedy = (
                "run both suites with the same seed"
                if first.plan.seed != second.plan.seed
                else "give the data set or the labelling another name in one of the suites"
            )
            raise PubenchError(
                f"{first.folder} and {second.folder} draw different splits of {found}, so their scores cannot be "
                f"paired; {remedy}, or report each run on its own"
            )


def replicate_notes(several: Sequence[Results]) -> Iterator[str]:
    """Say where two runs have different numbers of replicates: their means are then over different splits."""
    for first, second in combinations(several, 2):
        mine, theirs = places_of(first.plan), places_of(second.plan)
        differ = [place for place in mine if place in theirs and mine[place] != theirs[place]]
        if differ:
            yield _note(first.folder, second.folder, differ[0], mine[differ[0]], theirs[differ[0]])


def _note(first: Path, second: Path, place: Place, mine: set[int], theirs: set[int]) -> str:
    return (
        f"{first} and {second} have {len(mine)} and {len(theirs)} replicates of {' / '.join(place)}: their means are "
        "over different splits; run both suites with the same number of replicates"
    )
