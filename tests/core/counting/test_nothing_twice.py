"""No text is tokenized twice, whatever is asked about it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ctx_core.conversation.messages import Message, ToolCall
from ctx_core.counting import Anchor, Margin, TokenCounter, count_anchored


class Recording:
    """Counts characters, and remembers what it was asked."""

    name = "recording"

    def __init__(self) -> None:
        """Start with nothing asked."""
        self.asked: Counter[str] = Counter()

    def count(self, text: str) -> int:
        """Give the number of characters."""
        self.asked[text] += 1
        return len(text)


def test_each_text_reaches_the_tokenizer_once() -> None:
    """Counting message by message, whole, both figures, anchored and again asks for every text once."""
    recording = Recording()
    counter = TokenCounter(recording, model="m", margin=Margin(text=1.2, per_request=5))
    call = ToolCall(name="add", arguments='{"a": 1}', id="1")
    talk = [Message.system("Be brief."), Message.user("Add."), Message.assistant("I do.", tool_calls=(call,)),
            Message.tool("2", tool_call_id="1")]  # fmt: skip
    tools = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {}}}}]
    for _ in range(3):
        copies = [replace(message) for message in talk]
        assert counter.count_messages(copies, tools=tools) > 0
        assert counter.measure(copies, tools=tools).bound >= counter.measure(copies, tools=tools).estimate
        count_anchored(counter, copies, Anchor(billed=counter.count_messages(talk[:2]), sent=talk[:2]), tools=tools)
        assert counter.without_margin.count_messages(copies) < counter.count_messages(copies)
    assert {text: times for text, times in recording.asked.items() if times > 1 and text} == {}
