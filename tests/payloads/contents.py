"""What a message must not lack: contents that are empty, blank or absent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from tests.payloads.pairing import merged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.payloads.turns import Request

_MOST_CACHE_MARKS: Final = 4


# Chat completions, content: not null, but for an assistant that calls, refuses or speaks.
def content_is_not_null(request: Request) -> Iterator[str]:
    """Every message has a content, which may be empty."""
    instead = ("tool_calls", "function_call", "refusal", "audio")
    for turn in request.said:
        may_be_null = turn.role == "assistant" and any(turn.raw.get(name) for name in instead)
        if turn.raw.get("content") is None and not may_be_null:
            yield f"no content at {turn.at}"


# Chat completions, tool_calls: not an empty list.
def calls_are_absent_or_some(request: Request) -> Iterator[str]:
    """A list of calls has one."""
    for turn in request.said:
        if turn.raw.get("tool_calls") == []:
            yield f"an empty list of calls at {turn.at}"


# Responses, shape of messages.
def messages_have_contents_of_their_role(request: Request) -> Iterator[str]:
    """A message has a content; what a user says is input, what an assistant says is output."""
    for turn in request.said:
        if turn.raw.get("type", "message") != "message":
            continue
        content = turn.raw.get("content")
        kinds = {block["type"] for block in content} if isinstance(content, list) else set[str]()
        if content is None:
            yield f"no content at {turn.at}"
        if turn.role == "assistant" and kinds - {"output_text", "refusal"}:
            yield f"input in the assistant's message at {turn.at}"
        if turn.role != "assistant" and "output_text" in kinds:
            yield f"output in a message that is not the assistant's at {turn.at}"


# Anthropic, empty contents: judged after merging; the last message may be an empty assistant's.
def turns_are_not_empty(request: Request) -> Iterator[str]:
    """Every turn says something."""
    turns = merged(request.said)
    for turn in turns:
        if not turn.parts and not (turn is turns[-1] and turn.role == "assistant"):
            yield f"the turn at {turn.at} is empty"


# Bedrock, empty contents.
def messages_are_not_empty(request: Request) -> Iterator[str]:
    """Every message has a block."""
    for turn in request.said:
        if not turn.parts:
            yield f"the message at {turn.at} is empty"


# Anthropic and Bedrock, blank texts, in the instructions too.
def texts_are_not_blank(request: Request) -> Iterator[str]:
    """Every text has something other than blanks."""
    for turn in request.turns:
        if any(not text.strip() for text in turn.texts):
            yield f"a blank text at {turn.at}"


# Anthropic and Bedrock, an answer that is to be continued.
def the_last_answer_ends_without_blanks(request: Request) -> Iterator[str]:
    """The text of an assistant that is last has no blank at its end."""
    last = request.said[-1:]
    if last and last[0].role == "assistant" and any(text != text.rstrip() for text in last[0].texts[-1:]):
        yield "the last answer ends with a blank"


# Anthropic, cache control: four marks in tools, system and messages together.
def cache_marks_are_few(request: Request) -> Iterator[str]:
    """No more marks than the provider keeps."""
    marks = json.dumps(request.payload).count('"cache_control": {')
    if marks > _MOST_CACHE_MARKS:
        yield f"{marks} cache marks of {_MOST_CACHE_MARKS}"


# Bedrock, documents: with a text.
def documents_come_with_a_text(request: Request) -> Iterator[str]:
    """A message with a document has a text."""
    for turn in request.said:
        if any("document" in part.raw for part in turn.of("media")) and not turn.texts:
            yield f"a document without a text at {turn.at}"


# Gemini, parts: each content has some, and each part has data; an empty text counts as data.
def parts_have_data(request: Request) -> Iterator[str]:
    """No content is without parts, no part without data."""
    for turn in request.turns:
        if not turn.parts:
            yield f"no parts at {turn.at}"
        if any(not set(part.raw) - {"thought", "thoughtSignature"} for part in turn.parts):
            yield f"a part without data at {turn.at}"


# Cohere, a message of no token.
def the_question_is_not_empty(request: Request) -> Iterator[str]:
    """What the user says is a token at least."""
    for turn in request.said:
        if turn.role == "user" and not any(part.text or part.kind != "text" for part in turn.parts):
            yield f"an empty question at {turn.at}"
