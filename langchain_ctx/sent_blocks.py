"""Blocks and types of messages on which the client of a request raises: they are given as it takes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from langchain_core.messages import AIMessage, BaseMessage, ChatMessage, HumanMessage, SystemMessage

from ctx_core.conversation.fields import mapped
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import MediaPart, OpaquePart, ReasoningPart, TextPart
from ctx_core.conversation.provider_tools import asked_id, given_id

if TYPE_CHECKING:
    from ctx_core.conversation.parts import Part

Takes = Callable[[object, Role], bool]
"""Whether a client takes a block of a role's message."""

_SPOKEN: Final[Mapping[Role, type[BaseMessage]]] = {
    Role.USER: HumanMessage, Role.ASSISTANT: AIMessage, Role.SYSTEM: SystemMessage,
}  # fmt: skip
_RAISE_ON_CHAT_MESSAGES: Final = frozenset(
    {"langchain-anthropic", "langchain-google-genai", "langchain-aws", "langchain-cohere"}
)
"""Clients that know no `ChatMessage`; langchain-anthropic 1.7, -google-genai 4.4, -aws 1.9, -cohere 0.6."""
_ITEMS: Final = ("langchain-openai", "responses")
"""OpenAI's client where it takes the Responses API; -openai 1.7."""
_AWS: Final = "langchain-aws"
"""The client that sends calls of the provider's own tools as any others; -aws 1.9."""
_OF_AWS: Final = frozenset(
    {
        "text", "image", "image_url", "video", "video_url", "file", "document", "search_result", "tool_use",
        "tool_call", "tool_result", "json", "guard_content", "thinking", "reasoning_content", "invalid_tool_call",
    }
)  # fmt: skip
"""Types of blocks that it knows."""
_OF_BEDROCK: Final = frozenset(
    {
        "text", "image", "document", "video", "audio", "toolUse", "toolResult", "guardContent", "cachePoint",
        "reasoningContent", "citationsContent", "searchResult",
    }
)  # fmt: skip
"""Keys of Bedrock's own blocks, which have no type."""
_OF_GOOGLE: Final = frozenset(
    {
        "", "text", "file", "image", "audio", "video", "text-plain", "image_url", "media", "thinking", "reasoning",
        "code_execution_result", "function_call_signature",
    }
)  # fmt: skip
"""Types of blocks that Google's client knows in a question."""
_ONE_TEXT: Final = "langchain-cohere"
"""The client that takes what the assistant says beside calls as one text; -cohere 0.6."""


def with_taken_blocks(message: Message, row: str, client: str | None) -> Message:
    """Give a message that its client does not raise on: itself where it takes it.

    Args:
        message: of LangChain.
        row: name of the provider's row.
        client: package of the client; None where it is unknown.
    """
    if client is None or not isinstance(message.origin, BaseMessage):
        return message
    if client in _RAISE_ON_CHAT_MESSAGES and isinstance(message.origin, ChatMessage):
        message = _spoken(message, message.origin)
    takes = _is_of_items if (client, row) == _ITEMS else _TAKES.get(client)
    content: object = cast("BaseMessage", message.origin).content
    if takes is None or not isinstance(content, list):
        return message
    if client == _AWS:
        takes = _of_aws_with(frozenset(map(_told_result, content)))
    parts = [taken for part in message.parts if (taken := _taken(part, message.role, takes)) is not None]
    if _is_one_text(message, content, client) or ((client, row) == _ITEMS and message.role is Role.SYSTEM):
        return _as_one_text(message, parts)
    same = len(parts) == len(message.parts) and all(
        one is other for one, other in zip(parts, message.parts, strict=True)
    )
    return message if same else replace(message, parts=tuple(parts), altered=True)


def _is_one_text(message: Message, content: list[Any], client: str) -> bool:
    """Whether a client takes a text for this list, and no list."""
    if client != _ONE_TEXT:
        return False
    if message.role is Role.ASSISTANT:
        return bool(message.tool_calls) or not all(map(_is_text, content))
    return any(isinstance(block, str) for block in content)


def _spoken(message: Message, origin: ChatMessage) -> Message:
    """Give a message of a role by its name as one of the role's own type."""
    of_role = _SPOKEN.get(message.role)
    if of_role is None:
        return message
    told = origin.model_dump(include={"additional_kwargs", "response_metadata", "name", "id"}, warnings=False)
    return replace(message, origin=of_role(content=origin.content, **told))


