"""Results in human messages, as agents that act in text write them, through LangChain's faces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from ctx_core import Framing, TokenCounter
from langchain_ctx import BudgetedChatMessageHistory, ContextRunnable, InMemoryHistory, LangChainCodec

if TYPE_CHECKING:
    from collections.abc import Sequence

WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
STEP: list[BaseMessage] = [
    HumanMessage("How is the weather?", id="1"),
    AIMessage("Thought: I need a tool.\nAction: look\nAction Input: {}", id="2"),
    HumanMessage(f"Observation: first {'word ' * 500}last", id="3"),
]
ANSWER = AIMessage("Thought: I can answer.\nAnswer: It is sunny.", id="4")


def check(sent: Sequence[BaseMessage], whole: Sequence[BaseMessage]) -> None:
    """Check that the result alone is cut, to head and tail behind its opening, and is the message that it was."""
    assert WORDS.count_messages(list(map(LangChainCodec().read, sent))) <= 60
    assert [message.id for message in sent] == [message.id for message in whole]
    assert [message for at, message in enumerate(sent) if at != 2] == [*whole[:2], *whole[3:]]
    assert isinstance(sent[2], HumanMessage)
    assert sent[2].text.startswith("Observation: first word")
    assert sent[2].text.endswith("word last")


def test_a_large_observation_is_cut_between_prompt_and_model() -> None:
    """While the run goes on, behind its answer, and where the next question is asked."""
    step = ContextRunnable(60, counter=WORDS, provider="openai")
    for whole in (STEP, [*STEP, ANSWER]):
        check(step.invoke(whole), whole)
    sent = step.invoke([*STEP, ANSWER, HumanMessage("And now?", id="5")])
    assert [message.id for message in sent if message.id not in {"2", "3"}] == ["1", "4", "5"]


def test_a_large_observation_is_cut_in_a_history() -> None:
    """A stored run is shown with it."""
    whole = [*STEP, ANSWER]
    check(BudgetedChatMessageHistory(InMemoryHistory(whole), 60, counter=WORDS).messages, whole)
