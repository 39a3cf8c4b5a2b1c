"""For any provider, a list in a provider's own format is completed as its own row would complete it."""

from __future__ import annotations

from typing import Any, Final

import pytest

from ctx_core import fit, validate
from tests.payloads.judge import refusals
from tests.payloads.payloads import (
    FUNCTION_CALL,
    FUNCTION_RESPONSE,
    bedrock_result,
    bedrock_use,
    item,
    result,
    text,
    use,
)

LISTED: Final = {"gemini": "contents", "responses": "input"}
MODELS: Final = {
    "gemini": "gemini-3-pro-preview",
    "anthropic": "claude-sonnet-4-5",
    "bedrock": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "responses": "gpt-5",
}
_NAMELESS: Final[dict[str, Any]] = {"functionResponse": {"response": {"output": "sunny"}}}
_CALL: Final = item("function_call", id="fc_1", call_id="c1", name="look", arguments="{}")
_OUTPUT: Final = item("function_call_output", call_id="c1", output="sunny")
_USER: Final[dict[str, Any]] = {"role": "user", "content": "Is it?"}
CASES: Final[dict[str, tuple[str, list[Any]]]] = {
    "calls that nobody signed": (
        "gemini",
        [
            {"role": "user", "parts": [{"text": "Is it?"}]},
            {"role": "model", "parts": [FUNCTION_CALL, FUNCTION_CALL]},
            {"role": "user", "parts": [FUNCTION_RESPONSE, FUNCTION_RESPONSE]},
        ],
    ),
    "responses without a name": (
        "gemini",
        [
            {"role": "user", "parts": [{"text": "Is it?"}]},
            {"role": "model", "parts": [FUNCTION_CALL]},
            {"role": "user", "parts": [_NAMELESS]},
        ],
    ),
    "a call behind a text": (
        "gemini",
        [{"role": "model", "parts": [{"text": "Hello."}]}, {"role": "model", "parts": [FUNCTION_CALL]}],
    ),
    "ids that repeat": (
        "anthropic",
        [
            _USER,
            {"role": "assistant", "content": [use("a")]},
            {"role": "user", "content": [result("a"), text("And?")]},
            {"role": "assistant", "content": [use("a"), text("Well.")]},
            {"role": "user", "content": [text("Hm."), result("a")]},
        ],
    ),
    "a greeting, and results in two messages": (
        "bedrock",
        [
            {"role": "assistant", "content": [{"text": "Welcome."}]},
            {"role": "user", "content": [{"text": "Is it?"}]},
            {"role": "assistant", "content": [bedrock_use("a"), bedrock_use("b")]},
            {"role": "user", "content": [bedrock_result("a")]},
            {"role": "user", "content": [bedrock_result("b")]},
        ],
    ),
    "reasoning without summary": ("responses", [_USER, item("reasoning", id="rs_1"), _CALL, _OUTPUT]),
    "items of one id": ("responses", [_USER, _CALL, _OUTPUT, {**_CALL, "call_id": "c2"}, {**_OUTPUT, "call_id": "c2"}]),
    "blocks of another role": ("responses", [{"role": "user", "content": [{"type": "output_text", "text": "Is it?"}]}]),
}


@pytest.mark.parametrize(("row", "messages"), CASES.values(), ids=CASES)
def test_what_is_for_anyone_its_own_row_takes(row: str, messages: list[Any]) -> None:
    """By the row's rules, and by the judge's; an item of Responses that has an id keeps it."""
    sent = fit(messages, 100_000, counter="gpt-4o", provider="unknown", format=row).messages  # type: ignore[arg-type]
    key = LISTED.get(row, "messages")
    request: dict[str, Any] = {"model": MODELS[row], key: sent}
    if row == "anthropic":
        request |= {"max_tokens": 64, "tools": [{"name": "look", "input_schema": {"type": "object"}}]}
    if row == "bedrock":
        request |= {"toolConfig": {"tools": [{"toolSpec": {"name": "look", "inputSchema": {"json": {}}}}]}}
    assert str(validate(request, provider=row)).endswith("accepted"), str(validate(request, provider=row))
    assert refusals(request, row, model=MODELS[row]) == []


def test_a_call_of_geminis_has_the_id_that_its_response_has() -> None:
    """Both are given one for anyone, and neither for Gemini."""
    messages = CASES["calls that nobody signed"][1]
    for provider, has_ids in (("unknown", True), ("gemini", False)):
        sent: list[Any] = fit(messages, 100_000, counter="gpt-4o", provider=provider, format="gemini").messages
        calls = [part["functionCall"].get("id") for part in sent[1]["parts"]]
        assert [part["functionResponse"].get("id") for part in sent[2]["parts"]] == calls
        assert [one is not None for one in calls] == [has_ids] * 2
