"""Which of its two reads of a turn LangChain is at.

`RunnableWithMessageHistory` reads a history before the model, and once more when the turn ends: it stores what
follows the history in the turn's input. Whatever is raised then is swallowed and the turn is lost, and a history that
is another one by then has it store too much or too little. No argument and no context tells the two reads apart, so
that the caller has to be looked at.
"""

from __future__ import annotations

import inspect
from typing import Final, Literal

_MODULE: Final = "langchain_core.runnables.history"
_READS: Final[dict[str, Literal["before", "behind"]]] = {
    "_enter_history": "before",
    "_aenter_history": "before",
    "_exit_history": "behind",
    "_aexit_history": "behind",
}
"""Methods of `RunnableWithMessageHistory`."""
_DEEP: Final = 6
"""Calls between LangChain's and the question which it is."""


def read_of_turn() -> Literal["before", "behind"] | None:
    """Say whether LangChain reads before the model or behind it; None for a read of somebody else's."""
    frame = inspect.currentframe()
    for _ in range(_DEEP):
        frame = None if frame is None else frame.f_back
        if frame is None:
            return None
        if frame.f_globals.get("__name__") == _MODULE:
            return _READS.get(frame.f_code.co_name)
    return None
