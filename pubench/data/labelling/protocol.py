"""Labelling protocols as frozen values: a suite states them, the plan checks them, ``assign`` carries them out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pubench.data.labelling.mechanisms import Mechanism, Sar, Scar
from pubench.data.splits import held_out, rounded
from pubench.errors import DataError, did_you_mean
from pubench.specs import SCENARIOS, JSONValue, Scenario

__all__ = ["Labelling", "check_counts", "labelled_count"]

Counts = tuple[int, int]
SCAR = Scar()

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "scenario": SCENARIOS,
    "test_from": ("population", "unlabelled"),
}


@dataclass(frozen=True, slots=True)
class Labelling:
    """A labelling protocol.

    Attributes
    ----------
    scenario : str
        ``"case-control"`` or ``"single-training-set"``.
    positives, frequency : int, "given" or None; float in (0, 1] or None
        The number of labelled positives, or their share of all positives; give exactly one.
        ``"given"`` is for real PU data, which come with their labels.
    mechanism : Mechanism
        How likely each positive is to be labelled, :class:`Scar` by default.
    test : float or "given"
        The share of test rows, or the data set's own split.
    test_from : str
        ``"population"``: split first, then label training positives. ``"unlabelled"`` (case-control only): label
        first, then split the other rows, as Wang et al. do (PUAL, section 4.2.3).
    unlabelled_positives : float in [0, 1]
        The share of the training positives without a label that stay in U (single-training-set only). The others are
        excluded from training, not from the test, as in Lee and Liu (2003), section 5.3.
    name : str
        The label in tables.
    """

    scenario: Scenario
    positives: int | Literal["given"] | None = None
    frequency: float | None = None
    mechanism: Mechanism = SCAR
    test: float | Literal["given"] = 0.3
    test_from: Literal["population", "unlabelled"] = "population"
    name: str = ""
    unlabelled_positives: float = 1.0

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(f"{name} = {value!r} is unknown{did_you_mean(str(value), choices)}")
        if not isinstance(self.mechanism, Mechanism):
            raise ValueError(f"mechanism = {self.mechanism!r} must be a Mechanism such as Scar() or Sar()")
        self._check_number()
        if self.test != "given" and (isinstance(self.test, str) or not 0 < self.test < 1):
            raise ValueError(f"test = {self.test!r} must lie in (0, 1) or be 'given'")
        if self.test_from == "unlabelled" and (self.scenario != "case-control" or self.test == "given"):
            raise ValueError("test_from = 'unlabelled' needs scenario = 'case-control' and test as a share")
        if not 0 <= self.unlabelled_positives <= 1:
            raise ValueError(f"unlabelled_positives = {self.unlabelled_positives} must lie in [0, 1]")
        if self.unlabelled_positives < 1 and (self.scenario == "case-control" or self.is_given):
            raise ValueError("unlabelled_positives is for single training sets whose labels are drawn")

    def _check_number(self) -> None:
        if (self.positives is None) == (self.frequency is None):
            raise ValueError("give exactly one of positives and frequency")
        if isinstance(self.positives, str):
            self._check_given()
        elif self.positives is not None and self.positives < 1:
            raise ValueError(f"positives = {self.positives} must be at least 1")
        if self.frequency is not None and not 0 < self.frequency <= 1:
            raise ValueError(f"frequency = {self.frequency} must lie in (0, 1]")

    def _check_given(self) -> None:
        if self.positives != "given":
            raise ValueError(f"positives = {self.positives!r} must be a number or 'given'")
        if self.mechanism != SCAR or self.test_from != "population":
            raise ValueError("positives = 'given' excludes a mechanism and test_from = 'unlabelled'")

    def identity(self) -> dict[str, JSONValue]:
        """Return what defines the rows and labels; keys and seeds of stored cells are digests of it."""
        # Stored keys contain the parameters of SAR whatever the mechanism, and later keys only if they are set.
        later: dict[str, JSONValue] = {"unlabelled_positives": self.unlabelled_positives}
        return {
            "scenario": self.scenario,
            "positives": self.positives,
            "frequency": self.frequency,
            "mechanism": self.mechanism.name,
            "test": self.test,
            "test_from": self.test_from,
            "name": "",
            **Sar().parameters(),
            **self.mechanism.parameters(),
            **(later if self.unlabelled_positives != 1 else {}),
        }

    @property
    def is_given(self) -> bool:
        """Whether the data come with labels s of their own (real PU data, true classes unknown)."""
        return self.positives == "given"

    @property
    def label(self) -> str:
        """The name, or a short description such as ``"case-control n_p=100"``."""
        if self.name:
            return self.name
        if self.is_given:
            return f"{self.scenario} given labels"
        size = f"n_p={self.positives}" if self.frequency is None else f"c={self.frequency:g}"
        return f"{self.scenario} {size}" + ("" if self.mechanism == SCAR else f" {self.mechanism.label}")


def check_counts(
    n_positive: int, n_negative: int, labelling: Labelling, *, given: Counts | None = None
) -> None:
    """Raise DataError if a data set with these class counts does not allow the labelling.

    `assign` makes the same check, so that a labelling that passes here can be assigned.

    Parameters
    ----------
    n_positive, n_negative : int
        Rows of each class in the whole data set.
    labelling : Labelling
    given : (int, int), optional
        Positive and negative rows in the training part of the data set's own split. Without it, only the totals are
        checked for ``test="given"``.
    """
    if labelling.is_given:
        return
    total = (n_positive, n_negative)
    for n, kind in zip(total, ("positive", "negative"), strict=True):
        if n == 0:
            raise DataError(
                f"labelling '{labelling.label}': the data have no {kind} row; choose other classes"
            )
    if labelling.test_from == "unlabelled":
        pool = (n_positive - labelled_count(labelling, n_positive), n_negative)
        _check_parts(labelling, pool, _held_out_counts(labelling, pool))
    elif labelling.test != "given":
        test = _held_out_counts(labelling, total)
        _check_parts(labelling, total, test)
        labelled_count(labelling, n_positive - test[0])
    elif given is not None:
        _check_parts(labelling, total, (n_positive - given[0], n_negative - given[1]))
        labelled_count(labelling, given[0])
    else:
        _check_parts(labelling, total, (1, 1))
        labelled_count(labelling, n_positive - 1)


def _held_out_counts(labelling: Labelling, counts: Counts) -> Counts:
    share = float(labelling.test)
    return held_out(counts[0], share), held_out(counts[1], share)


def _check_parts(labelling: Labelling, total: Counts, test: Counts) -> None:
    for n, n_test, kind in zip(total, test, ("positive", "negative"), strict=True):
        for rows, part in ((n - n_test, "training"), (n_test, "test")):
            if rows < 1:
                raise DataError(
                    f"labelling '{labelling.label}': none of the {n} {kind} rows is left for the {part} part "
                    f"(test = {labelling.test}); use more rows or another test share"
                )


def labelled_count(labelling: Labelling, n_positive: int) -> int:
    """Return the number of positives to label out of n, at least one."""
    if labelling.frequency is not None:
        return max(1, rounded(labelling.frequency * n_positive))
    assert isinstance(labelling.positives, int)
    wanted = labelling.positives
    # P may contain a row twice only if it is a sample separate from U and the test rows.
    can_repeat = labelling.scenario == "case-control" and labelling.test_from == "population"
    if wanted > n_positive and not can_repeat:
        raise DataError(
            f"labelling '{labelling.label}': positives = {wanted}, but only {n_positive} can be labelled; "
            f"reduce positives to at most {n_positive} or set frequency"
        )
    return wanted
