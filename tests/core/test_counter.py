"""What a request costs: texts, frames, calls, media and tools."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from ctx_core import BudgetError, Framing, Message, Role, TokenCounter, ToolCall
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.conversation.parts import (
    AudioPart,
    CitationPart,
    FilePart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    VideoPart,
)
from ctx_core.counting import CallFraming, FourCharacters, MediaFraming, MessageFraming, Words, as_counter
from ctx_core.counting.vocabulary import tiktoken_encoding
from tests.contract.conversations import conversations

LETTERS = TokenCounter(len, framing=Framing.free())
"""A token a character and nothing else."""


@pytest.mark.parametrize(
    ("part", "tokens"),
    [
        (TextPart("four"), 4),
        (TextPart(""), 0),
        (ReasoningPart("four", raw={"signature": "s" * 999}), 4),
        (CitationPart("four"), 4),
        (OpaquePart(kind="search_result", text="four"), 4),
        (OpaquePart(kind="tool_use", call_id="c1"), 0),
        (OpaquePart(kind="tool_use", text="four", call_id="c1"), 0),
        (FilePart(text="four"), 4),
    ],
)
def test_texts_in_parts_are_counted(part: Part, tokens: int) -> None:
    """What the model reads counts; signatures, and calls that are written twice, do not."""
    assert LETTERS.count_message(Message(role=Role.ASSISTANT, parts=(part,))) == tokens


@pytest.mark.parametrize(
    ("part", "tokens"),
    [
        (ImagePart(data="A" * 10_000), 1_000),
        (AudioPart(data="A" * 10_000), 1_500),
        (VideoPart(), 8_000),
        (FilePart(), 3_000),
    ],
)
def test_media_have_a_price(part: Part, tokens: int) -> None:
    """A payload's length has nothing to do with it."""
    counter = TokenCounter(len)
    assert counter.count_message(Message(role=Role.USER, parts=(part,))) == 4 + tokens


def test_prices_can_be_set() -> None:
    """Each of a framing's figures is the user's to change."""
    framing = Framing(
        messages=MessageFraming(per_message=1, per_name=2, per_assistant=7),
        calls=CallFraming(per_call=3),
        media=MediaFraming(image=5),
    )
    counter = TokenCounter(len, framing=framing)
    call = ToolCall(name="ab", arguments="{}", id="c1")
    message = Message(role=Role.ASSISTANT, name="x", parts=(ImagePart(url="u"),), tool_calls=(call,))
    assert counter.count_message(message) == 1 + 7 + (2 + 1) + 5 + (3 + 2 + 2)


def test_text_parts_are_counted_as_one_text() -> None:
    """Providers join them before they encode: three halves are two tokens of four characters."""
    parts = (TextPart("ab"), TextPart("cd"), TextPart("ef"))
    assert (
        TokenCounter(FourCharacters(), framing=Framing.free()).count_message(Message(role=Role.USER, parts=parts)) == 2
    )


def test_an_empty_text_is_not_asked_for() -> None:
    """A tokenizer that gives 1 for nothing does not make empty messages dearer."""
    assert TokenCounter(Words(), framing=Framing.free()).count_message(Message.user("")) == 0


def test_ids_cost_nothing() -> None:
    """Neither a message's nor a call's is billed."""
    call = ToolCall(name="f", arguments="{}", id="call_" + "x" * 99)
    message = Message(role=Role.ASSISTANT, id="msg_" + "x" * 99, tool_calls=(call,))
    assert LETTERS.count_message(message) == 3
    assert LETTERS.count_message(Message.tool("four", tool_call_id="call_" + "x" * 99)) == 4


def test_the_legacy_call_is_counted() -> None:
    """Its name and its arguments are text as any call's."""
    native = {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": '{"a": 1}'}}
    assert LETTERS.count_messages([native]) == 4 + 8


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4", "o3"])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(("system", "user", "assistant")),
            st.text(max_size=50),
            st.sampled_from((None, None, "ana", "Weather Bot")),
        ),
        max_size=6,
    )
)
def test_openais_text_rule(model: str, rows: list[tuple[str, str, str | None]]) -> None:
    """A request of text costs the primer, and 4 and its encoded content a message, and 1 and its name."""
    vocabulary = "cl100k_base" if model == "gpt-4" else "o200k_base"
    assert tiktoken_encoding(vocabulary).count("") == 0  # our loader finds it for tiktoken
    encoding = tiktoken.get_encoding(vocabulary)
    reasons = model == "o3"
    messages: list[dict[str, Any]] = []
    bill = 2 if reasons else 3
    for role, content, name in rows:
        messages.append({"role": role, "content": content} | ({} if name is None else {"name": name}))
        bill += 4 + len(encoding.encode_ordinary(content)) + (2 if reasons and role == "assistant" else 0)
        bill += 0 if name is None else 1 + len(encoding.encode_ordinary(name))
    counter = TokenCounter.for_model(model)
    assert counter.without_margin.count_messages(messages) == bill
    assert bill <= counter.count_messages(messages) <= bill + 5


