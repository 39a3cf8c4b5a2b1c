"""Requests that are taken, altered by chance, before `validate` and before the harness' own judge.

The two were written apart from each other, after the same reference. The judge looks at the conversation only and
leaves some of it out; what it refuses, `validate` refuses, and what else `validate` refuses is of a few kinds.
"""

from __future__ import annotations

import copy
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctx_core import validate
from ctx_core.providers import Kind
from tests.payloads.judge import refusals
from tests.providers.requests import ROWS, Vector, known_of, row_of, vectors

ONLY_VALIDATE: Final[dict[str, frozenset[Kind]]] = {
    "openai": frozenset(),
    "responses": frozenset(),
    "anthropic": frozenset({Kind.HEADERS_PRESENT, Kind.PREFILL_WITHOUT_THINKING, Kind.USER_ENDS, Kind.NOT_EMPTY}),
    "gemini": frozenset(),
    "bedrock": frozenset({Kind.CALLS_LAST, Kind.RESULTS_BEFORE_TEXT, Kind.IDS_UNIQUE}),
    "mistral": frozenset(),
    "deepseek": frozenset(),
    "cohere": frozenset({Kind.NOT_EMPTY}),
}
"""Kinds that the judge does not know there, or knows of fewer requests. Claude's own checks on Bedrock are among
them, and that a message of any place in a list of Cohere's has a text; of
Anthropic's an answer behind an empty one, and a system message without content."""
ALTERATIONS: Final = (
    "drop", "double", "swap", "empty", "blank", "drop block", "double block", "reverse blocks", "user", "assistant",
)  # fmt: skip

Messages = list[dict[str, Any]]


def key_of(request: dict[str, Any]) -> str:
    """Give the key of the list of messages."""
    return next(key for key in ("messages", "contents", "input") if key in request)


def said(provider: str, role: str, text: str) -> dict[str, Any]:
    """Make a message of the provider's."""
    if provider == "gemini":
        return {"role": "model" if role == "assistant" else role, "parts": [{"text": text}]}
    return {"role": role, "content": [{"text": text}] if provider == "bedrock" else text}


def altered(messages: Messages, provider: str, what: str, at: int) -> Messages:
    """Alter a list of messages in one place."""
    listed = copy.deepcopy(messages)
    if what in {"user", "assistant"}:
        return [*listed[:at], said(provider, what, "x"), *listed[at:]]
    if not listed:
        return listed
    at %= len(listed)
    one = listed[at]
    content = "parts" if provider == "gemini" else "content"
    held = one.get(content)
    match what:
        case "drop":
            del listed[at]
        case "double":
            listed.insert(at, copy.deepcopy(one))
        case "swap":
            listed[at], listed[at - 1] = listed[at - 1], one
        case "empty" if content in one and held is not None:
            one[content] = [] if isinstance(held, list) else ""
        case "blank" if isinstance(held, str):
            one[content] = " "
        case "drop block" if isinstance(held, list) and held:
            del held[0]
        case "double block" if isinstance(held, list) and held:
            held.append(copy.deepcopy(held[0]))
        case "reverse blocks" if isinstance(held, list):
            held.reverse()
        case _:
            pass
    return listed


ACCEPTED: Final = [
    vector for vector in vectors() if vector["accept"] and not isinstance(vector["request"].get("input"), str)
]


@pytest.mark.parametrize("provider", sorted(set(ROWS.values())))
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_both_say_the_same_of_altered_requests(provider: str, data: st.DataObject) -> None:
    """Messages and blocks dropped, doubled, moved, emptied, put in, one to three of it at once."""
    mine = [vector for vector in ACCEPTED if row_of(vector) == provider]
    if not mine:
        pytest.skip("no requests with a known fate beside the repository")
    vector: Vector = data.draw(st.sampled_from(mine))
    request = copy.deepcopy(vector["request"])
    key = key_of(request)
    for what in data.draw(st.lists(st.sampled_from(ALTERATIONS), min_size=1, max_size=3)):
        request[key] = altered(request[key], provider, what, data.draw(st.integers(0, 5)))
    known = known_of(vector)
    model = vector.get("model")
    judged = refusals(request, provider, model=model or "", followers=dict(known.followers))
    found = validate(request, model, provider=provider, known=known)
    if judged:
        assert not found.accepted, judged
    else:
        assert {refusal.kind for refusal in found.refusals} <= ONLY_VALIDATE[provider], str(found)
    leads = any(message.get("role") == "system" for message in request[key])
    if not leads and validate(request, model, provider="unknown", known=known).accepted:
        # What satisfies every row satisfies this one: but for reasoning, which not every provider has, and for where
        # system text goes, which is a client's to do.
        assert refusals(request, provider, model=model or "", subjects=["pairing", "order", "contents"]) == []
