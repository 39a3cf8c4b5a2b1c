"""Shapes on which a client raises, or which it sends as nobody takes them: through our doors it sends a request."""

from __future__ import annotations

from typing import Any, Final

import pytest
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from llama_index.core.base.llms.types import (
    AudioBlock,
    CacheControl,
    CachePoint,
    CitableBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    VideoBlock,
)
from llama_index.core.base.llms.types import ChatMessage as LlamaMessage

from ctx_core import ContextBuilder
from ctx_core.providers import Target, provider_named
from ctx_core.session import ContextSession
from langchain_ctx import ContextRunnable
from llamaindex_ctx.convert import CODEC
from tests.payloads.clients import CLIENTS
from tests.payloads.conversations import TOOLS
from tests.payloads.judge import refusals

HI: Final = HumanMessage("hi")
PNG: Final = "iVBORw0KGgo="
CALL: Final[dict[str, Any]] = {"name": "look", "args": {"q": 1}, "id": "call_1", "type": "tool_call"}
RESULT: Final = ToolMessage("42", tool_call_id="call_1")
WORD: Final[dict[str, Any]] = {"type": "text", "text": "so"}
THOUGHT: Final[dict[str, Any]] = {"type": "thinking", "thinking": "hm", "signature": "SIG"}
OLD: Final[dict[str, Any]] = {"function_call": {"name": "f", "arguments": "{}"}}
ALL: Final = ("openai", "responses", "anthropic", "gemini", "bedrock", "mistral", "deepseek", "cohere", "ollama")

LANGCHAIN: Final[dict[str, tuple[tuple[str, ...], list[BaseMessage]]]] = {
    "a list beside calls": (ALL, [HI, AIMessage([WORD], tool_calls=[CALL]), RESULT]),
    "a thought beside calls": (("cohere", "ollama"), [HI, AIMessage([THOUGHT, WORD], tool_calls=[CALL]), RESULT]),
    "a thought": (("cohere", "ollama", "anthropic", "bedrock"), [HI, AIMessage([THOUGHT, WORD]), HI]),
    "a thought alone": (("cohere", "ollama"), [HI, AIMessage([THOUGHT], tool_calls=[CALL]), RESULT]),
    "a thought of another's": (("cohere", "ollama", "responses"), [
        HI, AIMessage([{"type": "reasoning", "reasoning": "hm"}, WORD]), HI,
    ]),
    "texts in a list": (("cohere",), [SystemMessage(["a", "b"]), HI, AIMessage(["a", "b"]), HI]),
    "a role by its name": (("anthropic", "gemini", "bedrock", "cohere"), [
        ChatMessage(role="system", content="a"), HI, ChatMessage(role="assistant", content="b"),
        ChatMessage(role="user", content="c"),
    ]),
    "a function": (("responses", "anthropic", "bedrock", "mistral"), [
        HI, AIMessage("", additional_kwargs=OLD), FunctionMessage(name="f", content="42"),
    ]),
    "a block without a type": (("anthropic", "ollama", "responses"), [HumanMessage([WORD, {"text": "x"}])]),
    "a document of another's": (("gemini", "bedrock", "ollama"), [HumanMessage([WORD, {
        "type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "d"},
    }])]),
    "a picture of another's": (("gemini", "ollama"), [HumanMessage([WORD, {
        "type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG},
    }])]),
    "a bare address": (("responses", "anthropic", "bedrock"), [
        HumanMessage([WORD, {"type": "image_url", "image_url": f"data:image/png;base64,{PNG}"}])
    ]),
    "a recording": (("anthropic", "bedrock", "ollama"), [
        HumanMessage([WORD, {"type": "audio", "base64": "UklGRg==", "mime_type": "audio/wav"}])
    ]),
}  # fmt: skip

USER: Final = LlamaMessage(role="user", content="hi")
MARK: Final = CachePoint(cache_control=CacheControl(type="ephemeral"))
PICTURE: Final = ImageBlock(image=PNG.encode(), image_mimetype="image/png")
BLOCK: Final = ToolCallBlock(tool_call_id="call_1", tool_name="look", tool_kwargs={"q": 1})
LLAMA: Final[dict[str, tuple[tuple[str, ...], list[LlamaMessage]]]] = {
    "a question that says nothing": (("openai", "responses", "anthropic", "gemini", "ollama"), [
        LlamaMessage(role="user")
    ]),
    "a mark": (("openai", "responses", "gemini", "ollama"), [
        LlamaMessage(role="user", blocks=[TextBlock(text="x"), MARK])
    ]),
    "a source": (("openai", "responses", "gemini", "ollama"), [LlamaMessage(
        role="user", blocks=[CitableBlock(title="t", source="s", content=[TextBlock(text="c")]), TextBlock(text="x")],
    )]),
    "a recording": (("responses", "anthropic", "gemini", "ollama"), [
        LlamaMessage(role="user", blocks=[TextBlock(text="x"), AudioBlock(audio=b"UklGRg==", format="wav")])
    ]),
    "a film": (("openai", "responses", "anthropic", "ollama"), [
        LlamaMessage(role="user", blocks=[TextBlock(text="x"), VideoBlock(video=b"AAAA", video_mimetype="video/mp4")])
    ]),
    "a developer": (("anthropic", "gemini"), [LlamaMessage(role="developer", content="a"), USER]),
    "an answer by another name": (("openai", "responses", "anthropic", "gemini"), [
        USER, LlamaMessage(role="chatbot", content="a"), USER, LlamaMessage(role="model", content="a"), USER,
    ]),
    "a function": (("responses", "anthropic"), [
        USER, LlamaMessage(role="assistant", content="", additional_kwargs=OLD),
        LlamaMessage(role="function", content="42", additional_kwargs={"name": "f"}),
    ]),
    "a picture in an answer": (("responses",), [
        USER, LlamaMessage(role="assistant", blocks=[TextBlock(text="x"), PICTURE]), USER,
    ]),
    "a thought beside a call": (("ollama",), [
        USER, LlamaMessage(role="assistant", blocks=[ThinkingBlock(content="hm"), BLOCK]),
        LlamaMessage(role="tool", content="42", additional_kwargs={"tool_call_id": "call_1", "name": "look"}),
    ]),
}  # fmt: skip

CASES: Final = [
    pytest.param(
        client,
        messages,
        id=f"{client.name}: {name}",
        marks=pytest.mark.skipif(not client.installed, reason=f"{client.package} is not installed"),
    )
    for framework, cases in (("langchain", LANGCHAIN), ("llamaindex", LLAMA))
    for name, (providers, messages) in cases.items()
    for client in CLIENTS
    if client.framework == framework and client.provider in providers
]


@pytest.mark.parametrize(("client", "messages"), CASES)
def test_a_request_is_sent_and_taken(client: Any, messages: list[Any]) -> None:
    """The caller's own messages stay as they are."""
    before = [message.model_copy(deep=True) for message in messages]
    row = "chat_template" if client.provider == "ollama" else str(client.provider)
    target = Target(provider=provider_named(row), model=client.model, client=client.package)
    builder = ContextBuilder(50_000, len)
    if client.framework == "langchain":
        view: list[Any] = ContextRunnable(recipe=builder, provider=target).invoke(messages)
    else:
        view = ContextSession[Any](builder, codec=CODEC, provider=target).fit(messages).messages
    assert messages == before
    payload = client.payload(view, TOOLS[client.framework])
    assert refusals(payload, client.provider, model=client.model) == []
