"""Calls, tools and marks as providers take them, in every format of messages."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from ctx_core import HistoryPolicy, Message, Role, TokenCounter, ToolCall, fit
from ctx_core.builder import ContextBuilder
from ctx_core.conversation.formats.names import format_named
from ctx_core.conversation.transcript import read_natives
from ctx_core.validate import validate
from langchain_ctx.convert import CODEC as LANGCHAIN
from llamaindex_ctx.convert import CODEC as LLAMAINDEX

COUNTER: Final = TokenCounter(lambda text: len(text.split()))
DOORS: Final[dict[str, Any]] = {
    **{name: format_named(name) for name in ("openai", "anthropic", "gemini", "bedrock", "responses")},
    "langchain": LANGCHAIN,
    "llamaindex": LLAMAINDEX,
}
TOOL: Final = {"type": "function", "function": {"name": "look", "description": "Look.", "parameters": {}}}


def talk(*calls: ToolCall) -> list[Message]:
    """Give a question, calls with their results, and another question."""
    results = [Message.tool("sunny", tool_call_id=call.id, name=call.name) for call in calls]
    return [Message.user("Where?"), Message.assistant("So.", tool_calls=calls), *results, Message.user("Then?")]


def through(door: str, messages: list[Message], provider: Any, **options: Any) -> list[Message]:
    """Write messages as a door has them, fit those, and read what goes out."""
    codec = DOORS[door]
    natives = codec.join(messages)
    builder = ContextBuilder(10_000, COUNTER).provider(provider=provider)
    if options.get("tools") == ():
        builder = builder.without_tools()
    context = builder.build(natives, codec=codec)
    sent = list(read_natives(context.messages, codec))
    assert context.tokens == builder.plan.counter.count_messages(sent)
    return sent


MALFORMED: Final = ("{not json", "[1, 2]", '"text"', "")


@pytest.mark.parametrize("arguments", MALFORMED)
@pytest.mark.parametrize("door", ["openai", "langchain", "llamaindex"])
def test_malformed_arguments_are_an_object_that_says_so(door: str, arguments: str) -> None:
    """Beside calls that are as they should be, which stay as they are."""
    good = ToolCall(name="look", id="b", arguments='{"place": "Oslo"}')
    sent = through(door, talk(ToolCall(name="look", id="a", arguments=arguments), good), "anthropic")
    calls = {call.id: json.loads(call.arguments) for call in sent[1].tool_calls}
    read = json.loads(arguments) if arguments.startswith(("[", '"')) else arguments
    assert calls == {"a": {"malformed_arguments": read} if arguments else {}, "b": {"place": "Oslo"}}
    assert [message.tool_call_id for message in sent if message.role is Role.TOOL] == ["a", "b"]
    assert sent[1].text == "So."


def test_what_nobody_refuses_stays_malformed() -> None:
    """OpenAI takes any text for arguments."""
    messages = talk(ToolCall(name="look", id="a", arguments="{not json"))
    context = fit(messages, 1_000, counter=COUNTER, provider="openai")
    assert all(one is other for one, other in zip(context.messages, messages, strict=True))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("provider", ["anthropic", "bedrock", "unknown"])
def test_without_tools_calls_and_results_are_texts(door: str, provider: str) -> None:
    """Where it is said that there are none; where nothing is said, they stay."""
    messages = talk(ToolCall(name="look", id="a", arguments='{"place": "Oslo"}'), ToolCall(name="look", id="b"))
    assert any(message.tool_calls for message in through(door, messages, provider))
    sent = through(door, messages, provider, tools=())
    assert not any(message.tool_calls or message.role is Role.TOOL for message in sent)
    text = "\n".join(message.text for message in sent)
    assert "[called look with {" in text
    assert text.count("[look gave]\nsunny") == 2 or text.count("[look gave]") == 2


def test_an_empty_list_says_that_there_are_no_tools() -> None:
    """And no list says nothing."""
    messages = talk(ToolCall(name="look", id="a"))
    for tools, changed in ((None, False), ((), True), ([TOOL], False)):
        context = fit(messages, 1_000, counter=COUNTER, provider="bedrock", tools=tools)
        assert ("tools in texts" in context.report.changes) is changed


def test_text_behind_a_call_goes_before_it() -> None:
    """Anthropic refuses the other order; the blocks are the caller's own."""
    said = {"type": "text", "text": "so"}
    used = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
    given = {"type": "tool_result", "tool_use_id": "a", "content": "sunny"}
    natives: list[dict[str, Any]] = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [used, said]},
        {"role": "user", "content": [given]},
    ]
    context = fit(natives, 1_000, counter=COUNTER)
    assert context.messages[1]["content"] == [said, used]
    assert context.messages[1]["content"][0] is said
    assert natives[1]["content"] == [used, said]
    assert context.report.changes == {"calls last": 1}
    assert fit(natives, 1_000, counter=COUNTER, provider=False).messages[1] is natives[1]


