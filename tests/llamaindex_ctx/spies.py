"""LLMs that note what they were really sent, and what is asked of a request that fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, MessageRole
from llama_index.core.llms import MockFunctionCallingLLM, MockLLM
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from pydantic import PrivateAttr
from typing_extensions import override

from ctx_core import TokenCounter
from llamaindex_ctx import ChatMessageCodec
from llamaindex_ctx.settings import tool_definitions

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence

CODEC = ChatMessageCodec()
COUNTER = TokenCounter.for_model("gpt-4o")


chats: Callable[[Any], Any] = llm_chat_callback()  # typed here, as LlamaIndex does not
completes: Callable[[Any], Any] = llm_completion_callback()


class Request(NamedTuple):
    """What a client would have been given."""

    messages: list[ChatMessage]
    kwargs: dict[str, Any]

    def tokens(self, counter: TokenCounter = COUNTER) -> int:
        """Count it from scratch, tools included."""
        tools = tool_definitions(self.kwargs.get("tools") or ())
        return counter.count_messages([CODEC.read(message) for message in self.messages], tools=tools)

    def shown(self) -> list[str]:
        """Show roles and texts."""
        return [f"{message.role.value}: {message.content}" for message in self.messages]


class Notes:
    """The requests, and the answers that are given to them."""

    def __init__(self, answers: Any = (), usage: Callable[[Request], Any] | None = None) -> None:
        """Take answers one after the other, or a function of the request; and what gives the usage figure."""
        self.requests: list[Request] = []
        self._answers: object = answers if callable(answers) else iter(answers)
        self._usage = usage

    def answer(self, messages: Sequence[ChatMessage], kwargs: dict[str, Any]) -> ChatResponse:
        """Note a request, and answer it."""
        request = Request([message.model_copy(deep=True) for message in messages], kwargs)
        self.requests.append(request)
        answers: Any = self._answers
        message = cast("ChatMessage", answers(request) if callable(answers) else next(answers, says("ok")))
        raw = None if self._usage is None else self._usage(request)
        return ChatResponse(message=message, delta=message.content or "", raw=raw)

    def __deepcopy__(self, memo: object) -> Notes:
        """Give itself: a copy of the LLM writes to the same notes."""
        return self


class CallingSpy(MockFunctionCallingLLM):
    """Calls functions. As an integration's does, its `achat` is written out, and `chat` is behind `complete`."""

    _notes: Notes = PrivateAttr(default_factory=Notes)

    @classmethod
    def of(cls, answers: Any = (), usage: Callable[[Request], Any] | None = None) -> CallingSpy:
        """Make one that answers."""
        llm = cls(is_chat_model=True)
        llm._notes = Notes(answers, usage)
        return llm

    @property
    def requests(self) -> list[Request]:
        """What was sent."""
        return self._notes.requests

    @override
    @chats
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return self._notes.answer(messages, kwargs)

    @override
    @chats
    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return self._notes.answer(messages, kwargs)

    @override
    @chats
    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        def stream() -> Generator[ChatResponse, None, None]:  # the request is made when the stream is read
            yield self._notes.answer(messages, kwargs)

        return stream()

    @override
    @chats
    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        async def stream() -> AsyncGenerator[ChatResponse, None]:
            yield self._notes.answer(messages, kwargs)

        return stream()

    @override
    @completes
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        response = self.chat([ChatMessage(prompt, role=MessageRole.USER)], **kwargs)
        return CompletionResponse(text=response.message.content or "")


class ReasoningSpy(MockLLM):
    """Calls no functions. As `CustomLLM` has it, `achat` calls `chat`, and a stream calls `stream_chat` when read."""

    _notes: Notes = PrivateAttr(default_factory=Notes)

    @classmethod
    def of(cls, answers: Any = (), usage: Callable[[Request], Any] | None = None) -> ReasoningSpy:
        """Make one that answers."""
        llm = cls(max_tokens=None, is_chat_model=True)
        llm._notes = Notes(answers, usage)
        return llm

    @property
    def requests(self) -> list[Request]:
        """What was sent."""
        return self._notes.requests

    @override
    @chats
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return self._notes.answer(messages, kwargs)

    @override
    @chats
    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        def stream() -> Iterator[ChatResponse]:
            yield self._notes.answer(messages, kwargs)

        return stream()


def asks(text: str) -> ChatMessage:
    """Make a user's message."""
    return ChatMessage(text, role=MessageRole.USER)


def says(text: str) -> ChatMessage:
    """Make an answer."""
    return ChatMessage(text, role=MessageRole.ASSISTANT)


def talk(turns: int, words: int = 20) -> list[ChatMessage]:
    """Make a conversation that ends in a question."""
    filler = "word " * words
    turned = [message for at in range(turns) for message in (asks(f"{filler}{at}?"), says(f"{filler}{at}."))]
    return [*turned, asks("And now?")]
