"""An LLM with a context budget: the same LLM, of which every request fits, whichever of its methods is called."""

from __future__ import annotations

import asyncio
import copy
import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core import Settings
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.constants import DEFAULT_NUM_OUTPUTS
from llama_index.core.llms import MockFunctionCallingLLM, MockLLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.mock import MockLLMWithChatMemoryOfLastCall
from llama_index.core.llms.structured_llm import StructuredLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.prompts import ChatPromptTemplate, PromptTemplate
from llama_index.core.tools import FunctionTool
from pydantic import BaseModel

from ctx_core import (
    BudgetError,
    ContextBudget,
    ContextOverflowError,
    HistoryPolicy,
    Layer,
    Role,
    TokenCounter,
    UsageLog,
)
from ctx_core.counting.calibration import Calibration
from ctx_core.errors import OptionError
from ctx_core.recipes import Chat
from llamaindex_ctx import ContextMemoryBuffer, with_context_budget
from tests.llamaindex_ctx.spies import COUNTER, CallingSpy, ReasoningSpy, Request, asks, says, talk

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Call = Callable[[Any, list[ChatMessage]], Any]
    ACall = Callable[[Any, list[ChatMessage]], Awaitable[Any]]

BUDGET = 400
FULL = HistoryPolicy(low_water=1.0)


def add(a: int, b: int) -> int:
    """Add two numbers, which takes a few words to say."""
    return a + b


TOOL = FunctionTool.from_defaults(add)


class Song(BaseModel):
    """A song that somebody sings."""

    title: str
    seconds: int


async def drained(stream: Any) -> list[Any]:
    """Give all of a stream."""
    return [part async for part in await stream]


CHATS: dict[str, Call] = {
    "chat": lambda llm, messages: llm.chat(messages),
    "achat": lambda llm, messages: asyncio.run(llm.achat(messages)),
    "stream_chat": lambda llm, messages: list(llm.stream_chat(messages)),
    "astream_chat": lambda llm, messages: asyncio.run(drained(llm.astream_chat(messages))),
    "predict": lambda llm, messages: llm.predict(ChatPromptTemplate(message_templates=messages)),
    "apredict": lambda llm, messages: asyncio.run(llm.apredict(ChatPromptTemplate(message_templates=messages))),
    "stream": lambda llm, messages: list(llm.stream(ChatPromptTemplate(message_templates=messages))),
    "astream": lambda llm, messages: asyncio.run(drained(llm.astream(ChatPromptTemplate(message_templates=messages)))),
}
WITH_TOOLS: dict[str, Call] = {
    "chat_with_tools": lambda llm, messages: llm.chat_with_tools([TOOL], chat_history=messages),
    "achat_with_tools": lambda llm, messages: asyncio.run(llm.achat_with_tools([TOOL], chat_history=messages)),
    "stream_chat_with_tools": lambda llm, messages: list(llm.stream_chat_with_tools([TOOL], chat_history=messages)),
    "astream_chat_with_tools": lambda llm, messages: asyncio.run(
        drained(llm.astream_chat_with_tools([TOOL], chat_history=messages))
    ),
    "predict_and_call": lambda llm, messages: llm.predict_and_call(
        [TOOL], chat_history=messages, error_on_no_tool_call=False
    ),
    "a message apart": lambda llm, messages: llm.chat_with_tools(
        [TOOL], chat_history=messages[:-1], user_msg=messages[-1]
    ),
    "a text apart": lambda llm, messages: llm.chat_with_tools(
        [TOOL], chat_history=messages[:-1], user_msg=messages[-1].content
    ),
    "prepared by hand": lambda llm, messages: llm.chat(
        **llm._prepare_chat_with_tools([TOOL], chat_history=messages)  # noqa: SLF001 - what integrations prepare with
    ),
}
CALLS = [
    *((CallingSpy, name, call) for name, call in (CHATS | WITH_TOOLS).items()),
    *((ReasoningSpy, name, call) for name, call in CHATS.items()),
]


@pytest.mark.parametrize(("kind", "name", "call"), CALLS, ids=[f"{kind.__name__}-{name}" for kind, name, _ in CALLS])
def test_every_way_to_ask_fits(kind: type[CallingSpy | ReasoningSpy], name: str, call: Call) -> None:
    """Recounted from scratch, tools included; with the question at the end, and the caller's list as it was."""
    plain = kind.of()
    llm: Any = with_context_budget(plain, BUDGET, counter=COUNTER)
    messages = [ChatMessage("Be brief.", role="system"), *talk(30)]
    before = list(messages)
    call(llm, messages)
    (request,) = plain.requests
    assert request.tokens() <= BUDGET
    assert len(request.messages) < len(before)
    assert bool(request.kwargs.get("tools")) == (name in WITH_TOOLS)
    assert request.shown()[0] == "system: Be brief."
    assert request.messages[1].role == MessageRole.USER
    assert request.messages[-1].content == "And now?"
    assert messages == before
    report = llm.last_report
    assert report.used == request.tokens()


