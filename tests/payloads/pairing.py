"""Calls and results: every call has its result, every result its call, where the provider wants them.

The subject of what the provider says of it stands above each rule.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Final

from tests.payloads.models import is_claude
from tests.payloads.turns import Part, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tests.payloads.turns import Request

_CLAUDE_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")
_MISTRAL_ID: Final = re.compile(r"[a-zA-Z0-9]{9}")


# Chat completions, tool messages: each belongs to the nearest assistant before it, with only tool messages between; and
# every id is answered before anything else is said, or the end. DeepSeek and Cohere say the same.
def tool_messages_follow_their_calls(request: Request) -> Iterator[str]:
    """Every call is answered at once, in any order, and nothing else is."""
    asked, waiting = set[str](), set[str]()
    for turn in request.said:
        for result in turn.results:
            if result.id not in asked:
                yield f"the result at {turn.at} answers no call right before it"
            waiting.discard(result.id)
        if turn.role == "tool":
            continue
        if waiting:
            yield f"{len(waiting)} calls are not answered before {turn.at}"
        asked = {call.id for call in turn.calls}
        waiting = set(asked)
    if waiting:
        yield f"{len(waiting)} calls are not answered at the end"


# Ollama refuses nothing and knows no ids: a result is that of the call in its place, or it misleads the model.
def as_many_tool_messages_as_calls(request: Request) -> Iterator[str]:
    """Behind each message with calls stand as many results."""
    waiting = 0
    for turn in request.said:
        if turn.role == "tool":
            waiting -= 1
            if waiting < 0:
                yield f"the result at {turn.at} answers no call right before it"
            continue
        if waiting > 0:
            yield f"{waiting} calls are not answered before {turn.at}"
        waiting = len(turn.calls)
    if waiting > 0:
        yield f"{waiting} calls are not answered at the end"


# Mistral, ids of tool calls: none twice in an assistant's message nor in its results.
def no_id_twice(request: Request) -> Iterator[str]:
    """A call has one id of its own and one result."""
    for turn in request.said:
        if _has_twice(turn.calls):
            yield f"an id comes twice in the calls at {turn.at}"
    for turn in merged(request.said):
        if _has_twice(turn.results):
            yield f"an id comes twice in the results from {turn.at} on"


# Mistral, form of an id, up to tokenizers v11; newer ones take any.
def ids_have_nine_characters(request: Request) -> Iterator[str]:
    """An id is nine letters and digits."""
    yield from _ids_of_form(request.said, _MISTRAL_ID)


# Responses, calls and outputs: joined by call_id wherever they stand; a call that was answered to an earlier response
# is known to the server alone.
def outputs_and_calls_match(request: Request) -> Iterator[str]:
    """Every call has an output behind it, every output a call before it."""
    called, answered = set[str](), {result.id for turn in request.said for result in turn.results}
    for turn in request.said:
        called |= {call.id for call in turn.calls}
        if any(result.id not in called for result in turn.results) and "previous_response_id" not in _given(request):
            yield f"the output at {turn.at} has no call before it"
        if any(call.id not in answered for call in turn.calls):
            yield f"the call at {turn.at} has no output"


# Anthropic, tools, adjacency and orphans: judged after consecutive messages of one role were merged.
def results_stand_in_the_next_user_turn(request: Request) -> Iterator[str]:
    """What an assistant calls is answered by the very next turn, which answers nothing else."""
    yield from _adjacent(merged(request.said))


# Anthropic, tools: results come before any text of their turn.
def results_come_first(request: Request) -> Iterator[str]:
    """Nothing stands before a result in its turn."""
    for turn in merged(request.said):
        kinds = [part.kind == "result" for part in turn.parts]
        if kinds != sorted(kinds, reverse=True):
            yield f"something stands before a result in the turn at {turn.at}"


# Anthropic, tools: calls are the tail of their turn; a model that thinks between its calls speaks there, too.
def calls_come_last(request: Request) -> Iterator[str]:
    """No text stands behind a call in its turn, but behind the next thought."""
    for turn in merged(request.said):
        for thinking, parts in groupby(turn.parts, lambda part: part.kind == "reasoning"):
            kinds = [part.kind for part in parts]
            if not thinking and "call" in kinds and "text" in kinds[kinds.index("call") :]:
                yield f"text stands behind a call in the turn at {turn.at}"


# Anthropic, tools: ids are unique in the whole request, and each has a single result.
def ids_are_unique(request: Request) -> Iterator[str]:
    """No two calls share an id, nor two results."""
    for kind in ("call", "result"):
        ids = Counter(part.id for turn in request.said for part in turn.parts if part.kind == kind)
        if twice := sum(times > 1 for times in ids.values()):
            yield f"{twice} ids come twice in a {kind}"


# Anthropic, tools: form of an id.
def ids_are_of_plain_characters(request: Request) -> Iterator[str]:
    """An id is letters, digits, underscores and hyphens."""
    yield from _ids_of_form(request.said, _CLAUDE_ID)


# Bedrock, tool results: all in the next message, none more.
def results_stand_in_the_next_message(request: Request) -> Iterator[str]:
    """What an assistant calls is answered by the very next message, which answers nothing else, and nothing twice."""
    yield from _adjacent(request.said)
    for before, after in pairwise(request.said):
        if len(after.results) > len(before.calls):
            yield f"the message at {after.at} has more results than there were calls"


# Bedrock, tools: the configuration of tools has to be there if the history has any.
def tools_are_configured(request: Request) -> Iterator[str]:
    """Calls and results want the tools in the request."""
    if any(turn.calls or turn.results for turn in request.said) and "toolConfig" not in request.payload:
        yield "there are calls and no toolConfig"


# Bedrock, models that are not Anthropic's: blocks of tools and others do not share a message.
def results_stand_alone(request: Request) -> Iterator[str]:
    """A message with results has nothing else."""
    for turn in request.said:
        if turn.results and len(turn.results) < len(turn.parts) and not is_claude(request.model):
            yield f"results are mixed with others at {turn.at}"


# Gemini, function calls: the turn comes right after a user's, or after one with responses.
def calls_follow_a_user_turn(request: Request) -> Iterator[str]:
    """A content with calls is never first, and never behind the model's own."""
    for before, turn in _with_the_one_before(request.said):
        if turn.calls and (before is None or before.role != "user"):
            yield f"the calls at {turn.at} follow no user's turn"


