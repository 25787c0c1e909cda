"""Calls and results as bytes, on their way to other processes and back."""

from __future__ import annotations

import pickle
import traceback
from typing import Any


def packed(message: Any) -> bytes:
    """As bytes that pickle can read, with what the user's own script defines inside."""
    import cloudpickle

    data: bytes = cloudpickle.dumps(message)
    return data


def failure(error: Exception) -> tuple[str, Exception]:
    """The traceback of an exception that was caught, and the exception, or another one if it cannot be sent."""
    reason = traceback.format_exc()
    try:
        pickle.loads(packed(error))  # some exceptions can be written and not read
    except Exception:
        return reason, RuntimeError(reason)
    return reason, error
