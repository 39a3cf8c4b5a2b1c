"""`tokenizer_fn` with what LlamaIndex has for tokenizers."""

from __future__ import annotations

import pytest
from llama_index.core import Settings
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.callbacks import CallbackManager, TokenCountingHandler
from llama_index.core.llms import MockLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.utils import get_tokenizer

from ctx_core import BudgetError, TokenCounter
from llamaindex_ctx import ContextMemoryBuffer, tokenizer_fn

COUNTER = TokenCounter.for_model("gpt-4o")
TEXT = "The tide turns at four, and not before."


def test_the_list_is_as_long_as_our_count() -> None:
    """Counters, names and functions give a list of our length; no text gives an empty one."""
    assert len(tokenizer_fn("gpt-4o")(TEXT)) == len(tokenizer_fn(COUNTER)(TEXT)) == COUNTER.count_text(TEXT)
    assert len(tokenizer_fn(lambda text: len(text.split()))(TEXT)) == 8
    assert tokenizer_fn("gpt-4o")("") == []
    with pytest.raises(BudgetError):
        tokenizer_fn(5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # what is tested


def test_memories_count_with_it() -> None:
    """LlamaIndex's own memory cuts at our count, and ours takes it in the place of a counter."""
    messages = [ChatMessage(f"{at} {TEXT}", role="user" if at % 2 == 0 else "assistant") for at in range(9)]
    limit = sum(COUNTER.count_text(message.content or "") for message in messages[-3:]) + 5
    theirs = ChatMemoryBuffer.from_defaults(messages, token_limit=limit, tokenizer_fn=tokenizer_fn(COUNTER))
    assert theirs.get() == messages[-3:]
    ours = ContextMemoryBuffer.from_defaults(messages, token_limit=100, tokenizer_fn=tokenizer_fn(COUNTER))
    assert 0 < len(ours.get()) < 9


def test_settings_and_the_counting_handler_count_with_it() -> None:
    """The global tokenizer is ours, and so are the figures of the handler."""
    before = get_tokenizer()
    try:
        Settings.tokenizer = tokenizer_fn(COUNTER)
        assert len(get_tokenizer()(TEXT)) == COUNTER.count_text(TEXT)
    finally:
        Settings.tokenizer = before
    handler = TokenCountingHandler(tokenizer=tokenizer_fn(COUNTER))
    MockLLM(callback_manager=CallbackManager([handler])).complete(TEXT)
    assert handler.prompt_llm_token_count == COUNTER.count_text(TEXT)
