"""What `validate` makes of a request that would be refused."""

from __future__ import annotations

from typing import Any, Final

import pytest

from ctx_core import ContextOverflowError, MessageError, validate
from ctx_core.providers import PROVIDERS, Kind
from ctx_core.providers.checks.known import Known
from tests.providers.requests import as_parameters, known_of, row_of, vectors
from tests.providers.test_validate import CALL, CASES, MODELS, RESULT, SAID_ROWS, SYSTEM, TOOLS, answer, user

MET: Final = frozenset({
    Kind.SYSTEM_LEADS, Kind.SYSTEM_APART, Kind.SYSTEM_PLACED, Kind.SYSTEM_NOT_AFTER_ANSWER, Kind.TAKES_NO_SYSTEM,
    Kind.USER_BEGINS, Kind.CALL_AFTER_USER, Kind.USER_ENDS, Kind.ALTERNATES, Kind.NOT_USER_AFTER_TOOL, Kind.NOT_EMPTY,
    Kind.NOT_BLANK, Kind.NO_TRAILING_BLANKS, Kind.ARGUMENTS_ARE_OBJECTS, Kind.IDS_PRESENT, Kind.IDS_PLAIN,
    Kind.IDS_SHORT, Kind.IDS_UNIQUE, Kind.CALLS_ANSWERED, Kind.RESULTS_CALLED, Kind.ANSWERS_ADJACENT,
    Kind.ONE_RESULT_A_CALL, Kind.RESULTS_TOGETHER, Kind.RESULTS_BEFORE_TEXT, Kind.RESULTS_ALONE, Kind.CALLS_LAST,
})  # fmt: skip
"""Kinds that a build meets, whatever else is in the request."""
_OTHER_REASONS: Final = frozenset({
    # Nothing is left of a list of orphans, and an empty part has no text that could stand for it.
    "anth-bad-orphan-result-first", "mis-bad-first-tool", "gem-bad-empty-part-object", "gem-bad-empty-system-part",
    "oai-resp-bad-chained-without-output",
})  # fmt: skip


@pytest.mark.parametrize("vector", as_parameters([one for one in vectors() if not one["accept"]]))
def test_what_a_build_can_meet_is_met(vector: dict[str, Any]) -> None:
    """The request that is made is taken, where only such kinds were refused; else no more is refused than was."""
    found = validate(vector["request"], vector.get("model"), provider=row_of(vector), known=known_of(vector))
    kinds = {refusal.kind for refusal in found.refusals}
    try:
        again = found.fixed.validation
    except (ContextOverflowError, MessageError):
        assert kinds & {Kind.FITS_WINDOW, Kind.ROLES_KNOWN}
        return
    if kinds <= MET and vector["id"] not in _OTHER_REASONS:
        assert again.accepted, str(again)
    # Without a thought that is refused, a running loop has to go on with thinking off, which is a parameter.
    loop = {Kind.LOOP_KEEPS_THINKING} if Kind.THINKING_UNMODIFIED in kinds else set[Kind]()
    assert {refusal.kind for refusal in again.refusals} <= kinds | loop | {Kind.SOMETHING_SAID}


@pytest.mark.parametrize("vector", as_parameters([one for one in vectors() if one["accept"]]))
def test_what_is_taken_is_not_changed(vector: dict[str, Any]) -> None:
    """It is the same object."""
    found = validate(vector["request"], vector.get("model"), provider=row_of(vector), known=known_of(vector))
    assert found.fixed.request is vector["request"]
    assert found.fixed.validation is found


@pytest.mark.parametrize("row", MODELS)
@pytest.mark.parametrize("case", [pytest.param(messages, id=name) for name, messages, _ in CASES])
def test_every_list_is_made_one_that_is_taken(case: list[dict[str, Any]], row: str) -> None:
    """In the messages of chat completions, by every row."""
    fixed = validate(case, MODELS[row], provider=SAID_ROWS.get(row), tools=TOOLS).fixed
    assert fixed.validation.provider.name == row
    assert fixed.validation.accepted, str(fixed.validation)


