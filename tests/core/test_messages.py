"""The neutral message."""

from __future__ import annotations

import pytest

from ctx_core import Message, Role, ToolCall
from ctx_core.conversation.parts import CitationPart, ImagePart, OpaquePart, ReasoningPart, TextPart


@pytest.mark.parametrize(
    ("role", "instructs"),
    [(Role.SYSTEM, True), (Role.DEVELOPER, True), (Role.USER, False), (Role.ASSISTANT, False), (Role.TOOL, False)],
)
def test_system_and_developer_messages_instruct(role: Role, instructs: bool) -> None:  # noqa: FBT001 - a table's column
    """Instructions are told from what is said in the talk."""
    assert role.instructs is instructs


@pytest.mark.parametrize(
    ("message", "role"),
    [
        (Message.system("hi"), Role.SYSTEM),
        (Message.user("hi"), Role.USER),
        (Message.assistant("hi"), Role.ASSISTANT),
        (Message.tool("hi", tool_call_id="c1"), Role.TOOL),
    ],
)
def test_messages_are_made_by_role(message: Message, role: Role) -> None:
    """Each role has its own constructor."""
    assert (message.role, message.text) == (role, "hi")


def test_an_empty_text_is_no_part() -> None:
    """An empty content and no content are the same."""
    assert Message.user("").parts == Message.assistant().parts == ()


def test_the_text_is_that_of_the_text_parts() -> None:
    """Reasoning, citations and media are not what is said."""
    parts = (ReasoningPart("hm"), TextPart("one "), ImagePart(url="u"), CitationPart("q"), TextPart("two"))
    assert Message(role=Role.USER, parts=parts).text == "one two"


def test_with_text_puts_the_text_in_the_place_of_the_first() -> None:
    """Media stay where they are, other texts go."""
    image = ImagePart(url="u")
    message = Message(role=Role.USER, parts=(image, TextPart("one"), TextPart("two"))).with_text("new")
    assert message.parts == (image, TextPart("new"))


def test_with_text_adds_it_where_there_was_none() -> None:
    """A message of media gets its text behind them."""
    image = ImagePart(url="u")
    assert Message(role=Role.USER, parts=(image,)).with_text("new").parts == (image, TextPart("new"))


def test_with_only_text_drops_everything_else() -> None:
    """A placeholder stands for the media too."""
    message = Message(role=Role.TOOL, parts=(ImagePart(url="u"), TextPart("one")), tool_call_id="c1")
    assert message.with_only_text("gone").parts == (TextPart("gone"),)


def test_without_calls_drops_the_blocks_that_spell_them_again() -> None:
    """A call goes wherever it is written; its neighbors stay."""
    calls = (ToolCall(name="f", id="c1"), ToolCall(name="f", id="c2"))
    blocks = (OpaquePart(kind="tool_use", call_id="c1"), OpaquePart(kind="tool_use", call_id="c2"), TextPart("hm"))
    message = Message(role=Role.ASSISTANT, parts=blocks, tool_calls=calls).without_calls(frozenset({0}))
    assert message.tool_calls == (calls[1],)
    assert message.parts == blocks[1:]


def test_without_calls_keeps_the_block_of_a_call_with_the_same_id() -> None:
    """Where an id repeats, the block goes only with the last call of it."""
    calls = (ToolCall(name="f", id="c1"), ToolCall(name="g", id="c1"))
    block = OpaquePart(kind="tool_use", call_id="c1")
    message = Message(role=Role.ASSISTANT, parts=(block,), tool_calls=calls)
    assert message.without_calls(frozenset({0})).parts == (block,)
    assert message.without_calls(frozenset({0, 1})).parts == ()


def test_without_reasoning_drops_it() -> None:
    """The answer stays."""
    message = Message(role=Role.ASSISTANT, parts=(ReasoningPart("hm"), TextPart("yes")))
    assert message.without_reasoning().parts == (TextPart("yes"),)


def test_without_reasoning_gives_itself_where_there_is_none() -> None:
    """What needs no change is the same object."""
    message = Message.assistant("yes")
    assert message.without_reasoning() is message


@pytest.mark.parametrize(
    "changed",
    [
        Message.user("a").with_text("b"),
        Message.user("a").with_only_text("b"),
        Message.assistant("a").without_calls(frozenset()),
        Message(role=Role.ASSISTANT, parts=(ReasoningPart("hm"),)).without_reasoning(),
    ],
)
def test_a_changed_copy_says_so(changed: Message) -> None:
    """The door writes a copy of what is altered, and nothing else."""
    assert changed.altered


def test_equality_is_by_what_it_says() -> None:
    """Where a message came from, and whether it was changed on the way, is not what it is."""
    assert Message.user("a") == Message(role=Role.USER, parts=(TextPart("a", raw="a"),), origin=object(), altered=True)
    assert Message.user("a") != Message.system("a")


def test_messages_can_be_hashed() -> None:
    """They are frozen all through."""
    assert len({Message.user("a"), Message.user("a"), Message.user("b")}) == 2


@pytest.mark.parametrize(
    "thing",
    [
        Message.assistant("secret", tool_calls=(ToolCall(name="f", arguments='{"q": "secret"}', id="c1"),)),
        Message(role=Role.USER, parts=(ImagePart(url="secret", data="secret"),), origin="secret"),
        ToolCall(name="f", arguments="secret"),
        TextPart("secret", raw="secret"),
        ReasoningPart("secret"),
        CitationPart("secret"),
        OpaquePart(text="secret"),
        ImagePart(url="secret", data="secret", raw="secret"),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_a_repr_says_nothing_of_the_content(thing: object) -> None:
    """I8: what a log or a traceback may show are kinds and sizes."""
    assert "secret" not in repr(thing)


def test_a_repr_says_what_it_is() -> None:
    """Role, parts, characters and calls can be told from it."""
    message = Message.assistant("four", tool_calls=(ToolCall(name="f", id="c1"),))
    assert repr(message) == "<assistant message, 1 parts, 4 characters, 1 tool calls>"
