"""The driver: jobs become tasks, tasks become records, evaluated in processes that run no algorithm."""

from pubench.run.backends import Execution
from pubench.run.driver import Progress, TaskProgress, pending_jobs, run_jobs

__all__ = ["Execution", "Progress", "TaskProgress", "pending_jobs", "run_jobs"]
