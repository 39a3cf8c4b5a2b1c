"""What is left where messages or thoughts have gone: every door sends what its provider takes, over thirty turns."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ThinkingBlock

from ctx_core import ContextReport, Framing, HistoryPolicy, Message, Role, TokenCounter, WindowState, fit
from ctx_core.conversation.parts import ReasoningPart
from ctx_core.conversation.transcript import read_natives
from langchain_ctx import ContextRunnable, LangChainCodec
from llamaindex_ctx import ChatMessageCodec, ContextMemoryBuffer
from tests.payloads.clients import CLIENTS, clients
from tests.payloads.judge import refusals, stored_followers
from tests.payloads.natives import FORMATS, THOUGHTS, payload_of, spoken

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.payloads.client import Client, Framework

COUNTER: Final = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
CODECS: Final[dict[Framework, Any]] = {"langchain": LangChainCodec(), "llamaindex": ChatMessageCodec()}
EMPTY: Final = "[empty message]"
LEFT_OUT: Final = "earlier messages left out"
BUDGET: Final = 140
DROPPING: Final = ("drop_at_cut", "drop_old_turns", "bound")


def is_pinned(message: Message) -> bool:
    """Pin one question."""
    return "pin-this" in message.text


KEEPS: Final = HistoryPolicy(keep_first=2, pinned=is_pinned)


def words(turn: int) -> list[tuple[Role, str]]:
    """Give a turn of five words each."""
    asked = "pin-this" if turn == 2 else f"q{turn}"
    return [(Role.USER, " ".join([asked] * 5)), (Role.ASSISTANT, " ".join([f"a{turn}"] * 5))]


def texts(turns: int) -> list[tuple[Role, str]]:
    """Give so many turns, and a question."""
    return [*(said for turn in range(turns) for said in words(turn)), (Role.USER, "now")]


def numbers(sent: str) -> int:
    """Give how many messages the markers of a request say are left out, together."""
    return sum(map(int, re.findall(rf"(\d+) {LEFT_OUT}", sent)))


@pytest.mark.parametrize("form", FORMATS)
def test_a_marked_gap_is_taken_in_every_format(form: Any) -> None:
    """Thirty turns: recounted, the beginning as it was between cuts, and markers of all that is left out."""
    state, before, marks, cuts = WindowState(), list[Any](), 0, 0
    for turns in range(1, 31):
        natives = [spoken(form, role, text) for role, text in texts(turns)]
        context = fit(natives, BUDGET, counter=COUNTER, policy=KEEPS, format=form, state=state)
        sent = list(read_natives(context.messages, context.transcript.codec))
        assert context.tokens == COUNTER.count_messages(sent) <= BUDGET
        assert refusals(payload_of(form, context.messages), form) == []
        assert context.report.history.cut or context.messages[: len(before)] == before
        marked = str(context.messages).count(LEFT_OUT)
        assert numbers(str(context.messages)) == context.report.history.omitted
        state = WindowState.from_dict(json.loads(json.dumps(context.state.to_dict())))
        before, marks, cuts = context.messages[:-1], marks + marked, cuts + context.report.history.cut
    assert marks > 10
    assert 2 <= cuts < 15


def opened(
    framework: Framework, budget: int, policy: HistoryPolicy, hear: Callable[[ContextReport], None] | None = None
) -> Callable[[Sequence[Any]], list[Any]]:
    """Open a conversation at a face: it takes the messages as they have grown."""
    if framework == "langchain":
        step = ContextRunnable(budget, counter=COUNTER, policy=policy, on_report=hear)
        return lambda messages: step.invoke(list(messages), {"configurable": {"session_id": "s"}})
    memory = ContextMemoryBuffer.from_defaults(token_limit=budget, counter=COUNTER, policy=policy, on_report=hear)

    def send(messages: Sequence[Any]) -> list[Any]:
        memory.set(list(messages))
        return memory.get()

    return send


def framed(framework: Framework, role: Role, text: str) -> Any:
    """Give a framework's message of one text."""
    if framework == "llamaindex":
        return ChatMessage(role=MessageRole(str(role)), content=text)
    return HumanMessage(text) if role is Role.USER else AIMessage(text)


