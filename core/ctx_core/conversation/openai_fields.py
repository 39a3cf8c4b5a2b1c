"""What OpenAI-style messages say beside their content: thoughts, a refusal, and fields that nobody knows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.conversation.block_table import DETAIL, MESSAGES, WORDS
from ctx_core.conversation.calls import row_of_call
from ctx_core.conversation.fields import encrypted, mapped, words_of
from ctx_core.conversation.messages import Role
from ctx_core.conversation.parts import OpaquePart, ReasoningPart
from ctx_core.conversation.whole import beside_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx_core.conversation.block_types import BlockType
    from ctx_core.conversation.parts import Part

THOUGHTS_OUTSIDE: Final = ("reasoning_content", "reasoning", "reasoning_details")
"""Where hosts put the model's thoughts beside the content."""
_THOUGHT: Final = ("text", "summary", "content")
"""Keys of a block of thoughts outside the content under which its words are."""
_OUTSIDE: Final = replace(DETAIL, within={**DETAIL.within, **dict.fromkeys(_THOUGHT, WORDS)}, read=frozenset(_THOUGHT))
_LONGEST_NAME: Final = 64
"""Characters of a tool's name, as providers take it: in a result it is the name of the call, which is counted."""


def with_thoughts_outside(parts: tuple[Part, ...], fields: Mapping[str, Any]) -> tuple[Part, ...]:
    """Give parts behind the thoughts that stand beside them; thoughts that the parts say themselves are read once."""
    thoughts = thoughts_outside(fields)
    if thoughts is None:
        return parts
    inside = [part for part in parts if isinstance(part, ReasoningPart)]
    told = thoughts.text in "".join(part.text for part in inside)
    again = inside and told and thoughts.encrypted <= sum(part.encrypted for part in inside)
    return parts if again else (thoughts, *parts)


def thoughts_outside(fields: Mapping[str, Any]) -> ReasoningPart | None:
    """Give the thoughts that stand beside a content, however they are spelled: what is said again is read once.

    A text, a block of OpenAI's Responses API with its summary, or the pieces that OpenRouter gives; with the last two
    there may be an encrypted copy.
    """
    texts: list[str] = []
    length = 0
    for key in THOUGHTS_OUTSIDE:
        held = _held(fields.get(key))
        text = held if isinstance(held, str) else "".join(map(_text_of, held))
        length += 0 if isinstance(held, str) else sum(map(encrypted, held))
        if not any(text in known for known in texts):
            texts.append(text)
    text = "\n".join(filter(None, texts))
    return ReasoningPart(text, encrypted=length) if text or length else None


def row_with_thoughts(row: BlockType, fields: Mapping[str, Any]) -> BlockType:
    """Give the row of what stands beside a content, of which the thoughts are read."""
    texts = {key for key in THOUGHTS_OUTSIDE if isinstance(fields.get(key), str)}
    return replace(row, read=row.read | texts, within={**row.within, **dict.fromkeys(THOUGHTS_OUTSIDE, _OUTSIDE)})


def _held(value: object) -> str | list[Mapping[str, Any]]:
    """Give what stands under a key of thoughts: a text, or the blocks that there are."""
    if isinstance(value, str):
        return value
    listed = cast("list[object]", value) if isinstance(value, list) else [value]
    return [block for one in listed if (block := mapped(one)) is not None]


def _text_of(block: Mapping[str, Any]) -> str:
    return " ".join(text for key in _THOUGHT if (text := words_of(block.get(key))))


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
    return row_with_thoughts(replace(row, read=frozenset(read)), fields)
