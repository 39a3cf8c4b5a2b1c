"""What a summariser is given."""

from __future__ import annotations

from ctx_core import (
    Message,
    Role,
    Summarizing,
    ToolCall,
)
from ctx_core.summary_prompts import as_prompt, pieces
from tests.core.summaries import WORDS, Conversation, Notes, talk


def test_more_than_the_summariser_takes_goes_to_it_piece_by_piece() -> None:
    """Each piece is within the window and comes with the summary of those before it."""
    notes, conversation = Notes(), Conversation()
    context = conversation.ask(Summarizing(notes, window=100, counter=WORDS), talk(200))
    assert len(notes.calls) > 5
    assert all(sum(len(text.split()) for text in given) <= 100 for _, given in notes.calls)
    assert [summary for summary, _ in notes.calls[:3]] == ["", "notes 1", "notes 2"]
    assert notes.given == [message["content"] for message in talk(200)[: context.state.start]]
    assert context.state.summary == f"notes {len(notes.calls)}"


def test_a_message_over_the_window_loses_its_middle() -> None:
    """Head and tail of it are summarised, and it shares its piece with nobody."""
    long = Message.user(" ".join(f"w{at}" for at in range(1_000)))
    cut = pieces([Message.user("before"), long, Message.user("after")], 100, WORDS)
    assert [len(piece) for piece in cut] == [1, 1, 1]
    (middle,) = cut[1]
    assert WORDS.count_message(middle) <= 100
    assert middle.text.startswith("w0 ")
    assert middle.text.endswith(" w999")


def test_a_prompt_has_the_summary_so_far_and_who_said_what() -> None:
    """Calls are shown with their arguments; a message without text says so."""
    call = ToolCall(id="1", name="look", arguments='{"at": 1}')
    messages = [
        Message.user("where?"),
        Message(role=Role.ASSISTANT, tool_calls=(call,)),
        Message(role=Role.TOOL, tool_call_id="1"),
    ]
    prompt = as_prompt("Ana asks.", messages)
    assert "<summary>\nAna asks.\n</summary>" in prompt
    assert 'user: where?\nassistant: [calls look {"at": 1}]\ntool: [no text]' in prompt


def test_a_first_prompt_has_no_summary_so_far() -> None:
    """Nothing in it speaks of one."""
    assert "<summary>" not in as_prompt("", [Message.user("hi")])
    assert "summary so far" not in as_prompt("", [Message.user("hi")])
