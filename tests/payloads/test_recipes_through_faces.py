"""Every recipe over runs of agents, through both faces, sync and async: the real clients' requests, judged."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import pytest

from ctx_core import ContextOverflowError
from langchain_ctx import ContextRunnable
from llamaindex_ctx import ContextMemoryBuffer
from tests.contract.shared import SHARED, needs_shared, transcripts
from tests.core.recipes.kitchen import KITCHEN
from tests.payloads.clients import CLIENTS
from tests.payloads.conversations import TOOLS, native
from tests.payloads.judge import refusals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx_core.recipes import Recipe
    from tests.payloads.client import Client, Framework
    from tests.payloads.conversations import OpenAIMessage

BUDGETS: Final = (1_500, 6_000, 24_000)
PROVIDERS: Final = ("openai", "anthropic", "gemini")
_LONGEST: Final = 60
"""Messages of a run that are sent."""


def runs() -> Iterator[list[OpenAIMessage]]:
    """Give the first run of each file, up to where a model would be asked: one has the same ids again and again."""
    for path in sorted((SHARED / "data/agents").glob("*.jsonl.gz")):
        for messages in islice(transcripts(path), 1):
            part = messages[:_LONGEST]
            while part and part[-1]["role"] == "assistant":
                part.pop()
            yield part


def sent(framework: Framework, recipe: Recipe, messages: list[Any]) -> list[list[Any]]:
    """Give what a face sends of a conversation, by its sync and by its async door; neither knows of the other."""
    if framework == "langchain":
        one, two = ContextRunnable(recipe=recipe), ContextRunnable(recipe=recipe)
        return [one.invoke(list(messages)), asyncio.run(two.ainvoke(list(messages)))]
    memories = [ContextMemoryBuffer.from_defaults(recipe=recipe) for _ in range(2)]
    for memory in memories:
        memory.put_messages(list(messages))
    return [memories[0].get(), asyncio.run(memories[1].aget())]


@needs_shared
@pytest.mark.parametrize(
    "client",
    [
        pytest.param(
            client,
            id=client.name,
            marks=pytest.mark.skipif(not client.installed, reason=f"{client.package} is not installed"),
        )
        for client in CLIENTS
        if client.provider in PROVIDERS
    ],
)
@pytest.mark.parametrize("name", KITCHEN)
def test_every_request_of_a_recipe_is_accepted(client: Client, name: str) -> None:
    """At three budgets, over a run of each agent, for whoever it may be; both doors send the same."""
    judged = 0
    for source in runs():
        messages = native(client.framework, source)
        for budget in BUDGETS:
            try:
                one, two = sent(client.framework, replace(KITCHEN[name](budget), provider="unknown"), messages)
            except ContextOverflowError:
                continue
            assert [message.model_dump(exclude={"id"}) for message in one] == [
                message.model_dump(exclude={"id"}) for message in two
            ]
            payload = client.payload(one, TOOLS[client.framework])
            assert refusals(payload, client.provider, model=client.model) == []
            judged += 1
    assert judged
