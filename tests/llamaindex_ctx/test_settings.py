"""What `from_defaults` takes from LlamaIndex's two memories, and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, LLMMetadata
from llama_index.core.chat_engine import CondenseQuestionChatEngine, SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import ChatMemoryBuffer, Memory
from llama_index.core.query_engine import CustomQueryEngine
from llama_index.core.tools import FunctionTool, ToolMetadata

from ctx_core import BudgetError, ContextBudget, Share, TokenCounter, Tokens, UnknownModelError
from llamaindex_ctx import ContextMemoryBuffer
from llamaindex_ctx.settings import tool_definitions

if TYPE_CHECKING:
    from collections.abc import Callable


class TellingLLM(MockLLM):
    """A model that tells its window and what its answer takes."""

    window: int = 8_000
    answer: int = -1

    @property
    def metadata(self) -> LLMMetadata:
        """Tell."""
        return LLMMetadata(
            context_window=self.window, num_output=self.answer, model_name="gpt-4o-mini", is_chat_model=True
        )


def telling(window: int, answer: int) -> TellingLLM:
    """Make one."""
    llm = TellingLLM(max_tokens=None, is_chat_model=True)
    llm.window, llm.answer = window, answer
    return llm


def test_without_anything_the_limit_is_that_of_memory() -> None:
    """A modern model takes 30,000 tokens, which is LlamaIndex's own default."""
    memory = ContextMemoryBuffer.from_defaults()
    assert memory.token_limit == Memory.from_defaults().token_limit == 30_000
    assert memory.session_id == memory.chat_store_key == "chat_history"


def test_a_limit_is_the_limit() -> None:
    """It is what the request may have; what is reserved comes off it."""
    assert ContextMemoryBuffer.from_defaults(token_limit=1_500).token_limit == 1_500
    assert ContextMemoryBuffer.from_defaults(token_limit=1_500, reserve=500).token_limit == 1_000
    assert ContextMemoryBuffer.from_defaults(token_limit=1_500, reserve=Share(0.5)).token_limit == 750


def test_a_limit_wins_over_the_model() -> None:
    """As with `ChatMemoryBuffer`; the model still says how to count."""
    memory = ContextMemoryBuffer.from_defaults(llm=telling(8_000, -1), token_limit=1_000)
    assert memory.token_limit == 1_000
    assert memory.tokenizer_fn("hello") != ContextMemoryBuffer.from_defaults().tokenizer_fn("hello")


@pytest.mark.parametrize(
    ("window", "answer", "reserve", "limit"),
    [
        (8_000, 500, None, 6_000),
        (8_000, 3_000, None, 5_000),
        (8_000, -1, None, 6_000),
        (128_000, -1, None, 96_000),
        (8_000, 8_000, None, 6_000),
        (8_000, 500, 1_000, 7_000),
        (8_000, 500, Share(0.5), 4_000),
    ],
)
def test_a_models_window_less_its_answer_is_the_limit(
    window: int, answer: int, reserve: int | Share | None, limit: int
) -> None:
    """What the model says it answers is kept free, and at least a quarter, unless a reserve is given."""
    memory = ContextMemoryBuffer.from_defaults(llm=telling(window, answer), reserve=reserve)
    assert memory.token_limit == limit
    assert memory.budget.total == window
    assert memory.budget.model == "gpt-4o-mini"


def test_a_models_counter_counts() -> None:
    """The tokenizer is that of the model by its name."""
    memory = ContextMemoryBuffer.from_defaults([ChatMessage("hello")], llm=telling(8_000, -1))
    memory.get()
    assert memory.last_report is not None
    assert (memory.last_report.counter, memory.last_report.model) == ("o200k_base", "gpt-4o-mini")


def test_a_budget_is_taken_as_it_is() -> None:
    """The same budget object may go to both faces."""
    budget = ContextBudget(9_000, parts={"history": Tokens(4_000)}, reserve=1_000)
    assert ContextMemoryBuffer.from_defaults(budget=budget).budget is budget


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"token_limit": 0}, "whole number of tokens above 0, found 0"),
        ({"token_limit": -5}, "whole number of tokens above 0, found -5"),
        ({"token_limit": 1.5}, "whole number of tokens above 0, found 1.5"),
        ({"token_limit": 100, "reserve": 100}, "reserve of 100 tokens leaves nothing"),
        ({"budget": "100"}, "budget must be a ContextBudget or a number of tokens, found str"),
        ({"budget": ContextBudget(9), "token_limit": 9}, "both budget and token_limit"),
        ({"budget": ContextBudget(9), "reserve": 9}, "reserve must be a whole number from 0 to below the 9 tokens"),
        ({"budget": ContextBudget(9, parts={"histroy": Tokens(3)})}, "histroy"),
        ({"counter": len, "tokenizer_fn": str.split}, "both counter and tokenizer_fn"),
        ({"counter": 3}, "counter must be a TokenCounter"),
        ({"tokenizer_fn": "cl100k"}, "tokenizer_fn must be a function"),
        ({"session_id": "a", "chat_store_key": "b"}, "name the same thing"),
        ({"on_overflow": "shrug"}, "on_overflow must be 'raise' or 'truncate', found 'shrug'"),
        ({"chat_store": {}}, "chat_store must be a BaseChatStore or an AsyncDBChatStore, found dict"),
        ({"tools": [3]}, "tool 1 must be a tool, a function or an OpenAI-style definition, found int"),
        ({"tools": [{"type": object()}]}, "tool 1 cannot be written as JSON"),
        ({"policy": 3}, "policy must be a HistoryPolicy, found int"),
    ],
)
def test_what_cannot_work_is_refused_at_once(arguments: dict[str, Any], message: str) -> None:
    """The error says what was found, as a `ValueError`, when the memory is made."""
    with pytest.raises(ValueError, match=message):
        ContextMemoryBuffer.from_defaults(**arguments)


