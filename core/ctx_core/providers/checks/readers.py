"""Reads the messages of each format as turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from ctx_core.conversation.fields import id_or_none, kind_of, mapped, string_or_none
from ctx_core.providers.checks.blocks import read_block, read_blocks
from ctx_core.providers.checks.reading import Block, Turn

if TYPE_CHECKING:
    from ctx_core.conversation.formats.names import FormatName

Reader: TypeAlias = Callable[[Mapping[str, Any], str], Turn]

_ANSWERS: Final = ("_call_output", "_output")


def read_turns(messages: object, listed: str, named: FormatName) -> tuple[Turn, ...]:
    """Read a list of messages.

    Args:
        messages: the list; a text is the user's.
        listed: the key that it stands under, for paths.
        named: its format.
    """
    if isinstance(messages, str):
        return (Turn(role="user", path=listed, blocks=read_blocks(messages, listed)),) if messages else ()
    if not isinstance(messages, list | tuple):
        return ()
    reader = _READERS[named]
    return tuple(
        reader(mapped(message) or {}, f"{listed}[{at}]")
        for at, message in enumerate(cast("Iterable[object]", messages))
    )


def _of_openai(fields: Mapping[str, Any], path: str) -> Turn:
    role = _role(fields)
    said = read_blocks(fields.get("content"), f"{path}.content")
    if role in {"tool", "function"}:
        answer = Block(
            kind="result",
            path=path,
            id=id_or_none(fields.get("tool_call_id")) or (_name(fields) if role == "function" else None),
            name=_name(fields),
            inner=said,
            raw=fields,
        )
        return Turn(role="tool", path=path, blocks=(answer,), raw=fields)
    calls: object = fields.get("tool_calls")
    listed = list(cast("Iterable[object]", calls)) if isinstance(calls, list | tuple) else []
    blocks = (*said, *(_call_of_openai(call, f"{path}.tool_calls[{at}]") for at, call in enumerate(listed)))
    old = mapped(fields.get("function_call"))
    if old is not None:
        asked = Block(
            kind="call",
            path=f"{path}.function_call",
            id=_name(old),
            name=_name(old),
            arguments=old.get("arguments"),
            raw=old,
        )
        blocks = (*blocks, asked)
    return Turn(role="system" if role == "developer" else role, path=path, blocks=blocks, raw=fields)


def _call_of_openai(call: object, path: str) -> Block:
    fields = mapped(call) or {}
    inner = mapped(fields.get("function")) or mapped(fields.get("custom")) or {}
    return Block(
        kind="call",
        path=path,
        id=id_or_none(fields.get("id")),
        name=_name(inner),
        # A custom tool takes any text.
        arguments=inner.get("arguments") if "function" in fields else {},
        raw=fields,
    )


def _of_blocks(fields: Mapping[str, Any], path: str) -> Turn:
    return Turn(role=_role(fields), path=path, blocks=read_blocks(fields.get("content"), f"{path}.content"), raw=fields)


def _of_gemini(fields: Mapping[str, Any], path: str) -> Turn:
    told = fields.get("role")
    role = {"model": "assistant", "function": "user"}.get(_role(fields), _role(fields))
    blocks = read_blocks(fields.get("parts"), f"{path}.parts")
    return Turn(role="user" if told is None else role, path=path, blocks=blocks, raw=fields)


def _of_responses(fields: Mapping[str, Any], path: str) -> Turn:
    kind, item = kind_of(fields), id_or_none(fields.get("id"))
    if kind == "message" or (not kind and "role" in fields):
        role = _role(fields)
        blocks = read_blocks(fields.get("content"), f"{path}.content")
        return Turn(role="system" if role == "developer" else role, path=path, blocks=blocks, raw=fields)
    called = id_or_none(fields.get("call_id"))
    if kind.endswith(_ANSWERS):
        answer = Block(kind="result", path=path, id=called, item=item, raw=fields)
        return Turn(role="tool", path=path, blocks=(answer,), raw=fields)
    if called is not None or kind in {"function_call", "custom_tool_call"}:
        arguments: object = fields.get("arguments") if kind == "function_call" else dict[str, Any]()
        asked = Block(kind="call", path=path, id=called, item=item, name=_name(fields), arguments=arguments, raw=fields)
        return Turn(role="assistant", path=path, blocks=(asked,), raw=fields)
    if kind == "reasoning":
        encrypted = string_or_none(fields.get("encrypted_content"))
        thought = Block(kind="reasoning", path=path, item=item, signature=encrypted, raw=fields)
        return Turn(role="assistant", path=path, blocks=(thought,), raw=fields)
    return Turn(role="", path=path, blocks=(Block(kind="other", path=path, item=item, raw=fields),), raw=fields)


def _role(fields: Mapping[str, Any]) -> str:
    role = fields.get("role")
    return role if isinstance(role, str) else ""


def _name(fields: Mapping[str, Any]) -> str | None:
    return string_or_none(fields.get("name"))


_READERS: Final[Mapping[FormatName, Reader]] = {
    "openai": _of_openai,
    "anthropic": _of_blocks,
    "bedrock": _of_blocks,
    "gemini": _of_gemini,
    "responses": _of_responses,
}


def read_system(system: object, path: str) -> tuple[Block, ...]:
    """Read system text that stands outside of the list: a text, blocks, or Gemini's mapping with parts."""
    fields = mapped(system)
    if fields is not None and "parts" in fields:
        return read_blocks(fields["parts"], f"{path}.parts")
    if fields is not None:
        return (read_block(fields, path),)
    return read_blocks(system, path)
