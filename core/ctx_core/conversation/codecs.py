"""Which door a list of messages goes through, by its name or by the messages themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ctx_core.conversation.fields import mapped
from ctx_core.conversation.formats.names import FormatName, format_named, format_of
from ctx_core.conversation.message_types import Codec, NativeT, NeutralCodec
from ctx_core.conversation.messages import Message
from ctx_core.conversation.transcript import Transcript
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from ctx_core.conversation.held import Reading


def codec_for(history: Sequence[Any], message: object, reading: Reading | None = None) -> Codec[Any]:
    """Give the codec for neutral messages or a provider's own, by what there is.

    Args:
        history: the conversation so far.
        message: the current message.
        reading: knows which messages were looked at before.

    Raises:
        MessageError: for any other type, and for messages of two formats in one list.
    """
    first = history[0] if history else message
    if first is None or isinstance(first, Message | str):
        return NeutralCodec()
    if mapped(first) is not None:
        whole = history if message is None or isinstance(message, str) else [*history, message]
        return format_named(format_of(whole, reading))
    msg = (
        f"message 1: expected a ctx_core Message or a provider's dict, found {type(first).__name__}; "
        "LangChain's and LlamaIndex's messages go through langchain_ctx and llamaindex_ctx"
    )
    raise MessageError(msg)


def as_codec(codec: Codec[NativeT] | FormatName | None) -> Codec[NativeT] | None:
    """Give a codec, also where it is named.

    Raises:
        MessageError: for a name that no format has.
    """
    return format_named(codec) if isinstance(codec, str) else codec


def as_sequence(history: Iterable[NativeT]) -> Sequence[Any]:
    """Give a list of messages as one that can be looked into: as it is, or copied.

    Raises:
        MessageError: for a text, a single message, and what is no list at all.
    """
    found = type(history).__name__
    if isinstance(history, str | bytes | Mapping) or not isinstance(history, Iterable):
        msg = f"expected a list of messages, found {found}"
        raise MessageError(msg)
    return history if isinstance(history, Sequence) else list(history)


def transcript_of(
    history: Iterable[NativeT],
    message: NativeT | str | None,
    codec: Codec[NativeT] | None,
    reading: Reading | None = None,
) -> Transcript[NativeT]:
    """Give a history and the current message as one conversation; a message that is a string is the user's.

    Args:
        history: the conversation so far.
        message: the current message.
        codec: the door of the message type; by default what the messages say.
        reading: knows what was read before; None: nothing was.

    Raises:
        MessageError: for a history that is no list of messages, or of a type that no codec is given for.
    """
    listed = as_sequence(history)
    door: Codec[Any] = codec if codec is not None else codec_for(listed, message, reading)
    tail = () if message is None else (door.write(Message.user(message)) if isinstance(message, str) else message,)
    return Transcript(listed, tail, door, reading)
