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
)

texts = st.builds(
    lambda script, times, end: script * times + end,
    st.sampled_from(_SCRIPTS),
    st.one_of(st.integers(0, 6), st.integers(0, 6), st.integers(40, 400)),
    st.sampled_from(("", "!", "\n", " ok")),
)

_ids = st.sampled_from(("c1", "c2", "c3", "c4"))
_names = st.sampled_from(("search", "read_file", "run"))
_arguments = st.sampled_from(("{}", '{"q": "tide"}', "not json", "", '{"a": {"b": [1, 2, "中"]}}'))


def _contents() -> st.SearchStrategy[Any]:
    return st.one_of(
        texts,
        texts,
        st.lists(texts.map(lambda text: {"type": "text", "text": text}), min_size=1, max_size=3),
        st.just([{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]),
    )


@st.composite
def _steps(draw: st.DrawFn) -> list[OpenAIMessage]:
    """One message with calls and what came of them: results missing, doubled, out of order, orphaned."""
    ids = draw(st.lists(_ids, min_size=1, max_size=3))
    calls = [
        {"id": one, "type": "function", "function": {"name": draw(_names), "arguments": draw(_arguments)}} for one in ids
    ]
    asking: OpenAIMessage = {"role": "assistant", "content": draw(st.one_of(st.none(), texts)), "tool_calls": calls}
    results = [
        {"role": "tool", "tool_call_id": one, "content": draw(st.one_of(texts, st.none()))}
        for one in ids
        if draw(st.integers(0, 9)) > 0
    ]
    if draw(st.integers(0, 9)) == 0:
        results = draw(st.permutations(results))
    if draw(st.integers(0, 14)) == 0:
        results.append({"role": "tool", "tool_call_id": draw(_ids), "content": draw(texts)})
    return [asking, *results]


@st.composite
def _turns(draw: st.DrawFn) -> list[OpenAIMessage]:
    messages: list[OpenAIMessage] = [{"role": "user", "content": draw(_contents())}]
    for _ in range(draw(st.sampled_from((0, 0, 1, 1, 2, 5)))):
        messages += draw(_steps())
    if draw(st.integers(0, 9)) == 0:
        messages.append({"role": "system", "content": draw(texts)})
    if draw(st.integers(0, 9)) > 0:
        messages.append({"role": "assistant", "content": draw(st.one_of(texts, st.just("")))})
    return messages


@st.composite
def conversations(draw: st.DrawFn, *, max_turns: int = 8) -> list[OpenAIMessage]:
    """A conversation at a point where the model is about to be called."""
    messages: list[OpenAIMessage] = []
    for _ in range(draw(st.sampled_from((0, 1, 1, 2)))):
        messages.append({"role": draw(st.sampled_from(("system", "system", "developer"))), "content": draw(texts)})
    if draw(st.integers(0, 9)) == 0:
        messages.append({"role": "assistant", "content": "Hello! How can I help?"})
    for _ in range(draw(st.integers(0, max_turns))):
        messages += draw(_turns())
    if draw(st.booleans()) or not any(message["role"] == "user" for message in messages):
        messages.append({"role": "user", "content": draw(_contents())})
    else:
        while messages[-1]["role"] == "assistant" and not messages[-1].get("tool_calls"):
            messages.pop()
    return messages


budgets = st.one_of(st.integers(1, 300), st.integers(1, 3_000), st.integers(1, 100_000))
