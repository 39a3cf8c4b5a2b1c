"""Where the calls of a request stand in the history: ids that are made anew are the same on every turn.

Two calls of one id are told apart by which of them came first. Once a cut has left that one out, the others would look
like calls with an id of their own: so it is remembered which ids were somebody else's before.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.conversation.messages import Message, Role
from ctx_core.history.places import positions
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from ctx_core.conversation.transcript import Transcript
    from ctx_core.history.repair import Entry
    from ctx_core.history.state import WindowState
    from ctx_core.history.window import Selection
    from ctx_core.providers.asked import Asked

_SIZE: Final = 4
"""Bytes of what an id is remembered by: one that is taken for another by chance is made anew, which does no harm."""


class CallIds:
    """What is known of the ids of one request's calls."""

    def __init__(self, transcript: Transcript[Any], known: WindowState) -> None:
        """Take the conversation, and what is remembered of it."""
        self._transcript = transcript
        self._known = known
        self._taken = frozenset[str]()

    def placed(self, asked: Asked, window: Selection, entries: Sequence[Entry]) -> Asked:
        """Give what is asked of a request, with the places of its calls and the ids that others had before.

        Args:
            asked: without them.
            window: what of the conversation goes out.
            entries: all that goes out.
        """
        places = tuple(entry.position + self._known.moved for entry in entries if entry.message.tool_calls)
        rule = asked.asks(Kind.IDS_UNIQUE)
        is_whole = rule is not None and rule.within == "request"
        self._taken = frozenset(self._taken_before(window)) if is_whole else frozenset[str]()
        return replace(asked, call_places=places, ids_taken=self._taken)

    def remembered(self, state: WindowState) -> WindowState:
        """Give the state with the ids that calls which are left out had first."""
        if not state.decided:
            return replace(state, repeated_ids=())
        return replace(state, repeated_ids=tuple(sorted(map(_digest, self._taken))))

    def _taken_before(self, window: Selection) -> Iterator[str]:
        """Give the ids in a window that calls before it had first: those that leave now, or did before."""
        sent = [entry for entry in window.entries if not entry.synthetic]
        told = {told for entry in sent for told in _ids(entry.message)}
        yield from (one for one in told if _digest(one) in self._known.repeated_ids)
        here = {entry.position for entry in sent}
        begin = self._known.start if self._known.decided else 0
        seen = {one for entry in sent if entry.position < begin for one in _ids(entry.message)}
        for at in positions(begin, window.state.start) if told else ():
            if self._transcript.role(at) is not Role.ASSISTANT or not _may_name(self._transcript.unread(at), told):
                continue  # a long history is not read for what few have
            ids = {*_ids(self._transcript[at])} - seen
            seen |= ids
            yield from ids & told if at not in here else ()


def _may_name(unread: object, told: AbstractSet[str]) -> bool:
    """Whether a message that is not read may have one of these ids: whether any value in it is one."""
    if unread is None:
        return True
    stack = [unread]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            if value in told:
                return True
        elif isinstance(value, dict):
            stack.extend(cast("dict[object, object]", value).values())
        elif isinstance(value, list | tuple):
            stack.extend(cast("Sequence[object]", value))
        elif value is not None and not isinstance(value, bool):
            return True  # a number may be an id, and an object have one
    return False


def _ids(message: Message) -> Iterator[str]:
    return (call.id for call in message.tool_calls if call.id)


def _digest(told: str) -> str:
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=_SIZE).hexdigest()
