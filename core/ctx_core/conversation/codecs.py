"""Which door a list of messages goes through when the caller doesn't say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ctx_core.conversation.messages import Message
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.conversation.transcript import Codec, NativeT, NeutralCodec, Transcript
from ctx_core.errors import MessageError


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


def transcript_of(
    history: Iterable[NativeT], message: NativeT | str | None, codec: Codec[NativeT] | None
) -> Transcript[NativeT]:
    """Give a history and the current message as one conversation; a message that is a string is the user's.

    Raises:
        MessageError: for a history that is no list of messages, or of a type that no codec is given for.
    """
    found = type(history).__name__
    if isinstance(history, str | bytes | Mapping) or not isinstance(history, Iterable):
        msg = f"expected a list of messages, found {found}"
        raise MessageError(msg)
    listed: Sequence[Any] = history if isinstance(history, Sequence) else list(history)
    door: Codec[Any] = codec if codec is not None else codec_for(listed, message)
    tail = () if message is None else (door.write(Message.user(message)) if isinstance(message, str) else message,)
    return Transcript(listed, tail, door)
