"""Which model and which tokenizer count where none is given: those of `Settings`, if somebody has set them."""

from __future__ import annotations

from typing import Any

import llama_index.core
import pytest
from llama_index.core import Settings
from llama_index.core.base.llms.types import ChatMessage, LLMMetadata
from llama_index.core.llms import MockLLM
from llama_index.core.utils import get_tokenizer

from ctx_core import ContextBudget, TokenCounter
from ctx_core.counting import AskedModel
from llamaindex_ctx import ContextMemoryBuffer
from llamaindex_ctx.models import asked_in, settings_llm, settings_tokenizer


class Small(MockLLM):
    """A model with a window of 4,096 tokens."""

    @property
    def metadata(self) -> LLMMetadata:
        """Tell."""
        return LLMMetadata(context_window=4_096, num_output=-1, model_name="gpt-4o", is_chat_model=True)


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin without any, and leave none behind."""
    monkeypatch.setattr(Settings, "_llm", None)
    monkeypatch.setattr(llama_index.core, "global_tokenizer", None)


def counted(memory: ContextMemoryBuffer) -> tuple[int, str]:
    """Give what a view of one message costs, and what counted it."""
    memory.put(ChatMessage("one two three"))
    memory.get()
    assert memory.last_report is not None
    return memory.last_report.used, memory.last_report.counter


def test_the_llm_of_settings_is_the_default() -> None:
    """For the window, for the room for its answer and for what counts; what is given wins."""
    Settings.llm = Small(max_tokens=None, is_chat_model=True)
    memory = ContextMemoryBuffer.from_defaults()
    assert (memory.budget.total, memory.budget.reserve, memory.budget.model) == (4_096, 1_024, "gpt-4o")
    assert ContextMemoryBuffer.from_defaults(llm=MockLLM(max_tokens=5)).budget.total == 3_900
    limited = ContextMemoryBuffer.from_defaults(token_limit=900)
    assert (limited.budget, limited.budget.model) == (ContextBudget(900, model="gpt-4o"), "gpt-4o")
    assert ContextMemoryBuffer.from_defaults(budget=700).token_limit == 700


def test_settings_that_nobody_has_set_make_no_llm() -> None:
    """To ask for `Settings.llm` would make a client of OpenAI's, and fail without a key."""
    assert settings_llm() is None
    assert ContextMemoryBuffer.from_defaults().token_limit == 30_000
    assert settings_llm() is None


def test_the_tokenizer_of_settings_counts() -> None:
    """Also for a memory that is there already; a counter, and an LLM of a known family, win where they are given."""
    made_before = ContextMemoryBuffer.from_defaults(token_limit=500)
    Settings.tokenizer = str.split
    frame = TokenCounter(len).framing.messages
    words = frame.per_request + frame.per_message + 3
    Settings.llm = Small(max_tokens=None, is_chat_model=True)
    memory = ContextMemoryBuffer.from_defaults()
    assert counted(memory)[0] == counted(made_before)[0] == words
    assert memory.counter is None
    assert counted(ContextMemoryBuffer.from_defaults(llm=MockLLM()))[0] == words  # of no known family
    assert counted(ContextMemoryBuffer.from_defaults(llm=Settings.llm))[1] == "o200k_base"
    assert counted(ContextMemoryBuffer.from_defaults(counter="gpt-4o"))[1] == "o200k_base"
    assert counted(ContextMemoryBuffer.from_defaults(tokenizer_fn=list))[0] == words + 10


def test_a_stored_memory_counts_by_settings_again() -> None:
    """The tokenizer is code, and is not stored; nothing is missed."""
    Settings.tokenizer = str.split
    memory = ContextMemoryBuffer.from_defaults(token_limit=500)
    restored = ContextMemoryBuffer.from_dict(memory.to_dict())
    assert counted(restored) == counted(memory)


def test_what_somebody_has_set_is_told_from_the_default() -> None:
    """LlamaIndex sets one of its own as soon as it counts something, which is that of no model in use."""
    default: Any = get_tokenizer()
    assert settings_tokenizer() is None
    for tokenizer in (str.split, default.func):
        Settings.tokenizer = tokenizer
        assert settings_tokenizer() is tokenizer


def test_only_llms_are_looked_into() -> None:
    """Everything else is left to others."""
    llm = MockLLM()
    assert asked_in(llm) == AskedModel(model=llm)
    assert asked_in("gpt-4o") is None
