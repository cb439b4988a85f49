"""The driver: jobs become tasks, tasks become records, evaluated in processes that run no algorithm."""

from pubench.run.backends import Execution, Workers
from pubench.run.driver import Progress
from pubench.run.folder import run_folder
from pubench.run.maps import store_maps
from pubench.run.rescoring import Rescoring, rescore_cells

__all__ = ["Execution", "Progress", "Rescoring", "Workers", "rescore_cells", "run_folder", "store_maps"]
