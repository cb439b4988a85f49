"""Compare a tag with the version of the project, and with the changelog: ``python tools/release_version.py v0.1.0``."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def problem(tag: str, root: Path) -> str:
    """Return why a tag must not be released; empty if it may."""
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    if tag != f"v{version}":
        return f"the tag is {tag}, but pyproject.toml has version {version}; they must agree"
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## \[?{re.escape(version)}\b", changes, re.MULTILINE):
        return f"CHANGELOG.md has no section '## {version}'"
    return ""


if __name__ == "__main__":
    sys.exit(problem(sys.argv[1], ROOT) or 0)
