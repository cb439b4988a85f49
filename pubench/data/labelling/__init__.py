"""How s is made from y: which rows train and test, and which positives carry a label."""

from pubench.data.labelling.assign import assign, label_all
from pubench.data.labelling.protocol import Labelling, check_counts

__all__ = ["Labelling", "assign", "check_counts", "label_all"]
