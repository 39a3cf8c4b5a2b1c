"""Where cuts are remembered, and under which key."""

from __future__ import annotations

import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from ctx_core import BudgetError, ContextBuilder, ContextOverflowError, Framing, TokenCounter, WindowState
from ctx_core.conversation.transcript import Transcript
from ctx_core.demo.run import run as run_core
from ctx_core.session.conversation_id import nameless
from langchain_ctx import ContextRunnable, LangChainCodec, StateCache
from langchain_ctx.conversations import conversation_of
from langchain_ctx.convert import CODEC
from langchain_ctx.demo import run as run_langchain
from tests.contract.shared import SHARED, needs_shared, transcripts

if TYPE_CHECKING:
    from collections.abc import Sequence


def test_the_longest_unused_is_forgotten() -> None:
    """The cache holds the conversations used last; reading is using."""
    cache = StateCache(2)
    cache["a"] = {"n": 1}
    cache["b"] = {"n": 2}
    assert cache.get("a") == {"n": 1}
    cache["c"] = {"n": 3}
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == ({"n": 1}, None, {"n": 3})


def test_size_must_be_positive() -> None:
    """A cache of nothing is a mistake."""
    with pytest.raises(BudgetError, match="found 0"):
        StateCache(0)


def test_copies_are_empty() -> None:
    """Copies, deep and pickled, start empty, with the same size."""
    cache = StateCache(5)
    cache["a"] = {"n": 1}
    for other in (copy.copy(cache), copy.deepcopy(cache), pickle.loads(pickle.dumps(cache))):  # noqa: S301 - our own bytes
        assert other.get("a") is None
        assert other.maxsize == 5
    assert cache.get("a") == {"n": 1}


def test_threads_share_it() -> None:
    """Eight threads write at once and the size holds."""
    cache = StateCache(10)

    def write(at: int) -> None:
        cache[str(at)] = {"n": at}
        cache.get(str(at - 1))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(1_000)))
    assert repr(cache) == "<StateCache of 10 conversations, at most 10>"


def turns(first: str, count: int = 3) -> list[BaseMessage]:
    """Make a conversation that begins with this message."""
    return [HumanMessage(first), AIMessage("a"), *(HumanMessage(f"q{at}") for at in range(count))]


def key_of(messages: Sequence[BaseMessage], config: Any) -> str:
    """Give the key of a conversation."""
    named = conversation_of(config)
    return (nameless(Transcript(messages, (), CODEC)) if named is None else named).key


@pytest.mark.parametrize(
    ("configurable", "key"),
    [
        ({"session_id": "s"}, "session_id:s"),
        ({"thread_id": 7}, "thread_id:7"),
        ({"conversation_id": "c"}, "conversation_id:c"),
        ({"session_id": "", "thread_id": "t"}, "thread_id:t"),
        ({"conversation_id": "1", "user_id": "a"}, '{"conversation_id": "1", "user_id": "a"}'),
        ({"checkpoint_ns": "one:5a|two:7f", "thread_id": "t"}, '{"checkpoint_ns": "one|two", "thread_id": "t"}'),
    ],
)
def test_the_config_names_the_conversation(configurable: dict[str, Any], key: str) -> None:
    """All names that are present and not empty make the key; tasks of a graph's steps are no part of it."""
    assert key_of(turns("hi"), {"configurable": configurable}) == key


@pytest.mark.parametrize("config", [None, {}, {"configurable": {}}, {"configurable": {"user": "u"}}])
def test_the_first_messages_are_the_key_otherwise(config: Any) -> None:
    """Without a name, a fingerprint of the first messages is; it stays as the conversation grows."""
    key = key_of(turns("hi", 3), config)
    assert key == key_of(turns("hi", 30), config)
    assert key != key_of(turns("ho", 3), config)
    assert "hi" not in key.removeprefix("first:")


def test_the_system_prompt_is_no_part_of_it() -> None:
    """A system prompt may hold the time of day: the conversation is the same."""
    morning = [SystemMessage("It is 9:00."), *turns("hi")]
    assert key_of(morning, None) == key_of([SystemMessage("It is 9:05."), *turns("hi")], None)