def layer() -> Layer:
    """Give a layer that would be seen twice if a request were fitted twice."""
    return Layer(name="facts", text="The kiosk closes at noon.")


@pytest.mark.parametrize(
    ("kind", "call"),
    [(kind, call) for kind, _, call in CALLS],
    ids=[f"{kind.__name__}-{name}" for kind, name, _ in CALLS],
)
def test_of_calls_within_one_another_the_outermost_fits(kind: type[CallingSpy | ReasoningSpy], call: Call) -> None:
    """A stream that calls another method when it is read is one request too; each is told of once."""
    plain, log = kind.of(), UsageLog()
    llm: Any = with_context_budget(plain, BUDGET, counter=COUNTER, layers=[layer()], usage_log=log)
    call(llm, talk(30))
    (request,) = plain.requests
    assert sum("kiosk" in shown for shown in request.shown()) == 1
    assert len(log.entries) == 1


@pytest.mark.parametrize("call", [
    lambda llm, prompt: llm.complete(prompt),
    lambda llm, prompt: asyncio.run(llm.acomplete(prompt)),
    lambda llm, prompt: list(llm.stream_complete(prompt))[-1],
    lambda llm, prompt: asyncio.run(drained(llm.astream_complete(prompt)))[-1],
], ids=["complete", "acomplete", "stream_complete", "astream_complete"])  # fmt: skip
def test_a_completion_fits_or_says_that_it_does_not(call: Callable[[Any, str], Any]) -> None:
    """A prompt is one text: it goes as it is, is cut where that is allowed, or is refused with the numbers."""
    llm: Any = with_context_budget(MockLLM(), 100, counter=COUNTER)
    assert call(llm, "word " * 50).text == "word " * 50
    with pytest.raises(ContextOverflowError) as caught:
        call(llm, "word " * 500)
    assert (caught.value.limit, caught.value.needed > 500) == (100, True)
    cutting: Any = with_context_budget(
        MockLLM(), 100, counter=COUNTER, on_overflow="truncate", layers=[replace(layer(), protected=True)]
    )
    text = call(cutting, "word " * 500).text
    assert text.startswith("The kiosk closes at noon.\n\nword word")
    assert COUNTER.count_text(text) <= 100


def test_it_is_the_same_llm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its class, its data and its names; only the window is that of budget and answer: prompts are packed into it."""
    plain = MockFunctionCallingLLM(system_prompt="Be brief.", is_chat_model=True)
    llm: Any = with_context_budget(plain, BUDGET, counter=COUNTER)
    assert isinstance(llm, MockFunctionCallingLLM)
    assert isinstance(llm, FunctionCallingLLM)
    assert (type(llm).__name__, llm.class_name()) == ("MockFunctionCallingLLM", plain.class_name())
    assert llm.to_dict() == plain.to_dict()
    assert llm.metadata == plain.metadata.model_copy(update={"context_window": BUDGET + DEFAULT_NUM_OUTPUTS})
    assert with_context_budget(plain, 100_000).metadata == plain.metadata
    assert plain.metadata.context_window == 3900
    monkeypatch.setattr(Settings, "_llm", None)
    Settings.llm = llm
    assert Settings.llm is llm
    memory = ChatMemoryBuffer.from_defaults(llm=llm)
    assert memory.token_limit == 0.75 * (BUDGET + DEFAULT_NUM_OUTPUTS)


def test_data_that_is_set_later_is_its_own() -> None:
    """Neither sees what is set on the other."""
    plain = MockLLM(max_tokens=5)
    llm: Any = with_context_budget(plain, BUDGET)
    llm.max_tokens = 3
    assert (plain.max_tokens, llm.max_tokens, llm.complete("hi").text) == (5, 3, "text text text")


@pytest.mark.parametrize("copied", [
    copy.copy, copy.deepcopy, lambda llm: llm.model_copy(), lambda llm: llm.model_copy(deep=True),
    lambda llm: pickle.loads(pickle.dumps(llm)),  # noqa: S301 - our own
], ids=["copy", "deepcopy", "model_copy", "deep model_copy", "pickle"])  # fmt: skip
def test_copies_fit_too(copied: Callable[[Any], Any]) -> None:
    """However it is copied, it is of the same class, has the same options, and its requests fit."""
    policy = HistoryPolicy(omission_marker="[{count} left out]", marker_role=Role.USER)
    llm = copied(with_context_budget(MockLLMWithChatMemoryOfLastCall(max_tokens=7), BUDGET, policy=policy))
    assert isinstance(llm, MockLLMWithChatMemoryOfLastCall)
    assert llm.max_tokens == 7
    llm.chat(talk(30))
    report: Any = getattr(llm, "last_report")  # noqa: B009 - the type checker sees the LLM's own class
    assert report.used <= BUDGET
    assert "left out]" in str(llm.last_chat_messages)


def test_another_budget_takes_the_place_of_the_first() -> None:
    """It is not fitted twice, and the first one stays."""
    first: Any = with_context_budget(CallingSpy.of(), BUDGET, counter=COUNTER, layers=[layer()])
    second: Any = with_context_budget(first, 200, counter=COUNTER)
    second.chat(talk(30))
    assert second.requests[-1].tokens() <= 200
    assert "kiosk" not in str(second.requests[-1].shown())
    first.chat(talk(30))
    assert 200 < first.requests[-1].tokens() <= BUDGET


def test_without_a_budget_it_is_the_window_of_the_llm() -> None:
    """Less what the answer takes; with the answer's room said, less that."""
    llm: Any = with_context_budget(MockLLM(max_tokens=100))
    llm.chat([asks("hi")])
    assert (llm.last_report.total, llm.last_report.limit) == (3900, 3800)
    llm = with_context_budget(MockLLM(), reserve=900)
    llm.chat([asks("hi")])
    assert llm.last_report.limit == 3000


