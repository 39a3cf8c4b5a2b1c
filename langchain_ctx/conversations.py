"""Which conversation a request belongs to: the keys under which its cut is remembered."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import RunnableConfig

CONFIGURABLE_KEYS: Final = ("thread_id", "checkpoint_ns", "user_id", "session_id", "conversation_id")
"""Names under which LangChain and LangGraph configure a conversation; all that are present tell it apart."""

_FIRST_MESSAGES: Final = 4
"""So many messages tell conversations apart: the first one alone is a mere greeting too often."""

_SYSTEM_TYPES: Final = frozenset({"system", "SystemMessageChunk"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What a conversation is known by."""

    key: str
    """Key under which its state is kept."""
    earlier: tuple[str, ...] = ()
    """Keys under which it was kept while it was shorter, the latest first."""
    named: bool = True
    """Whether somebody said which one it is. Else it is told by how it begins, and another may begin alike."""


def conversation_of(messages: Sequence[BaseMessage], config: RunnableConfig | None) -> Conversation:
    """Give the conversation that the config names, else the one that begins with these messages.

    Two conversations with one key are still right: what is remembered is checked against the messages.
    """
    configurable: Mapping[str, object] = (config or {}).get("configurable") or {}
    named = {name: str(value) for name in CONFIGURABLE_KEYS if (value := configurable.get(name)) not in (None, "")}
    if "checkpoint_ns" in named:  # LangGraph names the task of each step behind the node
        named["checkpoint_ns"] = "|".join(node.split(":")[0] for node in named["checkpoint_ns"].split("|"))
    if named:
        ((name, value), *others) = named.items()
        return Conversation(key=json.dumps(named, sort_keys=True) if others else f"{name}:{value}")
    key, *earlier = reversed([f"first:{digest}" for digest in _beginnings(messages, _FIRST_MESSAGES)])
    return Conversation(key=key, earlier=tuple(earlier), named=False)


def beginning(messages: Sequence[BaseMessage], count: int) -> str:
    """Give a fingerprint of the first messages: so many, or all there are."""
    return list(_beginnings(messages, count))[-1]


def spoken(messages: Sequence[BaseMessage]) -> int:
    """Count the messages that are part of fingerprints: system messages are not, as they may hold the time of day."""
    return sum(message.type not in _SYSTEM_TYPES for message in messages)


def _beginnings(messages: Sequence[BaseMessage], count: int) -> Iterator[str]:
    """Give the fingerprints of the first message, of the first two and so on; of nothing where there are none."""
    digest = blake2b(digest_size=12)
    told = 0
    for message in messages:
        if told == count:
            break
        if message.type not in _SYSTEM_TYPES:
            said = f"{message.type}\0{message.content!r}\0{getattr(message, 'tool_call_id', '')}\0"
            digest.update(said.encode("utf-8", "surrogatepass"))
            told += 1
            yield digest.hexdigest()
    if not told:
        yield digest.hexdigest()
