"""LlamaIndex' client of Google's names a response after the last call of its id, and sends none without an id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock

from ctx_core import ContextBudget, ContextBuilder
from ctx_core.providers import PROVIDERS, Provider, Target
from llamaindex_ctx.convert import CODEC
from tests.payloads.clients import CLIENTS
from tests.payloads.conversations import TOOLS
from tests.payloads.judge import refusals

if TYPE_CHECKING:
    from collections.abc import Sequence

GOOGLE: Final = next(client for client in CLIENTS if client.name == "llamaindex-gemini")
TARGETS: Final[dict[str, Target | Provider]] = {
    "the model's": Target(provider=PROVIDERS["gemini"], model=GOOGLE.model, client=GOOGLE.package),
    "no client named": PROVIDERS["gemini"],
    "unknown": PROVIDERS["unknown"],
}
CALLS: Final[dict[str, tuple[tuple[tuple[str, str | None], ...], ...]]] = {
    "ids that repeat from turn to turn": ((("look", "c"),), (("find", "c"),)),
    "ids that repeat in a turn": ((("look", "c"), ("find", "c")),),
    "no ids": ((("look", None), ("find", None)), (("look", ""),)),
    "names for ids, as on Vertex": ((("look", "look"), ("look", "look")), (("look", "look"),)),
    "the name of another tool for an id": ((("find", "look"),), (("look", "look"),), (("find", "look"),)),
}


def talk(turns: Sequence[Sequence[tuple[str, str | None]]]) -> list[ChatMessage]:
    """Give a turn for each list of tools and ids."""
    messages: list[ChatMessage] = []
    for turn in turns:
        calls: list[Any] = [ToolCallBlock(tool_call_id=told, tool_name=name, tool_kwargs={}) for name, told in turn]
        messages += [
            ChatMessage(role="user", content="Question?"),
            ChatMessage(role="assistant", blocks=calls),
            *(
                ChatMessage(role="tool", content=name, additional_kwargs={"name": name, "tool_call_id": told})
                for name, told in turn
            ),
        ]
    return messages


def pairs(messages: Sequence[ChatMessage], target: Any) -> list[tuple[str, Any, str]]:
    """Give the name of each call, its id, and what the response at its place says, in a request that is taken."""
    sent = ContextBuilder(ContextBudget(100_000), len).provider(target).build(list(messages), codec=CODEC).messages
    payload = GOOGLE.payload(sent, TOOLS["llamaindex"])
    assert refusals(payload, "gemini", model=GOOGLE.model) == []
    parts = [part for content in payload["contents"] for part in content["parts"]]
    asked = [part["functionCall"] for part in parts if "functionCall" in part]
    told = [part["functionResponse"] for part in parts if "functionResponse" in part]
    assert [one["name"] for one in asked] == [one["name"] for one in told]
    return [
        (one["name"], one.get("id"), response["response"]["result"]) for one, response in zip(asked, told, strict=True)
    ]


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
@pytest.mark.parametrize("turns", CALLS.values(), ids=CALLS)
def test_each_response_has_the_name_of_its_call(turns: Sequence[Any], target: Any) -> None:
    """Whatever the ids of calls and results were."""
    found = pairs(talk(turns), target)
    assert [(name, said) for name, _, said in found] == [(name, name) for turn in turns for name, _ in turn]


@pytest.mark.parametrize("told", ["look", None])
def test_the_name_for_an_id_is_sent_as_none(told: str | None) -> None:
    """As on Vertex, which gives calls no ids: the request has none, and messages that have it stay as they are."""
    messages = talk(((("look", told),), (("look", told),)))
    assert [one for _, one, _ in pairs(messages, TARGETS["the model's"])] == [None, None]
    if told is not None:
        build = ContextBuilder(ContextBudget(100_000), len).provider(TARGETS["the model's"]).build
        assert all(one is other for one, other in zip(build(messages, codec=CODEC).messages, messages, strict=True))


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
@pytest.mark.parametrize(
    "entry",
    [
        {"name": "look", "args": {}},
        {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}},
        {"functionCall": {"name": "look", "args": {}}},
    ],
    ids=["Gemini's own", "OpenAI's", "a part"],
)
def test_calls_that_entries_spell_are_sent_with_their_results(entry: dict[str, Any], target: Any) -> None:
    """With the id that they have, or none."""
    told = {"name": "look", **({"tool_call_id": entry["id"]} if "id" in entry else {})}
    messages = [
        ChatMessage(role="user", content="Question?"),
        ChatMessage(role="assistant", content="", additional_kwargs={"tool_calls": [entry]}),
        ChatMessage(role="tool", content="sunny", additional_kwargs=told),
    ]
    assert [(name, said) for name, _, said in pairs(messages, target)] == [("look", "sunny")]
