"""Every kind of block in every door: what is cut, cleared or named is counted as it is sent, and keeps what it has."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

import pytest

from ctx_core import Framing, TokenCounter, ToolResultPolicy
from ctx_core.conversation.formats.names import format_named
from ctx_core.conversation.message_texts import text_units
from ctx_core.conversation.messages import Role
from ctx_core.conversation.transcript import Transcript, read_natives
from ctx_core.history.media import shows_screen, with_named_media
from ctx_core.history.places import Index, Position
from ctx_core.history.repair import Entry
from ctx_core.history.results import Results
from ctx_core.history.shortening import Shortening
from ctx_core.truncation import cut_end
from langchain_ctx.convert import CODEC as LANGCHAIN
from llamaindex_ctx.convert import CODEC as LLAMAINDEX
from tests.payloads.said import FRAMEWORKS
from tests.payloads.said_in_formats import FORMATS
from tests.payloads.words import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctx_core import Message

COUNTER: Final = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
LONG: Final = tuple(f"word{at}" for at in range(60))
DOORS: Final[dict[str, Any]] = {
    **{name: format_named(name) for name in FORMATS},
    "langchain": LANGCHAIN,
    "llamaindex": LLAMAINDEX,
}
KINDS: Final = [
    *((name, kind) for name, kinds in FORMATS.items() for kind in kinds),
    *((name, kind) for name, kinds in FRAMEWORKS.items() for kind in kinds),
]


def said(door: str, kind: str, words: Sequence[str]) -> list[Any]:
    """Give the caller's messages."""
    table: Any = {**FORMATS, **FRAMEWORKS}
    made: list[Any] = table[door][kind](Words(words), 1)
    return made


def cut(messages: Sequence[Message], at: int) -> Message:
    """Cut the texts of a message by some words."""
    message = messages[at]
    shortening = Shortening(
        counter=COUNTER, price=COUNTER.count_message, cut=lambda text, most: cut_end(text, most, COUNTER)
    )
    return shortening.of(message, COUNTER.count_message(message) - 20) or message


def shortened(messages: Sequence[Message], at: int) -> Message:
    """Cut a result as the policy does."""
    found = Results([Entry(Position(one), message) for one, message in enumerate(messages)], COUNTER, POLICY)
    return found.shortened(Index(at), COUNTER.count_message(messages[at]) // 2) if at in found else messages[at]


def cleared(messages: Sequence[Message], at: int) -> Message:
    """Clear a result."""
    found = Results([Entry(Position(one), message) for one, message in enumerate(messages)], COUNTER, POLICY)
    return found.with_placeholder(Index(at), 3) if at in found else messages[at]


def named(messages: Sequence[Message], at: int) -> Message:
    """Name the media of a message."""
    return with_named_media(messages[at])


POLICY: Final = ToolResultPolicy()
ALTERATIONS: Final = (cut, shortened, cleared, named)


@pytest.mark.parametrize("alter", ALTERATIONS)
@pytest.mark.parametrize(("door", "kind"), KINDS)
def test_what_is_altered_is_counted_as_it_is_written(
    door: str, kind: str, alter: Callable[[Sequence[Message], int], Message]
) -> None:
    """Read again, the written message costs what was counted, and the caller's objects are as they were."""
    source = said(door, kind, LONG)
    before = copy.deepcopy(source)
    transcript = Transcript(source, (), DOORS[door])
    messages = [transcript[at] for at in range(len(transcript))]
    for at, message in enumerate(messages):
        if message.role is Role.ASSISTANT or shows_screen(message):
            continue
        forms = [*messages]
        forms[at] = alter(messages, at)
        written = transcript.write(forms)
        assert COUNTER.count_sequence(read_natives(written, DOORS[door])) == COUNTER.count_sequence(forms)
        if alter is cut and text_units(message):
            assert COUNTER.count_message(forms[at]) < COUNTER.count_message(message)
    assert source == before
