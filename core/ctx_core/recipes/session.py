"""The messages of a stored session, as far as they can be read: a damaged one must not stop the agent."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from ctx_core.conversation.messages import Message
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.errors import MessageError

_LOG: Final = logging.getLogger("ctx_core.recipes")
_DOOR: Final = OpenAICodec()

Stored: TypeAlias = str | bytes | Mapping[str, Any] | Iterable[Any] | None
"""JSON or JSON lines, what either was read to, or nothing at all."""


def session_messages(stored: Stored) -> list[Any]:
    """Give the messages of a session; what is empty or damaged gives none, and a warning.

    A message of an unknown role becomes a copy of the user's; single entries that are no messages are left out.

    Args:
        stored: a list of OpenAI-style dicts or neutral messages, or an object with such a list as `messages`, as
            objects or as JSON, or JSON with an entry on each line.
    """
    try:
        entries = list(_entries(stored))
    except (ValueError, TypeError, RecursionError) as error:
        _LOG.warning("a session is damaged (%s): its history is taken to be empty", type(error).__name__)
        return []
    messages = [message for message in map(_readable, entries) if message is not None]
    if not messages:
        _LOG.warning("a session has no messages: its history is empty")
    elif len(messages) < len(entries):
        _LOG.warning(
            "%d of %d entries of a session are no messages: left out", len(entries) - len(messages), len(entries)
        )
    return messages


def mended(history: Sequence[Any]) -> Sequence[Any]:
    """Give a history as it is where all of it can be read, or none of it is ours, else as `session_messages` does."""
    ours = all(entry is None or isinstance(entry, Message | dict | list | str | int | float) for entry in history)
    if not ours or all(_readable(entry) is entry for entry in history):
        return history
    return session_messages(history)


def _entries(stored: Stored) -> Iterator[Any]:
    """Give the entries, without those that only describe the session.

    Raises:
        ValueError: for what is no JSON.
        TypeError: for what is neither a list nor an object with one.
    """
    if isinstance(stored, str | bytes):
        stored = _parsed(stored)
    if isinstance(stored, Mapping):
        stored = cast("Mapping[str, Any]", stored).get("messages")
    if stored is None:
        return
    if isinstance(stored, str | bytes) or not isinstance(stored, Iterable):
        msg = "a session is a list of messages"
        raise TypeError(msg)
    for entry in stored:
        if not (isinstance(entry, Mapping) and "role" not in entry and "_type" in entry):
            yield entry


def _parsed(text: str | bytes) -> Stored:
    try:
        return json.loads(text) if text.strip() else None
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) == 1:
            raise
        return [json.loads(line) for line in lines]


def _readable(entry: object) -> Message | dict[str, Any] | None:
    """Give the entry itself, a copy of an unknown role as the user's, or None."""
    if isinstance(entry, Message):
        return entry
    if not isinstance(entry, dict):
        return None
    message = cast("dict[str, Any]", entry)
    role = message.get("role")
    if not isinstance(role, str):
        return None
    for candidate in (message, {**message, "role": "user"}):
        try:
            _DOOR.read(candidate)
        except MessageError:
            continue
        return candidate
    return None
