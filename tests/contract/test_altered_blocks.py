"""Every kind of block in every door: what is cut, cleared or named is counted as it is sent, and keeps what it has."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest

from ctx_core import Framing, TokenCounter, ToolCallPolicy, ToolResultPolicy
from ctx_core.conversation.formats.names import format_named
from ctx_core.conversation.message_texts import text_units
from ctx_core.conversation.messages import Role
from ctx_core.conversation.transcript import Transcript, read_natives
from ctx_core.history.arguments import shortened_arguments
from ctx_core.history.calls import Calls
from ctx_core.history.json_cuts import JsonCutter
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


def _calls(messages: Sequence[Message]) -> Calls:
    return Calls([Entry(Position(one), message) for one, message in enumerate(messages)], COUNTER, CALL_POLICY)


def calls_cut(messages: Sequence[Message], at: int) -> Message:
    """Cut text and arguments of an answer."""
    message = messages[at]
    return _calls(messages).shortened(message, COUNTER.count_message(message) - 20) or message


def calls_cleared(messages: Sequence[Message], at: int) -> Message:
    """Clear the arguments of an answer's calls."""
    return _calls(messages).with_placeholders(messages[at], 3)


def calls_emptied(messages: Sequence[Message], at: int) -> Message:
    """Cut the arguments of an answer's calls as far as they go."""
    cutter = JsonCutter(counter=COUNTER, cut=lambda _text, _most: "")
    message = messages[at]
    calls = tuple(shortened_arguments(call, 1, cutter) for call in message.tool_calls)
    return replace(message, tool_calls=calls, altered=True) if calls else message


UNPARSED: Final = {
    "a call that is no JSON",
    "the assistant: a malformed call in a block",
    "a call in a block, and one beside that says more",
}
"""Kinds of which a client's door leaves out what it cannot send, or says that it is malformed: what a call says more
goes with the spelling that it stands in."""
MALFORMED: Final = 1
"""Tokens that saying so takes: the last step of a build says it first, and counts it."""
POLICY: Final = ToolResultPolicy()
CALL_POLICY: Final = ToolCallPolicy(min_tokens=5)
ALTERATIONS: Final = (cut, shortened, cleared, named)
OF_CALLS: Final = (calls_cut, calls_cleared, calls_emptied)


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
        recount = COUNTER.count_sequence(read_natives(written, DOORS[door]))
        counted = COUNTER.count_sequence(forms)
        assert recount == counted or (kind in UNPARSED and recount <= counted + MALFORMED)
        if alter is cut and text_units(message):
            assert COUNTER.count_message(forms[at]) < COUNTER.count_message(message)
    assert source == before


@pytest.mark.parametrize("alter", OF_CALLS)
@pytest.mark.parametrize(("door", "kind"), KINDS)
def test_altered_calls_are_counted_as_they_are_written(
    door: str, kind: str, alter: Callable[[Sequence[Message], int], Message]
) -> None:
    """Wherever a call is spelled; arguments that were JSON are JSON of the same keys."""
    source = said(door, kind, LONG)
    before = copy.deepcopy(source)
    transcript = Transcript(source, (), DOORS[door])
    messages = [transcript[at] for at in range(len(transcript))]
    for at, message in enumerate(messages):
        if message.role is not Role.ASSISTANT:
            continue
        forms = [*messages]
        forms[at] = alter(messages, at)
        again = list(read_natives(transcript.write(forms), DOORS[door]))
        if kind in UNPARSED:
            assert COUNTER.count_sequence(again) <= COUNTER.count_sequence(forms) + 1  # an empty object in its place
            continue
        assert COUNTER.count_sequence(again) == COUNTER.count_sequence(forms)
        for was, now in zip(message.tool_calls, again[at].tool_calls if len(again) > at else (), strict=False):
            assert keys(was.arguments) == keys(now.arguments)
            assert len(now.arguments) < len(was.arguments) or alter is calls_cut or "word9" not in was.arguments
    assert source == before


def keys(arguments: str) -> list[str] | None:
    """Give the keys of arguments; None where they are no JSON object."""
    try:
        read = json.loads(arguments)
    except ValueError:
        return None
    return list(read) if isinstance(read, dict) else None
