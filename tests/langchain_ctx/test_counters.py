"""What LangChain takes as a `token_counter`, as the counter of a surface."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.utils import count_tokens_approximately

from ctx_core import BudgetError, ContextBuilder, TokenCounter, TokenizerError, fit
from langchain_ctx import BudgetedChatMessageHistory, ContextRunnable, InMemoryHistory, message_counter, token_counter
from langchain_ctx.counters import counter_of
from llamaindex_ctx import ContextMemoryBuffer
from tests.langchain_ctx.echo import EchoModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def per_message(messages: Sequence[BaseMessage]) -> int:
    """Count a message by its words, with two for each and five for the request."""
    return 5 + sum(2 + len(str(message.content).split()) for message in messages)


def list_of_them(things: list[BaseMessage]) -> int:
    """Count the same; only the type of what it takes tells."""
    return per_message(things)


def failing(messages: Sequence[BaseMessage]) -> int:
    """Raise on everything."""
    raise RuntimeError(len(messages))


class Counting(EchoModel):
    """A model of no known family that counts in its own way."""

    def get_num_tokens_from_messages(self, messages: list[BaseMessage], tools: Any = None) -> int:
        """Count."""
        del tools
        return per_message(messages)


TALK = [
    SystemMessage("Be brief."),
    *(
        message
        for day in range(30)
        for message in (
            HumanMessage(f"When does the last ferry leave on day {day}?"),
            AIMessage("", tool_calls=[{"name": "look", "args": {"day": day}, "id": f"c{day}", "type": "tool_call"}]),
            ToolMessage("16:40, from the north pier, if the wind allows.", tool_call_id=f"c{day}"),
            AIMessage("At 16:40."),
        )
    ),
    HumanMessage("And tomorrow?"),
]


@pytest.mark.parametrize(
    ("counter", "function"),
    [
        ("approximate", count_tokens_approximately),
        (count_tokens_approximately, count_tokens_approximately),
        (
            partial(count_tokens_approximately, chars_per_token=3),
            partial(count_tokens_approximately, chars_per_token=3),
        ),
        (per_message, per_message),
        (list_of_them, per_message),
        (Counting(), per_message),
        (Counting().bind(stop=["x"]), per_message),
        (Counting().get_num_tokens_from_messages, per_message),
        (token_counter(str.__len__), token_counter(str.__len__)),
    ],
)
@pytest.mark.parametrize("configured", [False, True])
def test_messages_are_counted_as_the_function_counts_them(
    counter: Any,
    function: Any,
    configured: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """What is sent fits by the function's own figure, which the report says too."""
    limit = function(TALK) // 3
    if configured:
        context = ContextRunnable(limit, counter="gpt-4o").preview(TALK, {"configurable": {"counter": counter}})
    else:
        context = ContextRunnable(limit, counter=counter).preview(TALK)
    assert len(context.messages) < len(TALK)
    assert context.report.used == function(context.messages) <= limit


def test_histories_take_them_too() -> None:
    """A store of a session is cut by the function."""
    store = InMemoryHistory()
    store.add_messages(TALK)
    limit = per_message(TALK) // 2
    assert 0 < per_message(BudgetedChatMessageHistory(store, limit, counter=per_message).messages) <= limit


def test_a_function_of_a_text_stays_one() -> None:
    """A model's `get_num_tokens` and `len` are given texts."""
    assert ContextRunnable(8_000, counter=len).counter.count_text("four") == 4
    assert counter_of(TokenCounter.for_model("gpt-4o").count_text).count_text("four") == 1


@pytest.mark.parametrize(
    "counter",
    [
        EchoModel(model_name="gpt-4o"),
        EchoModel(model_name="gpt-4o").with_retry(),
        EchoModel(model_name="gpt-4o").get_num_tokens_from_messages,
        Counting(model_name="gpt-4o"),
    ],
)
def test_a_model_of_a_known_family_counts_as_that(counter: Any) -> None:
    """Its bills are known better than its client counts."""
    assert counter_of(counter) == TokenCounter.for_model("gpt-4o")


def test_a_model_that_says_nothing_is_refused_with_what_to_give() -> None:
    """LangChain would count by GPT-2's vocabulary."""
    with pytest.raises(BudgetError, match="EchoModel says neither its model's name nor how it counts: give counter="):
        ContextRunnable(8_000, counter=EchoModel(model_name=""))


def test_a_function_that_fails_is_named_at_once() -> None:
    """The error quotes no message."""
    with pytest.raises(TokenizerError, match=r"counter failing raised RuntimeError on 1 message"):
        message_counter(failing)
    with pytest.raises(TokenizerError, match=r"gave str for messages"):
        message_counter(lambda _: "many")  # type: ignore[arg-type, return-value]  # the point
    with pytest.raises(BudgetError, match="a function of a list of messages, found int"):
        message_counter(3)  # type: ignore[arg-type]  # the point


@pytest.mark.parametrize("counter", ["approximate", count_tokens_approximately, per_message, list_of_them])
def test_elsewhere_they_are_refused_with_the_words_that_help(counter: Any) -> None:
    """Without LangChain's messages a function of them would count each character of a text as one."""
    made: Iterable[Any] = (
        lambda: fit([{"role": "user", "content": "Hi"}], 500, counter=counter),
        lambda: ContextBuilder(500, counter),
        lambda: ContextMemoryBuffer.from_defaults(token_limit=500, counter=counter),
    )
    for make in made:
        with pytest.raises(BudgetError, match=r"counts lists of messages.*'gpt-4o'.*langchain_ctx\.message_counter"):
            make()


def test_a_counter_of_messages_goes_everywhere() -> None:
    """In the core it is shown LangChain's messages too."""
    counter = message_counter(per_message)
    context = fit([{"role": "user", "content": "one two three"}], 500, counter=counter)
    assert context.report.used == per_message([HumanMessage("one two three")])


def test_a_model_object_is_taken_for_its_name_in_the_core() -> None:
    """As a budget takes it."""
    assert (
        fit([{"role": "user", "content": "Hi"}], 500, counter=EchoModel(model_name="gpt-4o")).report.model == "gpt-4o"
    )
