"""Calls without ids, as LlamaIndex' Ollama gives them, through a plain memory: each result stays with its call."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, TextBlock, ToolCallBlock
from llama_index.core.llms import MockFunctionCallingLLM
from llama_index.core.tools import FunctionTool

from llamaindex_ctx import ChatMessageCodec, ContextMemoryBuffer
from tests.llamaindex_ctx.test_agents import Script, ask, contents, pytestmark, says

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["pytestmark"]

base: Any = pytest.importorskip("llama_index.llms.ollama.base", reason="needs llama-index-llms-ollama")


def said(text: str) -> ChatMessage:
    """Make a user's message."""
    return ChatMessage(text, role="user")


def asks(*names: str | None, ids: Sequence[str | None] | None = None) -> ChatMessage:
    """Make an answer with calls, as Ollama's are: without ids."""
    blocks = [
        ToolCallBlock(tool_call_id=call_id, tool_name=name or "", tool_kwargs={"day": "today"})
        for name, call_id in zip(names, ids or [None] * len(names), strict=True)
    ]
    return ChatMessage(role="assistant", blocks=[TextBlock(text=""), *blocks])


def told(text: str, call_id: str | int | None = None, **extra: Any) -> ChatMessage:
    """Make a result."""
    ids = {} if call_id is None else {"tool_call_id": call_id}
    return ChatMessage(text, role="tool", additional_kwargs=ids | extra)


def sent_to_ollama(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """Give what the real client makes of messages."""
    llm = base.Ollama(model="llama3.1", context_window=8_000)
    built: list[dict[str, Any]] = llm._convert_to_ollama_messages(messages)  # noqa: SLF001 - what it sends
    return built


def test_what_ollama_answers_survives() -> None:
    """The shapes are the client's own: its answer with a block, its selection whose id is the tool's name."""
    llm = base.Ollama(model="llama3.1", context_window=8_000)
    answer: Any = asks("ferries")
    (selected,) = llm.get_tool_calls_from_response(ChatResponse(message=answer))
    assert (selected.tool_id, answer.blocks[1].tool_call_id) == ("ferries", None)
    memory = ContextMemoryBuffer.from_defaults(llm=llm)
    stored = [said("When?"), answer, told("14:05", selected.tool_id), says("At 14:05."), said("And tomorrow?")]
    memory.put_messages(copy.deepcopy(stored))
    shown = sent_to_ollama(memory.get())
    assert shown == sent_to_ollama(stored)
    assert shown[2] == {"role": "tool", "content": "14:05"}
    assert memory.get_all() == stored


CASES: dict[str, tuple[ChatMessage, list[ChatMessage], list[str]]] = {
    "known by name": (asks("look", "find"), [told("f", "find"), told("l", "look")], ["f", "l"]),
    "known by another's key": (asks("look", "find"), [told("f", name="find"), told("l", name="look")], ["f", "l"]),
    "by place": (asks("look", "look"), [told("1"), told("2")], ["1", "2"]),
    "by place, with the tool's name": (asks("look", "look"), [told("1", "look"), told("2", "look")], ["1", "2"]),
    "an id whose call has none": (asks("look"), [told("1", "call_9")], ["1"]),
    "empty ids": (asks("look", ids=[""]), [told("1", "")], ["1"]),
    "an empty id on the call alone": (asks("look", ids=[""]), [told("1", "c1")], ["1"]),
    "an empty id on the result alone": (asks("look", ids=["c1"]), [told("1", "")], ["1"]),
    "a number": (asks("look", ids=["7"]), [told("1", 7)], ["1"]),
    "two steps of one name": (asks("look"), [told("1", "look"), asks("look"), told("2", "look")], ["1", "2"]),
}


@pytest.mark.parametrize("case", CASES)
def test_no_result_is_lost_or_mistaken(case: str) -> None:
    """With room to spare: all there, none a stub, each with the id of its call, which is a text."""
    asking, results, texts = CASES[case]
    stored = [said("When?"), asking, *results, says("So."), said("And?")]
    memory = ContextMemoryBuffer.from_defaults(copy.deepcopy(stored), token_limit=1_000)
    shown = memory.get()
    assert [message.role for message in shown] == [message.role for message in stored]
    answers = [message for message in shown if message.role.value == "tool"]
    assert [message.content for message in answers] == texts
    ids = [message.additional_kwargs["tool_call_id"] for message in answers]
    read = [ChatMessageCodec().read(message) for message in shown]
    names = {call.id: call.name for message in read for call in message.tool_calls}
    assert set(ids) == set(names)
    assert all(isinstance(one, str) and one for one in ids)
    if "known" in case:
        assert [names[one] for one in ids] == ["find", "look"]
    assert memory.get_all() == stored
    again = ContextMemoryBuffer.from_defaults(shown, token_limit=1_000).get()
    assert again == shown


def test_entries_without_ids_get_them_too() -> None:
    """Older integrations list their calls in `additional_kwargs`: dicts, or objects with an id of their own name."""
    listed = [{"function": {"name": "look", "arguments": "{}"}}]
    stored = [said("When?"), ChatMessage("", role="assistant", additional_kwargs={"tool_calls": listed}), told("1")]
    shown = ContextMemoryBuffer.from_defaults(stored, token_limit=1_000).get()
    (entry,) = shown[1].additional_kwargs["tool_calls"]
    assert shown[2].additional_kwargs["tool_call_id"] == entry["id"]
    assert entry["id"].startswith("call_")
    assert "id" not in listed[0]


async def test_an_agent_goes_on_with_what_it_was_told() -> None:
    """Two runs of the real agent, with calls as Ollama gives them: the second is asked with the first one's result."""
    script = Script([asks("ferries"), says("At 14:05."), says("At 15:05.")])

    class WithoutIds(MockFunctionCallingLLM):
        """Selects tools as LlamaIndex' Ollama does."""

        def get_tool_calls_from_response(self, response: Any, error_on_no_tool_call: bool = True, **_: Any) -> Any:  # noqa: FBT001, FBT002 - LlamaIndex' signature
            """Give the tools' names for ids."""
            return base.Ollama.get_tool_calls_from_response(
                SimpleNamespace(), response, error_on_no_tool_call=error_on_no_tool_call
            )

    def ferries(day: str) -> str:
        """Tell when ferries leave."""
        return f"14:05 {day}"

    make: Any = WithoutIds
    agent = FunctionAgent(
        tools=[FunctionTool.from_defaults(ferries)], llm=make(response_generator=script), streaming=False
    )
    memory = ContextMemoryBuffer.from_defaults(token_limit=1_000, provider="openai")
    await ask(agent, user_msg="When?", memory=memory)
    await ask(agent, user_msg="And tomorrow?", memory=memory)
    assert contents(script.requests[-1]) == [
        "user: When?", "assistant: ", "tool: 14:05 today", "assistant: At 14:05.", "user: And tomorrow?",
    ]  # fmt: skip
    assert sent_to_ollama(script.requests[-1])[2] == {"role": "tool", "content": "14:05 today"}
