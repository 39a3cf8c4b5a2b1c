"""Reads a request: a dict as an API takes it, or a list of messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.conversation.fields import mapped, mapping_in
from ctx_core.conversation.formats.names import FormatName, format_of
from ctx_core.conversation.messages import Message
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.errors import MessageError
from ctx_core.providers.checks.readers import read_system, read_turns
from ctx_core.providers.checks.reading import Reading

if TYPE_CHECKING:
    from ctx_core.providers.resolve import Target

_LISTS: Final[Mapping[str, FormatName | None]] = {"contents": "gemini", "input": "responses", "messages": None}
"""The keys of lists of messages, and the format that each says."""
_SYSTEMS: Final = ("system", "systemInstruction", "system_instruction", "instructions")
_OF_CHAT: Final = ("tool_calls", "function_call", "tool_call_id")
_OF_BEDROCK: Final = ("toolConfig", "inferenceConfig", "additionalModelRequestFields", "modelId")


def read_request(
    request: object,
    target: Target,
    *,
    tools: Iterable[Mapping[str, Any]] | None = None,
    system: object = None,
    format: FormatName | None = None,  # noqa: A002 - the word that `fit` has for it
) -> Reading:
    """Read a request.

    Args:
        request: a dict as an API takes it, or a list of messages.
        target: where it goes.
        tools: definitions that go with a list of messages; None: not known.
        system: system text that goes with a list of messages.
        format: of the messages; None: as they say.

    Raises:
        MessageError: for what is neither of them.
    """
    fields = mapped(request)
    if fields is None:
        fields, whole, listed = {"messages": _as_list(request)}, False, "messages"
    else:
        whole, listed = True, _key_of(fields, target)
    messages = fields.get(listed)
    named = format or _format(fields, listed, messages, target, whole=whole)
    listed_tools, path = _tools(fields, whole=whole) if tools is None else ([*tools], "tools")
    key = next((key for key in _SYSTEMS if fields.get(key) is not None), "system")
    said = fields.get(key) if system is None else system
    return Reading(
        format=named,
        own=target.provider.format is None or target.provider.format == named,
        whole=whole,
        request=fields,
        listed=listed,
        turns=read_turns(messages, listed, named),
        system=() if said is None else read_system(said, key),
        tools=None if listed_tools is None else tuple(mapped(tool) or {} for tool in listed_tools),
        tools_path=path,
        model=target.model,
    )


def _as_list(request: object) -> list[object]:
    """Give a list of messages, neutral ones as those of chat completions."""
    if isinstance(request, str | bytes) or not isinstance(request, Sequence):
        msg = f"expected a request or a list of messages, found {type(request).__name__}"
        raise MessageError(msg)
    codec = OpenAICodec()
    entries = cast("Sequence[object]", request)
    listed: list[object] = []
    for at, message in enumerate(entries):
        if isinstance(message, Message):
            listed.append(codec.write(message))
            continue
        if mapped(message) is None:
            msg = (
                f"message {at + 1} of {len(entries)}: expected a dict or a neutral message, "
                f"found {type(message).__name__}"
            )
            raise MessageError(msg)
        listed.append(message)
    return listed


def _key_of(fields: Mapping[str, Any], target: Target) -> str:
    """Give the key of the list of messages: the provider's own where there is none."""
    found = next((key for key in _LISTS if key in fields), None)
    if found is not None:
        return found
    return next((key for key, named in _LISTS.items() if named == target.provider.format), "messages")


def _format(fields: Mapping[str, Any], listed: str, messages: object, target: Target, *, whole: bool) -> FormatName:
    """Give the format of messages: as the key says, as they say, or as the provider has it."""
    by_key = _LISTS[listed]
    own = target.provider.format
    if by_key is not None:
        return by_key
    if any(key in fields for key in _OF_BEDROCK):
        return "bedrock"
    entries = cast("Iterable[object]", messages) if isinstance(messages, list | tuple) else ()
    mappings = [message for entry in entries if (message := mapped(entry)) is not None]
    try:
        told = format_of(mappings)
    except MessageError:
        if not whole or own is None:
            raise
        return own  # of two formats in a request, the one that is not the API's is what is wrong with it
    if not whole or own not in {"anthropic", "bedrock"} or told != "openai":
        return told
    of_chat = any(message.get("role") in {"tool", "function"} or _has(message, _OF_CHAT) for message in mappings)
    return "openai" if of_chat else own


def _has(message: Mapping[str, Any], keys: Iterable[str]) -> bool:
    return any(message.get(key) is not None for key in keys)


def _tools(fields: Mapping[str, Any], *, whole: bool) -> tuple[list[object] | None, str]:
    """Give the tools of a request, and where they stand; None for a list of messages."""
    for held, path in (
        (fields.get("tools"), "tools"),
        (mapping_in(fields, "toolConfig").get("tools"), "toolConfig.tools"),
        (fields.get("functions"), "functions"),
    ):
        if isinstance(held, list | tuple):
            return [one for tool in cast("Iterable[object]", held) for one in _declared(tool)], path
    return ([] if whole else None), "tools"


def _declared(tool: object) -> Iterable[object]:
    """Give the functions that a tool of Gemini's declares; any other tool is one."""
    fields = mapped(tool) or {}
    declared = fields.get("functionDeclarations", fields.get("function_declarations"))
    return cast("Iterable[object]", declared) if isinstance(declared, list | tuple) else (tool,)
