"""`ContextMemoryBuffer` by itself: what is put in, what comes out, and that nothing is lost on the way."""

from __future__ import annotations

import io
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import pytest
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock, ToolCallBlock
from llama_index.core.memory import BaseMemory

from ctx_core import ContextBudget, ContextOverflowError, HistoryPolicy, MessageError, Share, TokenCounter, UsageLog
from llamaindex_ctx import ContextMemoryBuffer

if TYPE_CHECKING:
    from collections.abc import Callable

FILL = HistoryPolicy(low_water=1.0)
"""Cuts no more than it must, so that a test can be worked out by hand."""


def contents(messages: list[ChatMessage]) -> list[str | None]:
    """Show what messages say."""
    return [message.content for message in messages]


@pytest.fixture
def memory(words: TokenCounter, talk: list[ChatMessage]) -> ContextMemoryBuffer:
    """A memory of 18 words with room for 13."""
    return ContextMemoryBuffer.from_defaults(talk, token_limit=13, counter=words, policy=FILL)


def test_it_is_a_memory_of_llamaindex() -> None:
    """Nothing but a `BaseMemory` is typed as one."""
    assert isinstance(ContextMemoryBuffer.from_defaults(), BaseMemory)
    assert ContextMemoryBuffer.class_name() == "ContextMemoryBuffer"


def test_what_is_put_in_comes_out() -> None:
    """Within the budget, the view is the conversation."""
    memory = ContextMemoryBuffer.from_defaults()
    memory.put(ChatMessage("hi", role="user"))
    memory.put_messages([ChatMessage("hello", role="assistant"), ChatMessage("so?", role="user")])
    assert memory.get() == memory.get_all()
    assert contents(memory.get()) == ["hi", "hello", "so?"]


async def test_the_async_doors_do_the_same() -> None:
    """Each sync method has its async one, with the same outcome."""
    memory = ContextMemoryBuffer.from_defaults()
    await memory.aput(ChatMessage("hi", role="user"))
    await memory.aput_messages([ChatMessage("hello", role="assistant"), ChatMessage("so?", role="user")])
    assert contents(await memory.aget()) == contents(await memory.aget_all()) == ["hi", "hello", "so?"]
    await memory.aset([ChatMessage("anew", role="user")])
    assert contents(await memory.aget()) == ["anew"]
    await memory.areset()
    assert await memory.aget() == await memory.aget_all() == []


def test_an_empty_memory_gives_nothing() -> None:
    """There is nothing to give, and nothing to complain about."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=50)
    assert memory.get() == memory.get_all() == []
    assert memory.get("hi") == []


def test_an_empty_memory_is_true() -> None:
    """Engines write `memory or Memory.from_defaults()`: an empty one must not be taken for none."""
    memory = ContextMemoryBuffer.from_defaults()
    assert bool(memory)
    assert not hasattr(memory, "__len__")


def test_the_oldest_turns_go_first(memory: ContextMemoryBuffer) -> None:
    """The view begins with a user message, is contiguous, and ends in the present."""
    assert contents(memory.get()) == [
        "question number 1",
        "answer 1",
        "question number 2",
        "answer 2",
        "question number 3",
    ]


def test_nothing_is_forgotten(memory: ContextMemoryBuffer) -> None:
    """A view that leaves something out takes nothing away."""
    memory.get()
    assert len(memory.get_all()) == 7


def test_a_view_is_the_same_when_asked_again(memory: ContextMemoryBuffer) -> None:
    """Some engines ask twice a turn."""
    assert memory.get() == memory.get()
    assert memory.get("question number 3") == memory.get()


async def test_sync_and_async_views_are_the_same(memory: ContextMemoryBuffer) -> None:
    """One engine may use both doors."""
    assert memory.get() == await memory.aget()


def test_a_cut_is_decided_once(words: TokenCounter, user: Callable[[str], ChatMessage]) -> None:
    """After a cut the view begins where it began until the budget overflows again."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=20, counter=words, policy=HistoryPolicy(low_water=0.5))
    cuts, begins = 0, "question number 0"
    for number in range(12):
        memory.put(user(f"question number {number}"))
        first = memory.get()[0].content
        report = memory.last_report
        assert report is not None
        assert report.history.cut == (first != begins)
        cuts, begins = cuts + report.history.cut, first or ""
        memory.put(ChatMessage("yes", role="assistant"))
    assert 1 <= cuts <= 4


