"""The criteria and metrics of pubench itself, registered by the same hooks as those of any plugin."""

from __future__ import annotations

from pubench.citations import cite
from pubench.plugins.hookspecs import hookimpl
from pubench.specs import Criterion, Metric

__all__ = ["PUBENCH_PINNED", "pubench_criteria", "pubench_metrics"]

PUBENCH_PINNED = True
"""Versions of these specs are raised by hand, in a checkout too."""

_SURROGATES = ("logistic", "sigmoid", "quadratic", "savage", "double-hinge")
_LEE_LIU, _PROXY = "lee2003", "wang2025fair"
_UPU, _NNPU = "duplessis2014", "kiryo2017"


@hookimpl
def pubench_criteria() -> list[Criterion]:
    """Return PUF, the PU risks with every loss, Criteria II, proxy accuracy and proxy AUC."""
    return [
        Criterion(
            name="puf",
            function="pubench.criteria:puf",
            summary="recall^2 / Pr[f = 1], proportional to precision times recall; gives 1 to all-positive",
            version="1",
            bibtex=cite(_LEE_LIU),
        ),
        Criterion(
            name="fp-fn",
            function="pubench.criteria:fp_fn",
            summary="Pr[f = 1 | U] + Pr[f = 0 | P], linear in the sum of the two error rates",
            version="1",
            greater_is_better=False,
            bibtex=cite(_LEE_LIU),
        ),
        Criterion(
            name="pa",
            function="pubench.criteria:pa",
            summary="proxy accuracy: the accuracy plus the prior, in expectation",
            version="1",
            needs=("prior",),
            bibtex=cite(_PROXY),
        ),
        Criterion(
            name="pauc",
            function="pubench.criteria:pauc",
            summary="proxy AUC: P against U, linear in the AUC in expectation",
            version="1",
            uses="score",
            bibtex=cite(_PROXY),
        ),
        *_risk_criteria("pu-risk", "pubench.criteria:pu_risk", "unbiased PU risk", _UPU),
        *_risk_criteria("nnpu-risk", "pubench.criteria:nnpu_risk", "non-negative PU risk", _NNPU),
    ]


def _risk_criteria(name: str, function: str, summary: str, key: str) -> list[Criterion]:
    """Return one criterion with the zero-one loss, under the bare name, and one for each surrogate loss."""
    variants = [(name, "zero-one"), *((f"{name}-{loss}", loss) for loss in _SURROGATES)]
    return [
        Criterion(
            name=variant,
            function=function,
            summary=f"{summary}, {loss} loss",
            version="1",
            params={"loss": loss},
            greater_is_better=False,
            needs=("prior",),
            bibtex=cite(key),
        )
        for variant, loss in variants
    ]


@hookimpl
def pubench_metrics() -> list[Metric]:
    """Return the metrics of decisions, scores and probabilities."""
    return [
        Metric(
            name="accuracy",
            function="pubench.metrics:accuracy",
            summary="share of rows classified correctly",
            version="1",
        ),
        Metric(
            name="balanced-accuracy",
            function="pubench.metrics:balanced_accuracy",
            summary="mean of the true positive and true negative rates",
            version="1",
        ),
        Metric(
            name="precision",
            function="pubench.metrics:precision",
            summary="share of positives among those predicted positive; 0 if there are none",
            version="1",
        ),
        Metric(
            name="recall",
            function="pubench.metrics:recall",
            summary="share of positives that are predicted positive",
            version="1",
        ),
        Metric(
            name="f1",
            function="pubench.metrics:f1",
            summary="harmonic mean of precision and recall",
            version="1",
        ),
        Metric(
            name="roc-auc",
            function="pubench.metrics:roc_auc",
            summary="probability that a positive scores higher than a negative",
            version="1",
            uses="score",
        ),
        Metric(
            name="average-precision",
            function="pubench.metrics:average_precision",
            summary="mean precision over the recall levels, by decreasing score",
            version="1",
            uses="score",
        ),
        Metric(
            name="auc-prg",
            function="pubench.metrics:auc_prg",
            summary="area under the precision-recall-gain curve; 0 for equal scores, 1 for a perfect ranking",
            version="1",
            uses="score",
        ),
        Metric(
            name="cor",
            function="pubench.metrics:cor",
            summary="point-biserial correlation of the true class and the score",
            version="1",
            uses="score",
        ),
        Metric(
            name="boyce",
            function="pubench.metrics:boyce",
            summary="continuous Boyce index: how steadily the share of positives among rows grows with the score",
            version="1",
            uses="score",
        ),
        Metric(
            name="log-loss",
            function="pubench.metrics:log_loss",
            summary="mean negative logarithm of the true class's probability",
            version="1",
            uses="probability",
            greater_is_better=False,
        ),
        Metric(
            name="brier",
            function="pubench.metrics:brier",
            summary="mean squared difference between the true class and its probability",
            version="1",
            uses="probability",
            greater_is_better=False,
        ),
        Metric(
            name="calibration-error",
            function="pubench.metrics:calibration_error",
            summary="expected calibration error, ten bins of equal width",
            version="1",
            uses="probability",
            greater_is_better=False,
        ),
        Metric(
            name="predicted-positive-rate",
            function="pubench.metrics:predicted_positive_rate",
            summary="share of rows predicted positive",
            version="1",
            greater_is_better=None,
        ),
    ]
