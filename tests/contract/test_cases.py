"""Faults that users of other solutions reported in public: each case of the collection beside the repository."""

from __future__ import annotations

import asyncio
import copy
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables.history import RunnableWithMessageHistory

from ctx_core import (
    BudgetError,
    ContextBudget,
    ContextBuilder,
    ContextOverflowError,
    CtxLayersError,
    Framing,
    HistoryPolicy,
    Layer,
    Message,
    MessageError,
    TokenCounter,
    Tokens,
    ToolResultPolicy,
    WindowState,
    fit,
)
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.counting import CallFraming, MessageFraming, ToolFraming
from langchain_ctx import BudgetedChatMessageHistory, InMemoryHistory, LangChainCodec, budgeted_session_history
from llamaindex_ctx import ContextMemoryBuffer
from tests.contract.faces import CORE, FACES, Face, to_langchain, to_llamaindex
from tests.contract.invariants import numbered
from tests.contract.shared import SHARED, case_files, failed, load, needs_shared
from tests.langchain_ctx.echo import EchoModel

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from llama_index.core.base.llms.types import ChatMessage

OpenAIMessage = dict[str, Any]

MESSAGES = TokenCounter(
    lambda _: 0,
    framing=Framing(
        messages=MessageFraming(per_request=0, per_message=1, per_name=0),
        calls=CallFraming(per_call=0),
        tools=ToolFraming(per_tool=0, per_request=0),
    ),
)
WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())

pytestmark = pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")

each_way = pytest.mark.parametrize("face", [CORE, *FACES], ids=lambda face: face.name)


def counter_of(case: dict[str, Any]) -> TokenCounter:
    """Give what counts as the case does."""
    unit = case["budget"].get("counter", "words")
    if unit in ("messages", "words"):
        return MESSAGES if unit == "messages" else WORDS
    return TokenCounter(TokenCounter.for_encoding(unit).tokenizer, framing=Framing.free())


def allowance(case: dict[str, Any]) -> Any:
    """Give the overflow policy that a case means."""
    return "truncate" if case["budget"].get("allow_partial") or case["budget"].get("layers") else "raise"


def case_named(number: str) -> dict[str, Any]:
    """Give one case by its number."""
    return load(next((SHARED / "cases").glob(f"{number}-*.json")))


_INEXPRESSIBLE = {
    # Its history ends in results that are larger than the budget. They are what is to be answered, as far as a store
    # knows: it is not told of the question behind them, for whose sake they may be left out.
    "002-ten-parallel-results-keep-six": ("history",),
    # Its history waits for a tool, and a store cannot know that a user's message comes instead.
    "007-call-without-result-in-history": ("history",),
    # Nothing to be asked: no model takes it, and these faces are told of a question.
    "028-empty-list": ("chain", "history", "asked memory"),
    # What is to be cut is the question, which these faces do not send themselves.
    "032-one-message-partial": ("history", "asked memory"),
    "086-partial-cut-of-memory-layer": ("asked memory",),
}
"""Faces that cannot express a case."""


@each_way
@pytest.mark.parametrize("path", case_files("trim"))
def test_every_case_of_trimming_holds(path: Path, face: Face) -> None:
    """All of its properties, through the core and through each face that can express it."""
    case = load(path)
    if face.name in _INEXPRESSIBLE.get(path.stem, ()):
        pytest.skip(f"cannot be expressed through the {face.name}")
    source = numbered(case["messages"])
    if face.name in ("history", "asked memory") and source[-1:] and source[-1]["role"] != "user":
        pytest.skip("is about a running turn, and this face is told of a question")
    before = copy.deepcopy(source)
    sent: list[OpenAIMessage] | None = None
    error: CtxLayersError | None = None
    try:
        conversation = face.open(case["budget"]["max_tokens"], counter_of(case), HistoryPolicy(), allowance(case))
        sent = conversation.send(source).messages
    except ContextOverflowError as raised:
        error = raised
    broken = failed(case, sent, error)
    if path.stem.startswith("023"):
        # It allows an error, and asks for a request with the instructions in it: one of both can be had.
        assert error is not None
        broken = [name for name in broken if name not in ("no_empty_result", "system_kept")]
    assert broken == []
    assert source == before


