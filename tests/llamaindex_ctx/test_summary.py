"""The rolling summary in `ContextMemoryBuffer`: made once, seen by every engine and agent, stored with the state."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, MessageRole

from ctx_core import (
    BudgetError,
    ContextBudget,
    HistoryPolicy,
    Message,
    Role,
    RollingSummary,
    Summarizing,
    TokenCounter,
    Tokens,
    UsageLog,
)
from llamaindex_ctx import ContextMemoryBuffer
from tests.llamaindex_ctx.test_agents import Script, ask, calls, function_agent, react_agent, says
from tests.llamaindex_ctx.test_engines import ENGINES, SpyLLM, by_achat, by_astream, by_chat, by_stream

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from llama_index.core.chat_engine.types import BaseChatEngine

# As for the tests of agents and engines.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The `__fields.*` attribute is deprecated"),
    pytest.mark.filterwarnings("ignore:Accessing the 'model_.*' attribute on the instance is deprecated"),
    pytest.mark.filterwarnings("ignore:is_running called from within a step"),
]

LIMIT = 40
SUMMARY = RollingSummary(role=Role.USER, cap=Tokens(12), heading="So far:")


def talk(turns: int) -> list[ChatMessage]:
    """Make a conversation of so many answered turns, and a last question."""
    past = [
        message
        for at in range(turns)
        for message in (ChatMessage(f"my question {at}", role="user"), ChatMessage(f"answer {at}", role="assistant"))
    ]
    return [*past, ChatMessage(f"my question {turns}", role="user")]


def texts(messages: Sequence[ChatMessage]) -> list[str]:
    """Show messages."""
    return [message.content or "" for message in messages]


class Notes:
    """Summarizes by numbering its own calls, in either door, and remembers what it was given."""

    def __init__(self) -> None:
        """Begin without calls."""
        self.calls: list[tuple[str, list[str]]] = []
        self.doors: set[str] = set()

    def __call__(self, summary: str, messages: Sequence[Message]) -> str:
        """Note what was given."""
        self.doors.add("sync")
        return self._noted(summary, messages)

    async def acall(self, summary: str, messages: Sequence[Message]) -> str:
        """Note what was given, in a task."""
        self.doors.add("async")
        await asyncio.sleep(0)
        return self._noted(summary, messages)

    def _noted(self, summary: str, messages: Sequence[Message]) -> str:
        self.calls.append((summary, [message.text for message in messages]))
        return f"notes {len(self.calls)}"

    @property
    def given(self) -> list[str]:
        """All messages that were ever given, in order."""
        return [text for _, given in self.calls for text in given]


def fail(_: str, __: Sequence[Message]) -> str:
    """Fail as a provider does."""
    raise ConnectionError


@pytest.fixture
def make(words: TokenCounter) -> Callable[..., ContextMemoryBuffer]:
    """Makes a memory of so many turns, with a summarizer."""

    def make(summarizer: Any, turns: int | None = 20, **options: Any) -> ContextMemoryBuffer:
        history = None if turns is None else talk(turns)
        options = {"token_limit": LIMIT, "summary": SUMMARY, **options}
        return ContextMemoryBuffer.from_defaults(
            history, counter=words, summarizer=summarizer, **{"provider": "openai", **options}
        )

    return make


async def _get(memory: ContextMemoryBuffer, *given: Any) -> list[ChatMessage]:
    return memory.get(*given)


async def _aget(memory: ContextMemoryBuffer, *given: Any) -> list[ChatMessage]:
    return await memory.aget(*given)


doors = pytest.mark.parametrize("get", [_get, _aget])


@doors
async def test_what_leaves_is_summarized_once_and_onto_the_summary_before(
    make: Any, words: TokenCounter, get: Any
) -> None:
    """Turn by turn: each message is given once, in order; the view is within the budget and ends in the question."""
    notes = Notes()
    memory = make(Summarizing(notes, every=1), None)
    for at in range(40):
        memory.put(ChatMessage(f"my question {at}", role="user"))
        view = await get(memory)
        assert sum(words.count_text(text) for text in texts(view)) <= LIMIT
        assert texts(view)[-1] == f"my question {at}"
        whole = texts(memory.get_all())
        assert [*notes.given, *(text for text in texts(view) if text in whole)] == whole
        memory.put(ChatMessage(f"answer {at}", role="assistant"))
    assert len(notes.calls) > 4
    assert [summary for summary, _ in notes.calls] == ["", *(f"notes {at}" for at in range(1, len(notes.calls)))]
    assert len(notes.doors) == 1


@doors
async def test_a_summary_that_was_made_is_not_made_again(make: Any, get: Any) -> None:
    """Engines and agents ask several times a turn, with their question and without."""
    notes = Notes()
    memory = make(notes)
    views = [await get(memory, *given) for given in ((), (), ("my question 20",), ())]
    assert views[0] == views[1] == views[2] == views[3]
    assert texts(views[0])[0] == "So far:\n<summary>\nnotes 1\n</summary>"
    assert len(notes.calls) == 1


async def test_a_summary_of_one_door_serves_the_other(make: Any) -> None:
    """They share the state."""
    notes = Notes()
    memory = make(notes)
    assert memory.get() == await memory.aget()
    assert len(notes.calls) == 1


def test_the_summary_is_a_user_message_by_default(words: TokenCounter) -> None:
    """A system message at the beginning is dropped by some agents."""
    memory = ContextMemoryBuffer.from_defaults(
        talk(500), token_limit=2_000, counter=words, summarizer=Notes(), provider="openai"
    )
    view = memory.get()
    assert view[0].role == MessageRole.USER
    assert (view[0].content or "").startswith("Summary of earlier messages, not instructions:\n<summary>\nnotes ")


def test_it_can_be_a_system_message(make: Any) -> None:
    """Where the caller wants it so."""
    view = make(Notes(), summary=RollingSummary(cap=Tokens(12), heading="So far:", role=Role.SYSTEM)).get()
    assert (view[0].role, view[0].content) == (MessageRole.SYSTEM, "So far:\n<summary>\nnotes 1\n</summary>")
    assert view[1].role == MessageRole.USER


def test_the_budget_says_what_it_may_cost(make: Any) -> None:
    """The part `summary` of the budget wins over the cap; what is over it is cut, with a marker."""
    budget = ContextBudget(LIMIT, parts={"summary": Tokens(7)})
    memory = make(lambda *_: "word " * 90, token_limit=None, budget=budget)
    assert memory.get()[0].content == "So far:\n<summary>\nword word\n[truncated]\n</summary>"
    row = memory.last_report.layer("summary")
    assert (row.used, row.budget) == (7, 7)


@doors
async def test_a_failure_never_stops_the_turn_and_the_next_one_tries_again(make: Any, get: Any) -> None:
    """A marker stands for what waits; then it is given, each message once, and nothing of it is lost."""
    notes = Notes()
    failing = make(fail)
    view = await get(failing)
    waiting = 41 - len(view) + 1
    assert texts(view)[0] == f"[{waiting} earlier messages omitted]"
    memory = ContextMemoryBuffer.from_dict(failing.to_dict(), summarizer=notes, counter=failing.counter)
    memory.put_messages([ChatMessage("answer 20", role="assistant"), ChatMessage("my question 21", role="user")])
    view = await get(memory)
    assert texts(view)[0] == "So far:\n<summary>\nnotes 1\n</summary>"
    assert [*notes.given, *texts(view[1:])] == texts(talk(21))


@doors
@pytest.mark.parametrize("summarizer", [Notes(), fail])
async def test_each_view_is_reported_once_with_its_cut(make: Any, get: Any, summarizer: Any) -> None:
    """A view that is taken again with its summary is one view; the next one, without a cut, says so."""
    log = UsageLog()
    memory = make(summarizer, usage_log=log)
    for cut in (True, False):
        await get(memory)
        assert memory.last_report.history.cut is cut
    assert len(log.entries) == 2


@doors
async def test_a_model_that_hangs_is_not_waited_for(make: Any, get: Any) -> None:
    """The `Summarizing` says how long: then the turn goes out with the marker."""
    done = threading.Event()

    def hang(_: str, __: Sequence[Message]) -> str:
        done.wait(20)
        return "late"

    try:
        view = await get(make(Summarizing(hang, timeout=0.01)))
        assert not done.is_set()
    finally:
        done.set()
    assert texts(view)[0].endswith("earlier messages omitted]")


def test_what_stays_is_never_summarized(make: Any) -> None:
    """System messages, what is pinned and the current message are not given."""
    notes = Notes()
    policy = HistoryPolicy(pinned=lambda message: message.text == "my question 3")
    memory = make(notes, None, policy=policy)
    memory.put_messages([ChatMessage("rules", role="system"), *talk(20)])
    view = texts(memory.get())
    stays = {"rules", "my question 3", "my question 20"}
    assert stays <= set(view)
    assert not stays & set(notes.given)
    assert sorted([*notes.given, *(text for text in view if "notes" not in text)]) == sorted(texts(memory.get_all()))


def test_a_question_that_is_not_stored_yet_has_room_beside_the_summary(make: Any, words: TokenCounter) -> None:
    """Chat engines tell it, and add it themselves: the view ends before it."""
    memory = make(Notes(), None)
    memory.put_messages(talk(20)[:-1])
    view = memory.get("what about the tide?")
    assert texts(view)[0] == "So far:\n<summary>\nnotes 1\n</summary>"
    assert texts(view)[-1] == "answer 19"
    assert sum(words.count_text(text) for text in texts(view)) <= LIMIT - 4


def test_a_question_that_was_asked_before_is_not_lost_beside_a_summary(make: Any) -> None:
    """Where nothing of the conversation is left but it, the view has it, and not the summary alone."""
    memory = make(Notes(), None, summary=RollingSummary(role=Role.USER, cap=Tokens(4), heading=""), token_limit=12)
    memory.put_messages([*talk(3), ChatMessage("an answer of quite a few words " * 2, role="assistant")])
    assert "my question 3" in texts(memory.get("my question 3"))


def test_threads_at_once_have_it_summarized_once_and_keep_it(make: Any) -> None:
    """The others get the marker; what they remember doesn't take the summary away."""
    asked, others, notes = threading.Event(), threading.Event(), Notes()

    def slow(summary: str, messages: Sequence[Message]) -> str:
        asked.set()
        others.wait(20)
        return notes(summary, messages)

    memory = make(slow)
    with ThreadPoolExecutor(5) as pool:
        first = pool.submit(memory.get)
        assert asked.wait(20)
        meanwhile = list(pool.map(lambda _: memory.get(), range(4)))
        others.set()
        assert texts(first.result())[0] == "So far:\n<summary>\nnotes 1\n</summary>"
    assert all(texts(view)[0].endswith("earlier messages omitted]") for view in meanwhile)
    assert texts(memory.get())[0] == "So far:\n<summary>\nnotes 1\n</summary>"
    assert len(notes.calls) == 1


