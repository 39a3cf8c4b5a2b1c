"""Room that comes back is used again, and what varies a little from turn to turn moves no prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import ContextSession, Framing, Layer, StateCache, TokenCounter
from tests.core.session.kitchen import WORDS, OpenAIMessage, talk

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx_core import Context

LIMIT = 400


def tool(words: int) -> dict[str, Any]:
    """Give a tool that costs about so many words."""
    return {"type": "function", "function": {"name": "f", "description": "word " * words, "parameters": {}}}


def make(**options: Any) -> ContextSession[OpenAIMessage]:
    """Give a session."""
    given: dict[str, Any] = {"budget": LIMIT, "counter": WORDS, **options}
    return ContextSession[OpenAIMessage](**given)


WHOLE = len(make().fit(talk(60)).messages)
"""Messages of a window that nothing but the conversation has a part of."""


def test_tools_of_one_request_take_no_room_from_the_next() -> None:
    """What they left is decided anew when they are gone."""
    session = make()
    assert len(session.fit(talk(60), tools=[tool(300)]).messages) < WHOLE / 2
    again = session.fit(talk(60))
    assert (len(again.messages), again.report.history.cut) == (WHOLE, True)


def test_a_layer_that_was_large_once_takes_no_room_later() -> None:
    """A retriever may find much for one question."""
    found = ["word " * 320]
    session = make(layers=[lambda _: Layer(name="found", text=found[0])])
    assert len(session.fit(talk(60)).conversation) < WHOLE / 2
    found[0] = "word"
    assert len(session.fit(talk(60)).conversation) == WHOLE


def test_what_another_counter_left_out_is_sent_again() -> None:
    """Whatever the counters are called: a window that is nearly empty by this one is decided anew."""

    def counting(factor: int) -> TokenCounter:
        return TokenCounter(lambda text: factor * len(text.split()), framing=Framing.free())

    states = StateCache()
    assert len(make(counter=counting(5), states=states).fit(talk(60)).messages) < WHOLE / 2
    assert len(make(counter=counting(1), states=states).fit(talk(60)).messages) == WHOLE


def moves(ask: Callable[[int], Context[OpenAIMessage]]) -> int:
    """Count how often the beginning of the prompt is another one, in requests for a conversation that grows."""
    moved, before = 0, list[OpenAIMessage]()
    for turns in range(30, 130):
        context = ask(turns)
        same = context.conversation[: len(before)] == before
        assert same or context.report.history.cut
        assert context.tokens <= LIMIT
        moved, before = moved + (not same), context.conversation
    return moved


@pytest.mark.parametrize(
    "tools",
    [lambda at: (0, 100)[at % 2], lambda at: (50, 100, 75, 120)[at % 4], lambda at: 37 * at % 100],
    ids=["on and off", "four", "any"],
)
def test_tools_that_vary_move_the_prompt_little_more_often_than_the_same_ones(tools: Callable[[int], int]) -> None:
    """A cut is decided once: under the least room there is, and not in every turn that has more."""
    varying, constant = make(), make()
    often = moves(lambda turns: varying.fit(talk(turns), tools=[tool(tools(turns))]))
    seldom = moves(lambda turns: constant.fit(talk(turns), tools=[tool(100)]))
    assert often <= seldom + 2


def test_a_layer_that_varies_moves_the_prompt_little_more_often() -> None:
    """What is found is another amount on every turn."""
    size = [0]
    varying = make(layers=[lambda _: Layer(name="found", text="word " * size[0])])
    constant = make(layers=[Layer(name="found", text="word " * 100)])

    def ask(turns: int) -> Context[OpenAIMessage]:
        size[0] = 1 + 37 * turns % 100
        return varying.fit(talk(turns))

    assert moves(ask) <= moves(lambda turns: constant.fit(talk(turns))) + 2