def test_a_system_message_in_a_whole_request_goes_where_the_api_has_it() -> None:
    """Behind the system text that is there, in its form."""
    request = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 64,
        "system": [{"type": "text", "text": "Be polite."}],
        "messages": [SYSTEM, user()],
    }
    fixed = validate(request).fixed
    assert fixed.validation.accepted
    assert fixed.request == {
        **request,
        "system": [{"type": "text", "text": "Be polite."}, {"type": "text", "text": "Be brief."}],
        "messages": [user()],
    }
    assert isinstance(request["messages"], list)
    assert request["messages"][0] is SYSTEM


def test_what_is_too_long_is_cut_to_the_window() -> None:
    """With room for the answer that the request asks for."""
    old = [message for at in range(200) for message in (user(f"Question {at} " + "word " * 40), answer("word " * 40))]
    request = {"model": "gpt-4", "max_tokens": 1_000, "messages": [SYSTEM, *old, user("And now?")]}
    found = validate(request)
    assert [refusal.kind for refusal in found.refusals] == [Kind.FITS_WINDOW]
    fixed = found.fixed
    assert fixed.validation.accepted
    assert isinstance(fixed.request, dict)
    assert fixed.request["messages"][0] is SYSTEM
    assert fixed.request["messages"][-1] == user("And now?")
    assert 20 < len(fixed.request["messages"]) < len(old)


LONG: Final = "word " * 1_000
TALK: Final = [(("user", "assistant")[at % 2], "text " * 100) for at in range(41)]
BESIDE: Final[dict[str, dict[str, Any]]] = {
    "anthropic": {"max_tokens": 100, "system": LONG, "messages": [{"role": r, "content": t} for r, t in TALK]},
    "responses": {"instructions": LONG, "input": [{"role": r, "content": t} for r, t in TALK]},
    "bedrock": {"system": [{"text": LONG}], "messages": [{"role": r, "content": [{"text": t}]} for r, t in TALK]},
    "gemini": {
        "systemInstruction": {"parts": [{"text": LONG}]},
        "contents": [{"role": r.replace("assistant", "model"), "parts": [{"text": t}]} for r, t in TALK],
    },
}


@pytest.mark.parametrize("provider", BESIDE)
def test_system_text_beside_the_list_has_its_room(provider: str) -> None:
    """What is too long is cut to what the window has beside it."""
    found = validate(BESIDE[provider], provider=provider, known=Known(window=2_500), counter="gpt-4o")
    assert [refusal.kind for refusal in found.refusals] == [Kind.FITS_WINDOW]
    assert found.fixed.validation.accepted


def test_parameters_stay_and_are_said_again() -> None:
    """What is not of the conversation is for the caller."""
    request = {"model": "gpt-4o", "messages": [user(), CALL], "zzz": 1}
    fixed = validate(request).fixed
    assert [refusal.kind for refusal in fixed.validation.refusals] == [Kind.PARAMETERS_KNOWN]
    assert isinstance(fixed.request, dict)
    assert fixed.request["zzz"] == 1


def test_system_text_that_leaves_a_list_is_given_beside_it() -> None:
    """A list in the format of an API that has it elsewhere."""
    messages = [
        SYSTEM,
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "42"}]},
        user(),
    ]
    fixed = validate(messages, MODELS["anthropic"]).fixed
    assert fixed.validation.accepted, str(fixed.validation)
    assert fixed.system == "Be brief."
    assert fixed.request == [user()]


def test_rows_that_can_be_met_are_met_after_a_fix_of_everything() -> None:
    """One list that is wrong in many ways, for each row."""
    wrong = [answer("Welcome."), user(""), SYSTEM, RESULT, CALL, user(), answer("x "), answer("y")]
    for row in PROVIDERS:
        found = validate(wrong, MODELS[row], provider=SAID_ROWS.get(row), tools=TOOLS)
        assert not found.accepted
        assert found.fixed.validation.accepted, f"{row}: {found.fixed.validation}"


