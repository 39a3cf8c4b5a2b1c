"""Conversations in a database: a request reads the end that it needs, and gives what one that reads all would give."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore
from typing_extensions import override

from ctx_core import HistoryPolicy
from ctx_core.memory import ConversationMemory
from llamaindex_ctx import ContextMemoryBuffer
from llamaindex_ctx.tail import NotReadError, PartlyRead
from tests.llamaindex_ctx.spies import COUNTER, asks, says

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from ctx_core import Message

BUDGET = 1_000
LONG = 1_200
"""Messages of a conversation, of which some thirty fit."""


class CountingStore(SQLAlchemyChatStore):
    """Counts the rows that are read."""

    rows: int = 0

    @override
    async def get_messages(self, *arguments: Any, **given: Any) -> list[ChatMessage]:
        read = await super().get_messages(*arguments, **given)
        self.rows += len(read)
        return read

    def taken(self) -> int:
        """Give how many were read since this was asked."""
        rows, self.rows = self.rows, 0
        return rows


def said(start: int, count: int) -> list[ChatMessage]:
    """Make answered questions."""
    pairs = ((asks(f"Question {at}? {'word ' * 20}"), says(f"Answer {at}. {'word ' * 20}")) for at in range(count))
    return [message for pair in list(pairs)[start:] for message in pair]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[CountingStore]:
    """A database with a long conversation, which begins with instructions."""
    made = CountingStore(table_name="talk", async_database_uri=f"sqlite+aiosqlite:///{tmp_path / 'talk.db'}")
    await made.add_messages("s", [ChatMessage("Be kind.", role="system"), *said(0, LONG // 2)])
    yield made
    engine: Any = made._async_engine  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001 - LlamaIndex shows it nowhere
    await engine.dispose()


def in_database(store: CountingStore, **given: Any) -> ContextMemoryBuffer:
    """Make a memory over the database."""
    return ContextMemoryBuffer.from_defaults(
        chat_store=store, session_id="s", token_limit=BUDGET, counter=COUNTER, **given
    )


async def in_list(store: CountingStore, **given: Any) -> ContextMemoryBuffer:
    """Make one that has the same conversation in a list."""
    messages = await store.get_messages("s", None)
    store.taken()
    return ContextMemoryBuffer.from_defaults(messages, token_limit=BUDGET, counter=COUNTER, **given)


def count_up(summary: str, messages: Sequence[Message]) -> str:
    """Summarize."""
    told = int(summary.split(maxsplit=1)[0]) if summary else 0
    return f"{told + len(messages)} messages."


OPTIONS: dict[str, Any] = {
    "plain": dict,
    "states": lambda: {"states": {}},
    "summarizer": lambda: {"summarizer": count_up},
    "keep_first": lambda: {"policy": HistoryPolicy(keep_first=2)},
    "marker": lambda: {"policy": HistoryPolicy(omission_marker="[{count} earlier]", preserve_recent_turns=2)},
}


@pytest.mark.parametrize("name", OPTIONS)
async def test_turn_after_turn_the_end_is_read(store: CountingStore, name: str) -> None:
    """As the window is long, cuts included; and it is what a memory gives that reads all, as its report says."""
    memory, whole = in_database(store, **OPTIONS[name]()), await in_list(store, **OPTIONS[name]())
    rows: list[int] = []
    cuts = 0
    for turn in range(40):
        for one in (memory, whole):
            await one.aput(asks(f"Next {turn}? {'word ' * 20}"))
        given = await memory.aget()
        rows.append(store.taken())
        assert given == await whole.aget()
        assert given[0].role == "system"
        assert memory.last_report is not None
        assert whole.last_report is not None
        assert memory.last_report.history == whole.last_report.history
        cuts += memory.last_report.history.cut
        for one in (memory, whole):
            await one.aput(says(f"So {turn}. {'word ' * 20}"))
    assert cuts > 2
    small = [count for count in rows[1:] if count < 120]
    assert len(small) >= (34 if name == "summarizer" else 39)  # a turn that summarizes reads all
    assert (rows[0] < 300) == (name in ("plain", "marker"))


@pytest.mark.parametrize("asked", [None, "And now?"])
def test_the_sync_doors_read_as_little(store: CountingStore, asked: str | None) -> None:
    """With a question that is not stored too, for which room is kept."""
    memory = in_database(store)
    first = memory.get(asked)
    assert 0 < store.taken() < 300
    assert memory.get(asked) == first
    assert store.taken() < 120
    messages = [*first, *([] if asked is None else [asks(asked)])]
    tokens = COUNTER.count_messages([{"role": one.role.value, "content": one.content} for one in messages])
    assert tokens <= BUDGET
    assert first[0].content == "Be kind."
    assert (first[1].role, first[-1].content) == ("user", says(f"Answer {LONG // 2 - 1}. {'word ' * 20}").content)


async def test_a_memory_that_is_made_anew_goes_on(store: CountingStore) -> None:
    """From its dump, or with states that are kept elsewhere."""
    memory = in_database(store)
    given = await memory.aget()
    again = ContextMemoryBuffer.from_dict(memory.to_dict(), chat_store=store)
    store.taken()
    assert await again.aget() == given
    assert store.taken() < 120
    states: dict[str, Any] = {}
    first = await in_database(store, states=states).aget()
    store.taken()
    assert await in_database(store, states=states).aget() == first
    assert store.taken() < 120


async def test_a_short_conversation_is_read_as_it_is(store: CountingStore) -> None:
    """All of it, once."""
    await store.set_messages("s", said(0, 5))
    memory = in_database(store)
    assert await memory.aget() == said(0, 5)
    assert store.taken() == 10


@pytest.mark.parametrize("left", [4, 40, 400])
async def test_a_store_that_was_written_to_is_noticed(store: CountingStore, left: int) -> None:
    """Fewer messages, or others: it is cut anew."""
    memory = in_database(store)
    await memory.aget()
    others = [
        message.model_copy(update={"blocks": asks(f"other {message.content}").blocks}) for message in said(0, left)
    ]
    await store.set_messages("s", others)
    given = await memory.aget()
    assert given == others[-len(given) :]
    assert given[0].role == "user"


async def test_what_needs_all_of_it_reads_all(store: CountingStore) -> None:
    """Layers of what was cut, and a memory that is switched off."""
    memory = in_database(store, layers=[ConversationMemory(max_items=1)])
    assert "Question 3?" in str((await memory.aget("Question 3?"))[0].content)
    assert store.taken() >= LONG
    memory = in_database(store, enabled=False)
    assert len(await memory.aget()) == LONG + 1


def test_what_was_not_read_is_not_there() -> None:
    """And no handler of errors takes it for an error."""
    part = PartlyRead(10, dict(enumerate(said(0, 2), 6)))
    assert len(part) == 10
    assert part[6] == part[-4] == said(0, 2)[0]
    assert len(part[:7]) == 7
    assert part[7:9] == said(0, 2)[1:3]
    assert not issubclass(NotReadError, Exception)
    for at in (0, 5, -10):
        with pytest.raises(NotReadError):
            part[at]
    with pytest.raises(IndexError):
        part[10]


async def test_requests_at_once_are_right(store: CountingStore) -> None:
    """Of many tasks over one memory."""
    memory = in_database(store)
    given = await asyncio.gather(*(memory.aget() for _ in range(8)))
    assert all(one == given[0] for one in given)
