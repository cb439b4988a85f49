"""From a person's table to advice: what was understood, the prior, which method to take, and what it is worth."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.advise.advice import Advice, ComparedMethod, Goal
from pubench.advise.choosing import (
    decision_share,
    ensemble_values,
    expected_loss,
    one_se,
    softmax_weights,
    within,
)
from pubench.advise.commands import table_command
from pubench.advise.comparing import Progress, compare
from pubench.advise.estimated_prior import state_prior_of
from pubench.advise.gathering import Comparison
from pubench.advise.labels import few_labels, read_labels
from pubench.advise.leaks import leak_hints
from pubench.advise.methods import POOL
from pubench.advise.reading import read_table
from pubench.advise.schema import learn_schema
from pubench.advise.statements import found_positives, sizes, top_precision
from pubench.advise.thinning import thinning_remark
from pubench.errors import DataError, did_you_mean
from pubench.specs import Scenario

if TYPE_CHECKING:
    import pandas as pd

    from pubench.estimators.prior_statement import PriorStatement

__all__ = ["doubts_of", "recommend"]

PRIOR = "class prior"
"""What progress calls the step before the first method."""
_WEAK, _PERFECT = 0.55, 0.995
Floats = NDArray[np.float64]


def recommend(
    table: pd.DataFrame | Path | str,
    *,
    label: str,
    ids: Sequence[str] = (),
    goal: Goal = "ranking",
    scenario: Scenario,
    budget: float | None = None,
    seed: int = 0,
    names: Sequence[str] = POOL,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Advice:
    """Advise which method to use for a table of labelled positives and unlabelled rows.

    Parameters
    ----------
    table : DataFrame or path
        Columns of any kind; see :func:`pubench.advise.reading.read_table` for files.
    label : str
        The column that says which rows are known positives.
    ids : sequence of str
        Columns that only name rows.
    goal : {"ranking", "decision", "probability"}
        What the model is for; it decides what the advice says first.
    scenario : {"case-control", "single-training-set"}
        Whether U is a sample of the population, or P and U together are. It cannot be known from the data.
    budget : float, optional
        Seconds after which no further fit is begun, once one method has been compared.
    seed : int
        The same seed gives the same bits, unless the budget ends the comparison early.
    names : sequence of str
        The methods to compare.
    on_progress : callable
        Is notified of each step.

    Returns
    -------
    Advice

    Raises
    ------
    PubenchError
        If the table, its labels or its columns cannot be used.
    """
    started = time.monotonic()
    source = str(table) if isinstance(table, str | Path) else ""
    frame = read_table(Path(table), text=ids) if isinstance(table, str | Path) else table
    _refuse_unknown(frame, label)
    s = read_labels(frame[label], label)
    schema, remarks = learn_schema(frame, label=label, ids=ids, s=s)
    X = schema.encode(frame).X
    on_progress(Progress(0, 0, PRIOR, budget or 0.0))
    prior = state_prior_of(X, s, scenario=scenario, seed=seed)
    left = None if budget is None else budget - (time.monotonic() - started)
    compared = compare(
        X,
        s,
        groups=schema.groups,
        names=names,
        prior=prior.value,
        scenario=scenario,
        seed=seed,
        budget=left,
        on_progress=on_progress,
    )
    asked = _Asked(source, label, tuple(ids), goal, scenario, seed)
    hints = leak_hints(frame, schema, s, given=ids)
    advice = _advice(asked, s, (*remarks, *thinning_remark(s)), hints, prior, compared)
    spent = time.monotonic() - started
    if budget is None or spent <= budget or len(compared.names) > 1:
        return advice
    return replace(advice, overrun=(spent, budget))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked for; the fields are those of Advice."""

    source: str
    label: str
    ids: tuple[str, ...]
    goal: Goal
    scenario: Scenario
    seed: int


