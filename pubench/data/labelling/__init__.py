"""Labelling: which rows of a cell train and test, and which positives carry a label."""

from pubench.data.labelling.assign import assign, label_all
from pubench.data.labelling.mechanisms import MECHANISMS, Mechanism, Sar, Scar
from pubench.data.labelling.protocol import Labelling, check_counts

__all__ = ["MECHANISMS", "Labelling", "Mechanism", "Sar", "Scar", "assign", "check_counts", "label_all"]
