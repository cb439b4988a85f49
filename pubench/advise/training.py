"""From a table with labelled positives to a trained model: prior, comparison, ensemble, explanation and card."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pubench.advise.category_codes import Groups
from pubench.advise.choice import Choice
from pubench.advise.choosing import decision_share, softmax_weights
from pubench.advise.comparing import Progress, compare
from pubench.advise.ensemble import Candidate, Ensemble
from pubench.advise.estimated_prior import state_prior_of
from pubench.advise.explaining import explained, explaining_methods, explaining_rows, typical_row
from pubench.advise.gathering import Comparison
from pubench.advise.labels import read_labels
from pubench.advise.last_fits import LastFits, last_fits
from pubench.advise.leaks import leak_hints
from pubench.advise.methods import POOL, resolve_methods
from pubench.advise.prior_of_table import given_prior
from pubench.advise.recommend import PRIOR, doubts_of
from pubench.advise.schema import learn_schema
from pubench.advise.settings import AUTO, SINGLE, Settings, Source
from pubench.advise.statements import LIMITS
from pubench.advise.thinning import thinning_remark
from pubench.advise.trained import (
    Card,
    Curve,
    Importance,
    Provenance,
    Standing,
    TrainedModel,
    TrainingRows,
)
from pubench.errors import DataError, did_you_mean
from pubench.estimators.prior_cut import population_cut
from pubench.estimators.prior_statement import PriorStatement
from pubench.estimators.rows import Estimator
from pubench.specs import Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["train"]

_SOFTWARE = ("pubench", "numpy", "scikit-learn", "scipy", "lightgbm", "skops")
Floats = NDArray[np.float64]


def train(
    frame: pd.DataFrame,
    settings: Settings,
    *,
    label: str,
    ids: Sequence[str] = (),
    source: Source | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> TrainedModel:
    """Train a model on a person's table.

    Parameters
    ----------
    frame : DataFrame
        One row each; strings, categories, dates and missing cells are allowed.
    settings : Settings
    label : str
        The column that marks labelled positives.
    ids : sequence of str
        Columns that only name rows.
    source : Source, optional
        Where the table comes from; default: the digest of the table.
    on_progress : callable
        Is notified of each step.

    Returns
    -------
    TrainedModel

    Raises
    ------
    PubenchError
        If the table, its labels or the settings cannot be used.
    """
    started = time.monotonic()
    frame = frame.rename(columns=str)
    if label not in frame.columns:
        raise DataError(f"the table has no column '{label}'{did_you_mean(label, map(str, frame.columns))}")
    s = read_labels(frame[label], label)
    # An unknown name is said before the work, not after it.
    resolve_methods(_names(settings))
    schema, remarks = learn_schema(frame, label=label, ids=ids, s=s)
    encoded = schema.encode(frame)
    prior = _prior(encoded.X, s, settings, on_progress)
    left = None if settings.budget is None else settings.budget - (time.monotonic() - started)
    comparison = _compared(encoded.X, schema.groups, s, replace(settings, budget=left), prior, on_progress)
    choice = Choice.of(comparison, settings.method)
    seen = np.flatnonzero(~explaining_rows(s, settings.seed))
    last = last_fits(
        encoded.X,
        s,
        choice.names,
        groups=schema.groups,
        explaining=explaining_methods(choice.names, choice.weights),
        seen=seen,
        prior=prior.value,
        settings=settings,
        on_progress=on_progress,
    )
    ensemble = _ensemble(
        choice.of_methods(last.models), last.models, encoded.X, schema.groups, s, settings, prior
    )
    if settings.method in AUTO:
        ensemble.cut_ = _cut(ensemble, comparison, s, prior, settings.scenario)
    importance: tuple[Importance, ...] = ()
    curves: tuple[Curve, ...] = ()
    if last.partial:
        part = choice.of_methods(last.partial).of_rows(seen)
        other = _ensemble(part, last.partial, encoded.X[seen], schema.groups, s[seen], settings, prior)
        importance, curves = explained(schema, encoded, s, ensemble, other)
    card = Card(
        goal=settings.goal,
        method=settings.method,
        scenario=settings.scenario,
        label=label,
        seed=settings.seed,
        prior=prior,
        leaderboard=_standings(comparison, ensemble),
        importance=importance,
        curves=curves,
        remarks=(
            *remarks,
            *thinning_remark(s),
            *_doubts(comparison, last, s),
            *leak_hints(frame, schema, s, given=ids),
        ),
        limits=LIMITS,
        provenance=_provenance(source or Source.of_frame(frame), s),
    )
    unseen = ensemble.out_of_fold_
    training = TrainingRows(_texts(frame, schema.ids), s, unseen, ensemble.decide(unseen).astype(np.uint8))
    return TrainedModel(card, schema, ensemble, training, typical_row(schema, encoded.X, s))


def _names(settings: Settings) -> Sequence[str]:
    return POOL if settings.method in (*AUTO, SINGLE) else (settings.method,)


def _doubts(comparison: Comparison, last: LastFits, s: NDArray[np.uint8]) -> Iterator[str]:
    """Yield what speaks against trusting the model, as sentences."""
    yield from doubts_of(s, float(comparison.values.mean(axis=1).max()))
    if comparison.is_interrupted:
        yield "The comparison of methods was interrupted; it holds what had been compared until then."
    if last.is_interrupted:
        yield "The last fits were interrupted; the model has the methods that had been fitted until then."
    for failure in last.failures:
        yield f"'{failure.name}' was left out of the model, because its last fit failed: {failure.reason}."


def _prior(
    X: Floats, s: NDArray[np.uint8], settings: Settings, on_progress: Callable[[Progress], None]
) -> PriorStatement:
    if settings.prior is not None:
        return given_prior(settings.prior, s, settings.scenario)
    on_progress(Progress(0, 0, PRIOR, settings.budget or 0.0))
    return state_prior_of(X, s, scenario=settings.scenario, seed=settings.seed)


def _compared(
    X: Floats,
    groups: Groups,
    s: NDArray[np.uint8],
    settings: Settings,
    prior: PriorStatement,
    on_progress: Callable[[Progress], None],
) -> Comparison:
    names = _names(settings)
    return compare(
        X,
        s,
        groups=groups,
        names=names,
        prior=prior.value,
        scenario=settings.scenario,
        seed=settings.seed,
        budget=settings.budget,
        repeats=2 if len(names) > 1 else 1,
        on_progress=on_progress,
    )


def _ensemble(
    choice: Choice,
    models: Mapping[str, Estimator],
    X: Floats,
    groups: Groups,
    s: NDArray[np.uint8],
    settings: Settings,
    prior: PriorStatement,
) -> Ensemble:
    """Put fitted methods together, with probabilities by their out-of-fold scores."""
    from threadpoolctl import threadpool_limits

    candidates = [
        Candidate(method.name, models[method.name], weight, at_prior, method.takes_codes)
        for method, weight, at_prior in zip(
            resolve_methods(choice.names), choice.weights, choice.at_prior, strict=True
        )
    ]
    # One thread, as in the comparison: sums in another order would give other bits.
    with threadpool_limits(1):
        return Ensemble(
            candidates,
            prior=prior.value,
            interval=(prior.low, prior.high),
            scenario=settings.scenario,
            groups=groups,
            random_state=settings.seed,
        ).fit(X, s, out_of_fold=choice.margins, models=[models[name] for name in choice.names])


def _cut(
    ensemble: Ensemble,
    comparison: Comparison,
    s: NDArray[np.uint8],
    prior: PriorStatement,
    scenario: Scenario,
) -> float:
    """Return the cut of the ensemble's scores, which decides better than the vote of methods cut at the prior."""
    weights = softmax_weights(comparison.values)
    share = decision_share(comparison, weights, s, prior=prior, scenario=scenario)
    return population_cut(ensemble.out_of_fold_.score, s, prior=share, scenario=scenario)


