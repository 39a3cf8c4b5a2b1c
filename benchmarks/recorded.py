"""Reads recorded requests: a provider's own request body becomes neutral messages, tools and options."""

from __future__ import annotations

import gzip
import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctx_core.counting import family_of
from ctx_core.counting.families import FALLBACK
from ctx_core.errors import MessageError
from ctx_core.messages import (
    AudioPart,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolCall,
    VideoPart,
)
from ctx_core.openai_messages import OpenAICodec, arguments_text, read_block, read_content, sealed, visible_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

Body = dict[str, Any]
_DOCUMENTS = {"txt": "text/plain", "csv": "text/csv", "md": "text/markdown", "html": "text/html"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One recorded request and what it was billed."""

    id: str
    provider: str
    api: str
    """Whose format the body has: `chat`, `responses`, `messages`, `generateContent`, `converse` or `cohere`."""
    model: str
    messages: tuple[Message, ...]
    tools: tuple[Body, ...]
    """Tool definitions as they stand in the request."""
    choice: str
    """`auto`, `none`, `any`, or the name of the tool that is forced."""
    schema: Body | None
    """The JSON schema that the answer must follow, where the request has one."""
    schema_name: str
    schema_description: str
    thinking: bool
    flags: frozenset[str]
    body: Body
    source: str
    """Where it was recorded."""
    billed: int
    """Input tokens of the provider's own usage figure, cached ones included."""

    @property
    def kind(self) -> str:
        """`media`, `structured`, `calls`, `tools`, `thinking` or `text`: the first that the request has."""
        if "media" in self.flags:
            return "media"
        if self.schema is not None:
            return "structured"
        if any(m.tool_calls or m.role is Role.TOOL for m in self.messages):
            return "calls"
        if self.tools:
            return "tools"
        return "thinking" if self.thinking else "text"


def recorded(path: Path) -> Iterator[Recorded]:
    """Read a file of recorded requests, plain or compressed, one JSON object a line."""
    packed = path.suffix == ".gz"
    with (
        gzip.open(path, "rt", encoding="utf-8", errors="replace")
        if packed
        else path.open(encoding="utf-8", errors="replace") as lines
    ):
        for line in _whole(lines):
            try:
                row = read_row(json.loads(line))
            except (AttributeError, LookupError, MessageError, RecursionError, TypeError, ValueError) as error:
                print(f"left out a row that cannot be read: {type(error).__name__}", file=sys.stderr)  # noqa: T201
                continue
            if row.messages and row.billed > 0:
                yield row


def _whole(lines: Iterable[str]) -> Iterator[str]:
    """Give the lines up to where a file was cut off."""
    try:
        yield from lines
    except (EOFError, OSError) as error:
        print(f"the file ends early: {type(error).__name__}", file=sys.stderr)  # noqa: T201


def read_row(row: Body) -> Recorded:
    """Read one row, whichever API's body it has."""
    body: Body = row["request"]
    api, (messages, tools) = _read_body(body, str(row.get("endpoint") or "chat"))
    return Recorded(
        id=str(row.get("id")),
        provider=str(row.get("provider") or ""),
        api=api,
        model=_model(row),
        messages=tuple(messages),
        tools=tuple(tools),
        choice=_choice(body),
        schema=_schema(body),
        schema_name=_schema_field(body, "name") or "response",
        schema_description=_schema_field(body, "description"),
        thinking="thinking_enabled" in (row.get("flags") or ()),
        flags=frozenset(row.get("flags") or ()),
        body=body,
        source=str(row.get("source")),
        billed=int(row["prompt_tokens"]),
    )


def _model(row: Body) -> str:
    """Give the model that is billed: the one asked for, or the one that answered where its name says more.

    That is a dated version of the same, or what stood behind `openrouter/auto` or a deployment's own name.
    """
    asked, answered, provider = (str(row.get(key) or "") for key in ("model", "model_answered", "provider"))
    if answered.startswith(asked) and asked:
        return answered
    return next((name for name in (asked, answered) if family_of(name) is not FALLBACK), asked or answered or provider)


def _read_body(body: Body, endpoint: str) -> tuple[str, tuple[list[Message], list[Body]]]:
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
                inner = tuple(_converse_part(b) for b in block["toolResult"]["content"])
                messages.append(Message(role=Role.TOOL, parts=inner, tool_call_id=block["toolResult"]["toolUseId"]))
            elif "toolUse" in block:
                use = block["toolUse"]
                calls.append(ToolCall(id=use["toolUseId"], name=use["name"], arguments=arguments_text(use["input"])))
            elif "cachePoint" not in block:
                parts.append(_converse_part(block))
        if parts or calls:
            messages.append(Message(role=Role(native["role"]), parts=tuple(parts), tool_calls=tuple(calls)))
    tools = (body.get("toolConfig") or {}).get("tools") or ()
    return messages, [tool for tool in tools if "toolSpec" in tool]


def _converse_part(block: Body) -> Part:
    if "image" in block:
        image = block["image"]
        return ImagePart(data=image["source"].get("bytes"), media_type=f"image/{image['format']}")
    if "document" in block:
        document = block["document"]
        return FilePart(
            data=document["source"].get("bytes"),
            media_type=_DOCUMENTS.get(document["format"], f"application/{document['format']}"),
            raw=document,
        )
    if "searchResult" in block:
        return OpaquePart(kind="search_result", text=visible_text(block["searchResult"]), raw=block["searchResult"])
    if "video" in block:
        return VideoPart()
    if "reasoningContent" in block:
        return ReasoningPart(block["reasoningContent"].get("reasoningText", {}).get("text", ""))
    return TextPart(block["text"] if "text" in block else json.dumps(block.get("json"), ensure_ascii=False))


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
                calls.append(ToolCall(name=call["name"], arguments=arguments, sealed=sealed(block)))
            elif result := block.get("functionResponse") or block.get("function_response"):
                text = json.dumps(result.get("response"), ensure_ascii=False, separators=(",", ":"))
                media = tuple(_gemini_part(part) for part in result.get("parts") or ())
                messages.append(Message(role=Role.TOOL, parts=(TextPart(text), *media), name=result["name"]))
            else:
                parts.append(_gemini_part(block))
        role = Role.ASSISTANT if native.get("role") == "model" else Role.USER
        if parts or calls:
            messages.append(Message(role=role, parts=tuple(parts), tool_calls=tuple(calls)))
    tools = body.get("tools") or config.get("tools") or ()
    declared = [
        f for tool in tools for f in tool.get("functionDeclarations") or tool.get("function_declarations") or ()
    ]
    return messages, declared


def _gemini_part(block: Body) -> Part:
    inline = block.get("inlineData") or block.get("inline_data") or block.get("fileData") or block.get("file_data")
    if inline is None:
        text = block.get("text", "")
        return ReasoningPart(text) if block.get("thought") else TextPart(text)
    kind = inline.get("mimeType") or inline.get("mime_type") or ""
    data = inline.get("data")
    if kind.startswith("image"):
        return ImagePart(data=data, media_type=kind)
    if kind.startswith("audio"):
        return AudioPart(data=data, media_type=kind)
    return VideoPart(media_type=kind) if kind.startswith("video") else FilePart(data=data, media_type=kind)


def _joined(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _joined(value["parts"]) if "parts" in value else str(value.get("text", ""))
    return "".join(_joined(item) for item in value) if isinstance(value, list) else ""


def _choice(body: Body) -> str:
    config = body.get("toolConfig") or (body.get("config") or {}).get("tool_config") or {}
    calling = config.get("functionCallingConfig") or config.get("function_calling_config") or {}
    choice = (
        body.get("tool_choice")
        or body.get("function_call")
        or config.get("toolChoice")
        or calling.get("mode")
        or "auto"
    )
    if isinstance(choice, str):
        lower = choice.lower()
        return {"required": "any", "any": "any", "none": "none"}.get(lower, "auto")
    inner = choice.get("function") or choice.get("tool") or choice
    name = inner.get("name")
    if name:
        return str(name)
    return "any" if choice.get("type") in {"any", "required"} or "any" in choice else str(choice.get("type") or "auto")


def _schema(body: Body) -> Body | None:
    chat = (body.get("response_format") or {}) if isinstance(body.get("response_format"), dict) else {}
    text = (body.get("text") or {}).get("format") or {} if isinstance(body.get("text"), dict) else {}
    generation = body.get("generationConfig") or {}
    found = (
        (chat.get("json_schema") or {}).get("schema")
        or text.get("schema")
        or generation.get("responseJsonSchema")
        or generation.get("responseSchema")
        or ((body.get("output_config") or {}).get("format") or {}).get("schema")
        or (body.get("output_format") or {}).get("schema")
        or (body.get("config") or {}).get("response_schema")
        or (body.get("config") or {}).get("response_json_schema")
        or _converse_schema(body)
    )
    return found if isinstance(found, dict) else None


def _converse_schema(body: Body) -> object:
    structure = ((body.get("outputConfig") or {}).get("textFormat") or {}).get("structure") or {}
    text = (structure.get("jsonSchema") or {}).get("schema")
    return json.loads(text) if isinstance(text, str) else text


def _schema_field(body: Body, key: str) -> str:
    chat = body.get("response_format")
    text = body.get("text")
    for holder in (
        (chat.get("json_schema") or {}) if isinstance(chat, dict) else {},
        (text.get("format") or {}) if isinstance(text, dict) else {},
    ):
        if isinstance(holder.get(key), str):
            return str(holder[key])
    return ""
