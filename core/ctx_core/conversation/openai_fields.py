"""What OpenAI-style messages say beside their content: thoughts, a refusal, and fields that nobody knows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.conversation.block_table import DETAIL, MESSAGES
from ctx_core.conversation.calls import row_of_call
from ctx_core.conversation.content_blocks import reasoning_text
from ctx_core.conversation.fields import encrypted, mapped
from ctx_core.conversation.messages import OpaquePart, ReasoningPart, Role
from ctx_core.conversation.whole import beside_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx_core.conversation.block_types import BlockType
    from ctx_core.conversation.messages import Part

THOUGHTS_OUTSIDE: Final = ("reasoning_content", "reasoning", "reasoning_details")
"""Where hosts put the model's thoughts beside the content."""
_LONGEST_NAME: Final = 64
"""Characters of a tool's name, as providers take it: in a result it is the name of the call, which is counted."""


def thoughts_outside(fields: Mapping[str, Any]) -> ReasoningPart | None:
    """Give the thoughts that stand beside the content: a text, and in `reasoning_details` its encrypted copy."""
    text = next((value for key in THOUGHTS_OUTSIDE if isinstance(value := fields.get(key), str) and value), "")
    details = _details(fields)
    text = text or "".join(reasoning_text(detail) for detail in details)
    length = sum(map(encrypted, details))
    return ReasoningPart(text, encrypted=length) if text or length else None


def said_beside(fields: Mapping[str, Any], role: Role) -> tuple[Part, ...]:
    """Give what a message says beside its content, its thoughts and its calls."""
    refusal: object = fields.get("refusal")
    said: list[Part] = [OpaquePart(kind="refusal", text=refusal)] if isinstance(refusal, str) and refusal else []
    if role is Role.ASSISTANT:
        listed: object = fields.get("tool_calls")
        entries = [
            *(cast("list[object]", listed) if isinstance(listed, list | tuple) else ()),
            fields.get("function_call"),
        ]
        for call in map(mapped, entries):
            said.extend(() if call is None else beside_of(row_of_call(call), call))
    return (*said, *beside_of(_row(fields, role), fields))


def _row(fields: Mapping[str, Any], role: Role) -> BlockType:
    """Give the row of a message: who may call, and which thoughts are counted as such, depends on what it says."""
    row = MESSAGES["openai"]
    read = {*row.read, *(key for key in ("refusal", "name") if isinstance(fields.get(key), str))}
    if role is Role.TOOL and len(str(fields.get("name") or "")) > _LONGEST_NAME:
        read.remove("name")
    if role is Role.ASSISTANT:
        read |= {"tool_calls", "function_call"}
    thoughts = thoughts_outside(fields)
    if thoughts is None:
        return replace(row, read=frozenset(read))
    # Hosts say the same in two places: it is read once.
    read |= {key for key in THOUGHTS_OUTSIDE if fields.get(key) == thoughts.text}
    again = "".join(map(reasoning_text, _details(fields))) in thoughts.text
    detail = replace(DETAIL, read=frozenset({"text", "summary"})) if again else DETAIL
    return replace(row, read=frozenset(read), within={**row.within, "reasoning_details": detail})


def _details(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    listed: object = fields.get("reasoning_details")
    return [
        detail
        for one in (cast("list[object]", listed) if isinstance(listed, list) else ())
        if (detail := mapped(one)) is not None
    ]
