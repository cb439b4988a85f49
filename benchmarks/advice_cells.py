"""One sample of the study of advice: everything that is stated, beside the truth."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from pubench.advise.category_codes import Groups
from pubench.advise.choosing import (
    decision_share,
    ensemble_values,
    expected_loss,
    one_se,
    softmax_weights,
    within,
)
from pubench.advise.comparing import compare
from pubench.advise.estimated_prior import state_prior_of
from pubench.advise.fold_fits import FIT_SECONDS, FoldFit, FoldFits, FoldTask
from pubench.advise.gathering import Comparison
from pubench.advise.methods import resolve_methods
from pubench.advise.statements import top_precision, unlabelled_probabilities
from pubench.estimators.calibration import share_in_unlabelled
from pubench.estimators.prior_cut import population_cut
from pubench.estimators.prior_statement import PriorStatement
from pubench.metrics import calibration_error
from pubench.specs import JSONValue, Scenario

TOPS = (20, 50, 100)
Floats = NDArray[np.float64]
Figures = dict[str, JSONValue]


@dataclass(frozen=True)
class Sample:
    """Labelled training rows first, then test rows; y is the truth of all, prior that of the population."""

    X: Floats
    groups: Groups
    s: NDArray[np.uint8]
    y: NDArray[np.uint8]
    prior: float
    scenario: Scenario
    seed: int


def measure(sample: Sample) -> Figures:
    """Advise on the training rows, fit every method on them, and score all on the test rows."""
    n, started = len(sample.s), time.perf_counter()
    X = sample.X[:n]
    prior = state_prior_of(X, sample.s, scenario=sample.scenario, seed=sample.seed)
    compared = compare(
        X,
        sample.s,
        groups=sample.groups,
        prior=prior.value,
        scenario=sample.scenario,
        seed=sample.seed,
    )
    weights = softmax_weights(compared.values)
    seconds = time.perf_counter() - started
    scores, decisions = fit_all(sample, compared, prior.value)
    shares = np.array([share_among(new, old) for new, old in zip(scores, compared.margins, strict=True)])
    y = sample.y[n:]
    quality = {
        name: figures(y, score, decision)
        for name, score, decision in zip(compared.names, scores, decisions, strict=True)
    }
    chosen = ensemble_values(compared, weights, sample.s)
    single = one_se(compared.values, compared.names)
    n_p = int(sample.s.sum())
    positives = share_in_unlabelled(prior.value, n_p, n - n_p, sample.scenario)
    lost = expected_loss(compared.values, chosen, share=positives)
    share = decision_share(compared, weights, sample.s, prior=prior, scenario=sample.scenario)
    cut = population_cut(weights @ compared.scores, sample.s, prior=share, scenario=sample.scenario)
    return {
        "scenario": sample.scenario,
        "labelled": int(sample.s.sum()),
        "rows": n,
        "seconds": seconds,
        "failures": [failure.name for failure in compared.failures],
        "values": compared.values.tolist(),
        "ensemble": chosen.tolist(),
        "names": list(compared.names),
        "weights": weights.tolist(),
        "single": single,
        "quality": quality,
        "auto": figures(y, weights @ shares, (weights @ shares >= cut).astype(np.uint8)),
        "vote": figures(y, weights @ shares, (weights @ decisions > 0.5).astype(np.uint8)),
        "share": share,
        "claim": within(compared.values, chosen, share=positives),
        "loss": [lost.mean, lost.bound],
        "prior": [sample.prior, prior.value, prior.low, prior.high, prior.upper],
        "determined": prior.determined,
        **stated(sample, compared, weights, prior),
    }


def fit_all(sample: Sample, compared: Comparison, prior: float) -> tuple[Floats, NDArray[np.uint8]]:
    """Return scores and decisions of each method about the test rows, each of shape (m, rows)."""
    n = len(sample.s)
    rows, test = np.arange(n), np.arange(n, len(sample.y))
    tasks = [
        FoldTask(method, 0, number, rows, sample.s, prior, test, sample.seed)
        for number, method in enumerate(resolve_methods(compared.names))
    ]
    scores = np.empty((len(tasks), len(test)))
    decisions = np.empty(scores.shape, dtype=np.uint8)
    with FoldFits(sample.X, sample.groups, sample.scenario) as fits:
        for task, fit in fits.run(tasks, lambda task: FIT_SECONDS):
            assert isinstance(fit, FoldFit), fit
            cut = compared.cuts[task.fold]
            scores[task.fold] = fit.score
            decisions[task.fold] = fit.decision if np.isnan(cut) else fit.score >= cut
    return scores, decisions


def share_among(scores: Floats, reference: Floats) -> Floats:
    """Return the share of the reference that lies below each score, ties counted half."""
    ordered = np.sort(reference)
    below, up_to = (np.searchsorted(ordered, scores, side=side) for side in ("left", "right"))
    return (below + up_to) / 2 / len(reference)


def figures(y: NDArray[np.uint8], score: Floats, decision: NDArray[np.uint8]) -> Figures:
    """Return AUC, AP, F1 and accuracy."""
    return {
        "auc": float(roc_auc_score(y, score)),
        "ap": float(average_precision_score(y, score)),
        "f1": float(f1_score(y, decision, zero_division=0.0)),
        "accuracy": float(np.mean(y == decision)),
    }


def stated(sample: Sample, compared: Comparison, weights: Floats, prior: PriorStatement) -> Figures:
    """Return precision among the top rows of U, and probabilities on U, beside the truth."""
    s, scores = sample.s, weights @ compared.scores
    y = sample.y[: len(s)][s == 0]
    order = np.argsort(-scores[s == 0], kind="stable")
    tops: list[JSONValue] = []
    for k in TOPS:
        if k <= len(y) / 4:
            found = top_precision(scores, s, k, prior=prior, scenario=sample.scenario)
            ends = [found.value, found.low, found.high, found.narrow_low, found.narrow_high]
            tops.append([k, float(y[order[:k]].mean()), *ends])
    probability = unlabelled_probabilities(scores, s, prior.value, sample.scenario)
    return {
        "tops": tops,
        "brier": float(np.mean((probability - y) ** 2)),
        "ece": float(calibration_error(y, probability)),
        "brier of a constant": float(np.mean((y.mean() - y) ** 2)),
    }
