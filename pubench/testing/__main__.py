"""``python -m pubench.testing REQUEST``: the child of ``pubench plugin check``."""

import json
import sys

from pubench.testing.running import serve_checks

serve_checks(json.loads(sys.argv[1]))