def test_what_the_engine_says_it_takes_is_kept_free(memory: ContextMemoryBuffer) -> None:
    """`initial_token_count` leaves less for the conversation, exactly."""
    assert len(memory.get(initial_token_count=0)) == 5
    assert len(memory.get(initial_token_count=2)) == 3
    report = memory.last_report
    assert report is not None
    assert (report.layer("system").used, report.used, report.limit) == (2, 10, 13)


@pytest.mark.parametrize("taken", [13, 14, 10**9])
def test_an_engine_that_takes_all_is_told(memory: ContextMemoryBuffer, taken: int) -> None:
    """The error has the numbers, and is a `ValueError` as that of `ChatMemoryBuffer`."""
    with pytest.raises(ContextOverflowError, match=f"{taken + 3:,} tokens, Max: 13 tokens") as caught:
        memory.get(initial_token_count=taken)
    assert isinstance(caught.value, ValueError)
    assert caught.value.layers == {"system": taken, "current": 3}


def test_an_overflow_counts_what_the_engine_takes(memory: ContextMemoryBuffer) -> None:
    """The numbers are those of the whole request."""
    with pytest.raises(ContextOverflowError) as caught:
        memory.get(initial_token_count=11)
    assert (caught.value.needed, caught.value.limit) == (14, 13)
    assert caught.value.layers["system"] == 11


@pytest.mark.parametrize("taken", [-1, 1.5, "3", None])
def test_a_count_that_is_none_is_refused(memory: ContextMemoryBuffer, taken: Any) -> None:
    """The error shows what was found."""
    with pytest.raises(ValueError, match="initial_token_count must be a whole number from 0 up, found"):
        memory.get(initial_token_count=taken)


def test_other_arguments_mean_nothing(memory: ContextMemoryBuffer) -> None:
    """`Memory` hands unknown arguments to its blocks; engines may give them."""
    assert memory.get(session_id="x") == memory.get()


def test_room_is_kept_for_a_question_that_is_not_stored(memory: ContextMemoryBuffer) -> None:
    """A `ContextChatEngine` adds its question itself: together they are within the budget."""
    memory.put(ChatMessage("answer 3", role="assistant"))
    assert contents(memory.get("one two three")) == ["question number 2", "answer 2", "question number 3", "answer 3"]
    report = memory.last_report
    assert report is not None
    assert (report.used, report.layer("current").used) == (13, 3)


def test_a_question_that_is_stored_is_not_counted_again(memory: ContextMemoryBuffer) -> None:
    """An agent stores its question before it asks, and names it in every loop."""
    assert memory.get("question number 3") == memory.get()


def test_a_question_within_a_running_turn_is_not_counted_again(
    words: TokenCounter, user: Callable[[str], ChatMessage], step: Callable[..., list[ChatMessage]]
) -> None:
    """After a handoff, the steps of the first agent stand behind the question."""
    memory = ContextMemoryBuffer.from_defaults([user("find it now"), *step("c1")], counter=words, token_limit=7)
    assert len(memory.get("find it now")) == 3


def test_a_question_that_is_asked_again_is_counted_again(
    words: TokenCounter, user: Callable[[str], ChatMessage], assistant: Callable[[str], ChatMessage]
) -> None:
    """A user who says `go on` twice says it twice."""
    memory = ContextMemoryBuffer.from_defaults(
        [user("one two"), assistant("three"), user("go on"), assistant("four")],
        counter=words,
        token_limit=7,
        policy=FILL,
    )
    assert contents(memory.get("go on")) == ["go on", "four"]


def test_an_agents_question_is_never_lost(
    words: TokenCounter, user: Callable[[str], ChatMessage], assistant: Callable[[str], ChatMessage]
) -> None:
    """An agent that asks with an answer behind its question adds nothing itself: it gets the question."""
    memory = ContextMemoryBuffer.from_defaults([user("one two"), assistant("three four")], counter=words, token_limit=4)
    assert contents(memory.get("one two")) == ["one two", "three four"]


