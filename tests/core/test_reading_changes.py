"""A conversation that nothing tells from one of OpenAI's at first, and that is known for Anthropic's later."""

from __future__ import annotations

from typing import Any, Final

import pytest

from ctx_core import HistoryPolicy, TokenCounter, WindowState, fit
from ctx_core.conversation.formats.names import format_named, format_of
from ctx_core.conversation.transcript import Transcript
from ctx_core.history.keys import message_key
from ctx_core.session import ContextSession

COUNTER: Final = TokenCounter(len, model="claude-opus-5-5")
TOOLS: Final[list[dict[str, Any]]] = [{"name": "f", "input_schema": {"type": "object"}}]
Talk = list[dict[str, Any]]


def thought(number: int) -> dict[str, Any]:
    """Make a signed thought."""
    return {"type": "thinking", "thinking": "Hm.", "signature": f"SIG{number}"}


def question(number: int) -> dict[str, Any]:
    """Make a question."""
    return {"role": "user", "content": f"Question {number} {'of words ' * 20}"}


def turns() -> list[Talk]:
    """Give the conversation at each request: answers with thoughts, then a running loop of calls."""
    talk: Talk = []
    found: list[Talk] = []
    for number in range(8):
        talk = [*talk, question(number)]
        found.append(talk)
        talk = [*talk, {"role": "assistant", "content": [thought(number), {"type": "text", "text": "An answer."}]}]
    talk = [*talk, question(8)]
    for number in range(8, 11):
        found.append(talk)
        call = {"type": "tool_use", "id": f"t{number}", "name": "f", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "42"}
        talk = [*talk, {"role": "assistant", "content": [thought(number), call]}, {"role": "user", "content": [result]}]
    return [*found, talk]


def signatures(messages: Talk) -> list[str]:
    """Give the signatures that go out."""
    contents = [message["content"] for message in messages if isinstance(message["content"], list)]
    return [block["signature"] for content in contents for block in content if block["type"] == "thinking"]


@pytest.mark.parametrize("limit", [100_000, 1_700])
@pytest.mark.parametrize("tools", [None, TOOLS])
@pytest.mark.parametrize("system", [None, "Be brief."])
def test_thoughts_stay_when_the_reading_changes(limit: int, system: str | None, tools: Talk | None) -> None:
    """With a state, as many go out as where the format is said, whether or not the list was cut before."""
    assert {format_of(talk) for talk in turns()} == {"openai", "anthropic"}
    guessed, said = WindowState(), WindowState()
    for talk in turns():
        read = fit(talk, limit, counter=COUNTER, state=guessed, system=system, tools=tools)
        told = fit(talk, limit, counter=COUNTER, state=said, system=system, tools=tools, format="anthropic")
        assert signatures(read.conversation) == signatures(told.conversation)
        assert read.conversation == told.conversation
        guessed, said = read.state, told.state
        assert guessed == said
        if limit == 100_000:
            assert signatures(read.conversation) == signatures(talk)


def test_a_session_keeps_thoughts_too() -> None:
    """It remembers by itself, and its history is read by what was added last."""
    session = ContextSession[Any](budget=100_000, counter=COUNTER, policy=HistoryPolicy())
    for talk in turns():
        assert signatures(session.fit(talk).messages) == signatures(talk)


def test_another_system_text_still_takes_the_thoughts() -> None:
    """Where it leads the list and where it goes apart: thoughts are bound to it."""
    for before, after in ((turns()[4], turns()[5]), (turns()[-2], turns()[-1]), (turns()[8], turns()[9])):
        first = fit(before, 100_000, counter=COUNTER, state=WindowState(), system="Be brief.")
        assert signatures(first.messages)
        again = fit(after, 100_000, counter=COUNTER, state=first.state, system="Be long.")
        assert signatures(again.messages) == []


ANY: Final[dict[str, Talk]] = {
    "texts": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}],
    "blocks": [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}],
    "thoughts": [{"role": "assistant", "content": [thought(1), {"type": "redacted_thinking", "data": "x"}]}],
    "marks": [{"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]}],
    "a picture": [
        {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "https://e.example/a.png"}}]}
    ],
    "a document": [
        {
            "role": "user",
            "content": [
                {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}}
            ],
        }
    ],
    "a file": [{"role": "user", "content": [{"type": "container_upload", "file_id": "f1"}]}],
    "an instruction": [{"role": "user", "content": "a"}, {"role": "system", "content": "b"}],
    "neighbors": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}],
    "nothing": [{"role": "assistant", "content": []}, {"role": "user", "content": ""}],
}


@pytest.mark.parametrize("name", ANY)
def test_a_message_is_recognized_by_one_key_in_both_readings(name: str) -> None:
    """So what was decided about it stays where the reading changes."""
    keys = []
    for format_name in ("openai", "anthropic"):
        transcript = Transcript[Any](ANY[name], (), format_named(format_name))
        keys.append([message_key(transcript[at]) for at in range(len(transcript))])
    assert keys[0] == keys[1]
    assert len(keys[0]) == len(ANY[name])