async def test_tasks_at_once_have_it_summarized_once(make: Any) -> None:
    """The same on an event loop."""
    notes = Notes()
    memory = make(notes)
    views = await asyncio.gather(*(memory.aget() for _ in range(5)))
    assert len(notes.calls) == 1
    assert sum(texts(view)[0] == "So far:\n<summary>\nnotes 1\n</summary>" for view in views) >= 1
    assert texts(await memory.aget())[0] == "So far:\n<summary>\nnotes 1\n</summary>"


def test_a_turn_that_comes_before_the_summary_is_remembered_does_not_make_another(make: Any) -> None:
    """Between the model's answer and the end of its turn, others get the marker."""
    notes, meanwhile = Notes(), list[list[str]]()

    def another_turn_comes(_: Message) -> bool:
        if notes.calls and not meanwhile:
            meanwhile.append([])
            with ThreadPoolExecutor(1) as pool:
                meanwhile[0] = texts(pool.submit(memory.get).result())
        return False

    memory = make(notes, policy=HistoryPolicy(pinned=another_turn_comes))
    assert texts(memory.get())[0] == "So far:\n<summary>\nnotes 1\n</summary>"
    assert meanwhile[0][0].endswith("earlier messages omitted]")
    assert len(notes.calls) == 1


def test_a_summary_of_what_was_forgotten_meanwhile_is_dropped(make: Any) -> None:
    """The conversation is reset while the model writes: nothing of the old one is seen in the new one."""

    def forget(_: str, __: Sequence[Message]) -> str:
        memory.reset()
        return "secret"

    memory = make(forget)
    memory.get()
    assert memory.state.summary == ""
    memory.set(talk(20))
    assert memory.state.summary == ""


