"""Run one job: label and split here, tune, fit and score in the sandbox, evaluate here again.

This process holds the truth and runs no algorithm; the child runs the algorithm and holds no truth.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pubench.data.labelling import assign
from pubench.data.stored import read_features
from pubench.data.truth import read_posterior, read_sides, read_split
from pubench.data.values import Assignment, Truth
from pubench.plan.jobs import Cell, CriterionPlan, Job
from pubench.plugins.imports import load_files
from pubench.protocol import Predictions
from pubench.run.evaluation import evaluate, is_collapsed, regret, staged_metrics
from pubench.run.judging import judge
from pubench.sandbox.messages import Message
from pubench.sandbox.process import Sandbox, SandboxError
from pubench.status import describe
from pubench.suite.columns import on_training

__all__ = ["Record", "label_rows", "run_job"]

Record = dict[str, Any]
IMPORT_SECONDS = 120.0
_COSTS = ("fit_seconds", "score_seconds", "peak_memory_mb")


def run_job(job: Job, sandbox: Sandbox) -> list[Record]:
    """Return one record for each cell of the job, whatever happens."""
    try:
        load_files(job.files)
        rows, assignment, truth = label_rows(job)
    except Exception as error:
        return [{"key": cell.key} | describe(error) for cell in job.cells]
    conversation = Conversation(job, sandbox, rows, assignment, truth)
    while conversation.pending:
        conversation.run()
    return [conversation.records[cell.key] for cell in job.cells]


def label_rows(job: Job) -> tuple[NDArray[np.int64], Assignment, Truth]:
    """Choose rows, split and label them. The assignment's numbers point into the returned rows."""
    prepared, seeds = job.data.prepared, job.seeds
    sides = read_sides(prepared.truth, job.data.classes)
    rows = np.flatnonzero(sides >= 0)
    if job.data.sample is not None:
        rows = _sample(rows, sides[rows], job.data.sample, np.random.default_rng(seeds["sample"]))
    y = sides[rows].astype(np.uint8)
    assignment = assign(
        y,
        job.labelling,
        split_rng=np.random.default_rng(seeds["split"]),
        label_rng=np.random.default_rng(seeds["label"]),
        split=read_split(prepared.truth)[rows] if prepared.has_split else None,
        features=lambda: read_features(prepared.folder, prepared.sparse, prepared.n_features)[rows],
    )
    posterior = None
    if prepared.has_posterior and job.data.classes == {0: 0, 1: 1}:
        posterior = read_posterior(prepared.truth)[rows[assignment.test]]
    return rows, assignment, Truth(y[assignment.train], y[assignment.test], posterior)


def _sample(
    rows: NDArray[np.int64], sides: NDArray[np.int8], sample: tuple[int, int], rng: np.random.Generator
) -> NDArray[np.int64]:
    positive, negative = sample
    chosen = [
        rng.choice(rows[sides == side], size, replace=False) for side, size in ((1, positive), (0, negative))
    ]
    return np.sort(np.concatenate(chosen))


