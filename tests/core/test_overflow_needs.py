"""What an overflow says it needs is enough, whatever stays of the history."""

from __future__ import annotations

import random
from typing import Any

import pytest

from ctx_core import (
    ContextBuilder,
    ContextOverflowError,
    HistoryPolicy,
    Layer,
    Message,
    Share,
    TokenCounter,
    ToolResultPolicy,
    fit,
)
from tests.core.builds import builder, step, talk, words

POLICIES = {
    "plain": HistoryPolicy(),
    "first messages": HistoryPolicy(keep_first=3, omission_marker=None),
    "a share": HistoryPolicy(keep_first=Share(0.5)),
    "a large share": HistoryPolicy(keep_first=Share(0.9), preserve_recent_turns=1),
    "all of it": HistoryPolicy(keep_first=Share(1.0)),
    "pinned": HistoryPolicy(keep_first=Share(0.5), pinned=lambda message: "r r" in message.text),
    "cleared": HistoryPolicy(
        keep_first=3, omission_marker=None, results=ToolResultPolicy(clear_rest=True, min_tokens=5)
    ),
    "preserved": HistoryPolicy(preserve_recent_turns=2, omission_marker="[{count} left out]"),
}


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("seed", range(40))
def test_with_what_it_needs_it_fits(name: str, seed: int) -> None:
    """With layers that give way and instructions that do not; one try is enough, and with less none succeeds."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    history = []
    for at in range(chance.randint(1, 6)):
        turn = talk(1, size=chance.randint(1, 30))
        history += [turn[0], *(step(f"c{at}", chance.randint(1, 80)) if chance.random() < 0.6 else []), turn[1]]
    history += [talk(1)[0], *step("now", chance.randint(1, 80))]

    def build(limit: int) -> int:
        made = builder(limit).history(POLICIES[name]).system(words(1 + seed % 20, "s"))
        if seed % 3 == 0:
            made = made.layer(Layer(name="notes", text=words(50)))
        if seed % 4 == 0:
            made = made.rolling_summary()
        return made.build(history).tokens

    with pytest.raises(ContextOverflowError) as caught:
        build(5)
    needed = caught.value.needed
    assert build(needed) <= needed
    # Where first messages grow with what is needed, it may be too much in rare cases, never too little.
    lesser = (
        ()
        if isinstance(POLICIES[name].keep_first, Share)
        else (1, 2, 5, *(chance.randint(1, needed - 5) for _ in range(6)))
    )
    for less in lesser:
        with pytest.raises(ContextOverflowError):
            build(needed - less)


FRAMED = TokenCounter(lambda text: len(text.split()))
"""A token a word beside what each message has once, which no cut takes away."""

TRUNCATED = {
    "a question": (HistoryPolicy(), [Message.user(words(500))]),
    "a question and its newest step": (HistoryPolicy(), [Message.user(words(500)), *step("a", 400)]),
    "first messages": (HistoryPolicy(keep_first=3), [*talk(8, 100), Message.user(words(500))]),
    "preserved turns": (HistoryPolicy(preserve_recent_turns=2), [*talk(8, 100), Message.user(words(500))]),
    "a pinned message": (
        HistoryPolicy(pinned=lambda message: "q1" in message.text),
        [*talk(8, 100), Message.user(words(500))],
    ),
}


@pytest.mark.parametrize("system", ["", words(300, "s")], ids=["alone", "with instructions"])
@pytest.mark.parametrize("name", TRUNCATED)
def test_where_texts_may_be_cut_it_needs_what_they_can_be_cut_to(name: str, system: str) -> None:
    """Not what they cost uncut: with as much it fits, with one token less it does not."""
    policy, messages = TRUNCATED[name]

    def build(limit: int) -> int:
        made = ContextBuilder(limit, FRAMED).provider(provider=False).history(policy).system(system)
        return made.build(messages, on_overflow="truncate").tokens

    with pytest.raises(ContextOverflowError) as caught:
        build(5)
    needed = caught.value.needed
    assert build(needed) <= needed < 100
    with pytest.raises(ContextOverflowError):
        build(needed - 1)


@pytest.mark.parametrize("limit", range(175, 225, 5))
def test_a_layer_gives_way_to_results_that_are_never_cleared(limit: int) -> None:
    """A result among the first messages stays as it is, though the policy clears others."""
    first, running = step("a", 150), step("b", 3)
    history = [*talk(1)[:1], *first, talk(1)[1], talk(2)[2], *running]
    made = builder(limit).history(POLICIES["cleared"]).layer(Layer(name="facts", text=words(50)))
    context = made.build(history)
    assert context.tokens <= limit
    assert {first[1].text, running[1].text} <= {message.text for message in context.messages}


@pytest.mark.parametrize("budget", [5, 10])
def test_what_is_needed_costs_a_few_looks_at_a_long_text(budget: int) -> None:
    """Where a call and a result of 200,000 letters cannot be cut enough, each is tokenized a few times."""
    letters = [0]

    def count(text: str) -> int:
        letters[0] += len(text)
        return -(-len(text) // 4)

    told = "there " * 33_000
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": f'{{"text": "{told}"}}'}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": told},
    ]
    counter = TokenCounter(count)
    with pytest.raises(ContextOverflowError) as raised:
        fit(messages, budget, counter=counter, on_overflow="truncate")
    assert letters[0] < 10 * len(told)
    assert fit(messages, raised.value.needed, counter=counter, on_overflow="truncate").tokens <= raised.value.needed
