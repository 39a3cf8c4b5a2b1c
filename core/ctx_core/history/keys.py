"""What messages are recognized by: digests of what they say, and of many of them in order."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, assert_never, cast

from ctx_core.conversation.content_blocks import is_mark
from ctx_core.conversation.fields import json_text, mapped
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import (
    CitationPart,
    FilePart,
    ImagePart,
    MediaPart,
    OpaquePart,
    ReasoningPart,
    TextPart,
    all_parts,
)
from ctx_core.history.places import Position, positions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctx_core.conversation.parts import Part
    from ctx_core.conversation.transcript import Transcript

_SIZE: Final = 12
"""Bytes of a digest: two messages have the same by chance once in 2^96."""
_NAME_SIZE: Final = 4
"""Bytes of a name, which a model has to copy."""


def message_key(message: Message) -> str:
    """Give what a message is recognized by: a digest of what it says, media and calls included.

    Its id is no part of it: stores and graphs give ids later, and two users' messages may have the same. An
    instruction is known by being one: it may say something else on every turn and stay the same layer.
    """
    if message.role.instructs:
        return str(message.role)
    known = message.figures.get(message_key)
    if known is None:
        known = message.figures[message_key] = _digested(message)
    return cast("str", known)


def _digested(message: Message) -> str:
    digest = blake2b(digest_size=_SIZE)
    calls = (text for call in message.tool_calls for text in (call.name, call.arguments, call.id or ""))
    speaker = "" if message.role is Role.TOOL else message.name or ""
    for text in (message.role, speaker, message.text, message.tool_call_id or "", *calls):
        _feed(digest, text)
    for part in all_parts(message.parts):
        for content in _contents(part):
            _feed(digest, content)
    return digest.hexdigest()


def sent_digest(seed: str, messages: Iterable[Message]) -> str:
    """Give the digest of messages as they are sent, behind what is sent apart from them: instructions by their text.

    Neither thoughts nor marks of where a cache ends are a part of it: both may go without a change of what is said.
    """
    return chained(chained(None, (seed,)), map(_sent_key, messages))


def _sent_key(message: Message) -> str:
    if message.role.instructs:
        return f"{message.role} {message.text}"
    parts = tuple(part for part in message.parts if not _is_mark(part))
    return message_key(message if len(parts) == len(message.parts) else replace(message, parts=parts))


def _is_mark(part: Part) -> bool:
    return isinstance(part, OpaquePart) and is_mark(mapped(part.raw) or {})


def content_name(message: Message) -> str:
    """Give a short name of what a message says, by which a model can ask for it: two that say the same have one.

    Ids are no part of it: a result that was given its call's id keeps its name.
    """
    digest = blake2b(digest_size=_NAME_SIZE)
    for text in (
        message.role,
        message.text,
        *(text for call in message.tool_calls for text in (call.name, call.arguments)),
    ):
        _feed(digest, text)
    for part in message.parts:
        for content in _contents(part):
            _feed(digest, content)
    return digest.hexdigest()


def key_at(transcript: Transcript[Any], at: Position) -> str:
    """Give what the message at a position is recognized by, worked out once."""
    key = transcript.keys.get(at)
    if key is None:
        key = transcript.keys[at] = message_key(transcript[at])
    return key


def chained(digest: str | None, keys: Iterable[str]) -> str:
    """Give the digest of a row of keys that goes on from a digest of those before; None before the first."""
    link = bytes.fromhex(digest or "")
    for key in keys:
        link = blake2b(link + key.encode(), digest_size=_SIZE).digest()
    return link.hex()


def digest_of(transcript: Transcript[Any], start: Position, end: Position, before: str | None = None) -> str:
    """Give the digest of the messages of a stretch but its instructions, behind the digest of what stands before."""
    spoken = (at for at in positions(start, end) if not transcript.role(at).instructs)
    return chained(before, (key_at(transcript, at) for at in spoken))


def _feed(digest: Any, content: str | bytes) -> None:  # noqa: ANN401 - hashlib's own type has no public name
    """Add a content behind its length, so that no two rows of contents are the same bytes."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    digest.update(len(data).to_bytes(8, "big"))
    digest.update(data)


def _contents(part: Part) -> tuple[str | bytes, ...]:
    """Give what a part says beside the text of its message; thoughts are no part of what is said."""
    match part:
        case CitationPart():
            return ("citation", part.text)
        case ImagePart(url=url, data=data) if url or data:
            return ("image", url or "", data or "")
        case FilePart(text=text, data=data) if text or data:
            return ("file", text or "", data or "")
        case MediaPart(data=data) if data:
            return ("media", data)
        case MediaPart() | OpaquePart():
            return (type(part).__name__, getattr(part, "text", None) or "", _raw(part.raw))
        case TextPart() | ReasoningPart():
            return ()
        case _:
            assert_never(part)


def _raw(block: object) -> str:
    """Give a framework's own block as a text: an address, a path or an id in it tells one picture from another.

    Of one that JSON cannot hold, such as one that contains itself, it is what `json_text` gives.

    Raises:
        MessageError: for a number of more digits than anybody can write.
    """
    dumped: Any = getattr(block, "model_dump_json", None)
    try:
        return json.dumps(block, sort_keys=True, default=_kind) if dumped is None else str(dumped(warnings=False))
    except (TypeError, ValueError, RecursionError):
        return json_text(block if dumped is None else cast("Any", block).model_dump(warnings=False))


def _kind(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else type(value).__name__
