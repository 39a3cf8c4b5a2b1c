"""A chat model with a script, for agents: it binds tools, keeps what it was sent, and bills and refuses by count."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence  # frameworks read these annotations
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field
from typing_extensions import override

from ctx_core.conversation.transcript import read_natives
from ctx_core.counting.counter import TokenCounter
from langchain_ctx.bound_model import options_of
from langchain_ctx.convert import CODEC

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable


@dataclass
class Request:
    """What a model was sent."""

    messages: list[BaseMessage]
    sent: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What was bound to the model: tools, a forced tool, a format, settings."""

    def tokens(self, model: str = "gpt-4o") -> int:
        """Count the whole request from scratch: by what reached the model, not by what the middleware has seen."""
        counter = TokenCounter.for_model(model)
        tools = self.sent.get("tools") or []
        options = counter.count_options(options_of(self.sent), tools=bool(tools))
        return options + counter.count_messages(read_natives(self.messages, CODEC), tools=tools)


class ScriptedModel(BaseChatModel):
    """Gives what its script says for its first, second, … request."""

    script: Callable[[int], AIMessage]
    requests: list[Request] = Field(default_factory=list[Request])
    model_name: str = "gpt-4o"
    bills: bool = False
    """Whether answers say what was billed."""
    refuses: Callable[[int], Exception | None] | None = None
    """Gives the error for a request of so many tokens."""
    asked: int = 0

    @property
    def sizes(self) -> list[int]:
        """The tokens of all requests, counted from scratch."""
        return [request.tokens(self.model_name) for request in self.requests]

    @override
    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(one) for one in tools], **kwargs)

    @override
    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages, kwargs))])

    @override
    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        answer = self._answer(messages, kwargs)
        chunk = AIMessageChunk(
            content=answer.content,
            tool_calls=answer.tool_calls,
            usage_metadata=answer.usage_metadata,
            response_metadata=answer.response_metadata,
        )
        yield ChatGenerationChunk(message=chunk)

    def _answer(self, messages: list[BaseMessage], sent: Mapping[str, Any]) -> AIMessage:
        request = Request(list(messages), dict(sent))
        self.requests.append(request)
        error = None if self.refuses is None else self.refuses(request.tokens(self.model_name))
        if error is not None:
            raise error
        answer = self.script(self.asked)
        self.asked += 1
        if not self.bills:
            return answer
        billed = request.tokens(self.model_name)
        usage = UsageMetadata(input_tokens=billed, output_tokens=5, total_tokens=billed + 5)
        return answer.model_copy(update={"usage_metadata": usage, "response_metadata": {"model_name": self.model_name}})

    @property
    @override
    def _llm_type(self) -> str:
        return "scripted"


@tool
def look(place: str) -> str:
    """Look at a place.

    Args:
        place: which one.
    """
    return f"Of {place} there is to be said: " + "the ferry leaves at 16:40. " * 20


def looking(steps: int) -> Callable[[int], AIMessage]:
    """Give a script that looks at a place in each step, and answers every so many steps."""

    def script(asked: int) -> AIMessage:
        if asked % (steps + 1) == steps:
            return AIMessage(f"Done {asked}.")
        call = {"name": "look", "args": {"place": f"place {asked}"}, "id": f"call-{asked}", "type": "tool_call"}
        return AIMessage(f"Step {asked}.", tool_calls=[call])

    return script


def agent(model: Any, tools: Sequence[Any] = (look,), **options: Any) -> Any:
    """Give an agent of LangChain's; its types are those of one version and one way of calling it."""
    return create_agent(model, list(tools), **options)


def question(at: int = 0) -> Any:
    """Give the input of a turn."""
    return {"messages": [HumanMessage(f"When does ferry {at} leave?")]}
