"""Finds the tool calls of a `ChatMessage`, wherever they live, and counts each of them once.

A call may be a `ToolCallBlock`, an entry of `additional_kwargs["tool_calls"]` (an object of OpenAI's client,
a dict of any provider's spelling, or a `ToolSelection`), the legacy `additional_kwargs["function_call"]`, or
several of these at once: then they are spellings of one call, and go together.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeVar, cast

from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms.llm import ToolSelection

from ctx_core.conversation.arguments import as_object, is_object
from ctx_core.conversation.block_table import BESIDE
from ctx_core.conversation.calls import as_called, completed, merged, read_call, row_of_call
from ctx_core.conversation.fields import copy_length, json_text, mapped
from ctx_core.conversation.natives import copied
from ctx_core.conversation.openai_fields import row_with_thoughts
from ctx_core.conversation.parts import OpaquePart
from ctx_core.conversation.whole import beside_of
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ctx_core.conversation.messages import Message, ToolCall
    from ctx_core.conversation.parts import Part

SpellingT = TypeVar("SpellingT")

LISTED: Final = "tool_calls"
"""The key of `additional_kwargs` with a list of calls."""
LEGACY: Final = "function_call"
"""The key of `additional_kwargs` with the one call of OpenAI's first function API."""
SIGNATURES: Final = "thought_signatures"
"""The key of `additional_kwargs` with Gemini's encrypted thoughts, one (or None) for each block."""

_COUNTED: Final = frozenset({LISTED, LEGACY, SIGNATURES, "refusal", "name", "tool_call_id"})
"""Keys of `additional_kwargs` that are counted elsewhere, or that are ids."""
_CALLERS: Final = frozenset({MessageRole.ASSISTANT, MessageRole.CHATBOT, MessageRole.MODEL})
"""Roles whose messages have calls."""
_IDS: Final = ("tool_call_id", "tool_id", "id")
_NATIVE_IDS: Final = ("call_id", "toolUseId", "tool_call_id", "tool_id", "id")
"""Keys of the id of a call in the providers' own dicts, in the order in which it is read."""
_HELD: Final = {"toolUse": "toolUseId", "functionCall": "id", "function_call": "id"}
"""Under which key Bedrock and Google have a call, and the key of its id there."""
_FIELDS: Final = (
    "type", "id", "tool_id", "tool_call_id", "call_id", "name", "tool_name", "arguments", "args", "tool_kwargs",
    "thought_signature",
)  # fmt: skip
"""What objects of LlamaIndex' and of other clients say of a call, such as a `ToolSelection`."""


_NAMES: Final = ("tool_name", "name")
"""Fields of such objects that have the name."""
_OF_OBJECTS: Final = ("tool_kwargs", "arguments", "args")
"""Fields of such objects that have the arguments."""


@dataclass(frozen=True, slots=True)
class Spellings:
    """All that spells one call within its message."""

    found: tuple[object, ...] = field(repr=False)
    """The block, the entry of `additional_kwargs`, or both."""


def read_calls(message: ChatMessage) -> tuple[ToolCall, ...]:
    """Give the calls of a message in order: those of its blocks, then those that only `additional_kwargs` has.

    The `raw` of each is its `Spellings`: the block and the entry, or the one that there is.

    Raises:
        MessageError: if `additional_kwargs["tool_calls"]` is no list.
    """
    blocks = (
        replace(_from_block(block), encrypted=signature_at(message, at))
        for at, block in enumerate(message.blocks)
        if isinstance(block, ToolCallBlock)
    )
    legacy = message.additional_kwargs.get(LEGACY)
    return merged(
        blocks, [map(_from_entry, _listed(message))], None if legacy is None else _from_entry(legacy), join=_joined
    )


def signature_at(message: ChatMessage, at: int) -> int:
    """Give the characters of the encrypted thoughts that are sent with the block at this place."""
    listed: object = message.additional_kwargs.get(SIGNATURES)
    copies = cast("list[object]", listed) if isinstance(listed, list) else []
    return copy_length(copies[at]) if at < len(copies) else 0


def said_beside(message: ChatMessage) -> tuple[Part, ...]:
    """Give what `additional_kwargs` say beside calls, which goes out with the calls that stand there."""
    extras, blocks = message.additional_kwargs, any(isinstance(block, ToolCallBlock) for block in message.blocks)
    refusal: object = extras.get("refusal")
    said: list[Part] = [OpaquePart(kind="refusal", text=refusal)] if isinstance(refusal, str) and refusal else []
    for entry in map(mapped, _entries(message)):
        said.extend(() if entry is None else beside_of(row_of_call(entry), entry))
    if blocks or not _entries(message):
        return tuple(said)
    if message.role not in _CALLERS:  # what stands there is no call, but OpenAI's client sends it
        calls = map(_from_entry, _entries(message))
        said.extend(OpaquePart(kind=LISTED, text=f"{call.name} {call.arguments}") for call in calls)
    left = {key: held for key, held in extras.items() if key not in _COUNTED}
    return (*said, *beside_of(row_with_thoughts(BESIDE, left), left))


def spellings(calls: Iterable[ToolCall]) -> frozenset[int]:
    """Give the identities of all blocks and entries that spell these calls."""
    return frozenset(id(spelling) for call in calls for spelling in spelled(call))


def spelled(call: ToolCall) -> tuple[object, ...]:
    """Give the block and the entry that spell a call; nothing for one that was not read from a `ChatMessage`."""
    return call.raw.found if isinstance(call.raw, Spellings) else ()


