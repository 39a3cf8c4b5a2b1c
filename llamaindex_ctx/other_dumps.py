"""Dumps of LlamaIndex's own memories, as arguments of ours where they hold the messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from ctx_core.errors import MessageError

_OURS: Final = "ContextMemoryBuffer"
_BUFFERS: Final = ("ChatMemoryBuffer", "ChatSummaryMemoryBuffer")


def as_ours(data: Mapping[str, Any], *, stored: bool) -> dict[str, Any]:
    """Give the fields of a dump, be it one of ours or of LlamaIndex's.

    Args:
        data: what `to_dict` gave.
        stored: whether a chat store is given that holds the messages.

    Raises:
        MessageError: for a dump of another memory in which the messages are not.
    """
    kind = data.get("class_name", _OURS)
    if kind == "Memory" and stored:
        return {"token_limit": data.get("token_limit"), "session_id": data.get("session_id")}
    if kind not in (*_BUFFERS, "Memory", *_SIMPLE):
        return dict(data)
    key, messages = data.get("chat_store_key"), None
    store = data.get("chat_store")
    if isinstance(store, Mapping) and isinstance(held := cast("Mapping[str, Any]", store).get("store"), Mapping):
        messages = cast("Mapping[str, Any]", held).get(str(key), [])
    if messages is None and not stored:
        msg = (
            f"this dump of a {kind} does not hold the messages, which are in its own store: give that as chat_store=, "
            "and the dump says the rest"
        )
        raise MessageError(msg)
    told = {"token_limit": data.get("token_limit"), "chat_store_key": key}
    return told if stored else {**told, "messages": messages}


_SIMPLE: Final = ("SimpleComposableMemory", "VectorMemory")
"""Memories of LlamaIndex whose dumps hold no messages either."""
