"""What an engine tells of its question, and what agents leave behind theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from ctx_core import Role
from ctx_core.conversation.transcript import Transcript
from ctx_core.errors import MessageError
from llamaindex_ctx.convert import CODEC
from llamaindex_ctx.tool_calls import read_calls

if TYPE_CHECKING:
    from collections.abc import Sequence


def as_question(asked: object) -> ChatMessage | None:
    """Give what an engine tells as its `input` as a message, whatever it has a text in; None for nothing."""
    if isinstance(asked, ChatMessage):
        return asked if _is_readable(asked) else None
    if isinstance(asked, str):
        text: object = asked
    else:
        told = (_told(asked, name) for name in ("query_str", "content", "text", "message"))
        text = next((one for one in told if isinstance(one, str) and one), None)
    return ChatMessage(text, role=MessageRole.USER) if isinstance(text, str) and text else None


def _is_readable(message: ChatMessage) -> bool:
    try:
        CODEC.read(message)
    except MessageError:
        return False
    return True


def _told(asked: object, name: str) -> object:
    try:
        return getattr(asked, name, None)
    except Exception:  # noqa: BLE001 - somebody's property may raise anything, and no input may end a turn
        return None


def is_asked(question: ChatMessage, messages: Sequence[ChatMessage]) -> bool:
    """Whether the question is stored already: as the last user message, with no answer behind it.

    Agents store it before they ask, chat engines behind the answer. An engine whose user repeats himself
    asks anew; so a question that was answered doesn't count.
    """
    told = Transcript(messages, (), CODEC)
    for at in reversed(range(len(told))):
        if told.is_question(at):
            return text_of(messages[at]) == text_of(question)
        stepped = at + 1 < len(told) and told[at + 1].step_result
        if told.role(at) is Role.ASSISTANT and not stepped and not told[at].tool_calls:
            return False
    return False


def was_asked(question: ChatMessage, messages: Sequence[ChatMessage]) -> bool:
    """Whether the last user message says the same, be it answered or not."""
    at = Transcript(messages, (), CODEC).question_at()
    return at is not None and text_of(messages[at]) == text_of(question)


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
