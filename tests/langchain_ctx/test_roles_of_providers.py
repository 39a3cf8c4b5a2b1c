"""Roles and keys of LangChain's messages that a provider does not have."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, BaseMessage, FunctionMessage, HumanMessage, SystemMessage, ToolMessage

from ctx_core import ContextBuilder
from langchain_ctx import ContextRunnable

MESSAGES: list[BaseMessage] = [
    SystemMessage("Be brief.", additional_kwargs={"__openai_role__": "developer", "mine": 1}),
    HumanMessage("hi"),
    AIMessage("", additional_kwargs={"function_call": {"name": "f", "arguments": "{}"}}),
    FunctionMessage(name="f", content="42"),
    AIMessage("yes", additional_kwargs={"prefix": True, "mine": 1}),
    HumanMessage("hi"),
]


@pytest.mark.parametrize("provider", ["mistral", "deepseek", "cohere", "chat_template"])
def test_the_developer_and_functions_are_openais_alone(provider: str) -> None:
    """The rest of `additional_kwargs` stays, and what was given is not changed."""
    before = [message.model_copy(deep=True) for message in MESSAGES]
    sent = ContextRunnable(budget=10_000, counter=len, provider=provider).invoke(MESSAGES)
    assert before == MESSAGES
    assert sent[0].additional_kwargs == {"mine": 1}
    call, result = sent[2:4]
    assert isinstance(call, AIMessage)
    assert isinstance(result, ToolMessage)
    assert [one["id"] for one in call.tool_calls] == [result.tool_call_id]
    assert call.additional_kwargs == {}
    kept = {"prefix": True} if provider in {"deepseek", "cohere", "chat_template"} else {}
    assert sent[4].additional_kwargs == {"mine": 1} | kept


def test_where_nobody_may_have_them_no_instruction_is_left() -> None:
    """Some models take no system message, so the user says it; functions are tools, and no prefix is left."""
    sent = ContextRunnable(budget=10_000, counter=len, provider="unknown").invoke(MESSAGES)
    assert [message.type for message in sent] == ["human", "ai", "tool", "ai", "human"]
    assert sent[3].additional_kwargs == {"mine": 1}


def test_openai_keeps_them() -> None:
    """They go out as the very objects that came in."""
    sent = ContextRunnable(recipe=ContextBuilder(10_000, len), provider="openai").invoke(MESSAGES)
    assert all(one is other for one, other in zip(sent, MESSAGES, strict=True))
