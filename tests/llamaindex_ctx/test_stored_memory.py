"""A memory as JSON, as a pickle and as a copy: the conversation survives, and code is given again."""

from __future__ import annotations

import copy
import gc
import io
import json
import logging
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.base.llms.types import (
    CacheControl,
    CachePoint,
    ChatMessage,
    CitableBlock,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.schema import ImageDocument
from llama_index.core.storage.chat_store import SimpleChatStore

from ctx_core import (
    ContextBudget,
    Framing,
    HistoryPolicy,
    MessageError,
    Role,
    Share,
    TokenCounter,
    Tokens,
    ToolResultPolicy,
    UsageLog,
)
from ctx_core.counting import MediaFraming
from llamaindex_ctx import ContextMemoryBuffer

if TYPE_CHECKING:
    from collections.abc import Callable

PNG = b"\x89PNG\r\n\x1a\n" + bytes(32)
RICH = [
    ChatMessage("be kind", role="system"),
    ChatMessage(
        role="user",
        blocks=[
            TextBlock(text="größer 🚀"),
            ImageBlock(image=PNG),
            DocumentBlock(data=b"%PDF-1.7 \xff", document_mimetype="application/pdf"),
            CitableBlock(title="t", source="s", content=[TextBlock(text="c"), ImageBlock(image=PNG)]),
            CachePoint(cache_control=CacheControl(type="ephemeral")),
        ],
    ),
    ChatMessage(
        role="assistant",
        blocks=[ThinkingBlock(content="hmm"), ToolCallBlock(tool_call_id="1", tool_name="f", tool_kwargs={"a": [1]})],
        additional_kwargs={"tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}], "n": None},
    ),
    ChatMessage("r", role="tool", additional_kwargs={"tool_call_id": "1"}),
]

WAYS: dict[str, Callable[[ContextMemoryBuffer], ContextMemoryBuffer]] = {
    "dict": lambda memory: ContextMemoryBuffer.from_dict(json.loads(json.dumps(memory.to_dict()))),
    "string": lambda memory: ContextMemoryBuffer.from_string(memory.to_string()),
    "json": lambda memory: ContextMemoryBuffer.from_json(memory.to_json()),
    "pickle": lambda memory: pickle.loads(pickle.dumps(memory)),  # noqa: S301 - just written
    "deepcopy": copy.deepcopy,
    "model copy": lambda memory: memory.model_copy(deep=True),
}


@pytest.fixture(params=list(WAYS.values()), ids=list(WAYS))
def again(request: pytest.FixtureRequest) -> Callable[[ContextMemoryBuffer], ContextMemoryBuffer]:
    """A way to store a memory and to have it again."""
    way: Callable[[ContextMemoryBuffer], ContextMemoryBuffer] = request.param
    return way


def test_everything_survives(again: Callable[[ContextMemoryBuffer], ContextMemoryBuffer]) -> None:
    """Messages with all their blocks, budget, policy, counter by name, tools and key."""
    memory = ContextMemoryBuffer.from_defaults(
        RICH,
        budget=ContextBudget(50_000, parts={"history": Tokens(30_000)}, reserve=1_000, model="gpt-4o"),
        counter="gpt-4.1",
        policy=HistoryPolicy(keep_first=2, marker_role=Role.USER, omission_marker="[{count}]"),
        tools=[{"type": "function", "function": {"name": "f"}}],
        on_overflow="truncate",
        session_id="eva",
    )
    restored = again(memory)
    assert restored.get_all() == RICH
    assert restored == memory
    assert restored.get() == memory.get()
    assert restored.last_report == memory.last_report


def test_what_was_cut_stays_cut(again: Callable[[ContextMemoryBuffer], ContextMemoryBuffer]) -> None:
    """The view of a restored memory begins where it began."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=40, counter="gpt-4o")
    for number in range(8):
        memory.put(ChatMessage(f"question {number}", role="user"))
        memory.get()
    view = memory.get()
    assert memory.state.start > 0
    restored = again(memory)
    assert restored.state == memory.state
    assert restored.get() == view


def test_a_copy_is_independent(again: Callable[[ContextMemoryBuffer], ContextMemoryBuffer]) -> None:
    """What is said to one is not said to the other."""
    memory = ContextMemoryBuffer.from_defaults([ChatMessage("hi")])
    restored = again(memory)
    restored.put(ChatMessage("more"))
    restored.messages[0].blocks.clear()
    assert memory.get_all() == [ChatMessage("hi")]
    assert restored.tools is not memory.tools


@pytest.mark.parametrize(
    "budget",
    [
        ContextBudget.default(),
        ContextBudget.local_small(),
        ContextBudget(1_000, parts={"history": Share(1.0)}, reserve=200),
        ContextBudget(1_000, parts={"history": Share(0.5), "system": Tokens(100)}, reserve=Share(0.5)),
    ],
)
def test_every_budget_survives(budget: ContextBudget) -> None:
    """With shares, fixed parts, and a reserve of either kind."""
    memory = ContextMemoryBuffer.from_defaults(budget=budget)
    restored = ContextMemoryBuffer.from_string(memory.to_string()).budget
    assert (restored.total, restored.reserve, dict(restored.parts)) == (
        budget.total,
        budget.reserve,
        dict(budget.parts),
    )


@pytest.mark.parametrize(
    "policy",
    [
        HistoryPolicy(),
        HistoryPolicy(keep_first=Share(0.2), max_messages=9, reasoning="drop_at_cut", unanswered="drop"),
        HistoryPolicy(results=ToolResultPolicy(max_tokens=100, clear_after_steps=3, placeholder="[{age}]")),
    ],
)
def test_every_policy_survives(policy: HistoryPolicy) -> None:
    """With its shares, and with its rules for tool results."""
    memory = ContextMemoryBuffer.from_defaults(policy=policy)
    assert ContextMemoryBuffer.from_string(memory.to_string()).policy == policy


def elsewhere(data: dict[str, Any]) -> dict[str, Any]:
    """Give stored data as another process has them, which knows nothing of the stored memory."""
    return {**json.loads(json.dumps(data)), "token": "of another process"}


def test_code_is_given_again(caplog: pytest.LogCaptureFixture, words: TokenCounter) -> None:
    """A counter that is code, and a predicate, are missed with a warning in the log, unless they are given."""
    policy = HistoryPolicy(pinned=lambda message: message.role is Role.USER)
    memory = ContextMemoryBuffer.from_defaults([ChatMessage("hi")], counter=words, policy=policy)
    data = elsewhere(memory.to_dict())
    with caplog.at_level(logging.WARNING, logger="ctx_core"):
        restored = ContextMemoryBuffer.from_dict(data)
    assert "restored without its counter and policy" in caplog.text
    assert restored.counter is None
    assert restored.get() == [ChatMessage("hi")]
    caplog.clear()
    log = UsageLog()
    given = ContextMemoryBuffer.from_dict(data, counter=words, policy=policy, usage_log=log)
    assert caplog.text == ""
    assert (given.counter, given.policy.pinned, given.usage_log) == (words, policy.pinned, log)


def test_code_is_found_again_while_the_memory_is_in_use(caplog: pytest.LogCaptureFixture, words: TokenCounter) -> None:
    """The restored memory has what the stored one has, as long as there is one; what is given wins."""
    log = UsageLog()
    memory = ContextMemoryBuffer.from_defaults([ChatMessage("hi")], counter=words, usage_log=log)
    data = memory.to_dict()
    restored = ContextMemoryBuffer.from_dict(data)
    assert (restored.counter, restored.usage_log) == (words, log)
    assert ContextMemoryBuffer.from_dict(data, counter=len).counter != words
    assert caplog.text == ""
    del memory, restored
    gc.collect()
    with caplog.at_level(logging.WARNING, logger="ctx_core"):
        alone = ContextMemoryBuffer.from_dict(data)
    assert "restored without its counter and usage_log" in caplog.text
    assert (alone.counter, alone.usage_log) == (None, None)
    assert alone.get_all() == [ChatMessage("hi")]


def test_a_counter_by_name_is_not_missed(caplog: pytest.LogCaptureFixture) -> None:
    """The name is enough; with prices of one's own it is not."""
    named = ContextMemoryBuffer.from_defaults(counter="gpt-4o")
    assert named.to_dict()["counter"] == "gpt-4o"
    assert "token" not in named.to_dict()
    assert ContextMemoryBuffer.from_dict(elsewhere(named.to_dict())).counter is not None
    assert caplog.text == ""
    exact = TokenCounter.for_model("gpt-4o")
    own = ContextMemoryBuffer.from_defaults(
        counter=TokenCounter(exact.tokenizer, framing=Framing(media=MediaFraming(image=85)), model="gpt-4o")
    )
    with caplog.at_level(logging.WARNING, logger="ctx_core"):
        ContextMemoryBuffer.from_dict(elsewhere(own.to_dict()))
    assert "restored without its counter" in caplog.text


def test_a_copy_in_the_process_keeps_code(words: TokenCounter) -> None:
    """`deepcopy` shares what counts and what is logged to."""
    log = UsageLog()
    memory = ContextMemoryBuffer.from_defaults([ChatMessage("hi")], counter=words, usage_log=log)
    other = copy.deepcopy(memory)
    other.get()
    assert (other.counter, other.usage_log) == (words, log)
    assert (len(log.entries), memory.last_report) == (1, None)


def test_calls_of_a_client_become_plain() -> None:
    """Objects in `additional_kwargs` come back as dicts, and are the same calls."""
    selection = ToolSelection(tool_id="1", tool_name="f", tool_kwargs={"a": 1})
    call = ChatMessage(role="assistant", additional_kwargs={"tool_calls": [selection]})
    memory = ContextMemoryBuffer.from_defaults(
        [ChatMessage("go", role="user"), call, ChatMessage("r", role="tool", additional_kwargs={"tool_call_id": "1"})]
    )
    restored = ContextMemoryBuffer.from_string(memory.to_string())
    assert restored.get_all()[1].additional_kwargs["tool_calls"] == [selection.model_dump()]
    memory.get()
    restored.get()
    assert memory.last_report == restored.last_report


def test_what_json_cannot_hold_is_described(caplog: pytest.LogCaptureFixture) -> None:
    """The conversation is stored all the same, with a warning that quotes nothing."""
    circular: dict[str, Any] = {"secret": "s3cret"}
    circular["self"] = circular
    message = ChatMessage(
        role="user",
        blocks=[TextBlock(text="see"), ImageBlock(url="https://example.org/a.png", detail="low")],
        additional_kwargs={"client": object(), "circular": circular, "raw": b"\xff", "set": {1}, "role": Role.USER},
    )
    memory = ContextMemoryBuffer.from_defaults([ChatMessage("hi"), message])
    with caplog.at_level(logging.WARNING, logger="ctx_core"):
        restored = ContextMemoryBuffer.from_string(memory.to_string()).get_all()
    assert "1 of 2 messages hold what JSON cannot" in caplog.text
    assert "s3cret" not in caplog.text
    assert restored[1].blocks == message.blocks
    assert restored[1].additional_kwargs == {
        "client": "[object]",
        "circular": {"secret": "s3cret", "self": "[dict]"},
        "raw": "/w==",
        "set": [1],
        "role": "user",
    }


def test_a_stream_is_stored_by_its_content() -> None:
    """A picture in a stream is read as a whole, wherever the stream stands."""
    stream = io.BytesIO(PNG)
    stream.read()
    memory = ContextMemoryBuffer.from_defaults(
        [ChatMessage(role="user", blocks=[ImageBlock(image=stream, image_mimetype="image/png")])]
    )
    (message,) = ContextMemoryBuffer.from_string(memory.to_string()).get_all()
    assert message.blocks == [ImageBlock(image=PNG, image_mimetype="image/png")]


def test_legacy_images_are_stored_once() -> None:
    """`additional_kwargs["images"]` became blocks when the message was made, and must not become blocks again."""
    import base64

    message = ChatMessage(
        "see", role="user", additional_kwargs={"images": [ImageDocument(image=base64.b64encode(PNG).decode())], "n": 1}
    )
    assert len(message.blocks) == 2
    (restored,) = ContextMemoryBuffer.from_string(ContextMemoryBuffer.from_defaults([message]).to_string()).get_all()
    assert restored.blocks == message.blocks
    assert restored.additional_kwargs == {"n": 1}


@pytest.mark.parametrize(
    ("messages", "error"),
    [
        ("text", "messages must be a list, found str"),
        ([{"role": "user", "blocks": []}, 7], "message 2 of 2: expected a ChatMessage, found int"),
        (
            [{"role": "critic", "blocks": [{"block_type": "text", "text": "s3cret"}]}],
            "message 1 of 1 cannot be read; wrong in it: role",
        ),
        ([{"role": "user", "blocks": [{"block_type": "text", "text": {"s3cret": 1}}]}], r"blocks\.0\.text\.text"),
    ],
)
def test_damaged_data_is_an_error_without_content(messages: object, error: str) -> None:
    """It says where the damage is, and quotes nothing."""
    data = {**ContextMemoryBuffer.from_defaults().to_dict(), "messages": messages}
    with pytest.raises(ValueError, match=error) as caught:
        ContextMemoryBuffer.from_dict(data)
    assert "s3cret" not in str(caught.value)


def test_a_damaged_state_is_forgotten() -> None:
    """It is only ever a hint."""
    data = ContextMemoryBuffer.from_defaults([ChatMessage("hi")]).to_dict()
    for state in ({"version": 99}, {"start": "x"}, None, 3):
        assert ContextMemoryBuffer.from_dict({**data, "state": state}).get() == [ChatMessage("hi")]


def test_it_has_a_json_schema() -> None:
    """Tools that describe models can describe it."""
    schema = ContextMemoryBuffer.model_json_schema()
    assert {"messages", "budget", "policy", "state"} <= set(schema["properties"])


def test_an_unknown_field_is_refused() -> None:
    """Data of something else are not taken for a memory."""
    with pytest.raises(ValueError, match="tokenlimit"):
        ContextMemoryBuffer.from_dict({"tokenlimit": 5})


def test_reading_leaves_the_data_alone() -> None:
    """The same dict can be read twice."""
    data = ContextMemoryBuffer.from_defaults([ChatMessage("hi")]).to_dict()
    before = copy.deepcopy(data)
    assert ContextMemoryBuffer.from_dict(data) == ContextMemoryBuffer.from_dict(data)
    assert data == before


def test_the_messages_of_a_store_come_along(caplog: pytest.LogCaptureFixture) -> None:
    """Without the store the conversation goes on in the memory; with it, the store is what counts."""
    store = SimpleChatStore()
    memory = ContextMemoryBuffer.from_defaults([ChatMessage("hi")], chat_store=store, session_id="eva")
    data = elsewhere(memory.to_dict())
    with caplog.at_level(logging.WARNING, logger="ctx_core"):
        alone = ContextMemoryBuffer.from_dict(data)
    assert "restored without its chat_store" in caplog.text
    assert alone.get_all() == [ChatMessage("hi")]
    store.add_message("eva", ChatMessage("said meanwhile"))
    attached = ContextMemoryBuffer.from_dict(data, chat_store=store)
    assert attached.messages == []
    assert attached.get_all() == [ChatMessage("hi"), ChatMessage("said meanwhile")]


def test_a_restored_conversation_does_not_go_on_in_the_store_of_another(caplog: pytest.LogCaptureFixture) -> None:
    """The memory that was stored lives on in this process, and its store is its own."""
    store = SimpleChatStore()
    memory = ContextMemoryBuffer.from_defaults([ChatMessage("hi")], chat_store=store)
    older = memory.to_dict()
    memory.put(ChatMessage("said later"))
    restored = ContextMemoryBuffer.from_dict(older)
    restored.put(ChatMessage("said here"))
    assert [message.content for message in restored.get_all()] == ["hi", "said here"]
    assert [message.content for message in memory.get_all()] == ["hi", "said later"]
    assert "restored without its chat_store" in caplog.text
    restored.reset()
    assert len(store.get_messages("chat_history")) == 2


def test_a_store_that_can_be_pickled_goes_along() -> None:
    """A pickled memory over a `SimpleChatStore` has a copy of the store."""
    memory = ContextMemoryBuffer.from_defaults([ChatMessage("hi")], chat_store=SimpleChatStore())
    restored: ContextMemoryBuffer = pickle.loads(pickle.dumps(memory))  # noqa: S301 - just written
    assert isinstance(restored.chat_store, SimpleChatStore)
    assert restored.get_all() == [ChatMessage("hi")]
    restored.put(ChatMessage("more"))
    assert len(memory.get_all()) == 1


class Connected(SimpleChatStore):
    """A store that can be neither pickled nor copied, as one with a connection."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Refuse."""
        msg = "a connection"
        raise TypeError(msg)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Connected:
        """Refuse."""
        msg = "a connection"
        raise TypeError(msg)


def test_a_store_that_cannot_be_pickled_leaves_its_messages(caplog: pytest.LogCaptureFixture) -> None:
    """The conversation is in the pickle, and the log tells that the store is not."""
    memory = ContextMemoryBuffer.from_defaults([ChatMessage("hi")], chat_store=Connected())
    with caplog.at_level(logging.WARNING, logger="ctx_core"):
        pickled = pickle.dumps(memory)
        del memory
        gc.collect()
        restored: ContextMemoryBuffer = pickle.loads(pickled)  # noqa: S301 - just written
    assert "cannot be pickled" in caplog.text
    assert restored.chat_store is None
    assert restored.get_all() == [ChatMessage("hi")]


def test_a_store_that_cannot_be_copied_is_shared() -> None:
    """Two memories over one connection see one conversation; other stores are copied."""
    memory = ContextMemoryBuffer.from_defaults([ChatMessage("hi")], chat_store=Connected())
    assert copy.deepcopy(memory).chat_store is memory.chat_store
    simple = ContextMemoryBuffer.from_defaults([ChatMessage("hi")], chat_store=SimpleChatStore())
    other = copy.deepcopy(simple)
    other.put(ChatMessage("more"))
    assert len(simple.get_all()) == 1


def test_a_subclass_comes_back_as_itself() -> None:
    """With its own fields."""
    memory = NamedMemory.from_defaults([ChatMessage("hi")])
    memory.label = "mine"
    for restored in (
        NamedMemory.from_dict(memory.to_dict()),
        copy.deepcopy(memory),
        pickle.loads(pickle.dumps(memory)),  # noqa: S301 - just written
    ):
        assert isinstance(restored, NamedMemory)
        assert restored.label == "mine"


class NamedMemory(ContextMemoryBuffer):
    """A memory with a field more."""

    label: str = ""


def test_a_message_that_cannot_be_read_is_refused_on_the_way_in() -> None:
    """A restored conversation is checked as a given one is."""
    data = ContextMemoryBuffer.from_defaults([ChatMessage("hi", role="assistant")]).to_dict()
    data["messages"][0]["additional_kwargs"] = {"tool_calls": "no list"}
    with pytest.raises(ValueError, match="must be a list"):
        ContextMemoryBuffer.from_dict(data)
    with pytest.raises(MessageError):
        ContextMemoryBuffer.from_defaults(
            [ChatMessage("hi", role="assistant", additional_kwargs={"tool_calls": "no list"})]
        )


def test_a_restored_memory_remembers_its_next_cuts() -> None:
    """Each once, and the beginning of the prompt stays the same in between."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=1_000, counter="gpt-4o")
    starts: list[int] = []
    cuts = 0
    for turn in range(60):
        if turn % 30 == 29:
            memory = ContextMemoryBuffer.from_dict(memory.to_dict())
        memory.put(ChatMessage(f"Question {turn}? {'word ' * 20}", role="user"))
        memory.get()
        assert memory.last_report is not None
        cuts += memory.last_report.history.cut
        starts.append(memory.state.start)
        memory.put(ChatMessage(f"Answer. {'word ' * 20}", role="assistant"))
    assert cuts == len(set(starts)) - 1 > 3
