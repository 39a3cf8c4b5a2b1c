"""OpenAI's rules for whole requests, on requests made for the purpose."""

from __future__ import annotations

from typing import Any

import pytest

from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.parts import ReasoningPart
from ctx_core.counting import RequestOptions, TokenCounter, Tokenizer

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
    """Give the estimate of a request."""
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


def calls_of(*arguments: str) -> tuple[tuple[ToolCall, ...], tuple[Message, ...]]:
    """Make calls side by side, and a result for each."""
    calls = tuple(ToolCall(name="add", arguments=text, id=str(at)) for at, text in enumerate(arguments))
    return calls, tuple(Message.tool('{"sum": 3}', tool_call_id=call.id) for call in calls)


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-5", "o3"])
def test_calls_side_by_side_are_messages_of_their_own(model: str) -> None:
    """In the responses API calls made at once cost what they cost one after the other."""
    counter = TokenCounter.for_model(model, api="responses")
    calls, results = calls_of('{"a":1}', '{"a":2}', '{"a":3}')
    in_turn = [message for call, result in zip(calls, results, strict=True)
               for message in (Message.assistant(tool_calls=(call,)), result)]  # fmt: skip
    assert estimate(counter, Message.assistant(tool_calls=calls), *results) == estimate(counter, *in_turn)


def test_calls_side_by_side_of_a_reasoning_chat_are_held_with_plain_results(tokens: Tokenizer) -> None:
    """gpt-5's chat holds them in one call too, and gives the results as they are."""
    calls, results = calls_of('{"a":1}', '{"a":2}')
    held = ",".join(f'{{"recipient_name":"functions.add","parameters":{{"a":{n}}}}}' for n in (1, 2))
    texts = (f'{{"tool_uses":[{held}]}}', '{"sum": 3}', '{"sum": 3}')
    counter = TokenCounter.for_model("gpt-5")
    assert estimate(counter, Message.assistant(tool_calls=calls), *results) == 2 + 30 + sum(map(tokens.count, texts))


@pytest.mark.parametrize("levels", [100, 985, 990, 1_000, 100_000])
def test_arguments_of_any_depth_are_counted(levels: int) -> None:
    """As they are written, where they are nested too deep to be read."""
    deep = "[" * levels + "]" * levels
    calls, results = calls_of(deep, "{}")
    assert estimate(CHAT, Message.assistant(tool_calls=calls), *results) > 20
    assert estimate(CHAT, Message.assistant(tool_calls=calls[:1]), *results[:1]) > 20


def test_text_beside_calls_keeps_its_own_message(tokens: Tokenizer) -> None:
    """What is said beside calls that are held in one costs a message of its own."""
    calls, results = calls_of('{"a":1}', '{"a":2}')
    silent = estimate(CHAT, Message.assistant(tool_calls=calls), *results)
    assert estimate(CHAT, Message.assistant("Well", tool_calls=calls), *results) == silent + 4 + tokens.count("Well")


def test_newer_models_name_functions_in_full(tokens: Tokenizer) -> None:
    """From gpt-5.4 on, the responses API writes a function's full name before its call and its result."""
    call = ToolCall(name="dice_roll", arguments="{}", id="1")
    pair = (Message.assistant(tool_calls=(call,)), Message.tool("2", tool_call_id="1"))
    texts = ("functions.dice_roll", "functions.dice_roll", "{}", "2")
    counter = TokenCounter.for_model("gpt-5.4", api="responses")
    assert estimate(counter, *pair) == 2 + 18 + sum(map(tokens.count, texts))


def test_first_version_costs_a_token_more_a_message() -> None:
    """gpt-3.5-turbo-0301 rendered a message with one token more, and a name in the place of the role."""
    old, new = TokenCounter.for_model("gpt-3.5-turbo-0301"), TokenCounter.for_model("gpt-3.5-turbo")
    messages = (Message.system("Hi"), Message.user("Hi"))
    assert estimate(old, *messages) == estimate(new, *messages) + 2
    assert estimate(old, Message.user("Hi", name="Bob")) == estimate(old, Message.user("Hi"))


def test_encrypted_thoughts_of_the_running_turn_are_billed() -> None:
    """What is in the encrypted copy costs by its length, its summary nothing, and both nothing after the turn."""
    counter = TokenCounter.for_model("gpt-5", api="responses")
    call = ToolCall(name="add", arguments="{}", id="1")

    def step(*parts: ReasoningPart) -> tuple[Message, Message]:
        return Message(role=Role.ASSISTANT, parts=parts, tool_calls=(call,)), Message.tool("3", tool_call_id="1")

    bare = (Message.user("Hi"), *step())
    thought = (Message.user("Hi"), *step(ReasoningPart("A long summary for people.", encrypted=844 + 660)))
    assert estimate(counter, *thought) == estimate(counter, *bare) + 5 + 100
    assert estimate(counter, *thought, Message.user("Go on")) == estimate(counter, *bare, Message.user("Go on"))
    assert counter.count_messages(thought) >= counter.count_messages(bare) + 105


def test_grammar_of_a_tool_is_shown_with_some_advice(tokens: Tokenizer) -> None:
    """A tool that takes text by a grammar costs the grammar and 50 tokens."""
    grammar = {"type": "grammar", "syntax": "lark", "definition": "start: INT\n%import common.INT"}
    plain = {"type": "custom", "name": "sum", "description": "Adds."}
    counter = TokenCounter.for_model("gpt-5", api="responses")
    shown = tokens.count("// Adds.\n// start: INT\n// %import common.INT") - tokens.count("// Adds.")
    found = estimate(counter, Message.user("Hi"), tools=[{**plain, "format": grammar}])
    assert abs(found - estimate(counter, Message.user("Hi"), tools=[plain]) - shown - 50) <= 1


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


def test_counting_methods_give_the_bound_and_the_estimate_without_a_margin() -> None:
    """What budgets add up is the bound; the counter beside it adds up the estimate."""
    messages = [Message.system("Be brief."), Message.user("Hi")]
    counter = TokenCounter.for_model("claude-sonnet-4-5")
    assert counter.count_messages(messages) == counter.primer + sum(map(counter.count_message, messages))
    assert counter.without_margin.count_messages(messages) < counter.count_messages(messages)
    assert counter.without_margin.without_margin is counter.without_margin or counter.without_margin.margin.none


def test_empty_answer_costs_nothing() -> None:
    """An assistant message without anything in it is not rendered."""
    assert estimate(CHAT, Message.user("Hi"), Message.assistant()) == estimate(CHAT, Message.user("Hi"))
