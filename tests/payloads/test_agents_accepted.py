"""Runs of agents, as they were recorded and wherever they break off, through the doors and the real clients."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import pytest

from ctx_core import ContextBuilder, ContextOverflowError, HistoryPolicy, TokenCounter, ToolResultPolicy
from ctx_core.session import ContextSession
from ctx_core.session.targets import provider_for
from langchain_ctx import ContextRunnable
from llamaindex_ctx.convert import CODEC
from tests.contract.shared import SHARED, needs_shared, transcripts
from tests.core.recipes.kitchen import KITCHEN
from tests.payloads.client import model_at
from tests.payloads.clients import CLIENTS
from tests.payloads.conversations import TOOLS, native
from tests.payloads.judge import refusals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.payloads.client import Client
    from tests.payloads.conversations import OpenAIMessage

ALL: Final = os.environ.get("CTX_REPLAYS") == "all"
EVERY: Final = 1 if ALL else 200
"""One run of so many; of each file the first."""
LONGEST: Final = 60
"""Messages of a run that are sent."""
COUNTER: Final = TokenCounter(lambda text: len(text) // 4 + 1)
POLICIES: Final = (
    HistoryPolicy(),
    HistoryPolicy(omission_marker="[{count} left out]", keep_first=2),
    HistoryPolicy(results=ToolResultPolicy(clear_after_steps=2, clear_rest=True), unanswered="drop"),
)
ASKED: Final = ("openai", "anthropic", "gemini", "bedrock", "mistral", "cohere")


def runs() -> Iterator[list[OpenAIMessage]]:
    """Give the runs: with system messages in the middle, ids that repeat, and calls at the end as they are."""
    for path in sorted((SHARED / "data/agents").glob("*.jsonl.gz")):
        for number, messages in enumerate(transcripts(path)):
            if number % EVERY == 0:
                yield messages[:LONGEST]


def sent(client: Client, declared: Any, messages: list[Any], *, told: bool) -> list[Any]:
    """Give what goes out: for the model object, or for whoever it may be."""
    model = model_at(client, "http://127.0.0.1:1") if told else None
    provider = provider_for(model, None) if told else "unknown"
    if client.framework == "langchain":
        window: list[Any] = ContextRunnable(recipe=declared, provider=provider).invoke(messages)
        return window
    return ContextSession[Any](declared, codec=CODEC, provider=provider).fit(messages).messages


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
        if client.provider in ASKED
    ],
)
def test_no_request_is_refused(client: Client) -> None:
    """Every recipe and policy, in turn over the runs, at small and at large budgets."""
    # Google's client of LlamaIndex asks a server when it is made.
    tells = (False,) if client.name == "llamaindex-gemini" else (True, False)
    declared: list[Any] = [ContextBuilder(2_000, COUNTER).history(policy) for policy in POLICIES]
    declared += [make(budget) for make in KITCHEN.values() for budget in (3_000, 20_000)]
    judged = 0
    for number, run in enumerate(runs()):
        messages = native(client.framework, run)
        chosen = declared if ALL else declared[number % 6 :: 6]
        for one in chosen:
            for told in tells:
                try:
                    view = sent(client, one, messages, told=told)
                except ContextOverflowError:
                    continue
                payload = client.payload(view, TOOLS[client.framework])
                assert refusals(payload, client.provider, model=client.model) == []
                judged += 1
    assert judged
