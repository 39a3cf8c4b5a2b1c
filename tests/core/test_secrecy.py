"""I8: no log record, exception text, report, state or repr has anything that a message says."""

from __future__ import annotations

import io
import json
import logging
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from ctx_core import (
    ContextBuilder,
    ContextOverflowError,
    CtxLayersError,
    Item,
    TokenCounter,
    UsageLog,
    WindowState,
    fit,
)
from ctx_core.counting import FourCharacters
from tests.contract.conversations import conversations
from tests.contract.policies import pinning_policies

SECRET = "Xyzzy"  # noqa: S105 - the word that must not be seen
COUNTER = TokenCounter(FourCharacters())


class Memory(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        """Begin with nothing."""
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the line as it would be written, with any traceback."""
        self.lines.append(self.format(record))


@pytest.fixture
def log() -> Any:
    """What the package logs, at debug."""
    handler, logger = Memory(), logging.getLogger("ctx_core")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield handler.lines
    logger.removeHandler(handler)
    logger.setLevel(level)


def marked(value: Any) -> Any:
    """Put the secret into every text of a message but its role, its ids and its names."""
    if isinstance(value, str):
        return f"{SECRET} {value}"
    if isinstance(value, list):
        return [marked(one) for one in value]
    if isinstance(value, dict):
        kept = ("role", "type", "id", "tool_call_id", "name")
        return {key: one if key in kept else marked(one) for key, one in value.items()}
    return value


def shown(context: Any) -> str:
    """Give everything that a context shows of itself."""
    log = UsageLog()
    log.add(context.report)
    out = io.StringIO()
    Console(file=out, width=200).print(context.report)
    report = context.report
    return " ".join(
        [
            repr(context), str(context), str(report), repr(report), out.getvalue(), report._repr_html_(),
            json.dumps(report.to_dict()), repr(context.state), json.dumps(context.state.to_dict()),
            repr(log.entries), repr(log.stats()), repr(COUNTER), *map(repr, context.report.layers),
        ]
    )  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(conversations(), st.integers(1, 2_000), pinning_policies, st.sampled_from(("raise", "truncate")))
def test_nothing_that_a_message_says_is_shown(
    log: list[str], messages: list[dict[str, Any]], budget: int, policy: Any, on_overflow: Any
) -> None:
    """Whatever the conversation, the budget and the policy."""
    try:
        context = fit(
            marked(messages), budget, counter=COUNTER, policy=policy, state=WindowState(), on_overflow=on_overflow
        )
    except ContextOverflowError as error:
        assert SECRET not in f"{error} {error!r} {vars(error)}"  # noqa: PT017 - most examples raise nothing
    else:
        assert SECRET not in shown(context)
    assert not any(SECRET in line for line in log)


def test_layers_keep_their_secrets(log: list[str]) -> None:
    """System prompt, memories, skills and summary are content too."""
    secret = f"{SECRET} " * 40
    build = (
        ContextBuilder(120, COUNTER)
        .system(secret, protected=False)
        .memory([Item(secret), Item(SECRET)])
        .skills({"a": secret})
        .summary(secret)
    )
    assert SECRET not in shown(build.build(message=secret, on_overflow="truncate"))
    assert SECRET not in repr(build)
    assert not any(SECRET in line for line in log)


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": {"text": SECRET}}],
        [{"role": "user", "content": [SECRET, 5]}],
        [{"role": "user", "content": object(), "extra": SECRET}],
        [{"role": "assistant", "content": SECRET, "tool_calls": SECRET}],
        [{"role": "assistant", "content": SECRET, "tool_calls": [SECRET]}],
        [{"content": SECRET}],
        [SECRET],
        SECRET,
        [{"role": "user", "content": "hi"}, [SECRET]],
    ],
)
def test_errors_about_messages_keep_their_secrets(messages: Any) -> None:
    """What is wrong with a message can be said without quoting it."""
    with pytest.raises(CtxLayersError) as caught:
        fit(messages, 100, counter=COUNTER)
    assert SECRET not in f"{caught.value} {caught.value!r}"


@pytest.mark.parametrize("answer", [None, -1, SECRET, float("nan")])
def test_errors_about_tokenizers_keep_their_secrets(answer: Any) -> None:
    """How long the text was is all that is said of it."""
    with pytest.raises(CtxLayersError) as caught:
        fit([{"role": "user", "content": SECRET}], 100, counter=lambda _: answer)
    assert SECRET not in f"{caught.value} {caught.value!r}"
