"""Dumps of LlamaIndex's own memories, as arguments of ours where they hold the messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from llama_index.core.memory.types import DEFAULT_CHAT_STORE_KEY
from llama_index.core.storage.chat_store.base import BaseChatStore

from ctx_core.errors import MessageError

_OURS: Final = "ContextMemoryBuffer"
_BUFFERS: Final = ("ChatMemoryBuffer", "ChatSummaryMemoryBuffer")
_OLDER: Final = "chat_history"
"""Where older dumps of a `ChatMemoryBuffer` have the messages."""


def as_ours(data: Mapping[str, Any], *, stored: bool) -> dict[str, Any]:
    """Give the fields of a dump, be it one of ours or of LlamaIndex's.

    Args:
        data: what `to_dict` gave.
        stored: whether a chat store is given that holds the messages.

    Raises:
        MessageError: for a dump of another memory in which the messages are not.
    """
    kind = data.get("class_name") or (_BUFFERS[0] if isinstance(data.get("chat_store"), Mapping) else _OURS)
    inner = data.get("primary_memory")
    if kind == "SimpleComposableMemory" and isinstance(inner, Mapping):
        return as_ours(cast("Mapping[str, Any]", inner), stored=stored)
    if kind == "Memory" and stored:
        return {"token_limit": data.get("token_limit"), "session_id": data.get("session_id")}
    held = _OLDER in data and "messages" not in data
    if kind not in (*_BUFFERS, "Memory", *_SIMPLE) and not held:
        return dict(data)
    key = data.get("chat_store_key") or DEFAULT_CHAT_STORE_KEY
    messages = data[_OLDER] if held else _held_in(data.get("chat_store"), key)
    if messages is None and not stored:
        msg = (
            f"this dump of a {kind} does not hold the messages, which are in its own store: give that as chat_store=, "
            "and the dump says the rest"
        )
        raise MessageError(msg)
    told = {"token_limit": data.get("token_limit"), "chat_store_key": key}
    return told if stored else {**told, "messages": messages}


def _held_in(store: object, key: object) -> object:
    """Give the messages of a store that a dump holds, as a dict or, where nobody has written it yet, as it is."""
    if isinstance(store, BaseChatStore):
        return store.get_messages(str(key))
    if isinstance(store, Mapping) and isinstance(held := cast("Mapping[str, Any]", store).get("store"), Mapping):
        return cast("Mapping[str, Any]", held).get(str(key), [])
    return None


_SIMPLE: Final = ("SimpleComposableMemory", "VectorMemory")
"""Memories of LlamaIndex whose dumps hold no messages either."""
