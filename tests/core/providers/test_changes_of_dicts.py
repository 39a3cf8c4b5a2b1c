"""What the last step makes of providers' own messages that are broken in one way each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from ctx_core import TokenCounter, fit, validate
from ctx_core.providers import Target, provider_named

if TYPE_CHECKING:
    from ctx_core.conversation.formats.names import FormatName

Native = dict[str, Any]

COUNTER: Final = TokenCounter(lambda text: len(text.split()))
EMPTY: Final = "[empty message]"
HI: Final[Native] = {"role": "user", "content": "hi"}
YES: Final[Native] = {"role": "assistant", "content": "yes"}
CALL: Final[Native] = {
    "role": "assistant", "content": None,
    "tool_calls": [{"id": "callABC12", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
}  # fmt: skip


def rule(text: Any) -> Native:
    """Give an instruction."""
    return {"role": "system", "content": text}


def tool(content: Any) -> Native:
    """Give a result in chat completions."""
    return {"role": "tool", "tool_call_id": "callABC12", "content": content}


def text(words: str) -> Native:
    """Give a block of a text."""
    return {"type": "text", "text": words}


def use(*blocks: Native) -> Native:
    """Give Anthropic's message with a call."""
    return {"role": "assistant", "content": [*blocks, {"type": "tool_use", "id": "a", "name": "look", "input": {}}]}


def answer(content: Any) -> Native:
    """Give Anthropic's message with a result."""
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": content}]}


def bedrock(role: str, *blocks: Native) -> Native:
    """Give Bedrock's message."""
    return {"role": role, "content": [*blocks]}


BEDROCK_CALL: Final[Native] = {"toolUse": {"toolUseId": "a", "name": "look", "input": {}}}
THOUGHT: Final[Native] = {"type": "reasoning", "id": "rs_1", "summary": []}
ASKED: Final[Native] = {"type": "message", "role": "user", "content": "hi"}
ITEM: Final[Native] = {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"}
OUTPUT: Final[Native] = {"type": "function_call_output", "call_id": "a", "output": "sunny"}
GIVEN: Final[Native] = {"toolResult": {"toolUseId": "a", "content": []}}
GO_ON: Final[Native] = {"role": "user", "content": "[Go on.]"}
WORD: Final[Native] = {"role": "user", "parts": [{"text": "hi"}]}
SIGN: Final[Native] = {"thoughtSignature": "skip_thought_signature_validator"}
MODEL_CALL: Final[Native] = {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]}
SIGNED: Final[Native] = {
    "role": "model",
    "parts": [{**MODEL_CALL["parts"][0], **SIGN}],
}
RESPONSE: Final[Native] = {
    "role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"output": "sunny"}}}],
}  # fmt: skip


GAVE: Final[Native] = {"functionResponse": {"id": "a", "name": "look", "response": {"output": "sunny"}}}


def asked(args: Any) -> Native:
    """Give Gemini's part of a call; a number is what an object of arguments says."""
    return {"functionCall": {"id": "a", "name": "look", "args": {"at": args} if isinstance(args, int) else args}}


def told(instruction: str) -> str:
    """Give an instruction as the user tells it."""
    return f"<system-message>\n{instruction}\n</system-message>"


