"""The fits that a model keeps, and those that explain it: in processes of their own, as in the comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pubench.advise.category_codes import Groups
from pubench.advise.comparing import Progress
from pubench.advise.fold_fits import FIT_SECONDS, FoldFit, FoldFits, FoldTask, KeptFit
from pubench.advise.gathering import Failure
from pubench.advise.methods import resolve_methods
from pubench.advise.settings import Settings
from pubench.advise.thinning import thinned, thinned_prior
from pubench.errors import PubenchError
from pubench.estimators.rows import Estimator
from pubench.estimators.stored_models import UntrustedModelError, load_estimator

__all__ = ["LastFits", "last_fits"]

_WHOLE, _PART = 0, 1
_NONE: NDArray[np.int64] = np.empty(0, dtype=np.int64)
Labels = NDArray[np.uint8]
Positions = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LastFits:
    """Fitted models by the names of their methods.

    Attributes
    ----------
    models : dict of str to Estimator
        Fitted on all rows, or on a part of very many.
    partial : dict of str to Estimator
        Fitted on the rows that do not explain them.
    failures : tuple of Failure
        Methods whose last fit failed.
    is_interrupted : bool
        Whether Ctrl-C ended it early.
    """

    models: dict[str, Estimator]
    partial: dict[str, Estimator]
    failures: tuple[Failure, ...] = ()
    is_interrupted: bool = False


def last_fits(
    X: NDArray[np.float64],
    s: Labels,
    names: Sequence[str],
    *,
    groups: Groups,
    explaining: Sequence[str],
    seen: Positions,
    prior: float,
    settings: Settings,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> LastFits:
    """Fit methods on all rows, and some of them on the rows that do not explain them.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    s : ndarray of shape (n,)
        1 = labelled positive, 0 = unlabelled.
    names : sequence of str
        The methods, the most important first: after Ctrl-C there are the models that were fitted until then.
    groups : tuple of tuple of int
        The columns of each category; see :func:`pubench.advise.category_codes.with_codes`.
    explaining : sequence of str
        Those of them that are fitted once more.
    seen : ndarray of int
        The rows of these fits.
    prior : float
        Of all rows.
    settings : Settings
    on_progress : callable
        Is notified of each fit that ended.

    Raises
    ------
    PubenchError
        If no method could be fitted.
    """
    every = np.arange(len(s))
    tasks = [
        *_tasks(names, _WHOLE, every, s, prior, settings),
        *_tasks(explaining, _PART, seen, s, prior, settings),
    ]
    found: dict[tuple[str, int], Estimator] = {}
    failures: list[Failure] = []
    interrupted = False
    try:
        with FoldFits(X, groups, settings.scenario) as fits:
            for task, outcome in fits.run(tasks, lambda task: FIT_SECONDS):
                assert not isinstance(outcome, FoldFit), "no task leaves rows out"
                # Here and not in the threads that ask: Python 3.11 cannot parse in two of them.
                model = _loaded(outcome, task.method.name) if isinstance(outcome, KeptFit) else outcome.error
                if not isinstance(model, str):
                    found[task.method.name, task.repeat] = model
                elif task.repeat == _WHOLE:
                    failures.append(Failure(task.method.name, model))
                on_progress(Progress(len(found) + len(failures), len(tasks), task.method.name, 0.0))
    except KeyboardInterrupt:
        interrupted = True
        if not any(part == _WHOLE for _, part in found):
            raise
    models = {name: found[name, _WHOLE] for name in names if (name, _WHOLE) in found}
    if not models:
        raise PubenchError(f"no method could be fitted; {failures[0].name}: {failures[0].reason}")
    partial = {name: found[name, _PART] for name in explaining if (name, _PART) in found and name in models}
    return LastFits(models, partial, tuple(failures), interrupted)


def _loaded(fit: KeptFit, name: str) -> Estimator | str:
    """Return the model, or why it cannot be kept."""
    try:
        return load_estimator(fit.content, f"method '{name}'")
    except UntrustedModelError as error:
        return str(error)


def _tasks(
    names: Sequence[str], part: int, rows: Positions, s: Labels, prior: float, settings: Settings
) -> list[FoldTask]:
    kept = rows[thinned(s[rows], np.random.default_rng(settings.seed))]
    used = thinned_prior(prior, s, s[kept], settings.scenario)
    return [
        FoldTask(method, part, 0, kept, s[kept], used, _NONE, settings.seed)
        for method in resolve_methods(names)
    ]
