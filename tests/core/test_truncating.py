"""With leave to truncate no request fails where a text can be cut."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from ctx_core import ContextOverflowError, HistoryPolicy, WindowState, fit
from tests.contract.test_mixed_results import BLOCKS, COUNTER, DOORS, LONG, recount
from tests.core.talks import WORDS, OpenAIMessage

if TYPE_CHECKING:
    from ctx_core import Context, Message


def said(role: str, word: str, size: int) -> OpenAIMessage:
    """Give a message of so many words."""
    return {"role": role, "content": " ".join([word] * size)}


def step(size: int, *, spoken: int = 0) -> list[OpenAIMessage]:
    """Give a call of a few words and its result of so many."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}
    asking = {"role": "assistant", "content": " ".join(["say"] * spoken) or None, "tool_calls": [call]}
    return [asking, {"role": "tool", "tool_call_id": "c", "content": " ".join(["r"] * size)}]


def truncated(messages: list[OpenAIMessage], budget: int, **policy: Any) -> Context[Any]:
    """Fit with leave to truncate; what goes out is within the budget and counted."""
    with pytest.raises(ContextOverflowError):
        fit(messages, budget, counter=WORDS, policy=HistoryPolicy(**policy))
    context = fit(messages, budget, counter=WORDS, policy=HistoryPolicy(**policy), on_overflow="truncate")
    assert WORDS.count_messages(context.messages) == context.tokens <= budget
    assert all(message["content"] or message.get("tool_calls") for message in context.messages)
    return context


def first(message: Message) -> bool:
    """Whether it is the one that is pinned."""
    return message.text.startswith("pin")


@pytest.mark.parametrize(
    ("messages", "policy", "least"),
    [
        ([said("user", "q", 50)], {}, 1),
        ([said("system", "s", 50), said("user", "q", 50)], {}, 2),
        ([said("user", "q", 50), *step(50)], {}, 3),
        ([said("user", "q", 50), *step(3, spoken=90)], {}, 3),
        ([said("user", "q", 50), *step(*[3])], {}, 3),
        ([said("user", "pin", 50), said("assistant", "a", 50), said("user", "q", 50)], {"pinned": first}, 2),
        ([said("user", "h", 50), said("assistant", "a", 50), said("user", "q", 5)], {"keep_first": 2}, 3),
        ([said("user", "h", 50), said("assistant", "a", 50), said("user", "q", 5)], {"preserve_recent_turns": 1}, 3),
    ],
    ids=["question", "instructions", "result", "words", "small result", "pinned", "head", "preserved"],
)
def test_down_to_one_word_each(messages: list[OpenAIMessage], policy: Any, least: int) -> None:
    """A mark says that something is missing where there is room for one, and goes at the very last."""
    everything = WORDS.count_messages(messages)
    for budget in range(least, everything - 50, 3):
        context = truncated(messages, budget, **policy)
        report = context.report.history
        assert report.truncated + report.shortened + report.truncated_answers + report.shortened_calls
    if least == 1:
        return
    with pytest.raises(ContextOverflowError):
        fit(messages, least - 1, counter=WORDS, policy=HistoryPolicy(**policy), on_overflow="truncate")


def test_the_omission_marker_gives_way_to_the_last_words() -> None:
    """It is worth less than a question; the report still says what is left out."""
    messages = [said("user", "old", 9), said("assistant", "a", 9), said("user", "q", 9)]
    marker = "[{count} earlier messages were left out]"
    context = fit(messages, 8, counter=WORDS, policy=HistoryPolicy(omission_marker=marker), on_overflow="truncate")
    assert [message["role"] for message in context.messages] == ["system", "user"]
    context = truncated(messages, 3, omission_marker=marker)
    assert [message["content"] for message in context.messages] == ["q q\n[truncated]"]
    assert context.report.history.omitted == 2


def test_each_kind_of_cut_is_counted_as_what_it_is() -> None:
    """Question, words of the answer, result and arguments: each in its own figure, and all in the report's words."""
    arguments = json.dumps({"text": " ".join(["w"] * 100)})
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
    asking = {"role": "assistant", "content": " ".join(["say"] * 100), "tool_calls": [call]}
    result = {"role": "tool", "tool_call_id": "c", "content": " ".join(["r"] * 100)}
    context = truncated([said("system", "s", 100), said("user", "q", 100), asking, result], 90)
    report = context.report.history
    figures = (report.truncated, report.truncated_answers, report.shortened, report.shortened_calls)
    assert figures in {(2, 1, 1, 1), (1, 1, 1, 1)}
    assert "1 answer truncated" in context.report.layer("history").why
    assert context.report.layer("current").why == "truncated to fit"


def test_what_was_cut_of_a_step_stays_cut() -> None:
    """The arguments of a step that was the newest are remembered as they went out."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": json.dumps({"t": "w " * 400})}}
    messages = [
        said("user", "q", 5),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
    ]
    once = fit(messages, 60, counter=WORDS, on_overflow="truncate", state=WindowState())
    assert once.state.shortened_calls
    later = fit([*messages, *step(5)], 100, counter=WORDS, on_overflow="truncate", state=once.state)
    assert later.messages[:3] == once.messages


_QUESTIONS: Final[dict[Any, Any]] = {
    "openai": lambda blocks: {"role": "user", "content": blocks},
    "anthropic": lambda blocks: {"role": "user", "content": blocks},
    "bedrock": lambda blocks: {"role": "user", "content": blocks},
    "gemini": lambda blocks: {"role": "user", "parts": [{"text": LONG}, *blocks]},
    "responses": lambda blocks: {"role": "user", "content": blocks},
}


@pytest.mark.parametrize("name", _QUESTIONS)
def test_documents_in_a_question_are_truncated_as_texts(name: Any) -> None:
    """The largest first, each where it stands; the words beside them stay whole, and so does the picture."""
    blocks = list(BLOCKS[name][1])
    question: Any = _QUESTIONS[name](blocks)
    context = fit([question], 2_500, counter=COUNTER, format=name, on_overflow="truncate")
    assert recount(name, context.messages) == context.tokens <= 2_500
    held = context.messages[0].get("content") or context.messages[0]["parts"]
    assert len(held) == len(question.get("content") or question["parts"])
    pictures = [block for block in held if "iVBOR" in str(block) or "image" in str(block)[:40]]
    assert pictures
    assert all(any(one is block for block in blocks) for one in pictures)
    assert context.report.history.truncated == 1
    assert name not in DOORS


@pytest.mark.parametrize("kept", [{"keep_first": 3}, {"preserve_recent_turns": 1}], ids=str)
@pytest.mark.parametrize("budget", range(40, 96, 8))
def test_asked_again_it_is_the_same_request(kept: dict[str, Any], budget: int) -> None:
    """Calls and results that are cut are remembered as they went out, and not cut otherwise on the next turn."""
    function = {"name": "look", "arguments": json.dumps({"text": "w " * 30})}
    call = {"id": "c", "type": "function", "function": function}
    messages: list[OpenAIMessage] = [
        said("user", "pin", 4),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "there " * 60},
        said("assistant", "pin", 9),
        said("user", "q", 2),
    ]

    def sent(state: WindowState) -> Context[Any]:
        policy = HistoryPolicy(**kept)
        return fit(messages, budget, counter=WORDS, policy=policy, state=state, on_overflow="truncate")

    context = sent(WindowState())
    assert context.report.history.altered
    stored = WindowState.from_dict(json.loads(json.dumps(context.state.to_dict())))
    for state in (context.state, stored):
        assert sent(state).messages == context.messages
