"""Copies of the caller's dicts and objects; nothing is ever changed in place."""

from __future__ import annotations

from typing import Any

from ctx_core.conversation.fields import mapped
from ctx_core.conversation.message_types import Piece


def copied(native: object, **changed: object) -> Any:  # noqa: ANN401 - of the caller's own type
    """Give a copy with other values under some keys: a dict of a mapping, an object of a client's object."""
    copy = getattr(native, "model_copy", None)
    if copy is not None:
        return copy(update=changed)
    return {**(mapped(native) or {}), **changed}


def key_of(native: object, *spellings: str) -> str:
    """Give under which of a key's spellings a mapping has something; the first where it has nothing."""
    fields = mapped(native) or {}
    return next((key for key in spellings if fields.get(key) is not None), spellings[0])


def without(native: object, key: str) -> Any:  # noqa: ANN401 - of the caller's own type
    """Give a copy without a key: of a client's object, with nothing under it."""
    if getattr(native, "model_copy", None) is not None:
        return copied(native, **{key: None})
    return {name: held for name, held in (mapped(native) or {}).items() if name != key}


def plain_dicts(native: object) -> object:
    """Give all that a message says, or those that a piece is of, if they are dicts; None for other objects."""
    if isinstance(native, Piece):
        return native.natives if all(map(_is_dict, native.natives)) else None
    return native if _is_dict(native) else None


def _is_dict(native: object) -> bool:
    """Whether it is a dict, and no subclass: that may tell something else each time."""
    kind: type = type(native)
    return kind is dict
