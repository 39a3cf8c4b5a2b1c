"""How the demonstration's turns are written down, and how messages are made of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ctx_core.demo.desk import result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctx_core.openai_messages import OpenAIMessage


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call, and what it gives."""

    tool: str
    arguments: Mapping[str, object]
    failure: str | None = None
    """What the tool says instead of a result, where it fails."""


Step: TypeAlias = "Call | tuple[Call, ...]"
"""What the assistant calls at once: one tool, or several in parallel."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question, the steps the assistant takes, and its answer."""

    question: str
    answer: str
    steps: tuple[Step, ...] = ()
    aside: str | None = None
    """What the assistant says beside its first calls."""


def call(tool: str, /, **arguments: object) -> Call:
    """Write down a call."""
    return Call(tool, arguments)


def failing(tool: str, failure: str, /, **arguments: object) -> Call:
    """Write down a call that fails."""
    return Call(tool, arguments, failure)


def messages_of(turns: Iterable[Turn]) -> Iterator[OpenAIMessage]:
    """Give the messages of the turns, with call ids that count up."""
    number = 0
    for turn in turns:
        yield {"role": "user", "content": turn.question}
        aside = turn.aside
        for step in turn.steps:
            calls = step if isinstance(step, tuple) else (step,)
            ids = [f"call_{number + at:04}" for at in range(1, len(calls) + 1)]
            number += len(calls)
            made = [_made(call_id, made) for call_id, made in zip(ids, calls, strict=True)]
            yield {"role": "assistant", "content": aside, "tool_calls": made}
            for call_id, made_call in zip(ids, calls, strict=True):
                yield {"role": "tool", "content": _outcome(made_call), "tool_call_id": call_id}
            aside = None
        yield {"role": "assistant", "content": turn.answer}


def _made(call_id: str, made: Call) -> dict[str, object]:
    arguments = json.dumps(made.arguments, ensure_ascii=False, separators=(",", ":"))  # compact, as models write it
    return {"id": call_id, "type": "function", "function": {"name": made.tool, "arguments": arguments}}


def _outcome(made: Call) -> str:
    if made.failure is not None:
        return json.dumps({"error": made.failure}, ensure_ascii=False)
    return result(made.tool, made.arguments)
