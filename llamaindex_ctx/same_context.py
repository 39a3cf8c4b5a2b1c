"""Whether a memory is stored for a context that goes on, or for a copy that somebody keeps."""

from __future__ import annotations

import inspect
from typing import Final

_MODULE: Final = "workflows.context.context"
_STARTS: Final = "_workflow_run"
"""Where a context stores its own state and restores it at once, as each run of a workflow begins."""
_FRAMES: Final = 60


def is_of_same_context() -> bool:
    """Whether whoever asks is called by a context that begins its next run.

    A workflow has no other word for it: what it stores then is what it stores for anybody.
    """
    frame = inspect.currentframe()
    for _ in range(_FRAMES):
        if frame is None:
            return False
        if frame.f_code.co_name == _STARTS and frame.f_globals.get("__name__") == _MODULE:
            return True
        frame = frame.f_back
    return False