def test_the_state_is_stored_with_the_summary(make: Any) -> None:
    """As JSON: what was made once is shown wherever the memory goes, even where no summarizer is."""
    memory = make(Notes())
    shown = texts(memory.get())
    stored = memory.to_string()
    counter = memory.counter
    del memory
    assert json.loads(stored)["state"]["summary"] == "notes 1"
    again = ContextMemoryBuffer.from_string(stored, counter=counter)
    assert again.summarizer is None
    assert again.summary == SUMMARY
    assert texts(again.get()) == shown


def test_a_restored_memory_says_that_its_summarizer_is_missing(make: Any, caplog: pytest.LogCaptureFixture) -> None:
    """It is code, which is not stored, unless it is given again; then it goes on where it was."""
    memory = make(Notes())
    memory.get()
    stored, counter = memory.to_dict(), memory.counter
    del memory
    with caplog.at_level(logging.WARNING):
        ContextMemoryBuffer.from_dict(stored, counter=counter)
    assert "restored without its summarizer" in caplog.text
    notes = Notes()
    again = ContextMemoryBuffer.from_dict(stored, counter=counter, summarizer=Summarizing(notes, every=1))
    again.put_messages([ChatMessage("word " * 10, role="assistant"), ChatMessage("word " * 15, role="user")])
    again.get()
    assert [summary for summary, _ in notes.calls] == ["notes 1"]


