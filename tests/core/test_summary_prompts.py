"""What a summarizer is given."""

from __future__ import annotations

from ctx_core import (
    Message,
    Role,
    Summarizing,
    ToolCall,
)
from ctx_core.conversation.parts import (
    AudioPart,
    CitationPart,
    FilePart,
    ImagePart,
    OpaquePart,
    ReasoningPart,
    TextPart,
)
from ctx_core.session.summary_prompts import as_prompt, next_piece, spoken
from tests.core.summaries import WORDS, Conversation, Notes, talk


def test_more_than_the_summarizer_takes_goes_to_it_piece_by_piece() -> None:
    """Each piece is within the window and comes with the summary of those before it."""
    notes, conversation = Notes(), Conversation()
    context = conversation.ask(Summarizing(notes, window=100, counter=WORDS), talk(200))
    assert len(notes.calls) > 5
    assert all(sum(len(text.split()) for text in given) <= 100 for _, given in notes.calls)
    assert [summary for summary, _ in notes.calls[:3]] == ["", "notes 1", "notes 2"]
    assert notes.given == [message["content"] for message in talk(200)[: context.state.start]]
    assert context.state.summary == f"notes {len(notes.calls)}"


def test_a_message_over_the_window_loses_its_middle() -> None:
    """Head and tail of it are summarized, and it shares its piece with nobody."""
    long = Message.user(" ".join(f"w{at}" for at in range(1_000)))
    assert next_piece([Message.user("before"), long, Message.user("after")], 100, WORDS) == [Message.user("before")]
    (middle,) = next_piece([long, Message.user("after")], 100, WORDS)
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


def test_all_that_was_said_is_in_it() -> None:
    """Documents and results with what is in them, media by kind and size, thoughts never."""
    png = bytes.fromhex("89504e470d0a1a0a0000000d494844520000040000000300") + bytes(40)
    parts = (
        ReasoningPart("secret thought"),
        TextPart("look: "),
        ImagePart(data=png),
        ImagePart(url="http://x/1"),
        AudioPart(media_type="audio/wav"),
        FilePart(text="the text of a document"),
        FilePart(media_type="application/pdf"),
        OpaquePart(kind="search_result", text="what was found"),
        CitationPart("as it is written"),
    )
    said = spoken(Message(role=Role.USER, parts=parts))
    assert said == (
        "look: [image 1024×768][image][audio audio/wav]the text of a document[document application/pdf]"
        "what was foundas it is written"
    )


def test_a_piece_is_within_its_window_whatever_its_bulk_is_made_of() -> None:
    """Arguments, documents, results of blocks: head and tail of them stay."""
    call = ToolCall(id="1", name="write", arguments=" ".join(f"a{at}" for at in range(2_000)))
    words = " ".join(f"d{at}" for at in range(2_000))
    messages = [
        Message(role=Role.ASSISTANT, tool_calls=(call,)),
        Message(role=Role.USER, parts=(FilePart(text=words),)),
        Message(role=Role.TOOL, tool_call_id="1", parts=(OpaquePart(kind="resource", text=words),)),
    ]
    cut = [next_piece(messages[at:], 100, WORDS) for at in range(3)]
    assert [len(piece) for piece in cut] == [1, 1, 1]
    assert all(WORDS.count_text(as_prompt("", piece)) < 200 for piece in cut)
    assert all(
        text in as_prompt("", [one for piece in cut for one in piece]) for text in ("write a0", "a1999", "d0", "d1999")
    )