def test_a_question_that_fills_the_budget_leaves_nothing_else(memory: ContextMemoryBuffer) -> None:
    """The engine adds the question itself, which is all that fits."""
    assert memory.get("w " * 13) == []
    assert len(memory.get_all()) == 7


def test_a_question_over_the_budget_is_an_error(memory: ContextMemoryBuffer) -> None:
    """The memory cannot shorten what the engine is going to send."""
    for on_overflow in ("raise", "truncate"):
        memory.on_overflow = on_overflow
        with pytest.raises(ContextOverflowError, match="14 tokens, Max: 13 tokens"):
            memory.get("w " * 14)


def test_the_question_may_be_a_message(memory: ContextMemoryBuffer) -> None:
    """`Memory` takes a message as `input`; an empty text is no question."""
    assert memory.get(ChatMessage("question number 3", role="user")) == memory.get()
    assert memory.get("") == memory.get()
    assert memory.get(cast("str", 3)) == memory.get()


def test_a_message_that_is_too_large_is_an_error(words: TokenCounter, user: Callable[[str], ChatMessage]) -> None:
    """Nothing is sent that the provider would refuse; the message stays stored."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=5, counter=words)
    memory.put(user("w " * 9))
    with pytest.raises(ContextOverflowError, match="9 tokens, Max: 5 tokens"):
        memory.get()
    assert len(memory.get_all()) == 1


def test_a_message_that_is_too_large_may_be_cut(words: TokenCounter, user: Callable[[str], ChatMessage]) -> None:
    """With leave to truncate the view has its beginning, and the memory all of it."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=5, counter=words, on_overflow="truncate")
    memory.put(user("w " * 9))
    assert memory.get()[0].content == "w w w w\n[truncated]"
    assert memory.get_all()[0].content == "w " * 9
    assert memory.last_report is not None
    assert memory.last_report.history.truncated == 1


def test_a_view_is_never_empty_after_a_put(user: Callable[[str], ChatMessage]) -> None:
    """Agents take the first and the last message without looking."""
    empty: list[int] = []
    memory = ContextMemoryBuffer.from_defaults()
    for limit in range(1, 60):
        memory = ContextMemoryBuffer.from_defaults(token_limit=limit)
        memory.put(user("a few words"))
        with suppress(ContextOverflowError):
            empty += [] if memory.get() else [limit]
    assert empty == []
    assert len(memory.get()) == 1


def test_a_call_is_never_parted_from_its_result(
    words: TokenCounter, user: Callable[[str], ChatMessage], step: Callable[..., list[ChatMessage]]
) -> None:
    """The oldest steps of a long turn go as a whole; its question stays."""
    turn = [user("find it"), *(message for number in range(6) for message in step(f"c{number}", f"result {number}"))]
    memory = ContextMemoryBuffer.from_defaults(turn, counter=words, token_limit=12, policy=FILL)
    view = memory.get()
    assert view[0].content == "find it"
    assert [block.tool_call_id for message in view for block in message.blocks if isinstance(block, ToolCallBlock)] == [
        message.additional_kwargs["tool_call_id"] for message in view if message.role == "tool"
    ]
    assert view[-1].content == "result 5"
    assert len(view) == 5


def test_results_out_of_order_are_fine(words: TokenCounter, user: Callable[[str], ChatMessage]) -> None:
    """Parallel calls end in any order."""
    calls = [ToolCallBlock(tool_call_id=str(number), tool_name="f") for number in range(3)]
    results = [ChatMessage("r", role="tool", additional_kwargs={"tool_call_id": at}) for at in ("0", "2", "1")]
    memory = ContextMemoryBuffer.from_defaults([user("go"), ChatMessage(role="assistant", blocks=calls), *results])
    assert memory.get() == memory.get_all()
    assert words.count_text("go") == 1


def test_a_call_that_was_never_answered_gets_a_stub(user: Callable[[str], ChatMessage]) -> None:
    """Providers refuse a conversation with an open call; the memory keeps what really was."""
    call = ChatMessage(role="assistant", blocks=[ToolCallBlock(tool_call_id="c1", tool_name="f")])
    memory = ContextMemoryBuffer.from_defaults([user("go"), call, user("well?")], provider="openai")
    view = memory.get()
    assert [message.role.value for message in view] == ["user", "assistant", "tool", "user"]
    assert view[2].additional_kwargs == {"tool_call_id": "c1"}
    assert len(memory.get_all()) == 3


