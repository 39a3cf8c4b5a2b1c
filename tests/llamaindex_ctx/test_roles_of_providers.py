"""Roles of LlamaIndex' messages that a provider does not have."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage

from ctx_core.session import ContextSession
from llamaindex_ctx.convert import CODEC

FUNCTION = {"name": "f", "arguments": "{}"}
MESSAGES = [
    ChatMessage(role="developer", content="Be brief."),
    ChatMessage(role="user", content="hi"),
    ChatMessage(role="assistant", content="", additional_kwargs={"function_call": FUNCTION}),
    ChatMessage(role="function", content="42", additional_kwargs={"name": "f"}),
    ChatMessage(role="assistant", content="yes", additional_kwargs={"prefix": True}),
    ChatMessage(role="user", content="hi"),
]


def sent(provider: str) -> list[ChatMessage]:
    """Give what goes out."""
    return ContextSession[Any](budget=10_000, counter=len, codec=CODEC, provider=provider).fit(MESSAGES).messages


@pytest.mark.parametrize("provider", ["mistral", "deepseek", "cohere", "chat_template"])
def test_the_developer_and_functions_are_openais_alone(provider: str) -> None:
    """Call and result have one id, and the prefix goes where somebody knows it."""
    given = sent(provider)
    assert [message.role.value for message in given] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert "function_call" not in given[2].additional_kwargs
    assert given[2].blocks[-1].tool_call_id == given[3].additional_kwargs["tool_call_id"]  # type: ignore[union-attr]
    assert ("prefix" in given[4].additional_kwargs) is (provider != "mistral")


def test_where_nobody_may_have_them_no_instruction_is_left() -> None:
    """Some models take no system message, so the user says it; functions are tools, and no prefix is left."""
    given = sent("unknown")
    assert [message.role.value for message in given] == ["user", "assistant", "tool", "assistant", "user"]
    assert "prefix" not in given[3].additional_kwargs


def test_openai_keeps_them() -> None:
    """They go out as the very objects that came in."""
    assert all(one is other for one, other in zip(sent("openai"), MESSAGES, strict=True))
