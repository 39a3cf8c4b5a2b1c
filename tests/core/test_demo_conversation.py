"""The conversation of the demonstration, and the engine's run through it."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import as_file, files
from typing import Any

import pytest

from ctx_core import TokenCounter, fit
from ctx_core.cli.source import Source
from ctx_core.cli.tool_file import read_tools
from ctx_core.demo import TOOLS, conversation, run

CONVERSATION = conversation()
COUNTER = TokenCounter.for_model("gpt-4o")
RESULTS = [message for message in CONVERSATION if message["role"] == "tool"]


def calls() -> list[dict[str, Any]]:
    """Give every call of the conversation, in order."""
    return [call for message in CONVERSATION for call in message.get("tool_calls", ())]


def test_it_is_long() -> None:
    """There are at least 200 messages behind one system message."""
    assert len(CONVERSATION) >= 201
    assert [message["role"] for message in CONVERSATION].count("system") == 1
    assert CONVERSATION[0]["role"] == "system"


def test_it_is_always_the_same() -> None:
    """Each call gives equal messages, and new ones: a caller may change them."""
    again = conversation()

    assert again == CONVERSATION
    assert all(mine is not theirs for mine, theirs in zip(again, CONVERSATION, strict=True))


def test_the_command_line_reads_its_file() -> None:
    """`ctx-layers fit FILE --tools FILE` takes the conversation and the tools from the file that holds them."""
    with as_file(files("ctx_core.demo") / "conversation.json") as path, Source(str(path)) as source:
        assert source.one().messages == CONVERSATION
        assert read_tools(str(path)) == list(TOOLS)


def test_nothing_in_it_has_to_be_repaired() -> None:
    """With room for everything, the engine sends the very messages of it."""
    context = fit(CONVERSATION, 1_000_000, counter=COUNTER)

    assert [id(message) for message in context.messages] == [id(message) for message in CONVERSATION]
    assert not context.report.history.repairs


def test_call_ids_are_unique() -> None:
    """No id is used twice, and results come in the order of their calls."""
    ids = [call["id"] for call in calls()]

    assert len(set(ids)) == len(ids)
    assert [message["tool_call_id"] for message in RESULTS] == ids


def test_it_has_parallel_calls() -> None:
    """Some steps call up to five tools at once."""
    assert max(len(message.get("tool_calls", ())) for message in CONVERSATION) == 5


def test_results_are_small_and_huge() -> None:
    """Results cost from under 50 to over 6,000 tokens, several of them over 3,000."""
    sizes = [COUNTER.count_text(message["content"]) for message in RESULTS]

    assert min(sizes) < 50
    assert max(sizes) > 6_000
    assert sum(size > 3_000 for size in sizes) >= 4


def test_some_calls_fail() -> None:
    """Failed calls say `error`, and are tried again."""
    failed = {m["tool_call_id"] for m in RESULTS if m["content"].startswith('{"error"')}
    names = Counter(call["function"]["name"] for call in calls() if call["id"] in failed)

    assert names == {"refund": 1, "change_booking": 1, "log_entry": 1}


@pytest.mark.parametrize("letter", ["ü", "à", "ż", "я", "お", "ع", "म", "船", "ñ", "å", "🙏"])
def test_users_write_in_many_scripts(letter: str) -> None:
    """Users write in Latin, Cyrillic, Arabic, Devanagari, Chinese and Japanese letters, and with emoji."""
    assert any(letter in message["content"] for message in CONVERSATION if message["role"] == "user")


def test_every_call_keeps_to_its_definition() -> None:
    """Each call names a tool of TOOLS, with arguments that its schema knows and with all that it requires."""
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}
    for call in calls():
        schema = schemas[call["function"]["name"]]
        arguments = json.loads(call["function"]["arguments"])
        assert set(schema["required"]) <= set(arguments) <= set(schema["properties"])


def test_every_tool_is_called() -> None:
    """No definition is there for nothing."""
    assert {call["function"]["name"] for call in calls()} == {tool["function"]["name"] for tool in TOOLS}


def test_the_run_asks_for_every_answer() -> None:
    """With room for everything, each request is the conversation up to the assistant's message."""
    replies = [at for at, message in enumerate(CONVERSATION) if message["role"] == "assistant"]

    assert [messages for messages, _ in run(CONVERSATION, 1_000_000, COUNTER)] == [CONVERSATION[:at] for at in replies]


def test_the_run_remembers_its_cuts() -> None:
    """At 6,000 tokens every request fits, and few of them cut: in between, the start of the prompt stays."""
    cuts = 0
    for messages, report in run(CONVERSATION, 6_000, COUNTER):
        assert COUNTER.count_messages(messages) == report.used <= 6_000
        cuts += report.history.cut
    assert 5 <= cuts <= 15


def test_the_run_asks_a_last_question() -> None:
    """A conversation that ends with a question ends with a request for its answer."""
    *_, (messages, _) = run(CONVERSATION[:-1], 1_000_000, COUNTER)

    assert messages == CONVERSATION[:-1]


def test_a_mere_system_prompt_or_greeting_is_no_request() -> None:
    """Without a question nothing is asked."""
    greeting = {"role": "assistant", "content": "Hello!"}

    assert list(run([], 100)) == []
    assert list(run([CONVERSATION[0], greeting], 1_000)) == []
