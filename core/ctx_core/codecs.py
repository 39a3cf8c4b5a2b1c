"""Which door a list of messages goes through when the caller doesn't say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ctx_core.errors import MessageError
from ctx_core.messages import Message
from ctx_core.openai_messages import OpenAICodec
from ctx_core.transcript import Codec, NeutralCodec

if TYPE_CHECKING:
    from collections.abc import Sequence


def codec_for(history: Sequence[Any], message: object) -> Codec[Any]:
    """Give the codec for neutral messages or OpenAI-style dicts, by the first one there is.

    Raises:
        MessageError: for any other type.
    """
    first = history[0] if history else message
    if isinstance(first, Mapping):
        return OpenAICodec()
    if first is None or isinstance(first, Message | str):
        return NeutralCodec()
    msg = (
        f"message 1: expected a ctx_core Message or an OpenAI-style dict, found {type(first).__name__}; "
        "LangChain's and LlamaIndex's messages go through langchain_ctx and llamaindex_ctx"
    )
    raise MessageError(msg)
