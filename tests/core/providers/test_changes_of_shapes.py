"""Roles, keys, parts and items that a named row refuses, and what the last step makes of them."""

from __future__ import annotations

from typing import Any, Final

import pytest

from ctx_core import TokenCounter, fit, validate

Native = dict[str, Any]
Talk = list[Native]

BEGIN: Final = "[The conversation begins.]"
HI: Final[Native] = {"role": "user", "content": "hi"}
YES: Final[Native] = {"role": "assistant", "content": "yes"}
SYSTEM: Final[Native] = {"role": "system", "content": "Be brief."}
DEVELOPER: Final[Native] = {"role": "developer", "content": "Be brief."}
OLD_CALL: Final[Native] = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
OLD_RESULT: Final[Native] = {"role": "function", "name": "f", "content": "42"}
LONG: Final = "x" * 70
WORD: Final[Native] = {"role": "user", "parts": [{"text": "hi"}]}
CALL: Final[Native] = {"type": "function_call", "call_id": "c1", "id": "fc_1", "name": "f", "arguments": "{}"}
OUTPUT: Final[Native] = {"type": "function_call_output", "call_id": "c1", "output": "42"}
CALL_2: Final[Native] = {**CALL, "call_id": "c2"}
OUTPUT_2: Final[Native] = {**OUTPUT, "call_id": "c2"}
THOUGHT: Final[Native] = {"type": "reasoning", "id": "rs_1", "summary": []}

MISTRAL, DEEPSEEK, COHERE, LLAMA = "mistral-large-latest", "deepseek-chat", "command-a-03-2025", "llama3.1:8b"
SONNET, GEMINI, GPT, ITEMS = "claude-sonnet-4-5", "gemini-2.5-flash", "gpt-4o", "gpt-5.2"


def said(item_id: str, text: str = "yo") -> Native:
    """Give an item of an answer."""
    return {"type": "message", "role": "assistant", "id": item_id, "content": [{"type": "output_text", "text": text}]}


def without_id(item: Native) -> Native:
    """Give an item without its own id."""
    return {key: value for key, value in item.items() if key != "id"}


def blocks(role: str, *listed: Native) -> Native:
    """Give a message of Responses."""
    return {"role": role, "content": [*listed]}


def part(*listed: Native, role: str = "model") -> Native:
    """Give a content of Gemini's."""
    return {"role": role, "parts": [*listed]}


