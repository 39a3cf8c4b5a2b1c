"""What goes out of the faces at small budgets, through the real clients: no provider would refuse it for its pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from ctx_core import ContextOverflowError, Framing, TokenCounter
from langchain_ctx import ContextRunnable
from llamaindex_ctx import ContextMemoryBuffer
from tests.payloads.clients import clients
from tests.payloads.conversations import TOOLS, native, said, step
from tests.payloads.judge import asks, refusals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.payloads.client import Client
    from tests.payloads.conversations import OpenAIMessage

    Face = Callable[[Sequence[Any]], list[Any]]
    """Takes a conversation as it has grown, in the framework's own messages, and gives what is sent of it."""

WORDS: Final = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
"""A token a word: a call costs one or two."""

BUDGETS: Final = (15, 25, 40, 1_000)


def asked(number: int) -> OpenAIMessage:
    """Give a question of five words."""
    return said("user", f"question-{number}", 5)


ANSWER: Final = said("assistant", "answered", 5)
START: Final = (said("system", "Be brief."), asked(1))
CALL, RESULT = step("a")
CALLS, *RESULTS = step("b", "c")

CONVERSATIONS: Final[dict[str, tuple[OpenAIMessage, ...]]] = {
    "turns with steps": (
        *START, *step("a", "b", size=8), ANSWER, asked(2), *step("c", size=8), *step("d", "e", size=8), ANSWER, asked(3)
    ),
    "a running turn": (*START, ANSWER, asked(2), *step("a", size=9), *step("b", "c", size=9), *step("d", size=9)),
    "one long turn": (asked(1), *(message for at in range(6) for message in step(f"call{at}", size=6))),
    "words beside calls": (*START, CALL | {"content": "Let me look."}, RESULT, ANSWER, asked(2)),
    "a question right after results": (*START, CALL, RESULT, asked(2)),
    "results in another order": (*START, CALLS, *reversed(RESULTS), ANSWER, asked(2)),
    "a result without a call": (*START, RESULT, ANSWER, asked(2)),
    "a call without a result": (*START, CALLS, RESULTS[0], ANSWER, asked(2), CALL, asked(3)),
    "a running call without a result": (*START, ANSWER, asked(2), CALLS, RESULTS[0]),
    "a late result": (*START, CALL, asked(2), RESULT, ANSWER, asked(3)),
    "a result twice": (*START, CALL, RESULT, RESULT, ANSWER, asked(2)),
    "a result before its call": (*START, RESULT, CALL, ANSWER, asked(2)),
}  # fmt: skip
"""Sound ones, and such as stores really hold."""


def runnable(budget: int) -> Face:
    """Open LangChain's face."""
    step = ContextRunnable(budget, counter=WORDS)
    return lambda messages: step.invoke(list(messages), {"configurable": {"session_id": "s"}})


def memory(budget: int) -> Face:
    """Open LlamaIndex' face."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=budget, counter=WORDS)
    stored = 0

    def face(messages: Sequence[Any]) -> list[Any]:
        nonlocal stored
        memory.put_messages(list(messages[stored:]))
        stored = len(messages)
        return memory.get()

    return face


def requests(conversation: Sequence[OpenAIMessage]) -> Iterator[list[OpenAIMessage]]:
    """Give the conversation at each point where the model would be asked."""
    for end in range(1, len(conversation) + 1):
        is_over = end == len(conversation)
        if conversation[end - 1]["role"] != "assistant" and (is_over or conversation[end]["role"] == "assistant"):
            yield list(conversation[:end])


@pytest.mark.parametrize("client", clients())
@pytest.mark.parametrize("name", CONVERSATIONS)
def test_no_pair_is_refused_and_the_question_is_asked(client: Client, name: str) -> None:
    """Turn by turn, at every budget, calls and results are where the provider wants them."""
    framework = client.framework
    sent: list[list[Any]] = []
    for budget in BUDGETS:
        face = runnable(budget) if framework == "langchain" else memory(budget)
        for messages in requests(CONVERSATIONS[name]):
            try:
                view = face(native(framework, messages))
            except ContextOverflowError:
                continue
            if view in sent:
                continue
            sent.append(view)
            payload = client.payload(view, TOOLS[framework])
            assert refusals(payload, client.provider, model=client.model, subjects=["pairing"]) == []
            question = [message["content"] for message in messages if message["role"] == "user"][-1]
            assert asks(payload, client.provider, question)
    assert sent
