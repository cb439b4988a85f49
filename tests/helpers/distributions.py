"""Real distributions in a folder: a module and a dist-info, as an installer leaves them."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
import textwrap

HEAD = "from pubench import Algorithm, Choice, Criterion, Dataset, Metric, hookimpl\n"


def install(folder, name, code, version="1.0", module=None):
    """Put a distribution with one plugin, of the same name, into a folder."""
    module = module or name.replace("-", "_")
    (folder / f"{module}.py").write_text(HEAD + code)
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[pubench]\n{name} = {module}\n")


def make_editable(folder, name):
    """Turn a distribution of the folder into one that was installed with ``pip install --editable``."""
    direct = {"url": folder.as_uri(), "dir_info": {"editable": True}}
    _info(folder, name).joinpath("direct_url.json").write_text(json.dumps(direct))


def make_recorded(folder, name):
    """Write the record of a distribution as an installer does: a hash for each of its files."""
    file = folder / f"{name.replace('-', '_')}.py"
    digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).rstrip(b"=").decode()
    line = f"{file.name},sha256={digest},{file.stat().st_size}\n"
    _info(folder, name).joinpath("RECORD").write_text(line)


def _info(folder, name):
    (found,) = folder.glob(f"{name.replace('-', '_')}-*.dist-info")
    return found


def algorithm(name, **fields):
    """Return the code of a plugin with one algorithm."""
    given = "".join(f", {key}={value!r}" for key, value in fields.items())
    estimator = "" if "estimator" in fields else ", estimator='os:getcwd'"
    return f"\n@hookimpl\ndef pubench_algorithms(): return [Algorithm(name={name!r}{estimator}{given})]\n"


def python(folder, code, *arguments, **environment):
    """Run Python code in a process that finds the distributions of the folder."""
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    return _run(command, folder, environment)


def pubench(folder, *arguments, **environment):
    """Run the command line in a process that finds the distributions of the folder."""
    return _run([sys.executable, "-m", "pubench", *arguments], folder, environment)


def _run(command, folder, environment):
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    env = os.environ | {"PYTHONPATH": path} | environment
    return subprocess.run(
        command, capture_output=True, text=True, env=env, cwd=folder, timeout=600, check=False
    )
