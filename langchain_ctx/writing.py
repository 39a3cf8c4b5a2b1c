"""Writes neutral messages as LangChain's: a changed copy of the caller's own where there is one, else a new one."""

from __future__ import annotations

import json
from typing import Any, Final

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    add_notification_metadata,
)

from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import ReasoningPart
from langchain_ctx.blocks import written_content
from langchain_ctx.items import with_their_thoughts, without_thoughts_outside
from langchain_ctx.tool_calls import calls_update, content_with_ids

NOTIFICATION_SOURCE: Final = "ctx_layers"
"""Marks human messages that were made here and that no human wrote, in `additional_kwargs["lc_source"]`."""
DEVELOPER: Final = {"__openai_role__": "developer"}
"""How LangChain says that a system message has OpenAI's developer role."""


def altered_copy(message: Message, origin: BaseMessage) -> BaseMessage:
    """Give a copy of the caller's message that says what the neutral one says; all else in it stays."""
    content = written_content(message, listed=isinstance(origin.content, list))
    if message.role is Role.TOOL and message.tool_call_id is not None:
        if not isinstance(origin, ToolMessage):
            return ToolMessage(
                content=content,
                tool_call_id=message.tool_call_id,
                name=origin.name,
                id=origin.id,
                additional_kwargs=origin.additional_kwargs,
                response_metadata=origin.response_metadata,
            )
        told = {"status": "error"} if message.failed else {}
        return origin.model_copy(update={"content": content, "tool_call_id": message.tool_call_id, **told})
    if message.step_result and not isinstance(origin, HumanMessage | ChatMessage):  # it answers no call
        return HumanMessage(content=content, id=origin.id, additional_kwargs=origin.additional_kwargs)
    update: dict[str, Any] = {"content": content}
    if message.role is Role.SYSTEM:  # the developer's role is OpenAI's alone
        told = {key: value for key, value in origin.additional_kwargs.items() if key not in DEVELOPER}
        update |= {"role": "system"} if isinstance(origin, ChatMessage) else {"additional_kwargs": told}
    if message.role is Role.ASSISTANT:
        update["content"] = with_their_thoughts(content_with_ids(content, message, origin), origin.content) or ""
        update |= calls_update(message, origin)
        extra: dict[str, Any] = update.get("additional_kwargs", origin.additional_kwargs)
        if not any(isinstance(part, ReasoningPart) for part in message.parts):
            update |= without_thoughts_outside(extra, origin)
    return origin.model_copy(update=update)


def new_message(message: Message) -> BaseMessage:
    """Give a message that nobody had before."""
    content = written_content(message, listed=False)
    common: dict[str, Any] = {"content": content, "name": message.name, "id": message.id}
    match message.role:
        case Role.SYSTEM:
            return SystemMessage(**common)
        case Role.DEVELOPER:
            return SystemMessage(**common, additional_kwargs=dict(DEVELOPER))
        case Role.USER:
            said = HumanMessage(**common)
            return add_notification_metadata(said, source=NOTIFICATION_SOURCE) if message.synthetic else said
        case Role.ASSISTANT:
            return AIMessage(**common, **_new_calls(message))
        case Role.TOOL if message.tool_call_id is None:
            return FunctionMessage(content=content, name=message.name or "", id=message.id)
        case Role.TOOL:
            status = "error" if message.failed else "success"
            return ToolMessage(**common, tool_call_id=message.tool_call_id, status=status)


def _new_calls(message: Message) -> dict[str, Any]:
    parsed: list[dict[str, Any]] = []
    malformed: list[dict[str, Any]] = []
    for call in message.tool_calls:
        try:
            arguments: object = json.loads(call.arguments or "{}")
        except (ValueError, RecursionError):
            arguments = None
        if isinstance(arguments, dict):
            parsed.append({"name": call.name, "args": arguments, "id": call.id, "type": "tool_call"})
        else:
            malformed.append({"name": call.name, "args": call.arguments, "id": call.id, "error": None})
    return {"tool_calls": parsed, "invalid_tool_calls": malformed}
