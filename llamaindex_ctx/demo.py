"""Runs a recorded conversation through a chat engine, to show what a model is really sent."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    CompletionResponseGen,
    LLMMetadata,
    MessageRole,
    TextBlock,
)
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms.custom import CustomLLM
from pydantic import PrivateAttr
from typing_extensions import override

from ctx_core import ContextBudget
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.conversation.parts import ImagePart, OpaquePart, Part
from llamaindex_ctx.convert import CODEC
from llamaindex_ctx.memory import ContextMemoryBuffer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx_core import ContextReport
    from ctx_core.conversation.openai_messages import OpenAIMessage
    from ctx_core.counting.counter import CounterLike


def run(
    conversation: Sequence[OpenAIMessage], budget: ContextBudget | int, counter: CounterLike | None = None
) -> Iterator[tuple[list[OpenAIMessage], ContextReport]]:
    """Run a conversation turn by turn through a `SimpleChatEngine` with a `ContextMemoryBuffer`.

    A chat engine asks once a turn and knows nothing of tools. What a turn has more, steps with tools above
    all, goes into the memory as agents put it there, and is asked of the model as they ask.

    Args:
        conversation: OpenAI-style dicts. The system messages it begins with are in the memory from the start;
            the model answers with its assistant messages, one after the other.
        budget: a budget, or tokens of input.
        counter: a counter, a tokenizer, a function from text to tokens, or a model's name.

    Yields:
        For every request, the messages that the model received, as OpenAI-style dicts, and the report.
    """
    messages = [CODEC.write(replace(OpenAICodec().read(message), origin=None)) for message in conversation]
    system = list(takewhile(lambda message: CODEC.role(message).instructs, messages))
    talk = messages[len(system) :]
    if talk and talk[-1].role != MessageRole.ASSISTANT:
        talk.append(ChatMessage("", role=MessageRole.ASSISTANT))  # the last question has no recorded answer
    budget = ContextBudget(budget) if isinstance(budget, int) else budget
    memory = ContextMemoryBuffer.from_defaults(chat_history=system, budget=budget, counter=counter)
    model = ScriptedLLM()
    engine = SimpleChatEngine.from_defaults(llm=model, memory=memory)
    stored = 0
    for at, reply in enumerate(talk):
        if not at or reply.role != MessageRole.ASSISTANT:
            continue
        model.reply = reply
        question = talk[at - 1]
        if stored < at and _is_plain_question(question):
            memory.put_messages(talk[stored : at - 1])
            engine.chat(question.content or "")  # pyright: ignore[reportUnknownMemberType]  # LlamaIndex traces it
        else:
            memory.put_messages(talk[stored:at])
            memory.put(model.chat(memory.get()).message)
        stored = at + 1
        report = memory.last_report
        if report is not None:
            yield [_as_dict(message) for message in model.received], report


class ScriptedLLM(CustomLLM):
    """Answers as it is told, and shows what it was sent."""

    reply: ChatMessage = ChatMessage("", role=MessageRole.ASSISTANT)
    """The next answer."""

    _received: list[ChatMessage] = PrivateAttr(default_factory=list[ChatMessage])

    @property
    def received(self) -> list[ChatMessage]:
        """The messages of the last request."""
        return self._received

    @property
    @override
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_chat_model=True, model_name="scripted")

    @override
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        self._received = list(messages)
        return ChatResponse(message=self.reply)

    @override
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=self.reply.content or "")

    @override
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        yield self.complete(prompt)


def _is_plain_question(message: ChatMessage) -> bool:
    """Whether a chat engine can ask it: a user's text and nothing else."""
    only_text = len(message.blocks) == 1 and isinstance(message.blocks[0], TextBlock)
    return message.role == MessageRole.USER and only_text and not message.additional_kwargs


def _as_dict(message: ChatMessage) -> OpenAIMessage:
    neutral = CODEC.read(message)
    parts = tuple(_without_block(part) for part in neutral.parts if not _is_call(part))
    return OpenAICodec().write(replace(neutral, parts=parts, origin=None))


def _is_call(part: Part) -> bool:
    return isinstance(part, OpaquePart) and part.call_id is not None


def _without_block(part: Part) -> Part:
    if not isinstance(part, ImagePart):
        return replace(part, raw=None)
    url = part.url or f"data:{part.media_type};base64,{part.data!s}"
    detail = {} if part.detail is None else {"detail": part.detail}
    return replace(part, raw={"type": "image_url", "image_url": {"url": url, **detail}})