def test_a_view_between_two_results_is_one_that_providers_accept() -> None:
    """Agents send it as it is: the call that has no result yet gets a stub, until its result is put in."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=1_000)
    blocks = [ToolCallBlock(tool_call_id=one, tool_name="f", tool_kwargs={}) for one in "12"]
    first, second = (ChatMessage(one, role="tool", additional_kwargs={"tool_call_id": one}) for one in "12")
    memory.put_messages([ChatMessage("q", role="user"), ChatMessage(role="assistant", blocks=list(blocks)), second])
    assert [message.additional_kwargs["tool_call_id"] for message in memory.get()[2:]] == ["2", "1"]
    memory.put(first)
    assert memory.get() == memory.get_all()


def test_a_call_in_both_places_is_dropped_from_both(user: Callable[[str], ChatMessage]) -> None:
    """With `unanswered="drop"` neither the block nor the entry of an open call goes out."""
    call = ChatMessage(
        role="assistant",
        blocks=[TextBlock(text="let me see"), ToolCallBlock(tool_call_id="c1", tool_name="f")],
        additional_kwargs={"tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]},
    )
    memory = ContextMemoryBuffer.from_defaults(
        [user("go"), call, user("well?")], policy=HistoryPolicy(unanswered="drop")
    )
    view = memory.get()
    assert view[1].blocks == [TextBlock(text="let me see")]
    assert view[1].additional_kwargs == {}
    assert memory.get_all()[1] == call


def test_content_of_none_is_no_word(words: TokenCounter, user: Callable[[str], ChatMessage]) -> None:
    """A message of calls only costs its calls, and not the word `None`."""
    call = ChatMessage(role="assistant", blocks=[ToolCallBlock(tool_call_id="c1", tool_name="f")])
    memory = ContextMemoryBuffer.from_defaults([user("go"), call], counter=words)
    memory.get()
    assert memory.last_report is not None
    assert memory.last_report.used == 3  # "go", "f" and "{}"


def test_callers_may_change_what_they_get(memory: ContextMemoryBuffer) -> None:
    """Agents write their state into the last message of the list that they are given."""
    for view in (memory.get(), memory.get_all()):
        last = view[-1].blocks[-1]
        assert isinstance(last, TextBlock)
        last.text = "Current state: …"
        view[-1].additional_kwargs["session_id"] = "x"
        view.insert(0, ChatMessage("memories", role="system"))
    assert memory.get_all()[-1] == ChatMessage("question number 3", role="user")
    assert len(memory.get_all()) == 7


def test_callers_may_change_what_they_gave() -> None:
    """Neither the list nor the messages in it are shared."""
    given = [ChatMessage("hi", role="user")]
    memory = ContextMemoryBuffer.from_defaults(given)
    memory.put(given[0])
    memory.set(given)
    memory.put_messages(given)
    given[0].blocks[0] = TextBlock(text="changed")
    given.append(ChatMessage("more"))
    assert contents(memory.get_all()) == ["hi", "hi"]


def test_what_cannot_be_copied_is_shared() -> None:
    """An open stream or a lock in a message is no reason to refuse it."""
    lock = threading.Lock()
    stream = io.BufferedReader(io.BytesIO(b"\x89PNG"))
    message = ChatMessage(
        role="user",
        blocks=[TextBlock(text="see"), ImageBlock(image=stream, image_mimetype="image/png")],
        additional_kwargs={"lock": lock, "list": []},
    )
    memory = ContextMemoryBuffer.from_defaults([message])
    (stored,) = memory.get()
    assert stored.additional_kwargs["lock"] is lock
    assert stored is not message
    stored.blocks.clear()
    assert len(memory.get_all()[0].blocks) == 2


def test_a_circular_extra_is_no_trouble() -> None:
    """A value that holds itself goes in and out, and is not counted."""
    circular: dict[str, Any] = {}
    circular["self"] = circular
    memory = ContextMemoryBuffer.from_defaults([ChatMessage("hi", role="user", additional_kwargs={"raw": circular})])
    (message,) = memory.get()
    assert message.additional_kwargs["raw"]["self"] is message.additional_kwargs["raw"]


@pytest.mark.parametrize("wrong", ["text", {"role": "user", "content": "x"}, None, 7])
def test_what_is_no_message_is_refused(wrong: Any) -> None:
    """Nothing is stored of it."""
    memory = ContextMemoryBuffer.from_defaults()
    with pytest.raises(MessageError, match=f"expected a ChatMessage, found {type(wrong).__name__}"):
        memory.put(wrong)
    with pytest.raises(MessageError):
        memory.put_messages([ChatMessage("fine"), wrong])
    assert memory.get_all() == []


def test_a_list_with_one_bad_message_changes_nothing(memory: ContextMemoryBuffer) -> None:
    """`set` and `put_messages` do all or nothing."""
    before = memory.get_all()
    bad = cast("ChatMessage", "no message")
    broken = ChatMessage("x", role="assistant", additional_kwargs={"tool_calls": "no list"})
    for wrong in (bad, broken):
        with pytest.raises(MessageError):
            memory.set([ChatMessage("new"), wrong])
        with pytest.raises(MessageError):
            memory.put_messages([ChatMessage("new"), wrong])
    assert memory.get_all() == before


async def test_a_list_with_one_bad_message_changes_nothing_async(memory: ContextMemoryBuffer) -> None:
    """The async doors do all or nothing too."""
    before = memory.get_all()
    for door in (memory.aset, memory.aput_messages):
        with pytest.raises(MessageError):
            await door([ChatMessage("new"), cast("ChatMessage", "no message")])
    assert memory.get_all() == before


def test_set_takes_the_place_of_all(memory: ContextMemoryBuffer, user: Callable[[str], ChatMessage]) -> None:
    """A new conversation begins without what was remembered of the old one."""
    memory.get()
    assert memory.state.start > 0
    memory.set([user("anew")])
    assert contents(memory.get()) == ["anew"]
    assert memory.state.start == 0
    memory.reset()
    assert memory.get() == memory.get_all() == []


def test_a_system_message_in_the_memory_stays(words: TokenCounter, talk: list[ChatMessage]) -> None:
    """It is never left out, and stays in its place."""
    memory = ContextMemoryBuffer.from_defaults(
        [ChatMessage("be kind", role="system"), *talk], token_limit=10, counter=words, policy=FILL
    )
    assert contents(memory.get()) == ["be kind", "question number 2", "answer 2", "question number 3"]


def test_a_greeting_that_fits_stays(
    user: Callable[[str], ChatMessage], assistant: Callable[[str], ChatMessage]
) -> None:
    """A conversation that an assistant began goes out as it is where the provider takes it, and nothing has to go."""
    memory = ContextMemoryBuffer.from_defaults([assistant("Ahoy!"), user("hi")], provider="openai")
    assert contents(memory.get()) == ["Ahoy!", "hi"]


def test_a_cut_view_begins_with_a_user(
    words: TokenCounter, user: Callable[[str], ChatMessage], assistant: Callable[[str], ChatMessage]
) -> None:
    """A greeting, and an answer whose question has gone, go first."""
    memory = ContextMemoryBuffer.from_defaults(
        [assistant("Ahoy there!"), user("one two three"), assistant("four"), user("five")],
        counter=words,
        token_limit=6,
        policy=FILL,
    )
    assert contents(memory.get()) == ["one two three", "four", "five"]
    assert contents(memory.get(initial_token_count=2)) == ["five"]


def test_a_marker_says_what_is_missing(words: TokenCounter, talk: list[ChatMessage]) -> None:
    """The marker can be a user's message, since a `ReActAgent` throws a leading system message away."""
    from ctx_core import Role

    policy = HistoryPolicy(low_water=1.0, omission_marker="[{count} earlier]", marker_role=Role.USER)
    memory = ContextMemoryBuffer.from_defaults(talk, token_limit=10, counter=words, policy=policy, provider="openai")
    view = memory.get()
    assert (view[0].role, view[0].content) == ("user", "[4 earlier]")


