"""Conversations as they really are: parallel calls, repeated ids, missing results, odd contents, many scripts."""

from __future__ import annotations

import functools
from itertools import product
from typing import Any, NamedTuple

from hypothesis import strategies as st

from tests.contract.choices import chosen, seldom

OpenAIMessage = dict[str, Any]

_SCRIPTS = (
    "The tide turns at four and the ferry leaves soon after. ",
    "请帮我查一下明天从北京到上海的高铁票。",
    "明日の会議は何時からですか。",
    "هل يمكنك مساعدتي في كتابة هذا التقرير؟ ",
    "क्या आप मुझे समाधान बता सकते हैं? ",
    "ช่วยสรุปรายงานนี้ให้หน่อย ",
    "🚀🎉👩‍👩‍👧‍👦🇫🇷 ",
    "def f(x):\n    return {'a': [x, 1.5e-3]}\n",
    "3f9d2c1b-77aa-4e0c-9b1d-0a6c5e2f1d00 ",
    "<|endoftext|><|im_start|> ",
    "{query_str} {context_str} {0} ",
    "fatal: cannot open the file. ",
)

_SHORT = range(7)
_HUGE = range(40, 401)
_TEXT = ([*_SHORT] * 103 + [*_HUGE], _SCRIPTS, ("", "!", "\n", " ok"))
"""Two of three are short."""


def _text(times: int, script: str, end: str) -> str:
    return script * times + end


texts = chosen(_text, *_TEXT)
"""Mostly short, some huge."""

_IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
_THINKING = {"type": "thinking", "thinking": "The tide is what matters here.", "signature": "c2ln" * 300}


def _block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _content(form: str, times: int, script: str, end: str, other: str) -> Any:
    text = _text(times, script, end)
    forms: dict[str, Any] = {
        "text": text,
        "nothing": None,
        "empty": "",
        "a block": [_block(text)],
        "two blocks": [_block(text), _block(other)],
        "three blocks": [_block(other), _block(""), _block(text)],
        "an image": [_block("see"), _IMAGE],
        "thinking": [_THINKING, _block(text)],
    }
    return forms[form]


def _contents(**forms: int) -> st.SearchStrategy[Any]:
    """Give contents of these forms, each so often."""
    names = [name.replace("_", " ") for name, times in forms.items() for _ in range(times)]
    return chosen(_content, names, *_TEXT, _SCRIPTS)


questions = _contents(text=6, a_block=1, two_blocks=1, three_blocks=1, an_image=3)
"""Contents of user messages."""

_answers = _contents(text=2, empty=1, thinking=1)
_said_with_calls = _contents(nothing=1, text=2, empty=1, thinking=1)
_results = _contents(text=4, nothing=2, a_block=1, two_blocks=1)

_ID = ("c1", "c2", "c3", "c4")
_IDS = [*product(_ID, repeat=1)] * 16 + [*product(_ID, repeat=2)] * 4 + [*product(_ID, repeat=3)]
"""One, two or three calls, each as often; an id may come twice."""

_NAMES = ("search", "read_file", "run")
_ARGUMENTS = ("{}", '{"q": "tide"}', "not json", "", '{"a": {"b": [1, 2, "中"]}}')
_CALL = [{"name": name, "arguments": arguments} for name in _NAMES for arguments in _ARGUMENTS]


class _Asked(NamedTuple):
    legacy: bool
    ids: tuple[str, ...]
    first: dict[str, str]
    second: dict[str, str]
    third: dict[str, str]


class _Mishaps(NamedTuple):
    no_first: bool
    no_second: bool
    no_third: bool
    shuffled: bool
    without_id: bool
    orphan: bool
    reasoning: bool


_asked = chosen(_Asked, seldom(), _IDS, _CALL, _CALL, _CALL)
_mishaps = chosen(_Mishaps, seldom(), seldom(), seldom(), seldom(), seldom(15), seldom(15), seldom())
_orphans = chosen(
    lambda one, *text: {"role": "tool", "tool_call_id": one, "content": _text(*text)},
    _ID, *_TEXT,
)  # fmt: skip


