"""Conversations as they really are: parallel calls, repeated ids, missing results, odd contents, many scripts."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

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

texts = st.builds(
    lambda script, times, end: script * times + end,
    st.sampled_from(_SCRIPTS),
    st.one_of(st.integers(0, 6), st.integers(0, 6), st.integers(40, 400)),
    st.sampled_from(("", "!", "\n", " ok")),
)
"""Mostly short, some huge."""

_IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
_THINKING = {"type": "thinking", "thinking": "The tide is what matters here.", "signature": "c2ln" * 300}

_call_ids = st.sampled_from(("c1", "c2", "c3", "c4"))
_names = st.sampled_from(("search", "read_file", "run"))
_arguments = st.sampled_from(("{}", '{"q": "tide"}', "not json", "", '{"a": {"b": [1, 2, "中"]}}'))


def _now_and_then(draw: st.DrawFn, *, once_in: int = 10) -> bool:
    return draw(st.integers(1, once_in)) == 1


def _text_blocks(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


questions = st.one_of(
    texts,
    texts,
    st.lists(texts.map(_text_blocks), min_size=1, max_size=3),
    st.just([_text_blocks("see"), _IMAGE]),
)
"""Contents of user messages."""

_answers = st.one_of(texts, texts, st.just(""), texts.map(lambda text: [_THINKING, _text_blocks(text)]))


@st.composite
def _steps(draw: st.DrawFn) -> list[OpenAIMessage]:
    """One message with calls and what came of them: results missing, doubled, out of order, orphaned."""
    if _now_and_then(draw):
        return draw(_legacy_steps())
    ids = draw(st.lists(_call_ids, min_size=1, max_size=3))
    calls = [
        {"id": one, "type": "function", "function": {"name": draw(_names), "arguments": draw(_arguments)}}
        for one in ids
    ]
    asking: OpenAIMessage = {"role": "assistant", "content": draw(st.one_of(st.none(), _answers)), "tool_calls": calls}
    if _now_and_then(draw) and not isinstance(asking["content"], list):
        asking["reasoning_content"] = "Let me look that up."
    contents = st.one_of(texts, texts, st.none(), st.lists(texts.map(_text_blocks), min_size=1, max_size=2))
    results: list[OpenAIMessage] = [
        {"role": "tool", "tool_call_id": one, "content": draw(contents)} for one in ids if not _now_and_then(draw)
    ]
    if _now_and_then(draw):
        results = draw(st.permutations(results))
    if results and _now_and_then(draw, once_in=15):
        del results[0]["tool_call_id"]
    if _now_and_then(draw, once_in=15):
        results.append({"role": "tool", "tool_call_id": draw(_call_ids), "content": draw(texts)})
    return [asking, *results]


@st.composite
def _legacy_steps(draw: st.DrawFn) -> list[OpenAIMessage]:
    name = draw(_names)
    call = {"role": "assistant", "content": None, "function_call": {"name": name, "arguments": draw(_arguments)}}
    return [call] if _now_and_then(draw) else [call, {"role": "function", "name": name, "content": draw(texts)}]


@st.composite
def _turns(draw: st.DrawFn) -> list[OpenAIMessage]:
    question: OpenAIMessage = {"role": "user", "content": draw(questions)}
    if _now_and_then(draw):
        question["name"] = "ana"
    messages = [question]
    for _ in range(draw(st.sampled_from((0, 0, 1, 1, 2, 5)))):
        messages += draw(_steps())
    if _now_and_then(draw):
        messages.append({"role": "system", "content": draw(texts)})
    if not _now_and_then(draw):
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


@st.composite
def conversations(draw: st.DrawFn, *, max_turns: int = 8) -> list[OpenAIMessage]:
    """A conversation at a point where the model is about to be called."""
    instructing = st.sampled_from(("system", "system", "developer"))
    messages: list[OpenAIMessage] = [
        {"role": draw(instructing), "content": draw(texts)} for _ in range(draw(st.sampled_from((0, 1, 1, 2))))
    ]
    if _now_and_then(draw):
        messages.append({"role": "assistant", "content": "Hello! How can I help?"})
    talk: list[OpenAIMessage] = []
    for _ in range(draw(st.integers(0, max_turns))):
        talk += draw(_turns())
    _damaged(draw, talk)
    messages += talk
    if draw(st.booleans()) or not any(message["role"] == "user" for message in messages):
        messages.append({"role": "user", "content": draw(questions)})
    else:
        while messages[-1]["role"] == "assistant" and not messages[-1].get("tool_calls"):
            messages.pop()
    return messages


budgets = st.one_of(st.integers(1, 300), st.integers(1, 3_000), st.integers(1, 100_000))
"""Tokens of input: mostly too few."""
