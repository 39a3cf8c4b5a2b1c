"""The row that a list of messages goes by is the same for `fit`, which changes it, and for `validate`, which judges."""

from __future__ import annotations

from typing import Any, Final

import pytest

from ctx_core import Message, TokenCounter, fit, validate

CALLED: Final[dict[str, list[dict[str, Any]]]] = {
    "openai": [
        {"role": "user", "content": "Hello?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "abcDEF123", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "abcDEF123", "content": "42"},
    ],
    "anthropic": [
        {"role": "user", "content": "Hello?"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "42"}]},
    ],
    "gemini": [{"role": "user", "parts": [{"text": "Hello?"}]}],
    "bedrock": [{"role": "user", "content": [{"text": "Hello?"}]}],
    "responses": [
        {"role": "user", "content": "Hello?"},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "42"},
    ],
}
MODELS: Final = (
    None, "gpt-4o", "gpt-5-codex", "claude-sonnet-4-5", "gemini-2.5-pro", "mistral-large-latest", "deepseek-chat",
    "command-r-plus", "ollama/llama3", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "my-deployment",
)  # fmt: skip


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("format_name", CALLED)
def test_fit_and_validate_go_by_one_row(format_name: str, model: str | None) -> None:
    """A list in a format that one API has goes there, whatever the model's name says; of OpenAI's the model tells."""
    fitted = fit(CALLED[format_name], 10_000, counter=TokenCounter(len, model=model))
    found = validate(CALLED[format_name], model)
    assert fitted.report.provider == found.provider.name
    assert format_name in {"openai", found.provider.name}
    again = validate(fitted.messages, model)
    assert (again.provider.name, again.refusals) == (found.provider.name, ())


@pytest.mark.parametrize("model", MODELS)
def test_neutral_messages_go_by_the_model_alone(model: str | None) -> None:
    """They are of no format: where nothing tells, it is the row that satisfies all."""
    messages = [Message.user("Hello?")]
    fitted = fit(messages, 10_000, counter=TokenCounter(len, model=model))
    assert fitted.report.provider == validate(messages, model).provider.name


@pytest.mark.parametrize(
    ("said", "row"),
    [
        ({"provider": "openai"}, "openai"),
        ({"api": "converse"}, "bedrock"),
        ({"host": "api.anthropic.com"}, "anthropic"),
        ({"api": "something new"}, "responses"),
    ],
)
def test_what_is_said_goes_over_the_format(said: dict[str, str], row: str) -> None:
    """Items are then held against its rules as a client would send them."""
    assert validate(CALLED["responses"], "my-deployment", **said).provider.name == row  # type: ignore[arg-type]


def test_a_list_of_items_is_judged_by_the_rules_of_items() -> None:
    """An output may stand anywhere behind its call; reasoning alone is refused, which no other row speaks of."""
    call, output = CALLED["responses"][1:]
    apart = [call, {"role": "user", "content": "Wait."}, output, {"role": "user", "content": "Well?"}]
    assert validate(apart, "gpt-4o").accepted
    alone = [{"role": "user", "content": "Hm."}, {"type": "reasoning", "id": "rs_1", "summary": []}]
    assert [str(one.kind) for one in validate(alone, "o3").refusals] == ["reasoning_followed"]