@pytest.mark.parametrize("row", ["anthropic", "mistral", "openai"])
def test_a_list_of_which_nothing_can_stay_is_begun(row: str) -> None:
    """Results without a call go, and a request without messages is refused too."""
    fixed = validate([RESULT], MODELS[row], provider=SAID_ROWS.get(row)).fixed
    assert fixed.validation.accepted
    assert isinstance(fixed.request, list)
    assert [message["role"] for message in fixed.request] == ["user"]


BLANK: Final[dict[str, tuple[dict[str, Any], str, object]]] = {
    "a blank text": (
        {
            "model": "claude-sonnet-4-5",
            "max_tokens": 64,
            "system": [{"type": "text", "text": " "}],
            "messages": [user()],
        },
        "system",
        None,
    ),
    "a part without data": (
        {
            "model": "gemini-2.5-flash",
            "systemInstruction": {"parts": [{"thought": True}, {"text": "Be brief."}]},
            "contents": [{"role": "user", "parts": [{"text": "Is it?"}]}],
        },
        "systemInstruction",
        {"parts": [{"text": "Be brief."}]},
    ),
}


@pytest.mark.parametrize(("request_", "key", "expected"), BLANK.values(), ids=BLANK)
def test_system_text_that_says_nothing_goes(request_: dict[str, Any], key: str, expected: object) -> None:
    """It is refused as a message's would be."""
    found = validate(request_)
    assert not found.accepted
    fixed = found.fixed
    assert fixed.validation.accepted, str(fixed.validation)
    assert isinstance(fixed.request, dict)
    assert fixed.request.get(key) == expected


@pytest.mark.parametrize("part", [{"thought": True}, {"videoMetadata": {"fps": 1}}, {"thoughtSignature": "U0lHX09L"}])
def test_a_part_that_speaks_about_no_data_is_refused(part: dict[str, Any]) -> None:
    """What is said about data is none; it goes, and a word stands where nothing else is."""
    contents = [{"role": "user", "parts": [{"text": "Is it?"}]}, {"role": "model", "parts": [part]}]
    found = validate([*contents, contents[0]], "gemini-2.5-flash")
    assert [(refusal.kind, refusal.path) for refusal in found.refusals] == [(Kind.NOT_EMPTY, "messages[1].parts[0]")]
    assert found.fixed.validation.accepted


@pytest.mark.parametrize("value", [[1, 2], "warm", 3])
def test_results_that_are_no_objects_become_some(value: object) -> None:
    """Bedrock's are texts, Gemini's stand in an object; what is one stays."""
    model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
    asked = {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "f", "input": {}}}]}
    result = {"toolResult": {"toolUseId": "a", "content": [{"json": value}]}}
    talk = [{"role": "user", "content": [{"text": "Is it?"}]}, asked, {"role": "user", "content": [result]}]
    found = validate(talk, model, provider="bedrock", tools=TOOLS)
    assert [refusal.kind for refusal in found.refusals] == [Kind.RESULTS_ARE_OBJECTS]
    assert found.fixed.validation.accepted
    assert isinstance(found.fixed.request, list)
    told = found.fixed.request[2]["content"][0]["toolResult"]["content"]
    assert [list(block) for block in told] == [["text"]]
    parts = [{"functionResponse": {"name": "f", "response": value}}]
    called = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}
    contents = [{"role": "user", "parts": [{"text": "Is it?"}]}, called, {"role": "user", "parts": parts}]
    held = validate(contents, "gemini-2.5-flash")
    assert [refusal.kind for refusal in held.refusals] == [Kind.RESULTS_ARE_OBJECTS]
    assert held.fixed.validation.accepted
