"""A chat model for the tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field
from typing_extensions import override

if TYPE_CHECKING:
    from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
    from langchain_core.runnables import Runnable


class EchoModel(BaseChatModel):
    """Answers `re: …` with the last message, streams it in two pieces, and remembers what it was sent."""

    received: list[list[BaseMessage]] = Field(default_factory=list[list[BaseMessage]])
    meanwhile: Callable[[], object] | None = None
    """Is called while the model thinks."""
    model_name: str = "echo"

    @property
    def texts(self) -> list[str]:
        """The texts of the last request."""
        return [str(message.text) for message in self.received[-1]]

    @override
    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    @override
    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self._think(messages)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(f"re: {messages[-1].text}"))])

    @override
    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        for _ in range(5):
            await asyncio.sleep(0)  # lets the other turns in
        return self._generate(messages)

    @override
    def _stream(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        self._think(messages)
        for piece in ("re: ", str(messages[-1].text)):
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))

    def _think(self, messages: list[BaseMessage]) -> None:
        self.received.append(messages)
        if self.meanwhile is not None:
            self.meanwhile()

    @property
    @override
    def _llm_type(self) -> str:
        return "echo"
