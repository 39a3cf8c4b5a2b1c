"""Old pictures and recordings that give way to words at a cut."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

import pytest

from ctx_core import BudgetError, Framing, HistoryPolicy, MediaPolicy, TokenCounter, WindowState, fit
from tests.payloads.kinds import PICTURE, SOUND

OpenAIMessage = dict[str, Any]
COUNTER: Final = TokenCounter(
    lambda text: len(text.split()), framing=replace(Framing.free(), media=Framing().media)
)  # fmt: skip
IMAGE: Final = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}}
RECORDING: Final = {"type": "input_audio", "input_audio": {"data": SOUND, "format": "wav"}}
NAMED: Final = "[image 640×480]"


def asked(at: int, *media: OpenAIMessage) -> list[OpenAIMessage]:
    """Give a question about media and its answer."""
    content = [{"type": "text", "text": f"what is {at}"}, *media]
    return [{"role": "user", "content": content}, {"role": "assistant", "content": f"it is {at}"}]


def run(messages: list[OpenAIMessage], budget: int, state: WindowState | None = None, **media: Any) -> Any:
    """Fit with a policy about media."""
    policy = HistoryPolicy(media=MediaPolicy(**media))
    return fit(messages, budget, counter=COUNTER, policy=policy, state=state)


def named(context: Any) -> list[int]:
    """Give how many media of each user's message are named."""
    return [
        str(message["content"]).count(NAMED) + str(message["content"]).count("[audio 1 s]")
        for message in context.messages
        if message["role"] == "user"
    ]


TALK: Final = [*asked(0, IMAGE, IMAGE), *asked(1, IMAGE), *asked(2, IMAGE), *asked(3, IMAGE)[:1]]
ALL: Final = COUNTER.count_messages(TALK)
LONG: Final = 3 * COUNTER.count_messages(asked(1, RECORDING))
ONE: Final = COUNTER.count_messages(asked(1, IMAGE)) - COUNTER.count_messages(asked(1))


@pytest.mark.parametrize(
    ("policy", "budget", "found"),
    [
        ({}, ALL, [0, 0, 0, 0]),
        ({}, ALL - 1, [2, 0, 0, 0]),
        ({}, ALL - 2 * ONE - 1, [2, 1, 0, 0]),
        ({"keep_newest": 0}, ALL - 1, [2, 1, 1, 0]),
        ({"keep_newest": 1}, ALL - 1, [2, 1, 1, 0]),
        ({"keep_newest": 2}, ALL - 1, [2, 1, 0, 0]),
        ({"keep_newest": 4}, ALL - 1, [1, 0, 0, 0]),
        ({"keep_newest": 2}, ALL, [0, 0, 0, 0]),
        ({"kinds": ("audio",)}, ALL - 1, [0, 0, 0]),
    ],
)
def test_old_media_are_named_at_a_cut(policy: Any, budget: int, found: list[int]) -> None:
    """All but the newest, or as few as it takes; those of the question that is being answered stay."""
    context = run(TALK, budget, **policy)
    assert named(context) == found
    assert context.report.history.media == sum(found)
    assert COUNTER.count_messages(context.messages) == context.tokens <= budget
    assert context.messages[-1] is TALK[-1]
    if sum(found):
        assert f"{sum(found)} medi" in context.report.layer("history").why


def test_without_a_policy_media_stay_in_their_messages() -> None:
    """The oldest turns go, as ever."""
    context = fit(TALK, ALL - 1, counter=COUNTER)
    assert named(context) == [0, 0, 0]


def test_what_is_named_stays_named() -> None:
    """Decided at a cut, remembered as a few numbers, and forgotten where the message says something else."""
    messages, state, before, cuts = list[OpenAIMessage](), WindowState(), list[OpenAIMessage](), 0
    for at in range(30):
        medium = RECORDING if at % 5 == 4 else IMAGE
        messages = [*messages, *asked(at, medium)]
        context = run(messages[:-1], LONG, state, keep_newest=1)
        cuts += context.report.history.cut
        assert context.report.history.cut or context.messages[: len(before)] == before
        assert COUNTER.count_messages(context.messages) == context.tokens <= LONG
        state = WindowState.from_dict(json.loads(json.dumps(context.state.to_dict())))
        assert state == context.state
        assert sum(state.media.values()) == context.report.history.media == sum(named(context))
        before = context.messages
    assert 3 < cuts < 25
    edited = [*messages[:-1]]
    at = max(state.media)
    edited[at] = {"role": "user", "content": [{"type": "text", "text": "another"}, IMAGE]}
    later = run(edited, 10**6, state, keep_newest=1)
    assert named(later)[-2:] == [0, 0]


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"keep_newest": -1}, "keep_newest must be 0 or more"),
        ({"kinds": "image"}, "kinds must be names"),
        ({"kinds": ("picture",)}, "kinds must be of image, audio, video, document, found 'picture'"),
    ],
)
def test_policies_that_cannot_work_are_refused(fields: dict[str, Any], found: str) -> None:
    """When they are made, with what was found; a history's policy refuses what is no policy of media."""
    with pytest.raises(BudgetError, match=found):
        MediaPolicy(**fields)
    wrong: Any = 3
    with pytest.raises(BudgetError, match="media must be a MediaPolicy, found int"):
        HistoryPolicy(media=wrong)