@needs_shared
def test_a_current_message_over_the_budget_is_cut_where_that_is_allowed() -> None:
    """Case 023 with leave to truncate: the instructions are whole, the message is marked, the budget is kept."""
    case = case_named("023")
    context = fit(case["messages"], 20, counter=WORDS, on_overflow="truncate")
    assert failed(case | {"expect": ["no_empty_result", "system_kept", "total_tokens<=20"]}, context.messages) == []
    assert context.messages[-1]["content"].endswith("[truncated]")
    assert context.report.history.truncated == 1


@needs_shared
def test_system_messages_over_the_budget_are_cut_where_that_is_allowed() -> None:
    """Case 022 with leave to truncate: most of the rules are there, and the question is whole."""
    case = case_named("022")
    context = fit(case["messages"], 100, counter=WORDS, on_overflow="truncate")
    assert failed(case, context.messages) == []
    assert context.messages[-1] is case["messages"][-1]


@needs_shared
def test_a_memory_over_its_share_is_cut_to_it() -> None:
    """Case 085 with the memory as a layer of its own."""
    case = case_named("085")
    facts, question = case["messages"][0]["content"], case["messages"][-1]["content"]
    budget = ContextBudget(100, parts={"memories": Tokens(case["budget"]["layers"]["memories"])})
    layer = Layer(name="memories", text=facts)
    context = ContextBuilder(budget, WORDS).layer(layer).build([], question, codec=OpenAICodec())
    assert failed(case, context.messages) == []
    assert 38 <= context.report.layer("memories").used <= 40
    assert context.report.layer("memories").why == "truncated to its part"


@needs_shared
def test_a_memory_that_is_a_little_too_long_stays() -> None:
    """Case 086 with the memory as a layer of its own: two or three words go, and not all of it."""
    case = case_named("086")
    facts, question = case["messages"][0]["content"], case["messages"][-1]["content"]
    budget = ContextBudget(100, parts={"memories": Tokens(90)})
    layer = Layer(name="memories", text=facts)
    context = ContextBuilder(budget, WORDS).layer(layer).build([], question, codec=OpenAICodec())
    assert failed(case, context.messages) == []
    assert 88 <= context.report.layer("memories").used <= 90


@needs_shared
def test_facts_give_way_to_the_question() -> None:
    """Case 025 with the facts as a layer that is not protected."""
    case = case_named("025")
    facts, question = case["messages"][0]["content"], case["messages"][-1]["content"]
    budget = ContextBudget(100, parts={"system": Tokens(case["budget"]["layers"]["system"])})
    context = ContextBuilder(budget, WORDS).system(facts, protected=False).build([], question, codec=OpenAICodec())
    assert failed(case, context.messages) == []


@needs_shared
@pytest.mark.parametrize("number", ["013", "016", "064"])
def test_what_a_run_needs_is_the_callers_own(number: str) -> None:
    """What is kept of it is kept whole where the case leaves room."""
    case = case_named(number)
    context = fit(case["messages"], case["budget"]["max_tokens"], counter=counter_of(case))
    assert context.messages[-1] is case["messages"][-1] or context.report.history.shortened


@needs_shared
def test_questions_survive_a_giant_result() -> None:
    """Case 014 prefers that both user messages are there: the result is cut, not the turn before it."""
    case = case_named("014")
    sent = fit(case["messages"], case["budget"]["max_tokens"], counter=WORDS).messages
    assert [message["content"] for message in sent if message["role"] == "user"][:2] == ["go", "more"]


@needs_shared
def test_signed_thinking_is_unchanged() -> None:
    """Case 043: a running turn that cannot be cut without parting its thinking is kept from a safe place on."""
    case = case_named("043")
    sent = fit(case["messages"], case["budget"]["max_tokens"], counter=MESSAGES).messages
    mine = {id(message) for message in case["messages"]}
    assert all(id(message) in mine for message in sent if message["role"] == "assistant")


