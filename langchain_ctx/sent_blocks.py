"""Blocks and types of messages on which the client of a request raises: they are given as it takes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from langchain_core.messages import AIMessage, BaseMessage, ChatMessage, HumanMessage, SystemMessage

from ctx_core.conversation.fields import mapped
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import MediaPart, OpaquePart, ReasoningPart, TextPart

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
        fields = cast("Mapping[str, object]", part.raw)
        return replace(part, raw={**fields, "image_url": {"url": fields["image_url"]}})
    if isinstance(part, ReasoningPart) or (isinstance(part, OpaquePart) and part.call_id is not None):
        return None
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


def _is_of_cohere(block: object, role: Role) -> bool:
    return role is not Role.ASSISTANT or _kind(block) == "text"


def _is_of_anthropic(block: object, role: Role) -> bool:
    del role
    return _kind(block) not in {"", "audio", "video"} and not _is_bare_address(block)


def _is_of_google(block: object, role: Role) -> bool:
    del role
    return _kind(block) != "document" and not (_kind(block) == "image" and _has(block, "source"))


def _is_of_items(block: object, role: Role) -> bool:
    del role
    is_foreign = _kind(block) == "reasoning" and not _has(block, "id")
    return _kind(block) != "" and not is_foreign and not _is_bare_address(block)


def _is_of_aws(block: object, role: Role) -> bool:
    del role
    is_document = _kind(block) == "document" and not _has(block, "document")
    return not is_document and _kind(block) != "audio" and not _is_bare_address(block)


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
    "langchain-aws": _is_of_aws,
}
"""By client, where it raises on blocks; langchain-cohere 0.6, -ollama 1.1, -anthropic 1.7, -google-genai 4.4,
-aws 1.9."""
