"""PyTorch, or one sentence that says how to get it: other modules of this folder import it from here."""

from __future__ import annotations

try:
    import torch
    from torch import nn
except ImportError as error:
    raise ImportError(
        "this needs PyTorch, which is not installed; run: pip install 'pubench[torch]'", name="torch"
    ) from error

__all__ = ["nn", "torch"]
