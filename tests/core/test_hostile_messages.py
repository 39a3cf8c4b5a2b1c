"""Messages that somebody made to do harm: each is sent, or refused with words, at every door."""

from __future__ import annotations

import copy
import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pytest

from ctx_core import (
    ContextBudget,
    ContextSession,
    MessageError,
    StateCache,
    TokenCounter,
    UnknownModelError,
    fit,
    validate,
)
from ctx_core.conversation import text_steps
from ctx_core.recipes.code_text import fenced_code
from tests.hostile import VALUES, nested, works_or_refuses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def conversations(value: Any) -> Iterator[tuple[str, Any]]:
    """Give conversations with a value in every field."""
    asked, go = {"role": "user", "content": "a"}, {"role": "user", "content": "b"}
    for name in ("content", "role", "name", "id", "weird", "cache_control"):
        yield name, [{**asked, name: value}]
    for block in (
        {"type": "text", "text": value},
        {"type": value, "text": "a"},
        {"type": "weird", "x": value},
        {"type": "image_url", "image_url": value},
        {"type": "image_url", "image_url": {"url": value}},
        {"type": "image", "source": {"type": "base64", "media_type": value, "data": value}},
        {"type": "text", "text": "a", "cache_control": value},
        value,
    ):
        yield "a block", [{"role": "user", "content": [block]}]
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    for wrong in (
        {**call, "id": value},
        {**call, "type": value},
        {**call, "function": value},
        {**call, "function": {"name": value, "arguments": "{}"}},
        {**call, "function": {"name": "f", "arguments": value}},
        {**call, "function": {"name": "f", "arguments": {"a": value}}},
        value,
    ):
        answer = {"role": "assistant", "content": None, "tool_calls": [wrong]}
        yield "a call", [asked, answer, {"role": "tool", "tool_call_id": "1", "content": "r"}, go]
    for result in ({"tool_call_id": value, "content": "r"}, {"tool_call_id": "1", "content": value}):
        yield "a result", [asked, {"role": "assistant", "tool_calls": [call]}, {"role": "tool", **result}, go]
    thought = {"type": "thinking", "thinking": value, "signature": value}
    yield "a thought", [asked, {"role": "assistant", "content": [thought, {"type": "text", "text": "b"}]}, go]
    use = {"type": "tool_use", "id": "1", "name": "f", "input": value}
    given = {"type": "tool_result", "tool_use_id": "1", "content": value}
    yield "an input", [asked, {"role": "assistant", "content": [use]}, {"role": "user", "content": [given]}]
    yield "a part", [{"role": "user", "parts": [{"text": value}]}]
    made = {"type": "function_call", "call_id": value, "name": "f", "arguments": value}
    came = {"type": "function_call_output", "call_id": value, "output": value}
    yield "an item", [{"type": "message", "role": "user", "content": "a"}, made, came]
    yield "a message", [value]
    yield "messages", value


def in_session(messages: Any) -> None:
    """Hold them."""
    session: ContextSession[Any] = ContextSession(budget=500, key="a", counter="gpt-4o", states=StateCache())
    session.add(messages)
    session.window()


DOORS: Final[dict[str, Callable[[Any], object]]] = {
    "fit": lambda messages: fit(messages, 500, counter="gpt-4o"),
    "truncating": lambda messages: fit(messages, 60, counter="claude-opus-5", on_overflow="truncate"),
    "validate": lambda messages: validate(messages, "gpt-4o"),
    "Anthropic's": lambda messages: validate(messages, "claude-opus-5"),
    "measure": TokenCounter.for_model("gpt-4o").measure,
    "a session": in_session,
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("door", DOORS)
def test_whatever_stands_in_a_field_is_sent_or_refused(name: str, door: str) -> None:
    """No other error comes out, and none that holds content or steers a terminal, in its causes neither."""
    for _, messages in conversations(VALUES[name]):
        works_or_refuses(partial(DOORS[door], messages))


@pytest.mark.parametrize("given", [5, None, object(), "text", b"text", {"role": "user", "content": "a"}])
def test_what_is_no_list_is_refused(given: Any) -> None:
    """With what it is."""
    for door in ("fit", "measure", "a session"):
        with pytest.raises(MessageError, match=f"expected a list of messages, found {type(given).__name__}"):
            DOORS[door](given)


def test_blank_lines_before_an_action_are_looked_at_once() -> None:
    """By the one character behind each: what may stand before an action ends at its line."""
    prefix = re.compile(text_steps._SAID.pattern.partition("(")[0], re.MULTILINE)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    assert max(len(found.group()) for found in prefix.finditer("\n" * 1_000)) == 0
    for before in ("", "\n\n", "a\n", "\r\n", "  - ** \n\n# *"):
        messages = [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": f"Thought: x\n{before}Action: look"},
            {"role": "user", "content": "Observation: y"},
        ]
        assert fit(messages, 1_000, counter=len).messages == messages


@pytest.mark.parametrize(("code", "fence"), [("a", "```"), ("``` b", "````"), ("`" * 50_000, "`" * 50_001)])
def test_a_fence_is_as_long_as_it_must_be(code: str, fence: str) -> None:
    """Found in one go, however long those in the code are."""
    assert fenced_code(code, "python").startswith(f"{fence}python\n")


def test_a_name_of_a_model_is_no_text() -> None:
    """What is longer than any name is not looked into."""
    name = "gpt-4o-" * 20_000
    with pytest.raises(UnknownModelError) as caught:
        ContextBudget.for_model(name)
    assert len(str(caught.value)) < 500
    assert TokenCounter.for_model(name).count_text("some text") > 0


def test_nothing_of_it_is_changed() -> None:
    """What is nested deeper than anybody looks is the caller's own, as all is."""
    block = {"type": "weird", "x": nested(lambda value: {"k": value}, 300)}
    messages = [{"role": "user", "content": [block]}]
    before = copy.deepcopy(messages)
    assert fit(messages, 5_000, counter="gpt-4o").messages[0] is messages[0]
    assert messages == before
