"""The usual counters, asked about the same requests; each is left out where its framework is not installed."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from ctx_core.conversation.messages import Role
from ctx_core.conversation.parts import FilePart, ReasoningPart, TextPart

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.recorded import Recorded

    Peer = Callable[[Recorded], int]


def peers() -> dict[str, Peer]:
    """Give the counters by name."""
    found: dict[str, Peer] = {"ceil(chars/4)": _characters}
    for name, make in (("langchain approximate", _langchain), ("llama-index", _llama_index)):
        try:
            found[name] = make()
        except ImportError:
            continue
    return found


def _characters(row: Recorded) -> int:
    texts = [
        part.text or ""
        for m in row.messages
        for part in m.parts
        if isinstance(part, TextPart | FilePart | ReasoningPart)
    ]
    texts += [call.name + call.arguments for m in row.messages for call in m.tool_calls]
    return math.ceil((sum(map(len, texts)) + sum(len(json.dumps(tool)) for tool in row.tools)) / 4)


def _langchain() -> Peer:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
    from langchain_core.messages.utils import count_tokens_approximately

    def count(row: Recorded) -> int:
        messages: list[Any] = []
        for message in row.messages:
            if message.role.instructs:
                messages.append(SystemMessage(message.text))
            elif message.role is Role.USER:
                messages.append(HumanMessage(message.text))
            elif message.role is Role.TOOL:
                messages.append(ToolMessage(message.text, tool_call_id=message.tool_call_id or "", name=message.name))
            else:
                calls = [
                    {"id": call.id or "", "name": call.name, "args": _arguments(call.arguments)}
                    for call in message.tool_calls
                ]
                messages.append(AIMessage(message.text, tool_calls=calls))
        return count_tokens_approximately(messages, tools=[dict(tool) for tool in row.tools] or None)

    return count


def _llama_index() -> Peer:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
    from llama_index.core.utilities.token_counting import TokenCounter

    counter = TokenCounter()

    def count(row: Recorded) -> int:
        messages: list[ChatMessage] = []
        for message in row.messages:
            made = ChatMessage(role=MessageRole(str(message.role)), content=message.text)
            made.blocks.extend(
                ToolCallBlock(tool_call_id=call.id, tool_name=call.name, tool_kwargs=_arguments(call.arguments))
                for call in message.tool_calls
            )
            messages.append(made)
        return counter.estimate_tokens_in_messages(messages) + counter.estimate_tokens_in_tools(
            [dict(t) for t in row.tools]
        )

    return count


def _arguments(text: str) -> dict[str, Any]:
    try:
        read = json.loads(text)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}
