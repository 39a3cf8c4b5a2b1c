"""A conversation in somebody's own message type, and the doors to it."""

from __future__ import annotations

from typing import Any

import pytest

from ctx_core import Message, MessageError, Role
from ctx_core.conversation.codecs import codec_for
from ctx_core.conversation.message_types import NeutralCodec
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.conversation.transcript import Transcript


class RecordingCodec(OpenAICodec):
    """Knows which messages it has read."""

    def __init__(self) -> None:
        """Begin with none."""
        self.read_so_far: list[str] = []

    def read(self, native: dict[str, Any]) -> Message:
        """Read, and write it down."""
        self.read_so_far.append(native["content"])
        return super().read(native)


HISTORY = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}]
TAIL = [{"role": "user", "content": "three"}]


def test_it_is_the_history_and_what_follows() -> None:
    """Positions run on from the history into the tail."""
    transcript = Transcript(HISTORY, TAIL, OpenAICodec())
    assert len(transcript) == 3
    assert [transcript[at].text for at in range(3)] == ["one", "two", "three"]
    assert transcript.source(2) is TAIL[0]


def test_a_message_is_read_once() -> None:
    """Looking twice costs nothing, and gives the same object."""
    codec = RecordingCodec()
    transcript = Transcript(HISTORY, TAIL, codec)
    assert transcript[1] is transcript[1]
    assert codec.read_so_far == ["two"]


def test_a_role_is_known_without_reading() -> None:
    """A long history is asked for its roles only."""
    codec = RecordingCodec()
    transcript = Transcript(HISTORY, TAIL, codec)
    assert [transcript.role(at) for at in range(3)] == [Role.USER, Role.ASSISTANT, Role.USER]
    assert codec.read_so_far == []


def test_the_role_of_a_message_that_was_read_is_its_own() -> None:
    """Both ways to a role agree."""
    transcript = Transcript(HISTORY, TAIL, OpenAICodec())
    assert transcript.role(1) is transcript[1].role is Role.ASSISTANT


@pytest.mark.parametrize("look", [Transcript.role, Transcript.__getitem__])
def test_an_error_says_which_message_it_was(look: Any) -> None:
    """A position is counted from 1, as people do."""
    transcript = Transcript([*HISTORY, {"role": "wizard", "content": "x"}], [], OpenAICodec())
    with pytest.raises(MessageError, match=r"^message 3 of 3: unknown role 'wizard'"):
        look(transcript, 2)


def test_the_neutral_door_changes_nothing() -> None:
    """Neutral messages come and go as they are."""
    message = Message.user("hi")
    codec = NeutralCodec()
    assert codec.read(message) is codec.write(message) is message
    assert codec.role(message) is Role.USER


def test_the_neutral_door_refuses_other_types() -> None:
    """The type is named, the content is not."""
    wrong: Any = {"role": "user", "content": "secret"}
    with pytest.raises(MessageError, match="expected a ctx_core Message, found dict") as caught:
        NeutralCodec().role(wrong)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("history", "message", "door"),
    [
        (HISTORY, None, OpenAICodec),
        ([], TAIL[0], OpenAICodec),
        ([Message.user("hi")], None, NeutralCodec),
        ([], Message.user("hi"), NeutralCodec),
        ([], "hi", NeutralCodec),
        ([], None, NeutralCodec),
        (HISTORY, "hi", OpenAICodec),
    ],
)
def test_the_door_is_told_by_the_first_message(history: list[Any], message: object, door: type) -> None:
    """Dicts go through one, neutral messages and nothing at all through the other."""
    assert isinstance(codec_for(history, message), door)


@pytest.mark.parametrize("first", [3, object(), ["user", "hi"], ("user", "hi")])
def test_other_types_of_messages_are_refused(first: object) -> None:
    """The error says what was found, and where the frameworks' messages go."""
    with pytest.raises(MessageError, match=rf"found {type(first).__name__}.*langchain_ctx and llamaindex_ctx"):
        codec_for([first], None)
