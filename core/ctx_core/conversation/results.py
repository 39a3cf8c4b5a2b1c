"""Results of tools that stand among others: blocks of a message, items of a list."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.conversation.block_table import APPROVAL, RESULT
from ctx_core.conversation.block_types import says_something
from ctx_core.conversation.content_blocks import read_block, read_content
from ctx_core.conversation.fields import first_in, id_or_none, json_text, kind_of, mapped, mapping_in, string_or_none
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import Part, TextPart
from ctx_core.conversation.paths import texts_in, with_value
from ctx_core.conversation.structured_text import structured_part
from ctx_core.conversation.whole import beside_of, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

_TYPES: Final = frozenset(
    {
        "tool_result", "function_call_output", "custom_tool_call_output", "computer_call_output",
        "local_shell_call_output", "shell_call_output", "apply_patch_call_output", "mcp_approval_response",
    }
)  # fmt: skip
"""Types of blocks and items that answer the calls that `calls` knows: of an unknown call the output stays with it."""
_BY_KEY: Final = ("toolResult", "functionResponse", "function_response")
"""Keys under which Bedrock and Google have a result, in a block without a type."""
_OUTPUT: Final = ("output", "result", "error")
"""Under which of Google's keys a result is a mere text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    parts: tuple[Part, ...]
    call_id: str | None
    name: str | None = None
    failed: bool | None = None


def is_result(block: Mapping[str, Any]) -> bool:
    """Whether a block or an item is the result of a call, which the caller gives and not the provider."""
    if kind := kind_of(block):
        return kind in _TYPES
    return any(mapped(block.get(key)) is not None for key in _BY_KEY)


def read_result(block: Mapping[str, Any], *, origin: object, beside: tuple[Part, ...] = ()) -> Message:
    """Give the message of a result, with what stands beside it in the caller's message.

    Raises:
        MessageError: for a content of no known shape.
    """
    found = _found(block)
    row = APPROVAL if kind_of(block) == "mcp_approval_response" else RESULT
    return Message(
        role=Role.TOOL,
        parts=found.parts,
        beside=(*beside_of(row, block), *beside),
        tool_call_id=found.call_id,
        name=found.name,
        failed=found.failed,
        origin=origin,
    )


def _found(block: Mapping[str, Any]) -> _Found:
    if bedrock := mapping_in(block, "toolResult"):
        failed = {"error": True, "success": False}.get(str(bedrock.get("status")))
        call_id = id_or_none(bedrock.get("toolUseId"))
        return _Found(parts=read_content(bedrock.get("content")), call_id=call_id, failed=failed)
    if google := mapping_in(block, "functionResponse", "function_response"):
        parts = (*_response(google.get("response")), *read_content(google.get("parts")))
        call_id, name = id_or_none(google.get("id")), string_or_none(google.get("name"))
        failed = says_something((mapped(google.get("response")) or {}).get("error")) or None
        return _Found(parts=parts, call_id=call_id, name=name, failed=failed)
    match kind_of(block):
        case "tool_result":
            call_id, told = id_or_none(block.get("tool_use_id")), block.get("is_error")
            failed = told if isinstance(told, bool) else None
            return _Found(parts=read_content(block.get("content")), call_id=call_id, failed=failed)
        case "mcp_approval_response":
            text = json_text({key: value for key, value in block.items() if key in {"approve", "reason"}})
            return _Found(parts=(TextPart(text),), call_id=id_or_none(block.get("approval_request_id")))
        case _:
            call_id = id_or_none(first_in(block, "call_id", "id"))
            failed = block.get("status") == "failed" or None
            return _Found(parts=_output(block.get("output")), call_id=call_id, failed=failed)


def _response(response: object) -> tuple[Part, ...]:
    """Give what Google's mapping says: the text in it where it has nothing else, else its JSON."""
    key, fields = response_key(response), mapped(response)
    if key is not None and fields is not None:
        return (TextPart(fields[key]),) if fields[key] else ()
    if response is None:
        return ()
    return (TextPart(json_text(response)),) if fields is None else (structured_part(fields),)


def response_key(response: object) -> str | None:
    """Give the key under which one of Google's responses is a mere text; None where it says something else."""
    fields = mapped(response) or {}
    key = next(iter(fields), None) if len(fields) == 1 else None
    return key if key in _OUTPUT and isinstance(fields[key], str) else None


def _output(output: object) -> tuple[Part, ...]:
    """Give what a Responses item says: a text, a list of contents, a screenshot, or JSON of its own shape."""
    if output is None or isinstance(output, str):
        return read_content(output)
    if kind_of(mapped(output) or {}) == "computer_screenshot":
        return (read_block(output),)
    said = whole(output)
    listed = _listed(output)
    if all(kind_of(mapped(one) or {}).startswith("input_") for one in listed):
        return read_content(listed)
    return (TextPart(said.text, inside=said.inside, raw=output, holder=_OutputText(output)),)


@dataclass(frozen=True, slots=True)
class _OutputText:
    """The texts of an output that is JSON of its own shape, such as a shell's; another text stands in the first."""

    output: object = field(repr=False)

    @property
    def text(self) -> str:
        return "\n".join(text for _, text in texts_in(self.output))

    def with_text(self, text: str) -> Part:
        output, told = self.output, text
        for path, _ in texts_in(self.output):
            output, told = with_value(output, path, told), ""
        return _output(output)[0]


def _listed(output: object) -> list[object]:
    return cast("list[object]", output) if isinstance(output, list) else [None]