CASES: Final[dict[str, tuple[str, Talk, Talk, str]]] = {
    **{
        f"a developer for {model}": (model, [DEVELOPER, HI], [SYSTEM, HI], "developer's role")
        for model in (MISTRAL, DEEPSEEK, COHERE, LLAMA)
    },
    "an empty list of calls": (GPT, [HI, {**YES, "tool_calls": []}, HI], [HI, YES, HI], "empty lists of calls"),
    "a prefix that is not the last": (MISTRAL, [HI, {**YES, "prefix": True}, HI], [HI, YES, HI], "prefixes"),
    "only a prefix": (
        MISTRAL,
        [{**YES, "prefix": True}],
        [{"role": "user", "content": BEGIN}, {**YES, "prefix": True}],
        "user begins",
    ),
    **{
        f"instructions alone for {model}": (
            model, [SYSTEM, SYSTEM], [SYSTEM, SYSTEM, {"role": "user", "content": BEGIN}], "user ends",
        )
        for model in (MISTRAL, SONNET, GEMINI, "claude-opus-5", "us.amazon.nova-pro-v1:0")
    },
    "a part without data": (GEMINI, [part({}, role="user")], [part({"text": "[empty message]"}, role="user")],
        "contents completed"),
    "a part without data beside others": (GEMINI, [part({}, {"text": "hi"}, role="user")], [WORD],
        "contents completed"),
    "a signature of nothing": (GEMINI, [WORD, part({"thoughtSignature": "U0lHX09L"}), WORD],
        [WORD, part({"text": "[empty message]"}), WORD], "contents completed"),
    "a part of null": (GEMINI, [part({"text": None}, role="user")], [part({"text": "[empty message]"}, role="user")],
        "contents completed"),
    "a part without data behind a response": (
        GEMINI,
        [WORD, part({"functionCall": {"name": "f", "args": {}}}),
         part({"functionResponse": {"name": "f", "response": {"a": 1}}}, {}, role="user")],
        [WORD, part({"functionCall": {"name": "f", "args": {}}}),
         part({"functionResponse": {"name": "f", "response": {"a": 1}}}, role="user")],
        "contents completed",
    ),
    "a long id of an answer": (ITEMS, [HI, said("msg_" + LONG), HI], [HI, without_id(said("")), HI], "items"),
    "a long id of a call": (ITEMS, [HI, {**CALL, "id": "fc_" + LONG}, OUTPUT], [HI, without_id(CALL), OUTPUT], "items"),
    "an odd id of a call": (ITEMS, [HI, {**CALL, "id": "fc.1"}, OUTPUT], [HI, without_id(CALL), OUTPUT], "items"),
    "an id of two answers": (ITEMS, [HI, said("msg_1"), HI, said("msg_1", "b"), HI],
        [HI, said("msg_1"), HI, without_id(said("", "b")), HI], "items"),
    "an id of two calls": (ITEMS, [HI, CALL, OUTPUT, CALL_2, OUTPUT_2],
        [HI, CALL, OUTPUT, without_id(CALL_2), OUTPUT_2], "items"),
    "reasoning twice": (
        ITEMS,
        [HI, THOUGHT, CALL, OUTPUT, THOUGHT, {**CALL_2, "id": "fc_2"}, OUTPUT_2],
        [HI, THOUGHT, CALL, OUTPUT, without_id(CALL_2), OUTPUT_2],
        "items",
    ),
    "a long id of reasoning": (ITEMS, [HI, {**THOUGHT, "id": LONG}, CALL, OUTPUT], [HI, without_id(CALL), OUTPUT],
        "items"),
    "reasoning without a summary": (ITEMS, [HI, {"type": "reasoning", "id": "rs_1"}, CALL, OUTPUT],
        [HI, THOUGHT, CALL, OUTPUT], "items"),
    "an answer's block in a question": (
        ITEMS,
        [blocks("user", {"type": "output_text", "text": "q", "annotations": []})],
        [blocks("user", {"type": "input_text", "text": "q"})],
        "items",
    ),
    "a question's blocks in an answer": (
        ITEMS,
        [HI, blocks("assistant", {"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "u"}), HI],
        [HI, blocks("assistant", {"type": "output_text", "text": "a"}, {"type": "output_text", "text": "[a picture]"}),
         HI],
        "items",
    ),
    "a last answer of one blank": (SONNET, [HI, {**YES, "content": " "}], [HI, {**YES, "content": ""}], "last blanks"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_refused_is_made_what_is_taken(name: str) -> None:
    """It is refused as it is, counted once in the report, and taken then; asked again, nothing is changed."""
    model, messages, wanted, report = CASES[name]
    assert not validate(messages, model).accepted
    context = fit(messages, 100_000, counter=TokenCounter(len, model=model))
    assert context.messages == wanted
    assert list(context.report.changes) == [report]
    assert validate(context.messages, model).accepted
    again = fit(context.messages, 100_000, counter=TokenCounter(len, model=model))
    assert again.messages == wanted
    assert not again.report.changes
    assert validate(messages, model).fixed.request == wanted


@pytest.mark.parametrize("name", CASES)
def test_messages_that_are_taken_are_the_very_same(name: str) -> None:
    """And none of the caller's own is changed in place."""
    model, messages, wanted, _ = CASES[name]
    before = repr(messages)
    sent = fit(messages, 100_000, counter=TokenCounter(len, model=model)).messages
    assert repr(messages) == before
    same = [message for message in messages if message in wanted]
    assert all(any(one is message for one in sent) for message in same)


@pytest.mark.parametrize("model", [MISTRAL, DEEPSEEK, COHERE, LLAMA])
def test_functions_become_tools(model: str) -> None:
    """Both the call and its result, with one id, the same on every turn; OpenAI's own keep them."""
    messages = [HI, OLD_CALL, OLD_RESULT, YES, HI]
    assert {str(refusal.kind) for refusal in validate(messages, model).refusals} >= {"roles_known"}
    sent = fit(messages, 100_000, counter=TokenCounter(len, model=model)).messages
    call, result = sent[1:3]
    assert call["tool_calls"][0]["function"] == OLD_CALL["function_call"]
    assert "function_call" not in call
    assert (result["role"], result["tool_call_id"]) == ("tool", call["tool_calls"][0]["id"])
    assert validate(sent, model).accepted
    longer = fit([*messages, YES, HI], 100_000, counter=TokenCounter(len, model=model)).messages
    assert longer[: len(sent)] == sent
    assert fit(messages, 100_000, counter=TokenCounter(len, model=GPT)).messages == messages


@pytest.mark.parametrize("provider", [None, "mistral"])
def test_a_last_prefix_is_left_to_be_gone_on_with(provider: str | None) -> None:
    """Whoever sets the mark knows a provider that has it."""
    messages = [HI, {**YES, "prefix": True}]
    assert fit(messages, 100_000, counter=len, provider=provider).messages == messages
    assert validate(messages, MISTRAL).accepted


def test_one_instruction_alone_is_taken_by_mistral() -> None:
    """Its validator takes one message that is the system's, and no list that ends with one."""
    assert validate([SYSTEM], MISTRAL).accepted
    assert fit([SYSTEM], 1_000, counter=TokenCounter(len, model=MISTRAL)).messages == [SYSTEM]


def test_a_whole_request_of_an_instruction_gets_a_question() -> None:
    """The instruction becomes the request's own, and the list does not stay empty."""
    request = {"model": SONNET, "max_tokens": 9, "messages": [SYSTEM]}
    fixed = validate(request).fixed
    assert fixed.validation.accepted
    assert fixed.request["system"] == "Be brief."  # type: ignore[call-overload]
    assert [message["role"] for message in fixed.request["messages"]] == ["user"]  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("messages", "model", "why"),
    [
        ([HI, {"role": "bogus", "content": "Zaphod-4711"}], GPT, "message 2 of 2: unknown role 'bogus'"),
        ([{"role": "bogus", "parts": [{"text": "Zaphod-4711"}]}], GEMINI, "message 1"),
        ([HI, {"role": 7, "content": "Zaphod-4711"}], MISTRAL, "unknown role int"),
        ([{"type": "message", "role": "tool", "content": "Zaphod-4711"}], ITEMS, "unknown role 'tool'"),
    ],
)
def test_what_cannot_be_read_is_said_and_left(messages: Talk, model: str, why: str) -> None:
    """Nothing is raised: the request stays as it is, with the reason and the refusals."""
    found = validate(messages, model)
    assert not found.accepted
    fixed = found.fixed
    assert fixed.request is messages
    assert fixed.unreadable is not None
    assert why in fixed.unreadable
    assert "Zaphod" not in fixed.unreadable
    assert fixed.validation.refusals == found.refusals
