"""Which conversation a request belongs to: the key under which its cut is remembered."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import RunnableConfig

CONFIGURABLE_KEYS: Final = ("session_id", "thread_id", "conversation_id")
"""Names under which LangChain and LangGraph configure a conversation, the first one present wins."""

_FIRST_MESSAGES: Final = 4
"""So many messages tell conversations apart: the first one alone is a mere greeting too often."""

_SYSTEM_TYPES: Final = frozenset({"system", "SystemMessageChunk"})


def conversation_key(messages: Sequence[BaseMessage], config: RunnableConfig | None) -> str:
    """Give the key: what the config names, else a fingerprint of the first messages.

    System messages are left out of the fingerprint, since they may hold the time of day. Two conversations
    with one key are still right: what is remembered is checked against the messages.
    """
    configurable: Mapping[str, object] = (config or {}).get("configurable") or {}
    for name in CONFIGURABLE_KEYS:
        value = configurable.get(name)
        if value is not None and value != "":
            return f"{name}:{value}"
    return f"first:{_fingerprint(messages)}"


def _fingerprint(messages: Sequence[BaseMessage]) -> str:
    digest = blake2b(digest_size=12)
    left = _FIRST_MESSAGES
    for message in messages:
        if message.type in _SYSTEM_TYPES:
            continue
        said = f"{message.type}\0{message.content!r}\0{getattr(message, 'tool_call_id', '')}\0"
        digest.update(said.encode("utf-8", "surrogatepass"))
        left -= 1
        if not left:
            break
    return digest.hexdigest()