def test_a_greeting_is_not_all_of_it() -> None:
    """Conversations that begin alike are told apart by what comes then, the ids of calls included."""
    same = [HumanMessage("hi"), AIMessage("")]
    one, two = ([*same, ToolMessage("r", tool_call_id=call), HumanMessage("q")] for call in ("1", "2"))
    assert key_of(one, None) != key_of(two, None)


def test_a_cut_is_remembered_from_the_first_message_on() -> None:
    """While a conversation is shorter than what it is told by, each turn still begins where the one before began."""
    counter = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
    step, builder, state = ContextRunnable(25, counter=counter), ContextBuilder(25, counter), WindowState()
    talk: list[BaseMessage] = []
    sent: list[list[BaseMessage]] = []
    for at, words in enumerate((20, 15, *[3] * 20)):
        talk.append(HumanMessage(f"question {at} of five words"))
        context = builder.build(talk, codec=LangChainCodec(), state=state)
        state = context.state
        sent.append(step.invoke(talk))
        assert sent[-1] == context.messages
        talk.append(AIMessage("word " * words))
    assert sent[0][0] != sent[1][0] == sent[2][0]


def test_a_conversation_is_found_under_what_it_was_while_it_was_shorter() -> None:
    """Its states of before are looked up under fewer first messages, the longest first."""
    one, two, three, five = (nameless(Transcript(turns("hi")[:count], (), CODEC)) for count in (1, 2, 3, 5))
    assert (one.earlier, two.earlier) == ((), (one.key,))
    assert five.earlier == (three.key, two.key, one.key)


class Store:
    """A history that is none of ours, as a factory gives it."""


@pytest.mark.parametrize(
    ("configurable", "other", "same"),
    [
        ({"tenant": "a", "chat": 1}, {"tenant": "b", "chat": 1}, False),
        ({"user_id": "a"}, {"user_id": "a", "request_id": "2"}, True),
        ({"user_id": "a"}, {"user_id": "a", "checkpoint_id": "2", "__pregel_task_id": "x"}, True),
        ({"user_id": "a"}, {"user_id": "a", "budget": 500}, True),
    ],
)
def test_all_that_a_history_factory_asked_for_tells_conversations_apart(
    configurable: dict[str, Any],
    other: dict[str, Any],
    same: bool,  # noqa: FBT001 - a table's column
) -> None:
    """`RunnableWithMessageHistory` shows it under `message_history`; what is another in each request tells nothing."""
    history = {"message_history": Store()}
    one = key_of(turns("hi"), {"configurable": {**configurable, **history}})
    assert (one == key_of(turns("hi"), {"configurable": {**other, **history}})) is same


def as_langchain_writes(conversation: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give the calls with the blanks that LangChain writes, which are counted, and no field that it does not send."""
    written = [{key: value for key, value in copy.deepcopy(message).items() if key != "n"} for message in conversation]
    for message in written:
        for call in message.get("tool_calls") or ():
            arguments = json.loads(call["function"]["arguments"])
            call["function"]["arguments"] = json.dumps(arguments, ensure_ascii=False)
    return written


@needs_shared
def test_agents_are_cut_as_the_engine_alone_cuts_them() -> None:
    """The recorded runs of an agent, in a small budget: request by request the same messages, and the same errors."""
    cuts = 0
    for conversation in map(as_langchain_writes, transcripts(SHARED / "data" / "agents" / "swe_agent.jsonl.gz")):
        alone = outcome(run_core, conversation)
        assert outcome(run_langchain, conversation) == alone
        cuts += sum(cut for _, cut in alone)
    assert cuts


def outcome(run: Any, conversation: list[dict[str, Any]]) -> list[tuple[Any, bool]]:
    """Give what each request sent and whether something was cut for it, up to the one that cannot fit."""
    requests: list[tuple[Any, bool]] = []
    try:
        for messages, report in run(conversation, 2_500):
            requests.append(([str(message["content"] or "") for message in messages], report.history.cut))
    except ContextOverflowError as error:
        requests.append((str(error), False))
    return requests
