"""Whether a workflow is being started, which stores the context of the run before and restores it at once.

A context that goes on is stored as one that somebody keeps is. What tells them apart is when: as a run starts, its id
is a tag of LlamaIndex's instrumentation already, and it is not yet the run that this code is a step of.
"""

from __future__ import annotations

from typing import Final

from llama_index_instrumentation.dispatcher import active_instrument_tags
from workflows.plugins.basic import get_current_run_id

_RUN_ID: Final = "llamaindex.run_id"


def starting_run() -> str | None:
    """Give the id of the run that is being started right here; None where none is, within a run too."""
    run: object = active_instrument_tags.get().get(_RUN_ID)
    return run if isinstance(run, str) and run != get_current_run_id() else None
