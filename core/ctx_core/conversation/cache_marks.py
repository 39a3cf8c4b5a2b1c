"""Marks of where a cache ends: a key of a block, or a block that is nothing else; each lives for minutes or an hour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ctx_core.conversation.content_blocks import is_mark
from ctx_core.conversation.fields import mapped
from ctx_core.conversation.natives import copied, without

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

KEY: Final = "cache_control"
SHORT: Final = "5m"
"""How long a mark lives that says nothing."""
LONG: Final = "1h"
_POINTS: Final = ("cachePoint", "cache_point")
"""Keys of Bedrock's blocks that are marks."""


def life_of(raw: object) -> str | None:
    """Give how long the mark of a block lives, or of a definition of a tool; None where it has none."""
    held = _held(raw)
    return None if held is None else str(held.get("ttl") or SHORT)


def lives_of(values: Iterable[object]) -> tuple[str, ...]:
    """Give the lives of all marks of blocks, in order."""
    return tuple(life for value in values if (life := life_of(value)) is not None)


def is_point(raw: object) -> bool:
    """Whether a block is nothing but a mark; LlamaIndex' is an object."""
    fields = mapped(raw)
    return is_mark(fields) if fields is not None else getattr(raw, "block_type", None) == "cache"


def shortened(raw: Any) -> Any:  # noqa: ANN401 - of the caller's own type
    """Give a copy of a block whose mark lives as short as one that says nothing."""
    fields = mapped(raw)
    if fields is None:
        return copied(raw, **{KEY: copied(getattr(raw, KEY), ttl=SHORT)})
    key = next((key for key in (KEY, *_POINTS) if mapped(fields.get(key)) is not None), None)
    return copied(raw, ttl=SHORT) if key is None else copied(raw, **{key: copied(fields[key], ttl=SHORT)})


def unmarked(raw: Any) -> Any:  # noqa: ANN401 - of the caller's own type
    """Give a copy of a block without its mark."""
    return without(raw, KEY)


def _held(raw: object) -> Mapping[str, Any] | None:
    """Give what a mark says of itself."""
    fields = mapped(raw)
    if fields is None:
        held: object = getattr(raw, KEY, None) if is_point(raw) else None
        return None if held is None else {"ttl": getattr(held, "ttl", None)}
    for key in (KEY, *_POINTS):
        if fields.get(key) is not None:
            return mapped(fields[key]) or {}
    return fields if is_mark(fields) else None
