"""Thoughts that the server is known to refuse, and what `validate` makes of the request."""

from __future__ import annotations

from typing import Any, Final

import pytest

from ctx_core import validate
from ctx_core.providers import Kind
from ctx_core.providers.checks.known import Known

Messages = list[dict[str, Any]]

USER: Final = {"role": "user", "content": "And now?"}
MANUAL: Final = {"type": "enabled", "budget_tokens": 1_024}
SEALED: Final = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "broken"}
CALL: Final = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": "{}"}
OUTPUT: Final = {"type": "function_call_output", "call_id": "c1", "output": "42"}


def thought(sign: str, text: str = "Hm.") -> dict[str, Any]:
    """Claude's answer behind a thought."""
    block = {"type": "thinking", "thinking": text, "signature": sign}
    return {"role": "assistant", "content": [block, {"type": "text", "text": "Yes."}]}


def said(messages: Messages) -> list[list[str]]:
    """Give the types of the blocks of each message."""
    return [
        [block["type"] for block in one["content"]] if isinstance(one["content"], list) else ["text"]
        for one in messages
    ]


def test_a_thought_with_a_wrong_signature_goes_alone() -> None:
    """Of a model that does not bind its thoughts, others stay."""
    messages = [USER, thought("bad"), USER, thought("good"), USER]
    request = {"model": "claude-sonnet-4-5", "max_tokens": 64, "messages": messages}
    fixed = validate(request, known=Known(invalid=frozenset({"bad"}))).fixed
    assert fixed.validation.accepted
    assert isinstance(fixed.request, dict)
    assert said(fixed.request["messages"]) == [["text"], ["text"], ["text"], ["thinking", "text"], ["text"]]
    assert fixed.request["messages"][3] is messages[3]


def test_a_thought_that_was_altered_goes() -> None:
    """The server knows what it had signed."""
    request = {"model": "claude-sonnet-4-5", "max_tokens": 64, "messages": [USER, thought("s", "Edited."), USER]}
    found = validate(request, known=Known(thinking={"s": "Hm."}))
    assert [refusal.kind for refusal in found.refusals] == [Kind.THINKING_UNMODIFIED]
    assert found.fixed.validation.accepted


def test_of_a_model_that_binds_its_thoughts_all_go() -> None:
    """One in the middle must not be missing."""
    messages = [USER, thought("one"), USER, thought("two"), USER, thought("three"), USER]
    request = {"model": "claude-opus-5-5", "max_tokens": 64, "messages": messages}
    found = validate(request, known=Known(bound_elsewhere=frozenset({"two"})))
    assert [refusal.kind for refusal in found.refusals] == [Kind.THINKING_BOUND]
    fixed = found.fixed
    assert fixed.validation.accepted
    assert isinstance(fixed.request, dict)
    assert said(fixed.request["messages"]) == [["text"]] * 7


def test_sealed_reasoning_goes_with_the_id_behind_it() -> None:
    """By the id the server would look for the reasoning."""
    request = {"model": "gpt-5", "store": False, "input": [USER, SEALED, CALL, OUTPUT]}
    found = validate(request, known=Known(invalid=frozenset({"broken"})))
    assert [refusal.kind for refusal in found.refusals] == [Kind.SIGNATURES_VALID]
    fixed = found.fixed
    assert fixed.validation.accepted
    assert fixed.request == {**request, "input": [USER, {key: CALL[key] for key in CALL if key != "id"}, OUTPUT]}
    assert CALL["id"] == "fc_1"


def test_an_item_without_the_reasoning_before_it_loses_its_id() -> None:
    """The server knows what it wrote behind which reasoning."""
    request = {"model": "gpt-5", "input": [USER, CALL, OUTPUT]}
    found = validate(request, known=Known(followers={"rs_1": "fc_1"}))
    assert [refusal.kind for refusal in found.refusals] == [Kind.REASONING_FOLLOWED]
    assert found.fixed.validation.accepted


def test_a_wrong_signature_of_a_call_is_replaced() -> None:
    """By the value that Google documents for calls of others."""
    call = {"functionCall": {"name": "look", "args": {}}, "thoughtSignature": "bad"}
    answer = {"functionResponse": {"name": "look", "response": {"r": 1}}}
    contents = [
        {"role": "user", "parts": [{"text": "And now?"}]},
        {"role": "model", "parts": [call]},
        {"role": "user", "parts": [answer]},
    ]
    found = validate({"contents": contents}, "gemini-3-pro-preview", known=Known(invalid=frozenset({"bad"})))
    assert [refusal.kind for refusal in found.refusals] == [Kind.SIGNATURES_VALID]
    fixed = found.fixed
    assert fixed.validation.accepted
    assert isinstance(fixed.request, dict)
    [part] = fixed.request["contents"][1]["parts"]
    assert part["functionCall"] == call["functionCall"]
    assert part["thoughtSignature"] not in {"bad", None}


@pytest.mark.parametrize(
    "last", [[{"role": "assistant", "content": "It"}], [thought("s"), thought("t")]], ids=["a text", "thoughts"]
)
def test_with_thinking_on_no_answer_is_gone_on_with(last: Messages) -> None:
    """Older models, which go on with an answer otherwise."""
    messages = [USER, *last]
    request = {"model": "claude-sonnet-4-5", "max_tokens": 2_000, "thinking": MANUAL, "messages": messages}
    found = validate(request)
    assert [refusal.kind for refusal in found.refusals] == [Kind.PREFILL_WITHOUT_THINKING]
    fixed = found.fixed
    assert fixed.validation.accepted
    assert isinstance(fixed.request, dict)
    assert fixed.request["messages"][:2] == messages[:2]


def test_thoughts_anywhere_in_the_last_turn_are_none_to_go_on_behind() -> None:
    """Neighbors are one turn to Anthropic."""
    messages = [USER, thought("s"), {"role": "assistant", "content": "It"}]
    found = validate({"model": "claude-sonnet-4-5", "max_tokens": 64, "messages": messages})
    assert [refusal.kind for refusal in found.refusals] == [Kind.NO_LAST_THINKING]
    assert found.fixed.validation.accepted


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"role": "user"}, {"role": "user", "content": ""}),
        ({"type": "message", "role": "user", "content": None}, {"type": "message", "role": "user", "content": ""}),
    ],
)
def test_a_message_without_a_content_has_an_empty_one(item: dict[str, Any], expected: dict[str, Any]) -> None:
    """Responses want one."""
    found = validate({"model": "gpt-5", "input": [item, USER]})
    assert [refusal.kind for refusal in found.refusals] == [Kind.PARAMETERS_PRESENT]
    assert found.fixed.request == {"model": "gpt-5", "input": [expected, USER]}
    assert found.fixed.validation.accepted


def test_calls_and_outputs_without_what_belongs_to_them_say_that_there_is_none() -> None:
    """Arguments and an output."""
    bare = [{key: CALL[key] for key in ("type", "call_id", "name")}, {"type": OUTPUT["type"], "call_id": "c1"}]
    found = validate({"model": "gpt-5", "input": [USER, *bare]})
    assert [refusal.kind for refusal in found.refusals] == [Kind.PARAMETERS_PRESENT] * 2
    fixed = found.fixed
    assert fixed.validation.accepted
    assert fixed.request == {
        "model": "gpt-5", "input": [USER, {**bare[0], "arguments": "{}"}, {**bare[1], "output": ""}],
    }  # fmt: skip
