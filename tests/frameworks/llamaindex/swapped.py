"""What the suites of LlamaIndex are run with: its own classes, and ours in their place.

LlamaIndex's tests of memories, chat engines and agents are in no archive of it. These ask the same of its public
behavior, and hold for its own classes first: what a test asks that fails there is nobody's behavior.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer, Memory

from llamaindex_ctx import ContextMemoryBuffer, with_context_budget
from tests.llamaindex_ctx.turns import IGNORED

if TYPE_CHECKING:
    from collections.abc import Callable

WARNINGS: Final = [
    *(pytest.mark.filterwarnings(ignored) for ignored in IGNORED),
    # LlamaIndex's own memory leaves its database open; its own buffer cannot be stored with this pydantic.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Skipping serialization of known unserializable key"),
]
WIDE: Final = 1_000_000
"""Tokens that nothing here overflows."""


class Swap(NamedTuple):
    """Who takes part in a run."""

    buffer: Any
    """In the place of `ChatMemoryBuffer`."""
    memory: Any
    """In the place of `Memory`."""
    around: Callable[[Any], Any]
    """What is put around an LLM."""


THEIRS: Final = Swap(ChatMemoryBuffer, Memory, lambda llm: llm)
OURS: Final = Swap(ContextMemoryBuffer, ContextMemoryBuffer, lambda llm: with_context_budget(llm, WIDE))
every_swap = pytest.mark.parametrize("swap", [pytest.param(THEIRS, id="theirs"), pytest.param(OURS, id="ours")])


def judged(reason: str) -> pytest.MarkDecorator:
    """Run a test with both, where ours gives something else and is right to: it must go on failing."""
    return pytest.mark.parametrize(
        "swap",
        [
            pytest.param(THEIRS, id="theirs"),
            pytest.param(OURS, id="ours", marks=pytest.mark.xfail(reason=reason, strict=True)),
        ],
    )


def mended(reason: str) -> pytest.MarkDecorator:
    """Run a test with both, of which LlamaIndex's own fails."""
    return pytest.mark.parametrize(
        "swap",
        [
            pytest.param(THEIRS, id="theirs", marks=pytest.mark.xfail(reason=reason, strict=True)),
            pytest.param(OURS, id="ours"),
        ],
    )


def said(*texts: str) -> list[ChatMessage]:
    """Make messages by turns of a user and an assistant."""
    return [ChatMessage(text, role=("user", "assistant")[at % 2]) for at, text in enumerate(texts)]


def texts(messages: Any) -> list[str | None]:
    """Give what messages say."""
    return [message.content for message in messages]


def words(text: str) -> list[str]:
    """Tell the tokens of a text, a word each."""
    return text.split()
