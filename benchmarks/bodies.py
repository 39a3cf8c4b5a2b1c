"""Bodies of requests, as each provider's API has them, become neutral messages and tool definitions."""

from __future__ import annotations

import json
from typing import Any

from ctx_core.conversation.content_blocks import read_block, read_content
from ctx_core.conversation.fields import arguments_text, encrypted
from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.conversation.parts import ImagePart, Part, TextPart

Body = dict[str, Any]


def read_body(body: Body, endpoint: str) -> tuple[str, tuple[list[Message], list[Body]]]:
    """Give whose format a body has, and its messages and tools."""
    if "contents" in body:
        return "generateContent", _generate_content(body)
    if "toolConfig" in body or endpoint == "converse":
        return "converse", _converse(body)
    if "anthropic_version" in body or endpoint == "messages":
        return "messages", _anthropic(body)
    if endpoint == "responses":
        return "responses", _responses(body)
    if "message" in body:
        return "cohere", _cohere(body)
    return "chat", _chat(body)


def _chat(body: Body) -> tuple[list[Message], list[Body]]:
    messages: list[Message] = []
    if body.get("system"):
        messages.append(Message.system(_joined(body["system"])))
    for native in body.get("messages") or ():
        if isinstance(native.get("content"), list) and any(
            isinstance(block, dict) and block.get("type") in {"tool_use", "tool_result"} for block in native["content"]
        ):
            messages.extend(_anthropic_message(native))
            continue
        message = OpenAICodec().read(native)
        if native.get("images"):
            message = Message(role=message.role, parts=(*message.parts, *(ImagePart(data=i) for i in native["images"])))
        messages.append(message)
    tools = [*(body.get("tools") or ()), *({"type": "function", "function": f} for f in body.get("functions") or ())]
    return messages, tools


def _cohere(body: Body) -> tuple[list[Message], list[Body]]:
    messages = [Message.system(body["preamble"])] if body.get("preamble") else []
    for turn in body.get("chat_history") or ():
        role = {"USER": Role.USER, "CHATBOT": Role.ASSISTANT, "SYSTEM": Role.SYSTEM}[turn["role"].upper()]
        messages.append(Message(role=role, parts=(TextPart(turn["message"]),)))
    return [*messages, Message.user(body["message"])], list(body.get("tools") or ())


def _responses(body: Body) -> tuple[list[Message], list[Body]]:
    messages = (
        [Message(role=Role.DEVELOPER, parts=(TextPart(body["instructions"]),))] if body.get("instructions") else []
    )
    items = body.get("input") or []
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    for item in items:
        kind = item.get("type")
        if kind in {"function_call", "custom_tool_call"}:
            call = ToolCall(
                id=item.get("call_id"),
                name=item["name"],
                arguments=arguments_text(item.get("arguments") or item.get("input")),
            )
            last = messages[-1] if messages else None
            if last is not None and last.role is Role.ASSISTANT and (last.tool_calls or not last.text):
                messages[-1] = Message(role=Role.ASSISTANT, parts=last.parts, tool_calls=(*last.tool_calls, call))
            else:
                messages.append(Message.assistant(tool_calls=(call,)))
        elif kind in {"function_call_output", "custom_tool_call_output"}:
            output = item["output"]
            parts = read_content(output if isinstance(output, str | list) else json.dumps(output))
            messages.append(Message(role=Role.TOOL, parts=parts, tool_call_id=item.get("call_id")))
        elif kind == "reasoning":
            messages.append(Message(role=Role.ASSISTANT, parts=(read_block(item),)))
        else:
            messages.append(OpenAICodec().read({"role": item["role"], "content": item.get("content")}))
    # This API takes definitions flat and ignores what stands under a key it does not know.
    return messages, [{k: v for k, v in tool.items() if k != "function"} for tool in body.get("tools") or ()]


def _anthropic(body: Body) -> tuple[list[Message], list[Body]]:
    messages = [Message.system(_joined(body["system"]))] if body.get("system") else []
    for native in body["messages"]:
        messages.extend(_anthropic_message(native))
    return messages, list(body.get("tools") or ())


