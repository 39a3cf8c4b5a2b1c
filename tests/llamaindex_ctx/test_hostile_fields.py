"""LlamaIndex's messages whose fields were set to anything: each is sent, or refused with words, at every door."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pytest
from llama_index.core.base.llms.types import (
    AudioBlock,
    CacheControl,
    CachePoint,
    ChatMessage,
    ChatResponse,
    CitableBlock,
    CitationBlock,
    DocumentBlock,
    ImageBlock,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    VideoBlock,
)
from llama_index.core.llms import MockLLM
from llama_index.core.storage.chat_store import SimpleChatStore
from typing_extensions import override

from ctx_core import BudgetError, ContextSession, MessageError
from llamaindex_ctx import ContextMemoryBuffer, with_context_budget
from tests.hostile import ONE_OF_EACH, VALUES, works_or_refuses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

DATA: Final = b"aGVsbG8="
BLOCKS: Final[list[Any]] = [
    TextBlock(text="t"),
    ImageBlock(image=DATA, image_mimetype="image/png"),
    AudioBlock(audio=DATA, format="wav"),
    VideoBlock(video=DATA, video_mimetype="video/mp4"),
    DocumentBlock(data=DATA, title="d", document_mimetype="text/plain"),
    ThinkingBlock(content="c"),
    ToolCallBlock(tool_call_id="1", tool_name="f", tool_kwargs={}),
    CachePoint(cache_control=CacheControl(type="ephemeral")),
    CitableBlock(title="t", source="s", content=[TextBlock(text="x")]),
    CitationBlock(cited_content=TextBlock(text="x"), source="s", title="t", additional_location_info={}),
]
ROLES: Final = ("user", "assistant", "tool", "system")


def conversations(value: Any) -> Iterator[Any]:
    """Give conversations with a value in every field of every block and message."""
    asked, go = ChatMessage("a"), ChatMessage("z")
    result = ChatMessage("r", role="tool", additional_kwargs={"tool_call_id": "1"})
    for block in BLOCKS:
        kind = type(block)
        wrong = [kind.model_construct(**{**block.__dict__, field: value}) for field in kind.model_fields]
        for one in (*wrong, kind.model_construct()):
            yield [asked, ChatMessage("w", role="assistant").model_copy(update={"blocks": [one]}), result, go]
    for role in ROLES:
        message = ChatMessage("t", role=role)
        updates: list[dict[str, Any]] = [{field: value} for field in ("role", "blocks", "additional_kwargs")]
        for update in (*updates, {"blocks": [value]}, {"role": role}):
            yield [asked, message.model_copy(update=update), go]
        yield [asked, ChatMessage.model_construct(role=MessageRole(role)), go]
        for key in ("tool_calls", "function_call", "tool_call_id", "name", "thinking", "thought_signatures"):
            for extra in (value, [value], [{"id": value, "function": {"name": value, "arguments": value}}]):
                yield [asked, ChatMessage("t", role=role, additional_kwargs={key: extra}), go]
    yield from ([value], value)


class Quiet(MockLLM):
    """An LLM that does not look at what it is sent."""

    @override
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return ChatResponse(message=ChatMessage("x", role="assistant"))


def memory(**options: Any) -> ContextMemoryBuffer:
    """Make one."""
    given: dict[str, Any] = {"token_limit": 300, "counter": "gpt-4o", **options}
    return ContextMemoryBuffer.from_defaults(**given)


def filled(messages: Any, **options: Any) -> ContextMemoryBuffer:
    """Make one that holds messages."""
    made = memory(**options)
    made.put_messages(messages)
    return made


def from_store(messages: Any) -> None:
    """Take them from a store into which somebody has written."""
    store = SimpleChatStore()
    store.store["k"] = messages
    made = memory(chat_store=store, chat_store_key="k")
    made.get("q")
    made.get_all()


def as_input(messages: Any) -> None:
    """Ask each of them: no input ends a turn."""
    for message in messages if isinstance(messages, list) else [messages]:
        memory(chat_history=[ChatMessage("a")]).get(message)


DOORS: Final[dict[str, Callable[[Any], object]]] = {
    "put": lambda messages: filled(messages).get(),
    "set": lambda messages: memory().set(messages),
    "truncating": lambda messages: filled(messages, token_limit=60, on_overflow="truncate").get(),
    "given": lambda messages: memory(chat_history=messages).get(),
    "input": as_input,
    "a store": from_store,
    "a dump": lambda messages: ContextMemoryBuffer.from_string(filled(messages).to_string()).get(),
    "a pickle": lambda messages: pickle.loads(pickle.dumps(filled(messages))).get(),  # noqa: S301 - our own
    "a copy": lambda messages: copy.deepcopy(filled(messages)).get(),
    "an LLM": lambda messages: with_context_budget(Quiet(max_tokens=2, is_chat_model=True), 300).chat(messages),
}


@pytest.mark.parametrize("name", ONE_OF_EACH)
@pytest.mark.parametrize("door", DOORS)
def test_whatever_stands_in_a_field_is_sent_or_refused(name: str, door: str) -> None:
    """No other error comes out, and none that holds content or steers a terminal."""
    for messages in conversations(VALUES[name]):
        works_or_refuses(partial(DOORS[door], messages))


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_whatever_stands_in_a_dump_is_read_or_refused(name: str) -> None:
    """A memory's data, its messages, its budget, its key."""
    value: Any = VALUES[name]
    for data in (value, *({field: value} for field in ("messages", "budget", "state", "policy", "chat_store_key"))):
        works_or_refuses(partial(ContextMemoryBuffer.from_dict, data))
    works_or_refuses(lambda: ContextMemoryBuffer.from_string(value))
    works_or_refuses(lambda: ContextMemoryBuffer.from_defaults(tools=[value]))