@pytest.mark.parametrize(
    ("provider", "model", "messages", "expected"),
    [
        pytest.param(
            "openai", "gpt-4o", [HI, CALL, tool(None), {"role": "assistant", "content": None}, {"role": "user"}],
            [HI, CALL, tool(""), {"role": "assistant", "content": ""}, {"role": "user", "content": ""}],
            id="null is an empty text where a text is asked for",
        ),
        pytest.param(
            "unknown", None, [HI, CALL, tool(None)], [HI, CALL, tool("")], id="null of a result, for any provider",
        ),
        pytest.param("unknown", None, [rule(" "), HI], [HI], id="an instruction that says nothing goes"),
        pytest.param(
            "unknown", None, [HI, CALL, tool([text(" "), text("sunny")])], [HI, CALL, tool([text("sunny")])],
            id="a blank block of a result",
        ),
        pytest.param("unknown", None, [HI, CALL, tool(" ")], [HI, CALL, tool(EMPTY)], id="a blank result"),
        pytest.param("unknown", None, [HI, CALL, tool("")], None, id="an empty result is one"),
        pytest.param(
            "unknown", None, [rule("a"), rule("b"), HI],
            [{"role": "user", "content": f"{told('a')}\n\n{told('b')}\n\nhi"}], id="two instructions at the head",
        ),
        pytest.param(
            "chat_template", "llama-3.1-8b", [rule([text("a")]), rule([text("b")]), HI],
            [rule([text("a"), text("b")]), HI], id="two instructions in blocks",
        ),
        pytest.param("mistral", "mistral-large-latest", [rule("a"), rule("b"), HI], None, id="mistral takes two"),
        pytest.param(
            "mistral", "open-mixtral-8x7b", [HI, {"role": "assistant", "content": None}, HI],
            [HI, {"role": "assistant", "content": EMPTY}, HI], id="an answer of neither text nor calls",
        ),
        pytest.param(
            "deepseek", "deepseek-r1", [HI, YES, rule("a"), YES, HI], [HI, YES, rule("a"), GO_ON, YES, HI],
            id="neighbors with an instruction between",
        ),
        pytest.param(
            "chat_template", "llama-3.1-8b", [HI, {"role": "assistant", "content": ""}, YES, HI], [HI, YES, HI],
            id="a neighbor that says nothing",
        ),
        pytest.param(
            "anthropic", "claude-sonnet-4-5", [HI, use(), answer([text("\n"), text("sunny")])],
            [HI, use(), answer([text("sunny")])], id="anthropic: a blank block of a result",
        ),
        pytest.param(
            "anthropic", "claude-sonnet-4-5", [HI, {"role": "assistant", "content": " "}],
            [HI, {"role": "assistant", "content": ""}], id="anthropic: a blank answer to be gone on with",
        ),
        pytest.param(
            "bedrock", "mistral.mistral-large-2402-v1:0",
            [bedrock("user", {"text": "hi"}), bedrock("assistant", {"text": "so"}), bedrock("assistant", BEDROCK_CALL),
             bedrock("user", GIVEN)],
            [bedrock("user", {"text": "hi"}), bedrock("assistant", {"text": "so"}),
             bedrock("user", {"text": "[Go on.]"}), bedrock("assistant", BEDROCK_CALL), bedrock("user", GIVEN)],
            id="bedrock: a text and calls that are not taken as one message",
        ),
        pytest.param(
            "responses", "gpt-5-codex", [ASKED, THOUGHT, ITEM, OUTPUT], [ASKED, ITEM, OUTPUT],
            id="responses: reasoning before an item that has lost its id",
        ),
        pytest.param(
            "responses", "gpt-5-codex", [ASKED, {**THOUGHT, "encrypted_content": "x"}, ITEM, OUTPUT], None,
            id="responses: sealed reasoning before such an item",
        ),
        pytest.param(
            "responses", "gpt-5-codex", [ASKED, THOUGHT, ASKED], [ASKED, ASKED], id="responses: nothing behind",
        ),
        pytest.param(
            "responses", "gpt-5-codex", [ASKED, {**ITEM, "id": "fc_1", "call_id": None}, {**OUTPUT, "call_id": "fc_1"}],
            [ASKED, {**ITEM, "id": "fc_1", "call_id": "fc_1"}, {**OUTPUT, "call_id": "fc_1"}],
            id="responses: the id of an item is not that of its call",
        ),
        pytest.param(
            "gemini", "gemini-2.5-pro", [WORD, {"role": "model", "parts": [asked(1), asked(2)]},
            {"role": "user", "parts": [GAVE, GAVE]}], None,
            id="gemini: two calls of one id with two results",
        ),
        pytest.param(
            "gemini", "gemini-3-pro", [WORD, {"role": "model", "parts": [asked("x"), asked(2)]},
            {"role": "user", "parts": [GAVE, GAVE]}],
            [WORD, {"role": "model", "parts": [
            {"functionCall": {"id": "a", "name": "look", "args": {"malformed_arguments": "x"}}, **SIGN}, asked(2)]},
            {"role": "user", "parts": [GAVE, GAVE]}],
            id="gemini: a call that is made anew stays the first",
        ),
        pytest.param(
            "anthropic", "claude-opus-5", [HI, YES, rule("b")],
            [HI, YES, {"role": "user", "content": [text("<system-message>\nb\n</system-message>")]}],
            id="anthropic: an instruction behind the last answer",
        ),
        pytest.param(
            "gemini", "gemini-3-pro", [{"role": "user", "parts": [{"text": "hi"}]}, MODEL_CALL, RESPONSE],
            [{"role": "user", "parts": [{"text": "hi"}]}, SIGNED, RESPONSE], id="gemini: what is signed is counted",
        ),
    ],
)  # fmt: skip
def test_what_is_broken_is_mended_and_counted(
    provider: str, model: str | None, messages: list[Native], expected: list[Native] | None
) -> None:
    """As little as can be, counted as it goes out, and taken; what goes out once goes out as it is again."""
    row = provider_named(provider)
    named: FormatName = row.format or "openai"
    where = row if model is None else Target(provider=row, model=model)
    before = [dict(message) for message in messages]
    counter = COUNTER if model is None else TokenCounter.for_model(model)

    context = fit(messages, 10_000, counter=counter, provider=where, format=named)

    assert messages == before
    assert context.messages == (before if expected is None else expected)
    unaltered = [message for message in context.messages if any(message is one for one in messages)]
    assert [message for message in context.messages if message in messages] == unaltered
    assert bool(context.report.changes) == (expected is not None)
    assert context.tokens == counter.count_messages(context.messages, format=named)
    assert validate(context.messages, model, provider=provider, format=named).accepted
    again = fit(context.messages, 10_000, counter=counter, provider=where, format=named)
    assert all(one is other for one, other in zip(again.messages, context.messages, strict=True))
