"""The child's side of the sandbox: ``python -m pubench.child`` answers requests until its worker is gone.

It loads data sets, or it runs algorithms: then the places of the truth are hidden, and no true label comes here except
for a reference algorithm that is named for it.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from pubench.child.answering import serve_requests
from pubench.interpreter import collector_paused
from pubench.sandbox.linux import die_with_parent

__all__ = ["main"]


def main(arguments: Sequence[str]) -> None:
    """Serve requests: the arguments are a descriptor, the worker's process, and modules to import first."""
    descriptor, worker, *modules = arguments
    die_with_parent(int(worker))
    # Imports leave no garbage worth looking for: the collector would visit all modules again and again.
    with collector_paused():
        for module in modules:
            importlib.import_module(module)
    serve_requests(int(descriptor))


if __name__ == "__main__":
    main(sys.argv[1:])
