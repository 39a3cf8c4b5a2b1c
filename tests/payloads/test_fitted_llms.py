"""What LlamaIndex's clients really send with a context budget around them, by every way that they have."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.prompts import ChatPromptTemplate
from pydantic import BaseModel

from ctx_core import Framing, Layer, TokenCounter
from llamaindex_ctx import with_context_budget
from tests.payloads.client import model_at
from tests.payloads.clients import clients
from tests.payloads.conversations import TOOLS, native, said, step
from tests.payloads.judge import asks, refusals
from tests.payloads.recorder import recorded

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.payloads.client import Client

# Google's client inherits from aiohttp's, which says that one should not, and leaves its sessions open.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Unclosed:ResourceWarning"),
]
WORDS: Final = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
BUDGET: Final = 120
QUESTION: Final = "Which of them is warmer today?"


class Answer(BaseModel):
    """What is asked for."""

    place: str


def conversation() -> list[ChatMessage]:
    """Give a long turn behind others, all with calls: some twenty times what fits."""
    old = [
        message
        for at in range(20)
        for message in (
            said("user", f"question-{at}", 5),
            *step(f"a{at}", f"b{at}", size=20),
            said("assistant", "so", 5),
        )
    ]
    running = [message for at in range(20) for message in step(f"c{at}", size=30)]
    return native("llamaindex", [said("system", "Be brief."), *old, said("user", QUESTION), *running])


def prompt() -> ChatPromptTemplate:
    """Give the same for those who take a prompt, without calls, which no prediction has."""
    texts = [ChatMessage(message.content or "", role=message.role) for message in conversation() if message.content]
    talk = [message for message in texts if message.role.value in ("user", "assistant")]
    return ChatPromptTemplate(message_templates=[*talk, ChatMessage(QUESTION, role="user")])


async def streamed(made: Any) -> list[Any]:
    """Read a stream of a client to its end."""
    return [one async for one in await made]


WAYS: Final[dict[str, Callable[[Any], Any]]] = {
    "chat_with_tools": lambda llm: llm.chat_with_tools(list(TOOLS["llamaindex"]), chat_history=conversation()),
    "stream_chat_with_tools": lambda llm: list(
        llm.stream_chat_with_tools(list(TOOLS["llamaindex"]), chat_history=conversation())
    ),
    "achat_with_tools": lambda llm: asyncio.run(
        llm.achat_with_tools(list(TOOLS["llamaindex"]), chat_history=conversation())
    ),
    "astream_chat_with_tools": lambda llm: asyncio.run(
        streamed(llm.astream_chat_with_tools(list(TOOLS["llamaindex"]), chat_history=conversation()))
    ),
    "stream_chat": lambda llm: list(llm.stream_chat(prompt().format_messages())),
    "achat": lambda llm: asyncio.run(llm.achat(prompt().format_messages())),
    "astream_chat": lambda llm: asyncio.run(streamed(llm.astream_chat(prompt().format_messages()))),
    "structured_predict": lambda llm: llm.structured_predict(Answer, prompt()),
    "astructured_predict": lambda llm: asyncio.run(llm.astructured_predict(Answer, prompt())),
    "stream_structured_predict": lambda llm: list(llm.stream_structured_predict(Answer, prompt())),
    "astream_structured_predict": lambda llm: asyncio.run(streamed(llm.astream_structured_predict(Answer, prompt()))),
    "aas_structured_llm": lambda llm: asyncio.run(llm.as_structured_llm(Answer).achat(prompt().format_messages())),
    "as_structured_llm": lambda llm: llm.as_structured_llm(Answer).chat(prompt().format_messages()),
}


@pytest.mark.parametrize("client", clients("llamaindex"))
@pytest.mark.parametrize("way", WAYS)
def test_what_is_sent_fits_and_is_accepted(client: Client, way: str) -> None:
    """The question is asked, no call is without its result, and of the words there are no more than the budget has."""
    payload = recorded(lambda url: WAYS[way](with_context_budget(model_at(client, url), BUDGET, counter=WORDS)))
    subjects: list[Any] = ["pairing"] if "tools" in way else ["order"]
    assert refusals(payload, client.provider, model=client.model, subjects=subjects) == []
    assert asks(payload, client.provider, QUESTION)
    said_in_all = str(payload).count("-is-sunny") + str(payload).count("question-")
    assert 0 < said_in_all <= BUDGET


@pytest.mark.parametrize("client", clients("llamaindex"))
@pytest.mark.parametrize("way", [way for way in WAYS if "tructured" in way])
def test_layers_stand_once_in_a_prediction(client: Client, way: str) -> None:
    """Whichever way a client's prediction takes."""
    layers = [Layer(name="facts", text="the tide is high")]
    payload = recorded(
        lambda url: WAYS[way](with_context_budget(model_at(client, url), BUDGET, counter=WORDS, layers=layers))
    )
    assert str(payload).count("the tide is high") == 1
