"""What stands under the keys of blocks: of dicts, and of the objects that the providers' clients give."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, Final, cast

_ENCRYPTED: Final = ("encrypted_content", "data", "signature", "thoughtSignature", "thought_signature")
"""Under which providers give what only they can read."""
_UNREAD: Final = frozenset({"type", "id", "base64", "url", "mime_type", *_ENCRYPTED})


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
    """Give an id as text, also one that is a number; None where there is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return string_or_none(value)


def kind_of(block: Mapping[str, Any]) -> str:
    """Give the type of a block; empty where it says none."""
    kind = block.get("type")
    return kind if isinstance(kind, str) else ""


def encrypted(block: Mapping[str, Any]) -> int:
    """Give the characters of the encrypted thoughts that a block carries, under whichever provider's name for them."""
    held = (holder.get(key) for holder in (block, mapping_in(block, "extras")) for key in _ENCRYPTED)
    return max((len(value) for value in held if isinstance(value, str | bytes)), default=0)


def visible_text(value: object, *, depth: int = 8) -> str:
    """Give the strings inside a block that a model is likely to read; payloads and signatures are not.

    Stops at `depth` levels, so that a circular value ends.
    """
    if isinstance(value, str):
        return "" if value[:5].lower() == "data:" and ";base64," in value[:200] else value
    if depth == 0:
        return ""
    mapping = mapped(value)
    if mapping is not None:
        inner = (visible_text(item, depth=depth - 1) for key, item in mapping.items() if key not in _UNREAD)
    elif isinstance(value, list | tuple):
        inner = (visible_text(item, depth=depth - 1) for item in cast("list[object]", value))
    elif isinstance(value, int | float):
        return str(value)
    else:
        return ""
    return " ".join(text for text in inner if text)


def arguments_text(arguments: object) -> str:
    """Give the arguments of a call as text: as they are, or as compact JSON; never an error.

    What JSON cannot hold is written with `str`, since providers reject it anyway.
    """
    if arguments is None:
        return ""
    if isinstance(arguments, str):
        return arguments
    return json_text(arguments)


def json_text(value: object) -> str:
    """Give a value as compact JSON, with nothing left out; never an error."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)
    except (TypeError, ValueError, RecursionError):
        return visible_text(value)


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    fields = mapped(value)
    return str(value) if fields is None else dict(fields)