def test_tools_are_paid_for(words: TokenCounter, talk: list[ChatMessage]) -> None:
    """The definitions that an agent sends along leave less for the conversation."""
    tool = {"type": "function", "function": {"name": "f", "description": "one two three four"}}
    memory = ContextMemoryBuffer.from_defaults(talk, token_limit=13, counter=words, policy=FILL, tools=[tool])
    assert len(memory.get()) == 3
    assert memory.last_report is not None
    assert memory.last_report.layer("tools").used == 4


def test_a_report_is_in_terms_of_the_whole_budget(words: TokenCounter, talk: list[ChatMessage]) -> None:
    """Parts and reserve are those the memory was made with."""
    budget = ContextBudget(40, parts={"system": Share(0.25), "history": Share(0.25)}, reserve=Share(0.5))
    memory = ContextMemoryBuffer.from_defaults(talk, budget=budget, counter=words)
    memory.get(initial_token_count=4)
    report = memory.last_report
    assert report is not None
    assert (report.total, report.reserve, report.limit) == (40, 20, 20)
    assert {row.name: (row.budget, row.used) for row in report.layers} == {
        "system": (10, 4),
        "history": (10, 5),
        "current": (None, 3),
        "framing": (None, 0),
    }
    assert report.used == 12


def test_a_fixed_history_part_is_kept(words: TokenCounter, talk: list[ChatMessage]) -> None:
    """A budget may say how much of it the conversation gets at most."""
    from ctx_core import Tokens

    budget = ContextBudget(100, parts={"history": Tokens(8)})
    memory = ContextMemoryBuffer.from_defaults(talk, budget=budget, counter=words, policy=FILL)
    assert contents(memory.get()) == ["question number 2", "answer 2", "question number 3"]