@needs_shared
def test_a_users_counter_sees_single_texts_only() -> None:
    """Case 083: counting is additive, so no list is ever shown to it, valid or not."""
    case = case_named("083")
    known = {str(message.get("content") or "") for message in case["messages"]} | {"lookup", "{}", ""}
    seen: set[str] = set()

    def count(text: str) -> int:
        seen.add(text)
        return len(text.split())

    fit(case["messages"], case["budget"]["max_tokens"], counter=TokenCounter(count, framing=Framing.free()))
    assert seen <= known


@needs_shared
def test_a_long_history_is_tokenized_once() -> None:
    """Case 082: no more than its own characters, and nothing on a second read."""
    case = case_named("082")
    exact = TokenCounter.for_encoding("o200k_base").tokenizer
    characters = [0]

    def count(text: str) -> int:
        characters[0] += len(text)
        return exact.count(text)

    counter = TokenCounter(count)
    fit(case["messages"], 16_000, counter=counter)
    first = characters[0]
    assert first <= 1.5 * sum(len(message["content"]) for message in case["messages"])
    fit(case["messages"], 16_000, counter=counter)
    assert characters[0] == first


COUNTS = {
    "044": (180, 320),
    "046": (90, 400),
    "047": (70, 2_000),
    "053": (15, 40),
    "055": (1, 100_000),
    "058": (500, 900),
    "059": (280, 400),
}


@needs_shared
@pytest.mark.parametrize(("number", "between"), COUNTS.items(), ids=COUNTS)
def test_every_case_of_counting_holds(number: str, between: tuple[int, int]) -> None:
    """Calls, reasoning, pictures, special tokens, endless letters, tools and legacy calls cost what they should."""
    case = case_named(number)
    assert f"count_between:{between[0]}..{between[1]}" in case["expect"]
    unit = case["budget"]["counter"]
    counter = {"words": WORDS, "approx": TokenCounter.for_model("")}.get(unit) or TokenCounter.for_encoding(unit)
    tokens = counter.count_messages(case["messages"], tools=case.get("tools", ()))
    assert between[0] <= tokens <= between[1]


@needs_shared
def test_media_are_not_counted_by_their_payload() -> None:
    """Case 049: they have a price, and twice the bytes are far from twice that."""
    case = case_named("049")
    longer = copy.deepcopy(case["messages"])
    for message in longer:
        for block in message["content"]:
            if "base64" in block:
                block["base64"] *= 2
    counter = TokenCounter.for_model("")
    assert counter.count_messages(longer) < 1.25 * counter.count_messages(case["messages"])


@needs_shared
def test_emoji_and_ids_are_not_counted_too_low() -> None:
    """Case 052: each at least what it says, where no vocabulary is at hand too."""
    case = case_named("052")
    counter = TokenCounter.for_model("")
    first, second = (counter.count_messages([message]) for message in case["messages"][:2])
    assert first >= 400
    assert second >= 750


def prefix_changes(case: dict[str, Any], policy: HistoryPolicy, face: Face) -> int:
    """Feed a conversation turn by turn, and count how often what was sent is not the beginning of what is sent."""
    conversation = face.open(case["budget"]["max_tokens"], counter_of(case), policy, "raise")
    source = numbered(case["messages"])
    changes, before = 0, list[OpenAIMessage]()
    for end in range(1, len(source) + 1):
        if source[end - 1]["role"] in ("user", "tool"):
            sent = conversation.send(source[:end]).messages
            assert failed(case | {"expect": ["no_orphan_tool_result", "no_unanswered_tool_call"]}, sent) == []
            changes += sent[: len(before)] != before
            before = sent
    return changes


