"""Runs a recorded conversation through a chain, to show what a model is really sent."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from pydantic import PrivateAttr
from typing_extensions import override

from ctx_core.conversation.openai_messages import OpenAICodec
from langchain_ctx.convert import CODEC
from langchain_ctx.inputs import read_messages
from langchain_ctx.runnable import ContextRunnable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx_core.budget import ContextBudget
    from ctx_core.conversation.openai_messages import OpenAIMessage
    from ctx_core.counting.counter import CounterLike
    from ctx_core.report.report import ContextReport


def run(
    conversation: Sequence[OpenAIMessage], budget: ContextBudget | int, counter: CounterLike | None = None
) -> Iterator[tuple[list[OpenAIMessage], ContextReport]]:
    """Run a conversation turn by turn through `prompt | ContextRunnable | model`.

    Args:
        conversation: OpenAI-style dicts. The system messages it begins with become the prompt; the model answers
            with its assistant messages, one after the other.
        budget: a budget, or tokens of input.
        counter: a counter, a tokenizer, a function from text to tokens, or a model's name.

    Yields:
        For every request, the messages that the model received, as OpenAI-style dicts, and the report.
    """
    messages = read_messages(conversation)
    system = list(takewhile(lambda message: message.type == "system", messages))
    talk = messages[len(system) :]
    if talk and not isinstance(talk[-1], AIMessage):
        talk.append(AIMessage(""))  # the last question is asked too, and has no recorded answer
    reports: list[ContextReport] = []
    model = ScriptedModel()
    prompt = ChatPromptTemplate.from_messages([*system, MessagesPlaceholder("talk")])
    chain = prompt | ContextRunnable(budget, counter=counter, on_report=reports.append) | model
    for at, reply in enumerate(talk):
        if at and isinstance(reply, AIMessage):
            model.reply = reply
            chain.invoke({"talk": talk[:at]})
            yield [_as_dict(message) for message in model.received], reports[-1]


class ScriptedModel(BaseChatModel):
    """Answers as it is told, and shows what it was sent."""

    reply: AIMessage = AIMessage("")
    """The next answer."""

    _received: list[BaseMessage] = PrivateAttr(default_factory=list[BaseMessage])

    @property
    def received(self) -> list[BaseMessage]:
        """The messages of the last request."""
        return self._received

    @override
    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self._received = messages
        return ChatResult(generations=[ChatGeneration(message=self.reply)])

    @property
    @override
    def _llm_type(self) -> str:
        return "scripted"


def _as_dict(message: BaseMessage) -> OpenAIMessage:
    return OpenAICodec().write(replace(CODEC.read(message), origin=None))
