"""A conversation from turn to turn, in the pure form and in the keeping one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import (
    ContextBudget,
    ContextBuilder,
    ContextOverflowError,
    ContextSession,
    HistoryPolicy,
    Layer,
    Message,
    MessageError,
    TokenCounter,
    UsageLog,
    WindowState,
    fit,
)
from ctx_core.memory import ConversationMemory, MemoryItem, RankedMemory
from ctx_core.recipes import Assistant, Rolling
from tests.core.session.kitchen import LIMIT, WORDS, Notes, OpenAIMessage, step, talk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core import ContextReport
    from ctx_core.session import LayerRequest

TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}


def test_the_pure_form_gives_what_fit_gives() -> None:
    """The state of each turn goes in, and the next one comes out as `context.state`."""
    session = ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS)
    state, alone = WindowState(), WindowState()
    for turns in range(40):
        context = session.fit(talk(turns), state=state)
        by_hand = fit(talk(turns), LIMIT, counter=WORDS, state=alone)
        assert context.messages == by_hand.messages
        state, alone = context.state, by_hand.state
    assert state == alone


def test_a_state_may_be_json() -> None:
    """A graph keeps it as a dict; an empty one is that of the first turn."""
    session = ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS, summarizer=Notes())
    state: dict[str, Any] = {}
    for turns in range(20):
        state = json.loads(json.dumps(session.fit(talk(turns), state=state).state.to_dict()))
    assert state["summary"] == "told: my question 0"


def test_the_pure_form_writes_nothing() -> None:
    """What is remembered is with the caller alone."""
    states: dict[str, Any] = {}
    session = ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS, states=states, summarizer=Notes())
    session.fit(talk(20), state=WindowState())
    assert states == {}


def test_the_keeping_form_remembers_under_its_key() -> None:
    """The same turns give the same messages as with the state in hand, and another process goes on from the store."""
    states: dict[str, Any] = {}
    state = WindowState()
    for turns in range(40):
        session = ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS, states=states, key="me")
        context, by_hand = session.fit(talk(turns)), fit(talk(turns), LIMIT, counter=WORDS, state=state)
        assert context.messages == by_hand.messages
        state, states = by_hand.state, json.loads(json.dumps(states))
    assert list(states) == ["me"]


async def test_the_async_doors_give_the_same() -> None:
    """Turn by turn, summaries included."""
    one, other = (ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS, summarizer=Notes()) for _ in range(2))
    for turns in range(20):
        assert (await one.afit(talk(turns))).messages == other.fit(talk(turns)).messages


async def test_those_without_a_list_add_and_take_the_window() -> None:
    """The session holds the messages, shows what fits, and takes a current message that it does not keep."""
    session = ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS)
    session.add(talk(20))
    assert (
        session.window().messages == ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS).fit(talk(20)).messages
    )
    assert (await session.awindow("and now?")).messages[-1] == {"role": "user", "content": "and now?"}
    assert session.messages == talk(20)


def test_nothing_is_added_if_one_message_cannot_be_read() -> None:
    """The error says which, and quotes nothing."""
    session = ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS)
    with pytest.raises(MessageError, match="message 2 of 2") as caught:
        session.add([{"role": "user", "content": "secret"}, {"role": "stranger", "content": "secret"}])
    assert "secret" not in str(caught.value)
    assert session.messages == []


def test_clearing_forgets_all_that_is_kept() -> None:
    """Messages, state and summary; the key is gone from the store."""
    states: dict[str, Any] = {"another": {"states": []}}
    session = ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS, states=states, key="me", summarizer=Notes())
    session.add(talk(20))
    session.window()
    assert "told" in json.dumps(states["me"])
    session.clear()
    assert list(states) == ["another"]
    assert session.messages == []


@pytest.mark.parametrize(
    "recipe",
    [
        ContextBuilder(LIMIT, WORDS).system("Be brief."),
        Assistant(system="Be brief.", budget=ContextBudget(LIMIT), counter=WORDS),
        Rolling(system="Be brief.", budget=ContextBudget(LIMIT), counter=WORDS),
    ],
    ids=["builder", "assistant", "rolling"],
)
def test_a_builder_and_a_recipe_declare_alike(recipe: Any) -> None:
    """One protocol: the question and the tools of a request in, its builder out."""
    context = ContextSession[OpenAIMessage](recipe).fit(talk(20))
    assert context.tokens <= LIMIT
    assert context.messages[0] == {"role": "system", "content": "Be brief."}


def test_a_declaration_is_told_of_question_and_tools() -> None:
    """Anything with the two methods will do."""
    asked: list[tuple[str, int]] = []

    class Mine:
        def builder(self, question: str = "", *, tools: Sequence[Any] = ()) -> ContextBuilder:
            asked.append((question, len(tools)))
            return ContextBuilder(1_000, WORDS).tools(tools)

        async def abuilder(self, question: str = "", *, tools: Sequence[Any] = ()) -> ContextBuilder:
            return self.builder(question, tools=tools)

    session = ContextSession[OpenAIMessage](Mine(), tools=[TOOL])
    session.fit(talk(1))
    session.fit(talk(1), "what else?", tools=[])
    assert asked == [("my question 1", 1), ("what else?", 0)]


def test_the_system_message_comes_apart() -> None:
    """That of the layers, else the conversation's own first; all else is in `conversation`."""
    own = {"role": "system", "content": "rules"}
    layered = ContextBuilder(LIMIT, WORDS).system("Be brief.").build([own, *talk(1)])
    plain = ContextBuilder(LIMIT, WORDS).build([own, *talk(1)])
    bare = ContextBuilder(LIMIT, WORDS).build(talk(1))
    assert (layered.system_message, layered.conversation) == (layered.messages[0], [own, *talk(1)])
    assert (plain.system_message, plain.conversation) == (own, talk(1))
    assert (bare.system_message, bare.conversation) == (None, talk(1))