@pytest.mark.parametrize("client", clients())
def test_a_marked_gap_is_taken_by_every_client(client: Client) -> None:
    """Thirty turns through the face, with the request that its client makes of them."""
    reports, before, marks = list[ContextReport](), list[str](), 0
    send = opened(client.framework, BUDGET, KEEPS, reports.append)
    for turns in range(1, 31):
        sent = send([framed(client.framework, role, text) for role, text in texts(turns)])
        shown = [message.model_dump_json(exclude={"id"}) for message in sent]
        marked = "".join(shown).count(LEFT_OUT)
        assert numbers("".join(shown)) == reports[-1].history.omitted
        assert reports[-1].history.cut or shown[: len(before)] == before
        assert reports[-1].used == COUNTER.count_messages(list(read_natives(sent, CODECS[client.framework]))) <= BUDGET
        marks += marked
        if turns % 6 == 0:
            payload = client.payload(sent)
            assert refusals(payload, client.provider, model=client.model) == []
            assert json.dumps(payload).count(LEFT_OUT) == marked
        before = shown[:-1]
    assert marks > 10
    assert 2 <= sum(report.history.cut for report in reports) < 15


@pytest.mark.parametrize("reasoning", DROPPING)
@pytest.mark.parametrize("form", FORMATS)
def test_an_answer_of_thoughts_alone_goes_with_them(form: Any, reasoning: Any) -> None:
    """No format sends a message without content for it; what goes out is recounted, and taken."""
    state = WindowState()
    for turns in range(2, 31, 2):
        natives = [spoken(form, role, text) for role, text in texts(turns)]
        natives[3:3] = [dict(THOUGHTS[form]), spoken(form, Role.USER, "go on")]
        place = len(natives) - 3
        natives[place:place] = [spoken(form, Role.USER, "and"), dict(THOUGHTS[form])]
        policy = HistoryPolicy(reasoning=reasoning, keep_first=4)
        context = fit(natives, BUDGET, counter=COUNTER, policy=policy, format=form, state=state)
        sent = list(read_natives(context.messages, context.transcript.codec))
        assert context.tokens == COUNTER.count_messages(sent) <= BUDGET
        assert all(message.parts or message.tool_calls for message in sent)
        assert EMPTY not in str(context.messages)
        dropped = context.report.history.cut or reasoning == "drop_old_turns"
        if dropped and not (form == "openai" and reasoning == "bound"):  # nothing tells that it is signed
            assert not any(isinstance(part, ReasoningPart) for message in sent for part in message.parts)
            assert refusals(payload_of(form, context.messages), form) == []
        state = WindowState.from_dict(json.loads(json.dumps(context.state.to_dict())))


def thought(framework: Framework) -> Any:
    """Give a framework's answer of thoughts alone."""
    if framework == "llamaindex":
        block = ThinkingBlock(content="hm", additional_information={"signature": "QUJD"})
        return ChatMessage(role=MessageRole.ASSISTANT, blocks=[block])
    return AIMessage([{"type": "thinking", "thinking": "hm", "signature": "QUJD"}])


@pytest.mark.parametrize("reasoning", DROPPING)
@pytest.mark.parametrize("client", clients())
def test_an_answer_of_thoughts_alone_goes_out_of_no_face(client: Client, reasoning: Any) -> None:
    """Before a question, and between two; a client would send nothing for it, or an empty content."""
    reports = list[ContextReport]()
    send = opened(client.framework, 40, HistoryPolicy(reasoning=reasoning), reports.append)
    said = [framed(client.framework, role, text) for role, text in texts(6)]
    said[10:10] = [framed(client.framework, Role.USER, "and"), thought(client.framework)]
    sent = send(said)
    assert 3 <= len(sent) < len(said)
    assert all(message.content for message in sent)
    assert "QUJD" not in str(sent)
    assert EMPTY not in str(sent)
    assert reports[-1].used == COUNTER.count_messages(list(read_natives(sent, CODECS[client.framework])))
    assert refusals(client.payload(sent), client.provider, model=client.model) == []


def item(kind: str, told: str, **more: Any) -> dict[str, Any]:
    """Give a stored item."""
    return {"type": kind, "id": told, **more}


def words_of(told: str) -> dict[str, Any]:
    """Give an item of words."""
    return item("message", told, role="assistant", content=[{"type": "output_text", "text": told, "annotations": []}])


