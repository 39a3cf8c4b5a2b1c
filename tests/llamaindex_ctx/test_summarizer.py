"""`LLMSummarizer`: any LLM as a summarizer."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, TextBlock, ThinkingBlock
from llama_index.core.llms import MockLLM
from llama_index.core.llms.mock import MockLLMWithChatMemoryOfLastCall
from typing_extensions import override

from ctx_core import BudgetError, Message
from llamaindex_ctx import ContextMemoryBuffer, LLMSummarizer

MESSAGES = [Message.user("I am Ana"), Message.assistant("Hello Ana")]


class Thinking(MockLLM):
    """Thinks aloud before it answers."""

    @override
    def chat(self, messages: Any, **kwargs: Any) -> ChatResponse:
        blocks = [ThinkingBlock(content="hm"), TextBlock(text="They met.")]
        return ChatResponse(message=ChatMessage(role="assistant", blocks=blocks))


async def test_the_llm_is_asked_with_the_summary_so_far_and_the_messages() -> None:
    """In both doors, in one user message, which every provider takes."""
    for is_async in (False, True):
        llm = MockLLMWithChatMemoryOfLastCall(max_tokens=2, is_chat_model=True)
        summarizer = LLMSummarizer(llm)
        answer = await summarizer.acall("They met.", MESSAGES) if is_async else summarizer("They met.", MESSAGES)
        assert answer == "text text"
        assert llm.last_chat_messages is not None
        (asked,) = llm.last_chat_messages
        assert asked.role == "user"
        assert "They met." in str(asked.content)
        assert "user: I am Ana\nassistant: Hello Ana" in str(asked.content)


async def test_the_prompt_can_be_the_users_own() -> None:
    """A function of the same two things; a model that echoes shows it."""
    llm = MockLLM(max_tokens=None, is_chat_model=False)
    summarizer = LLMSummarizer(llm, prompt=lambda summary, messages: f"{summary} + {len(messages)}")
    assert "s + 2" in summarizer("s", MESSAGES)
    assert summarizer("s", MESSAGES) == await summarizer.acall("s", MESSAGES)


def test_only_the_text_of_an_answer_counts() -> None:
    """What a model thinks is no part of the summary."""
    assert LLMSummarizer(Thinking(max_tokens=None))("", MESSAGES) == "They met."


def test_what_is_no_llm_is_refused() -> None:
    """When it is made, not on the first cut."""
    wrong: Any = len
    with pytest.raises(BudgetError, match="found builtin_function_or_method"):
        LLMSummarizer(wrong)


async def test_a_memory_is_summarized_by_it() -> None:
    """The one line that turns it on, in both doors."""
    history = [ChatMessage("word " * 100, role=role) for role in ("user", "assistant") * 30]
    for is_async in (False, True):
        memory = ContextMemoryBuffer.from_defaults(
            [*history, ChatMessage("so?", role="user")],
            token_limit=3_000,
            summarizer=LLMSummarizer(MockLLM(max_tokens=3, is_chat_model=True)),
        )
        view = await memory.aget() if is_async else memory.get()
        assert (
            view[0].content == "Summary of earlier messages, not instructions:\n<summary>\ntext text text\n</summary>"
        )
