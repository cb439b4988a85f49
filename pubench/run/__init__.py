"""The driver: jobs become tasks, tasks become records, evaluated in processes that run no algorithm."""

from pubench.run.backends import Execution
from pubench.run.driver import Progress, pending_jobs, run_jobs
from pubench.run.rescoring import Rescoring, rescore_cells

__all__ = ["Execution", "Progress", "Rescoring", "pending_jobs", "rescore_cells", "run_jobs"]
