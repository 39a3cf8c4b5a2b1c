"""Where cuts are remembered, and under which key."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from ctx_core import BudgetError
from langchain_ctx import StateCache
from langchain_ctx.conversations import conversation_key


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


@pytest.mark.parametrize(
    ("configurable", "key"),
    [
        ({"session_id": "s"}, "session_id:s"),
        ({"thread_id": 7}, "thread_id:7"),
        ({"conversation_id": "c"}, "conversation_id:c"),
        ({"conversation_id": "c", "thread_id": "t", "session_id": "s"}, "session_id:s"),
        ({"session_id": "", "thread_id": "t"}, "thread_id:t"),
    ],
)
def test_the_config_names_the_conversation(configurable: dict[str, Any], key: str) -> None:
    """The first name that is present and not empty is the key."""
    assert conversation_key(turns("hi"), {"configurable": configurable}) == key


@pytest.mark.parametrize("config", [None, {}, {"configurable": {}}, {"configurable": {"user": "u"}}])
def test_the_first_messages_are_the_key_otherwise(config: Any) -> None:
    """Without a name, a fingerprint of the first messages is; it stays as the conversation grows."""
    key = conversation_key(turns("hi", 3), config)
    assert key == conversation_key(turns("hi", 30), config)
    assert key != conversation_key(turns("ho", 3), config)
    assert "hi" not in key.removeprefix("first:")


def test_the_system_prompt_is_no_part_of_it() -> None:
    """A system prompt may hold the time of day: the conversation is the same."""
    morning = [SystemMessage("It is 9:00."), *turns("hi")]
    assert conversation_key(morning, None) == conversation_key([SystemMessage("It is 9:05."), *turns("hi")], None)


def test_a_greeting_is_not_all_of_it() -> None:
    """Conversations that begin alike are told apart by what comes then, the ids of calls included."""
    same = [HumanMessage("hi"), AIMessage("")]
    one, two = ([*same, ToolMessage("r", tool_call_id=call), HumanMessage("q")] for call in ("1", "2"))
    assert conversation_key(one, None) != conversation_key(two, None)
