"""PyTorch is optional: nothing imports it unasked, and who asks for it gets one sentence."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            raise ImportError("no torch", name="torch")

sys.meta_path.insert(0, Refuse())
import pubench, pubench.api, pubench.base, pubench.learners, pubench.child.answering
from pubench.plugins.discovery import discover
from pubench_risk.classifier import PURiskClassifier
discover(third_party=False)
assert pubench.progress(1, 2, 0.5) is None
assert "torch" not in sys.modules
for name in ("TorchPUClassifier",):
    try:
        getattr(pubench, name)
    except ImportError as error:
        print(error)
"""


def test_nothing_imports_torch_unasked():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "this needs PyTorch, which is not installed; run: pip install 'pubench[torch]'\n"