TOOL = {"type": "function", "function": {"name": "f", "description": "Does it.", "parameters": {"type": "object"}}}


def test_tools_are_counted_by_their_json() -> None:
    """Compact JSON, 12 a tool, and 30 once."""
    text = '{"type":"function","function":{"name":"f","description":"Does it.","parameters":{"type":"object"}}}'
    assert TokenCounter(len).count_tools([TOOL, TOOL]) == 2 * (12 + len(text)) + 30


def test_no_tools_cost_nothing() -> None:
    """The surcharge is for requests that have some."""
    assert TokenCounter(len).count_tools([]) == 0


def test_tools_in_other_scripts_are_counted_as_they_are() -> None:
    """No character becomes six."""
    tool = {"name": "查"}
    assert LETTERS.count_tools([tool]) == len('{"name":"查"}')


@pytest.mark.parametrize(
    ("tool", "found"),
    [
        ("search", r"tool 2 must be a tool definition \(a dict\), found str"),
        (len, r"tool 2 must be a tool definition \(a dict\), found builtin_function_or_method"),
        ({"f": object()}, r"tool 2 cannot be written as JSON \(object\)"),
    ],
)
def test_what_is_no_tool_is_refused(tool: Any, found: str) -> None:
    """The error says which one, and why."""
    with pytest.raises(BudgetError, match=found):
        LETTERS.count_tools([TOOL, tool])


def test_a_circular_tool_is_refused() -> None:
    """What holds itself cannot be sent."""
    circle: dict[str, Any] = {}
    circle["me"] = circle
    with pytest.raises(BudgetError, match=r"tool 1 cannot be written as JSON"):
        LETTERS.count_tools([circle])


@given(conversations())
def test_counting_is_additive(messages: list[dict[str, Any]]) -> None:
    """A request is its primer, its tools and its messages; only results of calls made at once know their company."""
    counter = TokenCounter.for_model("gpt-4o")
    apart, parallel = 0, False
    neutral = list(map(OpenAICodec().read, messages))
    for message in neutral:
        parallel = parallel if message.role is Role.TOOL else len(message.tool_calls) > 1
        apart += counter.count_message(message, parallel=parallel)
    assert counter.count_messages(messages, tools=[TOOL]) == counter.primer + counter.count_tools([TOOL]) + apart
    assert counter.count_messages(neutral) == counter.count_messages(messages), "the door changes a count"
    single = [message for message in messages if message["role"] not in {"tool", "function"}]
    assert counter.count_messages(single[::-1]) == counter.count_messages(single)


@pytest.mark.parametrize(
    "spec",
    [FourCharacters(), FourCharacters().count, TokenCounter(FourCharacters())],
    ids=["object", "function", "counter"],
)
def test_counters_of_every_kind_are_understood(spec: Any) -> None:
    """A counter, a tokenizer, and a plain function."""
    assert as_counter(spec).count_text("x" * 8) == 2


def test_a_counter_is_taken_as_it_is() -> None:
    """It is not wrapped again."""
    counter = TokenCounter(len)
    assert as_counter(counter) is counter


def test_a_name_is_a_model() -> None:
    """And nothing at all is a model that nobody knows."""
    assert as_counter("gpt-4o") == TokenCounter.for_model("gpt-4o")
    assert as_counter(None).tokenizer is TokenCounter.for_model("").tokenizer


@pytest.mark.parametrize("spec", [3, object(), b"gpt-4o", ["gpt-4o"], ("gpt-4o",)])
def test_what_counts_nothing_is_refused(spec: Any) -> None:
    """The error names what was found; a list has a `count` too, but of another kind."""
    with pytest.raises(BudgetError, match=f"found {type(spec).__name__}"):
        as_counter(spec)


def test_counters_can_be_hashed_copied_and_pickled() -> None:
    """They are values."""
    counter = TokenCounter.for_model("gpt-4o")
    assert hash(counter) == hash(copy.deepcopy(counter))
    assert copy.deepcopy(counter) == counter
    arrived = pickle.loads(pickle.dumps(counter))  # noqa: S301 - our own bytes
    assert arrived.count_text("tide") == counter.count_text("tide")
    assert (arrived.framing, arrived.model) == (counter.framing, counter.model)


def test_the_free_framing_costs_nothing() -> None:
    """Not even a picture or a tool."""
    call = ToolCall(name="", arguments="")
    message = Message(
        role=Role.ASSISTANT, name=None, parts=(ImagePart(), VideoPart(), AudioPart(), FilePart()), tool_calls=(call,)
    )
    assert LETTERS.count_messages([message]) == 0
    assert LETTERS.count_tools([{}]) == 2
