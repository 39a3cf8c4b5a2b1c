"""A document of a store as a memory: its time and source are in its metadata, under one of many names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Any, Final, cast

from ctx_core.memory.item import MemoryItem

_TIMES: Final = ("time", "timestamp", "date", "datetime", "created_at", "updated_at", "last_accessed_at")
_SOURCES: Final = ("source", "file_name", "file_path", "title", "url", "id")
_TAGS: Final = ("tags", "keywords", "categories")
_MILLISECONDS: Final = 1e11  # more is no number of seconds that a document of our time has


def memory_of(text: str, metadata: Mapping[str, Any], *, importance: float = 0.0) -> MemoryItem:
    """Give the memory that a text with metadata is.

    Args:
        text: what it says.
        metadata: the first of the usual names for time, source and tags that has a usable value is taken.
        importance: for retrieved texts, the higher the better they fit.
    """
    return MemoryItem(
        text,
        importance=importance,
        time=next((time for name in _TIMES if (time := _time(metadata.get(name)))), None),
        source=next((value for name in _SOURCES if isinstance(value := metadata.get(name), str) and value), ""),
        tags=next((tags for name in _TAGS if (tags := _tags(metadata.get(name)))), ()),
    )


def _time(value: object) -> datetime | None:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    try:
        if isinstance(value, str):
            return datetime.fromisoformat(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS else value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def _tags(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(tag.strip() for tag in value.split(",") if tag.strip())
    if isinstance(value, Iterable) and not isinstance(value, Mapping | bytes):
        return tuple(tag for tag in cast("Iterable[object]", value) if isinstance(tag, str))
    return ()