class Conversation:
    """What is said between this process and the child about one job, and the records that come of it."""

    def __init__(
        self, job: Job, sandbox: Sandbox, rows: NDArray[np.int64], assignment: Assignment, truth: Truth
    ) -> None:
        self.job, self.sandbox, self.truth, self.assignment = job, sandbox, truth, assignment
        self.rows = rows
        self.pending: list[tuple[Cell, CriterionPlan]] = list(zip(job.cells, job.criteria, strict=True))
        self.records: dict[str, Record] = {}
        self._searched: Message | None = None
        self._current: str | None = None
        self._started = self._alone = False

    def run(self) -> None:
        """Send what is pending and listen until the child has answered, failed or died."""
        self._searched, self._started = None, False
        limits = self.job.limits
        try:
            self.sandbox.send(self._request(), self._arrays(), seconds=max(limits.seconds, IMPORT_SECONDS))
            deadline = time.monotonic() + max(limits.seconds, IMPORT_SECONDS)
            while True:
                message = self.sandbox.receive(seconds=max(0.0, deadline - time.monotonic()))
                if message.kind == "end":
                    return
                # The clock starts when imports are done, and anew for each further cell.
                if message.kind in ("ready", "result"):
                    deadline = time.monotonic() + limits.seconds
                self._hear(message)
                if message.kind == "failed" and not self._started:
                    return
        except SandboxError as failure:
            self._lost(failure)

    def _hear(self, message: Message) -> None:
        if message.kind == "searched":
            self._searched = message
        elif message.kind == "start":
            self._started, self._current = True, message.header["criterion"]
        elif message.kind == "oracle":
            self._answer_oracle(message)
        elif message.kind == "result":
            self._finish(message.header["criterion"], self._result(message))
        elif message.kind == "inside":
            self._keep_inside(message)
        elif message.kind == "failed":
            failed = {name: message.header[name] for name in ("status", "error", "traceback")}
            if self._started:
                self._finish(message.header.get("criterion", self._current), failed)
            else:
                self._finish_all(failed)

    def _lost(self, failure: SandboxError) -> None:
        if not self.pending:
            # Only what is kept besides the results was under way.
            return
        reason = failure.reason
        if failure.status == "timeout":
            reason = f"did not finish within {self.job.limits.seconds:g} seconds"
        record = {"status": failure.status, "error": reason, "output": failure.output}
        if self._started and self._current in [criterion.name for _, criterion in self._asked()]:
            # Only the fit of this cell was under way; the others are asked for again in a new child.
            self._finish(self._current, record)
        elif len(self._asked()) > 1:
            # One of the criteria may be to blame: from now on each searches on its own.
            self._alone = True
        else:
            self._finish(self._asked()[0][1].name, record)

    def _asked(self) -> list[tuple[Cell, CriterionPlan]]:
        """Return the cells that are asked for together."""
        return self.pending[:1] if self._alone else self.pending

    def _finish_all(self, record: Record) -> None:
        for _, criterion in list(self._asked()):
            self._finish(criterion.name, record)

    def _finish(self, name: str | None, record: Record) -> None:
        cell, criterion = next(pair for pair in self.pending if pair[1].name == name)
        self.pending = [pair for pair in self.pending if pair[0] is not cell]
        n_p = int(self.assignment.s.sum())
        facts = {
            "key": cell.key,
            "n_p": n_p,
            "n_u": len(self.assignment.s) - n_p,
            "n_test": len(self.assignment.test),
            "true_prior": self.assignment.prior,
            "output": self.sandbox.output(),
        }
        told = [*self.job.data.notes, *self.assignment.notes, *record.get("notes", ())]
        doubts, notes = record.pop("doubts", ()), Record(notes=told)
        # A cell that used no prior says so, whatever the others of its job were given.
        judges = criterion, *self.job.training
        if "prior" in self.job.algorithm.receives or any(judge.needs_prior for judge in judges):
            told += [f"prior by {self.job.prior.name}: {doubt}" for doubt in doubts]
        else:
            notes |= dict.fromkeys(("prior", "prior_low", "prior_high"))
        self.records[cell.key] = facts | record | notes | self._search(name)

    def _keep_inside(self, message: Message) -> None:
        """Keep what a model told of itself beside the cells that it is the model of."""
        found = staged_metrics(self.job.metrics, self.truth.test, message, self.job.data.column_names)
        if found:
            for cell, criterion in zip(self.job.cells, self.job.criteria, strict=True):
                if criterion.name in message.header["criteria"] and cell.key in self.records:
                    self.records[cell.key]["inside"] = found

    def _search(self, name: str | None) -> Record:
        if self._searched is None or not self._searched.header["trials"]:
            return {}
        trials = [
            [trial["params"], trial["values"].get(name), trial["seconds"], trial["error"]]
            for trial in self._searched.header["trials"]
        ]
        return {"trials": trials}

    def _result(self, message: Message) -> Record:
        header, predictions = message.header, Predictions.from_arrays(message.arrays)
        if len(predictions.score) != len(self.truth.test):
            return {
                "status": "failed",
                "error": "scores came back for another number of rows",
                "traceback": "",
            }
        metrics, notes = evaluate(self.job.metrics, self.truth.test, predictions)
        if self.job.data.prepared.pu:
            scenario = self.job.labelling.scenario
            metrics |= judge(self.job.judges, self.truth.test, predictions, header["prior"], scenario)
        metrics |= {on_training(name): value for name, value in header["training"].items()}
        versions = {metric.name: metric.version for metric in self.job.metrics}
        record = {
            name: header[name] for name in ("params", "prior", "prior_low", "prior_high", "doubts", *_COSTS)
        }
        seconds = self._searched.header["seconds"] if self._searched else 0.0
        collapse = {"collapsed": is_collapsed(predictions), "tune_seconds": seconds}
        if self.truth.posterior is not None:
            collapse["regret"] = regret(self.truth.posterior, predictions)
        return {
            "status": "ok",
            "metrics": metrics,
            "metric_versions": versions,
            "notes": (*notes, *header["training_notes"]),
            **record,
            **collapse,
        }

    def _answer_oracle(self, message: Message) -> None:
        validation = message.arrays[0]
        predictions = Predictions.from_arrays(message.arrays[1:])
        y = self.truth.train[validation]
        if self.job.labelling.scenario == "case-control":
            # P was drawn apart: only U is a sample of the population.
            sample = self.assignment.s[validation] == 0
            y, predictions = y[sample], predictions.of(sample)
        metrics = [c.oracle for _, c in self._asked() if c.oracle and c.name in message.header["criteria"]]
        found, _ = evaluate(metrics, y, predictions)
        values = {f"oracle-{name}": np.nan if value is None else value for name, value in found.items()}
        self.sandbox.send({"kind": "values", "values": values}, seconds=self.job.limits.seconds)

    def _arrays(self) -> list[NDArray[Any]]:
        arrays: list[NDArray[Any]] = [
            self.rows[self.assignment.train],
            self.assignment.s,
            self.rows[self.assignment.test],
        ]
        return [*arrays, self.truth.train] if self.job.algorithm.labels == "true" else arrays

    def _request(self) -> dict[str, Any]:
        job = self.job
        algorithm = {
            name: getattr(job.algorithm, name) for name in ("estimator", "params", "space", "receives")
        }
        return {
            "kind": "cells",
            "files": job.files,
            "data": job.data.prepared.for_child(),
            "preprocess": asdict(job.data.preprocess),
            "scenario": job.labelling.scenario,
            "algorithm": algorithm,
            "labels": job.algorithm.labels,
            "criteria": [_criterion_json(criterion) for _, criterion in self._asked()],
            "training": [_criterion_json(criterion) for criterion in job.training],
            "tuning": asdict(job.tuning) if job.tuning else None,
            "prior": self._prior(),
            "seeds": job.seeds,
        }

    def _prior(self) -> Mapping[str, Any]:
        plan = self.job.prior
        value = self.assignment.prior if plan.source == "true" else plan.value
        return {
            "value": value,
            "name": plan.name,
            "function": plan.function,
            "params": plan.params,
            "factor": plan.factor,
        }


def _criterion_json(criterion: CriterionPlan) -> dict[str, Any]:
    return {
        "name": criterion.name,
        "function": "" if criterion.oracle else criterion.function,
        "params": criterion.params,
        "maximise": criterion.maximise,
        "needs_prior": criterion.needs_prior,
    }
