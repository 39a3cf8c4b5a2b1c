"""Copies of messages on their way into a memory and out of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from llama_index.core.base.llms.types import ChatMessage

from ctx_core.errors import MessageError
from llamaindex_ctx.convert import CODEC


def owned(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """Give copies that share nothing that can change with the caller's.

    Raises:
        MessageError: for what is no message, or cannot be read as one.
    """
    messages = list_of(messages)
    for message in messages:
        if not isinstance(message, ChatMessage):
            msg = (
                f"expected a ChatMessage, found {type(message).__name__}: a text goes into ChatMessage(text), a dict "
                "into ChatMessage.model_validate(dict), content blocks into ChatMessage(blocks=[…])"
            )
            raise MessageError(msg)
        CODEC.read(message)
    return copied(messages)


def list_of(messages: object) -> list[ChatMessage]:
    """Give messages in a new list.

    Raises:
        MessageError: for what is no list; what stands in one is looked at by whoever reads it.
    """
    found = type(messages).__name__
    if isinstance(messages, ChatMessage | str | bytes | Mapping) or not isinstance(messages, Iterable):
        msg = f"expected a list of messages, found {found}"
        raise MessageError(msg)
    return list(cast("Iterable[ChatMessage]", messages))


def copied(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """Give copies that share nothing that can change."""
    return [copy_of(message) for message in messages]


def copy_of(message: ChatMessage) -> ChatMessage:
    """Give a copy; what cannot be copied in its extras is shared."""
    if not isinstance(message, ChatMessage):
        msg = f"expected a ChatMessage, found {type(message).__name__}"
        raise MessageError(msg)
    try:
        return message.model_copy(deep=True)
    except Exception:  # noqa: BLE001 - an open file, a lock or a client in it, and their copying may raise anything
        blocks = [block.model_copy() for block in message.blocks]
        return message.model_copy(update={"blocks": blocks, "additional_kwargs": dict(message.additional_kwargs)})
