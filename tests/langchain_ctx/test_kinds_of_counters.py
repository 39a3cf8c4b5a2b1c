"""Whatever people count with is taken for what it is, on every surface."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.messages.utils import count_tokens_approximately
from llama_index.core import Settings
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms import MockLLM

from ctx_core import TokenCounter, TokenizerError, fit
from langchain_ctx import BudgetedChatMessageHistory, ContextMiddleware, ContextNode, ContextRunnable
from llamaindex_ctx import ContextMemoryBuffer, with_context_budget
from tests.core.test_vocabulary import encoding_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctx_core import ContextReport

agents = pytest.importorskip("langchain.agents")

TEXT: Final = "the ferry leaves at noon <|endoftext|> " * 40
LIMIT: Final = 50_000


def words(text: str) -> int:
    """Count words."""
    return len(text.split())


def split(text: str) -> list[str]:
    """Give the words themselves."""
    return text.split()


class HuggingFace:
    """Gives tokens as a tokenizer of Hugging Face's does, called or asked to encode."""

    def __call__(self, text: str) -> dict[str, list[str]]:
        """Give a dict."""
        return {"input_ids": text.split()}

    def encode(self, text: str) -> list[str]:
        """Give a list."""
        return text.split()


class OnlyCalled:
    """Gives a dict of tokens."""

    def __call__(self, text: str) -> dict[str, list[str]]:
        """Give a dict."""
        return {"input_ids": text.split()}


def of_one(message: BaseMessage) -> int:
    """Count a message, as LangChain tells by the type."""
    return words(message.text)


def of_messages(messages: Sequence[BaseMessage]) -> int:
    """Count a list of messages."""
    return sum(map(of_one, messages))


TEXTS: Final[dict[str, Any]] = {
    "a function": words,
    "a function of tokens": split,
    "an object that encodes": HuggingFace(),
    "its method": HuggingFace().encode,
    "an object that is called": OnlyCalled(),
}
MESSAGES: Final[dict[str, Any]] = {
    "a function of one message": of_one,
    "a function of messages": of_messages,
    "a lambda of messages": lambda listed: sum(words(one.text) for one in listed),
    "a partial of messages": partial(lambda most, listed: min(most, of_messages(listed)), 10**9),
}


def in_runnable(counter: Any) -> int:
    """Count in the step of a chain."""
    return ContextRunnable(LIMIT, counter=counter).preview(TALK).tokens


def in_node(counter: Any) -> int:
    """Count in a node of a graph."""
    heard: list[ContextReport] = []
    ContextNode(LIMIT, counter=counter, on_report=heard.append).invoke({"messages": TALK})
    return heard[0].used


def in_history(counter: Any) -> int:
    """Count in a history."""
    heard: list[ContextReport] = []
    history = BudgetedChatMessageHistory(budget=LIMIT, counter=counter, on_report=heard.append)
    history.add_messages(TALK)
    assert history.messages
    return heard[0].used


def in_middleware(counter: Any) -> int:
    """Count in an agent."""
    heard: list[ContextReport] = []
    middleware = ContextMiddleware(LIMIT, counter=counter, on_report=heard.append)
    model = GenericFakeChatModel(messages=iter([AIMessage("ok")]))
    agents.create_agent(model, middleware=[middleware]).invoke({"messages": TALK})
    return heard[0].used


def in_memory(counter: Any) -> int:
    """Count in a memory."""
    memory = ContextMemoryBuffer.from_defaults(CHAT, token_limit=LIMIT, counter=counter)
    memory.get()
    assert memory.last_report is not None
    return memory.last_report.used


def in_llm(counter: Any) -> int:
    """Count in an LLM."""
    heard: list[ContextReport] = []
    with_context_budget(MockLLM(), LIMIT, counter=counter, on_report=heard.append).chat(CHAT)
    return heard[0].used


def in_fit(counter: Any) -> int:
    """Count in one call."""
    told = [
        {"role": "user", "content": TEXT},
        {"role": "assistant", "content": TEXT},
        {"role": "user", "content": "So?"},
    ]
    return fit(told, LIMIT, counter=counter).tokens


TALK: Final[list[BaseMessage]] = [HumanMessage(TEXT), AIMessage(TEXT), HumanMessage("So?")]
CHAT: Final = [ChatMessage(TEXT, role="user"), ChatMessage(TEXT, role="assistant"), ChatMessage("So?", role="user")]
LANGCHAIN: Final = (in_runnable, in_node, in_history, in_middleware)
SURFACES: Final = (*LANGCHAIN, in_memory, in_llm, in_fit)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("counter", TEXTS.values(), ids=TEXTS)
def test_a_counter_of_texts_counts_their_tokens(surface: Callable[[Any], int], counter: Any) -> None:
    """Whether it gives their number or the tokens themselves."""
    assert surface(counter) == surface(TokenCounter(words)) > words(TEXT) * 2


@pytest.mark.parametrize("surface", LANGCHAIN)
@pytest.mark.parametrize("counter", MESSAGES.values(), ids=MESSAGES)
def test_a_counter_of_messages_counts_them(surface: Callable[[Any], int], counter: Any) -> None:
    """Whatever its parameter is called, of one message or of a list, as LangChain takes them."""
    assert surface(counter) == words(TEXT) * 2 + 1


@pytest.mark.parametrize("surface", SURFACES)
def test_an_encoding_of_tiktokens_counts_special_tokens_as_the_texts_that_they_are(
    surface: Callable[[Any], int],
) -> None:
    """Its `encode` raises on their names, which a user may write."""
    encoding = encoding_of("cl100k_base")
    wanted = surface(TokenCounter(lambda text: len(encoding.encode_ordinary(text))))
    assert [surface(counter) for counter in (encoding, encoding.encode, encoding.encode_ordinary)] == [wanted] * 3


@pytest.mark.parametrize("surface", [in_memory, in_llm, in_fit])
def test_a_function_that_turns_out_to_count_messages_is_refused_with_what_to_do(surface: Callable[[Any], int]) -> None:
    """Where there are no messages of LangChain's."""
    with pytest.raises(TokenizerError, match=r"it is given texts: .* langchain_ctx\.message_counter makes one"):
        surface(MESSAGES["a lambda of messages"])


def test_len_counts_characters() -> None:
    """A function that takes texts and lists is one of texts."""
    assert in_runnable(len) == in_runnable(TokenCounter(len))
    assert in_runnable(count_tokens_approximately) == in_runnable("approximate") < in_runnable(len)


def test_what_is_set_for_all_of_llamaindex_counts_where_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tokenizer may give anything that has a length."""
    monkeypatch.setattr("llama_index.core.global_tokenizer", None)
    monkeypatch.setattr(Settings, "_tokenizer", None)
    Settings.tokenizer = split
    assert in_memory(None) == in_llm(None) == in_memory(TokenCounter(words))