ITEMS: Final = [
    {"role": "user", "content": "first"},
    item("reasoning", "rs_0", summary=[]),
    item("web_search_call", "ws_0", status="completed", action={"type": "search", "query": "words"}),
    item("reasoning", "rs_1", summary=[]),
    words_of("msg_1"),
    {"role": "user", "content": "second"},
    item("reasoning", "rs_2", summary=[]),
    item("function_call", "fc_2", call_id="c2", name="look", arguments="{}"),
    item("function_call", "fc_3", call_id="c3", name="look", arguments="{}"),
    {"type": "function_call_output", "call_id": "c2", "output": "sunny"},
    {"type": "function_call_output", "call_id": "c3", "output": "rainy"},
    item("reasoning", "rs_4", summary=[]),
    words_of("msg_4"),
    {"role": "user", "content": "now"},
]


def test_stored_items_do_not_miss_their_thoughts() -> None:
    """What followed thoughts goes out under no id; what OpenAI's own tool did, which has to have one, goes too."""
    followers = stored_followers({"input": ITEMS})
    assert followers == {"rs_0": "ws_0", "rs_1": "msg_1", "rs_2": "fc_2", "rs_4": "msg_4"}
    policy = HistoryPolicy(reasoning="drop_old_turns")
    context = fit(ITEMS, 1_000, counter=COUNTER, policy=policy, format="responses")
    payload = {"input": context.messages}
    assert refusals(payload, "responses", followers=followers) == []
    assert [one.get("id") for one in context.messages if one.get("type") == "function_call"] == [None, "fc_3"]
    assert not any(one.get("type") in {"reasoning", "web_search_call"} for one in context.messages)
    assert context.tokens == COUNTER.count_messages(list(read_natives(context.messages, context.transcript.codec)))


