"""Conversations told in no format, and how each format writes them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Native = dict[str, Any]
Id = str | int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a tool."""

    id: Id = None
    """None: it has none."""
    name: str = "look"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What somebody says, and what the assistant calls."""

    role: Literal["user", "assistant"]
    text: str = ""
    calls: tuple[Call, ...] = ()
    searches: bool = False
    """Whether a tool of the provider runs first, and answers in the same message."""
    thinks: bool = False
    """Whether thoughts come first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a call."""

    call: Call
    text: str


Told = Said | Result


def _id(call: Call, key: str) -> dict[str, Any]:
    return {} if call.id is None else {key: call.id}


def _runs(told: Sequence[Told]) -> Iterator[list[Told]]:
    """Give what goes into one message: results that stand together, with the user's words right behind them."""
    results: list[Told] = []
    for one in told:
        if isinstance(one, Result):
            results.append(one)
        elif one.role == "user" and results:
            yield [*results, one]
            results = []
        else:
            if results:
                yield results
            results = []
            yield [one]
    if results:
        yield results


def _results_by_themselves(told: Sequence[Told]) -> Iterator[list[Told]]:
    for is_result, group in groupby(told, lambda one: isinstance(one, Result)):
        if is_result:
            yield list(group)
        else:
            yield from ([one] for one in group)


def openai(told: Sequence[Told]) -> list[Native]:
    """Write chat completions."""
    natives: list[Native] = []
    for one in told:
        if isinstance(one, Result):
            natives.append({"role": "tool", **_id(one.call, "tool_call_id"), "content": one.text})
            continue
        native: Native = {"role": one.role, "content": one.text}
        if one.calls:
            native["tool_calls"] = [
                {**_id(call, "id"), "type": "function", "function": {"name": call.name, "arguments": "{}"}}
                for call in one.calls
            ]
        natives.append(native)
    return natives


def anthropic(told: Sequence[Told]) -> list[Native]:
    """Write Anthropic's messages."""

    def blocks(one: Told) -> Iterator[Native]:
        if isinstance(one, Result):
            yield {"type": "tool_result", **_id(one.call, "tool_use_id"), "content": one.text}
            return
        if one.thinks:
            yield {"type": "thinking", "thinking": "hm hm", "signature": "c2ln"}
        if one.searches:
            yield {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "tide"}}
            found = [{"type": "web_search_result", "title": "Tides", "url": "u", "encrypted_content": "AAAA"}]
            yield {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": found}
        if one.text:
            yield {"type": "text", "text": one.text}
        for call in one.calls:
            yield {"type": "tool_use", **_id(call, "id"), "name": call.name, "input": {}}

    return [
        _message(run, "content", [block for one in run for block in blocks(one)], "assistant") for run in _runs(told)
    ]


def bedrock(told: Sequence[Told]) -> list[Native]:
    """Write messages of Bedrock's Converse API."""

    def blocks(one: Told) -> Iterator[Native]:
        if isinstance(one, Result):
            yield {"toolResult": {**_id(one.call, "toolUseId"), "content": [{"text": one.text}]}}
            return
        if one.thinks:
            yield {"reasoningContent": {"reasoningText": {"text": "hm hm", "signature": "c2ln"}}}
        if one.text:
            yield {"text": one.text}
        for call in one.calls:
            yield {"toolUse": {**_id(call, "toolUseId"), "name": call.name, "input": {}}}

    return [
        _message(run, "content", [block for one in run for block in blocks(one)], "assistant") for run in _runs(told)
    ]


def gemini(told: Sequence[Told]) -> list[Native]:
    """Write Gemini's contents."""

    def parts(one: Told) -> Iterator[Native]:
        if isinstance(one, Result):
            named = {"name": one.call.name, "response": {"output": one.text}}
            yield {"functionResponse": {**_id(one.call, "id"), **named}}
            return
        if one.thinks:
            yield {"text": "hm hm", "thought": True}
        if one.searches:
            yield {"executableCode": {"language": "PYTHON", "code": "print(1)"}}
            yield {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}
        if one.text:
            yield {"text": one.text}
        for at, call in enumerate(one.calls):
            signed = {"thoughtSignature": "U0lHX09L"} if at == 0 else {}
            yield {"functionCall": {**_id(call, "id"), "name": call.name, "args": {}}, **signed}

    runs = _results_by_themselves(told)
    return [_message(run, "parts", [part for one in run for part in parts(one)], "model") for run in runs]


def responses(told: Sequence[Told]) -> list[Native]:
    """Write items of the Responses API."""

    def items(one: Told) -> Iterator[Native]:
        if isinstance(one, Result):
            yield {"type": "function_call_output", **_id(one.call, "call_id"), "output": one.text}
            return
        if one.thinks:
            yield {
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "hm hm"}],
                "encrypted_content": "AA",
            }
        if one.searches:
            yield {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "tide"}}
        if one.text or not one.calls:
            yield {"role": one.role, "content": one.text}
        for call in one.calls:
            yield {"type": "function_call", **_id(call, "call_id"), "name": call.name, "arguments": "{}"}

    return [item for one in told for item in items(one)]


def _message(run: Sequence[Told], key: str, blocks: list[Native], assistant: str) -> Native:
    first = run[0]
    role = assistant if isinstance(first, Said) and first.role == "assistant" else "user"
    return {"role": role, key: blocks}


WRITERS: Final[dict[str, Callable[[Sequence[Told]], list[Native]]]] = {
    "openai": openai,
    "anthropic": anthropic,
    "gemini": gemini,
    "bedrock": bedrock,
    "responses": responses,
}
"""How each format writes a conversation."""


def payload(name: str, natives: Sequence[Any]) -> Native:
    """Give the request that these messages are sent with, as far as the judge looks at it."""
    match name:
        case "responses":
            return {"input": list(natives), "store": False}
        case "gemini":
            return {"contents": list(natives)}
        case "bedrock":
            return {"messages": list(natives), "toolConfig": {"tools": []}}
        case _:
            return {"messages": list(natives)}