def _taken(part: Part, role: Role, takes: Takes) -> Part | None:
    """Give a part that is taken; None for what says nothing to another provider, and for a call, which is listed."""
    if part.raw is None or takes(part.raw, role):
        return part
    if _is_bare_address(part.raw):
        address = cast("Mapping[str, object]", part.raw)
        return replace(part, raw={**address, "image_url": {"url": address["image_url"]}})
    if isinstance(part, ReasoningPart) or (isinstance(part, OpaquePart) and part.call_id is not None):
        return None
    fields = mapped(part.raw) or {}
    if asked_id(fields) is not None or given_id(fields) is not None or _told_result(fields) is not None:
        return None  # as a text it would look like something that the model says
    text = getattr(part, "text", None)
    if isinstance(text, str) and text:
        return TextPart(text)
    return TextPart(f"[{part.noun}]") if isinstance(part, MediaPart) else None


def _as_one_text(message: Message, parts: list[Part]) -> Message:
    text = "".join(part.text for part in parts if isinstance(part, TextPart))
    origin = cast("BaseMessage", message.origin).model_copy(update={"content": ""})
    return replace(message, origin=origin, parts=(TextPart(text),) if text else (), altered=True)


def _is_text(block: object) -> bool:
    return not isinstance(block, str) and _kind(block) == "text"


def _kind(block: object) -> str:
    if isinstance(block, str):
        return "text"
    kind: object = (mapped(block) or {}).get("type")
    return kind if isinstance(kind, str) else ""


def _is_of_chat(block: object, role: Role) -> bool:
    del role
    return _kind(block) != ""


def _is_of_cohere(block: object, role: Role) -> bool:
    return _kind(block) == "text" or (role is not Role.ASSISTANT and _kind(block) in {"image_url", "document"})


def _is_of_anthropic(block: object, role: Role) -> bool:
    del role
    return _kind(block) not in {"", "audio", "video"} and not _is_bare_address(block)


def _is_of_google(block: object, role: Role) -> bool:
    kind = _kind(block)
    if kind == "document" or (kind == "image" and _has(block, "source")):
        return False
    # Of an answer it leaves out what it does not know, and raises on it in a question.
    return role is Role.ASSISTANT or kind in _OF_GOOGLE


def _is_of_items(block: object, role: Role) -> bool:
    del role
    is_foreign = _kind(block) == "reasoning" and not _has(block, "id")
    return _kind(block) != "" and not is_foreign and not _is_bare_address(block)


def _of_aws_with(answered: frozenset[str | None]) -> Takes:
    """Give what Bedrock's client takes in a message with results of the provider's own tools for these calls."""

    def takes(block: object, role: Role) -> bool:
        kind = _kind(block)
        if kind == "":
            return bool(_OF_BEDROCK & (mapped(block) or {}).keys())
        if kind == "server_tool_use":
            return _told(block, "id") in answered - {None}
        if kind == "server_tool_result":
            return _told_result(block) is not None
        if kind == "non_standard":
            return bool(_OF_BEDROCK & (mapped((mapped(block) or {}).get("value")) or {}).keys())
        if kind == "document":
            return _has(block, "document")
        # Of an answer it leaves out what it does not know, and raises on it in a question.
        return kind != "audio" and not _is_bare_address(block) and (role is Role.ASSISTANT or kind in _OF_AWS)

    return takes


def _told_result(block: object) -> str | None:
    """Give the id of the call that a result of a tool of Bedrock's own is of, as its client reads it."""
    return _told(block, "toolUseId") if _kind(block) == "server_tool_result" else None


def _told(block: object, key: str) -> str | None:
    told: object = (mapped(block) or {}).get(key)
    return told if isinstance(told, str) else None


def _is_of_ollama(block: object, role: Role) -> bool:
    del role
    is_picture = _kind(block) == "image" and not _has(block, "source")
    return _kind(block) in {"text", "tool_use", "image_url"} or is_picture


def _is_bare_address(block: object) -> bool:
    return _kind(block) == "image_url" and isinstance((mapped(block) or {}).get("image_url"), str)


def _has(block: object, key: str) -> bool:
    return isinstance(block, Mapping) and key in block


_TAKES: Final[Mapping[str, Takes]] = {
    "langchain-cohere": _is_of_cohere,
    "langchain-ollama": _is_of_ollama,
    "langchain-anthropic": _is_of_anthropic,
    "langchain-google-genai": _is_of_google,
    "langchain-aws": _of_aws_with(frozenset()),
    "langchain-openai": _is_of_chat,
    "langchain-mistralai": _is_of_chat,
    "langchain-deepseek": _is_of_chat,
}
"""By client, where it raises on blocks or its provider refuses them; langchain-cohere 0.6, -ollama 1.1, -anthropic 1.7,
-google-genai 4.4, -aws 1.9, -openai 1.7, -mistralai 1.1, -deepseek 1.1."""
