"""What stands under the keys of blocks: of dicts, and of the objects that the providers' clients give."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, cast
from uuid import UUID

from ctx_core.errors import MessageError

_SIGNATURES: Final = ("signature", "thoughtSignature", "thought_signature")
_ENCRYPTED: Final = ("encrypted_content", "data", *_SIGNATURES)
"""Under which providers give what only they can read."""
_UNREAD: Final = frozenset({"type", "id", "base64", "url", "mime_type", *_ENCRYPTED})


_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,19}")
"""What a role looks like."""
_CLIENTS: Final = ("anthropic", "google", "openai")
"""Packages of the providers' clients, whose objects stand where dicts may."""


def mapped(value: object) -> Mapping[str, Any] | None:
    """Give what an object says by name: a mapping itself, the fields of a client's object that are set; else None."""
    if type(value) is dict or isinstance(value, Mapping):  # the first is what it mostly is, and told at once
        return cast("Mapping[str, Any]", value)
    declared = getattr(type(value), "model_fields", None)
    if declared is None or type(value).__module__.partition(".")[0] not in _CLIENTS:
        return None
    extra = cast("Mapping[str, Any]", getattr(value, "model_extra", None) or {})
    fields = {name: getattr(value, name) for name in declared}
    return {name: held for name, held in {**fields, **extra}.items() if held is not None}


def shown_role(role: object) -> str:
    """Give a role for an error: as it is where it may be one, else what it is, since it may be what somebody said."""
    if not isinstance(role, str):
        return type(role).__name__
    return repr(role) if _WORD.fullmatch(role) else f"of {len(role):,} characters"


def mapping_in(block: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Give the mapping under the first of these keys that has one, and an empty one where none has."""
    for key in keys:
        found = mapped(block.get(key))
        if found is not None:
            return found
    return {}


def first_in(block: Mapping[str, Any], *keys: str) -> Any:  # noqa: ANN401 - whatever a provider has put there
    """Give what stands under the first of these keys that has anything."""
    return next((block[key] for key in keys if block.get(key) is not None), None)


def string_or_none(value: object) -> str | None:
    """Give a string that says something, and None for anything else."""
    return value if isinstance(value, str) and value else None


def id_or_none(value: object) -> str | None:
    """Give an id as text, also one that is a number or a UUID; None where there is none, or it is anything else.

    Raises:
        MessageError: for a number of more digits than Python writes.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _digits(value)
    return str(value) if isinstance(value, UUID) else string_or_none(value)


def kind_of(block: Mapping[str, Any]) -> str:
    """Give the type of a block; empty where it says none."""
    kind = block.get("type")
    return kind if isinstance(kind, str) else ""


def encrypted(block: Mapping[str, Any]) -> int:
    """Give the characters of the encrypted thoughts that a block carries, under whichever provider's name for them."""
    return _longest(_ENCRYPTED, block, mapping_in(block, "extras"))


def signature(block: Mapping[str, Any]) -> int:
    """Give the characters of the encrypted thoughts that came with a block that is something else: a text, a call."""
    beside = mapping_in(mapping_in(block, "extra_content"), "google")  # Gemini by way of OpenAI's API
    return _longest(_SIGNATURES, block, mapping_in(block, "extras"), beside)


def copy_length(copy: object) -> int:
    """Give the characters of an encrypted copy: of bytes, those of the base64 text as which they are sent."""
    if isinstance(copy, bytes):
        return (len(copy) + 2) // 3 * 4
    return len(copy) if isinstance(copy, str) else 0


def _longest(keys: Iterable[str], *holders: Mapping[str, Any]) -> int:
    return max((copy_length(holder.get(key)) for key in keys for holder in holders), default=0)


def words_of(content: object) -> str:
    """Give the texts of a content: of a text, or of the texts and the blocks of text in a list."""
    if isinstance(content, str):
        return content
    listed = cast("list[object]", content) if isinstance(content, list | tuple) else []
    texts = (one if isinstance(one, str) else string_or_none((mapped(one) or {}).get("text")) for one in listed)
    return " ".join(text for text in texts if text)


def visible_text(value: object) -> str:
    """Give the texts in a value of a known kind, in order: what names, places or signs it is left out."""
    return " ".join(text for text in _texts(value, unread=_UNREAD) if text)


def _texts(value: object, *, unread: frozenset[str]) -> Iterator[str]:
    """Give each text in a value, however deep; what contains itself is read once."""
    seen = set[int]()
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
            continue
        if isinstance(one, int | float):
            yield _digits(one)
            continue
        known, fields = id(one), mapped(one)
        inner: list[object] = []
        known = id(one)
        if fields is not None:
            inner = [held for key, held in fields.items() if key not in unread]
        elif isinstance(one, list | tuple):
            inner = list(cast("Iterable[object]", one))
        if inner and known not in seen:
            seen.add(known)
            waiting.extend(reversed(inner))


def _digits(number: float) -> str:
    """Give a number as text.

    Raises:
        MessageError: for one of more digits than Python writes, and so any client.
    """
    try:
        return str(number)
    except ValueError as error:
        msg = f"a number of some {int(int(number).bit_length() * 0.30103)} digits, which no client can write"
        raise MessageError(msg) from error


def arguments_text(arguments: object, write: Callable[[object], str] | None = None) -> str:
    """Give the arguments of a call as text: as they are, or as the JSON that `write` makes of them, else compact.

    No error but for such numbers as `_digits` refuses: what JSON cannot hold is written with `str`, since providers
    reject it anyway.
    """
    if arguments is None:
        return ""
    if isinstance(arguments, str):
        return arguments
    return (write or json_text)(arguments)


def json_text(value: object, *, blanks: bool = False, ascii_only: bool = False) -> str:
    """Give a value as JSON, with nothing left out; no error but for what `_digits` refuses.

    Args:
        value: the value.
        blanks: whether a blank stands behind each comma and each colon, as Python's `json` writes it.
        ascii_only: whether other letters are written as their numbers, as Python's `json` does too.
    """
    separators = (", ", ": ") if blanks else (",", ":")
    try:
        return json.dumps(value, ensure_ascii=ascii_only, separators=separators, default=_plain)
    except (TypeError, ValueError, RecursionError):
        return " ".join(_texts(value, unread=frozenset()))


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    fields = mapped(value)
    return str(value) if fields is None else dict(fields)