LOOKED: Final = {"name": "look", "args": {}, "id": "c2"}
ANSWERS: Final[dict[str, list[Any]]] = {
    "items": [
        AIMessage([item("reasoning", "rs_1", summary=[]), {"type": "text", "text": "so", "id": "msg_1"}]),
        HumanMessage("second"),
        AIMessage(
            [
                item("reasoning", "rs_2", summary=[]),
                item("function_call", "fc_2", call_id="c2", name="look", arguments="{}"),
            ],
            tool_calls=[LOOKED],
        ),
        ToolMessage("sunny", tool_call_id="c2"),
    ],
    "LangChain's own blocks": [
        AIMessage(
            [{"type": "reasoning", "id": "rs_1", "reasoning": "hm"}, {"type": "text", "text": "so", "id": "msg_1"}],
            response_metadata={"output_version": "v1"},
        ),
        HumanMessage("second"),
        AIMessage(
            [
                {"type": "reasoning", "id": "rs_2", "reasoning": "hm"},
                {"type": "tool_call", **LOOKED, "extras": {"item_id": "fc_2"}},
            ],
            tool_calls=[LOOKED],
            response_metadata={"output_version": "v1"},
        ),
        ToolMessage("sunny", tool_call_id="c2"),
    ],
    "the older form": [
        AIMessage(
            [{"type": "text", "text": "so"}],
            id="msg_1",
            additional_kwargs={"reasoning": {"id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]}},
        ),
        HumanMessage("second"),
        AIMessage(
            [],
            tool_calls=[LOOKED],
            additional_kwargs={
                "reasoning": {"id": "rs_2", "summary": [{"type": "summary_text", "text": "hm"}]},
                "__openai_function_call_ids__": {"c2": "fc_2"},
            },
        ),
        ToolMessage("sunny", tool_call_id="c2"),
    ],
}


@pytest.mark.parametrize("form", ANSWERS)
def test_stored_items_do_not_miss_their_thoughts_in_langchain(form: str) -> None:
    """However langchain-openai keeps them: before they go its request has them all, and then none of their ids."""
    (client,) = [one for one in CLIENTS if one.name == "langchain-responses"]
    if not client.installed:
        pytest.skip(f"{client.package} is not installed")
    said = [HumanMessage("first"), *ANSWERS[form], AIMessage("so"), HumanMessage("now")]
    whole = client.payload(said)
    followers = stored_followers(whole)
    assert followers == {"rs_1": "msg_1", "rs_2": "fc_2"}
    sent = opened("langchain", 1_000, HistoryPolicy(reasoning="drop_old_turns"))(said)
    payload = client.payload(sent)
    assert refusals(payload, "responses", model=client.model, followers=followers) == []
    assert not any(told in json.dumps(payload) for told in ("rs_", "msg_", "fc_"))
    assert [call["id"] for call in sent[3].tool_calls] == ["c2"]


def test_thoughts_beside_words_leave_the_words() -> None:
    """In LlamaIndex' blocks too."""
    both = [ThinkingBlock(content="hm"), TextBlock(text="so")]
    said = [ChatMessage("first"), ChatMessage(role="assistant", blocks=both), ChatMessage("now")]
    sent = opened("llamaindex", 1_000, HistoryPolicy(reasoning="drop_old_turns"))(said)
    assert [message.content for message in sent] == ["first", "so", "now"]


def own(kind: str, told: str, **more: Any) -> list[dict[str, Any]]:
    """Give LangChain's two blocks of what a tool of a provider's did."""
    done = {"type": "server_tool_result", "tool_call_id": told, "status": "success", **more}
    return [{"type": "server_tool_call", "name": kind, "id": told, "args": {"query": "words"}}, done]


RUN: Final[dict[str, tuple[list[dict[str, Any]], str]]] = {
    "a search": (own("web_search", "ws_1"), "ws_1"),
    "a search of files": (own("file_search", "fs_1", output=[]), "fs_1"),
    "code": (own("code_interpreter", "ci_1", output=[]), "ci_1"),
    "a picture": ([{"type": "image", "base64": "QUJD", "mime_type": "image/png", "id": "ig_1"}], "ig_1"),
}


@pytest.mark.parametrize("name", RUN)
def test_what_openais_tools_did_goes_with_the_thought_in_langchains_blocks(name: str) -> None:
    """Call and result of the provider's own tool, and a picture that it made: nothing is sent without its thought."""
    (client,) = [one for one in CLIENTS if one.name == "langchain-responses"]
    if not client.installed:
        pytest.skip(f"{client.package} is not installed")
    blocks, told = RUN[name]
    thought_of = {"type": "reasoning", "id": "rs_1", "reasoning": "hm"}
    answer = AIMessage(
        [thought_of, *blocks, {"type": "text", "text": "so", "id": "msg_1"}], response_metadata={"output_version": "v1"}
    )
    said = [HumanMessage("first"), answer, HumanMessage("now")]
    followers = stored_followers(client.payload(said))
    assert followers == {"rs_1": told}
    sent = opened("langchain", 9_000, HistoryPolicy(reasoning="drop_old_turns"))(said)
    payload = client.payload(sent)
    assert refusals(payload, "responses", model=client.model, followers=followers) == []
    assert not any(one in json.dumps(payload) for one in ("rs_", told))
    assert sent[1].text == "so"


def test_a_made_picture_goes_with_its_thought() -> None:
    """As an item of Responses."""
    made = item("image_generation_call", "ig_0", status="completed", result="QUJD")
    items = [ITEMS[0], ITEMS[1], made, *ITEMS[3:]]
    context = fit(items, 9_000, counter=COUNTER, policy=HistoryPolicy(reasoning="drop_old_turns"), format="responses")
    assert stored_followers({"input": items})["rs_0"] == "ig_0"
    assert "ig_0" not in str(context.messages)
    assert context.tokens == COUNTER.count_messages(list(read_natives(context.messages, context.transcript.codec)))


@pytest.mark.parametrize("told", ["srvtoolu_1", "server-1"])
def test_what_other_providers_tools_did_stays(told: str) -> None:
    """Anthropic's needs no thought before it."""
    answer = AIMessage(
        [{"type": "reasoning", "reasoning": "hm"}, *own("web_search", told), {"type": "text", "text": "so"}]
    )
    sent = opened("langchain", 9_000, HistoryPolicy(reasoning="drop_old_turns"))(
        [HumanMessage("a"), answer, HumanMessage("b")]
    )
    assert [block["type"] for block in sent[1].content] == ["server_tool_call", "server_tool_result", "text"]