def test_unknown_arguments_are_named_with_the_known() -> None:
    """A typo is not swallowed."""
    with pytest.raises(
        BudgetError,
        match=r"from_defaults\(\) takes no 'tokens_limit' \(did you mean 'token_limit'\?\); it takes .*usage_log",
    ):
        ContextMemoryBuffer.from_defaults(tokens_limit=5)  # type: ignore[call-arg]  # the point


@pytest.mark.parametrize(
    "name",
    [
        "memory_blocks_template", "insert_method", "chat_history_token_ratio", "token_flush_size",
        "image_token_size_estimate", "audio_token_size_estimate", "video_token_size_estimate",
        "document_token_size_estimate", "table_name", "async_database_uri", "async_engine", "db_schema",
    ],
)  # fmt: skip
def test_arguments_of_memory_that_mean_nothing_are_explained(name: str) -> None:
    """Each tells what to do instead."""
    arguments: Any = {name: 1}
    with pytest.raises(BudgetError, match=rf"'{name}' \(.+\)"):
        ContextMemoryBuffer.from_defaults(**arguments)


def test_every_argument_of_the_two_memories_is_known_or_explained() -> None:
    """An argument that a newer LlamaIndex adds would fail here first."""
    import inspect

    from llamaindex_ctx.settings import EXPLAINED, MEANT

    ours = {*ContextMemoryBuffer.model_fields, *MEANT}
    for theirs in (ChatMemoryBuffer, Memory):
        names = set(inspect.signature(theirs.from_defaults).parameters) - {"kwargs"}
        assert names <= set(ours) | set(EXPLAINED)


def test_positional_arguments_are_those_of_chat_memory_buffer() -> None:
    """Who calls it by position gets what he meant."""
    memory = ContextMemoryBuffer.from_defaults([ChatMessage("hi")], None, None, "key", 70, str.split)
    assert (len(memory.get_all()), memory.chat_store_key, memory.token_limit) == (1, "key", 70)


def test_a_tokenizer_of_llamaindex_counts() -> None:
    """`tokenizer_fn` gives a list of tokens, as theirs."""
    memory = ContextMemoryBuffer.from_defaults(tokenizer_fn=str.split)
    plain = TokenCounter(lambda text: len(text.split()))
    assert len(memory.tokenizer_fn("one two three")) == 3 + plain.framing.messages.per_message


@pytest.mark.parametrize("name", ["gpt-4o", TokenCounter.for_model("gpt-4o")])
def test_a_counter_may_be_a_models_name(name: str | TokenCounter) -> None:
    """A name and the counter for it are the same."""
    memory = ContextMemoryBuffer.from_defaults(counter=name)
    assert memory.counter is not None
    assert memory.counter.model == "gpt-4o"


def test_tools_may_be_tools_functions_or_definitions() -> None:
    """An agent's tools are taken as an agent takes them, however long their descriptions."""

    def look(place: str) -> str:
        """Look at a place."""
        return place

    tool = FunctionTool.from_defaults(look)
    long = FunctionTool.from_defaults(look, name="long", description="word " * 500)
    definition = {"type": "function", "function": {"name": "own"}}
    memory = ContextMemoryBuffer.from_defaults(tools=[tool, look, definition, long])
    assert [entry["function"]["name"] for entry in memory.tools] == ["look", "look", "own", "long"]
    assert memory.tools[0] == memory.tools[1] == tool.metadata.to_openai_tool()


def test_a_window_that_nothing_knows_is_an_error_of_the_core() -> None:
    """A budget for a model by name is made by the core."""
    with pytest.raises(UnknownModelError):
        ContextBudget.for_model("no-such-model")


def test_engines_make_one_by_class() -> None:
    """`memory_cls=` is called with a history and the model's window less 256."""
    llm = MockLLM(max_tokens=2, is_chat_model=True)
    history = [ChatMessage("hi", role="user"), ChatMessage("hello", role="assistant")]
    engine = SimpleChatEngine.from_defaults(llm=llm, memory_cls=ContextMemoryBuffer, chat_history=history)
    assert engine.chat_history == history
    engine.chat("so?")
    assert len(engine.chat_history) == 4


def test_a_condensing_engine_makes_one_by_class(user: Callable[[str], ChatMessage]) -> None:
    """It gives the model instead of a limit."""

    class Answers(CustomQueryEngine):
        def custom_query(self, query_str: str) -> str:
            return query_str

    llm = MockLLM(max_tokens=2, is_chat_model=True)
    engine = CondenseQuestionChatEngine.from_defaults(
        Answers(), llm=llm, memory_cls=ContextMemoryBuffer, chat_history=[user("hi")]
    )
    engine.chat("so?")
    assert [message.role.value for message in engine.chat_history] == ["user", "user", "assistant"]


def test_the_metadata_of_a_tool_is_its_definition() -> None:
    """`tool.metadata` says what the tool says."""

    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    made = FunctionTool.from_defaults(add)
    assert tool_definitions([made.metadata]) == tool_definitions([made])
    assert isinstance(made.metadata, ToolMetadata)
