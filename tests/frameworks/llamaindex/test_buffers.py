"""`ChatMemoryBuffer` as it is known, and ours in its place."""

from __future__ import annotations

import asyncio
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock, ToolCallBlock
from llama_index.core.llms import MockLLM
from llama_index.core.storage.chat_store import SimpleChatStore

from tests.frameworks.llamaindex.swapped import WARNINGS, every_swap, judged, mended, said, texts, words

if TYPE_CHECKING:
    from tests.frameworks.llamaindex.swapped import Swap

pytestmark = WARNINGS
FRAMES = "a message costs its frame too, which LlamaIndex does not count: so few tokens hold none"


def talk() -> list[ChatMessage]:
    """Make two turns: LlamaIndex's store keeps the very list that it is given, and writes into it."""
    return said("one two three", "four five", "six seven", "eight nine")


@every_swap
def test_what_is_put_is_given(swap: Swap) -> None:
    """In order, and again."""
    memory = swap.buffer.from_defaults()
    for message in talk():
        memory.put(message)
    assert memory.get() == memory.get() == talk()
    assert memory.get_all() == talk()


@every_swap
async def test_the_async_doors_do_the_same(swap: Swap) -> None:
    """Put, get, set and reset."""
    memory = swap.buffer.from_defaults()
    await memory.aput(talk()[0])
    await memory.aput_messages(talk()[1:])
    assert await memory.aget() == await memory.aget_all() == talk()
    await memory.aset(talk()[:2])
    assert texts(await memory.aget()) == texts(talk()[:2])
    await memory.areset()
    assert await memory.aget_all() == []


@every_swap
def test_a_history_is_set_and_reset(swap: Swap) -> None:
    """At the beginning, later, and to nothing."""
    memory = swap.buffer.from_defaults(chat_history=talk()[:2])
    assert memory.get() == talk()[:2]
    memory.set(talk())
    assert memory.get_all() == talk()
    memory.put(ChatMessage("ten", role="user"))
    assert len(memory.get()) == 5
    memory.reset()
    assert memory.get() == memory.get_all() == []


@every_swap
def test_an_empty_memory_gives_nothing(swap: Swap) -> None:
    """Whatever is asked."""
    memory = swap.buffer.from_defaults()
    assert memory.get() == memory.get(input="hi") == memory.get_all() == []


@every_swap
@pytest.mark.parametrize("limit", [34, 60])
def test_only_the_newest_turns_are_given(swap: Swap, limit: int) -> None:
    """Whole turns that fit, the beginning being a user's; all of it is kept."""
    long = said(*(f"{'word ' * 9}{at}" for at in range(20)))
    memory = swap.buffer.from_defaults(chat_history=long, token_limit=limit, tokenizer_fn=words)
    given = memory.get()
    assert given
    assert given == long[-len(given) :]
    assert given[0].role == "user"
    assert sum(len(words(message.content or "")) for message in given) <= limit
    assert memory.get_all() == long


@every_swap
def test_room_for_an_answer_only_gives_no_answer_without_its_question(swap: Swap) -> None:
    """What is given begins with a user's message."""
    long = [*said("w " * 60, "w " * 8), ChatMessage("w " * 8, role="user")]
    memory = swap.buffer.from_defaults(chat_history=long, token_limit=40, tokenizer_fn=words)
    assert memory.get() == long[2:]


@every_swap
def test_tokens_that_are_sent_beside_take_their_room(swap: Swap) -> None:
    """`initial_token_count`."""
    long = said(*(f"{'word ' * 9}{at}" for at in range(6)))
    memory = swap.buffer.from_defaults(chat_history=[*long, long[0]], token_limit=130, tokenizer_fn=words)
    assert len(memory.get()) > len(memory.get(initial_token_count=70)) > 0


@every_swap
def test_more_beside_than_the_limit_is_an_error(swap: Swap) -> None:
    """A `ValueError`."""
    memory = swap.buffer.from_defaults(chat_history=talk(), token_limit=100)
    with pytest.raises(ValueError, match=r"(?i)limit"):
        memory.get(initial_token_count=101)


@judged("the numbers are in our text: tokens of each layer, what is needed and the most")
def test_the_text_of_that_error(swap: Swap) -> None:
    """Word by word."""
    memory = swap.buffer.from_defaults(chat_history=talk(), token_limit=100)
    with pytest.raises(ValueError, match="Initial token count exceeds token limit"):
        memory.get(initial_token_count=101)


@judged(FRAMES)
@pytest.mark.parametrize(("limit", "given"), [(5, 1), (9, 2)])
def test_a_limit_of_a_few_tokens(swap: Swap, limit: int, given: int) -> None:
    """Counted as texts."""
    long = said("one two three", "four five", "six seven eight", "nine", "ten eleven")[: 2 * given + 1]
    memory = swap.buffer.from_defaults(chat_history=long, token_limit=limit, tokenizer_fn=words)
    assert memory.get() == long[-(2 * given - 1) :]


