"""Stores that are down; listeners, layers and summarizers that raise; interrupts."""

from __future__ import annotations

import asyncio
import copy
import logging
import threading
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import BudgetError, ContextBudget, ContextSession, Layer, Summarizing, Tokens
from ctx_core.memory import ConversationMemory
from tests.core.session.kitchen import LIMIT, WORDS, Notes, OpenAIMessage, talk, texts

if TYPE_CHECKING:
    from collections.abc import Callable


def make(**options: Any) -> ContextSession[OpenAIMessage]:
    """Give a session that counts words."""
    return ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS, **options)


class Down(dict[str, Any]):
    """A store that answers some of its methods only."""

    def __init__(self, *broken: str) -> None:
        """Take the methods that raise."""
        super().__init__()
        self.broken = broken

    def get(self, key: str, default: Any = None) -> Any:
        """Give what is kept, or raise."""
        return super().get(key, default) if "get" not in self.broken else fail()

    def __setitem__(self, key: str, value: Any) -> None:
        """Keep it, or raise."""
        super().__setitem__(key, value) if "set" not in self.broken else fail()

    def __delitem__(self, key: str) -> None:
        """Delete it, or raise."""
        super().__delitem__(key) if "delete" not in self.broken else fail()


def stop(*_: Any) -> Any:
    """Run out of answers, as `next` does."""
    raise StopIteration


def cancelled(*_: Any) -> Any:
    """Be cancelled by a client of its own."""
    raise asyncio.CancelledError


async def acancelled(*_: Any) -> Any:
    """Be cancelled on the loop, though the request is not."""
    raise asyncio.CancelledError


class Lazy(dict[str, Any]):
    """A row that fails when it is read."""

    def keys(self) -> Any:
        """Fail."""
        return fail()

    def get(self, *_: Any) -> Any:
        """Fail."""
        return fail()


def fail(*_: Any) -> Any:
    """Fail as a client does, with content in the error."""
    msg = "secret"
    raise ConnectionError(msg)


async def afail(*_: Any) -> Any:
    """Fail on a loop."""
    fail()


class FailingLog:
    """A log that cannot be written."""

    add = staticmethod(fail)


OPTIONS: list[dict[str, Any]] = [
    {"states": Down("get")},
    {"states": Down("set")},
    {"states": Down("get", "set", "delete")},
    {"usage_log": FailingLog()},
    {"on_report": fail},
    {"on_report": afail},
    {"on_report": stop},
    {"on_report": cancelled},
    {"on_report": acancelled},
    {"layers": [fail]},
    {"layers": [afail]},
    {"layers": [stop]},
    {"states": {"": Lazy()}},
]


@pytest.mark.parametrize("options", OPTIONS, ids="-".join)
@pytest.mark.parametrize("door", ["sync", "async"])
async def test_memory_and_listeners_never_stop_a_request(
    options: dict[str, Any], door: str, caplog: pytest.LogCaptureFixture
) -> None:
    """One warning without content, and the request goes out, with its summary."""
    session = make(summarizer=Notes(), **copy.deepcopy(options))
    context = await session.afit(talk(20)) if door == "async" else session.fit(talk(20))
    assert texts(context)[0].endswith("told: my question 0\n</summary>")
    assert context.tokens <= LIMIT
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "secret" not in caplog.text
    session.clear()


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"states": None},
        {"states": [None, 3, "x", [], {}]},
        {"states": [{"version": 2, "start": "x"}]},
        {"states": [{"version": 2, "start": 8, "start_key": "?", "summary": "foreign"}]},
        {
            "states": [
                {
                    "version": 2,
                    "summary": "foreign",
                    "summarized": 3,
                    "summary_ends": [0, 2],
                    "summary_keys": ["?", "?"],
                }
            ]
        },
        "text",
        [1],
        7,
    ],
    ids=repr,
)
def test_what_a_store_may_have_made_of_it_does_no_harm(stored: Any) -> None:
    """Anything but what was kept is a fresh conversation."""
    context = make(states={"": stored}, summarizer=Notes()).fit(talk(20))
    assert texts(context)[0].endswith("told: my question 0\n</summary>")


@pytest.mark.parametrize("summarizer", [fail, afail, stop, cancelled, acancelled])
@pytest.mark.parametrize("door", ["sync", "async"])
async def test_a_summarizer_never_stops_a_request(summarizer: Any, door: str) -> None:
    """The marker stands there, and nobody hangs."""
    session = make(summarizer=summarizer)
    context = await asyncio.wait_for(session.afit(talk(20)), 20) if door == "async" else session.fit(talk(20))
    assert texts(context)[0].endswith("earlier messages omitted]")


def test_a_layer_that_is_not_there_may_have_a_part() -> None:
    """A source with nothing to say, and one that waits for a cut, in a budget that names them; a text is no layer."""
    parts = {"facts": Tokens(5), "later": Tokens(5)}
    budget = ContextBudget(LIMIT, parts=parts)
    session = ContextSession[OpenAIMessage](budget=budget, counter=WORDS, layers=[lambda _: None, ConversationMemory()])
    assert session.fit(talk(1)).messages == talk(1)
    wrong: Any = [lambda _: "text"]
    with pytest.raises(BudgetError, match="must give a Layer or None, found str"):
        make(layers=wrong).fit(talk(1))
    with pytest.raises(BudgetError, match="put a single one into a list"):
        make(layers=Layer(name="x", text="y"))


def test_messages_that_cannot_be_compared_are_read_instead() -> None:
    """An array among their fields raises when two of them are compared."""

    class Odd:
        def __eq__(self, other: object) -> bool:
            return fail()  # type: ignore[no-any-return]

        __hash__ = None  # type: ignore[assignment]

    session = make()
    first = session.fit([{**message, "extra": Odd()} for message in talk(20)])
    again = session.fit([{**message, "extra": Odd()} for message in talk(20)])
    assert (texts(again), again.report.history.cut) == (texts(first), False)


async def test_an_async_listener_is_awaited_by_the_async_doors() -> None:
    """On the loop of the request; in the sync doors it runs to its end too."""
    heard: list[int] = []

    async def hear(_: Any) -> None:
        await asyncio.sleep(0)
        heard.append(threading.get_ident())

    session = make(on_report=hear)
    await session.afit(talk(1))
    assert heard == [threading.get_ident()]
    session.fit(talk(1))
    assert len(heard) == 2


def test_an_interrupt_ends_the_turn_and_leaves_the_way_free() -> None:
    """Ctrl-C in a summarizer is no failure of its own."""
    answers: list[Callable[[], str]] = [interrupt, lambda: "notes"]
    session = make(summarizer=Summarizing(lambda *_: answers.pop(0)(), timeout=None))
    with pytest.raises(KeyboardInterrupt):
        session.fit(talk(20))
    assert session.fit(talk(20)).state.summary == "notes"


def interrupt() -> str:
    """Interrupt."""
    raise KeyboardInterrupt


def test_failures_are_logged_by_the_session(caplog: pytest.LogCaptureFixture) -> None:
    """Under one name, so that they can be switched off together."""
    with caplog.at_level(logging.WARNING):
        make(on_report=fail).fit(talk(1))
    assert [record.name for record in caplog.records] == ["ctx_core.session"]
