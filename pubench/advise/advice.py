"""Advice as one frozen value: everything that is printed, shown on a page, or written as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

import msgspec

from pubench.advise.choosing import MARGIN, ExpectedLoss
from pubench.advise.gathering import Failure
from pubench.advise.statements import LIMITS, FoundPositives, TopPrecision
from pubench.estimators.prior_statement import PriorStatement
from pubench.specs import JSONValue, Scenario

__all__ = ["GOALS", "Advice", "ComparedMethod", "Goal"]

Goal: TypeAlias = Literal["ranking", "decision", "probability"]
GOALS: tuple[Goal, ...] = ("ranking", "decision", "probability")


@dataclass(frozen=True, slots=True)
class ComparedMethod:
    """A method, its AUC of labelled against unlabelled rows with a standard error, its weight, and seconds of a fit."""

    name: str
    value: float
    error: float
    weight: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Advice:
    """What pubench says about a person's table.

    Attributes
    ----------
    source : str
        The file; empty for a table in memory.
    label, ids : str, tuple of str
        The columns that were named.
    goal, scenario, seed
        What was asked for.
    rows, labelled : int
        How many rows there are, and how many of them are labelled.
    remarks, doubts : tuple of str
        What was understood of the columns, and what speaks against trusting the rest.
    prior : PriorStatement
    methods : tuple of ComparedMethod
        The best first.
    failures : tuple of Failure
        The methods that were left out.
    folds : int
        On how many folds methods were compared.
    value : float
        The ensemble's AUC of held-out labelled against unlabelled rows.
    single : str
        The method to take if it has to be one.
    claim : float
        How sure it is that the ensemble is within ``margin`` of the best method tried.
    loss : ExpectedLoss
        What the ensemble is expected to lose against the best method tried.
    positives : FoundPositives
        How many unlabelled rows are positive.
    called : int
        How many unlabelled rows the ensemble calls positive.
    tops : tuple of TopPrecision
    is_interrupted : bool
        Whether Ctrl-C ended the comparison.
    overrun : tuple of float or None
        The seconds that it took and those of the budget, if one method alone took longer than the budget.
    next_command : str
    margin : float
    limits : tuple of str
        What cannot be known.
    """

    source: str
    label: str
    ids: tuple[str, ...]
    goal: Goal
    scenario: Scenario
    seed: int
    rows: int
    labelled: int
    remarks: tuple[str, ...]
    doubts: tuple[str, ...]
    prior: PriorStatement
    methods: tuple[ComparedMethod, ...]
    failures: tuple[Failure, ...]
    folds: int
    value: float
    single: str
    claim: float
    loss: ExpectedLoss
    positives: FoundPositives
    called: int
    tops: tuple[TopPrecision, ...]
    is_interrupted: bool
    next_command: str
    overrun: tuple[float, float] | None = None
    margin: float = MARGIN
    limits: tuple[str, ...] = LIMITS

    @property
    def unlabelled(self) -> int:
        """The number of unlabelled rows."""
        return self.rows - self.labelled

    def to_json(self) -> JSONValue:
        """Return the advice as plain JSON values."""
        values: JSONValue = msgspec.to_builtins(asdict(self))
        return values
