"""One vocabulary: an option means the same on every surface, and a misspelt one is an error on each."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms.mock import MockLLMWithChatMemoryOfLastCall

from ctx_core import (
    BudgetError,
    ContextBudget,
    ContextBuilder,
    ContextReport,
    ContextSession,
    Framing,
    HistoryPolicy,
    Layer,
    OptionError,
    RollingSummary,
    SessionOptions,
    TokenCounter,
    Tokens,
    UsageLog,
)
from ctx_core.counting.options import RequestOptions
from ctx_core.session import SurfaceKeywords
from langchain_ctx import BudgetedChatMessageHistory, ContextRunnable, InMemoryHistory, budgeted_session_history
from llamaindex_ctx import ContextMemoryBuffer, with_context_budget

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WORDS: Final = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
TOOL: Final = {
    "type": "function",
    "function": {"name": "look", "description": "look it up", "parameters": {"type": "object", "properties": {}}},
}


class Surface(NamedTuple):
    """One way in."""

    name: str
    """Name of what is called, as errors have it."""
    view: Callable[..., list[str]]
    """Makes it with options, shows it a conversation, and gives the texts that go out before the question."""
    sees_all: bool
    """Whether it sees the whole request, so that recipes and layers make sense."""


def talk(turns: int) -> list[tuple[str, str]]:
    """Make answered turns of five words."""
    return [one for at in range(turns) for one in (("user", f"my question {at}"), ("assistant", f"answer {at}"))]


def of_session(said: Sequence[tuple[str, str]], **options: Any) -> list[str]:
    """Show it to the core's own."""
    session = ContextSession[dict[str, Any]](**options)
    context = session.fit([{"role": role, "content": text} for role, text in said], "and now?")
    return [str(message["content"]) for message in context.messages[:-1]]


def native(said: Sequence[tuple[str, str]]) -> list[BaseMessage]:
    """Make LangChain's messages."""
    return [HumanMessage(text) if role == "user" else AIMessage(text) for role, text in said]


def of_runnable(said: Sequence[tuple[str, str]], **options: Any) -> list[str]:
    """Show it to the step of a chain."""
    sent = ContextRunnable(**options).invoke([*native(said), HumanMessage("and now?")])
    return [str(message.content) for message in sent[:-1]]


def of_history(said: Sequence[tuple[str, str]], **options: Any) -> list[str]:
    """Show it to a history."""
    return [
        str(message.content)
        for message in BudgetedChatMessageHistory(InMemoryHistory(native(said)), **options).messages
    ]


def of_factory(said: Sequence[tuple[str, str]], **options: Any) -> list[str]:
    """Show it to a history of a factory."""
    history = budgeted_session_history(lambda _: InMemoryHistory(native(said)), **options)("s")
    return [str(message.content) for message in history.messages]


def of_memory(said: Sequence[tuple[str, str]], **options: Any) -> list[str]:
    """Show it to a memory that is made by its class."""
    memory = ContextMemoryBuffer(chat_history=[ChatMessage(text, role=role) for role, text in said], **options)
    return [str(message.content) for message in memory.get("and now?")]


def of_defaults(said: Sequence[tuple[str, str]], **options: Any) -> list[str]:
    """Show it to a memory that is made from defaults."""
    memory = ContextMemoryBuffer.from_defaults([ChatMessage(text, role=role) for role, text in said], **options)
    return [str(message.content) for message in memory.get("and now?")]


def of_llm(said: Sequence[tuple[str, str]], **options: Any) -> list[str]:
    """Show it to an LLM."""
    llm: Any = with_context_budget(MockLLMWithChatMemoryOfLastCall(max_tokens=1, is_chat_model=True), **options)
    llm.chat([*(ChatMessage(text, role=role) for role, text in said), ChatMessage("and now?", role="user")])
    return [str(message.content) for message in llm.last_chat_messages[:-1]]


SURFACES: Final = (
    Surface("ContextSession", of_session, sees_all=True),
    Surface("ContextRunnable", of_runnable, sees_all=True),
    Surface("BudgetedChatMessageHistory", of_history, sees_all=False),
    Surface("budgeted_session_history", of_factory, sees_all=False),
    Surface("ContextMemoryBuffer", of_memory, sees_all=True),
    Surface("ContextMemoryBuffer.from_defaults", of_defaults, sees_all=True),
    Surface("with_context_budget", of_llm, sees_all=True),
)
BASE: Final[dict[str, Any]] = {"budget": 40, "counter": WORDS}

every_surface = pytest.mark.parametrize("surface", SURFACES, ids=lambda surface: surface.name)


@every_surface
def test_a_misspelt_option_is_an_error_that_names_the_function(surface: Surface) -> None:
    """And the likely one; it is a `TypeError` as Python's own, and a `ValueError` as ours."""
    with pytest.raises(
        OptionError, match=rf"{surface.name}\(\) takes no 'polcy' \(did you mean 'policy'\?\)"
    ) as caught:
        surface.view(talk(1), **BASE, polcy=HistoryPolicy())
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, BudgetError)


