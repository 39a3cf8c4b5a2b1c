"""OpenAI's rules for whole requests, on requests made for the purpose."""

from __future__ import annotations

from typing import Any

import pytest

from ctx_core.counting import RequestOptions, TokenCounter, Tokenizer
from ctx_core.messages import Message, ToolCall

CHAT = TokenCounter.for_model("gpt-4o")
O1 = TokenCounter.for_model("o1")
TOOL = {"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": {
    "type": "object", "required": ["a", "b"],
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}}}  # fmt: skip
TYPED = (
    "namespace functions {\n\n// Adds.\ntype add = (_: { a: number, b: number }) => any;\n\n} // namespace functions"
)


@pytest.fixture(name="tokens")
def _tokens() -> Tokenizer:
    return CHAT.tokenizer


def estimate(counter: TokenCounter, *messages: Message, **given: Any) -> int:
    """Give the nearest figure of a request."""
    return counter.measure(messages, **given).estimate


def test_text_costs_three_and_four_a_message() -> None:
    """A chat request costs its texts, 4 a message and 3."""
    assert estimate(CHAT, Message.system("Hi"), Message.user("Hello world")) == 3 + 4 + 1 + 4 + 2


def test_reasoning_models_cost_two_and_two_more_for_answers() -> None:
    """A reasoning model's request costs 2, and each answer in it 2 more."""
    assert estimate(O1, Message.user("Hi"), Message.assistant("Hi"), Message.user("Hi")) == 2 + 3 * 5 + 2


def test_name_costs_its_tokens_and_one() -> None:
    """A speaker's name is billed, one less where it is the role."""
    plain = estimate(CHAT, Message.user("Hi"))
    assert estimate(CHAT, Message.user("Hi", name="Bob")) == plain + 2
    assert estimate(CHAT, Message.user("Hi", name="user")) == plain + 1


def test_tools_cost_their_typescript_text(tokens: Tokenizer) -> None:
    """Without a system message, tools are a message of their own; in the responses API they are 3 over their text."""
    plain = estimate(CHAT, Message.user("Hi"))
    assert estimate(CHAT, Message.user("Hi"), tools=[TOOL]) == plain + tokens.count(TYPED) + 9
    responses = TokenCounter.for_model("gpt-4o", api="responses")
    assert estimate(responses, Message.user("Hi"), tools=[TOOL]) == plain + tokens.count(TYPED) + 3


def test_tools_are_appended_to_the_system_message(tokens: Tokenizer) -> None:
    """With a system message, tools are written into it, and joined with its last signs."""
    heading = "\n\n# Tools\n\n## functions\n\n" + TYPED
    for text in ("Be brief", "Be brief."):
        joined = tokens.count(text + heading) - 1
        found = estimate(CHAT, Message.system(text), Message.user("Hi"), tools=[TOOL])
        assert abs(found - (3 + 4 + joined + 5)) <= 1


def test_forced_tool_costs_its_name(tokens: Tokenizer) -> None:
    """A forced tool is billed on a chat model, and not on a reasoning one."""
    options = RequestOptions(tool_choice="add")
    for counter, cost in ((CHAT, 6 + tokens.count("functions.add")), (O1, 0)):
        auto = estimate(counter, Message.user("Hi"), tools=[TOOL])
        assert estimate(counter, Message.user("Hi"), tools=[TOOL], options=options) == auto + cost


def test_call_and_result_cost_ten_with_their_names(tokens: Tokenizer) -> None:
    """A call and its result cost their texts, the name twice and 10; ids cost nothing."""
    call = ToolCall(name="add", arguments='{"a": 1, "b": 2}', id="call_1234567890")
    pair = (Message.assistant(tool_calls=(call,)), Message.tool("3", tool_call_id=call.id))
    texts = ('{"a":1,"b":2}', " to=functions.add", "add", "3")
    assert estimate(CHAT, *pair) == 3 + 10 + sum(map(tokens.count, texts))


def test_parallel_calls_are_one_call(tokens: Tokenizer) -> None:
    """Calls side by side are billed as one call that holds them, and their results as JSON."""
    calls = tuple(ToolCall(name="add", arguments=f'{{"a":{n},"b":2}}', id=str(n)) for n in (1, 2))
    results = (Message.tool("3\n", tool_call_id="1"), Message.tool("4", tool_call_id="2"))
    held = ",".join(f'{{"recipient_name":"functions.add","parameters":{{"a":{n},"b":2}}}}' for n in (1, 2))
    texts = (f'{{"tool_uses":[{held}]}}', '"3\\n"', '"4"')
    assert estimate(CHAT, Message.assistant(tool_calls=calls), *results) == 3 + 20 + sum(map(tokens.count, texts))


def test_schema_of_the_answer_is_billed_without_what_is_only_enforced(tokens: Tokenizer) -> None:
    """Limits, required keys and closed objects are not part of what a structured answer costs."""
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"],
              "additionalProperties": False}  # fmt: skip
    shown = '# Response Formats\n\n## N\n\n{"type":"object","properties":{"n":{"type":"integer"}}}'
    found = estimate(CHAT, Message.user("Hi"), options=RequestOptions(schema=schema, schema_name="N"))
    assert found == estimate(CHAT, Message.user("Hi")) + tokens.count(shown) + 8


def test_bound_is_estimate_and_a_small_margin() -> None:
    """For an exact family the bound of a text request is 2 tokens over the estimate."""
    found = CHAT.measure([Message.user("Hi")])
    assert found.bound == found.estimate + 2 == CHAT.count_messages([Message.user("Hi")])


def test_counting_methods_give_the_bound_and_nearest_the_estimate() -> None:
    """What budgets add up is the bound; the counter beside it adds up the estimate."""
    messages = [Message.system("Be brief."), Message.user("Hi")]
    counter = TokenCounter.for_model("claude-sonnet-4-5")
    assert counter.count_messages(messages) == counter.primer + sum(map(counter.count_message, messages))
    assert counter.nearest.count_messages(messages) < counter.count_messages(messages)
    assert counter.nearest.nearest is counter.nearest or counter.nearest.margin.none


def test_empty_answer_costs_nothing() -> None:
    """An assistant message without anything in it is not rendered."""
    assert estimate(CHAT, Message.user("Hi"), Message.assistant()) == estimate(CHAT, Message.user("Hi"))