@st.composite
def _steps(draw: st.DrawFn) -> list[OpenAIMessage]:
    """One message with calls and what came of them: results missing, doubled, out of order, orphaned."""
    asked, mishaps = draw(_asked), draw(_mishaps)
    if asked.legacy:
        call = {"role": "assistant", "content": None, "function_call": dict(asked.first)}
        result = {"role": "function", "name": asked.first["name"], "content": draw(texts)}
        return [call] if mishaps.no_first else [call, result]
    functions = (asked.first, asked.second, asked.third)
    calls = [
        {"id": one, "type": "function", "function": dict(function)}
        for one, function in zip(asked.ids, functions, strict=False)
    ]
    asking: OpenAIMessage = {"role": "assistant", "content": draw(_said_with_calls), "tool_calls": calls}
    if mishaps.reasoning and not isinstance(asking["content"], list):
        asking["reasoning_content"] = "Let me look that up."
    results: list[OpenAIMessage] = [
        {"role": "tool", "tool_call_id": one, "content": draw(_results)}
        for one, missing in zip(asked.ids, mishaps[:3], strict=False)
        if not missing
    ]
    if mishaps.shuffled:
        results = draw(st.permutations(results))
    if results and mishaps.without_id:
        del results[0]["tool_call_id"]
    if mishaps.orphan:
        results.append(draw(_orphans))
    return [asking, *results]


class _Turn(NamedTuple):
    steps: int
    named: bool
    instructed: bool
    unanswered: bool


_a_turn = chosen(_Turn, (0, 0, 1, 1, 2, 5), seldom(), seldom(), seldom())


@st.composite
def _turns(draw: st.DrawFn) -> list[OpenAIMessage]:
    turn = draw(_a_turn)
    question: OpenAIMessage = {"role": "user", "content": draw(questions)}
    if turn.named:
        question["name"] = "ana"
    messages = [question]
    for _ in range(turn.steps):
        messages += draw(_steps())
    if turn.instructed:
        messages.append({"role": "system", "content": draw(texts)})
    if not turn.unanswered:
        messages.append({"role": "assistant", "content": draw(_answers)})
    return messages


def _damaged(draw: st.DrawFn, messages: list[OpenAIMessage]) -> None:
    """Put a message somewhere else, or there a second time with its id."""
    kind = draw(st.sampled_from(("sound", "sound", "sound", "late result", "double")))
    results = [at for at, message in enumerate(messages) if message["role"] == "tool"]
    if kind == "late result" and results:
        at = draw(st.sampled_from(results))
        message = messages.pop(at)
        messages.insert(min(len(messages), at + draw(st.integers(1, 3))), message)
    if kind == "double" and messages:
        at = draw(st.integers(0, len(messages) - 1))
        messages[at]["id"] = "msg_1"
        messages.insert(draw(st.integers(at + 1, len(messages))), dict(messages[at]))


class _Outline(NamedTuple):
    turns: int
    instructions: int
    greeted: bool
    asked: bool


@functools.cache
def _outlines(max_turns: int) -> st.SearchStrategy[_Outline]:
    return chosen(_Outline, range(max_turns + 1), (0, 1, 1, 2), seldom(), (False, True))


_instructions = chosen(
    lambda role, *text: {"role": role, "content": _text(*text)},
    ("system", "system", "developer"), *_TEXT,
)  # fmt: skip


@st.composite
def conversations(draw: st.DrawFn, *, max_turns: int = 8) -> list[OpenAIMessage]:
    """A conversation at a point where the model is about to be called."""
    outline = draw(_outlines(max_turns))
    messages: list[OpenAIMessage] = [draw(_instructions) for _ in range(outline.instructions)]
    if outline.greeted:
        messages.append({"role": "assistant", "content": "Hello! How can I help?"})
    talk: list[OpenAIMessage] = []
    for _ in range(outline.turns):
        talk += draw(_turns())
    _damaged(draw, talk)
    messages += talk
    if outline.asked or not any(message["role"] == "user" for message in messages):
        messages.append({"role": "user", "content": draw(questions)})
    else:
        while messages[-1]["role"] == "assistant" and not messages[-1].get("tool_calls"):
            messages.pop()
    return messages


budgets = st.one_of(st.integers(1, 300), st.integers(1, 3_000), st.integers(1, 100_000))
"""Tokens of input: mostly too few."""
