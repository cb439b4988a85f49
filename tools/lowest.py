"""Print a constraints file with the lowest version that pyproject.toml allows of each package: `make test-lowest`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

_BOUND = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[^]]*\])?\s*>=\s*(?P<version>[0-9.]+)$")


def lowest(requirements: list[str]) -> Iterator[str]:
    """Yield ``name==version`` for each requirement with a lower bound."""
    for text in requirements:
        found = _BOUND.match(text)
        if found is None:
            raise SystemExit(f"{text!r} has no lower bound that can be tested; write name>=version")
        yield f"{found['name']}=={found['version']}"


def main() -> None:
    """Read pyproject.toml beside this folder: what users install and what tests run, not linters and documents."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    extras = project["optional-dependencies"]
    print("\n".join(dict.fromkeys(lowest([*project["dependencies"], *extras["parquet"], *extras["test"]]))))


if __name__ == "__main__":
    main()
