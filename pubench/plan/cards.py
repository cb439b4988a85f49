"""The card of a data set as a suite uses it."""

from __future__ import annotations

from dataclasses import replace

from pubench.data.cards import UsedRows, make_card
from pubench.data.pictures import sample_pictures
from pubench.plan.datasets import given_label_counts
from pubench.plan.jobs import DataPlan
from pubench.plugins.registry import Registered
from pubench.specs import Dataset, JSONValue

__all__ = ["problem_card"]


def problem_card(
    registered: Registered[Dataset], data: DataPlan, *, pictures: bool = False
) -> dict[str, JSONValue]:
    """Return the card of a data set as a suite uses it: its own positive and negative classes, rows and prior.

    With ``pictures`` a data set of images shows some of them.
    """
    shown = sample_pictures(data.stored, data.classes) if pictures else {}
    return _facts(registered, data) | ({"pictures": shown} if shown else {})


def _facts(registered: Registered[Dataset], data: DataPlan) -> dict[str, JSONValue]:
    stored = data.stored
    card = make_card(registered, stored)
    sides: tuple[list[int], list[int]] = ([], [])
    for number, side in data.classes.items():
        sides[side].append(number)
    there = [sum(stored.counts[number] for number in numbers) for numbers in sides]
    positive, negative = data.sample or (there[1], there[0])
    if data.given is not None:
        positive, negative = given_label_counts(stored, data.given)
        card = replace(card, problem=stored.given[data.given])
    card = replace(card, used=UsedRows(positive, negative))
    if stored.pu:
        return card.to_json()
    names = [tuple(stored.classes[number] for number in sorted(numbers)) for numbers in sides]
    prior = positive / (positive + negative)
    return replace(card, positive=names[1], negative=names[0], prior=prior).to_json()
