"""The plugin contract: checks of an algorithm, a data set, a criterion, a metric or a prior estimator.

A plugin's test subclasses the contract of its kind and sets the name; pytest runs one test for each check::

    from pubench.testing import AlgorithmContract

    class TestMyMethod(AlgorithmContract):
        name = "my-method"

``pubench plugin check`` runs the same checks without pytest.
"""

from __future__ import annotations

from pubench.testing.algorithm import AlgorithmContract
from pubench.testing.contract import ContractError
from pubench.testing.criterion import CriterionContract
from pubench.testing.dataset import DatasetContract
from pubench.testing.metric import MetricContract
from pubench.testing.prior import PriorContract
from pubench.testing.samples import Sample, easy_sample

__all__ = [
    "AlgorithmContract",
    "ContractError",
    "CriterionContract",
    "DatasetContract",
    "MetricContract",
    "PriorContract",
    "Sample",
    "easy_sample",
]
