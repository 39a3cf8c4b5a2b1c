"""A conversation in somebody's own message type, read as neutral messages only where it is looked at."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, Generic

from ctx_core.conversation.joined import joined
from ctx_core.conversation.message_types import Codec, ListCodec, NativeT, Piece
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.splitting import split
from ctx_core.conversation.text_steps import as_step_result, may_answer_step
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctx_core.conversation.held import Reading

_MOST_RESULTS: Final = 32
"""Results of one answer among which the answer is searched for."""


class Transcript(Generic[NativeT]):
    """An ordered conversation: a history and what follows it, never copied as a whole.

    Positions are those of neutral messages; where one message of the caller's is several of them, they are not
    those of the caller's list: `native_positions` gives these.
    """

    __slots__ = (
        "_codec",
        "_current",
        "_history",
        "_lists",
        "_others",
        "_pieces",
        "_places",
        "_read",
        "_reading",
        "_tail",
        "_told_by",
        "_users",
        "keys",
    )

    keys: dict[int, str]
    """What messages are recognized by, as far as that was worked out: by position."""

    def __init__(
        self,
        history: Sequence[NativeT],
        tail: Sequence[NativeT],
        codec: Codec[NativeT],
        reading: Reading | None = None,
    ) -> None:
        """Take the history and the messages that follow it (usually the current one, or none).

        Args:
            history: the conversation so far.
            tail: what follows it.
            codec: the door of the message type.
            reading: knows what was read before; None: nothing was.

        Raises:
            MessageError: for a list that `codec` cannot split.
        """
        self._history: Sequence[Any] = history
        self._tail: Sequence[Any] = tail
        self._codec = codec
        self._reading = reading
        self._told_by: Callable[[Any], object] | None = getattr(codec, "told_by", None)
        self._others: Sequence[int] | None = None
        self._lists = codec if isinstance(codec, ListCodec) else None
        self._current = len(history)  # whoever names a message the current one means a question
        self._pieces: Sequence[Piece] | None = None
        if self._lists is not None:
            self._pieces, self._others = split(joined(history, tail), self._lists, reading)
            if self._pieces is not None:
                self._current = bisect_left(self._pieces, len(history), key=lambda piece: piece.places[0])
                self._history, self._tail = self._pieces, ()
        self._places: dict[int, list[int]] | None = None
        self._read: dict[int, Message] = {}
        self._users: Sequence[int] | None = None
        self.keys = {}

    def __len__(self) -> int:
        """Count all messages."""
        return len(self._history) + len(self._tail)

    def source(self, at: int) -> Any:  # noqa: ANN401 - whatever the codec reads
        """Give what the message at a position is read from: the caller's own object, or a piece of it."""
        size = len(self._history)
        return self._history[at] if at < size else self._tail[at - size]

    @property
    def codec(self) -> Codec[NativeT]:
        """The door of its messages."""
        return self._codec

    @property
    def reading(self) -> Reading | None:
        """What was read of it, and what is known of before; None where nobody holds it."""
        return self._reading

    @property
    def system_apart(self) -> bool:
        """Whether the system text goes with the request as a field of its own."""
        return self._lists is not None and self._lists.system_apart

    def sources(self, end: int) -> list[Any]:
        """Give what the messages before a position are read from, in a new list."""
        if isinstance(self._history, list) and end <= len(self._history):
            return self._history[:end]
        return [*islice(chain(self._history, self._tail), end)]

    def natives(self) -> list[NativeT]:
        """Give all of the caller's own objects, in a new list: without those that the list itself takes back."""
        if self._pieces is None:
            return self.sources(len(self))
        return [native for piece in self._pieces if piece.number == 0 for native in piece.natives]

    def native_positions(self, positions: Iterable[int]) -> tuple[int, ...]:
        """Give where in the caller's list those messages stand that are wholly at these positions."""
        if self._pieces is None:
            return tuple(positions)
        asked, whole = set(positions), dict[int, bool]()
        for at, piece in enumerate(self._pieces):
            for place in piece.places:
                whole[place] = whole.get(place, True) and at in asked
        return tuple(sorted(place for place in whole if whole[place]))

    def positions_of(self, native: int) -> list[int]:
        """Give the positions of what is read from one of the caller's messages: none where its list takes it back.

        What several of them are together stands with the first of these.
        """
        if self._pieces is None:
            return [native]
        if self._places is None:
            self._places = {}
            for at, piece in enumerate(self._pieces):
                self._places.setdefault(piece.places[0], []).append(at)
        return self._places.get(native, [])

    def native_at(self, at: int) -> int:
        """Give how many of `natives` stand before the message at a position."""
        if self._pieces is None:
            return at
        return sum(len(piece.natives) for piece in self._pieces[:at] if piece.number == 0)

    def write(self, messages: Sequence[Message]) -> list[NativeT]:
        """Give messages as the caller has them."""
        if self._lists is not None:
            return self._lists.join(messages)
        return [self._codec.write(message) for message in messages]

    def role(self, at: int) -> Role:
        """Give the role at a position, without reading the message."""
        known = self._read.get(at)
        if known is not None:
            return known.role
        try:
            return self._codec.role(self.source(at))
        except MessageError as error:
            raise self._placed(error, at) from error

    def unread(self, at: int) -> object:
        """Give all that a message tells, in dicts, lists and tuples; None where it was read already, or must be.

        For what a whole history is asked for and few of its messages have.
        """
        return None if at in self._read or self._told_by is None else self._told_by(self.source(at))

    def __getitem__(self, at: int) -> Message:
        """Give the neutral message at a position, read once."""
        message = self._read.get(at)
        if message is None:
            message = self._read[at] = self._in_its_place(self._alone(at), at)
        return message

    def is_question(self, at: int) -> bool:
        """Whether the user says what stands at a position, and not an agent in the user's name."""
        return self.role(at) is Role.USER and self[at].is_question

    def question_before(self, at: int) -> int | None:
        """Give the position of the last question up to a position, itself included; None where there is none."""
        if self._users is None:
            self._users = self._perhaps_users()
        places = self._users[: bisect_right(self._users, at)]
        return next((place for place in reversed(places) if self.is_question(place)), None)

    def question_at(self) -> int | None:
        """Give the position of the message that is being answered: the last question; None where there is none."""
        return self.question_before(len(self) - 1)

    def question(self) -> str:
        """Give the text of the message that is being answered; empty where there is none."""
        at = self.question_at()
        return "" if at is None else self[at].text

    def _perhaps_users(self) -> Sequence[int]:
        """Give the positions that may be a user's: of a run of thousands of steps few are, and their types tell."""
        return range(len(self)) if self._others is None or self._pieces is not None else self._others

    def _alone(self, at: int) -> Message:
        """Give the message at a position as it is by itself."""
        try:
            source = self.source(at)
            if self._reading is None or self._told_by is None:
                return self._codec.read(source)
            return self._reading.read(source, self._told_by(source), self._codec.read)
        except MessageError as error:
            raise self._placed(error, at) from error

    def _in_its_place(self, message: Message, at: int) -> Message:
        """Give a message as what it is behind those before it: some agents tell results in the user's name."""
        if at >= self._current or not may_answer_step(message):
            return message
        for before in range(at - 1, max(0, at - _MOST_RESULTS) - 1, -1):
            known = self._read.get(before) or self._alone(before)
            if known.role is Role.ASSISTANT:
                return as_step_result(message, known)
            if not (known.role is Role.TOOL or may_answer_step(known)):
                break
        return message

    def _placed(self, error: MessageError, at: int) -> MessageError:
        if self._pieces is None:
            return MessageError(f"message {at + 1} of {len(self)}: {error}")
        return MessageError(f"message {self._pieces[at].places[0] + 1}: {error}")


def read_natives(natives: Sequence[Any], codec: Codec[Any]) -> Iterator[Message]:
    """Give the neutral messages of some messages of the caller's.

    Raises:
        MessageError: for one that cannot be read; it says which.
    """
    transcript = Transcript(natives, (), codec)
    return (transcript[at] for at in range(len(transcript)))


def question_of(history: Sequence[Any], message: object, door: Codec[Any]) -> str:
    """Give the text of the message that is being answered: the current one, else the last of the user's."""
    if isinstance(message, str):
        return message
    return Transcript(history if message is None else (message,), (), door).question()