def _standings(comparison: Comparison, ensemble: Ensemble) -> tuple[Standing, ...]:
    """Return all methods, the best first, then those that were left out."""
    weights = {member.name: member.weight for member in ensemble.members_}
    folds = comparison.values.shape[1]
    rows = [
        Standing(
            name,
            float(values.mean()),
            float(values.std(ddof=1) / np.sqrt(folds)) if folds > 1 else None,
            weights.get(name, 0.0),
        )
        for name, values in zip(comparison.names, comparison.values, strict=True)
    ]
    rows.sort(key=lambda row: -(row.pauc or 0.0))
    lost = (Standing(one.name, None, None, 0.0, failure=one.reason) for one in comparison.failures)
    return (*rows, *lost)


def _provenance(source: Source, s: NDArray[np.uint8]) -> Provenance:
    software = (("python", platform.python_version()), *((name, version(name)) for name in _SOFTWARE))
    return Provenance(source.name, source.digest, len(s), int(s.sum()), software)


def _texts(frame: pd.DataFrame, names: Sequence[str]) -> NDArray[np.str_]:
    """Return columns as text, shape (number of columns, n)."""
    found = np.array([frame[name].astype(str).to_numpy(dtype=np.str_) for name in names], dtype=np.str_)
    return found.reshape(len(names), len(frame))