@needs_shared
@pytest.mark.parametrize("face", [CORE, *FACES], ids=lambda face: face.name)
def test_the_prefix_is_stable_over_turns(face: Face) -> None:
    """Case 067: at most three changes while the conversation grows to several times the budget."""
    case = case_named("067")
    assert "prefix_changes<=3" in case["expect"]
    # A memory that is told of a question keeps a quarter free for it, and is cut once more.
    most = 4 if face.name == "asked memory" else 3
    assert prefix_changes(case, HistoryPolicy(low_water=case["budget"]["low_water"]), face) <= most


@needs_shared
@pytest.mark.parametrize(
    "face",
    [face for face in (CORE, *FACES) if face.name in ("core", "runnable", "chain", "memory")],
    ids=lambda face: face.name,
)
def test_clearing_results_is_decided_once(face: Face) -> None:
    """Case 068: at most four changes in a run of many steps."""
    case = case_named("068")
    assert "prefix_changes<=4" in case["expect"]
    results = ToolResultPolicy(clear_after_steps=1, clear_rest=True, min_tokens=10)
    policy = HistoryPolicy(low_water=case["budget"]["low_water"], results=results)
    assert prefix_changes(case, policy, face) <= 4


class CopyingHistory(InMemoryHistory):
    """Gives copies on each read, as databases do."""

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # a property, as the base class allows
        """Give copies."""
        return copy.deepcopy(super().messages)


class Store:
    """A stored conversation at one of the faces that keep one."""

    def __init__(self, kind: str, budget: int, counter: TokenCounter) -> None:
        """Begin with nothing."""
        self.kind = kind
        self.history = BudgetedChatMessageHistory(CopyingHistory(), budget, counter=counter)
        self.memory = ContextMemoryBuffer.from_defaults(token_limit=budget, counter=counter)

    def add(self, messages: Sequence[OpenAIMessage]) -> None:
        """Store messages."""
        if self.kind == "history":
            self.history.add_messages(list(map(to_langchain, messages)))
        else:
            self.memory.put_messages(list(map(to_llamaindex, messages)))

    def stored(self) -> list[tuple[Any, str]]:
        """Show everything that is stored, by number and text."""
        natives = self.history.backing.messages if self.kind == "history" else self.memory.get_all()
        return list(map(_numbered_text, natives))

    def view(self) -> list[tuple[Any, str]]:
        """Show what a model would see."""
        natives = self.history.messages if self.kind == "history" else self.memory.get()
        return list(map(_numbered_text, natives))


def _numbered_text(native: BaseMessage | ChatMessage) -> tuple[Any, str]:
    codec: Any = LangChainCodec() if isinstance(native, BaseMessage) else ContextCodec
    return native.additional_kwargs.get("n"), codec.read(native).text


class ContextCodec:
    """Reads the texts of LlamaIndex' messages."""

    @staticmethod
    def read(native: ChatMessage) -> Message:
        """Give the message."""
        return Message.user(native.content or "")


both_stores = pytest.mark.parametrize("kind", ["history", "memory"])


@needs_shared
@both_stores
def test_a_stored_history_is_never_trimmed(kind: str) -> None:
    """Case 070: the view is within the budget, the store keeps everything."""
    case = case_named("070")
    store = Store(kind, 12, WORDS)
    source = numbered(case["messages"])
    store.add(source)
    assert sum(len(text.split()) for _, text in store.view()) <= 12
    assert store.stored() == [(message["n"], message["content"]) for message in source]
    assert len(source) == 13


@needs_shared
@both_stores
def test_a_read_leaves_messages_and_ids_alone(kind: str) -> None:
    """Case 071: reading shapes the request only."""
    case = case_named("071")
    store = Store(kind, 3, MESSAGES)
    source = numbered(case["messages"])
    store.add(source)
    before = store.stored()
    assert len(store.view()) <= 3
    assert store.stored() == before
    if kind == "history":
        assert [message.id for message in store.history.backing.messages] == [message["id"] for message in source]


