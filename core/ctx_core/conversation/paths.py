"""Where a text stands in the JSON of a block, and a copy of the block with something else there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from ctx_core.conversation.fields import mapped
from ctx_core.conversation.natives import copied

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Path: TypeAlias = tuple[str | int, ...]
"""Keys and numbers, from the outermost in."""

_DEEPEST: Final = 100
"""Levels in which texts are looked for."""

_UNREAD: Final = frozenset({"type", "id", "uri", "url", "title", "name", "source", "mimeType", "mime_type"})
"""Keys of what names or places something, and is no text of it."""


def leaves(value: object, path: Path = (), around: tuple[int, ...] = ()) -> Iterator[tuple[Path, str | bytes]]:
    """Give each text and each content in a value, with where it stands; none of what is deeper than blocks are.

    Args:
        value: what is looked through.
        path: where it stands.
        around: what it stands in, by id: what contains itself is looked through once.
    """
    if isinstance(value, str | bytes):
        yield path, value
        return
    known = id(value)
    if known in around or len(around) > _DEEPEST:
        return
    inside = (*around, known)
    fields = mapped(value)
    if fields is not None:
        for key, held in fields.items():
            yield from leaves(held, (*path, key), inside)
    elif isinstance(value, list | tuple):
        for at, held in enumerate(cast("list[object]", value)):
            yield from leaves(held, (*path, at), inside)


def texts_in(value: object) -> list[tuple[Path, str]]:
    """Give each text of a value that says something and neither names nor places it."""
    return [(path, held) for path, held in leaves(value) if isinstance(held, str) and path and path[-1] not in _UNREAD]


def value_at(value: object, path: Path) -> object:
    """Give what stands at a path; None for nothing."""
    for key in path:
        value = cast("list[object]", value)[key] if isinstance(key, int) else (mapped(value) or {}).get(key)
    return value


def with_value(value: object, path: Path, told: object) -> Any:  # noqa: ANN401 - of the caller's own type
    """Give a copy of a value with something else at a path."""
    if not path:
        return told
    key, *rest = path
    if isinstance(key, int):
        listed = list(cast("list[object]", value))
        listed[key] = with_value(listed[key], tuple(rest), told)
        return listed
    fields: Mapping[str, Any] = mapped(value) or {}
    return copied(value, **{key: with_value(fields.get(key), tuple(rest), told)})