def _anthropic_message(native: Body) -> list[Message]:
    content = native.get("content")
    if isinstance(content, str):
        return [Message(role=Role(native["role"]), parts=read_content(content))]
    results: list[Message] = []
    calls: list[ToolCall] = []
    parts: list[Part] = []
    for block in content or ():
        if block["type"] == "tool_result":
            results.append(
                Message(role=Role.TOOL, parts=read_content(block.get("content")), tool_call_id=block["tool_use_id"])
            )
        elif block["type"] == "tool_use":
            calls.append(ToolCall(id=block["id"], name=block["name"], arguments=arguments_text(block["input"])))
        else:
            parts.extend(read_content([block]))
    if parts or calls:
        results.append(Message(role=Role(native["role"]), parts=tuple(parts), tool_calls=tuple(calls)))
    return results


def _converse(body: Body) -> tuple[list[Message], list[Body]]:
    system = "\n".join(block["text"] for block in body.get("system") or () if "text" in block)
    messages = [Message.system(system)] if system else []
    for native in body["messages"]:
        calls: list[ToolCall] = []
        parts: list[Part] = []
        for block in native["content"]:
            if "toolResult" in block:
                inner = tuple(read_block(b) for b in block["toolResult"]["content"])
                messages.append(Message(role=Role.TOOL, parts=inner, tool_call_id=block["toolResult"]["toolUseId"]))
            elif "toolUse" in block:
                use = block["toolUse"]
                calls.append(ToolCall(id=use["toolUseId"], name=use["name"], arguments=arguments_text(use["input"])))
            elif "cachePoint" not in block:
                parts.append(read_block(block))
        if parts or calls:
            messages.append(Message(role=Role(native["role"]), parts=tuple(parts), tool_calls=tuple(calls)))
    tools = (body.get("toolConfig") or {}).get("tools") or ()
    return messages, [tool for tool in tools if "toolSpec" in tool]


def _generate_content(body: Body) -> tuple[list[Message], list[Body]]:
    config = body.get("config") or {}
    system = body.get("systemInstruction") or config.get("system_instruction")
    messages = [Message.system(_joined(system))] if system else []
    contents = body["contents"]
    if isinstance(contents, str):
        contents = [{"role": "user", "parts": [{"text": contents}]}]
    for given in [contents] if isinstance(contents, dict) else contents:
        native = given if isinstance(given, dict) and "parts" in given else {"role": "user", "parts": [given]}
        calls: list[ToolCall] = []
        parts: list[Part] = []
        native_parts = native.get("parts") or ()
        for block in [native_parts] if isinstance(native_parts, dict) else native_parts:
            if isinstance(block, str):
                parts.append(TextPart(block))
            elif call := block.get("functionCall") or block.get("function_call"):
                arguments = arguments_text(call.get("args") or {})
                calls.append(ToolCall(name=call["name"], arguments=arguments, encrypted=encrypted(block)))
            elif result := block.get("functionResponse") or block.get("function_response"):
                text = json.dumps(result.get("response"), ensure_ascii=False, separators=(",", ":"))
                media = tuple(read_block(part) for part in result.get("parts") or ())
                messages.append(Message(role=Role.TOOL, parts=(TextPart(text), *media), name=result["name"]))
            else:
                parts.append(read_block(block))
        role = Role.ASSISTANT if native.get("role") == "model" else Role.USER
        if parts or calls:
            messages.append(Message(role=role, parts=tuple(parts), tool_calls=tuple(calls)))
    tools = body.get("tools") or config.get("tools") or ()
    declared = [
        f for tool in tools for f in tool.get("functionDeclarations") or tool.get("function_declarations") or ()
    ]
    return messages, declared


def _joined(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _joined(value["parts"]) if "parts" in value else str(value.get("text", ""))
    return "".join(_joined(item) for item in value) if isinstance(value, list) else ""
