"""Values of reports from the JSON that run folders and suites hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from pubench.reporting.details import Card, Provenance, RunDetails
from pubench.results.record import ModelRecord, TrialRecord
from pubench.suite.reporting import PaperConfig


def details(
    cards: Mapping[str, object] | None = None,
    provenance: Sequence[object] = (),
    trials: Mapping[str, Sequence[Sequence[object]]] | None = None,
    models: Mapping[str, object] | None = None,
) -> RunDetails:
    """Return what a run folder holds beside its rows; ``models`` is the introspection by key."""
    return RunDetails(
        {label: Card.model_validate(card) for label, card in (cards or {}).items()},
        tuple(Provenance.model_validate(entry) for entry in provenance),
        {key: [TrialRecord(*trial) for trial in found] for key, found in (trials or {}).items()},
        {key: msgspec.convert(model, ModelRecord, strict=False) for key, model in (models or {}).items()},
    )


def paper(**keys: object) -> PaperConfig:
    """Return a suite's [paper] table."""
    return PaperConfig.model_validate(keys)