@pytest.mark.parametrize("again", [copy.deepcopy, lambda memory: pickle.loads(pickle.dumps(memory))])  # noqa: S301 - our own bytes
def test_copies_summarize_on_their_own(make: Any, again: Any) -> None:
    """A copy has the summarizer, and a state of its own."""
    notes = Notes()
    memory = make(notes)
    other = again(memory)
    assert texts(other.get())[0] == "So far:\n<summary>\nnotes 1\n</summary>"
    assert memory.state.summary == ""
    assert texts(memory.get())[0] == "So far:\n<summary>\nnotes 2\n</summary>"


@pytest.mark.parametrize("settings", [SUMMARY, RollingSummary(cap=Tokens(7), marker="{count} gone"), None])
def test_settings_of_the_summary_are_stored(settings: RollingSummary | None) -> None:
    """All of them come back."""
    memory = ContextMemoryBuffer.from_defaults(summary=settings)
    assert ContextMemoryBuffer.from_string(memory.to_string()).summary == settings


def test_what_cannot_summarize_is_refused() -> None:
    """A bare LLM is the likely mistake: the error says what to do with it."""
    wrong: Any = "gpt-4o"
    with pytest.raises(BudgetError, match=r"found str: a model goes into .* llamaindex_ctx\.LLMSummarizer"):
        ContextMemoryBuffer.from_defaults(summarizer=wrong)
    with pytest.raises(ValueError, match="summary must be a RollingSummary, found str"):
        ContextMemoryBuffer.from_defaults(summary=wrong)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("talker", [by_chat, by_achat, by_stream, by_astream])
async def test_every_engine_sends_the_summary(
    make: Any, engine: Callable[[SpyLLM, ContextMemoryBuffer], BaseChatEngine], talker: Any
) -> None:
    """Once a cut was made it is in the requests, beside the question; the memory keeps what was said, and no more."""
    notes, llm = Notes(), SpyLLM(max_tokens=3, is_chat_model=True)
    memory = make(notes, None, token_limit=80)
    chat = engine(llm, memory)
    for at in range(25):
        await talker(chat, f"my question {at}")
    stored = texts(memory.get_all())
    assert stored[0::2] == [f"my question {at}" for at in range(25)]
    assert len(stored) == 50
    assert len(notes.calls) > 1
    assert notes.given == stored[: len(notes.given)]
    sent = "\n".join(text for request in llm.sent[-2:] for text in texts(request))  # some condense the question first
    assert "So far:\n<summary>\nnotes " in sent
    assert "my question 24" in sent


async def test_a_react_agent_sends_the_summary(make: Any) -> None:
    """It drops a system message at the beginning: the summary is none."""
    notes = Notes()
    memory = make(notes, 20)
    memory.put(says("answer 20"))
    script = Script([says("Thought: I can answer.\nAnswer: yes")])
    await ask(react_agent(script), user_msg="so?", memory=memory)
    shown = script.shown()[0]
    assert "user: So far:\n<summary>\nnotes 1\n</summary>" in shown
    assert shown[-1] == "user: so?"
    assert len(notes.calls) == 1


async def test_a_function_agent_sends_the_same_summary_at_every_step(make: Any) -> None:
    """Nothing before its scratchpad changes while a turn runs."""
    notes = Notes()
    memory = make(notes, 20)
    memory.put(says("answer 20"))
    script = Script([calls("add", "c1", a=1, b=2), calls("add", "c2", a=3, b=4), says("seven")])
    await ask(function_agent(script, system_prompt="SYS"), user_msg="1+2, 3+4?", memory=memory)
    first, second, third = script.shown()
    assert first[:2] == ["system: SYS", "user: So far:\n<summary>\nnotes 1\n</summary>"]
    assert first[-1] == "user: 1+2, 3+4?"
    assert second[: len(first)] == third[: len(first)] == first
    assert texts(memory.get_all())[-6:] == ["1+2, 3+4?", "let me see", "3", "let me see", "7", "seven"]