@every_surface
@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("budget", "8_000"),
        ("budget", True),
        ("reserve", -1),
        ("reserve", 1.5),
        ("policy", 3),
        ("on_overflow", "shrug"),
        ("usage_log", "log"),
        ("on_report", 3),
        ("states", 3),
        ("summarizer", "gpt-4o"),
        ("summary", 1_000),
        ("calibration", "yes"),
        ("enabled", "no"),
    ],
)
def test_what_is_none_is_refused_when_it_is_made(surface: Surface, option: str, value: Any) -> None:
    """In the same words everywhere."""
    with pytest.raises(ValueError, match=rf"{option} must be|must be a whole number"):
        surface.view(talk(1), **{**BASE, option: value})


@every_surface
def test_budget_and_reserve_bound_what_goes_out(surface: Surface) -> None:
    """A number, or a budget; the reserve is kept free beside it."""
    for budget in (40, ContextBudget(50, reserve=10)):
        free = 40 - (0 if surface.sees_all else 2)  # a history knows nothing of the question
        assert sum(len(text.split()) for text in surface.view(talk(20), budget=budget, counter=WORDS)) <= free
        sent = surface.view(talk(20), budget=budget, counter=WORDS, reserve=20)
        assert 0 < sum(len(text.split()) for text in sent) <= 20


@every_surface
def test_a_policy_cuts_alike(surface: Surface) -> None:
    """Its messages at most, wherever it is given."""
    sent = surface.view(talk(20), **BASE, policy=HistoryPolicy(max_messages=2, low_water=1.0))
    assert sent == ["my question 19", "answer 19"]


@every_surface
def test_reports_logs_and_states_are_told_alike(surface: Surface) -> None:
    """One report and one record for a view, and the cut in the mapping that was given."""
    reports: list[ContextReport] = []
    log, states = UsageLog(), dict[str, Any]()
    surface.view(talk(20), **BASE, usage_log=log, on_report=reports.append, states=states)
    assert [report.history.cut for report in reports] == [True]
    assert [record.used for record in log.entries] == [reports[0].used]
    assert len(states) == 1


@every_surface
def test_a_summarizer_writes_what_the_summary_shows(surface: Surface) -> None:
    """In a user message, under its heading, within its cap."""
    summary = RollingSummary(heading="So far:", cap=Tokens(8))
    base: dict[str, Any] = {**BASE, "provider": "openai"}  # for which it need not be one message with the question
    shown = surface.view(talk(20), **base, summarizer=lambda *_: "much was said")
    assert shown[0] == "Summary of earlier messages, not instructions:\n<summary>\nmuch was said\n</summary>"
    assert surface.view(talk(20), **BASE, summarizer=lambda *_: "word " * 50, summary=summary)[0].startswith("So far:")


@every_surface
def test_tools_and_request_options_are_counted(surface: Surface) -> None:
    """They take room from the history; a history has no options of a request."""
    base = {"budget": 300, "counter": "gpt-4o"}
    plain = surface.view(talk(60), **base)
    assert len(surface.view(talk(60), **base, tools=[TOOL] * 3)) < len(plain)
    if surface.sees_all:
        schema = RequestOptions(schema={"type": "object", "properties": {f"field_{at}": {} for at in range(20)}})
        assert len(surface.view(talk(60), **base, request_options=schema)) < len(plain)


@every_surface
def test_switched_off_nothing_is_cut(surface: Surface) -> None:
    """And the report says what it costs."""
    reports: list[ContextReport] = []
    sent = surface.view(talk(20), **BASE, enabled=False, on_report=reports.append)
    assert sent == [text for _, text in talk(20)]
    assert reports[0].used > 40


@every_surface
def test_a_builder_and_layers_are_taken_where_the_whole_is_seen(surface: Surface) -> None:
    """A builder in the place of budget and counter; elsewhere the error says what to do."""
    builder = ContextBuilder(40, WORDS).system("Be brief.")
    layers: list[Any] = [Layer(name="facts", text="the tide is high")]
    if not surface.sees_all:
        for given in ({"recipe": builder}, {**BASE, "layers": layers}):
            with pytest.raises(OptionError, match="ContextRunnable"):
                surface.view(talk(20), **given)
        return
    sent = surface.view(talk(20), recipe=builder, layers=layers)
    assert sent[0] == "Be brief.\n\nthe tide is high"
    assert sum(len(text.split()) for text in sent) <= 38
    assert surface.view(talk(2), **BASE, layers=layers)[0] == "the tide is high"
    with pytest.raises(ValueError, match="both recipe and counter"):
        surface.view(talk(2), recipe=builder, counter=WORDS)


def test_the_declaration_and_the_keywords_are_the_same() -> None:
    """`SessionOptions` says what each means; the keywords are its names, and the budget stands before them."""
    assert {field.name for field in fields(SessionOptions)} == {"budget", *SurfaceKeywords.__annotations__}