def test_options_mean_what_they_mean_elsewhere() -> None:
    """A budget object, a reserve, tools that go with each request, a recipe; reports are told of."""
    heard: list[int] = []
    given: dict[str, Any] = {
        "reserve": 100,
        "tools": [add],
        "counter": COUNTER,
        "on_report": lambda r: heard.append(r.limit),
    }
    llm: Any = with_context_budget(CallingSpy.of(), ContextBudget(BUDGET), **given)
    llm.chat(talk(30))
    tools = COUNTER.count_tools([TOOL.metadata.to_openai_tool()])
    assert llm.last_report.layer("tools").used == tools
    assert llm.requests[-1].tokens() + tools <= BUDGET - 100
    assert heard == [BUDGET - 100]
    chatting: Any = with_context_budget(CallingSpy.of(), recipe=Chat(system="You are a travel agent."))
    chatting.chat([asks("hi")])
    assert chatting.requests[-1].shown() == ["system: You are a travel agent.", "user: hi"]


def test_the_llms_vocabulary_counts_where_it_is_known() -> None:
    """Else `Settings.tokenizer`, if somebody has set it."""

    class Named(MockLLM):
        model: str = "gpt-4o"

    llm: Any = with_context_budget(Named(max_tokens=1), BUDGET)
    llm.chat([asks("hi")])
    assert (llm.last_report.model, llm.last_report.estimated) == ("gpt-4o", False)


@pytest.mark.parametrize(("llm", "options", "error", "says"), [
    (MockLLM(), {"budgt": 3}, OptionError, "budgt"),
    (MockLLM(), {"budget": -1}, BudgetError, "-1"),
    (MockLLM(), {"budget": 100, "recipe": Chat()}, BudgetError, "recipe"),
    (MockLLM(), {"budget": 100, "reserve": 100}, BudgetError, "100"),
    (object(), {"budget": 100}, BudgetError, "found object"),
    (ContextMemoryBuffer.from_defaults(), {"budget": 100}, BudgetError, "ContextMemoryBuffer"),
])  # fmt: skip
def test_what_cannot_work_is_refused_at_once(
    llm: Any, options: dict[str, Any], error: type[Exception], says: str
) -> None:
    """When it is made, and in words."""
    with pytest.raises(error, match=says):
        with_context_budget(llm, **options)


def test_it_can_be_switched_off_and_on() -> None:
    """Off, everything goes out as it is, and is counted."""
    llm: Any = with_context_budget(CallingSpy.of(), BUDGET, counter=COUNTER)
    llm.enabled = False
    messages = talk(30)
    llm.chat(messages)
    assert llm.requests[-1].messages == messages
    assert llm.last_report.used > BUDGET
    copy.copy(llm).enabled = True
    llm.chat(messages)
    assert llm.requests[-1].tokens() <= BUDGET


def test_unaltered_messages_are_the_callers_own() -> None:
    """Only what was cut is another object."""
    llm: Any = with_context_budget(MockLLMWithChatMemoryOfLastCall(max_tokens=1), 100_000)
    messages = talk(2)
    llm.chat(messages)
    assert llm.last_chat_messages is not None
    assert all(one is other for one, other in zip(llm.last_chat_messages, messages, strict=True))


