"""Real transcripts through all chat engines of LlamaIndex: every request fits, and none ends in their prompt helper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.types import LLMMetadata
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.chat_engine.multi_modal_condense_plus_context import MultiModalCondensePlusContextChatEngine
from llama_index.core.chat_engine.multi_modal_context import MultiModalContextChatEngine
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import PrivateAttr
from typing_extensions import override

from llamaindex_ctx import ContextMemoryBuffer, with_context_budget
from tests.llamaindex_ctx.replays import Transcript, Turn, recorded
from tests.llamaindex_ctx.spies import COUNTER, CallingSpy, Request, says
from tests.llamaindex_ctx.turns import IGNORED, faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.chat_engine.types import BaseChatEngine

pytestmark = [pytest.mark.filterwarnings(ignored) for ignored in IGNORED]
CONDENSES = "tandalone question"
"""How the prompts that condense a question end."""


class Results(BaseRetriever):
    """Finds what the tools of a turn gave, in pieces of a size."""

    similarity_top_k = 2
    _turn: Turn = PrivateAttr()

    def play(self, turn: Turn) -> None:
        """Take the next turn."""
        self._turn = turn

    @override
    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = [call.result[:2_000] or "-" for _, calls in self._turn.steps for call in calls] or ["-"]
        return [NodeWithScore(node=TextNode(text=text), score=1.0) for text in found[: self.similarity_top_k]]


class WideSpy(CallingSpy):
    """An LLM with a window larger than any budget here."""

    @property
    @override
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=128_000, is_chat_model=True, is_function_calling_model=True)


ENGINES: dict[str, Callable[[Any, Results, Any, str], BaseChatEngine]] = {
    "simple": lambda llm, _, memory, prompt: SimpleChatEngine.from_defaults(
        llm=llm, memory=memory, system_prompt=prompt
    ),
    "context": lambda llm, found, memory, prompt: ContextChatEngine.from_defaults(
        found, llm=llm, memory=memory, system_prompt=prompt
    ),
    "condense_plus_context": lambda llm, found, memory, prompt: CondensePlusContextChatEngine.from_defaults(
        found, llm=llm, memory=memory, system_prompt=prompt
    ),
    "condense_question": lambda llm, found, memory, _: CondenseQuestionChatEngine.from_defaults(
        query_engine=RetrieverQueryEngine.from_args(found, llm=llm), llm=llm, memory=memory
    ),
    "multi_modal_context": lambda llm, found, memory, prompt: MultiModalContextChatEngine.from_defaults(
        found, multi_modal_llm=llm, memory=memory, system_prompt=prompt
    ),
    "multi_modal_condense": lambda llm, found, memory, prompt: MultiModalCondensePlusContextChatEngine.from_defaults(
        found, multi_modal_llm=llm, memory=memory, system_prompt=prompt
    ),
}


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("source", recorded(tools=False))
@pytest.mark.parametrize("budgeted", [False, True])
async def test_an_engine_plays_a_transcript(source: Transcript, name: str, *, budgeted: bool) -> None:
    """With a memory that is made for the engine, and with a budget around its LLM too: in every way to ask."""
    budget = 2 * source.protected + 3_000
    playing = iter(source.turns)
    turn = source.turns[0]

    def answer(request: Request) -> ChatMessage:
        condenses = CONDENSES in (request.messages[-1].content or "")
        return says(turn.question if condenses else turn.answer)

    llm = WideSpy.of(answer)
    answers = with_context_budget(llm, budget, counter=COUNTER) if budgeted else llm
    found, prompt = Results(), source.prompt or "Be brief."
    like = ENGINES[name](answers, found, ContextMemoryBuffer(), prompt)
    memory = ContextMemoryBuffer.from_engine(like, counter=COUNTER, token_limit=budget)
    engine = ENGINES[name](answers, found, memory, prompt)
    for at, turn in enumerate(playing):
        found.play(turn)
        before = len(llm.requests)
        if at % 2:
            assert str(await engine.achat(turn.question)) == turn.answer
        else:
            assert str(engine.chat(turn.question)) == turn.answer
        assert [fault for one in llm.requests[before:] for fault in faults(one, budget, COUNTER, turn.question)] == []
    assert len(memory.get_all()) == 2 * len(source.turns)
