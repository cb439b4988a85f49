"""What 200 installed plugins cost every listing, against none: the difference of CPU seconds, in one run.

Each plugin is a distribution of its own: a module with one algorithm, a dist-info with metadata and an entry point.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

NUMBER = 200
BUDGET_SECONDS = 0.3
REPEATS = 7
SOURCE = '''
from pubench import Algorithm, Float, hookimpl

PUBENCH_API = 1
BIBTEX = """@article{{{name},
  author = {{Author, Anna and Writer, Will}}, title = {{A Method}}, journal = {{J}}, year = {{2026}},
}}"""

@hookimpl
def pubench_algorithms():
    return [Algorithm(name="{name}", estimator="{module}.model:Model", summary="One of many", version="1",
                      space={{"c": Float(0.1, 1.0)}}, bibtex=BIBTEX, licence="BSD-3-Clause")]
'''
METADATA = """Metadata-Version: 2.4
Name: {name}
Version: 1.0
Summary: One of many plugins
License-Expression: BSD-3-Clause
Requires-Python: >=3.11
Requires-Dist: pubench
Requires-Dist: numpy>=2.0

{readme}
"""


def install(folder: Path, number: int) -> None:
    """Leave a plugin as an installer leaves it, compiled."""
    name, module = f"many-{number:03}", f"many_{number:03}"
    (folder / module).mkdir()
    (folder / module / "__init__.py").write_text(SOURCE.format(name=name, module=module))
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA.format(name=name, readme="A line of a README.\n" * 100))
    (info / "entry_points.txt").write_text(f"[pubench]\n{name} = {module}\n")
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(folder / module)], check=True)


def seconds(folder: Path) -> float:
    """Return the CPU seconds of ``pubench list algorithms`` in a process that sees the folder."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "pubench", "list", "algorithms"],
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.stdout.count("One of many") == len(list(folder.glob("*.dist-info"))), done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as none, tempfile.TemporaryDirectory() as many:
        for number in range(NUMBER):
            install(Path(many), number)
        # In turns, so that noise meets both alike.
        turns = [(seconds(Path(none)), seconds(Path(many))) for _ in range(REPEATS)]
    alone, with_many = (statistics.median(times) for times in zip(*turns, strict=True))
    more = with_many - alone
    print(
        f"pubench list algorithms: {alone:.2f} s with no other plugin, {with_many:.2f} s with {NUMBER}: {more:.2f} s "
        f"more (budget {BUDGET_SECONDS} s), {more / NUMBER * 1e3:.2f} ms for each"
    )
    sys.exit(more > BUDGET_SECONDS)


if __name__ == "__main__":
    main()