# Gemini, function responses: right after the calls, as many, in one content. That they have the calls' names, and their
# ids where there are any, is not known to be checked; the model would mistake one for another.
def responses_answer_the_content_before(request: Request) -> Iterator[str]:
    """Responses stand in the content behind the calls, one for each call."""
    for before, turn in _with_the_one_before(request.said):
        if turn.results and (before is None or not before.calls):
            yield f"the responses at {turn.at} follow no calls"
    for turn, after in _with_the_one_after(request.said):
        results = after.results if after else ()
        if turn.calls and Counter(map(_known_by, turn.calls)) != Counter(map(_known_by, results)):
            yield f"the {len(turn.calls)} calls at {turn.at} have {len(results)} responses, or others"


def merged(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Give the turns with consecutive ones of one role as one, which is at the first's place."""
    groups = (list(group) for _, group in groupby(turns, lambda turn: turn.role))
    return tuple(
        Turn(role=group[0].role, parts=tuple(part for turn in group for part in turn.parts), at=group[0].at)
        for group in groups
    )


def _given(request: Request) -> set[str]:
    """Give the names of the options that have a value: clients send the others as null."""
    return {name for name, value in request.payload.items() if value is not None}


def _adjacent(turns: Sequence[Turn]) -> Iterator[str]:
    for before, turn in _with_the_one_before(turns):
        called = {call.id for call in before.calls} if before else set[str]()
        if any(result.id not in called for result in turn.results):
            yield f"a result at {turn.at} answers no call of the turn before"
    for turn, after in _with_the_one_after(turns):
        answered = {result.id for result in after.results} if after else set[str]()
        if missing := sum(call.id not in answered for call in turn.calls):
            yield f"{missing} calls at {turn.at} are not answered by the turn behind"


def _with_the_one_before(turns: Sequence[Turn]) -> Iterable[tuple[Turn | None, Turn]]:
    return zip((None, *turns), turns, strict=False)


def _with_the_one_after(turns: Sequence[Turn]) -> Iterable[tuple[Turn, Turn | None]]:
    return zip(turns, (*turns[1:], None), strict=False)


def _has_twice(parts: Sequence[Part]) -> bool:
    return len({part.id for part in parts}) < len(parts)


def _known_by(part: Part) -> tuple[str, str]:
    return part.name, part.id


def _ids_of_form(turns: Iterable[Turn], form: re.Pattern[str]) -> Iterator[str]:
    for turn in turns:
        if any(not form.fullmatch(part.id) for part in (*turn.calls, *turn.results)):
            yield f"an id at {turn.at} is not of the form {form.pattern}"