@every_swap
def test_a_limit_can_be_changed(swap: Swap) -> None:
    """It holds from the next request on."""
    long = said(*(f"{'word ' * 9}{at}" for at in range(20)))
    memory = swap.buffer.from_defaults(chat_history=long, token_limit=1_000, tokenizer_fn=words)
    before = len(memory.get())
    memory.token_limit = 50
    assert 0 < len(memory.get()) < before


@every_swap
def test_the_limit_comes_from_the_llm(swap: Swap) -> None:
    """Below its window, as the answer needs room."""
    llm = MockLLM()
    assert 0 < swap.buffer.from_defaults(llm=llm).token_limit < llm.metadata.context_window
    assert swap.buffer.from_defaults(llm=llm, token_limit=1_000).token_limit == 1_000


@every_swap
def test_an_argument_that_is_not_known_is_refused(swap: Swap) -> None:
    """And not dropped."""
    with pytest.raises((ValueError, TypeError)):
        swap.buffer.from_defaults(token_limits=3)


@every_swap
def test_a_store_holds_the_conversation(swap: Swap) -> None:
    """Under its key; two memories over one store and key are one conversation."""
    store = SimpleChatStore()
    one = swap.buffer.from_defaults(chat_store=store, chat_store_key="talk")
    one.put(talk()[0])
    other = swap.buffer.from_defaults(chat_store=store, chat_store_key="talk")
    assert other.get_all() == store.get_messages("talk") == talk()[:1]
    third = swap.buffer.from_defaults(chat_store=store, chat_store_key="another")
    assert third.get_all() == []
    other.reset()
    assert one.get_all() == []


@mended("pydantic 2.14 and LlamaIndex's SimpleChatStore: it cannot be dumped once it holds a message")
@pytest.mark.parametrize("form", ["dict", "string"])
def test_it_is_stored_and_restored(swap: Swap, form: str) -> None:
    """Messages and limit."""
    memory = swap.buffer.from_defaults(chat_history=talk(), token_limit=5_000)
    stored = memory.to_dict() if form == "dict" else memory.to_string()
    again = (swap.buffer.from_dict if form == "dict" else swap.buffer.from_string)(stored)
    assert again.get() == talk()
    assert again.token_limit == 5_000
    again.put(ChatMessage("ten", role="user"))
    assert (len(again.get_all()), len(memory.get_all())) == (5, 4)


@every_swap
def test_it_is_pickled(swap: Swap) -> None:
    """And is a conversation of its own."""
    memory = swap.buffer.from_defaults(chat_history=talk(), token_limit=5_000)
    again = pickle.loads(pickle.dumps(memory))  # noqa: S301 - our own
    again.put(ChatMessage("ten", role="user"))
    assert (len(again.get_all()), len(memory.get_all())) == (5, 4)


@judged("a stored memory holds its own messages, whatever store they came from")
def test_the_names_of_stored_fields(swap: Swap) -> None:
    """`chat_store` among them."""
    memory = swap.buffer.from_defaults()
    assert "chat_store" in memory.to_dict()


@every_swap
def test_a_call_and_its_result_stay_together(swap: Swap) -> None:
    """Nothing that is given begins with a result."""
    calls: list[Any] = [ToolCallBlock(tool_call_id="1", tool_name="f", tool_kwargs={"a": 1})]
    step = [
        ChatMessage("find it", role="user"),
        ChatMessage(role="assistant", blocks=calls),
        ChatMessage("found", role="tool", additional_kwargs={"tool_call_id": "1"}),
        ChatMessage("so", role="assistant"),
    ]
    long = [*said(*("w " * 30 for _ in range(6))), *step]
    memory = swap.buffer.from_defaults(chat_history=long, token_limit=80, tokenizer_fn=words)
    assert memory.get()[-4:] == step
    assert memory.get()[0].role == "user"


@every_swap
def test_blocks_of_all_kinds_are_kept(swap: Swap) -> None:
    """Pictures among them."""
    blocks: list[Any] = [TextBlock(text="look"), ImageBlock(url="https://example.com/a.png")]
    message = ChatMessage(role="user", blocks=blocks)
    memory = swap.buffer.from_defaults(chat_history=[message], token_limit=10_000)
    assert memory.get()[0].blocks == blocks


@every_swap
async def test_puts_at_once_are_all_there(swap: Swap) -> None:
    """Of many tasks."""
    memory = swap.buffer.from_defaults(token_limit=100_000)
    await asyncio.gather(*(memory.aput(ChatMessage(f"{at}", role="user")) for at in range(50)))
    assert sorted(texts(await memory.aget_all()), key=str) == sorted(map(str, range(50)))