@pytest.mark.parametrize(
    ("update", "said"),
    [
        ({"blocks": [5]}, "a content block must be one of LlamaIndex's, such as TextBlock, found int"),
        ({"blocks": 5}, "blocks of ChatMessage must be list or tuple, found int"),
        ({"blocks": [TextBlock.model_construct(text={})]}, "text of TextBlock must be str, found dict"),
        ({"blocks": [TextBlock.model_construct()]}, "TextBlock without text"),
        ({"additional_kwargs": None}, "additional_kwargs of ChatMessage must be dict or Mapping, found NoneType"),
    ],
)  # fmt: skip
def test_the_error_names_the_field(update: dict[str, Any], said: str) -> None:
    """With what is wrong in it."""
    with pytest.raises(MessageError, match=said):
        memory().put(ChatMessage("a").model_copy(update=update))


def test_what_json_cannot_hold_is_described_in_a_dump() -> None:
    """A number of thousands of digits, a key that is half of a pair; the rest is kept."""
    extras: dict[Any, Any] = {"n": 10**6_000, "\ud800": 1, 10**6_000: 2, "kept": 3}
    made = filled([ChatMessage("a").model_copy(update={"additional_kwargs": extras})])
    (read,) = ContextMemoryBuffer.from_string(made.to_string()).get_all()
    assert read.content == "a"
    assert read.additional_kwargs["kept"] == 3
    assert read.additional_kwargs["n"] == "[int of 19932 bits]"


@pytest.mark.parametrize("key", [5, {}, [1], None, object(), b"a"])
def test_a_name_of_a_conversation_is_a_text(key: Any) -> None:
    """Of a session and of a memory."""
    with pytest.raises(BudgetError, match="key must be a text"):
        ContextSession(budget=500, key=key)
    if key is not None and not isinstance(key, bytes):
        with pytest.raises(BudgetError, match="chat_store_key of a memory"):
            memory(chat_store_key=key or [1])