def test_switched_off_everything_is_counted_and_nothing_altered() -> None:
    """At run time, and on again; over the budget, with an orphan, whatever there is."""
    log, reports = UsageLog(), list[Any]()
    session = ContextSession[OpenAIMessage](
        ContextBuilder(LIMIT, WORDS).system("Be brief."), usage_log=log, on_report=reports.append, summarizer=Notes()
    )
    session.enabled = False
    broken = [*talk(20), *step(0, "seen")[1:], {"role": "user", "content": "so?"}]
    context = session.fit(broken)
    assert all(one is other for one, other in zip(context.conversation, broken, strict=True))
    assert context.tokens == WORDS.count_messages(context.messages) > LIMIT
    assert reports[0].used == log.entries[0].used == context.tokens
    assert not context.report.trimmed
    session.enabled = True
    assert session.fit(broken).tokens <= LIMIT


def test_layers_come_without_a_recipe_of_ones_own() -> None:
    """A plain one, facts by the question, a function of the request, sync or not, and the turns that were cut."""
    facts = [MemoryItem("the ferry leaves at noon"), MemoryItem("the tide is high")]

    def of_the_request(request: LayerRequest) -> Layer:
        return Layer(name="count", text=f"{len(request.history)} messages")

    async def waits(request: LayerRequest) -> Layer | None:
        return Layer(name="late", text=f"asked {request.question}") if request.question else None

    session = ContextSession[OpenAIMessage](
        budget=100,
        counter=WORDS,
        layers=[
            Layer(name="rules", text="Be brief."),
            RankedMemory(facts, name="facts", max_items=1),
            of_the_request,
            waits,
            ConversationMemory(max_items=2),
        ],
    )
    messages = [
        {"role": "user", "content": "the password is swordfish"},
        {"role": "assistant", "content": "ok"},
        *talk(40),
    ]
    context = session.fit(messages, "which password leaves the ferry at noon?")
    system = context.system_prompt
    assert context.tokens <= 100
    assert all(text in system for text in ("Be brief.", "leaves at noon", "83 messages", "asked which", "swordfish"))
    assert "tide" not in system


async def test_sources_of_layers_are_awaited_by_the_async_doors() -> None:
    """One that has `alayer_for` is asked by that."""

    class Both:
        def layer_for(self, request: LayerRequest) -> Layer:
            return Layer(name="both", text=f"sync {request.question}")

        async def alayer_for(self, request: LayerRequest) -> Layer:
            return Layer(name="both", text=f"async {request.question}")

    session = ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS, layers=[Both()])
    assert session.fit([], "now?").system_prompt == "sync now?"
    assert (await session.afit([], "now?")).system_prompt == "async now?"


def test_reserve_is_kept_free_and_told() -> None:
    """Beside the budget's own; what is taken by others is a part of the request."""
    session = ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS, reserve=10)
    report = session.fit(talk(20)).report
    assert (report.limit, report.reserve) == (30, 10)
    assert report.used <= 30
    with pytest.raises(ContextOverflowError, match="Max: 30 tokens"):
        session.fit([{"role": "user", "content": "word " * 31}])
    context = ContextBuilder(LIMIT, WORDS).taken(25).build(talk(20))
    assert context.tokens == 25 + WORDS.count_messages(context.messages) <= LIMIT
    assert context.report.layer("system").used == 25


def test_a_summary_takes_two_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that says what leaves, and one with what is said of it."""
    builds = list[int]()
    build = ContextBuilder.build_transcript

    def counted(*arguments: Any, **options: Any) -> Any:
        builds.append(1)
        return build(*arguments, **options)

    monkeypatch.setattr(ContextBuilder, "build_transcript", counted)
    session = ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS, summarizer=Notes())
    assert session.fit(talk(20)).state.summary
    assert len(builds) == 2


def test_neutral_messages_need_no_codec() -> None:
    """As for the builder."""
    context = ContextSession[Message](budget=LIMIT, counter=WORDS).fit([Message.user("hello")])
    assert [message.text for message in context.messages] == ["hello"]


def test_nothing_to_fit_gives_nothing() -> None:
    """An empty conversation is one too."""
    assert ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS).fit([]).messages == []


def test_a_turn_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    """Log, callback and recipe hear of the build that went out, and that it was cut."""
    reports: list[ContextReport] = []
    recipe = Assistant(budget=ContextBudget(LIMIT), counter=WORDS)
    session = ContextSession[OpenAIMessage](recipe, on_report=reports.append, summarizer=Notes())
    context = session.fit(talk(20))
    assert reports == [context.report]
    assert context.report.history.cut
    assert len(recipe.usage.entries) == 1
    assert not caplog.records


def test_options_of_a_session_are_those_of_the_builder() -> None:
    """Policy, tools and counter reach the build."""
    session = ContextSession[OpenAIMessage](
        budget=2_000, counter="gpt-4o", tools=[TOOL], policy=HistoryPolicy(max_messages=4)
    )
    report = session.fit(talk(20)).report
    assert report.layer("tools").used == TokenCounter.for_model("gpt-4o").count_tools([TOOL])
    assert report.history.messages <= 5
