"""Conversations of thirty turns with pictures, written files and edits, under random policies: right on every turn."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctx_core import (
    ContextBuilder,
    ContextOverflowError,
    Framing,
    HistoryPolicy,
    MediaPolicy,
    TokenCounter,
    ToolCallPolicy,
    ToolResultPolicy,
    WindowState,
)
from ctx_core.conversation.transcript import read_natives
from langchain_ctx.convert import CODEC as LANGCHAIN
from llamaindex_ctx.convert import CODEC as LLAMAINDEX
from tests.contract.choices import chosen
from tests.contract.faces import to_langchain, to_llamaindex
from tests.contract.invariants import numbered
from tests.payloads.kinds import PICTURE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

OpenAIMessage = dict[str, Any]

COUNTER: Final = TokenCounter(
    lambda text: len(text.split()), framing=replace(Framing.free(), media=replace(Framing().media, image=40))
)  # fmt: skip
IMAGE: Final = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}}

POLICIES: Final = st.builds(
    lambda results, calls, media, rest: HistoryPolicy(results=results, calls=calls, media=media, **rest),
    chosen(
        lambda steps, rest, most, superseded: ToolResultPolicy(
            clear_after_steps=steps, clear_rest=rest, max_tokens=most, superseded=superseded, min_tokens=5
        ),
        (None, 0, 2),
        (False, True),
        (None, 60),
        (None, True, False),
    ),
    chosen(
        lambda steps, rest, most: ToolCallPolicy(
            clear_after_steps=steps, clear_rest=rest, max_tokens=most, min_tokens=5, placeholder="[gone {age}]"
        ),
        (None, 0, 2),
        (False, True),
        (None, None, 30),
    ),
    chosen(lambda media: media, (None, MediaPolicy(), MediaPolicy(keep_newest=0), MediaPolicy(keep_newest=2))),
    chosen(
        lambda first, recent, marker, water: {
            "keep_first": first,
            "preserve_recent_turns": recent,
            "omission_marker": marker,
            "low_water": water,
        },
        (0, 0, 1),
        (0, 0, 1),
        (None, "[{count} left out]"),
        (0.4, 0.6, 1.0),
    ),
)


def turn(at: int, kind: int, size: int) -> list[OpenAIMessage]:
    """Give a turn: words, a picture, a file that is written, or a file that is read again."""
    picture = [{"type": "text", "text": f"picture {at}"}, IMAGE]
    question: OpenAIMessage = {"role": "user", "content": picture if kind == 1 else f"question {at} " + "w " * size}
    answer: OpenAIMessage = {"role": "assistant", "content": f"answer {at}"}
    if kind < 2:
        return [question, answer]
    arguments = {"path": f"f{at % 3}", "text": " ".join(["line"] * size)} if kind == 2 else {"path": f"f{at % 3}"}
    function = {"name": "write" if "text" in arguments else "read", "arguments": json.dumps(arguments)}
    call = {"id": f"c{at}", "type": "function", "function": function}
    said = "done" if "text" in arguments else f"error {at} " * (at % 4 == 0) + " ".join(["row"] * size)
    return [
        question,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{at}", "content": said},
        answer,
    ]


CODECS: Final[dict[str, tuple[Callable[[OpenAIMessage], Any], Any]]] = {
    "openai": (lambda message: message, None),
    "langchain": (to_langchain, LANGCHAIN),
    "llamaindex": (to_llamaindex, LLAMAINDEX),
}


def paired(messages: Sequence[Any]) -> bool:
    """Whether each result stands behind its call, and each call has its results."""
    waiting: list[str | None] = []
    for message in messages:
        if message.role == "tool":
            if message.tool_call_id not in waiting:
                return False
            waiting.remove(message.tool_call_id)
        elif waiting:
            return False
        else:
            waiting = [call.id for call in message.tool_calls]
    return not waiting


@pytest.mark.parametrize("door", CODECS)
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
@given(
    policy=POLICIES,
    kinds=st.lists(st.tuples(st.integers(0, 3), st.integers(1, 60)), min_size=30, max_size=30),
    budget=st.integers(90, 500),
    edited=st.sets(st.integers(5, 29), max_size=3),
)
def test_thirty_turns(
    door: str, policy: HistoryPolicy, kinds: list[tuple[int, int]], budget: int, edited: set[int]
) -> None:
    """Recounted, paired, whole at the end, stable between cuts, and reported as it is; an edit only costs a new cut."""
    make, codec = CODECS[door]
    builder = ContextBuilder(budget, COUNTER).history(policy)
    source, state, before = list[OpenAIMessage](), WindowState(), list[str]()
    for at, (kind, size) in enumerate(kinds):
        source = [*source, *turn(at, kind, size)]
        if at in edited:
            place = min(len(source) - 3, at)
            changed = copy.deepcopy(source[place])
            changed["content"] = "edited" if changed["role"] != "assistant" or changed["content"] else None
            source[place] = changed
            before = []
        natives = list(map(make, numbered(source[:-1])))
        untouched = copy.deepcopy(natives)
        try:
            context = builder.build(natives, codec=codec, state=state)
        except ContextOverflowError:
            before = []
            continue
        assert natives == untouched
        sent = list(read_natives(context.messages, context.transcript.codec))
        assert COUNTER.count_messages(sent) == context.tokens <= budget
        assert paired(sent)
        assert context.messages[-1] is natives[-1] or sent[-1].role == "tool"
        report = context.report.history
        shown = [repr(message) for message in context.messages]
        assert report.cut or shown[: len(before)] == before, "the prompt moved without a cut"
        state = WindowState.from_dict(json.loads(json.dumps(context.state.to_dict())))
        assert state == context.state
        told = (len(state.cleared), bool(state.cleared_calls), sum(state.media.values()))
        assert told[0] == report.cleared
        assert told[1] <= bool(report.cleared_calls)
        assert report.media <= told[2] + report.shortened
        again = builder.build(natives, codec=codec, state=state)
        assert list(map(repr, again.messages)) == shown
        before = shown