def _advice(
    asked: _Asked,
    s: NDArray[np.uint8],
    remarks: tuple[str, ...],
    hints: tuple[str, ...],
    prior: PriorStatement,
    compared: Comparison,
) -> Advice:
    """Return all that follows from a comparison; ``hints`` are doubts that call for an audit."""
    weights, scenario = softmax_weights(compared.values), asked.scenario
    chosen, scores = ensemble_values(compared, weights, s), weights @ compared.scores
    n_u = int(np.count_nonzero(s == 0))
    positives = found_positives(prior, s, scenario)
    share = positives.value / n_u
    return Advice(
        source=asked.source,
        label=asked.label,
        ids=asked.ids,
        goal=asked.goal,
        scenario=scenario,
        seed=asked.seed,
        rows=len(s),
        labelled=int(s.sum()),
        remarks=remarks,
        doubts=(*doubts_of(s, float(chosen.mean())), *hints),
        prior=prior,
        methods=_methods(compared, weights),
        failures=compared.failures,
        folds=compared.folds_done,
        value=float(chosen.mean()),
        single=one_se(compared.values, compared.names),
        claim=within(compared.values, chosen, share=share, seed=asked.seed),
        loss=expected_loss(compared.values, chosen, share=share, seed=asked.seed),
        positives=positives,
        called=_called(compared, weights, s, prior, scenario),
        tops=tuple(top_precision(scores, s, k, prior=prior, scenario=scenario) for k in sizes(n_u)),
        is_interrupted=compared.is_interrupted,
        next_command=_next_command(asked, audit=bool(hints) or float(chosen.mean()) > _PERFECT),
    )


def _called(
    compared: Comparison, weights: Floats, s: NDArray[np.uint8], prior: PriorStatement, scenario: Scenario
) -> int:
    """Return how many unlabelled rows the ensemble calls positive, by out-of-fold scores."""
    from pubench.estimators.prior_cut import population_cut

    share = decision_share(compared, weights, s, prior=prior, scenario=scenario)
    scores = weights @ compared.scores
    cut = population_cut(scores, s, prior=share, scenario=scenario)
    return int(np.count_nonzero(scores[s == 0] >= cut))


def _refuse_unknown(frame: pd.DataFrame, label: str) -> None:
    names = [str(name) for name in frame.columns]
    if label not in names:
        raise DataError(f"there is no column '{label}' for the labels{did_you_mean(label, names)}")


def _methods(compared: Comparison, weights: Floats) -> tuple[ComparedMethod, ...]:
    """Return the methods that were compared, the best first."""
    folds = compared.folds_done
    errors = compared.values.std(axis=1, ddof=1) / np.sqrt(folds) if folds > 1 else np.zeros(len(weights))
    rows = zip(compared.names, compared.values.mean(axis=1), errors, weights, compared.seconds, strict=True)
    made = [ComparedMethod(name, *(float(figure) for figure in figures)) for name, *figures in rows]
    return tuple(sorted(made, key=lambda method: -method.value))


def doubts_of(s: NDArray[np.uint8], value: float) -> tuple[str, ...]:
    """Say what speaks against trusting methods that rank labelled above unlabelled rows with an AUC of ``value``."""
    doubts = []
    few = few_labels(s)
    if few is not None:
        doubts.append(few)
    if value < _WEAK:
        doubts.append(
            "The columns say little about the labels: labelled rows rank above unlabelled ones with an AUC of "
            f"{value:.2f} only, and 0.5 is chance."
        )
    if value > _PERFECT:
        doubts.append(
            "Labelled rows are almost perfectly separated from unlabelled ones. Perhaps a column reveals the label: "
            "pubench audit looks for that."
        )
    return tuple(doubts)


def _next_command(asked: _Asked, *, audit: bool) -> str:
    """Return the command to give next: a look for columns that give the label away, or the fit."""
    if not asked.source:
        return ""
    goal = [] if asked.goal == "ranking" else ["--goal", asked.goal]
    return table_command(
        "audit" if audit else "fit",
        asked.source,
        label=asked.label,
        ids=asked.ids,
        scenario=asked.scenario,
        seed=asked.seed,
        options=[] if audit else [*goal, "--out", "model.pub"],
    )
