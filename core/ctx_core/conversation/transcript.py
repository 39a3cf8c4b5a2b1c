"""A conversation in somebody's own message type, read as neutral messages only where it is looked at.

A `Codec` is the door of one message type: the faces bring theirs, `ctx_core.conversation.openai_messages` has the
one for OpenAI-style dicts. Everything behind the door sees neutral messages only.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from ctx_core.conversation.messages import Message, Role
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Sequence

NativeT = TypeVar("NativeT")


class Codec(Protocol[NativeT]):
    """Reads and writes one message type."""

    def role(self, native: NativeT) -> Role:
        """Give the role of a message, cheaply: it is asked of every message of a long history.

        Raises:
            MessageError: for a role or a type that is not known.
        """
        ...

    def read(self, native: NativeT) -> Message:
        """Give the neutral message, with `origin` set to `native`.

        Raises:
            MessageError: for a content of no known shape.
        """
        ...

    def write(self, message: Message) -> NativeT:
        """Give `origin` itself if the message is not altered, else a changed copy, else a new one."""
        ...


class NeutralCodec:
    """The door for those who already have neutral messages."""

    def role(self, native: Message) -> Role:
        """Give the role."""
        if not isinstance(native, Message):
            msg = f"expected a ctx_core Message, found {type(native).__name__}"
            raise MessageError(msg)
        return native.role

    def read(self, native: Message) -> Message:
        """Give the message itself."""
        self.role(native)
        return native

    def write(self, message: Message) -> Message:
        """Give the message itself."""
        return message


class Transcript(Generic[NativeT]):
    """An ordered conversation: a history and what follows it, never copied as a whole."""

    __slots__ = ("_codec", "_history", "_read", "_tail", "keys")

    keys: dict[int, str]
    """What messages are recognized by, as far as that was worked out: by position."""

    def __init__(self, history: Sequence[NativeT], tail: Sequence[NativeT], codec: Codec[NativeT]) -> None:
        """Take the history and the messages that follow it (usually the current one, or none)."""
        self._history = history
        self._tail = tail
        self._codec = codec
        self._read: dict[int, Message] = {}
        self.keys = {}

    def __len__(self) -> int:
        """Count all messages."""
        return len(self._history) + len(self._tail)

    def native(self, at: int) -> NativeT:
        """Give the caller's own object."""
        size = len(self._history)
        return self._history[at] if at < size else self._tail[at - size]

    @property
    def codec(self) -> Codec[NativeT]:
        """The door of its messages."""
        return self._codec

    def natives(self, end: int) -> list[NativeT]:
        """Give the caller's own objects before a position, in a new list."""
        if isinstance(self._history, list) and end <= len(self._history):
            return self._history[:end]
        return [*islice(chain(self._history, self._tail), end)]

    def role(self, at: int) -> Role:
        """Give the role at a position, without reading the message."""
        known = self._read.get(at)
        if known is not None:
            return known.role
        try:
            return self._codec.role(self.native(at))
        except MessageError as error:
            raise self._placed(error, at) from error

    def __getitem__(self, at: int) -> Message:
        """Give the neutral message at a position, read once."""
        message = self._read.get(at)
        if message is None:
            try:
                message = self._codec.read(self.native(at))
            except MessageError as error:
                raise self._placed(error, at) from error
            self._read[at] = message
        return message

    def question(self) -> str:
        """Give the text of the message that is being answered: the last of the user's; empty where there is none."""
        return next((self[at].text for at in range(len(self) - 1, -1, -1) if self.role(at) is Role.USER), "")

    def _placed(self, error: MessageError, at: int) -> MessageError:
        return MessageError(f"message {at + 1} of {len(self)}: {error}")


def question_of(history: Sequence[Any], message: object, door: Codec[Any]) -> str:
    """Give the text of the message that is being answered: the current one, else the last of the user's."""
    if isinstance(message, str):
        return message
    candidates = reversed(history) if message is None else (message,)
    return next((door.read(native).text for native in candidates if door.role(native) is Role.USER), "")
