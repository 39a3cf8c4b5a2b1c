"""What reads and writes somebody's own message type.

A `Codec` is the door of one type: the faces bring theirs, `ctx_core.conversation.openai_messages` has the one for
OpenAI-style dicts. Everything behind the door sees neutral messages only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from ctx_core.conversation.messages import Message, Role
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Sequence

NativeT = TypeVar("NativeT")


class Codec(Protocol[NativeT]):
    """Reads and writes one message type.

    One that has a method `told_by(native)` is asked for no message that was read before and says the same. It gives all
    that `read` looks at, in dicts, lists and tuples, or None where that is not known. One that has a method
    `as_sent(message, row, client)` gives a message as the client of a provider's row sends it, where it would leave a
    call out, send it twice or raise on it.
    """

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What one neutral message is read from, where that is not one message of the caller's."""

    natives: tuple[Any, ...] = field(repr=False)
    """The messages that it is a piece of: one, or several that are one neutral message."""
    places: tuple[int, ...]
    """Where they stand in the caller's list."""
    role: Role
    """Who speaks."""
    blocks: tuple[int, ...] | None = None
    """Which blocks of the message it is; None for all."""
    number: int = 0
    """Which piece of its message it is."""
    of: int = 1
    """How many pieces its message has."""
    sound: bool = True
    """Whether the message may go out as it came, if it is whole."""


@runtime_checkable
class ListCodec(Codec[NativeT], Protocol[NativeT]):
    """Reads and writes a message type of which one may be several neutral messages, or several are one.

    `split` says which. What it gives is what `role` and `read` are asked of, else the messages themselves. One that has
    `single_types`, types whose messages are one each and never the user's, and `is_several(native)` for all others, is
    asked to split nothing else. One that has `split_from(natives, begin)` is asked for what is new of a list that has
    grown: for the pieces from a place on, behind one that is not the assistant's.
    """

    system_apart: bool
    """Whether the system text is no message of the list, but goes with the request as a field of its own."""

    def split(self, natives: Sequence[NativeT]) -> Sequence[Piece] | None:
        """Give what each neutral message is read from, in order; None where each message is one by itself.

        Cheap: it looks at each message of a long history, and at no text.

        Raises:
            MessageError: for a list in which one cannot be told from the other; it says where.
        """
        ...

    def join(self, messages: Sequence[Message]) -> list[NativeT]:
        """Give the messages to send: the very objects that came in where all of one is here and unaltered."""
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
