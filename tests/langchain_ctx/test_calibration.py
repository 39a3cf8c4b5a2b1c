"""Learning from the usage figures that LangChain's answers carry."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from typing_extensions import override

from ctx_core import TokenCounter, UsageLog
from ctx_core.counting import Calibration
from langchain_ctx import ContextRunnable, LangChainCodec
from tests.langchain_ctx.echo import EchoModel

MODEL = "claude-sonnet-4-5"
CODEC = LangChainCodec()
LONG = "Where were we, and what did we mean to do about the tide? " * 20


class Billing(EchoModel):
    """Bills a tenth more than is estimated, and says so in its answers."""

    @override
    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        answer = super()._generate(messages, *args, **kwargs).generations[0].message
        billed = round(TokenCounter.for_model(MODEL).measure(map(CODEC.read, messages)).estimate * 1.1)
        usage = {"input_tokens": billed, "output_tokens": 1, "total_tokens": billed + 1}
        return ChatResult(generations=[ChatGeneration(message=answer.model_copy(update={"usage_metadata": usage}))])


def talked(turns: int, **options: Any) -> list[int]:
    """Talk with a model that bills, and give the tokens that were counted for each request."""
    log = UsageLog()
    chain, talk = ContextRunnable(100_000, usage_log=log, **options) | Billing(), list[BaseMessage]()
    for at in range(turns):
        talk.append(HumanMessage(f"{at}: {LONG}"))
        talk.append(chain.invoke(talk))
    return [record.used for record in log.records]


def test_a_chain_learns_from_the_answers_in_its_history() -> None:
    """After a few answers requests are counted by what was billed, and the margin is narrower."""
    calibration = Calibration()
    learning = talked(6, counter=MODEL, calibration=calibration)
    plain = talked(6, counter=MODEL, calibration=False)
    assert calibration.ratio(MODEL) == pytest.approx(1.1, abs=0.01)
    assert len(calibration.to_dict()[MODEL]) == 5
    assert learning[0] == plain[0]
    assert learning[5] < plain[5]


def test_a_bill_is_never_above_what_is_counted_by_it() -> None:
    """The narrowed bound still holds for the next request."""
    counted = talked(8, counter=MODEL)
    billed = [round(tokens * 1.1) for tokens in _estimates(8)]
    assert all(bound >= bill for bound, bill in zip(counted, billed, strict=True))


def _estimates(turns: int) -> list[int]:
    talk, counter, found = list[BaseMessage](), TokenCounter.for_model(MODEL), list[int]()
    for at in range(turns):
        talk.append(HumanMessage(f"{at}: {LONG}"))
        found.append(counter.measure(map(CODEC.read, talk)).estimate)
        talk.append(AIMessage(f"re: {at}: {LONG}"))
    return found


def test_conversations_share_what_is_learned_and_nothing_else() -> None:
    """An answer teaches only with the request that it answers."""
    calibration = Calibration()
    step = ContextRunnable(100_000, counter=MODEL, calibration=calibration)
    first = step.invoke([HumanMessage(LONG)], {"configurable": {"thread_id": "a"}})
    answer = AIMessage("re", usage_metadata={"input_tokens": 300, "output_tokens": 1, "total_tokens": 301})
    step.invoke([*first, answer, HumanMessage("on")], {"configurable": {"thread_id": "b"}})
    assert calibration.to_dict() == {}
    step.invoke([*first, answer, HumanMessage("on")], {"configurable": {"thread_id": "a"}})
    assert list(calibration.to_dict()) == [MODEL]


def test_an_answer_to_another_request_that_began_alike_teaches_nothing() -> None:
    """Without a name a conversation is told by how it begins; system messages are left out of that, but not here."""
    calibration = Calibration()
    step = ContextRunnable(100_000, counter=MODEL, calibration=calibration)
    answer = AIMessage("re", usage_metadata={"input_tokens": 900, "output_tokens": 1, "total_tokens": 901})
    step.invoke([SystemMessage("Be brief."), HumanMessage(LONG)])
    step.invoke([SystemMessage(LONG * 2), HumanMessage(LONG), answer, HumanMessage("on")])
    assert calibration.to_dict() == {}


def test_a_preview_teaches_nothing() -> None:
    """Looking is free."""
    calibration = Calibration()
    step = ContextRunnable(100_000, counter=MODEL, calibration=calibration)
    first = step.invoke([HumanMessage(LONG)])
    answer = AIMessage("re", usage_metadata={"input_tokens": 300, "output_tokens": 1, "total_tokens": 301})
    step.preview([*first, answer, HumanMessage("on")])
    assert calibration.to_dict() == {}


def test_a_counter_brings_its_own_calibration() -> None:
    """Several faces may count with one counter, and learn together."""
    calibration = Calibration()
    counter = TokenCounter.for_model(MODEL, calibration=calibration)
    talked(3, counter=counter)
    assert len(calibration.to_dict()[MODEL]) == 2


def test_bills_are_read_from_wherever_an_integration_puts_them() -> None:
    """`usage_metadata` first, else the provider's own words for it."""
    usage = {"input_tokens": 12, "output_tokens": 1, "total_tokens": 13}
    assert CODEC.read(AIMessage("x", usage_metadata=usage)).billed == 12
    assert CODEC.read(AIMessage("x", response_metadata={"token_usage": {"prompt_tokens": 13}})).billed == 13
    assert CODEC.read(AIMessage("x")).billed is None
    assert CODEC.read(HumanMessage("x")).billed is None


def test_encrypted_thoughts_are_seen_wherever_integrations_keep_them() -> None:
    """In a block, beside the content, and, from Gemini, by the call they came with."""
    block = {"type": "reasoning", "encrypted_content": "s" * 99, "summary": []}
    assert [part.sealed for part in CODEC.read(AIMessage([block])).parts] == [99]  # type: ignore[union-attr]
    beside = AIMessage("x", additional_kwargs={"reasoning": block})
    assert CODEC.read(beside).parts[0].sealed == 99  # type: ignore[union-attr]
    call = {"name": "look", "args": {}, "id": "c1", "type": "tool_call"}
    gemini = AIMessage(
        "", tool_calls=[call], additional_kwargs={"__gemini_function_call_thought_signatures__": {"c1": "s" * 88}}
    )
    assert [call.sealed for call in CODEC.read(gemini).tool_calls] == [88]
    assert CODEC.read(ToolMessage("x", tool_call_id="c1")).tool_calls == ()
