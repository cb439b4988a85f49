"""An audit of a person's PU data, before any method is fitted: what could make every later result wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from pubench.advise.estimated_prior import state_prior_of
from pubench.advise.fair_labelling import check_fairness, fairness_finding
from pubench.advise.findings import LEVELS, Finding
from pubench.advise.labels import few_labels, read_labels
from pubench.advise.leaks import find_leaks, one_sided_ids
from pubench.advise.prior_of_table import given_prior
from pubench.advise.remarks import listed
from pubench.advise.schema import Encoded, Schema, learn_schema
from pubench.advise.suspects import RowNames, find_copies, find_suspects, scores_of
from pubench.advise.thinning import thinned, whole_statement
from pubench.errors import DataError, PriorError, did_you_mean
from pubench.estimators.calibration import share_in_unlabelled
from pubench.estimators.prior_statement import PriorStatement
from pubench.specs import JSONValue, Scenario

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Audit", "audit"]

_LEAST = 5
"""Below this many labelled rows no model can be judged on rows left out."""
_NO_SIGNAL = 0.55
_FEWER = 4_000
Labels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found.

    Attributes
    ----------
    rows, labelled : int
        All rows, and those that are labelled.
    audited : int
        The rows that were examined: all, or a sample of a large table.
    scenario : {"case-control", "single-training-set"}
    remarks : tuple of str
        What was understood of the table.
    findings : tuple of Finding
        The serious ones first.
    auc : float or None
        How well P can be distinguished from U on rows left out, without serious leaks; None if that is not known.
    prior : PriorStatement or None
        None if it could not be estimated.
    """

    rows: int
    labelled: int
    audited: int
    scenario: Scenario
    remarks: tuple[str, ...]
    findings: tuple[Finding, ...]
    auc: float | None
    prior: PriorStatement | None

    def to_json(self) -> JSONValue:
        """Return everything as plain JSON values."""
        return msgspec.to_builtins(self)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The rows that are examined, and what they are a part of.

    ``labels`` are those of all rows; ``rows`` are the places of the examined ones among them; ``known`` is a prior that
    was given.
    """

    schema: Schema
    encoded: Encoded
    labels: Labels
    rows: NDArray[np.int64]
    names: RowNames
    scenario: Scenario
    known: PriorStatement | None
    seed: int

    @property
    def s(self) -> Labels:
        """The labels of the examined rows."""
        return self.labels[self.rows]

    @property
    def few(self) -> NDArray[np.int64]:
        """The places of fewer rows, for what is computed many times."""
        return thinned(self.s, np.random.default_rng(self.seed), most=_FEWER)

    def share(self, prior: float) -> float:
        """Return the share of positives among unlabelled rows that belongs to a prior."""
        n_p = int(self.labels.sum())
        return share_in_unlabelled(prior, n_p, len(self.labels) - n_p, self.scenario)


@dataclass(frozen=True, slots=True)
class _Model:
    """What models of P against U say."""

    auc: float | None = None
    prior: PriorStatement | None = None
    findings: tuple[Finding, ...] = ()


def audit(
    frame: pd.DataFrame,
    *,
    label: str,
    ids: Sequence[str] = (),
    scenario: Scenario = "single-training-set",
    prior: float | None = None,
    seed: int = 0,
    on_step: Callable[[str], None] = lambda step: None,
) -> Audit:
    """Look for what could make every later result wrong.

    Parameters
    ----------
    frame : DataFrame
    label : str
        The column that says which rows are labelled; see :func:`read_labels`.
    ids : sequence of str
        Columns that only name rows.
    scenario : {"case-control", "single-training-set"}
    prior : float or None
        Pr(y = 1) if it is known from elsewhere; None estimates it.
    seed : int
        The same seed gives the same findings.
    on_step : callable
        Is told what is done next.

    Returns
    -------
    Audit

    Raises
    ------
    DataError
        If the table or its labels cannot be used.
    PriorError
        If the given prior is impossible.
    """
    frame = frame.rename(columns=str)
    if label not in frame:
        raise DataError(f"the table has no column '{label}' (label){did_you_mean(label, frame.columns)}")
    schema, remarks = learn_schema(frame, label=label, ids=ids)
    s = read_labels(frame[label], label)
    known = None if prior is None else given_prior(prior, s, scenario)
    rows = thinned(s, np.random.default_rng(seed))
    part = frame.iloc[rows]
    table = _Table(
        schema, schema.encode(part), s, rows, RowNames(rows, _ids(part, schema)), scenario, known, seed
    )
    on_step("looking for leaks and copies")
    few = table.few
    id_like = [name for name in schema.ids if name not in ids]
    leaks = [
        *one_sided_ids(part.iloc[few], id_like, table.s[few]),
        *find_leaks(part.iloc[few], schema, table.encoded.take(few), table.s[few], seed),
    ]
    kept = table.encoded.without(_serious(schema, leaks))
    copies = find_copies(kept.X, table.s, table.names)
    model = _ask_models(table, kept, on_step)
    findings = [*_few(s), *leaks, *copies, *_repeated(frame, ids), *_id_like(id_like, leaks), *model.findings]
    findings.sort(key=lambda finding: LEVELS.index(finding.level))
    return Audit(len(s), int(s.sum()), len(rows), scenario, remarks, tuple(findings), model.auc, model.prior)


def _ids(part: pd.DataFrame, schema: Schema) -> list[tuple[str, ...]]:
    """Return the cells of the id columns for each row."""
    columns = [map(_text, part[name].astype(object)) for name in schema.ids]
    return list(zip(*columns, strict=True)) if columns else [()] * len(part)


def _text(cell: object) -> str:
    if cell is None or cell != cell:
        return ""
    # Numbers next to blank cells are floats.
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _few(s: Labels) -> Iterator[Finding]:
    doubt = few_labels(s)
    if doubt:
        yield Finding("signal", "serious" if s.sum() < _LEAST else "check", doubt)


def _repeated(frame: pd.DataFrame, ids: Sequence[str]) -> Iterator[Finding]:
    """Find rows that share the ids which a person named."""
    count = int(frame[list(ids)].dropna().astype(str).duplicated(keep=False).sum()) if ids else 0
    if count:
        yield Finding(
            "copy",
            "check",
            f"{count:,} rows share their {listed(ids)} with another row.",
            "If they are the same cases, keep one row for each: repeated rows make every result look surer than it is.",
            tuple(ids),
            count=count,
        )


def _id_like(id_like: Sequence[str], leaks: Sequence[Finding]) -> Iterator[Finding]:
    named = {name for leak in leaks for name in leak.columns}
    names = tuple(name for name in id_like if name not in named)
    if names:
        looks = "looks like an id and is" if len(names) == 1 else "look like ids and are"
        yield Finding(
            "id",
            "note",
            f"{listed(names)} {looks} not used.",
            "Name it with --id to see it in results; if it is a measurement, give it another name.",
            names,
        )


def _serious(schema: Schema, leaks: Sequence[Finding]) -> set[int]:
    """Return the places of the columns that surely give the label away."""
    names = {name for leak in leaks if leak.level == "serious" for name in leak.columns}
    return {place for place, column in enumerate(schema.columns) if column.name in names}


def _ask_models(table: _Table, kept: Encoded, on_step: Callable[[str], None]) -> _Model:
    """Ask models of P against U that see the kept columns only."""
    from sklearn.metrics import roc_auc_score

    s, seed = table.s, table.seed
    if s.sum() < _LEAST or not kept.names:
        return _Model()
    on_step("scoring rows out of fold")
    scores = scores_of(kept.X, s, seed)
    auc = float(roc_auc_score(s, scores))
    on_step("estimating the prior")
    try:
        prior = table.known or _stated(table, kept)
    except PriorError as error:
        return _Model(
            auc,
            None,
            (*_no_signal(auc), Finding("prior", "check", f"The prior cannot be estimated: {error}.")),
        )
    share, least = table.share(prior.value), table.share(prior.low)
    suspects = find_suspects(scores, s, share=share, least=least, names=table.names)
    on_step("comparing labelled rows with unlabelled ones that look positive")
    columns = tuple(column.name for column in table.schema.columns)
    few = table.few
    check = check_fairness(kept.take(few), columns, s[few], share, seed)
    fairness = fairness_finding(check, prior_given=table.known is not None)
    return _Model(auc, prior, (*_no_signal(auc), *suspects, fairness, *_undetermined(prior)))


def _stated(table: _Table, kept: Encoded) -> PriorStatement:
    found = state_prior_of(kept.X, table.s, scenario=table.scenario, seed=table.seed)
    return whole_statement(found, table.labels, table.s, table.scenario)


def _no_signal(auc: float) -> Iterator[Finding]:
    if auc < _NO_SIGNAL:
        yield Finding(
            "signal",
            "check",
            "The columns hardly separate labelled from unlabelled rows "
            f"(AUC {auc:.2f} on rows left out; 0.5 is chance).",
            "No method can learn much from them; add columns that are related to the class.",
        )


def _undetermined(prior: PriorStatement) -> Iterator[Finding]:
    if not prior.determined:
        yield Finding(
            "prior",
            "check",
            "The share of positives cannot be determined from these data: anything from "
            f"{prior.low:.3f} to {prior.high:.3f} agrees with them.",
            "Rankings do not need it; for decisions and probabilities give a prior that you know from elsewhere, or "
            "have some rows checked by hand.",
        )
