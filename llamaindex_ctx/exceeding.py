"""Notices requests that are larger than their memory assumed: what goes along with its messages no memory can see."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, cast
from weakref import ReferenceType, ref

from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events.llm import LLMChatStartEvent
from llama_index_instrumentation import get_dispatcher
from typing_extensions import override

from ctx_core.history.keys import key_at, message_key
from ctx_core.history.places import Position
from llamaindex_ctx.asked import asked_with
from llamaindex_ctx.convert import CODEC
from llamaindex_ctx.events import exceeded
from llamaindex_ctx.fitting import any_running
from llamaindex_ctx.running import Running

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.instrumentation.events import BaseEvent

    from ctx_core.conversation.transcript import Transcript

_LOG: Final = logging.getLogger("ctx_core.llamaindex")
_MOST_GIVEN: Final = 256
"""Lists of messages that memories have given, remembered until a request comes with them."""
_CONVERSATIONS: Final = 1_024
"""Conversations of which is known that it was said."""


class _Watch(BaseEventHandler):
    """Is told of every chat that begins."""

    @classmethod
    @override
    def class_name(cls) -> str:
        return "ContextExceeding"

    @override
    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        if isinstance(event, LLMChatStartEvent) and _GIVEN and not any_running():
            _notice(event)


_GIVEN: Final = OrderedDict[str, tuple[tuple[str, ...], ReferenceType[Running]]]()
"""What memories gave, by the key of its first message: the keys of all, and who gave it."""
_WARNED: Final = OrderedDict[str, None]()
_LOCK: Final = threading.Lock()
_WATCHING: Final[list[_Watch]] = []


def given(messages: Sequence[ChatMessage], by: Running) -> None:
    """Remember what a memory gave, to know its request by; from the first time on, every chat is noticed."""
    try:
        keys = _keys(messages)
    except Exception:  # noqa: BLE001 - an open file or a lock in a message, which has no key
        return
    if not keys:
        return
    with _LOCK:
        if not _WATCHING:
            _WATCHING.append(_Watch())
            get_dispatcher().add_event_handler(_WATCHING[0])
        _GIVEN[keys[0]] = (keys, ref(by))
        _GIVEN.move_to_end(keys[0])
        if len(_GIVEN) > _MOST_GIVEN:
            _GIVEN.popitem(last=False)


def first_key(transcript: Transcript[ChatMessage]) -> str:
    """Give what the first message of a conversation is recognized by; empty for none that can be."""
    first = next((at for at in range(len(transcript)) if not transcript.role(at).instructs), None)
    try:
        return "" if first is None else key_at(transcript, Position(first))
    except Exception:  # noqa: BLE001 - as above
        return ""


def _notice(event: LLMChatStartEvent) -> None:
    keys = _keys(event.messages)
    found = next((known for key in keys if (known := _GIVEN.get(key)) and _within(known[0], keys)), None)
    by = None if found is None else found[1]()
    if found is None or by is None or by.counter is None:
        return
    sent = cast("dict[str, Any]", event.additional_kwargs)  # pyright: ignore[reportUnknownMemberType]
    asked = asked_with(sent)
    tokens = by.counter.count_messages([CODEC.read(message) for message in event.messages], tools=asked.tools or ())
    if tokens <= by.limit:
        return
    remembered = len(found[0])
    others = len(event.messages) - remembered
    exceeded(tokens=tokens, limit=by.limit, remembered=remembered, others=others)
    if _is_new(by.conversation):
        _LOG.warning(
            "a request of %d tokens went out, where its memory assumed %d at most: %d messages beside its own, and "
            "tools, are not known to a memory. with_context_budget(llm, …) bounds what is sent; reserve= keeps room.",
            tokens, by.limit, others,
        )  # fmt: skip


def _is_new(conversation: str) -> bool:
    """Whether nothing was said of a conversation yet; workflows make its memory anew from run to run."""
    with _LOCK:
        new = conversation not in _WARNED
        _WARNED[conversation] = None
        if len(_WARNED) > _CONVERSATIONS:
            _WARNED.popitem(last=False)
    return new


def _within(gave: tuple[str, ...], request: Sequence[str]) -> bool:
    """Whether what a memory gave is in a request; its last message may be changed: agents write their state there."""
    start = request.index(gave[0])
    wanted = gave if len(gave) == 1 else gave[:-1]
    return tuple(request[start : start + len(wanted)]) == wanted


def _keys(messages: Sequence[ChatMessage]) -> tuple[str, ...]:
    """Give what messages are recognized by; of instructions nobody can be, and agents put their own in their place."""
    read = (CODEC.read(message) for message in messages)
    return tuple(message_key(message) for message in read if not message.role.instructs)
