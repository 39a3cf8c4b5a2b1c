"""Calls that nobody signed, for models of Google's that ask for signatures."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any, Final

from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock

from ctx_core import ContextBudget, ContextBuilder
from ctx_core.providers import PROVIDERS, Target
from llamaindex_ctx.convert import CODEC
from tests.payloads.clients import CLIENTS
from tests.payloads.conversations import TOOLS
from tests.payloads.judge import refusals

GOOGLE: Final = replace(
    next(client for client in CLIENTS if client.name == "llamaindex-gemini"), model="gemini-3-pro-preview"
)
TARGET: Final = Target(provider=PROVIDERS["gemini"], model=GOOGLE.model, client=GOOGLE.package)
SIGNED: Final = base64.b64decode("U0lHX09L")


def step(*places: str, signature: bytes | None = None) -> list[ChatMessage]:
    """Give the calls of one step with their results."""
    calls: list[Any] = [
        ToolCallBlock(tool_call_id=place, tool_name="look", tool_kwargs={"place": place}) for place in places
    ]
    extra = {} if signature is None else {"thought_signatures": [None, signature, *[None] * (len(places) - 1)]}
    results = [ChatMessage(role="tool", content="sunny", additional_kwargs={"tool_call_id": one}) for one in places]
    return [
        ChatMessage(role="assistant", blocks=[TextBlock(text="Well."), *calls], additional_kwargs=extra),
        *results,
    ]


def test_llamaindex_calls_are_sent_with_the_value_that_skips_the_check() -> None:
    """The first call of each step of the current turn, where it has no signature of its own; others stay."""
    old, open_, own = step("oslo"), step("rome", "bern"), step("wien", signature=SIGNED)
    asked = [ChatMessage(role="user", content=text) for text in ("Is it warm?", "And now?")]
    talk = [asked[0], *old, ChatMessage(role="assistant", content="Yes."), asked[1], *open_, *own]
    sent = ContextBuilder(ContextBudget(100_000), len).provider(TARGET).build(talk, codec=CODEC).messages
    assert [one is other for one, other in zip(sent, talk, strict=True)].count(False) == 1
    payload = GOOGLE.payload(sent, TOOLS["llamaindex"])
    assert refusals(payload, "gemini", model=GOOGLE.model) == []
    calls = [part for content in payload["contents"] for part in content["parts"] if "functionCall" in part]
    told = [part.get("thoughtSignature") for part in calls]
    assert [sign and base64.urlsafe_b64decode(sign) for sign in told] == [
        None,
        b"skip_thought_signature_validator",
        None,
        SIGNED,
    ]
    assert "thought_signatures" not in open_[0].additional_kwargs
