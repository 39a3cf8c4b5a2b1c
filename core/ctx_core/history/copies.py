"""Which messages stand there a second time, because a store or a client has given them twice.

1. Only a message with the id of one before it, which says the same, can be a copy.
2. A question is none where the conversation went on otherwise behind it: it was asked twice.
3. An answer is none where it answers another question than the first one did: caches and models give an id twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ctx_core.conversation.messages import Message, Role

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class _Known:
    """A message with an id, where it stood first."""

    at: int
    """Its place in the conversation."""
    turn: int
    """The place of its question."""


class Copies:
    """Tells copies, message by message; few have an id that came before."""

    def __init__(self, messages: Sequence[Message]) -> None:
        """Begin before the first of these."""
        self._messages = messages
        self._by_id: dict[str, _Known] = {}
        self._equal: dict[Message, _Known] = {}
        self._question = max((at for at, message in enumerate(messages) if message.is_question), default=-1)
        self._turn = -1
        self._turn_is_copied = False

    def first_of(self, at: int, before: Message | None) -> int | None:
        """Give the place of the first message of which this one is a copy; None where it is none.

        The question that is being answered counts as one though whoever asks again wants an answer.

        Args:
            at: the place of this one; each is asked for once, in order.
            before: the last message that stays before it, and is no instruction and no result of a tool.
        """
        message = self._messages[at]
        first = None if message.id is None else self._known(message.id, at)
        copied = first is not None and self._is_copy(at, first, before)
        if message.is_question:
            self._turn, self._turn_is_copied = at, copied
        return first.at if first is not None and copied else None

    def _known(self, told: str, at: int) -> _Known | None:
        message = self._messages[at]
        this = _Known(at, at if message.is_question else self._turn)
        known = self._by_id.setdefault(told, this)
        if known is this:
            return None
        self._equal.setdefault(self._messages[known.at], known)
        equal = self._equal.setdefault(message, this)
        return None if equal is this else equal

    def _is_copy(self, at: int, first: _Known, before: Message | None) -> bool:
        message = self._messages[at]
        if message.is_question:
            again = before is self._messages[first.at]  # nothing was said in between
            return at == self._question or again or not self._goes_on_otherwise(at, first.at)
        if message.role is not Role.ASSISTANT or self._turn_is_copied or first.turn == self._turn:
            return True
        return before is not None and before.role is Role.ASSISTANT and not before.tool_calls

    def _goes_on_otherwise(self, at: int, first: int) -> bool:
        """Whether something else was said behind a question than behind the first one."""
        now, then = self._following(at), self._following(first)
        if now is None or now.is_question:
            return False  # nothing was said
        same_id = then is None or now.id is None or then.id is None or now.id == then.id
        return then is None or not same_id or replace(now, id=None) != replace(then, id=None)

    def _following(self, at: int) -> Message | None:
        behind = (self._messages[one] for one in range(at + 1, len(self._messages)))
        return next(
            (message for message in behind if not message.role.instructs and message.role is not Role.TOOL), None
        )