def spells_alone(entry: object, calls: Iterable[ToolCall]) -> bool:
    """Whether an entry is all that spells one of these calls."""
    return any(len(found := spelled(call)) == 1 and found[0] is entry for call in calls)


def has_two_ways(calls: Sequence[ToolCall], message: Message) -> bool:
    """Whether the legacy call stands beside others, which OpenAI refuses: it is left out."""
    legacy = message.origin.additional_kwargs.get(LEGACY) if isinstance(message.origin, ChatMessage) else None
    return bool(calls) and legacy is not None and not spells_alone(legacy, calls)


def is_oddly_spelled(call: ToolCall) -> bool:
    """Whether a spelling has an id that is no text."""
    return any(not isinstance(_told_id(spelling), str | None) for spelling in spelled(call))


def apart(calls: Iterable[ToolCall], message: Message) -> list[ToolCall]:
    """Give the calls that no client sends as they are spelled, only their results: entries beside blocks, and objects.

    Where a message has blocks of calls, clients look at nothing else.
    """
    alone = [call for call in calls if not (in_block(call) or call.legacy)]
    held = message.origin.blocks if isinstance(message.origin, ChatMessage) else ()
    if any(isinstance(block, ToolCallBlock) for block in held):
        return alone
    return [call for call in alone if any(isinstance(spelling, ToolSelection) for spelling in spelled(call))]


def in_block(call: ToolCall) -> bool:
    """Whether a block spells a call."""
    return any(isinstance(spelling, ToolCallBlock) for spelling in spelled(call))


def as_it_is(spelling: SpellingT, call: ToolCall) -> SpellingT:
    """Give a block or an entry with id, name and arguments of its call: itself where it has them."""
    if not call.altered:
        return _with_id(spelling, call.id)
    if mapped(spelling) is not None:
        return _with_id(cast("SpellingT", as_called(spelling, call)), call.id)
    fields: object = getattr(type(spelling), "model_fields", ())
    names = {name: call.name for name in _NAMES if name in cast("Collection[str]", fields)}
    for name in _OF_OBJECTS:
        if name in cast("Collection[str]", fields):
            held: object = getattr(spelling, name)
            told = call.arguments if isinstance(held, str) and _stays_text(held, call) else as_object(call.arguments)
            return _with_id(cast("SpellingT", copied(spelling, **names, **{name: told})), call.id)
    return _with_id(spelling, call.id)


def _stays_text(held: str, call: ToolCall) -> bool:
    """Whether arguments that are a text are one from now on: what was malformed may be an object."""
    return is_object(held) or not is_object(call.arguments)


def _with_id(spelling: SpellingT, call_id: str | None) -> SpellingT:
    """Give a block or an entry with an id: itself where it has it, or has no place for one."""
    told, (holder, key) = _told_id(spelling), _id_place(spelling)
    if key is None or not call_id or (isinstance(told, str) and told == call_id):
        return spelling
    if holder is None:
        return cast("SpellingT", copied(spelling, **{key: call_id}))
    inner = copied((mapped(spelling) or {})[holder], **{key: call_id})
    return cast("SpellingT", copied(spelling, **{holder: inner}))


def _id_place(spelling: object) -> tuple[str | None, str | None]:
    """Give the key within which a block or an entry has its id, if any, and the name of the id; None for no place."""
    fields = mapped(spelling)
    if fields is None:
        return None, next((name for name in _IDS if name in getattr(type(spelling), "model_fields", ())), None)
    told = next((name for name in _NATIVE_IDS if fields.get(name) is not None), None)
    within = None if told is not None else next((key for key in _HELD if mapped(fields.get(key)) is not None), None)
    if within is not None:
        return within, _HELD[within]
    return None, told or next((name for name in _NATIVE_IDS if name in fields), "id")


def _told_id(spelling: object) -> object:
    (holder, key), fields = _id_place(spelling), mapped(spelling)
    if key is None:
        return None
    if fields is None:
        return getattr(spelling, key)
    return (fields if holder is None else mapped(fields[holder]) or {}).get(key)


def _entries(message: ChatMessage) -> list[object]:
    legacy = message.additional_kwargs.get(LEGACY)
    return _listed(message) if legacy is None else [*_listed(message), legacy]


def _listed(message: ChatMessage) -> list[object]:
    listed = message.additional_kwargs.get(LISTED)
    if listed is not None and not isinstance(listed, list | tuple):
        msg = f"additional_kwargs[{LISTED!r}] must be a list, found {type(listed).__name__}"
        raise MessageError(msg)
    return list(cast("Iterable[object]", listed or ()))


def _from_block(block: ToolCallBlock) -> ToolCall:
    fields = {"id": block.tool_call_id, "name": block.tool_name, "arguments": block.tool_kwargs}
    return replace(read_call(fields, written), raw=Spellings((block,)))


def written(arguments: object) -> str:
    """Write arguments as LlamaIndex' clients do."""
    return json_text(arguments, blanks=True, ascii_only=True)


def _from_entry(entry: object) -> ToolCall:
    return replace(read_call(_as_mapping(entry)), raw=Spellings((entry,)))


def _as_mapping(entry: object) -> object:
    """Give what an object says by name, where the core does not know its class."""
    if mapped(entry) is not None:
        return entry
    inner = {name: _as_mapping(held) for name in ("function", "custom") if (held := getattr(entry, name, None))}
    return {name: getattr(entry, name, None) for name in _FIELDS} | inner


def _joined(block: ToolCall, entry: ToolCall) -> ToolCall:
    raw = Spellings((*spelled(block), *spelled(entry)))
    return replace(completed(block, entry), id=block.id or entry.id, raw=raw)
