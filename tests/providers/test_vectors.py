"""`validate` against requests whose fate is known."""

from __future__ import annotations

from typing import Any, Final

import pytest

from ctx_core import validate
from ctx_core.providers import Kind
from tests.providers.requests import as_parameters, known_of, row_of, vectors

REFUSED_FOR: Final[dict[str, tuple[Kind, ...]]] = {
    "oai-cc-bad-empty-messages": (Kind.SOMETHING_SAID,),
    "oai-cc-bad-no-messages": (Kind.SOMETHING_SAID,),
    "oai-cc-bad-unknown-key": (Kind.PARAMETERS_KNOWN,),
    "oai-cc-bad-null-content-user": (Kind.CONTENT_PRESENT,),
    "oai-cc-bad-null-content-assistant": (Kind.CONTENT_PRESENT,),
    "oai-cc-bad-null-tool-content": (Kind.CONTENT_PRESENT,),
    "oai-cc-bad-orphan-tool-first": (Kind.RESULTS_CALLED,),
    "oai-cc-bad-orphan-tool-after-user": (Kind.RESULTS_CALLED,),
    "oai-cc-bad-orphan-tool-after-system": (Kind.RESULTS_CALLED,),
    "oai-cc-bad-unanswered-call": (Kind.CALLS_ANSWERED,),
    "oai-cc-bad-partial-parallel": (Kind.CALLS_ANSWERED,),
    "oai-cc-bad-answer-not-adjacent": (Kind.ANSWERS_ADJACENT,),
    "oai-cc-bad-wrong-id": (Kind.RESULTS_CALLED, Kind.CALLS_ANSWERED),
    "oai-cc-bad-overflow": (Kind.FITS_WINDOW,),
    "oai-cc-bad-system-o1-mini": (Kind.TAKES_NO_SYSTEM,),
    "oai-cc-bad-tools-with-effort": (Kind.TOOLS_WITHOUT_EFFORT,),
    "oai-cc-bad-tools-default-effort": (Kind.TOOLS_WITHOUT_EFFORT,),
    "oai-resp-bad-no-input": (Kind.SOMETHING_SAID,),
    "oai-resp-bad-empty-input": (Kind.SOMETHING_SAID,),
    "oai-resp-bad-empty-string": (Kind.SOMETHING_SAID,),
    "oai-resp-bad-item-type": (Kind.ITEMS_KNOWN,),
    "oai-resp-bad-role-tool": (Kind.ROLES_KNOWN,),
    "oai-resp-bad-no-content": (Kind.PARAMETERS_PRESENT,),
    "oai-resp-bad-user-output-text": (Kind.CONTENT_OF_ROLE,),
    "oai-resp-bad-orphan-output": (Kind.RESULTS_CALLED,),
    "oai-resp-bad-unanswered-call": (Kind.CALLS_ANSWERED,),
    "oai-resp-bad-unanswered-custom-call": (Kind.CALLS_ANSWERED,),
    "oai-resp-bad-chained-without-output": (Kind.CALLS_ANSWERED,),
    "oai-resp-bad-previous-not-found": (Kind.RESPONSE_KNOWN,),
    "oai-resp-bad-reasoning-at-end": (Kind.REASONING_FOLLOWED,),
    "oai-resp-bad-reasoning-wrong-next": (Kind.REASONING_FOLLOWED,),
    "oai-resp-bad-call-without-reasoning": (Kind.REASONING_FOLLOWED,),
    "oai-resp-bad-item-not-stored": (Kind.ITEMS_STORED,),
    "oai-resp-bad-duplicate-item": (Kind.ITEMS_UNIQUE,),
    "oai-resp-bad-encrypted": (Kind.SIGNATURES_VALID,),
    "oai-resp-bad-overflow": (Kind.FITS_WINDOW,),
    "oai-resp-bad-overflow-stream": (Kind.FITS_WINDOW,),
    "anth-bad-no-messages": (Kind.SOMETHING_SAID,),
    "anth-bad-no-max-tokens": (Kind.PARAMETERS_PRESENT,),
    "anth-bad-extra-key": (Kind.PARAMETERS_KNOWN,),
    "anth-bad-role": (Kind.ROLES_KNOWN, Kind.USER_BEGINS),
    "anth-bad-first-assistant": (Kind.USER_BEGINS,),
    "anth-bad-system-role-head": (Kind.SYSTEM_APART,),
    "anth-bad-system-mid-before-user": (Kind.SYSTEM_PLACED,),
    "anth-bad-empty-user": (Kind.NOT_EMPTY,),
    "anth-bad-empty-assistant-mid": (Kind.NOT_EMPTY,),
    "anth-bad-blank-text-block": (Kind.NOT_BLANK,),
    "anth-bad-trailing-whitespace": (Kind.NO_TRAILING_BLANKS,),
    "anth-bad-prefill-new": (Kind.USER_ENDS,),
    "anth-bad-unanswered-at-end": (Kind.CALLS_ANSWERED,),
    "anth-bad-partial-parallel": (Kind.CALLS_ANSWERED,),
    "anth-bad-text-after-tool-use": (Kind.CALLS_LAST, Kind.USER_BEGINS),
    "anth-bad-orphan-result-first": (Kind.RESULTS_CALLED,),
    "anth-bad-text-before-result": (Kind.RESULTS_BEFORE_TEXT,),
    "anth-bad-five-cache-marks": (Kind.CACHE_MARKS,),
    "anth-bad-modified-thinking": (Kind.THINKING_UNMODIFIED,),
    "anth-bad-thinking-missing-in-loop": (Kind.LOOP_KEEPS_THINKING,),
    "anth-bad-thinking-when-disabled": (Kind.NO_LAST_THINKING,),
    "anth-bad-block-binding-no-beta": (Kind.HEADERS_PRESENT,),
    "anth-bad-budget-on-4-7": (Kind.THINKING_SETTING,),
    "anth-bad-adaptive-on-4-5": (Kind.THINKING_SETTING,),
    "anth-bad-forced-tool-fable": (Kind.TOOL_CHOICE_FREE,),
    "anth-bad-prompt-too-long": (Kind.FITS_WINDOW,),
    "anth-bad-max-tokens-plus-input": (Kind.FITS_WINDOW,),
    "anth-bad-duplicate-tool-use-id": (Kind.IDS_UNIQUE,),
    "anth-bad-max-tokens-over-model": (Kind.ANSWER_FITS_MODEL,),
    "gem-bad-no-contents": (Kind.SOMETHING_SAID,),
    "gem-bad-role": (Kind.ROLES_KNOWN,),
    "gem-bad-role-system": (Kind.ROLES_KNOWN, Kind.SYSTEM_APART),
    "gem-bad-empty-part-object": (Kind.NOT_EMPTY,),
    "gem-bad-empty-system-part": (Kind.NOT_EMPTY,),
    "gem-bad-call-first": (Kind.CALL_AFTER_USER,),
    "gem-bad-response-first": (Kind.RESULTS_CALLED,),
    "gem-bad-orphan-response": (Kind.RESULTS_CALLED,),
    "gem-bad-double-response": (Kind.ONE_RESULT_A_CALL,),
    "gem-bad-more-responses": (Kind.ONE_RESULT_A_CALL,),
    "gem-bad-unanswered-call": (Kind.CALLS_ANSWERED,),
    "gem-bad-g3-missing-signature": (Kind.CALLS_SIGNED,),
    "gem-bad-g3-signature-on-second": (Kind.CALLS_SIGNED,),
    "gem-bad-g3-corrupt-signature": (Kind.SIGNATURES_VALID,),
    "gem-bad-vertex-missing-signature": (Kind.CALLS_SIGNED,),
    "gem-bad-ends-with-call-36": (Kind.USER_ENDS, Kind.CALLS_ANSWERED),
    "gem-bad-overflow": (Kind.FITS_WINDOW,),
    "bed-bad-first-assistant": (Kind.USER_BEGINS,),
    "bed-bad-first-assistant-tooluse": (Kind.USER_BEGINS,),
    "bed-bad-two-users": (Kind.ALTERNATES,),
    "bed-bad-tool-result-split": (Kind.ALTERNATES, Kind.RESULTS_TOGETHER),
    "bed-bad-unanswered": (Kind.CALLS_ANSWERED,),
    "bed-bad-partial-parallel": (Kind.CALLS_ANSWERED,),
    "bed-bad-extra-result": (Kind.RESULTS_CALLED,),
    "bed-bad-no-toolconfig": (Kind.TOOLS_DEFINED,),
    "bed-bad-mixed-turn": (Kind.RESULTS_ALONE,),
    "bed-bad-blank-text": (Kind.NOT_BLANK,),
    "bed-bad-whitespace-text": (Kind.NOT_BLANK,),
    "bed-bad-empty-content": (Kind.NOT_EMPTY,),
    "bed-bad-thinking-missing": (Kind.LOOP_KEEPS_THINKING,),
    "bed-bad-trailing-ws": (Kind.NO_TRAILING_BLANKS,),
    "bed-bad-overflow": (Kind.FITS_WINDOW,),
    "mis-bad-user-after-tool": (Kind.NOT_USER_AFTER_TOOL,),
    "mis-bad-tool-after-user": (Kind.RESULTS_CALLED,),
    "mis-bad-tool-after-system": (Kind.RESULTS_CALLED, Kind.NOT_USER_AFTER_TOOL),
    "mis-bad-system-after-tool": (Kind.SYSTEM_NOT_AFTER_ANSWER,),
    "mis-bad-ends-assistant": (Kind.USER_ENDS,),
    "mis-bad-count": (Kind.CALLS_ANSWERED,),
    "mis-bad-id-format": (Kind.IDS_PLAIN,),
    "mis-bad-id-unknown": (Kind.RESULTS_CALLED, Kind.CALLS_ANSWERED),
    "mis-bad-id-duplicate-result": (Kind.ONE_RESULT_A_CALL, Kind.CALLS_ANSWERED),
    "mis-bad-prefix-not-last": (Kind.PREFIX_IS_LAST,),
    "mis-bad-first-tool": (Kind.ALONE_IS_USER, Kind.RESULTS_CALLED),
    "mis-bad-empty": (Kind.SOMETHING_SAID,),
    "ds-bad-loop-missing-reasoning": (Kind.CALLS_KEEP_REASONING,),
    "ds-bad-reasoner-missing": (Kind.CALLS_KEEP_REASONING,),
    "ds-bad-old-turn-missing-reasoning": (Kind.CALLS_KEEP_REASONING,),
    "ds-bad-orphan-tool": (Kind.RESULTS_CALLED,),
    "ds-bad-r1-two-users": (Kind.ALTERNATES,),
    "coh-bad-unanswered": (Kind.CALLS_ANSWERED,),
    "coh-bad-unknown-tool-field": (Kind.PARAMETERS_KNOWN,),
    "coh-bad-empty-message": (Kind.NOT_EMPTY,),
}
"""By the names of the requests: all the rules that each breaks. Of other names only the verdict is known."""
_NOWHERE_SAID: Final = frozenset({"oai-resp-bad-no-input"})
"""A request without any list says nothing of its API."""


