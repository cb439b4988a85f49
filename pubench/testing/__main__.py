"""``python -m pubench.testing REQUEST``: the child of ``pubench plugin check``."""

import sys

from pubench.testing.running import CheckRequest, serve_checks

serve_checks(CheckRequest.from_json(sys.argv[1]))
