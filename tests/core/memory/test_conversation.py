"""What was cut can still be found."""

from typing import Any, TypeAlias

import pytest

from ctx_core import Context, ContextBudget, ContextBuilder, ContextSession, Message, TokenCounter, Tokens, WindowState
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.errors import MessageError
from ctx_core.memory import ConversationMemory

LOCKER = "My locker code is 4711, please remember it"

Chat: TypeAlias = ConversationMemory[dict[str, Any]]


class Reading(OpenAICodec):
    """Counts the messages that are read."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self.read_messages = 0

    def read(self, native: dict[str, Any]) -> Message:
        """Read and count."""
        self.read_messages += 1
        return super().read(native)


def talk(turns: int) -> list[dict[str, Any]]:
    """Give a long conversation that begins with a secret."""
    history = [{"role": "user", "content": LOCKER}, {"role": "assistant", "content": "Noted."}]
    for at in range(turns):
        history.append({"role": "user", "content": f"Tell me about mountain number {at} and its weather"})
        history.append({"role": "assistant", "content": f"Mountain {at} is {at * 10} metres high. " * 5})
    return history


def builder(limit: int = 800) -> ContextBuilder:
    """Give a builder with a small budget."""
    return ContextBuilder(ContextBudget(limit), TokenCounter.for_model("gpt-4o")).system("Be kind.")


def build(
    memory: Chat, history: list[dict[str, Any]], message: str | None = None, state: WindowState | None = None
) -> Context[dict[str, Any]]:
    """Build a request with what the memory recalls."""
    session = ContextSession[dict[str, Any]](builder(), layers=[memory])
    return session.fit(history, message, state=state or WindowState())


def test_what_was_cut_is_found_again() -> None:
    """The first message is long gone, and its answer is in the prompt."""
    context = build(Chat(cap=Tokens(200)), talk(60), "What was my locker code?")
    assert context.report.history.omitted > 0
    assert "user: My locker code is 4711" in context.system_prompt
    assert context.tokens <= 800


def test_it_stays_within_the_budget_over_many_turns() -> None:
    """With a state, turn after turn, nothing overflows and nothing in the window is told twice."""
    memory = Chat(cap=Tokens(200))
    history, state = talk(0), WindowState()
    for turn in talk(30)[2:]:
        history.append(turn)
        if turn["role"] == "assistant":
            context = build(memory, history, "And my locker code?", state=state)
            state = context.state
            assert context.tokens <= 800
            window = [message["content"] for message in context.conversation]
            assert sum(LOCKER in text for text in [context.system_prompt, *window]) == 1


def test_nothing_is_recalled_while_everything_is_there() -> None:
    """A short conversation has no memory layer."""
    context = build(Chat(), talk(1), "What was my locker code?")
    assert "earlier" not in context.system_prompt


def test_a_question_about_nothing_recalls_nothing() -> None:
    """What shares no word with the question stays out."""
    context = build(Chat(), talk(60), "Xylophone?")
    assert "earlier" not in context.system_prompt


def test_only_new_messages_are_read() -> None:
    """A turn reads its own messages."""
    codec = Reading()
    memory = ConversationMemory(codec=codec)
    history = talk(20)
    memory.items(history)
    before = codec.read_messages
    memory.items([*history, {"role": "user", "content": "New"}])
    assert codec.read_messages - before == 1


def test_an_edited_message_is_read_again() -> None:
    """An edited history is remembered as it is now."""
    memory = Chat()
    memory.items(talk(2))
    edited = [{"role": "user", "content": "Forget it"}, *talk(2)[1:]]
    assert memory.items(edited)[0].text == "user: Forget it"


def test_a_shorter_history_is_no_edit() -> None:
    """Asking about a part of a conversation forgets nothing."""
    memory = Chat()
    assert len(memory.items(talk(3))) == 8
    assert len(memory.items(talk(1))) == 4
    assert len(memory.items(talk(3))) == 8


def test_instructions_and_results_are_not_remembered() -> None:
    """Only what the two said to each other."""
    history: list[dict[str, Any]] = [
        {"role": "system", "content": "Be kind"},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "tool_call_id": "1", "content": "data"},
    ]
    assert [item.text for item in Chat().items(history)] == ["user: Hi"]


def test_the_last_user_message_is_the_question() -> None:
    """Without a current message the end of the history asks."""
    history = [*talk(60), {"role": "user", "content": "What was my locker code?"}]
    assert "4711" in build(Chat(cap=Tokens(200)), history).system_prompt


def test_a_message_that_cannot_be_read_is_named() -> None:
    """The error says which one, and nothing of its content."""
    with pytest.raises(MessageError, match="message 2"):
        Chat().items([{"role": "user", "content": "a"}, {"role": "user", "content": 5}])
