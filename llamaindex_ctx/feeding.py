"""What a request leaves out goes into the memory blocks, as it does in LlamaIndex's `Memory`."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from llama_index.core.async_utils import asyncio_run  # pyright: ignore[reportUnknownVariableType] - of any coroutine

from ctx_core.effects import Effect, Effects
from llamaindex_ctx.copies import copied
from llamaindex_ctx.memory_source import BlockMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from llama_index.core.base.llms.types import ChatMessage

    from ctx_core import Context

_LOG: Final = logging.getLogger("ctx_core.llamaindex")


class Feeds(Protocol):
    """A memory with blocks among its layers."""

    layers: Any
    chat_store_key: str
    fed: int


def feed(memory: Feeds, context: Context[ChatMessage], messages: Sequence[ChatMessage]) -> Effects[None]:
    """Put what is newly left out into the blocks; one that fails gets it no more, with a warning."""
    blocks = [layer for layer in memory.layers if isinstance(layer, BlockMemory) and layer.fed]
    new = [at for at in context.left_out() if memory.fed <= at < len(messages)] if blocks else []
    if not new:
        return
    memory.fed = new[-1] + 1  # at once: requests that are made meanwhile do not put it again
    for block in blocks:
        put = partial(block.aput, copied(messages[at] for at in new), session_id=memory.chat_store_key)
        try:
            yield Effect(partial(_here, put), put)
        except Exception as error:  # noqa: BLE001 - whatever a block raises, the messages are given
            _LOG.warning("a memory block takes nothing (%s): %d messages", type(error).__name__, len(new))


def _here(put: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio_run(put())