@needs_shared
def test_replacing_a_history_is_atomic() -> None:
    """Case 073: a list with something in it that is no message leaves the old conversation."""
    case = case_named("073")
    source = numbered(case["messages"])
    store = Store("memory", 100, WORDS)
    store.add(source[:1])
    bad: Any = [*map(to_llamaindex, source[1:2]), object()]
    with pytest.raises(MessageError):
        store.memory.set(bad)
    assert [text for _, text in store.stored()] == ["keep me"]


@needs_shared
@both_stores
def test_an_empty_write_is_no_write(kind: str) -> None:
    """Case 074: nothing is stored, and nothing is raised."""
    assert case_named("074")["messages"] == []
    store = Store(kind, 10, WORDS)
    store.add([])
    assert store.stored() == store.view() == []


@needs_shared
@both_stores
def test_a_batch_keeps_its_order(kind: str) -> None:
    """Case 076: one batch, one timestamp: the newest are kept, in order."""
    case = case_named("076")
    store = Store(kind, 10, MESSAGES)
    source = numbered(case["messages"])
    store.add(source)
    numbers = [number for number, _ in store.view()]
    assert numbers == sorted(numbers)
    assert numbers == list(range(len(source) - len(numbers), len(source)))


@needs_shared
async def test_turns_of_one_session_may_run_at_once() -> None:
    """Case 077: four turns, eight messages, each reply after its own question."""
    case = case_named("077")
    store = InMemoryHistory()
    chain = RunnableWithMessageHistory(
        ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{input}")]) | EchoModel(),
        budgeted_session_history(lambda _: store, 1_000, counter=WORDS),
        input_messages_key="input",
        history_messages_key="history",
    )
    config: Any = {"configurable": {"session_id": "s"}}
    await asyncio.gather(*(chain.ainvoke({"input": message["content"]}, config) for message in case["messages"]))
    texts = [str(message.text) for message in store.messages]
    assert len(texts) == 8
    for message in case["messages"]:
        assert texts.index(f"re: {message['content']}") == texts.index(message["content"]) + 1


@needs_shared
def test_a_history_that_comes_with_its_messages_again_is_stored_once() -> None:
    """Case 079: LangChain stores the new message and the reply, and not what the history has already."""
    case = case_named("079")
    store = InMemoryHistory()
    chain = RunnableWithMessageHistory(EchoModel(), budgeted_session_history(lambda _: store, 1_000, counter=WORDS))
    config: Any = {"configurable": {"session_id": "s"}}
    questions = [message["content"] for message in case["messages"] if message["role"] == "user"]
    chain.invoke([HumanMessage(questions[0])], config)
    chain.invoke([*store.messages, HumanMessage(questions[1])], config)
    assert [message.type for message in store.messages][-2:] == ["human", "ai"]
    assert len(store.messages) == 4


@needs_shared
def test_the_same_messages_again_count_once() -> None:
    """Case 080: what was saved three times with the same ids is shown once."""
    case = case_named("080")
    store = Store("history", 1_000, WORDS)
    for _ in range(case["repeat"]):
        store.add(numbered(case["messages"]))
    assert [message.id for message in store.history.messages] == ["1", "2", "3"]


@needs_shared
def test_the_same_messages_again_are_stored_once() -> None:
    """Case 080: our own store knows a message by its id and its content."""
    case = case_named("080")
    history = BudgetedChatMessageHistory(budget=1_000, counter=WORDS)
    for _ in range(case["repeat"]):
        history.add_messages(list(map(to_langchain, numbered(case["messages"]))))
    assert [message.id for message in history.backing.messages] == ["1", "2", "3"]


def test_a_budget_that_leaves_nothing_is_refused_at_once() -> None:
    """Whichever face is asked."""
    for face in (CORE, *FACES):
        with pytest.raises((BudgetError, ContextOverflowError)):
            face.open(0, WORDS, HistoryPolicy(), "raise").send(numbered([{"role": "user", "content": "hi"}]))


def test_a_fresh_state_is_that_of_a_conversation_never_cut() -> None:
    """What `replay` begins with."""
    assert WindowState() == fit([{"role": "user", "content": "hi"}], 10, counter=WORDS, state=WindowState()).state
