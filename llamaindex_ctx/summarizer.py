"""A summarizer out of any LLM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from ctx_core import BudgetError
from ctx_core.session.summarizers import summarizer_window
from ctx_core.session.summary_prompts import as_prompt
from llamaindex_ctx.questions import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from llama_index.core.llms.llm import LLM

    from ctx_core import Message


class LLMSummarizer:
    """Has an LLM write the summary: the `summarizer` of a memory, or of a `Summarizing`."""

    window: int | None
    """Tokens that it takes at once; None where the window of its LLM is not known."""

    def __init__(self, llm: LLM, *, prompt: Callable[[str, Sequence[Message]], str] = as_prompt) -> None:
        """Take the LLM.

        Args:
            llm: the LLM. A small and quick one does.
            prompt: gives what it is asked, from the summary so far and the messages that leave.

        Raises:
            BudgetError: if it is no LLM.
        """
        if not (hasattr(llm, "chat") and hasattr(llm, "achat")):
            msg = f"llm must be an LLM of LlamaIndex, found {type(llm).__name__}"
            raise BudgetError(msg)
        self.window = summarizer_window(llm)
        self._llm = llm
        self._prompt = prompt

    def __call__(self, summary: str, messages: Sequence[Message]) -> str:
        """Give the new summary. What the LLM raises is passed on."""
        return text_of(self._llm.chat(self._asked(summary, messages)).message)

    async def acall(self, summary: str, messages: Sequence[Message]) -> str:
        """Give the new summary, as a call does."""
        return text_of((await self._llm.achat(self._asked(summary, messages))).message)

    def _asked(self, summary: str, messages: Sequence[Message]) -> list[ChatMessage]:
        return [ChatMessage(self._prompt(summary, messages), role=MessageRole.USER)]
