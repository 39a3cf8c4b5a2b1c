"""Calls and results without ids, with the tool's name for one, in another order, twice."""

from __future__ import annotations

from typing import Any

import pytest

from ctx_core import HistoryPolicy, Message, ToolCall, ToolResultPolicy, WindowState, fit
from ctx_core.conversation.messages import Role
from ctx_core.conversation.parts import ImagePart, TextPart
from tests.core.builds import WORDS, texts

ASK = Message.user("what time is it?")


def calls(*made: tuple[str | None, str]) -> Message:
    """Make a message with calls, each of an id and a name."""
    return Message.assistant(tool_calls=tuple(ToolCall(id=one, name=name, arguments="{}") for one, name in made))


def says(text: str, call_id: str | None = None, name: str | None = None) -> Message:
    """Make a result."""
    return Message.tool(text, tool_call_id=call_id, name=name)


PAIRS: dict[str, tuple[list[Message], list[str]]] = {
    "the name as the id": ([calls((None, "clock")), says("14:05", "clock")], ["14:05"]),
    "an empty id on the call": ([calls(("", "clock")), says("14:05", "x1")], ["14:05"]),
    "an empty id on the result": ([calls(("x1", "clock")), says("14:05", "")], ["14:05"]),
    "empty ids on both": ([calls(("", "clock")), says("14:05", "")], ["14:05"]),
    "no ids, by place": ([calls((None, "a"), (None, "b")), says("1"), says("2")], ["1", "2"]),
    "no ids, by name, swapped": (
        [calls((None, "a"), (None, "b")), says("of b", name="b"), says("of a", name="a")],
        ["of b", "of a"],
    ),
    "names as ids, swapped": (
        [calls((None, "a"), (None, "b")), says("of b", "b"), says("of a", "a")],
        ["of b", "of a"],
    ),
    "an id of a call without one": (
        [calls((None, "a"), ("x2", "b")), says("of b", "x2"), says("of a", "x9")],
        ["of b", "of a"],
    ),
    "a name for a call with an id": (
        [calls(("x1", "a"), ("x2", "b")), says("of b", name="b"), says("of a", "x1")],
        ["of b", "of a"],
    ),
    "late, by name": (
        [calls((None, "a")), Message.user("go on"), Message.assistant("one moment"), says("of a", name="a")],
        ["of a"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PAIRS)
@pytest.mark.parametrize("remembers", [False, True])
def test_a_result_is_found_to_its_call(case: str, remembers: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """With room to spare, nothing is made up and nothing is lost."""
    messages, results = PAIRS[case]
    state = WindowState() if remembers else None
    context = fit([ASK, *messages], 1_000, counter=WORDS, provider="openai", state=state)
    sent = [message.text for message in context.messages if message.role is Role.TOOL]
    assert sent == results
    repairs = context.report.history.repairs
    assert not {"stubs", "orphans", "duplicates", "joined"} & set(repairs)


@pytest.mark.parametrize(
    ("messages", "orphans", "stubs"),
    [
        ([calls(("x1", "a")), says("?", "x2")], 1, 1),
        ([calls(("x1", "a")), says("?", "x2", "a")], 1, 1),
        ([calls((None, "a")), says("?", name="b")], 1, 1),
        ([says("?", name="a")], 1, 0),
    ],
)
def test_what_answers_nothing_is_left_out(messages: list[Message], orphans: int, stubs: int) -> None:
    """An id that no call has while each call has one; a name that no call has."""
    repairs = fit([ASK, *messages, Message.user("so?")], 1_000, counter=WORDS, provider="openai").report.history.repairs
    assert (repairs.get("orphans", 0), repairs.get("stubs", 0)) == (orphans, stubs)


def test_two_results_of_one_call_are_joined() -> None:
    """With a line break, in the place of the first; the call is answered once."""
    late = [Message.user("go on"), says("second", "x1")]
    context = fit([ASK, calls(("x1", "a")), says("first", "x1"), *late], 1_000, counter=WORDS, provider="openai")
    assert texts(context.messages)[2:] == ["first\nsecond", "go on"]
    assert context.report.history.repairs == {"joined": 1}


@pytest.mark.parametrize("second", ["first", ""])
def test_equal_ones_stand_once(second: str) -> None:
    """And one that says nothing adds nothing: the first is the caller's own object."""
    first = says("first", "x1")
    context = fit([ASK, calls(("x1", "a")), first, says(second, "x1")], 1_000, counter=WORDS, provider="openai")
    assert context.messages[-1] is first
    assert context.report.history.repairs == {"duplicates": 1}


def test_blocks_are_joined_in_order() -> None:
    """A picture stays a picture."""
    picture = ImagePart(url="https://x/y.png")
    blocks = Message(role=Role.TOOL, parts=(picture, TextPart("of it")), tool_call_id="x1")
    context = fit([ASK, calls(("x1", "a")), says("first", "x1"), blocks], 10_000, counter=WORDS, provider="openai")
    assert context.messages[-1].parts == (TextPart("first"), picture, TextPart("of it"))


def test_openai_dicts_are_joined_and_keep_their_fields() -> None:
    """A copy of the first with the text of both."""
    call = {"id": "x1", "type": "function", "function": {"name": "a", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "x1", "content": "first", "extra": 1},
        {"role": "tool", "tool_call_id": "x1", "content": "second"},
    ]
    context = fit(messages, 1_000, counter=WORDS, provider="openai")
    assert context.messages[-1] == {"role": "tool", "tool_call_id": "x1", "content": "first\nsecond", "extra": 1}
    assert messages[2]["content"] == "first"


def test_a_message_is_compared_with_all_that_share_its_id() -> None:
    """A third one that is a copy of the second, and not of the first, is a copy; with another answer it is a turn."""

    def said(*told: str) -> list[Message]:
        roles = (Role.USER, Role.ASSISTANT)
        return [Message(role=roles[at % 2], parts=(TextPart(text),), id=f"m{at % 2}") for at, text in enumerate(told)]

    again = fit(said("one", "a", "two", "b", "two", "b", "three"), 1_000, counter=WORDS, provider="openai")
    assert texts(again.messages) == ["one", "a", "two", "b", "three"]
    otherwise = fit(said("one", "a", "two", "b", "two", "c", "three"), 1_000, counter=WORDS, provider="openai")
    assert texts(otherwise.messages) == ["one", "a", "two", "b", "two", "c", "three"]


def test_pairing_is_linear() -> None:
    """Thousands of open calls and of results that answer none: each is compared with a few."""
    count = 3_000
    messages = [ASK]
    for at in range(count):
        messages += [calls((None, f"a{at}")), says("?", name=f"b{at}"), says("!", f"id{at}")]
    compared: list[int] = []

    class Name(str):
        """Counts how often it is compared."""

        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            compared.append(1)
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    messages[1] = calls((None, Name("watched")))
    fit([*messages, Message.user("so?")], 10_000_000, counter=WORDS, provider="openai")
    assert len(compared) < 500


@pytest.mark.parametrize(("call_id", "name"), [("c2", None), (None, "clock")], ids=["the same id", "the same name"])
def test_a_late_result_of_a_call_that_is_left_out_goes_with_it(call_id: str | None, name: str | None) -> None:
    """It is not taken for a second result of an older call that is kept, neither at the cut nor after it."""
    head = [ASK, calls((call_id, "clock")), says("14:05", call_id, name), Message.assistant("it is 14:05")]
    running = [calls((call_id, "clock")), calls(("c9", "map")), says("15:05 " * 50, call_id, name), says("near", "c9")]
    messages = [*head, Message.user("and now?"), *running]
    policy = HistoryPolicy(omission_marker=None, keep_first=3)
    first = fit(messages, 20, counter=WORDS, provider="openai", policy=policy, state=WindowState())
    again = fit(messages, 20, counter=WORDS, provider="openai", policy=policy, state=first.state)
    assert texts(first.messages) == ["what time is it?", "", "14:05", "and now?", "", "near"]
    assert again.messages == first.messages


def test_what_a_store_has_dropped_may_have_been_the_question() -> None:
    """Then nothing is left of the turn that was cut, and the request begins with the next."""
    run = [Message.user("c"), calls(("c1", "f")), says("result " * 30, "c1"), Message.assistant("d")]
    messages = [Message.user("a"), Message.assistant("b"), *run, ASK]
    policy = HistoryPolicy(omission_marker=None, start_with_user=False, results=ToolResultPolicy(overflow_share=1))
    state = fit(messages, 20, counter=WORDS, provider="openai", policy=policy, state=WindowState()).state
    assert (state.kept_before, state.start) == ((2,), 5)
    sent = [
        texts(fit(messages[at:], 20, counter=WORDS, policy=policy, state=state, provider="openai").messages)
        for at in (0, 1, 2, 3, 5)
    ]
    assert sent == [["c", "d", ASK.text]] * 3 + [[ASK.text], ["d", ASK.text]]
