"""A provider's blocks inside LangChain's messages, through the real client: nothing is refused for its pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from ctx_core import ContextOverflowError
from langchain_ctx import ContextRunnable
from tests.formats.told import Call, Result, Said, anthropic
from tests.payloads.clients import clients
from tests.payloads.conversations import TOOLS
from tests.payloads.judge import asks, refusals
from tests.payloads.test_through_faces import WORDS

if TYPE_CHECKING:
    from tests.payloads.client import Client

A, B, C = Call(id="a"), Call(id="b"), Call(id="c")
TOLD: Final = (
    Said(role="user", text="How is the weather? " * 4),
    Said(role="assistant", text="Let me look.", calls=(A, B), searches=True),
    Result(call=B, text="stormy " * 6),
    Result(call=A, text="sunny " * 6),
    Said(role="user", text="And in Rome?"),
    Said(role="assistant", calls=(C, Call(id="d"))),
    Result(call=C, text="warm " * 6),
    Said(role="user", text="And tomorrow?"),
)


def langchain() -> list[BaseMessage]:
    """Give the conversation in LangChain's messages, with Anthropic's blocks as their contents."""
    makers: dict[str, Any] = {"user": HumanMessage, "assistant": AIMessage}
    return [makers[message["role"]](message["content"]) for message in anthropic(TOLD)]


@pytest.mark.parametrize("client", [one for one in clients("langchain") if "anthropic" in str(one.id)])
@pytest.mark.parametrize("budget", [8, 12, 20, 40, 60, 1_000])
def test_no_pair_of_blocks_is_refused(client: Client, budget: int) -> None:
    """Calls that only blocks spell, results in a human's message, and one that is missing."""
    try:
        view = ContextRunnable(budget, counter=WORDS).invoke(langchain())
    except ContextOverflowError:
        assert budget < 20
        return
    assert isinstance(view, list)
    payload = client.payload(view, TOOLS["langchain"])
    assert refusals(payload, client.provider, model=client.model, subjects=["pairing"]) == []
    assert asks(payload, client.provider, "And tomorrow?")
