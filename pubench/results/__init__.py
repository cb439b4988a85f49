"""What a run leaves: records in a run folder, tidy rows, merged runs and exports."""

from pubench.results.table import Results, read_results

__all__ = ["Results", "read_results"]
