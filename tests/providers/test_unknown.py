"""What is made for a provider that nobody knows, every row takes."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx_core import fit, validate
from ctx_core.providers import PROVIDERS

Message = dict[str, Any]

TOOLS: Final[list[Message]] = [{"type": "function", "function": {"name": "look", "parameters": {}}}]
MODELS: Final = (
    ("openai", None),
    ("openai", "gpt-4o"),
    ("openai", "o1-mini"),
    ("responses", None),
    ("anthropic", None),
    ("anthropic", "claude-opus-4-8"),
    ("anthropic", "claude-sonnet-4-5"),
    ("gemini", None),
    ("gemini", "gemini-3.6-flash"),
    ("bedrock", None),
    ("bedrock", "mistral.mistral-large-2402-v1:0"),
    ("bedrock", "meta.llama3-1-70b-instruct-v1:0"),
    ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
    ("mistral", None),
    ("mistral", "open-mixtral-8x7b"),
    ("mistral", "mistral-large-latest"),
    ("deepseek", None),
    ("deepseek", "deepseek-chat"),
    ("cohere", None),
    ("chat_template", None),
    ("chat_template", "gemma:2b"),
    ("unknown", None),
)
"""Every row, and the models of which some ask for more than others."""

IDS: Final = st.sampled_from(["call_1", "call_1", "abcDEF123", "toolu_01A", "a:b", "", "x" * 70])
TEXTS: Final = st.sampled_from(["", " ", "Hello.", "So? "])


def call(told: str, arguments: str) -> Message:
    """Make a call."""
    return {"id": told, "type": "function", "function": {"name": "look", "arguments": arguments}}


@st.composite
def talks(draw: st.DrawFn) -> list[Message]:
    """Give a conversation of chat completions in which anybody speaks after anybody, with calls and most results."""
    messages: list[Message] = []
    for _ in range(draw(st.integers(1, 7))):
        kind = draw(st.sampled_from(["system", "user", "assistant", "step", "step"]))
        if kind != "step":
            messages.append({"role": kind, "content": draw(TEXTS)})
            continue
        ids = draw(st.lists(IDS, min_size=1, max_size=3))
        arguments = draw(st.sampled_from(["{}", '{"q": 1}', "[1]", '{"q']))
        content = draw(st.none() | TEXTS)
        messages.append({"role": "assistant", "content": content, "tool_calls": [call(one, arguments) for one in ids]})
        messages += [{"role": "tool", "tool_call_id": one, "content": draw(TEXTS)} for one in ids]
        if draw(st.booleans()):
            messages.pop()
    return messages


@pytest.mark.parametrize(("row", "model"), MODELS)
@settings(max_examples=40)
@given(talk=talks(), asks=st.booleans())
def test_every_row_takes_what_is_made_for_unknown(row: str, model: str | None, talk: list[Message], asks: bool) -> None:  # noqa: FBT001 - generated
    """Nine characters of an id, no system message, text or calls, results alone: what only some ask, too."""
    messages = [*talk, {"role": "user", "content": "And now?"}] if asks else talk
    sent = fit(messages, 1_000_000, counter=len, provider="unknown", tools=TOOLS).messages
    if not any(message["role"] != "system" for message in messages):
        return
    found = validate(sent, model, provider=row, tools=TOOLS)
    assert found.accepted, str(found)


def test_every_named_row_is_tried() -> None:
    """None is added without a look at what `unknown` makes of it."""
    assert {row for row, _ in MODELS} == set(PROVIDERS)


def test_a_guess_changes_no_more_than_before() -> None:
    """Where nobody says that the request is for all of them, ids and system messages that most take stay."""
    talk: list[Message] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Is it?"},
        {"role": "assistant", "content": "Well.", "tool_calls": [call("call_1", "{}")]},
        {"role": "tool", "tool_call_id": "call_1", "content": "42"},
    ]
    sent = fit(talk, 1_000_000, counter=len, provider=None, tools=TOOLS).messages
    assert all(one is other for one, other in zip(sent, talk, strict=True))
    assert validate(talk, provider="unknown", tools=TOOLS).accepted
    told = fit(talk, 1_000_000, counter=len, provider="unknown", tools=TOOLS).messages
    assert [message["role"] for message in told] == ["user", "assistant", "user", "assistant", "tool"]