@pytest.mark.parametrize("vector", as_parameters(vectors()))
def test_the_verdict_is_the_one_that_is_known(vector: dict[str, Any]) -> None:
    """What is taken is taken, what is refused is refused, and for its own reason."""
    found = validate(vector["request"], vector.get("model"), provider=row_of(vector), known=known_of(vector))
    assert found.accepted == vector["accept"], str(found)
    expected = REFUSED_FOR.get(vector["id"])
    if expected is not None:
        assert {refusal.kind for refusal in found.refusals} == set(expected)


@pytest.mark.parametrize("vector", as_parameters(vectors()))
def test_the_row_is_found_by_the_request_alone(vector: dict[str, Any]) -> None:
    """Model and keys say which provider it is for."""
    found = validate(vector["request"], vector.get("model"), known=known_of(vector))
    assert found.provider.name == ("openai" if vector["id"] in _NOWHERE_SAID else row_of(vector))


@pytest.mark.parametrize("vector", as_parameters([one for one in vectors() if not one["accept"]]))
def test_places_are_places_of_the_request(vector: dict[str, Any]) -> None:
    """A path leads to what is there, or to a key that is missing."""
    found = validate(vector["request"], vector.get("model"), provider=row_of(vector), known=known_of(vector))
    for refusal in found.refusals:
        held: Any = vector["request"]
        parts = refusal.path.replace("]", "").replace("[", ".").split(".")
        for part in parts[:-1]:
            held = held[int(part)] if part.isdigit() else held.get(part, {})
        assert isinstance(held, list) <= (parts[-1].isdigit() and int(parts[-1]) < len(held)), refusal.path
