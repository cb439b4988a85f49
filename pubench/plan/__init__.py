"""From a suite and a registry to cells with keys, and the jobs that compute them."""

from pubench.plan.jobs import Cell, Job, Plan
from pubench.plan.planning import ExecutionPlan, plan_suite

__all__ = ["Cell", "ExecutionPlan", "Job", "Plan", "plan_suite"]
