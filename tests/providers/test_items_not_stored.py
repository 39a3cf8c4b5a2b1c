"""Responses whose items no server keeps: what says nothing but an id goes, before the provider says so."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

import pytest

from ctx_core import fit, validate
from ctx_core.providers import Kind, target_of
from ctx_core.providers.checks.known import Known
from tests.payloads.judge import refusals

USER: Final[dict[str, Any]] = {"role": "user", "content": "Is it warm?"}
BARE: Final[dict[str, Any]] = {"type": "reasoning", "id": "rs_1", "summary": []}
SEALED: Final[dict[str, Any]] = {**BARE, "id": "rs_2", "encrypted_content": "sealed"}
CALL: Final[dict[str, Any]] = {
    "type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": "{}",
}  # fmt: skip
OUTPUT: Final[dict[str, Any]] = {"type": "function_call_output", "call_id": "c1", "output": "sunny"}
SEARCH: Final[dict[str, Any]] = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
SAID: Final[dict[str, Any]] = {
    "type": "message", "role": "assistant", "id": "msg_1", "content": [{"type": "output_text", "text": "Yes."}],
}  # fmt: skip
WITHOUT_ID: Final[dict[str, Any]] = {key: value for key, value in CALL.items() if key != "id"}
SAID_ANEW: Final[dict[str, Any]] = {key: value for key, value in SAID.items() if key != "id"}
CASES: Final[dict[str, tuple[list[Any], list[Any]]]] = {
    "a call": ([USER, BARE, CALL, OUTPUT], [USER, WITHOUT_ID, OUTPUT]),
    "a message": ([USER, BARE, SAID, USER], [USER, SAID_ANEW, USER]),
    "a search, which needs its thought": ([USER, BARE, SEARCH, SAID, USER], [USER, SAID_ANEW, USER]),
    "sealed reasoning behind it": ([USER, BARE, SEALED, CALL, OUTPUT], [USER, SEALED, CALL, OUTPUT]),
    "a reference": ([USER, {"type": "item_reference", "id": "msg_9"}, USER], [USER, USER]),
    "sealed reasoning": ([USER, SEALED, CALL, OUTPUT], [USER, SEALED, CALL, OUTPUT]),
}


@pytest.mark.parametrize(("items", "expected"), CASES.values(), ids=CASES)
def test_reasoning_that_nobody_can_find_goes_and_its_follower_loses_its_id(
    items: list[Any], expected: list[Any]
) -> None:
    """In the request that `fixed` makes, and in `fit` for a target that keeps nothing."""
    request = {"model": "gpt-5", "store": False, "input": items}
    found = validate(request)
    assert {refusal.kind for refusal in found.refusals} == (set() if items == expected else {Kind.ITEMS_STORED})
    fixed = found.fixed
    assert fixed.validation.accepted
    assert isinstance(fixed.request, dict)
    assert fixed.request["input"] == expected
    assert refusals(fixed.request, "responses") == []
    target = target_of("gpt-5", api="responses", store=False)
    assert fit(items, 10_000, counter="gpt-5", provider=target).messages == expected
    kept = fit(items, 10_000, counter="gpt-5", provider="responses").messages
    assert all(one is other for one, other in zip(kept, items, strict=True))


def test_what_the_server_is_known_to_keep_stays() -> None:
    """Of several reasoning items the one that it does not keep goes."""
    other = [{**BARE, "id": "rs_3"}, {**CALL, "id": "fc_3", "call_id": "c3"}, {**OUTPUT, "call_id": "c3"}]
    items = [USER, BARE, CALL, OUTPUT, *other]
    known = Known(stored=frozenset({"rs_3", "fc_3"}))
    fixed = validate({"model": "gpt-5", "input": items}, known=known).fixed
    assert isinstance(fixed.request, dict)
    assert fixed.request["input"] == [USER, WITHOUT_ID, OUTPUT, *other]
    assert fixed.validation.accepted


def test_a_model_object_says_whether_its_server_keeps_items() -> None:
    """By its `store`, where it speaks that API; what is said decides over it."""
    kind = type("ChatOpenAI", (SimpleNamespace,), {"__module__": "langchain_openai.chat_models.base"})
    model = kind(model_name="gpt-5", use_responses_api=True, store=False)
    assert target_of(model).stored == frozenset()
    assert target_of(model, store=True).stored is None
    assert target_of(kind(model_name="gpt-5", use_responses_api=True, store=None)).stored is None
    assert target_of(kind(model_name="gpt-4o", store=False)).stored is None
