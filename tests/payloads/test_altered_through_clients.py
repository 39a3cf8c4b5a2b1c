"""What a cut has done to single messages, through the faces and the real clients: no provider refuses it for that."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from ctx_core import ContextOverflowError, HistoryPolicy, MediaPolicy, ToolCallPolicy, ToolResultPolicy
from langchain_ctx import ContextRunnable
from llamaindex_ctx import ContextMemoryBuffer
from tests.payloads.clients import clients
from tests.payloads.conversations import PIXEL, TOOLS, native, said, step
from tests.payloads.judge import asks, refusals
from tests.payloads.test_through_faces import WORDS

if TYPE_CHECKING:
    from tests.payloads.client import Client
    from tests.payloads.conversations import OpenAIMessage


def pictured(number: int) -> OpenAIMessage:
    """Give a question with a picture."""
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
    return {"role": "user", "content": [{"type": "text", "text": f"what-is-{number} " * 5}, picture]}


def writing(call_id: str) -> list[OpenAIMessage]:
    """Give a step whose arguments are most of it."""
    function = {"name": "look", "arguments": json.dumps({"place": " ".join(["line"] * 60)})}
    call = {"id": call_id, "type": "function", "function": function}
    asking = {"role": "assistant", "content": None, "tool_calls": [call]}
    return [asking, {"tool_call_id": call_id, **said("tool", "done")}]


ASKED: Final = "And-now?"
CONVERSATION: Final[tuple[OpenAIMessage, ...]] = (
    said("system", "Be brief."),
    pictured(1), *writing("written1"), *step("oslo", "rome", size=40), said("assistant", "answered", 5),
    pictured(2), *writing("written2"), *step("bern", size=40), said("assistant", "answered", 5),
    said("user", ASKED), *writing("written3"), *step("wien", "graz", size=40),
)  # fmt: skip
POLICIES: Final = {
    "cleared": HistoryPolicy(
        results=ToolResultPolicy(clear_rest=True, min_tokens=5, placeholder="[gone]"),
        calls=ToolCallPolicy(clear_rest=True, min_tokens=5, placeholder="[gone]"),
        media=MediaPolicy(keep_newest=0),
    ),
    "cut": HistoryPolicy(
        results=ToolResultPolicy(max_tokens=12), calls=ToolCallPolicy(max_tokens=12), media=MediaPolicy()
    ),
    "truncated": HistoryPolicy(preserve_recent_turns=2),
}


@pytest.mark.parametrize("client", clients())
@pytest.mark.parametrize("name", POLICIES)
def test_nothing_is_refused_that_was_taken_before(client: Client, name: str) -> None:
    """Of the whole conversation and of what is left of it at every budget: an alteration breaks no rule."""
    messages = native(client.framework, CONVERSATION)
    tools = TOOLS[client.framework]
    whole = {one.partition(":")[0] for one in judged(client, messages, tools)}
    altered = 0
    on_overflow: Any = "truncate" if name == "truncated" else "raise"
    everything = WORDS.count_messages(CONVERSATION)
    for budget in (everything - 5, everything // 2, everything // 4, 40):
        options: dict[str, Any] = {"counter": WORDS, "policy": POLICIES[name], "on_overflow": on_overflow}
        try:
            if client.framework == "langchain":
                view: list[Any] = ContextRunnable(budget, **options).invoke(messages)
            else:
                view = ContextMemoryBuffer.from_defaults(messages, token_limit=budget, **options).get()
        except ContextOverflowError:
            continue
        broken = {one.partition(":")[0] for one in judged(client, view, tools)}
        assert broken <= whole
        assert asks(client.payload(view, tools), client.provider, ASKED)
        altered += sum(not any(one is mine for mine in messages) for one in view)
    assert altered


def judged(client: Client, messages: list[Any], tools: Any) -> list[str]:
    """Name what a provider would refuse."""
    return refusals(client.payload(messages, tools), client.provider, model=client.model)
