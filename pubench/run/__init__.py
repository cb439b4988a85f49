"""The driver: jobs become records, evaluated in processes that hold the truth and run no algorithm."""

from pubench.run.driver import Execution, Progress, pending_jobs, run_jobs, stop_workers

__all__ = ["Execution", "Progress", "pending_jobs", "run_jobs", "stop_workers"]