def test_every_view_is_told_to_the_log(words: TokenCounter, talk: list[ChatMessage]) -> None:
    """The log counts views, and how many had to leave something out."""
    log = UsageLog()
    memory = ContextMemoryBuffer.from_defaults(talk, token_limit=13, counter=words, usage_log=log)
    assert memory.last_report is None
    memory.get()
    assert memory.usage_log is log
    report = memory.last_report
    assert report is not None
    assert log.entries[0].used == report.used
    assert log.stats().trimmed == 1


def test_a_repr_tells_no_content(memory: ContextMemoryBuffer) -> None:
    """A memory holds what users said; logs and tracebacks show its repr."""
    assert "question" not in repr(memory) + str(memory)
    assert "messages=7" in repr(memory)


def test_the_tokenizer_counts_what_a_system_prompt_costs() -> None:
    """A `SimpleChatEngine` asks for the length of its prefix; nothing has no length."""
    counter = TokenCounter.for_model("gpt-4o")
    memory = ContextMemoryBuffer.from_defaults(counter=counter)
    assert (
        len(memory.tokenizer_fn("hello world"))
        == counter.count_text("hello world") + counter.framing.messages.per_message
    )
    assert memory.tokenizer_fn("") == []


def test_threads_may_share_a_memory(words: TokenCounter) -> None:
    """Puts of many threads are all there, and every view in between is one that could be sent."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=40, counter=words)

    def turn(number: int) -> list[ChatMessage]:
        memory.put_messages([ChatMessage(f"q {number}", role="user"), ChatMessage(f"a {number}", role="assistant")])
        return memory.get()

    with ThreadPoolExecutor(8) as pool:
        views = list(pool.map(turn, range(200)))
    stored = [message.content or "" for message in memory.get_all()]
    assert sorted(stored[::2]) == sorted(f"q {number}" for number in range(200))
    assert all(answer == f"a{question[1:]}" for question, answer in zip(stored[::2], stored[1::2], strict=True))
    assert all(view[0].role == "user" for view in views)
    assert max(words.count_text(" ".join(message.content or "" for message in view)) for view in views) <= 40


def test_a_turn_tokenizes_only_what_is_new() -> None:
    """On a long history, the counter is asked for the new messages and not for the old ones."""
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text.split())

    memory = ContextMemoryBuffer.from_defaults(token_limit=2_000, counter=count)
    memory.set(
        [ChatMessage(f"message {number}", role="user" if number % 2 == 0 else "assistant") for number in range(5_000)]
    )
    memory.put(ChatMessage("first", role="user"))
    memory.get()
    asked.clear()
    memory.put_messages([ChatMessage("fine", role="assistant"), ChatMessage("and now", role="user")])
    memory.get()
    assert set(asked) == {"fine", "and now"}
