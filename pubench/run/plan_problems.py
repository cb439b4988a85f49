"""Whether the plan of a run folder is what its suite gives: rules, published numbers, metrics, cells and splits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from pubench.errors import be, counted
from pubench.plan.jobs import Cell, Plan, PlannedMetric
from pubench.plan.planning import ExecutionPlan
from pubench.suite import Suite

__all__ = ["plan_problems", "suite_problems"]

_REMEDY = "install the versions that provenance.json names, and give the same data and plugin files"
_ANEW = "run the suite again, which restores plan.json and keeps its cells"


def suite_problems(folder: Path, plan: Plan, suite: Suite) -> Iterator[str]:
    """Yield one sentence for each thing that a plan says otherwise than its suite; no plugin and no data are needed."""
    rules = suite.report.rules
    differ = [key for key in type(rules).model_fields if getattr(rules, key) != getattr(plan.report, key)]
    for key in differ:
        yield (
            f"{folder}: plan.json has report.{key} = {getattr(plan.report, key)!r} and its suite "
            f"{getattr(rules, key)!r}; {_ANEW}"
        )
    parts = {
        "name": (plan.suite, suite.name),
        "description": (plan.description, suite.description),
        "seed": (plan.seed, suite.seed),
        "paper": (plan.paper, suite.paper),
    }
    for name, (there, here) in parts.items():
        if there != here:
            yield f"{folder}: '{name}' in plan.json is not that of its suite; {_ANEW}"


def plan_problems(
    folder: Path, plan: Plan, metrics: Mapping[str, PlannedMetric], planned: ExecutionPlan
) -> tuple[str, ...]:
    """Return why a plan is not the one that its suite gives here, or cannot be run here.

    ``metrics`` are those of the plan and those that were added after the run.
    """
    fresh = {_names(cell): cell for cell in planned.plan.cells}
    problems = [*_other_cells(folder, plan, fresh), *_other_tables(folder, plan, planned.plan)]
    for name, metric in metrics.items():
        here = planned.plan.metrics.get(name)
        if here != metric:
            problems.append(f"{folder}: metric '{name}' {_difference(metric, here)}; {_REMEDY}")
    failed = dict.fromkeys(planned.without_data.values())
    problems += [f"{folder}: its data cannot be loaded here: {reason}" for reason in failed]
    return tuple(problems)


def _difference(there: PlannedMetric, here: PlannedMetric | None) -> str:
    if here is None:
        return "is unknown here, so its values cannot be checked"
    if there.version != here.version:
        return f"is version {there.version} there and {here.version} here, so its values cannot be checked"
    words = {True: "higher is better", False: "lower is better", None: "it has no direction"}
    return f"is not the same: {words[there.greater_is_better]} there, {words[here.greater_is_better]} here"


def _other_tables(folder: Path, plan: Plan, fresh: Plan) -> Iterator[str]:
    if plan.shown != fresh.shown:
        there, here = (", ".join(shown) or "nothing" for shown in (plan.shown, fresh.shown))
        yield f"{folder}: plan.json shows {there}, and its suite {here}; {_ANEW}"
    absent = [name for name in fresh.shown if name not in plan.metrics]
    if absent:
        yield f"{folder}: plan.json does not have these metrics of its suite: {', '.join(absent)}; {_ANEW}"
    if plan.draws != fresh.draws:
        yield f"{folder}: plan.json has other splits than its suite draws here; {_ANEW}"


def _other_cells(folder: Path, plan: Plan, fresh: dict[tuple[object, ...], Cell]) -> Iterator[str]:
    own = plan.own_cells
    other = [cell for cell in own if fresh.get(_names(cell)) != cell]
    absent = len(fresh) - len(plan.cells)
    if other:
        first = ", ".join(str(name) for name in _names(other[0]) if name is not None)
        yield (
            f"{folder}: {len(other)} of {counted(len(own), 'cell')} {be(len(other))} not what its suite defines here, "
            f"for example {first}: "
            f"data, versions or reasons to skip differ; {_REMEDY}"
        )
    elif absent:
        yield f"{folder}: its plan has {counted(len(plan.cells), 'cell')} and its suite defines {len(fresh)}; {_REMEDY}"


def _names(cell: Cell) -> tuple[object, ...]:
    return cell.dataset, cell.labelling, cell.replicate, cell.algorithm, cell.criterion
