"""Every message between a worker and the processes that run plugins, as typed values: a tagged union each way.

The worker sends a request, the other side answers with replies. Arrays travel next to a message as raw bytes and
nothing is ever unpickled, so that what a plugin returns cannot run code in the worker. The parts of a request
(algorithm, criteria, search) are what ``plan/`` resolved: a concept has one shape.
"""

from pubench.protocol.encoding import ProtocolError, from_json, to_json
from pubench.protocol.predictions import Predictions
from pubench.protocol.replies import Reply
from pubench.protocol.requests import Request

__all__ = ["Predictions", "ProtocolError", "Reply", "Request", "from_json", "to_json"]
