"""What an engine tells of its question, and what agents leave behind theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from ctx_core import MessageError, Role
from llamaindex_ctx.convert import CODEC
from llamaindex_ctx.tool_calls import read_calls

if TYPE_CHECKING:
    from collections.abc import Sequence


def as_question(asked: object) -> ChatMessage | None:
    """Give what an engine tells as its `input` as a message; None for nothing.

    Raises:
        MessageError: for something that is neither a text nor a message.
    """
    if asked is None or asked == "":
        return None
    if isinstance(asked, str):
        return ChatMessage(asked, role=MessageRole.USER)
    if isinstance(asked, ChatMessage):
        return asked
    msg = f"input must be a text or a ChatMessage, found {type(asked).__name__}"
    raise MessageError(msg)


def is_asked(question: ChatMessage, messages: Sequence[ChatMessage]) -> bool:
    """Whether the question is stored already: as the last user message, with no answer behind it.

    Agents store it before they ask, chat engines behind the answer. An engine whose user repeats himself
    asks anew; so a question that was answered doesn't count.
    """
    for message in reversed(messages):
        role = CODEC.role(message)
        if role is Role.USER:
            return text_of(message) == text_of(question)
        if role is Role.ASSISTANT and not read_calls(message):
            return False
    return False


def was_asked(question: ChatMessage, messages: Sequence[ChatMessage]) -> bool:
    """Whether the last user message says the same, be it answered or not."""
    last = next((message for message in reversed(messages) if CODEC.role(message) is Role.USER), None)
    return last is not None and text_of(last) == text_of(question)


def closing_answers(messages: Sequence[ChatMessage]) -> int:
    """Count the answers at the end: messages of the assistant that ask for no tool."""
    count = 0
    for message in reversed(messages):
        if CODEC.role(message) is not Role.ASSISTANT or read_calls(message):
            break
        count += 1
    return count


def text_of(message: ChatMessage) -> str:
    """Give the text of a message; its `content` is None where it has none."""
    return message.content or ""
