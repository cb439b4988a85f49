"""The child's side of the sandbox: ``python -m pubench.child`` answers requests until its worker is gone.

It loads data sets, or it runs algorithms: then the places of the truth are hidden, and no true label comes here except
for a reference algorithm that is named for it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pubench.child.answering import serve_requests
from pubench.child.confinement import Confinement, confine
from pubench.sandbox.linux import die_with_parent

__all__ = ["main"]

_SHARED_MEMORY_MB = 1024


def main(arguments: Sequence[str]) -> None:
    """Serve requests: the arguments are a descriptor, the worker's process, and the places to hide, if any."""
    descriptor, worker, *hidden = arguments
    die_with_parent(int(worker))
    confinement: Confinement | None = None
    if hidden:
        confinement = confine(hidden, shared_memory_mb=_SHARED_MEMORY_MB)
    serve_requests(int(descriptor), confinement)


if __name__ == "__main__":
    main(sys.argv[1:])
