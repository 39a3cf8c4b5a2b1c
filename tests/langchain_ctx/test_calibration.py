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
    """Bills more than is estimated, and says so in its answers."""

    factor: float = 1.1

    @override
    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        answer = super()._generate(messages, *args, **kwargs).generations[0].message
        billed = round(TokenCounter.for_model(MODEL).measure(map(CODEC.read, messages)).estimate * self.factor)
        usage = {"input_tokens": billed, "output_tokens": 1, "total_tokens": billed + 1}
        return ChatResult(generations=[ChatGeneration(message=answer.model_copy(update={"usage_metadata": usage}))])


def talked(turns: int, *, factor: float = 1.1, **options: Any) -> tuple[list[int], list[int]]:
    """Talk with a model that bills, and give the tokens that were counted for each request and its bill."""
    log = UsageLog()
    chain, talk = ContextRunnable(100_000, usage_log=log, **options) | Billing(factor=factor), list[BaseMessage]()
    for at in range(turns):
        talk.append(HumanMessage(f"{at}: {LONG}"))
        talk.append(chain.invoke(talk))
    billed = [CODEC.read(message).billed or 0 for message in talk[1::2]]
    return [record.used for record in log.entries], billed


def test_a_chain_learns_from_the_answers_in_its_history() -> None:
    """After a few answers it is known what requests are billed; bills within the bound change no request."""
    calibration = Calibration()
    counted, billed = talked(6, counter=MODEL, calibration=calibration)
    assert calibration.ratio(MODEL) == pytest.approx(1.1, abs=0.01)
    assert [bill for _, _, bill in calibration.to_dict()[MODEL]] == billed[:5]
    assert (counted, billed) == talked(6, counter=MODEL, calibration=False)


def test_bills_above_the_bound_make_the_next_requests_smaller() -> None:
    """Once three have come, more is kept free; without a calibration nothing is learned."""
    counted, billed = talked(8, factor=1.7, counter=MODEL)
    assert all(count < bill for count, bill in zip(counted[:3], billed[:3], strict=True))
    assert all(count >= bill for count, bill in zip(counted[3:], billed[3:], strict=True))
    counted, billed = talked(8, factor=1.7, counter=MODEL, calibration=False)
    assert all(count < bill for count, bill in zip(counted, billed, strict=True))


def answered(answer: AIMessage) -> dict[str, list[list[int]]]:
    """Send a request, have it answered, and give what was learned from the answer."""
    calibration = Calibration()
    step = ContextRunnable(100_000, counter=MODEL, calibration=calibration)
    step.invoke([*step.invoke([HumanMessage(LONG)]), answer, HumanMessage("on")])
    return calibration.to_dict()


@pytest.mark.parametrize("usage", [{"input_tokens": 10**400}, {"input_tokens": None}, {"output_tokens": 3}, {}, [300]])
def test_odd_usage_figures_are_no_error(usage: Any) -> None:
    """Providers and stores may leave anything there."""
    answer = AIMessage("re")
    answer.usage_metadata = usage
    assert answered(answer) == {}


@pytest.mark.parametrize(
    ("told", "learns"),
    [
        (MODEL, 1),
        (f"{MODEL}-20250929", 1),
        (f"us.anthropic.{MODEL}-20250929-v1:0", 1),
        (f"openrouter/anthropic/{MODEL}:beta", 1),
        ("my-deployment", 1),
        ("gpt-4o", 0),
        ("claude-3-haiku", 0),
    ],
)
def test_the_answer_of_a_fallback_teaches_nothing(told: str, learns: int) -> None:
    """The bill of a model that is counted otherwise says nothing; the same model has many names."""
    usage = {"input_tokens": 300, "output_tokens": 1, "total_tokens": 301}
    answer = AIMessage("re", usage_metadata=usage, response_metadata={"model_name": told})
    assert len(answered(answer)) == learns


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
    empty = AIMessage("x", response_metadata={"token_usage": {"prompt_tokens": 14}})
    empty.usage_metadata = {}  # type: ignore[assignment]  # some integrations do
    assert CODEC.read(empty).billed == 14
    assert CODEC.read(AIMessage("x")).billed is None
    assert CODEC.read(HumanMessage("x")).billed is None


def test_encrypted_thoughts_are_seen_wherever_integrations_keep_them() -> None:
    """In a block, beside the content, and, from Gemini, by the call they came with."""
    block = {"type": "reasoning", "encrypted_content": "s" * 99, "summary": []}
    assert [part.encrypted for part in CODEC.read(AIMessage([block])).parts] == [99]  # type: ignore[union-attr]
    told_again = AIMessage([block], response_metadata={"model_provider": "openai"}).content_blocks
    assert [part.encrypted for part in CODEC.read(AIMessage(told_again)).parts] == [99]  # type: ignore[arg-type, union-attr]
    beside = AIMessage("x", additional_kwargs={"reasoning": block})
    assert CODEC.read(beside).parts[0].encrypted == 99  # type: ignore[union-attr]
    call = {"name": "look", "args": {}, "id": "c1", "type": "tool_call"}
    gemini = AIMessage(
        "", tool_calls=[call], additional_kwargs={"__gemini_function_call_thought_signatures__": {"c1": "s" * 88}}
    )
    assert [call.encrypted for call in CODEC.read(gemini).tool_calls] == [88]
    assert CODEC.read(ToolMessage("x", tool_call_id="c1")).tool_calls == ()