@pytest.mark.parametrize("provider", ["bedrock", "mistral"])
def test_a_name_that_can_be_none_is_another(provider: str) -> None:
    """Calls of other providers' tools have such names."""
    messages = talk(ToolCall(name="functions.look around", id="abcdefghi"))
    context = fit(messages, 1_000, counter=COUNTER, provider=provider)
    assert context.messages[1].tool_calls[0].name == "functions_look_around"


def marked(text: str) -> dict[str, Any]:
    """Give a block of Anthropic's with a mark."""
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}


def marks(value: object) -> list[str]:
    """Give the texts whose blocks have marks."""
    if isinstance(value, list):
        return [text for one in value for text in marks(one)]
    if not isinstance(value, dict):
        return []
    own = [str(value.get("text") or value.get("content"))] if "cache_control" in value else []
    return own + [text for one in value.values() for text in marks(one)]


def test_the_first_mark_and_the_last_ones_stay() -> None:
    """Four in all; those of tools and of a system text apart count too."""
    natives: list[dict[str, Any]] = [
        message
        for at in range(6)
        for message in (
            {"role": "user", "content": [marked(f"q{at}")]},
            {"role": "assistant", "content": [{"type": "text", "text": "yes"}]},
        )
    ]
    natives.append({"role": "user", "content": "then?"})
    assert marks(fit(natives, 1_000, counter=COUNTER, format="anthropic").messages) == ["q0", "q3", "q4", "q5"]
    context = fit(natives, 1_000, counter=COUNTER, format="anthropic", system=[marked("Be brief.")])
    assert marks(context.messages) == ["q3", "q4", "q5"]
    assert context.report.changes == {"cache marks": 3}
    tool = {"name": "look", "input_schema": {}, "cache_control": {"type": "ephemeral"}}
    context = fit(natives, 1_000, counter=COUNTER, format="anthropic", system=[marked("s")], tools=[tool])
    assert marks(context.messages) == ["q4", "q5"]
    assert len(marks(natives)) == 6
    # So do those in OpenAI's dicts, as gateways take them: the blocks say the same without them.
    assert marks(fit(natives, 1_000, counter=COUNTER, provider="anthropic").messages) == ["q0", "q3", "q4", "q5"]
    assert marks(fit(natives, 1_000, counter=COUNTER, format="anthropic", provider=False).messages) == marks(natives)


def test_marks_of_results_and_calls_go_too() -> None:
    """In the blocks of the caller's messages, of which copies go out."""
    natives: list[dict[str, Any]] = [{"role": "user", "content": "hi"}]
    for at in range(4):
        mark = {"cache_control": {"type": "ephemeral"}}
        used = {"type": "tool_use", "id": f"a{at}", "name": "look", "input": {}, **mark}
        given = {"type": "tool_result", "tool_use_id": f"a{at}", "content": f"r{at}", **mark}
        natives += [{"role": "assistant", "content": [used]}, {"role": "user", "content": [given]}]
    context = fit(natives, 1_000, counter=COUNTER)
    held = [block for message in context.messages[1:] for block in message["content"]]
    assert ["cache_control" in block for block in held] == [True, False, False, False, False, True, True, True]
    assert [block["type"] for block in held] == ["tool_use", "tool_result"] * 4
    assert context.messages[-1] is natives[-1]
    points: list[dict[str, Any]] = [
        {"role": role, "content": [{"text": "hi"}, {"cachePoint": {"type": "default"}}]}
        for role in ("user", "assistant") * 3
    ][:5]
    sent = fit(points, 1_000, counter=COUNTER, format="bedrock").messages
    assert [len(message["content"]) for message in sent] == [2, 1, 2, 2, 2]


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini", "bedrock", "mistral", "cohere", "chat_template"])
def test_what_goes_out_is_valid(provider: str) -> None:
    """By the checks, which know nothing of the step."""
    broken = [
        Message.assistant("Welcome."),
        Message.user(" "),
        Message.user("hi"),
        Message.assistant("a", tool_calls=(ToolCall(name="a b", id="x" * 80, arguments="{"), ToolCall(name="look"))),
        Message.tool("sunny", tool_call_id="x" * 80),
        Message.tool("", tool_call_id=None),
        Message.system("It is noon."),
        Message.user("so?"),
        Message.assistant("b", tool_calls=(ToolCall(name="look", id="x" * 80),)),
        Message.assistant("c"),
        Message.assistant("d "),
    ]
    policy = HistoryPolicy()
    context = fit(broken, 10_000, counter=COUNTER, provider=provider, policy=policy)
    assert validate(context.messages, provider=provider).refusals == ()
