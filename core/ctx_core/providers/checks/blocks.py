"""Reads blocks of every provider's; none is too broken to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.conversation.fields import first_in, id_or_none, kind_of, mapped, mapping_in, string_or_none
from ctx_core.providers.checks.reading import Block, BlockKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TEXTS: Final = frozenset({"text", "input_text", "output_text", "refusal"})
_MEDIA: Final = frozenset({"image", "image_url", "input_image", "audio", "input_audio", "video", "search_result"})
_DOCUMENTS: Final = frozenset({"document", "file", "input_file"})
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})
_BEDROCK: Final[Mapping[str, BlockKind]] = {
    "image": "media", "video": "media", "audio": "media", "document": "document", "cachePoint": "mark",
}  # fmt: skip
_GEMINI_MEDIA: Final = ("inlineData", "fileData", "inline_data", "file_data")


def read_blocks(content: object, path: str) -> tuple[Block, ...]:
    """Read a content: a text, a list of blocks, or nothing."""
    if content is None or content == "":
        return ()
    if isinstance(content, str):
        return (Block(kind="text", path=path, text=content),)
    if isinstance(content, list | tuple):
        listed = cast("Iterable[object]", content)
        return tuple(read_block(block, f"{path}[{at}]") for at, block in enumerate(listed))
    return (read_block(content, path),)


def read_block(block: object, path: str) -> Block:
    """Read one block."""
    if isinstance(block, str):
        return Block(kind="text", path=path, text=block)
    fields = mapped(block)
    if not fields:
        return Block(kind="empty", path=path)
    kind = kind_of(fields)
    if kind:
        return _typed(kind, fields, path)
    return _of_gemini(fields, path) or _of_bedrock(fields, path)


def _typed(kind: str, fields: Mapping[str, Any], path: str) -> Block:
    if kind in _TEXTS:
        return Block(kind="text", path=path, text=_text(fields.get("text", fields.get("refusal"))), raw=fields)
    if kind == "tool_use":
        return Block(
            kind="call",
            path=path,
            id=id_or_none(fields.get("id")),
            name=string_or_none(fields.get("name")),
            arguments=fields.get("input"),
            raw=fields,
        )
    if kind == "tool_result":
        return Block(
            kind="result",
            path=path,
            id=id_or_none(fields.get("tool_use_id")),
            inner=read_blocks(fields.get("content"), f"{path}.content"),
            raw=fields,
        )
    if kind in _THINKING:
        encrypted = string_or_none(first_in(fields, "signature", "data"))
        return Block(kind="thinking", path=path, text=_text(fields.get("thinking")), signature=encrypted, raw=fields)
    found: BlockKind = "document" if kind in _DOCUMENTS else "media" if kind in _MEDIA else "other"
    return Block(kind=found, path=path, raw=fields)


def _of_gemini(fields: Mapping[str, Any], path: str) -> Block | None:
    """Read a part of Gemini's; None for what is none."""
    sign = string_or_none(first_in(fields, "thoughtSignature", "thought_signature"))
    call = mapping_in(fields, "functionCall", "function_call")
    if call:
        return Block(
            kind="call",
            path=path,
            id=id_or_none(call.get("id")),
            name=string_or_none(call.get("name")),
            arguments=call.get("args", {}),
            signature=sign,
            raw=fields,
        )
    response = mapping_in(fields, "functionResponse", "function_response")
    if response:
        return Block(
            kind="result",
            path=path,
            id=id_or_none(response.get("id")),
            name=string_or_none(response.get("name")),
            raw=response,
        )
    if fields.get("thought") is True:
        return Block(kind="thinking", path=path, text=_text(fields.get("text")), signature=sign, raw=fields)
    if any(fields.get(key) is not None for key in _GEMINI_MEDIA):
        return Block(kind="media", path=path, raw=fields)
    return None


def _of_bedrock(fields: Mapping[str, Any], path: str) -> Block:
    """Read a block of Bedrock's, of which the key is the type; a text is one of Gemini's too."""
    if fields.get("text") is not None:
        sign = string_or_none(first_in(fields, "thoughtSignature", "thought_signature"))
        return Block(kind="text", path=path, text=_text(fields["text"]), signature=sign, raw=fields)
    call, result = mapping_in(fields, "toolUse"), mapping_in(fields, "toolResult")
    if call:
        return Block(
            kind="call",
            path=path,
            id=id_or_none(call.get("toolUseId")),
            name=string_or_none(call.get("name")),
            arguments=call.get("input"),
            raw=call,
        )
    if result:
        return Block(
            kind="result",
            path=path,
            id=id_or_none(result.get("toolUseId")),
            inner=read_blocks(result.get("content"), f"{path}.toolResult.content"),
            raw=result,
        )
    if "reasoningContent" in fields:
        inner = mapping_in(fields, "reasoningContent")
        told = mapping_in(inner, "reasoningText")
        encrypted = string_or_none(
            first_in({**told, "encrypted": inner.get("redactedContent")}, "signature", "encrypted")
        )
        return Block(kind="thinking", path=path, text=_text(told.get("text")), signature=encrypted, raw=fields)
    kind: BlockKind = "other"
    for key, found in _BEDROCK.items():
        kind = found if key in fields else kind
    empty = all(value is None for value in fields.values()) or set(fields) <= {"thoughtSignature"}
    return Block(kind="empty" if empty else kind, path=path, raw=fields)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