PREDICTIONS: dict[str, Call] = {
    "structured_predict": lambda llm, messages: llm.structured_predict(
        Song, ChatPromptTemplate(message_templates=messages)
    ),
    "astructured_predict": lambda llm, messages: asyncio.run(
        llm.astructured_predict(Song, ChatPromptTemplate(message_templates=messages))
    ),
    "as_structured_llm": lambda llm, messages: llm.as_structured_llm(Song).chat(messages),
    "as_structured_llm, async": lambda llm, messages: asyncio.run(llm.as_structured_llm(Song).achat(messages)),
}


def sung(request: Request) -> ChatMessage:
    """Answer with a song, by a call where there are tools."""
    if not request.kwargs.get("tools"):
        return says('{"title": "Yesterday", "seconds": 125}')
    call = ToolCallBlock(tool_call_id="c1", tool_name="Song", tool_kwargs={"title": "Yesterday", "seconds": 125})
    return ChatMessage(role="assistant", blocks=[call])


@pytest.mark.parametrize("name", PREDICTIONS)
@pytest.mark.parametrize("kind", [CallingSpy, ReasoningSpy])
def test_structured_predictions_fit(kind: type[CallingSpy | ReasoningSpy], name: str) -> None:
    """By a tool or by a schema in the prompt: what LlamaIndex adds to the messages is counted."""
    plain = kind.of(sung)
    llm: Any = with_context_budget(plain, 600, counter=COUNTER, policy=FULL)
    PREDICTIONS[name](llm, talk(60))
    (request,) = plain.requests
    assert 400 < request.tokens() <= 600
    assert request.messages[-1].content is not None
    assert request.messages[-1].content.startswith("And now?")


def test_a_structured_llm_is_given_a_budget_inside() -> None:
    """It goes to the LLM that it is made of."""
    plain = CallingSpy.of(sung)
    structured: Any = with_context_budget(plain.as_structured_llm(Song), BUDGET, counter=COUNTER)
    assert isinstance(structured, StructuredLLM)
    assert structured.chat(talk(60)).raw == Song(title="Yesterday", seconds=125)
    assert plain.requests[-1].tokens() <= BUDGET


def test_a_question_that_does_not_fit_is_an_error_or_is_cut() -> None:
    """The numbers are in the error, and not a word of what was asked."""
    llm: Any = with_context_budget(CallingSpy.of(), 100, counter=COUNTER)
    with pytest.raises(ContextOverflowError, match="Max: 100") as caught:
        llm.predict(PromptTemplate("secret {text}"), text="word " * 200)
    assert "secret" not in str(caught.value)
    assert llm.requests == []
    cutting: Any = with_context_budget(llm, 100, counter=COUNTER, on_overflow="truncate")
    cutting.predict(PromptTemplate("secret {text}"), text="word " * 200)
    assert cutting.requests[-1].tokens() <= 100


def billed(factor: float) -> Callable[[Request], Any]:
    """Give a usage figure that is so many times what is counted."""
    return lambda request: {"usage": {"prompt_tokens": int(request.tokens() * factor)}}


@pytest.mark.parametrize("name", [*CHATS, *WITH_TOOLS])
def test_bills_are_learned_from(name: str) -> None:
    """Whichever way was asked: where they are above what is counted, as much is kept free."""
    calibration = Calibration()
    counter = TokenCounter.for_model("gpt-4o")
    llm: Any = with_context_budget(
        CallingSpy.of(usage=billed(1.5)), 1_000, counter=counter, policy=FULL, calibration=calibration
    )
    for _ in range(4):
        (CHATS | WITH_TOOLS)[name](llm, talk(60))
    first, *_, last = llm.requests
    if name == "prepared by hand":  # two calls, of which none has both what was counted and the bill
        assert calibration.ratio("gpt-4o") == 1
        return
    assert first.tokens() > 667
    assert last.tokens() * 1.5 <= 1_000
    assert calibration.ratio("gpt-4o") > 1.4


def test_bills_are_not_learned_from_where_that_is_said() -> None:
    """`calibration=False`."""
    llm: Any = with_context_budget(
        CallingSpy.of(usage=billed(1.5)), 1_000, counter="gpt-4o", policy=FULL, calibration=False
    )
    for _ in range(4):
        llm.chat(talk(60))
    assert llm.requests[0].tokens() == llm.requests[-1].tokens() > 667


def test_an_llm_that_fails_leaves_nothing_behind() -> None:
    """Its error reaches the caller, and the next call fits again."""

    def down(request: Request) -> ChatMessage:
        if len(request.messages) > 0:
            msg = "down"
            raise RuntimeError(msg)
        return says("")

    llm: Any = with_context_budget(CallingSpy.of(down), BUDGET, counter=COUNTER)
    for call in CHATS.values():
        with pytest.raises(RuntimeError, match="down"):
            call(llm, talk(30))
    requests: list[Request] = llm.requests
    assert len(requests) == len(CHATS)
    assert all(request.tokens() <= BUDGET for request in requests)
